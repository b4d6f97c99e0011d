"""Questions asked in a panel at the bottom, with the canvas and the figures still in sight."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from toposmith.search_words import nearest
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.questions import Choice, Question, matching
from toposmith.tui.visit import Visit, refuse_visitor
from toposmith.tui.widgets.answer_fields import AnswerInput, ChoiceList, HintLine
from toposmith.tui.widgets.path_suggester import PathSuggester

__all__ = ["AnswerInput", "Choice", "ChoiceList", "Question", "QuestionPanel"]

MANY = 6
"""Answers from which letters filter them, where none has a letter of its own."""

MOST_CHOICES = 14
"""Rows of answers that are listed at once, where the panel has so many."""

LONG_ANSWER = 60
"""Signs from which an answer is not offered to be typed over as a whole."""


class QuestionPanel(Vertical):
    """Asks one question at a time; hidden while there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "cancel", show=False)]

    @dataclass
    class Opened(Message):
        """A question is on the screen."""

        keys: tuple[tuple[str, str], ...]

    class Closed(Message):
        """The question is gone."""

    @dataclass
    class Typed(Message):
        """An answer is being typed that has an effect to be shown beforehand."""

        question: Question
        text: str

    def __init__(
        self, glyphs: Glyphs, *, id: str | None = None, visit: Visit | None = None
    ) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._visit = visit
        self._answer: asyncio.Future[str | None] | None = None
        self._question: Question | None = None
        self._choices: dict[str, Choice] = {}
        self._all: Sequence[Choice] = ()
        self._begun_at = ""
        self._hint = ""
        self._wrong = False

    def compose(self) -> ComposeResult:
        """A line to type on with its hint, and a list to choose from."""
        with Horizontal(id="question-line"):
            yield Label("", id="question-label", markup=False)
            yield AnswerInput(id="question-input", compact=True)
        yield HintLine("", id="question-hint", markup=False)
        yield ChoiceList(id="question-choices", markup=False, compact=True)

    def on_mount(self) -> None:
        """Begin hidden."""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether a question is being asked."""
        return self._answer is not None and not self._answer.done()

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the question was cancelled.

        Raises
        ------
        ToposmithError
            Where a visitor would name a file.
        """
        refuse_visitor(self._visit, "files" if question.file else "design")
        self._question = question
        entry = self.query_one("#question-input", AnswerInput)
        self.query_one("#question-label", Label).update(self._glyphs.shown(f"{question.label}: "))
        entry.stepping, entry.lowest, entry.listing = question.number, question.lowest, None
        entry.restrict = None  # a sign that does not belong is shown and said, never dropped
        entry.suggester = PathSuggester() if question.file else None
        with entry.prevent(Input.Changed):
            entry.value = question.value
        self._choices = {}
        self._hint = question.words(question.value)
        self._show(typing=True)
        self.hint(self._hint)
        self.screen.set_focus(entry)
        if len(question.value) > LONG_ANSWER:
            entry.cursor_position = 0  # a long text is read from its beginning
        else:
            entry.action_select_all()
        if question.edit is not None:
            self.post_message(self.Typed(question, question.value))
        steps = (("Up", "+1"), ("Down", "-1")) if question.number and question.value else ()
        return await self._answered((("Enter", "accept"), *steps, ("Esc", "back")))

    async def choose(
        self, title: str, choices: list[Choice], *, look: bool = False, at: str = ""
    ) -> str | None:
        """Let the user choose; returns the choice's id, or None where the question was cancelled.

        Parameters
        ----------
        title : str
            The question.
        choices : list of Choice
            The answers; those with a refusal are shown dim, with the reason.
        look : bool
            Whether the list is mainly there to be read.
        at : str
            The choice to begin at; the first one where it is not among them.
        """
        if len(choices) > MANY and not any(choice.key for choice in choices):
            return await self.find("filter", choices, hint=title, at=at, look=look)
        self._question = None
        listing = self.query_one("#question-choices", ChoiceList)
        listing.letters = {c.key: c.id for c in choices if c.key and not c.refusal}
        self._show(typing=False)
        self._offer(title, choices, at)
        self.screen.set_focus(listing)
        keys = (("Enter", "go there" if look else "choose"), ("Esc", "close" if look else "back"))
        return await self._answered(keys)

    async def find(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        hint: str = "",
        at: str = "",
        look: bool = False,
    ) -> str | None:
        """Let the user choose among many by typing a few letters; None where that was cancelled."""
        self._question = None
        listing = self.query_one("#question-choices", ChoiceList)
        listing.letters = {}
        entry = self.query_one("#question-input", AnswerInput)
        entry.stepping, entry.restrict, entry.suggester = False, None, None
        entry.listing = listing
        self.query_one("#question-label", Label).update(self._glyphs.shown(f"{title}: "))
        with entry.prevent(Input.Changed):
            entry.value = ""
        self._show(typing=True)
        listing.display = True
        self._all, self._begun_at = choices, at
        self._offer(hint or "a few letters find it", choices, at)
        self.screen.set_focus(entry)
        enter = "go there" if look else "choose"
        return await self._answered(
            (("letters", "filter"), ("Enter", enter), ("Up Down", "other"), ("Esc", "back"))
        )

    def _offer(self, hint: str, choices: Sequence[Choice], at: str = "") -> None:
        """List answers below a hint and highlight one."""
        self._hint = hint
        self._choices = {choice.id: choice for choice in choices}
        self.hint(hint)
        listing = self.query_one("#question-choices", ChoiceList)
        listing.clear_options()
        listing.add_options(
            Option(self._choice(choice), choice.id, disabled=bool(choice.refusal))
            for choice in choices
        )
        open_ones = [index for index, choice in enumerate(choices) if not choice.refusal]
        wanted = [index for index in open_ones if choices[index].id == at]
        listing.highlighted = next(iter([*wanted, *open_ones]), None)
        self.call_after_refresh(listing.scroll_to_highlight)  # it has no rows before

    def reword(self, choices: Sequence[Choice]) -> None:
        """Say answers that are listed in other words; what is highlighted stays so."""
        listing = self.query_one("#question-choices", ChoiceList)
        worded = {choice.id: choice for choice in choices}
        self._all = [worded.get(choice.id, choice) for choice in self._all]
        for choice in choices:
            if self._choices.get(choice.id, choice) != choice:
                self._choices[choice.id] = choice
                listing.replace_option_prompt(choice.id, self._choice(choice))

    def hint(self, text: str | Content) -> None:
        """Say something about the question."""
        shown = text if isinstance(text, Content) else Content(self._glyphs.shown(text))
        hint = self.query_one("#question-hint", Static)
        hint.update(shown)
        hint.display = bool(shown.plain)

    @on(HintLine.Grown)
    def on_resize(self) -> None:
        """Give the answers the rows that are left now."""
        self.call_after_refresh(self._make_room)

    def _make_room(self) -> None:
        """List no more answers than the panel shows, and the one under the cursor among them."""
        listing = self.query_one("#question-choices", ChoiceList)
        if not listing.display:
            return
        above = (self.query_one(name) for name in ("#question-line", "#question-hint"))
        taken = sum(widget.outer_size.height for widget in above if widget.display)
        # the panel is at most half of the screen, by its style
        most = self.screen.size.height // 2 - self.gutter.height - taken
        rows = max(1, min(most, MOST_CHOICES))
        if listing.styles.max_height is None or listing.styles.max_height.value != rows:
            listing.styles.max_height = rows

    def show_effect(self, words: str, *, worse: bool = False) -> None:
        """Say what the answer would give, for the better or worse, and the question's own hint."""
        if self._wrong:  # it is of an answer that was typed before
            return
        gap = "   " if words and self._hint else ""
        effect = (
            self._glyphs.shown(words),
            f"bold {'$text-warning' if worse else '$text-success'}",
        )
        own = self._glyphs.shown(self._hint)
        if self._choices:  # a list keeps its title in its place
            self.hint(Content.assemble(own, gap, effect))
        else:
            self.hint(Content.assemble(effect, (gap + own, "$text-muted")))

    def show_refusal(self, reason: str) -> None:
        """Say that the answer would be refused, and why."""
        if not self._wrong:
            self._complain(f"would be refused: {reason}")

    def action_cancel(self) -> None:
        """Go back without an answer."""
        self._resolve(None)

    def _choice(self, choice: Choice) -> Content:
        shown = self._glyphs.shown
        key = f"{choice.key}  " if choice.key else ""
        if choice.refusal:
            return Content(
                f"{key}{shown(choice.text)}  {self._glyphs.dash} {shown(choice.refusal)}"
            )
        return Content.assemble((key, "bold $text-accent"), (shown(choice.text), choice.style))

    def _show(self, *, typing: bool) -> None:
        self.query_one("#question-line").display = typing
        self.query_one("#question-choices").display = not typing
        self.display = True

    async def _answered(self, keys: tuple[tuple[str, str], ...]) -> str | None:
        self._wrong = False
        if self._answer is not None and not self._answer.done():
            self._answer.cancel()
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._answer = answer
        self.post_message(self.Opened(keys))
        try:
            return await answer
        finally:
            if self._answer is answer:
                self._answer = None
                self._release()
                self.display = False
                self.post_message(self.Closed())

    def _resolve(self, text: str | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(text)
            self._release()

    def _release(self) -> None:
        """Let the keys go nowhere: who takes them next, as a filter that is asked for, has them."""
        if self.has_focus_within:
            self.screen.set_focus(None)

    @on(Input.Changed, "#question-input")
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        question = self._question
        if question is None:
            found = matching(self._all, event.value)
            self._offer(self._hint, found, "" if event.value else self._begun_at)
            self._wrong = not found  # an effect of before does not hide the words
            if not found:
                near = nearest(event.value, (one.text for one in self._all))
                self._complain(f"nothing here has {event.value!r}{near}")
            return
        complaint = question.check(event.value) if question.check and event.value else ""
        self._wrong = bool(complaint)
        if complaint:
            self._complain(complaint)
            return
        self._hint = question.words(event.value) if event.value else question.hint
        if question.edit is not None and event.value:
            self.post_message(self.Typed(question, event.value))
        else:
            self.hint(self._hint)

    @on(Input.Submitted, "#question-input")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        question = self._question
        if question is None:
            at = self.query_one("#question-choices", ChoiceList).highlighted_option
            if at is not None and not at.disabled:
                self._resolve(at.id)
            return
        text = event.value.strip()
        complaint = question.check(text) if question.check else ""
        if complaint:
            self._complain(complaint)
        else:
            self._resolve(text)

    @on(OptionList.OptionSelected, "#question-choices")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._resolve(event.option_id)

    @on(OptionList.OptionHighlighted, "#question-choices")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show what an answer would do while it is highlighted."""
        event.stop()
        choice = self._choices.get(event.option_id or "")
        if choice is None or not self.is_open:
            return
        make = choice.edit
        if make is not None:
            question = Question(self._hint, edit=lambda _: make())
            self.post_message(self.Typed(question, choice.id))
        elif any(other.edit is not None for other in self._choices.values()):
            self.post_message(self.Typed(Question(self._hint), choice.id))
            self.hint(self._hint)

    @on(ChoiceList.Picked)
    def _picked(self, event: ChoiceList.Picked) -> None:
        event.stop()
        self._resolve(event.choice_id)

    def _complain(self, complaint: str) -> None:
        mark = f"{self._glyphs.warning} "
        self.hint(Content.assemble((mark, "bold $text-warning"), self._glyphs.shown(complaint)))
