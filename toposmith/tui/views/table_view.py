"""A view that is a table: sorted, filtered, with the places that each line is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from time import monotonic
from types import new_class
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import DataTable, Input, Static

from toposmith.cancellation import TimeLimit
from toposmith.documents.table import Note, Row, Table, Tone
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.tones import style_of
from toposmith.tui.flows.group_copies import copy_line
from toposmith.tui.views.listing import Listing, On, ViewJob
from toposmith.tui.views.table_layout import Arrangement, arranged, next_column
from toposmith.tui.views.table_rows import TableRows
from toposmith.tui.views.table_texts import Room, TableTexts
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.sidecar.verdict import Review
    from toposmith.tui.figures.shared_figures import Wanted

SECONDS_BETWEEN_TABLES = 1.0
"""Seconds after which what is computed shows what it has found since."""
TIMES_AS_LONG = 10
"""A table is shown so many times as long as writing it took, where that is more."""
_COMPUTING = Table(empty="computing ...")
_FILTER_LINES = 2  # the line and the gap below it


class TableView(View):
    """A listing on the screen: lines above, a filter, the table, what there is to say of a line.

    It keeps what it was asked, what was found, and what is still to come.
    """

    LISTING: ClassVar[Listing]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", show=False),
        Binding("less_than_sign", "order(-1)", "sort by the column before", show=False),
        Binding("greater_than_sign", "order(1)", "sort by the next column", show=False),
        Binding("r", "reverse", "reverse the order", show=False),
        Binding("y", "copy_line", "copy the line", show=False),
        Binding("full_stop", "read_head", "read all that is said", show=False),
    ]

    @dataclass
    class Pointed(Message):
        """Another line is selected; it is about these places."""

        groups: frozenset[str]
        links: frozenset[int]

    @dataclass
    class Chosen(Message):
        """A line was chosen: go to its place."""

        row: Row

    def __init_subclass__(cls, *, listing: Listing, **more: bool) -> None:
        """Give the class its keys and its room: Textual reads both from there."""
        cls.LISTING, cls.NAME = listing, listing.name
        cls.OWN_KEYS, cls.KEYS = listing.own_keys, cls.__dict__.get("KEYS", listing.line)
        cls.BESIDE = listing.beside
        own = (key for key in listing.keys if key.key != "enter")
        keys = [Binding(key.key, f"key('{key.key}')", key.label, show=False) for key in own]
        cls.BINDINGS = [*keys, *cls.__dict__.get("BINDINGS", ())]
        super().__init_subclass__(**more)

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.asked = self.LISTING.begin()
        self.found: Any = None
        self._limit = TimeLimit()
        self._news: Callable[[], object] | None = None
        self._table = _COMPUTING
        self._wish = Arrangement()
        self._texts = TableTexts(glyphs, self.LISTING.head_share)

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

    # What is asked, computed or said

    def ask_for(self, asked: Any) -> None:
        """Ask something else from now on; it is computed anew where that counts."""
        before, self.asked = self.asked, asked
        if self.LISTING.counts(before) != self.LISTING.counts(asked):
            super().forget()
        elif self.found is not None:
            self.show(self.found)
        self._write_title()

    def forget(self) -> None:
        """Another design was opened."""
        self.asked = self.LISTING.begin()
        super().forget()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Compute it for a design, where it is computed; nobody has ended that yet."""
        if self._wanted != replace(wanted, failing=()):
            self._limit, self._news = TimeLimit(), None
        if self.LISTING.said is None:
            super().follow(wanted, catalog)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Find what there is to list."""
        assert self.LISTING.compute is not None
        went = partial(self.went, wanted)
        return self.LISTING.compute(
            ViewJob(wanted, catalog, self.asked, went, self._keep_news, self._limit)
        )

    def show_said(
        self,
        review: Review,
        findings: tuple[Finding, ...] | None,
        design: Design,
        trouble: str,
    ) -> None:
        """Show what reviewers and the engine say, where this lists that."""
        said = self.LISTING.said
        found = said(review, findings, design, trouble) if said is not None else None
        if found is not None and found != self.found:
            self.show(found)

    def _keep_news(self, make: Callable[[], object]) -> None:
        self._news = make

    def _show_news(self, wanted: Wanted) -> None:
        """Show now and then what is found, as long as it is wanted and not all is there."""
        if not self.busy or wanted is not self._wanted or self._limit.ended:
            return
        began = monotonic()
        make, self._news = self._news, None
        if make is not None:
            self.show(make())
        pause = max(SECONDS_BETWEEN_TABLES, TIMES_AS_LONG * (monotonic() - began))
        self.set_timer(pause, partial(self._show_news, wanted))

    def show(self, found: object) -> None:
        """Show what was found, the cursor stays on its line; None from now on as it is found."""
        self.found = found
        if found is None and self.busy and self._wanted is not None and self.LISTING.ends_early:
            self.set_timer(SECONDS_BETWEEN_TABLES, partial(self._show_news, self._wanted))
        self._table = (
            _COMPUTING if found is None else self.LISTING.table(found, self.asked, self._glyphs)
        )
        self._write_title()
        self._fill()
        if self.LISTING.shown is not None:
            self.want(self.LISTING.shown(found))

    def on_mount(self) -> None:
        """Say what it lists."""
        self._write_title()

    def _write_title(self) -> None:
        title = self.LISTING.title
        self.border_title = title if isinstance(title, str) else title(self.asked, self.found)

    def action_key(self, name: str) -> None:
        """Do what a key of the listing does to the selected row."""
        key = next(one for one in self.LISTING.keys if one.key == name)
        row, found, asked = self.selected, self.found, self.asked
        self.want(lambda here: key.do(On(here, row, found, asked)), changes=key.changes)

    def show_trouble(self, trouble: str) -> None:
        """Say why there is no table, nor anything to come."""
        self.found = None
        self._table = Table(empty=trouble)
        self._write_title()
        self._fill()

    def show_progress(self, done: int, of: int) -> None:
        """Draw the progress in place of the head, unless it is being ended."""
        if self._limit.ended:
            return
        if self._table is _COMPUTING or not self.shown_rows:
            bar = self._glyphs.bar(done / of if of else 0, 24)
            self.say_in_head(f"{bar} {done:,} of {of:,}")

    def say_in_head(self, words: str) -> None:
        """Say in place of the head what is being done."""
        self._say_above([Note(words, Tone.ACCENT)])

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
            text = row.text
            self.want(lambda _: copy_line(text))

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
        """Give up the page that is read, the filter, what is computed; then back to the fabric."""
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
        if self.LISTING.ends_early and self.busy and not self._limit.ended:
            self._limit.end()
            self.say_in_head(self.LISTING.ends_early)
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
        if row is None:
            return
        if any(key.key == "enter" for key in self.LISTING.keys):
            self.action_key("enter")
        else:
            self.post_message(self.Chosen(row))

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
            self._say_above(lines)

    def _write_detail(self) -> None:
        room = self._room
        below = self.query_one(".table-detail", Static)
        below.update(_content(self._texts.below(self.selected, len(self.shown_rows), room)))
        if self._texts.reading:
            self._say_above(self._texts.page(room))

    def _say_above(self, lines: list[Note]) -> None:
        head = self.query_one(".table-head", Static)
        head.display = bool(lines)
        head.update(_content(lines))


def _content(lines: list[Note]) -> Content:
    return Content("\n").join(Content.styled(line, style_of(tone)) for line, tone in lines)


@cache
def widget_of(shown: type[View] | Listing) -> type[View]:
    """The class of a view; one is made for a listing, since Textual reads keys from classes."""
    if not isinstance(shown, Listing):
        return shown
    made: type[View] = new_class(f"{shown.name.title()}Table", (TableView,), {"listing": shown})
    return made
