"""The text of the message line; the effect of an edit is added while its label is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from toposmith.tui.figures.effects import joined
from toposmith.tui.widgets.message_line import MessageTone

MESSAGE_MARGIN = 8
"""Cells of the message line that are no words: its mark, a colon, the border."""


class Line(Protocol):
    """Where messages are shown."""

    def say(self, text: str, tone: MessageTone = "done") -> None:
        """Replace the message."""
        ...


class Messages:
    """Says what happened, or why something was refused."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._edit, self._of_edit = "", ""
        self._refused, self._passing = False, False

    def say(self, text: str, tone: MessageTone = "done") -> None:
        """Say what happened; the effect of an earlier edit does not replace it."""
        self._edit, self._of_edit, self._refused = "", "", tone == "refused"
        self._passing = tone in ("done", "hint")
        self._line.say(text, tone)

    def say_edit(self, label: str) -> None:
        """Say which edit was made; its effect is added when its figures are there."""
        self.say(label)
        self._edit = self._of_edit = label

    def say_effect(self, pieces: Sequence[str], width: int) -> None:
        """Add what the last edit did, as far as a line of ``width`` cells has room.

        Nothing where something else was said since.
        """
        edit, self._edit = self._edit, ""
        if edit and pieces:
            room = width - len(edit) - MESSAGE_MARGIN
            said = f"{edit}: {joined(list(pieces), room)}"
            self.say(said)
            self._of_edit = said

    def add(self, words: str, tone: MessageTone) -> None:
        """Add what else the last edit did; nothing where something else was said since."""
        edit, pending = self._of_edit, self._edit
        if edit:
            self.say(f"{edit}; {words}", tone)
            self._edit = pending

    def forget_refusal(self) -> None:
        """Something else is asked or selected: why the last was refused is no answer to it."""
        if self._refused:
            self.say("")

    def forget_passing(self) -> None:
        """Something else is done: what was done before, or could be, has been read."""
        if self._passing and not self._edit:
            self.say("")
