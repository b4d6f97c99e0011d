"""How trunks run between two rows of boxes: a port on each box, and lanes for those that jog.

A channel lies between a row of boxes and the row above it. Every trunk leaves the top of its lower
box inside a slot of its own, wide enough for its label; so labels can meet nothing. Trunks that
do not run straight up take a lane (a row) for their horizontal part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toposmith.tui.canvas.box_positions import Span, spread

STUB = 4
"""Columns that a trunk without a label needs on a box."""


@dataclass(frozen=True)
class ChannelWire:
    """A link in a channel: from ``lower`` up to ``upper``, or between two boxes of one row.

    ``left`` and ``right`` are the columns that its label takes on either side of the trunk.
    """

    index: int
    lower: str
    upper: str
    level: bool
    left: int
    right: int

    @property
    def slot(self) -> int:
        """Columns that the trunk and its label take on the lower box."""
        return self.left + 1 + self.right


@dataclass(frozen=True)
class WireRoute:
    """The columns of a wire's ends, and its lane counted from below; None if it runs straight."""

    lower_x: int
    upper_x: int
    level: bool
    lane: int | None


def needed_width(name: str, up: Sequence[ChannelWire], down: Sequence[ChannelWire]) -> int:
    """The least width of a box that has these wires above and below it."""
    above = sum(wire.slot if wire.lower == name else 0 for wire in up)
    above += sum(STUB for wire in up if wire.level and wire.upper == name)
    return max(above, STUB * len(down)) + 2


def route(
    wires: Sequence[ChannelWire], row: Sequence[str], spans: Mapping[str, Span]
) -> dict[int, WireRoute]:
    """Ports and lanes for all wires of the channel above a row of boxes."""
    lower, far = _top_ports(wires, row, spans)
    upper = _bottom_ports([wire for wire in wires if not wire.level], lower, spans)
    ends = {wire.index: (lower[wire.index], (far | upper)[wire.index]) for wire in wires}
    lanes = _lanes(
        {wire.index: ends[wire.index] for wire in wires}, {w.index for w in wires if w.level}
    )
    return {
        wire.index: WireRoute(*ends[wire.index], wire.level, lanes.get(wire.index))
        for wire in wires
    }


def _top_ports(
    wires: Sequence[ChannelWire], row: Sequence[str], spans: Mapping[str, Span]
) -> tuple[dict[int, int], dict[int, int]]:
    """Ports on the tops of the lower boxes: where wires start, and where level wires end."""
    slots: dict[str, list[tuple[float, int, ChannelWire, bool]]] = {}
    for wire in wires:
        here, there = spans[wire.lower], spans[wire.upper]
        slots.setdefault(wire.lower, []).append((there.middle, wire.index, wire, False))
        if wire.level:
            slots.setdefault(wire.upper, []).append((here.middle, wire.index, wire, True))
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    nexts = dict(pairwise(row))
    sheet = max(span.right for span in spans.values())
    for name, mine in slots.items():
        mine.sort(key=lambda slot: (slot[0], slot[1], slot[3]))
        span = spans[name]
        widths = [STUB if far else wire.slot for _, _, wire, far in mine]
        befores = [1 if far else wire.left for _, _, wire, far in mine]
        wanted = []
        for (_, _, wire, far), before in zip(mine, befores, strict=True):
            there = spans[wire.lower if far else wire.upper]
            x = span.middle if wire.level or len(mine) == 1 else there.middle
            if not wire.level:
                x = min(max(x, there.left + 2), there.right - 2)
            wanted.append(x - 0.5 - before)
        # A label may hang over into the gap behind its box, while the trunk stays on the box.
        edge = spans[nexts[name]].left - 1 if name in nexts else sheet
        high = max(min(edge, span.right - 2 + widths[-1] - befores[-1]), span.right - 1)
        low = span.left + 1 if row[0] != name else max(0, span.left + 1 - befores[0])
        lefts = spread(wanted, widths, None, low, high)
        for (_, index, _, far), before, left in zip(mine, befores, lefts, strict=True):
            (ends if far else starts)[index] = int(left + 0.5) + before
    return starts, ends


def _bottom_ports(
    wires: Sequence[ChannelWire], lower: Mapping[int, int], spans: Mapping[str, Span]
) -> dict[int, int]:
    """Ports on the bottoms of the upper boxes: straight above the lower ones where that is free."""
    below = set(lower.values())
    ports: dict[int, int] = {}
    for name in dict.fromkeys(wire.upper for wire in wires):
        mine = sorted((wire for wire in wires if wire.upper == name), key=lambda w: lower[w.index])
        span = spans[name]
        wanted = [lower[wire.index] - 1.0 for wire in mine]
        lefts = spread(wanted, [3.0] * len(mine), None, span.left + 1, span.right - 1)
        taken: set[int] = set()
        for wire, left in zip(mine, lefts, strict=True):
            start = lower[wire.index]
            blocked = (below - {start}) | taken
            x = _nearest_free(int(left + 0.5) + 1, blocked, span)
            ports[wire.index] = x
            taken.add(x)
    return ports


def _nearest_free(x: int, blocked: set[int], span: Span) -> int:
    for far in range(span.width):
        for candidate in (x + far, x - far):
            if span.left < candidate < span.right - 1 and candidate not in blocked:
                return candidate
    raise ValueError("the box has no room for its trunks")  # needed_width makes the room


def _lanes(ends: Mapping[int, tuple[int, int]], level: set[int]) -> dict[int, int]:
    """Lanes counted from below, so that trunks that lean the same way do not cross."""

    def order(index: int) -> tuple[int, int]:
        start, end = ends[index]
        if index in level:
            return (0, abs(end - start))
        return (1, -start) if end > start else (2, start)

    lanes: dict[int, int] = {}
    jogging = [index for index, (start, end) in ends.items() if start != end or index in level]
    for index in sorted(jogging, key=order):
        low, high = sorted(ends[index])
        under = [
            lane
            for other, lane in lanes.items()
            if min(ends[other]) <= high + 1 and max(ends[other]) >= low - 1
        ]
        lanes[index] = max(under, default=-1) + 1
    return lanes
