"""One of a few values on one line: the arrows go through them, and so does the mouse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from toposmith.tui.drawing.glyphs import Glyphs


class ChoiceField(Static, can_focus=True):
    """Shows the chosen value between two arrows."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "before", show=False),
        Binding("right,l,space", "step(1)", "next", show=False),
    ]

    @dataclass
    class Changed(Message):
        """Another value was chosen."""

        field: ChoiceField
        value: str

        @property
        def control(self) -> ChoiceField:
            """The field."""
            return self.field

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._glyphs = glyphs
        self._choices: dict[str, str] = {}
        self._value = ""

    def show(self, choices: Mapping[str, str], value: str) -> None:
        """Show a value out of others; keys are values, what they map to are their words."""
        if (self._choices, self._value) == (choices, value):
            return
        self._choices, self._value = dict(choices), value
        self.update(
            Content.assemble(
                (f"{self._glyphs.back} ", "$text-accent"),
                self._words,
                (f" {self._glyphs.on}", "$text-accent"),
            ),
            layout=False,
        )

    @property
    def _words(self) -> str:
        return self._glyphs.shown(self._choices.get(self._value, self._value))

    def action_step(self, by: int) -> None:
        """Choose the next value, or the one before; behind the last comes the first."""
        values = list(self._choices)
        if not values:
            return
        at = values.index(self._value) if self._value in values else -by
        self.post_message(self.Changed(self, values[(at + by) % len(values)]))

    def on_click(self, event: events.Click) -> None:
        """The arrow on the left goes back; everything else goes forward."""
        self.action_step(-1 if event.x < 2 else 1)
