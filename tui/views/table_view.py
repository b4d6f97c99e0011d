"""A view that is a table: sorted, filtered, with the places that each line is about."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable, Input, Static

from toposmith.text import counted
from toposmith.text_lines import whole_figures, wrapped
from toposmith.topology.labels import in_ascii
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.flows.group_copies import copy_text
from toposmith.tui.views.table import (
    GAP,
    Arrangement,
    Row,
    Table,
    arranged,
    fitting_columns,
    most_lines,
    next_column,
    shown_widths,
)
from toposmith.tui.views.table_rows import TableRows
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer, Flow

_COMPUTING = Table(empty="computing ...")
_BELOW_HEAD = 7  # lines of the heading, the gaps, and what is said of the selected row
_MOST_DETAIL = 6
_FEWEST_ROWS = 2
_FILTER_LINES = 2  # the line and the gap below it


class TableView(View):
    """Lines above, a filter, the table, and what there is to say of the selected line."""

    WIDE = True
    BESIDE = True
    HEAD_SHARE: ClassVar[int] = 3
    """One part in so many of the height, at most, goes to what is shown above the table."""
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("/", "filter"),
        ("<", "sort by"),
        (">", "sort by"),
        ("r", "reverse"),
        ("Enter", "go there"),
        ("Esc", "fabric"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", show=False),
        Binding("less_than_sign", "order(-1)", "sort by the column before", show=False),
        Binding("greater_than_sign", "order(1)", "sort by the next column", show=False),
        Binding("r", "reverse", "reverse the order", show=False),
        Binding("y", "copy_line", "copy the line", show=False),
        Binding("full_stop", "read_head", "read all that is said", show=False),
    ]

    class Pointed(Message):
        """Another line is selected; it is about these places."""

        def __init__(self, groups: frozenset[str], links: frozenset[int]) -> None:
            self.groups = groups
            self.links = links
            super().__init__()

    class Chosen(Message):
        """A line was chosen: go to its place."""

        def __init__(self, view: TableView, row: Row) -> None:
            self.view = view
            self.row = row
            super().__init__()

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._table = _COMPUTING
        self._wish = Arrangement()
        self._shown: list[Row] = []
        self._columns: list[int] = []
        self._widths: dict[int, int] = {}
        self._head_lines = 0
        self._head: list[Content] = []
        self._detail: list[Content] = []
        self._cut: set[str] = set()  # what has lines that there is no room for
        self._first: int | None = None  # line that a page begins with, where pages are read
        self._after = 0  # the line that the next one begins with

    def compose(self) -> ComposeResult:
        """Head, filter, table and detail."""
        yield Static("", classes="table-head")
        yield Input(placeholder="words to look for", classes="table-filter", compact=True)
        yield TableRows(cursor_type="row", cell_padding=GAP // 2, classes="table-rows")
        yield Static("", classes="table-detail")

    @property
    def table(self) -> Table:
        """What is shown."""
        return self._table

    @property
    def columns(self) -> int:
        """Cells of a line of the table."""
        return self.content_size.width

    @property
    def shown_rows(self) -> list[Row]:
        """The rows that the filter lets through, in the order on the screen."""
        return self._shown

    @property
    def selected(self) -> Row | None:
        """The line that the cursor is on."""
        at = self._rows.cursor_row
        return self._shown[at] if 0 <= at < len(self._shown) else None

    def table_of(self, found: object) -> Table:
        """The table that shows what was computed."""
        raise NotImplementedError

    def choose(self, row: Row) -> bool:
        """Go where a line leads, if that is another place than its group; whether it did."""
        return False

    def show(self, found: object) -> None:
        """Show a table; the cursor stays on its line."""
        self._table = self.table_of(found) if found is not None else _COMPUTING
        self._fill()

    def show_trouble(self, trouble: str) -> None:
        """Say why there is no table."""
        self._table = Table(empty=trouble)
        self._fill()

    def show_progress(self, done: int, of: int) -> None:
        """Draw the progress in place of the head."""
        if self._table is _COMPUTING or not self._shown:
            bar = self._glyphs.bar(done / of if of else 0, 24)
            words = f"{bar} {done:,} of {of:,}"
            self.say_in_head(words)

    def say_in_head(self, words: str) -> None:
        """Say in place of the head what is being done."""
        self.query_one(".table-head", Static).update(Content.styled(words, "$text-accent"))

    def take_focus(self) -> None:
        """Let the keys go to the table."""
        self._rows.focus()
        self._point()

    def on_resize(self) -> None:
        """Choose again which columns there is room for."""
        self._fill()

    def action_filter(self) -> None:
        """Type words that the lines must have."""
        words = self.query_one(Input)
        words.display = True
        words.focus()

    def action_order(self, by: int) -> None:
        """Sort by another column."""
        column = next_column(self._columns, self._wish.column, by)
        self._wish = Arrangement(column, False, self._wish.words)
        self._fill()

    def action_reverse(self) -> None:
        """Reverse the order."""
        wish = self._wish
        self._wish = Arrangement(wish.column, not wish.falling, wish.words)
        self._fill()

    def action_copy_line(self) -> None:
        """Copy the line under the cursor as text, whole, however little room there is."""
        row = self.selected
        if row is not None:
            self.want(partial(_copy_line, row.text))

    def action_read_head(self) -> None:
        """Read what is above and below the table, page by page; then the table again."""
        if self._first is None:
            self._turn_to(0 if self._cut else None)
        else:
            self._turn_to(self._after if self._after < len(self._said) else None)

    def _turn_to(self, first: int | None) -> None:
        self._first = first
        self.query_one(".table-detail", Static).display = first is None
        self._write_head(self.columns)
        self._write_detail()

    @property
    def _said(self) -> list[Content]:
        """All lines above the table, and all that is said of the selected row."""
        gap = [Content("")] if self._head and self._detail else []
        return [*self._head, *gap, *self._detail]

    def _write_page(self, first: int) -> None:
        """As many lines as there is room for, and which of how many they are."""
        said, static = self._said, self.query_one(".table-head", Static)
        room = max(self.content_size.height - self._filter_lines - 4, 1)
        first = max(min(first, len(said) - 1), 0)
        self._after = min(first + room, len(said))
        goes = "goes on" if self._after < len(said) else "shows the table"
        where = f"lines {first + 1:,} to {self._after:,} of {len(said):,} (. {goes})"
        lines = [*said[first : self._after], Content.styled(where, "$text-disabled")]
        static.update(Content("\n").join(lines))
        static.display = True

    @property
    def _filter_lines(self) -> int:
        return _FILTER_LINES if self.query_one(Input).display else 0

    def action_leave(self) -> None:
        """Give up the page that is read, or the filter, then go back to the fabric."""
        if self._first is not None:
            self._turn_to(None)
            return
        words = self.query_one(Input)
        if words.display:
            words.value = ""
            words.display = False
            self.take_focus()
            return
        super().action_leave()

    @on(Input.Changed)
    def _words_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._wish = Arrangement(self._wish.column, self._wish.falling, event.value)
        self._fill()

    @on(Input.Submitted)
    def _words_done(self, event: Input.Submitted) -> None:
        event.stop()
        self.take_focus()

    @on(DataTable.HeaderSelected)
    def _header_clicked(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        column = self._columns[event.column_index]
        falling = self._wish.column == column and not self._wish.falling
        self._wish = Arrangement(column, falling, self._wish.words)
        self._fill()

    @on(DataTable.RowHighlighted)
    def _row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        self._write_detail()
        if self.has_focus_within:
            self._point()

    @on(DataTable.RowSelected)
    def _row_selected(self, event: DataTable.RowSelected) -> None:
        event.stop()
        row = self.selected
        if row is not None:
            self.post_message(self.Chosen(self, row))

    def _point(self) -> None:
        """Say what the selected line is about."""
        row = self.selected
        if row is not None:
            self.post_message(self.Pointed(row.groups, row.links))

    @property
    def _rows(self) -> TableRows:
        return self.query_one(TableRows)

    def _fill(self) -> None:
        """Write the table anew; nothing where there is no room yet."""
        width = self.columns
        if not self.is_mounted or not width:
            return
        kept = self.selected.key if self.selected else None
        table = self._table
        measured = _in_ascii(table) if self._glyphs.ascii_only else table
        self._columns = fitting_columns(measured, width - 1)
        self._widths = shown_widths(measured, self._columns, width - 1)
        self._shown = arranged(table, self._wish)
        rows = self._rows
        rows.clear(columns=True)
        for at in self._columns:
            rows.add_column(self._heading(at), width=self._widths[at])
        self._write_head(width)
        self._write_rows()
        places = [number for number, row in enumerate(self._shown) if row.key == kept]
        if places:
            rows.move_cursor(row=places[0])
        self._write_detail()

    def _write_rows(self) -> None:
        """Write the rows, each with as many lines as it needs where there is room for all."""
        needed = [self._lines_of(row) for row in self._shown]
        room = self.content_size.height - self._head_lines - _BELOW_HEAD
        most = most_lines(needed, room)
        for row, lines in zip(self._shown, needed, strict=True):
            height = min(lines, most)
            cells = (self._cell(row, at, height) for at in self._columns)
            self._rows.add_row(*cells, key=row.key, height=height)

    def _lines_of(self, row: Row) -> int:
        """Lines that a row takes, where its words wrap."""
        wrapping = (at for at in self._columns if self._table.columns[at].wraps)
        return max((len(self._wrapped(row.cells[at].text, at)) for at in wrapping), default=1)

    def _wrapped(self, text: str, at: int) -> list[str]:
        return wrapped(self._glyphs.shown(text), self._widths[at]) or [""]

    def _heading(self, at: int) -> Text:
        column = self._table.columns[at]
        sign = ""
        if self._wish.column == at:
            sign = self._glyphs.falling if self._wish.falling else self._glyphs.rising
        width = self._widths[at]
        title = self._glyphs.shortened(self._glyphs.shown(column.title), width - 2 * bool(sign))
        words = f"{title} {sign}".rstrip()
        return Text(words.rjust(width) if column.right else words, style="bold")

    def _cell(self, row: Row, at: int, height: int) -> Text:
        cell, width = row.cells[at], self._widths[at]
        *above, last = [cell.text]
        if height > 1 and self._table.columns[at].wraps:
            lines = self._wrapped(cell.text, at)
            above, last = lines[: height - 1], " ".join(lines[height - 1 :])
        words = "\n".join([*above, self._glyphs.shortened(self._glyphs.shown(last), width)])
        style = self.app.theme_variables.get(cell.style, "") if cell.style else ""
        right = self._table.columns[at].right
        return Text(words, style=style, justify="right" if right else "left")

    def _write_head(self, width: int) -> None:
        texts = [
            [
                Content.styled(line, style)
                for line in wrapped(whole_figures(self._glyphs.shown(text)), width)
            ]
            for text, style in self._table.head
        ]
        lines = [line for text in texts for line in text]
        self._head, height = lines, self.content_size.height
        said = self._said_of_rows(width)
        taken = len(said) + self._filter_lines
        room = max(height // self.HEAD_SHARE, height - _BELOW_HEAD - len(self._shown) - taken, 2)
        self._cut.discard("head")
        if len(lines) > room:
            self._cut.add("head")
            ends = accumulate(map(len, texts))  # a sentence is not cut, unless the first is long
            kept = max([end for end in ends if end < room], default=room - 1)
            lines = _begun(lines, kept)
        lines = [*lines, *said]
        self._head_lines = len(lines)
        if self._first is None:
            self.query_one(".table-head", Static).update(Content("\n").join(lines))

    def _said_of_rows(self, width: int) -> list[Content]:
        """How many rows the filter leaves, and why there are none."""
        lines = []
        words = self._wish.words.strip()
        if words:
            found = f"{len(self._shown):,} of {len(self._table.rows):,} lines have {words!r}"
            lines.append(Content.styled(self._glyphs.shown(found), "$text-warning"))
        if not self._table.rows:
            lines += [
                Content.styled(line, "$text-muted")
                for line in wrapped(self._glyphs.shown(self._table.empty), width)
            ]
        return lines

    def _write_detail(self) -> None:
        row = self.selected
        width = self.columns
        lines = [
            Content(line)
            for text in (row.detail if row else ())
            for line in wrapped(whole_figures(self._glyphs.shown(text)), width)
        ]
        self._detail = lines
        above = self._head_lines + 1 + self._filter_lines
        left = self.content_size.height - above - 2 - min(len(self._shown), _FEWEST_ROWS)
        room = max(min(left, _MOST_DETAIL), 1)
        self._cut.discard("detail")
        if len(lines) > room:
            self._cut.add("detail")
            lines = _begun(lines, room - 1)
        self.query_one(".table-detail", Static).update(Content("\n").join(lines))
        if self._first is not None:
            self._write_page(self._first)


def _begun(lines: list[Content], kept: int) -> list[Content]:
    """The first lines, and how many there are more."""
    more = f"and {counted(len(lines) - kept, 'line')} more (.)"
    return [*lines[:kept], Content.styled(more, "$text-disabled")]


def _copy_line(text: str, designer: Designer) -> Flow:
    return copy_text(designer, "the line", text)


def _in_ascii(table: Table) -> Table:
    """A table whose signs take as many cells as they do in ASCII."""
    rows = (
        replace(row, cells=tuple(replace(c, text=in_ascii(c.text)) for c in row.cells))
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))
