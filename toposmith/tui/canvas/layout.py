"""The picture's geometry: boxes by tier, trunks between them, sized for the room that there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.tui.canvas.captions import Facts
from toposmith.tui.canvas.geometry import Box, CanvasLayout, Trunk, boxes_by_name, item_order
from toposmith.tui.canvas.layers import layered
from toposmith.tui.canvas.sheet import Manner, Sheet
from toposmith.tui.canvas.tier_rows import design_edges, tier_rows
from toposmith.tui.canvas.trunk_figures import Ratio, expected_ratios

__all__ = ["Box", "CanvasLayout", "Trunk", "boxes_by_name", "item_order", "lay_out"]

_LISTING = Manner("listing", label="split", padding=4, gap=6, pad=1)
_MANNERS = (
    Manner("telling", label="split", padding=4, gap=6, pad=1),
    Manner("telling", label="split", padding=1, gap=2, pad=0),
    Manner("roomy", label="split", padding=4, gap=6, pad=1),
    Manner("full", label="split", padding=3, gap=4, pad=1),
    Manner("full", label="split", padding=1, gap=2, pad=0),
    Manner("compact", label="split", padding=1, gap=2, pad=0),
    Manner("narrow", label="split", padding=1, gap=2, pad=0),
    Manner("full", label="stacked", padding=1, gap=2, pad=0),
    Manner("compact", label="stacked", padding=1, gap=2, pad=0),
    Manner("narrow", label="stacked", padding=1, gap=2, pad=0),
    Manner("narrow", label="stacked", padding=0, gap=1, pad=0),
)

_TELLING = sum(manner.box == "telling" for manner in _MANNERS)
_WHOLE = Manner("named", label="marked", padding=0, gap=1, pad=0)
_DENSE = Manner("compact", label="marked", padding=1, gap=2, pad=0)
_TELLING_FROM = 100  # columns from which boxes have room for what is said of them
_LISTING_FROM = 160  # columns from which devices are named by their places along the axes
_WHOLE_FROM = 70  # columns from which names alone are preferred to a picture larger than the view
_MANY_LINKS = 48
_FAR = 4  # a sheet of more views side by side than this is not read but searched


def lay_out(
    plan: Plan,
    width: int,
    height: int,
    findings: Sequence[Finding] = (),
    ratios: Mapping[str, Ratio] | None = None,
    *,
    bars: int = 0,
    layer: str | None = None,
    positions: Mapping[str, int] | None = None,
    comments: Mapping[str, int] | None = None,
    whole: bool | None = None,
) -> CanvasLayout:
    """Arrange the design for a view of ``width`` by ``height`` cells.

    The airiest manner that fits is taken; where none fits, the one that overflows least, and
    the sheet is larger than the view. Where trunks are so many that their labels would spread
    them over many views, they get marks instead of labels. Nothing depends on loads, so boxes
    stand still while the numbers move.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    width, height : int
        The view.
    findings : sequence of Finding
        More to be marked at groups and links than the plan itself found.
    ratios : mapping of str to Ratio, optional
        The ratios shown at uplinks, by group, where they are not as its links say.
    bars : int
        Cells that scroll bars take from the view on either side where the picture does not fit.
    layer : str, optional
        The one slot group whose fabric is shown.
    positions : mapping of str to int, optional
        Columns right of its place of a group that was moved.
    comments : mapping of str to int, optional
        Open comments of a review, by group and by label of link.
    whole : bool, optional
        Whether boxes that would not fit say names and counts alone, and trunks their marks; if not
        given, where a view that is not small then has room for all.

    Returns
    -------
    CanvasLayout
        At least as large as the view; the picture is centred on it.
    """
    shown = layered(plan, layer)
    rows = tier_rows(shown)
    tier = {name: level for level, row in enumerate(rows) for name in row}
    facts = Facts.of(plan, tier, findings, shown, comments)
    room = expected_ratios(shown, tier) | dict(ratios or {})
    many = len(design_edges(shown)) > _MANY_LINKS
    sheets: list[Sheet] = []
    tried = _MANNERS if width >= _TELLING_FROM else _MANNERS[_TELLING:]
    if width >= _LISTING_FROM:
        tried = (_LISTING, *tried)
    for manner in _MANNERS[-1:] if many else tried:
        sheet = Sheet(facts, rows, manner, room, width, positions)
        if not sheet.overflow(width, height):
            return sheet.layout(width, height)
        sheets.append(sheet)
    if whole or (whole is None and width >= _WHOLE_FROM):
        sheet = Sheet(facts, rows, _WHOLE, room, width, positions)
        if whole or not sheet.overflow(width, height):
            return sheet.layout(width, height)
    width, height = max(width - bars, 0), max(height - bars, 0)
    best = min(sheets, key=lambda sheet: sheet.overflow(width, height))
    if bars and not many:
        best = Sheet(facts, rows, best.manner, room, width, positions)
    if many and best.width > _FAR * width:
        best = Sheet(facts, rows, _DENSE, room, width, positions)
    return best.layout(width, height)
