"""The rows of a table view: as many columns as there is room for, each row on one line or more."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import DataTable

from toposmith.documents.table import GAP, Row, Table, Tone, fitting_columns, shown_widths
from toposmith.labels import in_ascii
from toposmith.text import wrapped
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.tones import colour_name
from toposmith.tui.views.table_layout import Arrangement, lines_of_rows


class TableRows(DataTable[Text]):
    """A cursor that is a whole line: Home and End go to the first and the last.

    A right click only goes to a line: what can be done with it is offered then.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to write with.

    Attributes
    ----------
    shown : list of Row
        The rows as they stand.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("home", "scroll_top", "First", show=False),
        Binding("end", "scroll_bottom", "Last", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(cursor_type="row", cell_padding=GAP // 2, classes="table-rows")
        self._glyphs = glyphs
        self.shown: list[Row] = []
        self._table = Table()
        self._widths: dict[int, int] = {}  # by column that is shown
        self._one_cut: dict[int, dict[str, set[str]]] = {}  # by column

    @property
    def selected(self) -> Row | None:
        """The row that the cursor is on."""
        at = self.cursor_row
        return self.shown[at] if 0 <= at < len(self.shown) else None

    @property
    def shown_columns(self) -> list[int]:
        """The columns of the table that there is room for, as they stand."""
        return list(self._widths)

    def write(
        self, table: Table, shown: list[Row], wish: Arrangement, *, width: int, lines: int
    ) -> None:
        """Write rows of a table in the place of those before; the cursor stays on its row.

        Each takes as many lines as its words need, where there is room for that.

        Parameters
        ----------
        table : Table
            What they are rows of.
        shown : list of Row
            Those that are shown, in their order.
        wish : Arrangement
            The order, which the heading says.
        width : int
            Cells of a line.
        lines : int
            Lines that all rows together may take.
        """
        kept = self.selected.key if self.selected else None
        measured = _in_ascii(table) if self._glyphs.ascii_only else table
        self._table, self.shown = table, shown
        self._widths = shown_widths(measured, fitting_columns(measured, width), width)
        self._one_cut = {at: self._by_cut(at) for at in self._widths}
        self.clear(columns=True)
        for at, cells in self._widths.items():
            self.add_column(self._heading(at, wish), width=cells)
        heights = lines_of_rows([self._lines_of(row) for row in shown], lines)
        for row, height in zip(shown, heights, strict=True):
            cells_of_row = (self._cell(row, at, height) for at in self._widths)
            self.add_row(*cells_of_row, key=row.key, height=height)
        places = [number for number, row in enumerate(shown) if row.key == kept]
        if places:
            self.move_cursor(row=places[0])

    def _cut(self, text: str, at: int) -> str:
        """A text in its column, cut where others of it are cut to the same so that they differ."""
        cut = self._glyphs.shortened(text, self._widths[at])
        others = self._one_cut[at].get(cut, {text})
        return self._glyphs.apart(text, others, self._widths[at]) if len(others) > 1 else cut

    def _by_cut(self, at: int) -> dict[str, set[str]]:
        """The texts of a column by what they are cut to."""
        found: dict[str, set[str]] = defaultdict(set)
        for row in self._table.rows:
            text = self._glyphs.shown(row.cells[at].text)
            found[self._glyphs.shortened(text, self._widths[at])].add(text)
        return dict(found)

    def _lines_of(self, row: Row) -> int:
        """Lines that a row takes, where its words go on below one another."""
        wrapping = (at for at in self._widths if self._table.columns[at].wraps)
        return max((len(self._wrapped(row.cells[at].text, at)) for at in wrapping), default=1)

    def _wrapped(self, text: str, at: int) -> list[str]:
        return wrapped(self._glyphs.shown(text), self._widths[at]) or [""]

    def _heading(self, at: int, wish: Arrangement) -> Text:
        column = self._table.columns[at]
        sign = ""
        if wish.column == at:
            sign = self._glyphs.falling if wish.falling else self._glyphs.rising
        width = self._widths[at]
        title = self._glyphs.shortened(self._glyphs.shown(column.title), width - 2 * bool(sign))
        words = f"{title} {sign}".rstrip()
        return Text(words.rjust(width) if column.right else words, style="bold")

    def _cell(self, row: Row, at: int, height: int) -> Text:
        cell, width = row.cells[at], self._widths[at]
        column = self._table.columns[at]
        if column.bar:
            share = cell.order if isinstance(cell.order, float) else None
            bar = "" if share is None else self._glyphs.bar(share, width)
            return Text(bar, style=self._style(cell.tone))
        *above, last = [cell.text]
        if height > 1 and column.wraps:
            lines = self._wrapped(cell.text, at)
            above, last = lines[: height - 1], " ".join(lines[height - 1 :])
        words = "\n".join([*above, self._cut(self._glyphs.shown(last), at)])
        style = self._style(cell.tone)
        return Text(words, style=style, justify="right" if column.right else "left")

    def _style(self, tone: Tone) -> str:
        """The colour of the theme for a tone."""
        return self.app.theme_variables.get(colour_name(tone), "")

    async def _on_click(self, event: events.Click) -> None:
        row = event.style.meta.get("row", -1)
        if event.button == 1:
            return
        event.prevent_default()
        if row >= 0:
            self.move_cursor(row=row)


def _in_ascii(table: Table) -> Table:
    """A table whose signs take as many cells as they do in ASCII."""
    rows = (
        replace(row, cells=tuple(replace(c, text=in_ascii(c.text)) for c in row.cells))
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))
