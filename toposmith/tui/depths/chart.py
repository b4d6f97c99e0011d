"""What a depth shows: rows of text with spots for a cursor, made row by row.

A chart is values only, without a widget; rows are made when they come into view, so that a unit
of 100,000 devices opens as fast as one of ten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from rich.cells import cell_len

from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.places import DepthPlace, DeviceInstance

if TYPE_CHECKING:
    from toposmith.fabric.plan import PlannedEnd

SIGN = "!"
"""The first sign in the cells of a marked port."""

ChartSpot = tuple[int, int]
"""A row of the chart and a column of its own counting."""

Direction = Literal["up", "down", "left", "right"]


class DepthChart:
    """One place drawn, some of whose ports may be marked; it begins as one without any spot."""

    width = 0
    height = 0
    frozen_columns = 0
    marks: Mapping[ChartSpot, str] = {}
    """Words by marked spot."""

    def mark(self, ends: Mapping[PlannedEnd, str]) -> None:
        """Mark the ports of these that it shows, with what is to be said of them there."""
        marks: dict[ChartSpot, str] = {}
        for end, words in ends.items():
            spot = self.spot_of_port(DeviceInstance(end.group, end.at), end.ports, end.port)
            if spot is not None:
                marks.setdefault(spot, words)
        self.marks = marks

    def marked_line(self, y: int) -> StyledLine:
        """A row, with what is marked in it."""
        line = self.line(y)
        for area in map(self.area, self.marks):
            if area.y <= y < area.bottom:
                line = _inked(line, area.x, area.right, SIGN if y == area.y else "")
        return line

    def said(self, spot: ChartSpot) -> tuple[str, ...]:
        """What is said of a spot: its mark first."""
        mark = (self.marks[spot],) if spot in self.marks else ()
        return (*mark, *self.words(spot))

    @property
    def start(self) -> ChartSpot | None:
        """Where the cursor begins: at the first mark, where there is one."""
        return min(self.marks) if self.marks else self.first()

    def line(self, y: int) -> StyledLine:
        """A row, without marks."""
        raise NotImplementedError

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """The frozen rows above while the view begins at row ``top``."""
        return ()

    def first(self) -> ChartSpot | None:
        """The first spot of the cursor."""
        return None

    def holds(self, spot: ChartSpot) -> bool:
        """Whether there is such a spot."""
        return False

    def area(self, spot: ChartSpot) -> Area:
        """The cells of a spot."""
        return Area(0, 0, 0, 0)

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The spot at a cell."""
        return None

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next spot in a direction."""
        return spot

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """What is said of a spot, line by line."""
        return ()

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """The place that Enter opens from here."""
        return None

    def group(self, spot: ChartSpot) -> str:
        """The device group under the cursor."""
        raise NotImplementedError

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """The spot of a device's port, or of the device where no port is named; None elsewhere."""
        return None

    def in_view(self, view: Area) -> str:
        """Which rows and columns are in view, in words; nothing where all are."""
        rows = f"rows {view.y + 1}-{min(view.bottom, self.height)} of {self.height}"
        columns = f"columns {view.x + 1}-{min(view.right, self.width)} of {self.width}"
        cut = (rows, view.height < self.height), (columns, view.width < self.width)
        return ", ".join(words for words, is_cut in cut if is_cut)


def fitted(text: str, columns: int) -> str:
    """The text in so many columns, ended by an ellipsis where it is cut."""
    if len(text) <= columns and text.isascii() and text.isprintable():  # by far the most
        return text.ljust(columns)
    short, end = text, ""
    while short and cell_len(short + end) > columns:
        short, end = short[:-1], "…"
    return (short + end)[: max(columns, 0)] + " " * (columns - cell_len(short + end))


def padded(line: StyledLine, columns: int) -> StyledLine:
    """A line in so many columns: filled up with blanks, or cut and ended by an ellipsis."""
    shown, parts = fitted("".join(text for text, _ in line), columns), list[tuple[str, Ink]]()
    for text, ink in line:
        parts.append((shown[: len(text)], ink))
        shown = shown[len(text) :]
    return (*(part for part in parts if part[0]), *(((shown, Ink.BLANK),) if shown else ()))


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
