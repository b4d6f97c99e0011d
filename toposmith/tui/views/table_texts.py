"""What is said above and below a table: cut to the room there is, and read page by page."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from toposmith.documents.table import Note, Row, Table, Tone
from toposmith.text import counted, whole_figures, wrapped
from toposmith.tui.drawing.glyphs import Glyphs

_BELOW_HEAD = 7  # lines of the heading, the gaps, and what is said of the selected row
_MOST_DETAIL = 6
_MOST_FOOT = 3
_BESIDE_ROWS = 3  # lines of the heading and the gaps
_FEWEST_ROWS = 2
_BESIDE_PAGE = 4  # lines of the heading, the gaps, and which of how many lines are shown


@dataclass(frozen=True)
class Room:
    """The room for a table and what is said of it.

    Parameters
    ----------
    width : int
        Cells of a line.
    height : int
        Lines.
    filter_lines : int
        How many of them the filter takes.
    """

    width: int
    height: int
    filter_lines: int = 0


class TableTexts:
    """The lines above a table, and those that are said of its selected row.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to show them with.
    share : int
        One part in so many of the height, at most, goes to what stands above, where the rows need
        the rest. With 0 the table comes first, and the first note of the head stands below it.
    """

    def __init__(self, glyphs: Glyphs, share: int) -> None:
        self._glyphs = glyphs
        self._share = share
        self._head: list[Note] = []
        self._detail: list[Note] = []
        self._foot: list[Note] = []
        self._head_lines = 0
        self._head_cut = False
        self._detail_cut = False
        self._first: int | None = None  # line that a page begins with, where pages are read
        self._after = 0  # the line that the next one begins with

    @property
    def reading(self) -> bool:
        """Whether pages are read in the place of what stands above and below."""
        return self._first is not None

    def turn(self) -> None:
        """Begin to read where something is cut, go on to the next page, or end after the last."""
        if self._first is None:
            self._first = 0 if self._head_cut or self._detail_cut else None
        else:
            self._first = self._after if self._after < len(self._all) else None

    def stop(self) -> None:
        """Read no more pages."""
        self._first = None

    def above(self, table: Table, words: str, shown: int, room: Room) -> list[Note]:
        """What stands above the rows.

        Parameters
        ----------
        table : Table
            What is shown.
        words : str
            What the filter looks for.
        shown : int
            How many rows it lets through.
        room : Room
            The room for all of it.
        """
        texts = [self._wrapped(text, tone, room.width) for text, tone in table.head]
        lines = [line for text in texts for line in text]
        self._head = lines
        said = self._said_of_rows(table, words.strip(), shown, room.width)
        left = room.height - _BELOW_HEAD - shown - len(said) - room.filter_lines
        most = max(room.height // self._share, left, 2) if self._share else _MOST_FOOT
        self._head_cut = len(lines) > most
        if self._head_cut:
            ends = accumulate(map(len, texts))  # a sentence is not cut, unless the first is long
            lines = _begun(lines, max([end for end in ends if end < most], default=most - 1))
        if not self._share:
            self._foot, lines = [*lines, Note("")], []
        lines = [*lines, *said]
        self._head_lines = len(lines)
        return lines

    def below(self, row: Row | None, shown: int, room: Room) -> list[Note]:
        """What is said of the selected row, under so many rows and what stands above them."""
        lines = [
            line
            for text in (row.detail if row else ())
            for line in self._wrapped(text, Tone.PLAIN, room.width)
        ]
        self._detail = lines
        left = room.height - self._beside(room) - min(shown, _FEWEST_ROWS)
        most = max(min(left, _MOST_DETAIL), 1)
        self._detail_cut = len(lines) > most
        return [*self._foot, *(_begun(lines, most - 1) if self._detail_cut else lines)]

    def page(self, room: Room) -> list[Note]:
        """As many lines as there is room for, and which of how many they are."""
        lines = self._all
        many = max(room.height - room.filter_lines - _BESIDE_PAGE, 1)
        first = max(min(self._first or 0, len(lines) - 1), 0)
        self._after = min(first + many, len(lines))
        goes = "goes on" if self._after < len(lines) else "shows the table"
        where = f"lines {first + 1:,} to {self._after:,} of {len(lines):,} (. {goes})"
        return [*lines[first : self._after], Note(where, Tone.DIM)]

    def lines_for_rows(self, room: Room) -> int:
        """Lines left to the rows between what stands above and the most that is said of one."""
        return room.height - self._beside(room) - _MOST_DETAIL

    def _beside(self, room: Room) -> int:
        """Lines that are neither rows nor said of one."""
        return self._head_lines + len(self._foot) + room.filter_lines + _BESIDE_ROWS

    @property
    def _all(self) -> list[Note]:
        """All lines above the table, and all that is said of the selected row."""
        gap = [Note("")] if self._head and self._detail else []
        return [*self._head, *gap, *self._detail]

    def _said_of_rows(self, table: Table, words: str, shown: int, width: int) -> list[Note]:
        """How many rows the filter leaves, and why there are none."""
        found = f"{shown:,} of {len(table.rows):,} lines have {words!r}"
        lines = [Note(self._glyphs.shown(found), Tone.WARNING)] if words else []
        if not table.rows:
            lines += self._wrapped(table.empty, Tone.QUIET, width)
        return lines

    def _wrapped(self, text: str, tone: Tone, width: int) -> list[Note]:
        return [
            Note(line, tone) for line in wrapped(whole_figures(self._glyphs.shown(text)), width)
        ]


def _begun(lines: list[Note], kept: int) -> list[Note]:
    """The first lines, and how many there are more."""
    more = f"and {counted(len(lines) - kept, 'line')} more (.)"
    return [*lines[:kept], Note(more, Tone.DIM)]
