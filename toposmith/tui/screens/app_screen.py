"""What the app knows of its screens; light, so that the first frame does not wait for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message
from textual.screen import Screen

from toposmith.errors import DesignFileError
from toposmith.tui.actions.definition import ActionScreen
from toposmith.tui.keeping.session import Session

Opening = Callable[[], Session]
"""Opens the chosen design; raises DesignFileError where it cannot be read."""


@dataclass
class Begun(Message):
    """Something was chosen to work on."""

    opening: Opening
    greeting: str = ""


@dataclass
class Unreadable(Message):
    """What was to be worked on cannot be read."""

    failed: DesignFileError


class Finished(Message):
    """The user goes back to the start."""


class PlaceScreen(Screen[None]):
    """A screen on which actions of the table are done."""

    PLACE: ActionScreen

    @property
    def has_settled(self) -> bool:
        """Whether the next key has a meaning yet: no question is about to be asked."""
        return True

    @property
    def has_opened(self) -> bool:
        """Whether what was chosen to work on is there: keys wait for it."""
        return True

    def action_do(self, action_id: str) -> None:
        """Do an action of the table, or say why not."""
        raise NotImplementedError

    def do_by_name(self, action_id: str) -> None:
        """Do an action that was chosen by its name, not by its key."""
        self.action_do(action_id)

    @property
    def journal(self) -> Path | None:
        """The journal with unsaved work, as far as it is written."""
        return None

    def autosave(self) -> Path | None:
        """Journal what is new; returns the journal where there is unsaved work in it."""
        return None
