"""The fabric drawn by tiers: a box for each group, a trunk for each link with what it carries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.collectives import collective_name
from toposmith.exports.drawing.svg import (
    DrawingInk,
    DrawingSheet,
    DrawnShape,
    Polyline,
    Rect,
    ShapeGroup,
    Text,
    cut,
    text_width,
)
from toposmith.fabric.counts import cable_counts, device_counts, many_cables_words, nvlinks_words
from toposmith.fabric.plan import GroupPlan, LinkPlan, NvlinkLink, Plan
from toposmith.fabric.port_use import port_use
from toposmith.text import bandwidth, counted, oversubscription, percent, rates

_SWEEPS = 4


def rows_of(plan: Plan) -> list[list[str]]:
    """The groups by hops to the nearest node, bottom row first; those without links on top."""
    near: dict[str, set[str]] = defaultdict(set)
    for link in plan.links:
        near[link.a.group].add(link.b.group)
        near[link.b.group].add(link.a.group)
    for nvlink in plan.nvlinks:
        near[nvlink.nodes].add(nvlink.switches)
        near[nvlink.switches].add(nvlink.nodes)
    above = {nvlink.switches for nvlink in plan.nvlinks}
    height: dict[str, int] = {
        name: 0 for name, group in plan.groups.items() if group.switch is None and name not in above
    }
    _climb(height, near)
    while rest := [name for name in plan.groups if near[name] and name not in height]:
        height[max(rest, key=lambda name: plan.groups[name].instances)] = 1
        _climb(height, near)
    top = max(height.values(), default=-1) + 1
    rows: dict[int, list[str]] = defaultdict(list)
    for name in plan.groups:
        rows[height.get(name, top)].append(name)
    return _sorted([rows[level] for level in sorted(rows)], near)


def _climb(height: dict[str, int], near: dict[str, set[str]]) -> None:
    queue = list(height)
    for name in queue:
        for other in sorted(near[name]):
            if other not in height:
                height[other] = height[name] + 1
                queue.append(other)


def _sorted(rows: list[list[str]], near: dict[str, set[str]]) -> list[list[str]]:
    """Each row by the mean place of its neighbours, so that trunks cross little."""
    for _ in range(_SWEEPS):
        place = {name: (i + 0.5) / len(row) for row in rows for i, name in enumerate(row)}
        for row in rows:
            mean = {
                name: sum(place[other] for other in near[name]) / len(near[name])
                if near[name]
                else place[name]
                for name in row
            }
            row.sort(key=mean.__getitem__)
    return rows


STUB = 14.0
"""Room that a trunk keeps to the next, and to the corners of its box."""


@dataclass(frozen=True)
class DrawnTrunk:
    """A link between two rows; ``lower`` is the group whose box it leaves upwards."""

    link: LinkPlan | NvlinkLink
    lower: str
    upper: str
    label: tuple[tuple[str, DrawingInk, bool], ...]
    ink: DrawingInk
    limits: bool

    @property
    def width(self) -> float:
        """Room for the trunk and its label on the lower box."""
        return max(text_width(text, bold=bold) for text, _, bold in self.label) + 2 * STUB


def trunks_of(
    plan: Plan, rows: Sequence[Sequence[str]], analysis: Analysis | None
) -> list[DrawnTrunk]:
    """Every link as a trunk, with its cables, its load, and the oversubscription at its foot."""
    level = {name: number for number, row in enumerate(rows) for name in row}
    cables = cable_counts(plan)
    loads = _worst_loads(analysis)
    limiting = _limiting(analysis)
    ratios = _ratios(analysis)
    first: set[str] = set()
    trunks: list[DrawnTrunk] = []
    for link in plan.every_link:
        lower, upper = sorted((link.a.group, link.b.group), key=level.__getitem__)
        load = loads.get(link.index)
        limits = link.index in limiting
        ink = _ink(load, limits=limits)
        label: list[tuple[str, DrawingInk, bool]] = [
            (many_cables_words(plan, link, cables[link.index]), "text", False)
        ]
        if load is not None:
            usable = load.capacity_GBps if load.usable_GBps is None else load.usable_GBps
            of = f"{rates(load.load_GBps, usable, 'of')} usable"
            full = f"{percent(load.utilization)} full, {of}"
            label.append((full + (" - limits" if limits else ""), ink, limits))
        if lower in ratios and lower not in first and level[upper] > level[lower]:
            first.add(lower)
            label.append((ratios[lower], "muted", False))
        trunks.append(DrawnTrunk(link, lower, upper, tuple(label), ink, limits))
    for nvlink in plan.nvlinks:
        words: tuple[str, DrawingInk, bool] = (nvlinks_words(plan, nvlink), "text", False)
        trunks.append(DrawnTrunk(nvlink, nvlink.nodes, nvlink.switches, (words,), "idle", False))
    return trunks


def _worst_loads(analysis: Analysis | None) -> dict[int | None, LinkLoad]:
    """The fullest class of every link."""
    rising = sorted(analysis.limits, key=lambda load: load.utilization) if analysis else []
    return {load.index: load for load in rising}


def _limiting(analysis: Analysis | None) -> set[int | None]:
    """The links that limit."""
    return set() if analysis is None else {load.index for load in analysis.limiting}


def _ink(load: LinkLoad | None, *, limits: bool) -> DrawingInk:
    if limits:
        return "hot"
    return "busy" if load is not None and load.utilization >= 0.5 else "idle"


def _ratios(analysis: Analysis | None) -> dict[str, str]:
    """What stands at the uplinks of a tier: its oversubscription."""
    return {
        name: f"{oversubscription(tier.oversubscription)} oversubscription"
        for tier in (analysis.tiers if analysis else ())
        if tier.oversubscription is not None
        for name in tier.groups
    }


_MARGIN, _GAP, _PAD = 28.0, 44.0, 16.0
_LINE, _LANE = 17.0, 12.0
_TITLE = 46.0
_LARGEST_WORDS = 110
_ALONE = 60.0  # left of the middle, so that the label stands about below it


@dataclass
class _Box:
    name: str
    lines: list[tuple[str, bool]]
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def fabric_sheet(plan: Plan, analysis: Analysis | None = None) -> DrawingSheet:
    """Draw a design.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    analysis : Analysis, optional
        Whose loads and ratios stand at the trunks.
    """
    rows = rows_of(plan)
    boxes = {name: _box(plan, name, facts) for name, facts in _facts(plan).items()}
    trunks = trunks_of(plan, rows, analysis)
    _place(rows, boxes, trunks)
    right = max((box.x + box.width for box in boxes.values()), default=0.0)
    bottom = max((box.y + box.height for box in boxes.values()), default=_TITLE)
    title = plan.design.name or "unnamed design"
    subtitle = _subtitle(analysis)
    words = [text_width(cut(title, 9.6 * _LARGEST_WORDS, 16), 16, bold=True), text_width(subtitle)]
    width = max(right + _MARGIN, *(one + 2 * _MARGIN for one in words), 320.0)
    for box in boxes.values():
        box.x += (width - _MARGIN - right) / 2
    parts = [*_trunks(rows, boxes, trunks), *(_drawn(plan, box) for box in boxes.values())]
    head = ShapeGroup(
        "note",
        "title",
        title,
        (
            Text(_MARGIN, 28, cut(title, 9.6 * _LARGEST_WORDS, 16), 16, "text", "start", True),
            Text(_MARGIN, 46, subtitle, 13, "muted"),
        ),
    )
    return DrawingSheet(title, width, bottom + _MARGIN, (head, *parts))


def _subtitle(analysis: Analysis | None) -> str:
    if analysis is None:
        return ""
    words = counted(analysis.gpus, "GPU")
    if analysis.busbw_GBps is not None:
        collective = collective_name(analysis.collective)
        rate = analysis.busbw_label.marked(bandwidth(analysis.busbw_GBps))
        words += f", {collective}: {rate} per GPU (busbw, predicted)"
    return words


def _facts(plan: Plan) -> dict[str, list[str]]:
    """The lines of every box: how many, which part, which ports."""
    devices, use = device_counts(plan), port_use(plan)
    facts: dict[str, list[str]] = {}
    for name, group in plan.groups.items():
        part = group.part.name if group.part else f"{group.spec.part} (not in the catalog)"
        ports = [
            (f"{slots}: " if slots else "")
            + f"{counted(used.used, 'port')} used, {_free_words(used.free)}"
            for (of, slots), used in use.items()
            if of == name and (used.used or not slots)
        ]
        facts[name] = [_count(group, devices[name]), part, *ports]
    return facts


def _free_words(free: int) -> str:
    return f"{free} free" if free >= 0 else f"{-free} too many"


def _count(group: GroupPlan, there: int) -> str:
    sizes = [
        f"{size:,}" if axis == group.name else f"{size:,} {axis}"
        for axis, size in zip(group.axes[::-1], group.sizes[::-1], strict=True)
        if not (axis == group.name and size == 1 and len(group.axes) > 1)
    ]
    words = " x ".join(sizes) + (f" = {group.instances:,}" if len(sizes) > 1 else "")
    absent = group.instances - there
    return f"{group.name}: {words}" + (f" ({absent:,} absent)" if absent else "")


def _box(plan: Plan, name: str, lines: Sequence[str]) -> _Box:
    shown = [(cut(line, 420), number == 0) for number, line in enumerate(lines)]
    width = max(text_width(text, bold=bold) for text, bold in shown) + 2 * _PAD
    return _Box(name, shown, max(width, 150.0), len(shown) * _LINE + _PAD + 4)


def _place(
    rows: Sequence[Sequence[str]], boxes: Mapping[str, _Box], trunks: Sequence[DrawnTrunk]
) -> None:
    """Boxes wide enough for their trunks, rows centred, channels high enough for their labels."""
    for name, box in boxes.items():
        up = sum(trunk.width for trunk in trunks if trunk.lower == name)
        down = sum(STUB for trunk in trunks if trunk.upper == name)
        box.width = max(box.width, up + 2 * STUB, down + 4 * STUB)
    widths = [sum(boxes[n].width for n in row) + _GAP * (len(row) - 1) for row in rows]
    widest = max(widths, default=0.0)
    for row, width in zip(rows, widths, strict=True):
        x = _MARGIN + (widest - width) / 2
        for name in row:
            boxes[name].x = x
            x += boxes[name].width + _GAP
    y = _TITLE + _MARGIN
    for number in range(len(rows) - 1, -1, -1):
        mine = [trunk for trunk in trunks if trunk.lower in rows[number]]
        y += _channel(mine)
        for name in rows[number]:
            boxes[name].y = y
        y += max((boxes[name].height for name in rows[number]), default=0.0)


def _channel(trunks: Sequence[DrawnTrunk]) -> float:
    """Height of the room above a row: labels, then a lane for each trunk, then a little air."""
    if not trunks:
        return _MARGIN
    return max(len(trunk.label) for trunk in trunks) * _LINE + len(trunks) * _LANE + 30


def _trunks(
    rows: Sequence[Sequence[str]], boxes: Mapping[str, _Box], trunks: Sequence[DrawnTrunk]
) -> list[ShapeGroup]:
    parts: list[ShapeGroup] = []
    taken: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        mine = [trunk for trunk in trunks if trunk.lower in row]
        lane = 0
        for name in row:
            leaving = [trunk for trunk in mine if trunk.lower == name]
            leaving.sort(key=lambda trunk: boxes[trunk.upper].middle)
            box = boxes[name]
            x = box.middle - sum(trunk.width for trunk in leaving) / 2
            if len(leaving) == 1:  # so that trunks of boxes above each other run straight
                x = box.middle - _ALONE - STUB
            for trunk in leaving:
                lane += 1
                at = _lane_y(mine, box, lane)
                parts.append(_trunk(trunk, x + STUB, boxes, taken[trunk.upper], at))
                x += trunk.width
    return parts


def _lane_y(trunks: Sequence[DrawnTrunk], box: _Box, lane: int) -> float:
    labels = max(len(trunk.label) for trunk in trunks) * _LINE
    return box.y - labels - 12 - lane * _LANE


def _trunk(
    trunk: DrawnTrunk, x: float, boxes: Mapping[str, _Box], taken: list[float], lane_y: float
) -> ShapeGroup:
    lower, upper = boxes[trunk.lower], boxes[trunk.upper]
    level = upper.y == lower.y
    end_y = upper.y if level else upper.y + upper.height
    end_x = _free(x, upper, taken)
    taken.append(end_x)
    straight = not level and abs(end_x - x) < 0.5
    points = (
        ((x, lower.y), (x, end_y))
        if straight
        else ((x, lower.y), (x, lane_y), (end_x, lane_y), (end_x, end_y))
    )
    shapes: list[DrawnShape] = [Polyline(points, trunk.ink, 4 if trunk.limits else 2)]
    top = lower.y - len(trunk.label) * _LINE
    for number, (text, ink, bold) in enumerate(trunk.label):
        shapes.append(Text(x + 8, top + number * _LINE + 8, text, 13, ink, "start", bold))
    title = "; ".join([trunk.link.label, *(text for text, _, _ in trunk.label)])
    return ShapeGroup("link", str(trunk.link.index), title, tuple(shapes))


def _free(x: float, box: _Box, taken: Sequence[float]) -> float:
    """The place on a box nearest to ``x`` that no other trunk has."""
    low, high = box.x + STUB, box.x + box.width - STUB
    start = min(max(x, low), high)
    for step in range(2 * int(box.width / STUB) + 2):
        far = (step + 1) // 2 * STUB * (1 if step % 2 else -1)
        if low <= start + far <= high and all(abs(start + far - t) >= STUB - 1 for t in taken):
            return start + far
    return start


def _drawn(plan: Plan, box: _Box) -> ShapeGroup:
    group = plan.groups[box.name]
    fill: DrawingInk = "switch" if group.switch else "node" if group.node else "box"
    shapes: list[DrawnShape] = [Rect(box.x, box.y, box.width, box.height, fill)]
    for number, (text, bold) in enumerate(box.lines):
        y = box.y + _PAD + 6 + number * _LINE
        ink: DrawingInk = "text" if number == 0 else "error" if group.part is None else "muted"
        shapes.append(Text(box.middle, y, text, 13, ink, "middle", bold))
    return ShapeGroup("node", box.name, "; ".join(text for text, _ in box.lines), tuple(shapes))
