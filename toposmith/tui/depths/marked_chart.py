"""A chart with ports marked on it: each with a sign, and with what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len

from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, DepthChart, Direction
from toposmith.tui.depths.places import DepthPlace, DeviceInstance

if TYPE_CHECKING:
    from toposmith.fabric.plan import PlannedEnd


SIGN = "!"
"""The first sign in the cells of a marked port."""


class MarkedChart:
    """Another chart with some of its spots marked; all else is that chart's.

    Parameters
    ----------
    chart : DepthChart
        What is drawn.
    marks : mapping of ChartSpot to str
        Words by spot.
    """

    def __init__(self, chart: DepthChart, marks: Mapping[ChartSpot, str]) -> None:
        self._chart = chart
        self._marks = marks
        self._rows: dict[int, list[Area]] = {}
        for spot in marks:
            area = chart.area(spot)
            for y in range(area.y, area.bottom):
                self._rows.setdefault(y, []).append(area)
        self.width, self.height = chart.width, chart.height
        self.frozen_columns = chart.frozen_columns

    def line(self, y: int) -> StyledLine:
        """A row, with what is marked in it."""
        line = self._chart.line(y)
        for area in self._rows.get(y, ()):
            line = _inked(line, area.x, area.right, SIGN if y == area.y else "")
        return line

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """The frozen rows above."""
        return self._chart.frozen_rows(top)

    def first(self) -> ChartSpot | None:
        """The first mark."""
        return min(self._marks)

    def holds(self, spot: ChartSpot) -> bool:
        """Whether there is such a spot."""
        return self._chart.holds(spot)

    def area(self, spot: ChartSpot) -> Area:
        """The cells of a spot."""
        return self._chart.area(spot)

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The spot at a cell."""
        return self._chart.spot_at(x, y)

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next spot in a direction."""
        return self._chart.moved(spot, direction, by)

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """What is said of a spot: its mark first."""
        said = self._chart.words(spot)
        return (self._marks[spot], *said) if spot in self._marks else said

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """Where Enter leads from here."""
        return self._chart.inner(spot)

    def group(self, spot: ChartSpot) -> str:
        """The device group under the cursor."""
        return self._chart.group(spot)

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """The spot of a device's port."""
        return self._chart.spot_of_port(device, ports, number)

    def in_view(self, view: Area) -> str:
        """Which part of it is in view, in words."""
        return self._chart.in_view(view)


def marked_chart(chart: DepthChart, marks: Mapping[PlannedEnd, str]) -> DepthChart:
    """The chart with the ports marked that it shows; itself where it shows none of them."""
    spots: dict[ChartSpot, str] = {}
    for end, words in marks.items():
        spot = chart.spot_of_port(DeviceInstance(end.group, end.at), end.ports, end.port)
        if spot is not None:
            spots.setdefault(spot, words)
    return MarkedChart(chart, spots) if spots else chart


def _inked(line: StyledLine, first: int, end: int, sign: str) -> StyledLine:
    """The line with the cells from ``first`` up to ``end`` in the ink of an error."""
    parts: list[tuple[str, Ink]] = []
    at = 0
    for text, ink in line:
        for letter in text:
            shown = sign if sign and at == first and cell_len(letter) == 1 else letter
            own = Ink.ERROR if first <= at < end else ink
            if parts and parts[-1][1] == own:
                parts[-1] = (parts[-1][0] + shown, own)
            else:
                parts.append((shown, own))
            at += cell_len(letter)
    return tuple(parts)
