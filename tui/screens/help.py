"""Help of a place: everything that can be done there, made from the registry of actions."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.actions import Place, actions_of
from tui.screens.here import Here

TITLES: dict[Place, str] = {"designer": "designing", "welcome": "start"}


BESIDES: dict[Place, tuple[tuple[str, str], ...]] = {
    "designer": (
        ("Tab", "Go to the next panel: parts, card, canvas, live figures"),
        ("mouse", "Every key in the bottom line can be clicked"),
    ),
    "welcome": (
        ("arrows", "Choose; Enter opens"),
        ("mouse", "A click opens"),
    ),
}
"""What holds on the whole screen."""


class HelpScreen(ModalScreen[None]):
    """Keys on the left, what they do on the right."""

    DEFAULT_CSS = """
    .help-head {
        color: $text-muted;
        text-style: bold;
        margin-top: 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss", "close", show=False)
    ]

    def __init__(self, place: Place, here: Here | None = None) -> None:
        super().__init__()
        self._place = place
        self._here = here

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        rows = [(action.key_words, action.help) for action in actions_of(self._place)]
        own = self._here.rows if self._here else ()
        with VerticalScroll(id="help") as page:
            page.border_title = f"Help: {TITLES[self._place]}"
            page.border_subtitle = "arrows scroll, Esc closes"
            if self._here:
                yield Static(f"in {self._here.title}", classes="help-head", markup=False)
            for number, (keys, words) in enumerate([*own, *rows, *BESIDES[self._place]]):
                if number == len(own) and own:
                    yield Static("everywhere here", classes="help-head", markup=False)
                with Horizontal(classes="help-row"):
                    yield Static(keys, classes="help-keys", markup=False)
                    yield Static(words, classes="help-words", markup=False)

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one("#help").focus()
