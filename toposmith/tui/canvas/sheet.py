"""One setting of the picture: columns settled, rows counted but not yet spaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toposmith.tui.canvas import captions
from toposmith.tui.canvas.box_positions import Span, arranged, place
from toposmith.tui.canvas.captions import BoxManner, Facts, LabelManner
from toposmith.tui.canvas.geometry import Box, CanvasLayout, Trunk
from toposmith.tui.canvas.items import GroupItem, LinkItem
from toposmith.tui.canvas.nested_loops import (
    FIGURE_WIDTH,
    LOAD_WIDTH,
    are_loops,
    loops,
    rows_of,
    width_of,
)
from toposmith.tui.canvas.tier_rows import design_edges
from toposmith.tui.canvas.trunk_figures import Ratio
from toposmith.tui.canvas.trunk_paths import ChannelWire, WireRoute, needed_width, route

_LOAD_WIDTH = 17  # "100 %  ◀━ limits" and "99.9 of 12.5 GB/s" fit
_RATIO_WIDTH = 18  # "2:1 oversubscribed" fits
_MOST_PAD = 4


@dataclass(frozen=True)
class Manner:
    """One way to set the picture, from airy to tight."""

    box: BoxManner
    label: LabelManner
    padding: int
    gap: int
    pad: int


class Sheet:
    """One setting of the picture: columns settled, rows counted but not yet spaced."""

    def __init__(
        self,
        facts: Facts,
        rows: list[list[str]],
        manner: Manner,
        ratios: Mapping[str, Ratio],
        view: int,
        positions: Mapping[str, int] | None = None,
    ) -> None:
        self.facts = facts
        self.rows = rows
        self.manner = manner
        columns = view - 2 - 2 * manner.padding
        self.lines = {
            name: captions.box_lines(facts, name, manner.box, columns)
            for row in rows
            for name in row
        }
        self.captions = {
            index: captions.cables_text(facts, index) for index in design_edges(facts.plan)
        }
        self.sound = {link.index for link in facts.plan.links}
        self.sound |= {link.index for link in facts.plan.nvlinks}
        self.ratios = self._ratio_links(ratios)
        self.channels = self._wires()
        self.spans = self._place()
        self._own_width = max((span.right for span in self.spans.values()), default=0)
        if positions:
            self.rows, self.spans = arranged(rows, self.spans, positions, manner.gap)
        self._low = min((span.left for span in self.spans.values()), default=0)
        for span in self.spans.values():
            span.left -= self._low
        self.routes: list[dict[int, WireRoute]] = [
            {} if are_loops(wires) else route(wires, row, self.spans)
            for wires, row in zip(self.channels, self.rows, strict=True)
        ]
        self.depths = [self._depth(level) for level in range(len(rows))]
        self.width = max((span.right for span in self.spans.values()), default=0)
        self.height = sum(self._row_height(row) for row in rows) + sum(self.depths)

    def overflow(self, width: int, height: int) -> int:
        """Columns and rows that do not fit; columns count double, as one reads along them."""
        return 2 * max(0, self.width - width) + max(0, self.height - height)

    def layout(self, width: int, height: int) -> CanvasLayout:
        """Space the rows, centre the picture, and write everything down."""
        pads = self._pads(height - self.height)
        total = self.height + 2 * sum(pads)
        left = self._margin(width)
        y = max((height - total) // 2, 0)
        boxes: list[Box] = []
        trunks: list[Trunk] = []
        for level in reversed(range(len(self.rows))):
            above = y
            y += self.depths[level] + 2 * pads[level]
            trunks += self._trunks(level, above, y, pads[level], left)
            tall = self._row_height(self.rows[level])
            for name in self.rows[level]:
                span = self.spans[name]
                boxes.append(
                    Box(GroupItem(name), span.left + left, y, span.width, tall, self.lines[name])
                )
            y += tall
        return CanvasLayout(
            max(width, self.width),
            max(height, total),
            tuple(boxes),
            tuple(trunks),
            whole=self.manner.box == "named",
        )

    def _margin(self, width: int) -> int:
        """Columns before the picture: it is centred without what was moved, as far as that fits."""
        centred = max((width - self._own_width) // 2, 0) + self._low
        return max(min(centred, width - self.width), 0)

    def _ratio_links(self, ratios: Mapping[str, Ratio]) -> dict[int, int]:
        """The links that show a tier's ratio, the first uplink of every switch group: its room."""
        seen: set[str] = set()
        found: dict[int, int] = {}
        for link in self.facts.plan.links:
            a, b = link.a.group, link.b.group
            lower = min(a, b, key=self.facts.tier.__getitem__)
            if (
                self.facts.tier[a] != self.facts.tier[b]
                and self.facts.plan.groups[lower].switch
                and lower not in seen
            ):
                seen.add(lower)
                ratio = ratios.get(lower)
                found[link.index] = max(len(ratio.text) if ratio else 0, _RATIO_WIDTH)
        return found

    def _wires(self) -> list[list[ChannelWire]]:
        channels: list[list[ChannelWire]] = [[] for _ in self.rows]
        tier = self.facts.tier
        for index, (a, b) in design_edges(self.facts.plan).items():
            lower, upper = (b, a) if tier[b] < tier[a] else (a, b)
            caption = captions.width(self.captions[index])
            ratio = self.ratios.get(index, 0)
            load = _LOAD_WIDTH if index in self.sound else 0
            left, right = max(caption, ratio), load
            if self.manner.label == "split":
                left, right = left + 2, right + 2
            else:
                left, right = 1, max(left, right) + 2 if self.manner.label == "stacked" else 2
            wire = ChannelWire(index, lower, upper, tier[a] == tier[b], left, right)
            channels[tier[lower]].append(wire)
        # of loops one inside the other those between sets of switches go around those within
        dealt = {link.index for link in self.facts.plan.links if link.bundle}
        for channel in channels:
            channel.sort(key=lambda wire: wire.index not in dealt)
        return channels

    def _place(self) -> dict[str, Span]:
        widths = {}
        for level, row in enumerate(self.rows):
            for name in row:
                text = max(map(captions.width, self.lines[name]))
                up = [w for w in self.channels[level] if name in (w.lower, w.upper)]
                below = self.channels[level - 1] if level else []
                down = [w for w in below if w.upper == name and not w.level]
                if up and are_loops(self.channels[level]):
                    ports = max(self._loops_width(up), needed_width(name, (), down))
                else:
                    ports = needed_width(name, up, down)
                widths[name] = max(text + 2 + 2 * self.manner.padding, ports)
        edges = design_edges(self.facts.plan).values()
        return place(self.rows, widths, edges, self.manner.gap)

    def _row_height(self, row: Sequence[str]) -> int:
        return 2 + max(len(self.lines[name]) for name in row)

    def _label_rows(self, level: int) -> int:
        wires = self.channels[level]
        if not wires:
            return 0
        if self.manner.label != "stacked":
            return 2 if self.manner.label == "split" else 1
        return 4 if any(wire.index in self.ratios for wire in wires) else 3

    def _lane_rows(self, level: int) -> int:
        lanes = [r.lane for r in self.routes[level].values() if r.lane is not None]
        return max(lanes, default=-1) + 1

    def _depth(self, level: int) -> int:
        """Rows of the channel above this row of boxes, without the padding of tall views."""
        if not self.channels[level]:
            return 0 if level == len(self.rows) - 1 else 1
        if are_loops(self.channels[level]):
            return rows_of(self.channels[level], self._loop_lines) + self.manner.pad
        lanes = self._lane_rows(level)
        return self._label_rows(level) + lanes + 2 * self.manner.pad + (1 if lanes else 0)

    def _pads(self, spare: int) -> list[int]:
        """Share spare rows out to the channels, as much above the labels as below."""
        pads = [0] * len(self.rows)
        open_channels = [level for level, wires in enumerate(self.channels) if wires]
        for _ in range(_MOST_PAD - self.manner.pad):
            if open_channels and spare >= 2 * len(open_channels) + 2:
                spare -= 2 * len(open_channels)
                for level in open_channels:
                    pads[level] += 1
        return pads

    def _trunks(self, level: int, top: int, bottom: int, pad: int, left: int) -> list[Trunk]:
        """The trunks of a channel whose rows are ``top`` up to, not including, ``bottom``."""
        if are_loops(self.channels[level]):
            return self._loops(level, bottom, left)
        label_y = bottom - pad - self.manner.pad - self._label_rows(level)
        lanes_y = label_y - 1 - (1 if self._lane_rows(level) and self.manner.pad else 0)
        trunks = []
        for wire in self.channels[level]:
            way = self.routes[level][wire.index]
            start, end = way.lower_x + left, way.upper_x + left
            last = bottom if way.level else top - 1
            if way.lane is None:
                path: tuple[tuple[int, int], ...] = ((start, bottom), (end, last))
            else:
                lane = lanes_y - way.lane
                path = ((start, bottom), (start, lane), (end, lane), (end, last))
            trunks.append(self._trunk(wire, path, label_y, self.manner.label))
        return trunks

    @property
    def _loop_lines(self) -> int:
        """Lines of words in each of several loops around each other."""
        return 2 if self.manner.label == "stacked" else 1

    def _loops_width(self, wires: Sequence[ChannelWire]) -> int:
        words = [captions.width(self.captions[wire.index]) for wire in wires]
        if self._loop_lines == 2:
            return width_of(words, FIGURE_WIDTH + LOAD_WIDTH - 2)
        figures = FIGURE_WIDTH + (LOAD_WIDTH if self.manner.pad else 0)
        return width_of([wide + figures for wide in words], 0)

    def _loops(self, level: int, bottom: int, left: int) -> list[Trunk]:
        """The links of a box to itself, right above it."""
        wires = self.channels[level]
        placed = loops(wires, self.spans[wires[0].lower], self._loop_lines)
        trunks: list[Trunk] = []
        manner: LabelManner = "inside" if self._loop_lines == 1 else "stacked inside"
        for wire in wires:
            loop = placed[wire.index]
            start, end = loop.left + left, loop.right + left
            lane = bottom - rows_of(wires, self._loop_lines) + loop.row
            path = ((start, bottom), (start, lane), (end, lane), (end, bottom))
            trunks.append(self._trunk(wire, path, lane + 1, manner))
        return trunks

    def _trunk(
        self,
        wire: ChannelWire,
        path: tuple[tuple[int, int], ...],
        label_y: int,
        manner: LabelManner,
    ) -> Trunk:
        return Trunk(
            LinkItem(wire.index),
            wire.lower,
            wire.upper,
            path,
            path[0][0],
            label_y,
            manner,
            self.captions[wire.index],
            wire.index in self.sound,
            wire.index in self.ratios,
        )
