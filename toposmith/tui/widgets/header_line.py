"""The top line: which design, in what state, and what is being measured."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.widgets import Static

from toposmith.tui.drawing.glyphs import Glyphs

APP_NAME = "Toposmith"
REVIEW_MARK = "review, read-only"


@dataclass(frozen=True)
class HeaderState:
    """What the header says.

    ``measured`` is the collective, size and communicator in words, ``failing`` what is tried to
    fail, ``review`` the state of the review with its colour, ``unkept`` whether unsaved work would
    be lost with the program, since its journal cannot be written, ``elsewhere`` who else has the
    file open.
    """

    title: str = ""
    dirty: bool = False
    read_only: bool = False
    measured: tuple[str, ...] = ()
    failing: str = ""
    review: tuple[str, str] = ("", "")
    unkept: bool = False
    elsewhere: str = ""


class HeaderLine(Static):
    """Name of the app and the file on the left, what is measured on the right."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._glyphs = glyphs
        self._state = HeaderState()

    def show(self, state: HeaderState) -> None:
        """Show another state."""
        self._state = state
        self._write()

    def on_resize(self, event: events.Resize) -> None:
        """Fit the line to its new width."""
        self._write()

    def _write(self) -> None:
        self.update(header_text(self._state, self.size.width, self._glyphs), layout=False)


def header_text(state: HeaderState, width: int, glyphs: Glyphs) -> Content:
    """Fit the header into a line: the app's name goes first, then what is measured last."""
    title = glyphs.shown(state.title)
    left = [(f"{APP_NAME}  ", "bold $text-accent"), (title, "bold")]
    if state.dirty:
        left.append((" * unsaved", "bold $text-warning"))
        if state.unkept:
            left.append((", not recoverable", "bold $text-error"))
    if state.read_only:
        left.append((f"  {REVIEW_MARK}", "bold $text-warning"))
    if state.elsewhere:
        left.append((f"  {glyphs.shown(state.elsewhere)}", "bold $text-warning"))
    if state.review[0]:
        left.append((f"  {state.review[0]}", f"bold {state.review[1]}".strip()))
    if state.failing:
        left.append((f"  without {glyphs.shown(state.failing)}", "bold $text-error"))
    measured = list(state.measured)

    def cells() -> int:
        right = "   ".join(measured)
        return sum(len(text) for text, _ in left) + (2 + len(right) if right else 0)

    if cells() > width:
        left = left[1:]
    while measured and cells() > width:
        measured.pop(0)
    if cells() > width:
        room = width - sum(len(text) for text, _ in left[1:])
        left[0] = (glyphs.shortened(left[0][0], max(room, 4)), left[0][1])
    right = "   ".join(measured)
    gap = max(width - sum(len(text) for text, _ in left) - len(right), 0)
    return Content.assemble(*left, " " * gap, right)
