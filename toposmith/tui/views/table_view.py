"""A view that is a table: sorted, filtered, with the places that each line is about."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable, Input, Static

from toposmith.documents.table import Note, Row, Table, Tone
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.tones import style_of
from toposmith.tui.flows.group_copies import copy_line
from toposmith.tui.views.table_layout import Arrangement, arranged, next_column
from toposmith.tui.views.table_rows import TableRows
from toposmith.tui.views.table_texts import Room, TableTexts
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer, Flow

_COMPUTING = Table(empty="computing ...")
_FILTER_LINES = 2  # the line and the gap below it


class TableView(View):
    """Lines above, a filter, the table, and what there is to say of the selected line."""

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

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._table = _COMPUTING
        self._wish = Arrangement()
        self._texts = TableTexts(glyphs, self.HEAD_SHARE)

    def compose(self) -> ComposeResult:
        """Head, filter, table and detail."""
        yield Static("", classes="table-head")
        yield Input(placeholder="words to look for", classes="table-filter", compact=True)
        yield TableRows(self._glyphs)
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
        return self._rows.shown

    @property
    def selected(self) -> Row | None:
        """The line that the cursor is on."""
        return self._rows.selected

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
        if self._table is _COMPUTING or not self.shown_rows:
            bar = self._glyphs.bar(done / of if of else 0, 24)
            words = f"{bar} {done:,} of {of:,}"
            self.say_in_head(words)

    def say_in_head(self, words: str) -> None:
        """Say in place of the head what is being done."""
        self.query_one(".table-head", Static).update(Content.styled(words, style_of(Tone.ACCENT)))

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
        column = next_column(self._rows.shown_columns, self._wish.column, by)
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
        self._texts.turn()
        self._write_texts()

    def _write_texts(self) -> None:
        """Write what is said above and below anew: a page of it, where pages are read."""
        self.query_one(".table-detail", Static).display = not self._texts.reading
        self._write_head(len(self.shown_rows))
        self._write_detail()

    @property
    def _room(self) -> Room:
        filtered = _FILTER_LINES if self.query_one(Input).display else 0
        return Room(self.columns, self.content_size.height, filtered)

    def action_leave(self) -> None:
        """Give up the page that is read, or the filter, then go back to the fabric."""
        if self._texts.reading:
            self._texts.stop()
            self._write_texts()
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
        column = self._rows.shown_columns[event.column_index]
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
        if not self.is_mounted or not self.columns:
            return
        rows = arranged(self._table, self._wish)
        self._write_head(len(rows))
        room = self._room
        lines = self._texts.lines_for_rows(room)
        self._rows.write(self._table, rows, self._wish, width=room.width - 1, lines=lines)
        self._write_detail()

    def _write_head(self, shown: int) -> None:
        lines = self._texts.above(self._table, self._wish.words, shown, self._room)
        if not self._texts.reading:
            self.query_one(".table-head", Static).update(_content(lines))

    def _write_detail(self) -> None:
        room = self._room
        lines = self._texts.below(self.selected, len(self.shown_rows), room)
        self.query_one(".table-detail", Static).update(_content(lines))
        if self._texts.reading:
            page = self.query_one(".table-head", Static)
            page.update(_content(self._texts.page(room)))
            page.display = True


def _content(lines: list[Note]) -> Content:
    return Content("\n").join(Content.styled(line, style_of(tone)) for line, tone in lines)


def _copy_line(text: str, designer: Designer) -> Flow:
    return copy_line(designer, text)
