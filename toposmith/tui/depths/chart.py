"""What a depth shows: rows of text with spots for a cursor, made row by row.

A chart is values only, without a widget; rows are made when they come into view, so that a unit
of 100,000 devices opens as fast as one of ten.
"""

from __future__ import annotations

from typing import Literal, Protocol

from rich.cells import cell_len

from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.places import DepthPlace, DeviceInstance

ChartSpot = tuple[int, int]
"""A row of the chart and a column of its own counting."""

Direction = Literal["up", "down", "left", "right"]


class DepthChart(Protocol):
    """One place drawn."""

    width: int
    height: int
    frozen_columns: int

    def line(self, y: int) -> StyledLine:
        """A row."""
        ...

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """The frozen rows above while the view begins at row ``top``."""
        ...

    def first(self) -> ChartSpot | None:
        """The first spot of the cursor."""
        ...

    def holds(self, spot: ChartSpot) -> bool:
        """Whether there is such a spot."""
        ...

    def area(self, spot: ChartSpot) -> Area:
        """The cells of a spot."""
        ...

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The spot at a cell."""
        ...

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next spot in a direction."""
        ...

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """What is said of a spot, line by line."""
        ...

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """The place that Enter opens from here."""
        ...

    def group(self, spot: ChartSpot) -> str:
        """The device group under the cursor."""
        ...

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """The spot of a device's port, or of the device where no port is named; None elsewhere."""
        ...

    def in_view(self, view: Area) -> str:
        """Which part of it is in view, in words; nothing where it is all there."""
        ...


def cells_in_view(width: int, height: int, view: Area) -> str:
    """Which rows and columns of a drawing are in view, in words; nothing where all are."""
    rows = f"rows {view.y + 1}-{min(view.bottom, height)} of {height}"
    columns = f"columns {view.x + 1}-{min(view.right, width)} of {width}"
    cut = (rows, view.height < height), (columns, view.width < width)
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
