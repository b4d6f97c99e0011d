"""Questions asked in a panel at the bottom, with the canvas and the figures still in sight."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from topology.design.edits import Edit
from tui.glyphs import Glyphs

LONG_ANSWER = 60
"""Signs from which an answer is not offered to be typed over as a whole."""


@dataclass(frozen=True)
class Question:
    """Something to be typed.

    Parameters
    ----------
    label : str
        What is asked.
    value : str
        The answer proposed.
    hint : str
        What to know before answering.
    number : bool
        Whether only digits make sense; up and down then step.
    check : callable, optional
        Says what is wrong with an answer; empty where nothing is.
    edit : callable, optional
        The edit that an answer would make, so that its figure can be shown before it is accepted.
    suggester : Suggester, optional
        Completes what is typed.
    """

    label: str
    value: str = ""
    hint: str = ""
    number: bool = False
    check: Callable[[str], str] | None = None
    edit: Callable[[str], Edit] | None = None
    suggester: Suggester | None = None


@dataclass(frozen=True)
class Choice:
    """One of several answers: its id, its text, a key that picks it, and why it cannot be."""

    id: str
    text: str
    key: str = ""
    refusal: str = ""
    style: str = field(default="", kw_only=True)


class ChoiceList(OptionList):
    """Answers to choose from with the arrows, or with a letter of their own."""

    letters: dict[str, str]

    class Picked(Message):
        """The letter of an answer was typed."""

        def __init__(self, choice_id: str) -> None:
            self.choice_id = choice_id
            super().__init__()

    async def _on_key(self, event: events.Key) -> None:
        choice_id = self.letters.get(event.character or "")
        if choice_id is not None:
            event.stop()
            event.prevent_default()
            self.post_message(self.Picked(choice_id))


class AnswerInput(Input):
    """Where an answer is typed; up and down step through numbers."""

    stepping = False

    async def _on_key(self, event: events.Key) -> None:
        if self.stepping and event.key in ("up", "down") and self.value.strip().isdigit():
            event.stop()
            event.prevent_default()
            step = 1 if event.key == "up" else -1
            self.value = str(max(int(self.value) + step, 1))
            self.cursor_position = len(self.value)


class QuestionPanel(Vertical):
    """Asks one question at a time; hidden while there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "cancel", show=False)]

    class Opened(Message):
        """A question is on the screen."""

        def __init__(self, keys: tuple[tuple[str, str], ...]) -> None:
            self.keys = keys
            super().__init__()

    class Closed(Message):
        """The question is gone."""

    class Typed(Message):
        """An answer is being typed that has an effect to be shown beforehand."""

        def __init__(self, question: Question, text: str) -> None:
            self.question = question
            self.text = text
            super().__init__()

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._answer: asyncio.Future[str | None] | None = None
        self._question: Question | None = None

    def compose(self) -> ComposeResult:
        """A line to type on with its hint, and a list to choose from."""
        with Horizontal(id="question-line"):
            yield Label("", id="question-label", markup=False)
            yield AnswerInput(id="question-input", compact=True)
        yield Static("", id="question-hint", markup=False)
        yield ChoiceList(id="question-choices", markup=False, compact=True)

    def on_mount(self) -> None:
        """Begin hidden."""
        self.display = False

    @property
    def is_open(self) -> bool:
        """Whether a question is being asked."""
        return self._answer is not None and not self._answer.done()

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the person went back."""
        self._question = question
        entry = self.query_one("#question-input", AnswerInput)
        self.query_one("#question-label", Label).update(self._glyphs.shown(f"{question.label}: "))
        entry.stepping = question.number
        entry.restrict = r"[0-9]*" if question.number else None
        entry.suggester = question.suggester
        with entry.prevent(Input.Changed):
            entry.value = question.value
        self._show(typing=True)
        self.hint(question.hint)
        self.screen.set_focus(entry)
        if len(question.value) > LONG_ANSWER:
            entry.cursor_position = 0  # a long text is read from its beginning
        else:
            entry.action_select_all()
        if question.edit is not None:
            self.post_message(self.Typed(question, question.value))
        return await self._answered(
            (("Enter", "accept"), *((("Up/Down", "step"),) if question.number else ()),
             ("Esc", "back"))
        )  # fmt: skip

    async def choose(
        self, title: str, choices: list[Choice], *, look: bool = False, at: str = ""
    ) -> str | None:
        """Let the person choose; returns the choice's id, or None where they went back.

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
        self._question = None
        listing = self.query_one("#question-choices", ChoiceList)
        listing.letters = {c.key: c.id for c in choices if c.key and not c.refusal}
        listing.clear_options()
        for choice in choices:
            listing.add_option(
                Option(self._choice(choice), choice.id, disabled=bool(choice.refusal))
            )
        self._show(typing=False)
        self.hint(title)
        open_ones = [index for index, choice in enumerate(choices) if not choice.refusal]
        wanted = [index for index in open_ones if choices[index].id == at]
        listing.highlighted = next(iter([*wanted, *open_ones]), None)
        self.screen.set_focus(listing)
        keys = (("Enter", "go there" if look else "choose"), ("Esc", "close" if look else "back"))
        return await self._answered(keys)

    def hint(self, text: str | Content) -> None:
        """Say something about the question."""
        shown = text if isinstance(text, Content) else Content(self._glyphs.shown(text))
        hint = self.query_one("#question-hint", Static)
        hint.update(shown)
        hint.display = bool(shown.plain)

    def show_effect(self, words: str) -> None:
        """Say what the answer would give, with the question's own hint behind."""
        own = self._question.hint if self._question else ""
        gap = "   " if words and own else ""
        self.hint(
            Content.assemble(
                (self._glyphs.shown(words), "bold $text-success"),
                (self._glyphs.shown(gap + own), "$text-muted"),
            )
        )

    def show_refusal(self, reason: str) -> None:
        """Say that the answer would be refused, and why."""
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
                self.display = False
                self.post_message(self.Closed())

    def _resolve(self, text: str | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(text)

    @on(Input.Changed, "#question-input")
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        question = self._question
        if question is None:
            return
        complaint = question.check(event.value) if question.check and event.value else ""
        if complaint:
            self._complain(complaint)
        elif question.edit is not None and event.value:
            self.post_message(self.Typed(question, event.value))
        else:
            self.hint(question.hint)

    @on(Input.Submitted, "#question-input")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        question = self._question
        text = event.value.strip()
        complaint = question.check(text) if question and question.check else ""
        if complaint:
            self._complain(complaint)
        else:
            self._resolve(text)

    @on(OptionList.OptionSelected, "#question-choices")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._resolve(event.option_id)

    @on(ChoiceList.Picked)
    def _picked(self, event: ChoiceList.Picked) -> None:
        event.stop()
        self._resolve(event.choice_id)

    def _complain(self, complaint: str) -> None:
        mark = f"{self._glyphs.warning} "
        self.hint(Content.assemble((mark, "bold $text-warning"), self._glyphs.shown(complaint)))
