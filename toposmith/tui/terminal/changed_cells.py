"""What goes to the terminal: only the cells that differ from those that it shows already.

Textual writes whole widgets again. Over SSH that is tens of kilobytes for a key; what differs is
mostly some hundred bytes. The cells written last are kept here, and updates are cut down to the
runs of cells that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.control import Control
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

from toposmith.tui.terminal.pen import PLAIN, Pen, TerminalStyle, look_of, look_of_blanks

ShownCell = tuple[str, TerminalStyle]
"""What a column shows and how it looks; a wide sign is in its first column."""

Piece = tuple[int, int, Strip]
"""Column, row and content of a part of a line."""

GAP = 6
"""Unchanged cells that cost no more than a jump over them."""


class TerminalFrame:
    """The cells that the terminal shows, as far as they are known."""

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, ShownCell]] = {}
        self._size: Size | None = None

    def laid_out(self, size: Size) -> None:
        """The whole screen is written for a size; in another one nothing is known any more.

        Between the terminal's new size and the app's hearing of it, cells were written for the
        old one: beyond the last column they landed somewhere else.
        """
        if size != self._size:
            self.forget()
            self._size = size

    def forget(self) -> None:
        """Know nothing of the terminal: it was resized, or another program wrote to it."""
        self._rows.clear()

    def cut_down(self, update: CompositorUpdate) -> CompositorUpdate:
        """The same update that writes only what differs; others than Textual's own as they are."""
        if isinstance(update, ChopsUpdate | LayoutUpdate):
            return ChangedCells(self, update)
        return update

    def written(self, pieces: Iterable[Piece], colours: ColorSystem) -> Iterator[Piece]:
        """The parts of these pieces that differ from what is shown; they are shown from now on."""
        for x, y, strip in pieces:
            row = self._rows.setdefault(y, {})
            cells = self._cells(strip, colours)
            for start, end in _runs(cells, row, x):
                yield x + start, y, strip.crop(start, end)
            row.update(enumerate(cells, x))

    def _cells(self, strip: Strip, colours: ColorSystem) -> list[ShownCell]:
        cells: list[ShownCell] = []
        for text, style, _ in strip:
            look = PLAIN if style is None else look_of(style, colours)
            blank = look_of_blanks(look)
            if text.isascii():
                cells.extend((sign, look if sign != " " else blank) for sign in text)
                continue
            for sign in text:
                width = cell_len(sign)
                if width == 0 and cells:  # it is drawn over the sign before it
                    cells[-1] = (cells[-1][0] + sign, cells[-1][1])
                else:
                    cells.append((sign, look if sign != " " else blank))
                    cells.extend([("", look)] * (width - 1))
        return cells


class ChangedCells(CompositorUpdate):
    """An update of which only the cells that differ are written.

    They are compared when they are written: an update that never is changes nothing.
    """

    def __init__(self, frame: TerminalFrame, update: ChopsUpdate | LayoutUpdate) -> None:
        self._frame = frame
        self._update = update

    def render_segments(self, console: Console) -> str:
        """What to write to the terminal."""
        written: list[str] = []
        colours = console._color_system or ColorSystem.TRUECOLOR  # as Strip.render takes it
        update = self._update
        if isinstance(update, LayoutUpdate):
            self._frame.laid_out(update.region.size)
        pieces = _of_lines(update) if isinstance(update, LayoutUpdate) else _of_chops(update)
        pen = Pen()
        for x, y, strip in self._frame.written(pieces, colours):
            written.append(Control.move_to(x, y).segment.text)
            for text, style, _ in strip:
                written.append(pen.text(text, PLAIN if style is None else look_of(style, colours)))
        written.append(pen.lift())
        return "".join(written)


def _of_lines(update: LayoutUpdate) -> Iterator[Piece]:
    for y, strips in enumerate(update.strips, update.region.y):
        yield update.region.x, y, Strip.join(strips)


def _of_chops(update: ChopsUpdate) -> Iterator[Piece]:
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            start, stop = max(x, left), min(end, right)
            if strip is not None and start < stop:
                yield start, y, strip.crop(start - x, stop - x)


def _runs(cells: list[ShownCell], row: dict[int, ShownCell], x: int) -> list[tuple[int, int]]:
    """Runs of cells that differ from those of a row; gaps too short for a jump are filled."""
    differ = [at for at, cell in enumerate(cells) if row.get(x + at) != cell]
    runs: list[tuple[int, int]] = []
    for at in differ:
        if runs and at - runs[-1][1] <= GAP:
            runs[-1] = (runs[-1][0], at + 1)
        else:
            runs.append((at, at + 1))
    return [_whole(cells, start, end) for start, end in runs]


def _whole(cells: list[ShownCell], start: int, end: int) -> tuple[int, int]:
    """A run that cuts no wide sign in two."""
    while start > 0 and not cells[start][0]:
        start -= 1
    while end < len(cells) and not cells[end][0]:
        end += 1
    return start, end
