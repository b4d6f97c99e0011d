"""The load on the links of a place, read off an analysis; what that lacks is unknown.

An analysis speaks of classes of links and of the fullest of each class, so a figure here is the
most that such a link carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toposmith.analysis.result import Analysis
from toposmith.fabric.plan import Plan
from toposmith.text import UNKNOWN
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.trunk_figures import TrunkFigure, read_figures, trunk_figure

SIGNS: dict[Ink, str] = {
    Ink.IDLE: "▪",
    Ink.CALM: "▪",
    Ink.BUSY: "+",
    Ink.FULL: "#",
    Ink.LIMIT: "◀",
}
"""The sign of a load, so that its colour is never alone."""

FREE, DOWN, ABSENT, NO_FIGURE, SLOW = ".", "✗", "-", "?", "~"
SLOW_SIGN = (SLOW, "slow")
"""Of the legend only where something is slow."""

LEGEND = (
    ("▪", "used"),
    ("+", "60 %"),
    ("#", "90 %"),
    ("◀", "limits"),
    (".", "free"),
    ("✗", "down"),
    ("-", "absent"),
    ("?", "load unknown"),
)


@dataclass(frozen=True)
class Loads:
    """Figures by link index, and by group and kind of link inside nodes."""

    links: Mapping[int, TrunkFigure] = field(default_factory=dict)
    inside: Mapping[tuple[str, str], TrunkFigure] = field(default_factory=dict)

    def of_link(self, index: int) -> TrunkFigure | None:
        """The load of the design's link, or None where it is unknown."""
        return self.links.get(index)

    def of_inside(self, group: str, *kinds: str) -> TrunkFigure | None:
        """The load of the first of these kinds of links inside nodes that has a figure."""
        found = (self.inside.get((group, kind)) for kind in kinds)
        return next((figure for figure in found if figure is not None), None)


def read_loads(plan: Plan, analysis: Analysis | None) -> Loads:
    """The figures of an analysis by place."""
    if analysis is None:
        return Loads()
    binding = analysis.limiting
    inside: dict[tuple[str, str], TrunkFigure] = {}
    for load in analysis.limits:
        if load.index is not None:
            continue
        for name in plan.groups:
            if load.link.startswith(f"{name} "):
                kind = load.link.removeprefix(f"{name} ").replace("xGMI", "NVLink")
                inside[name, kind] = trunk_figure(load, limits=load in binding)
    return Loads(read_figures(plan, analysis).trunks, inside)


def sign_of(figure: TrunkFigure | None) -> tuple[str, Ink]:
    """The sign and the ink of a cabled port."""
    return (NO_FIGURE, Ink.IDLE) if figure is None else (SIGNS[figure.ink], figure.ink)


def load_words(figure: TrunkFigure | None) -> str:
    """``47.8 of 48.5 GB/s of payload, 99 %, limits``; what is unknown says so.

    The load is shown beside what headers and protocols leave of the line rate to such traffic.
    """
    if figure is None:
        return f"load {UNKNOWN}"
    limits = ", limits" if figure.limits else ""
    payload = " of payload" if figure.of_usable else ""
    return f"{figure.load}{payload}, {figure.percent}{limits}"
