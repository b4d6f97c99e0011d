"""The line that says what just happened, or why something was refused."""

from __future__ import annotations

from typing import Literal

from textual.content import Content
from textual.widgets import Static

from toposmith.tui.drawing.glyphs import Glyphs

MessageTone = Literal["done", "refused", "failed", "hint", "minded"]

_STYLES: dict[MessageTone, str] = {
    "done": "$text-success",
    "refused": "$text-warning",
    "failed": "$text-error",
    "hint": "$text-muted",
    "minded": "$text-warning",
}
_WORDS: dict[MessageTone, str] = {"refused": "refused: ", "failed": "failed: "}


class MessageLine(Static):
    """One message at a time; long ones take up to four lines."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._glyphs = glyphs
        self.words = ""

    def say(self, text: str, tone: MessageTone = "done") -> None:
        """Replace the message."""
        marks: dict[MessageTone, str] = {
            "done": self._glyphs.done,
            "refused": self._glyphs.warning,
            "failed": self._glyphs.error,
            "hint": self._glyphs.dot,
            "minded": self._glyphs.warning,
        }
        before = _WORDS.get(tone, "")
        had_words, self.words = bool(self.words), f"{before}{text}"
        if not text:
            if had_words:  # an update lays the screen out anew
                self.update("")
            return
        self.update(
            Content.assemble(
                (f"{marks[tone]} {before}", f"bold {_STYLES[tone]}"),
                self._glyphs.shown(text),
            )
        )
