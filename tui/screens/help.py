"""Help of a place: everything that can be done there, made from the registry of actions."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import Place, actions_of

TITLES: dict[Place, str] = {"designer": "designing", "welcome": "start"}

BESIDES: dict[Place, tuple[tuple[str, str], ...]] = {
    "designer": (
        ("arrows, h j k l", "Go to the next group or link on the canvas; Home first, End last"),
        ("Enter", "Open what is selected, to change it; in the parts panel, add the part"),
        (
            "in parts",
            "Right or a double click on the card opens it whole; Space marks a part, = lays it "
            "beside another",
        ),
        ("Tab", "Go to the next panel: parts, card, canvas, live figures"),
        (
            "on the curve",
            "Left and right read it size by size; t shows time, or busbw again",
        ),
        ("in measure", "Up and down go from field to field, left and right change what is chosen"),
        ("Esc", "Leave a question or a panel; on the canvas, select nothing"),
        ("mouse", "Click selects, double click opens or adds, dragging from box to box wires"),
    ),
    "welcome": (
        ("arrows", "Choose; Enter opens"),
        ("mouse", "A click opens"),
    ),
}
"""What the panels do by themselves, beyond the registry."""


class HelpScreen(ModalScreen[None]):
    """Keys on the left, what they do on the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss", "close", show=False)
    ]

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        rows = [(action.key_words, action.help) for action in actions_of(self._place)]
        with VerticalScroll(id="help") as page:
            page.border_title = f"Help: {TITLES[self._place]}"
            page.border_subtitle = "arrows scroll, Esc closes"
            for keys, words in [*rows, *BESIDES[self._place]]:
                with Horizontal(classes="help-row"):
                    yield Static(keys, classes="help-keys", markup=False)
                    yield Static(words, classes="help-words", markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one("#help").focus()
