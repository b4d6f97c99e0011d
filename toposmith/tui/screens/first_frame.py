"""What is painted first, while the rest of the program is being read."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from toposmith.tui.drawing.glyphs import Glyphs


class Painted(Message):
    """The first line is on the screen, so that there is time to read the rest of the program."""


class OpeningScreen(Screen[None]):
    """Says which design is being opened."""

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__()
        self._words = f"Toposmith opens {glyphs.shown(name)} ..."

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static(self._words, id="opening", markup=False)

    def tell_when_painted(self) -> None:
        """Post :class:`Painted` after the next frame."""
        self.refresh()
        self.call_after_refresh(self.post_message, Painted())
