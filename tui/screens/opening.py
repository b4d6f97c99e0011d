"""What is painted first, while the rest of the program is being read."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from tui.glyphs import Glyphs


class OpeningScreen(Screen[None]):
    """Says which design is being opened."""

    def __init__(self, name: str, glyphs: Glyphs) -> None:
        super().__init__()
        self._words = f"Toposmith opens {glyphs.shown(name)} ..."

    def compose(self) -> ComposeResult:
        """One line."""
        yield Static(self._words, id="opening", markup=False)
