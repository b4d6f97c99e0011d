"""The catalog: a filter, the parts by kind, and the card of the one under the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from toposmith.catalog import Catalog, Part
from toposmith.catalog.kinds import KINDS
from toposmith.catalog.search import Order, find_parts, newest_first
from toposmith.search_words import nearest
from toposmith.text import counted
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.pages.card_page import fit_content, narrow_card
from toposmith.tui.parts.fits import Fit, Judge, rank_of
from toposmith.tui.parts.part_lines import part_line

FIT_COUNTS = 10
"""How a part fits counts for more than how new it is."""


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
        if event.button == 1 and event.chain >= 2:
            self.post_message(self.DoubleClicked())


class PartsPanel(Vertical):
    """Parts to choose from; what fits the selection comes first, what does not says why."""

    BORDER_TITLE = "Parts"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "back", show=False),
        Binding("right", "open_card", "full card", show=False),
        Binding("space", "mark", "mark", show=False),
        Binding("equals_sign", "compare", "compare", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """A part was chosen to be put on the canvas."""

        part: Part

    @dataclass
    class Opened(Message):
        """The full card of a part is wanted."""

        part: Part

    @dataclass
    class Marked(Message):
        """A part was marked for a comparison, or, with None, none is any longer."""

        part: Part | None

    class CompareWanted(Message):
        """The marked part is wanted beside the one under the cursor."""

    class Left(Message):
        """The user went back to the canvas without choosing."""

    class Approached(Message):
        """The keys or the pointer come to the parts: time to say what fits."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._catalog: Catalog | None = None
        self._older: Order = lambda _: 0
        self._found: dict[str, Part] = {}
        self._fits: dict[str, Fit | None] = {}
        self._where = ""
        self._marked = ""
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
        self._older = newest_first(catalog)
        self._fits = {}
        faults = len(catalog.faults)
        words = f"{self._glyphs.warning} {counted(faults, 'fault')} in part files (f)"
        self.border_subtitle = Content(words) if faults else ""
        self._fill()

    def judge_by(self, judge: Judge | None, where: str) -> None:
        """Order the parts by how they fit what is selected; ``where`` names that."""
        if self._catalog is None:
            return
        fits = {} if judge is None else {part.id: judge(part) for part in self._catalog}
        if (fits, where) == (self._fits, self._where):
            return
        same = fits == self._fits
        self._fits, self._where = fits, where
        if same:
            self._show_card(self.current)
        else:
            self._fill(stay=False)

    def show_in_use(self, part: Part) -> None:
        """Show the card of a part that is selected on the canvas, while the list is not used."""
        if not self.has_focus_within:
            self._show_card(part)

    def fit_of(self, part: Part) -> Content | None:
        """How a part fits what is selected, in words; None where it has nothing to do with it."""
        return fit_content(self._fits.get(part.id), self._glyphs, self._where)

    @property
    def current(self) -> Part | None:
        """The part under the cursor."""
        option = self._list.highlighted_option
        return self._found.get(option.id or "") if option else None

    @property
    def marked(self) -> Part | None:
        """The part that is marked for a comparison."""
        return self._catalog.get(self._marked) if self._catalog else None

    def mark(self, part: Part | None) -> None:
        """Mark a part for a comparison, or with None take the mark away."""
        self._marked = part.id if part is not None else ""
        self._fill()

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

    def action_open_card(self) -> None:
        """Show the full card of the part under the cursor."""
        if self.current is not None:
            self.post_message(self.Opened(self.current))

    def action_mark(self) -> None:
        """Mark the part under the cursor, or take its mark away."""
        part = self.current
        if part is not None:
            self.mark(None if part.id == self._marked else part)
            self.post_message(self.Marked(self.marked))

    def action_compare(self) -> None:
        """Compare the marked part with the one under the cursor."""
        self.post_message(self.CompareWanted())

    @on(events.Enter)
    @on(events.DescendantFocus)
    def _approached(self) -> None:
        self.post_message(self.Approached())

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the lines for the new width."""
        if self.size.width not in (0, self._width):
            self._width = self.size.width
            self._fill()

    @on(Input.Changed, "#part-filter")
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill(stay=not event.value)  # Enter takes the likeliest

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
        self._show_card(self._found.get(event.option_id or ""))

    @on(OptionList.OptionSelected, "#part-list")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_id)

    @on(PartList.DoubleClicked)
    def _double_clicked(self, event: PartList.DoubleClicked) -> None:
        event.stop()
        option = self._list.highlighted_option
        self._choose(option.id if option else None)

    @on(events.Click, "#part-card-area")
    def _card_clicked(self, event: events.Click) -> None:
        if event.button == 1 and event.chain >= 2:
            self.action_open_card()

    @property
    def _list(self) -> PartList:
        return self.query_one("#part-list", PartList)

    def _choose(self, part_id: str | None) -> None:
        part = self._found.get(part_id or "")
        if part is not None:
            self.query_one("#part-filter", Input).value = ""
            self.post_message(self.Chosen(part))

    def _fill(self, *, stay: bool = True) -> None:
        """Fill the list anew; the cursor stays at its part where that is wanted and possible."""
        if self._catalog is None:
            return
        if not self.size.width:  # a hidden panel is filled when it comes back
            self._width = 0
            return
        before = self.current
        wanted = self.query_one("#part-filter", Input).value
        found = find_parts(self._catalog, wanted, self._worse if wanted.strip() else self._rank)
        self._found = {part.id: part for part in found}
        width = self._list.scrollable_content_region.width - 2
        options: list[Option] = []
        kind = ""
        for part in found:
            if part.kind != kind:
                kind = part.kind
                heading = Content.styled(f"{self._glyphs.open} {KINDS[kind].title}", "bold")
                options.append(Option(heading, disabled=True))
            fit, marked = self._fits.get(part.id), part.id == self._marked
            line = part_line(part, self._catalog, self._glyphs, width, fit, marked=marked)
            options.append(Option(line, id=part.id))
        self._list.clear_options()
        self._list.add_options(options)
        if not found:
            near = nearest(wanted, (part.name for part in self._catalog))
            self._list.add_option(Option(f"no part matches{near}", disabled=True))
            self._show_card(None)
            return
        kept = before.id if stay and before and before.id in self._found else found[0].id
        self._list.highlighted = self._list.get_option_index(kept)

    def _rank(self, part: Part) -> float:
        """The place of a part among others where nothing is asked for: what fits best is first."""
        fits = rank_of(self._fits.get(part.id)) if self._fits else 0
        return FIT_COUNTS * fits + self._older(part)

    def _worse(self, part: Part) -> float:
        """Whether a part comes behind others that were asked for: only where it does not fit."""
        fit = self._fits.get(part.id)
        return 1 if fit is not None and fit.refusal else 0

    def _show_card(self, part: Part | None) -> None:
        if part is None or self._catalog is None:
            self.query_one("#part-card", Static).update("")
            return
        card = narrow_card(part, self._catalog, self._glyphs)
        fit = self.fit_of(part)
        content = card if fit is None else Content("\n").join([fit, card])
        self.query_one("#part-card", Static).update(content)
        self.query_one("#part-card-area", VerticalScroll).scroll_home(animate=False)
