"""The catalog at hand: a filter, the parts by kind, and the card of the one under the cursor."""

from __future__ import annotations

from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from catalog import AnyPart, Catalog
from catalog.card import one_line, part_card
from tui.glyphs import Glyphs
from tui.part_search import KIND_TITLES, find_parts


class PartList(OptionList):
    """The parts that match; a click moves the cursor, a double click chooses."""

    class DoubleClicked(Message):
        """The part under the cursor was clicked twice."""

    async def _on_click(self, event: events.Click) -> None:
        event.prevent_default()  # the list itself would choose on a single click
        clicked = event.style.meta.get("option")
        if clicked is None or self.get_option_at_index(clicked).disabled:
            return
        self.highlighted = clicked
        if event.chain >= 2:
            self.post_message(self.DoubleClicked())


class PartsPanel(Vertical):
    """Parts to choose from."""

    BORDER_TITLE = "Parts"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "back", show=False)]

    class Chosen(Message):
        """A part was chosen to be put on the canvas."""

        def __init__(self, part: AnyPart) -> None:
            self.part = part
            super().__init__()

    class Left(Message):
        """The person went back to the canvas without choosing."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._catalog: Catalog | None = None
        self._found: dict[str, AnyPart] = {}
        self._width = 0

    def compose(self) -> ComposeResult:
        """Filter above, list in the middle, card below."""
        yield Input(
            placeholder="/ to filter", id="part-filter", compact=True, select_on_focus=False
        )
        yield PartList(id="part-list", markup=False, compact=True)
        with VerticalScroll(id="part-card-area", can_focus=True):
            yield Static("", id="part-card")

    def show(self, catalog: Catalog) -> None:
        """Show the parts of a catalog."""
        self._catalog = catalog
        self._fill()

    def show_part(self, part_id: str) -> None:
        """Put the cursor on a part and show its card."""
        if self._catalog is None or part_id not in self._catalog:
            return
        if part_id not in self._found:
            self.query_one("#part-filter", Input).value = ""
            self._fill()
        self._move_to(part_id)
        self.query_one("#part-card-area", VerticalScroll).focus()

    def focus_list(self) -> None:
        """Let the arrows move over the parts."""
        self.screen.set_focus(self._list)

    def focus_filter(self) -> None:
        """Let the keys filter the parts."""
        self.screen.set_focus(self.query_one("#part-filter", Input))

    def action_leave(self) -> None:
        """Clear the filter, or go back to the canvas."""
        entry = self.query_one("#part-filter", Input)
        if entry.value:
            entry.value = ""
            self.focus_list()
        else:
            self.post_message(self.Left())

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines out for the new width."""
        if self.size.width != self._width:
            self._width = self.size.width
            self._fill()

    @on(Input.Changed, "#part-filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    @on(Input.Submitted, "#part-filter")
    def _filter_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.focus_list()

    @on(events.Key)
    def _move_between(self, event: events.Key) -> None:
        """Down leaves the filter for the list; a letter typed on the list goes to the filter."""
        entry = self.query_one("#part-filter", Input)
        if event.key == "down" and entry.has_focus:
            event.stop()
            self.focus_list()
        elif self._list.has_focus and event.character and event.character.isalnum():
            event.stop()
            event.prevent_default()
            self.focus_filter()
            entry.insert_text_at_cursor(event.character)

    @on(OptionList.OptionHighlighted, "#part-list")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        part = self._found.get(event.option_id or "")
        if part is not None:
            self._show_card(part)

    @on(OptionList.OptionSelected, "#part-list")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_id)

    @on(PartList.DoubleClicked)
    def _double_clicked(self, event: PartList.DoubleClicked) -> None:
        event.stop()
        option = self._list.highlighted_option
        self._choose(option.id if option else None)

    @property
    def _list(self) -> PartList:
        return self.query_one("#part-list", PartList)

    def _choose(self, part_id: str | None) -> None:
        part = self._found.get(part_id or "")
        if part is not None:
            self.query_one("#part-filter", Input).value = ""
            self.post_message(self.Chosen(part))

    def _fill(self) -> None:
        if self._catalog is None or not self.is_mounted:
            return
        before = self._list.highlighted_option
        wanted = self.query_one("#part-filter", Input).value
        found = find_parts(self._catalog, wanted)
        self._found = {part.id: part for part in found}
        width = self._list.scrollable_content_region.width - 2
        options: list[Option] = []
        kind = ""
        for part in found:
            if part.kind != kind:
                kind = part.kind
                heading = Content.styled(f"{self._glyphs.open} {KIND_TITLES[kind]}", "bold")
                options.append(Option(heading, disabled=True))
            options.append(Option(self._line(part, width), id=part.id))
        self._list.clear_options()
        self._list.add_options(options)
        if not found:
            self._list.add_option(Option("no part matches", disabled=True))
            self.query_one("#part-card", Static).update("")
            return
        kept = before.id if before and before.id in self._found else found[0].id
        self._move_to(kept)

    def _move_to(self, part_id: str | None) -> None:
        self._list.highlighted = self._list.get_option_index(part_id or "")

    def _line(self, part: AnyPart, width: int) -> Content:
        """Name and facts on one line where they fit; else as many facts as do, below the name."""
        name = self._glyphs.shown(part.name)
        facts = self._glyphs.shown(one_line(part, self._catalog))
        if len(name) + 2 + len(facts) <= width:
            gap = " " * (width - len(name) - len(facts))
            return Content.assemble(name, gap, (facts, "$text-muted"))
        clauses = facts.split(", ")
        while len(clauses) > 1 and len(", ".join(clauses)) + 2 > width:
            clauses.pop()
        below = self._glyphs.shortened(", ".join(clauses), max(width - 2, 8))
        return Content.assemble(name, "\n  ", (below, "$text-muted"))

    def _show_card(self, part: AnyPart) -> None:
        assert self._catalog is not None
        lines: list[Content] = []
        for label, value, source in part_card(part, self._catalog):
            shown = self._glyphs.shown
            lines.append(Content.assemble((f"{shown(label)}: ", "$text-accent"), shown(value)))
            if source:
                lines.append(Content.styled(f"  {shown(source)}", "$text-muted"))
        self.query_one("#part-card", Static).update(Content("\n").join(lines))
        self.query_one("#part-card-area", VerticalScroll).scroll_home(animate=False)
