"""Where questions are answered: a line to type on, and a list to choose from."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.widgets import Input, OptionList, Static

LONGEST_NUMBER = 20
"""Signs of a number that is still stepped through."""


class HintLine(Static):
    """What is said about a question, in as many lines as that takes."""

    class Grown(Message):
        """It takes more lines than before, or fewer: known only once it is laid out."""

    def on_resize(self) -> None:
        """Say so."""
        self.post_message(self.Grown())


class ChoiceList(OptionList):
    """Answers to choose from with the arrows, or with a letter of their own."""

    letters: dict[str, str]

    @dataclass
    class Picked(Message):
        """The letter of an answer was typed."""

        choice_id: str

    def on_resize(self) -> None:
        """Keep the answer under the cursor in sight, however few rows are left."""
        self.scroll_to_highlight()

    async def _on_key(self, event: events.Key) -> None:
        choice_id = self.letters.get(event.character or "")
        if choice_id is not None:
            event.stop()
            event.prevent_default()
            self.post_message(self.Picked(choice_id))

    async def _on_click(self, event: events.Click) -> None:
        if event.button != 1:
            event.prevent_default()  # the list would take any button for a choice


_WALKS = {
    "up": "action_cursor_up",
    "down": "action_cursor_down",
    "pageup": "action_page_up",
    "pagedown": "action_page_down",
    "home": "action_first",
    "end": "action_last",
}
_IN_WORDS = ("home", "end")
"""Keys that go through the words that were typed, where there are some."""


class AnswerInput(Input):
    """Where an answer is typed; up and down step through numbers, or through a list below."""

    stepping = False
    lowest = 1
    listing: ChoiceList | None = None

    @property
    def _is_number(self) -> bool:
        return self.value.strip().isdecimal() and len(self.value) <= LONGEST_NUMBER

    async def _on_key(self, event: events.Key) -> None:
        walks = _WALKS.get(event.key) if self.listing is not None else None
        if self.listing is not None and walks and not (self.value and event.key in _IN_WORDS):
            event.stop()
            event.prevent_default()
            getattr(self.listing, walks)()
        elif self.stepping and event.key in ("up", "down") and self._is_number:
            event.stop()
            event.prevent_default()
            step = 1 if event.key == "up" else -1
            self.value = str(max(int(self.value) + step, self.lowest))
            self.cursor_position = len(self.value)
