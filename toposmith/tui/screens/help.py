"""Help of a place: everything that can be done there, made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from toposmith.text import wrapped
from toposmith.tui.actions.definition import ActionScreen
from toposmith.tui.actions.every_action import sections_of
from toposmith.tui.views.own_keys import KeyWords, OwnKeys

TITLES: dict[ActionScreen, str] = {"designer": "designing", "welcome": "start"}

BESIDES: dict[ActionScreen, KeyWords] = {
    "designer": (
        ("Tab", "Go to the next panel: parts, card, canvas, live figures"),
        ("mouse", "Every key in the bottom line can be clicked; a right click offers more"),
    ),
    "welcome": (
        ("arrows", "Choose; Enter opens"),
        ("mouse", "A click opens"),
    ),
}
"""What holds on the whole screen."""


_KEYS_WIDTH = 18


class HelpScreen(ModalScreen[None]):
    """Keys on the left, what they do on the right.

    All of it is one text: a widget for each of its hundred cells would take a second to come up.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "dismiss", "close", show=False)
    ]

    def __init__(
        self, place: ActionScreen, here: OwnKeys | None = None, *, read_only: bool = False
    ) -> None:
        super().__init__()
        self._read_only = read_only
        self._place = place
        self._here = here

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        with VerticalScroll(id="help") as page:
            page.border_title = f"Help: {'reviewing' if self._read_only else TITLES[self._place]}"
            page.border_subtitle = "arrows scroll, Esc closes"
            yield Static("", id="help-text")

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one("#help").focus()

    def on_resize(self) -> None:
        """Break the words for the room there is."""
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        width = self.query_one("#help").scrollable_content_region.width
        lines = []
        for head, rows in self._sections():
            lines += [Content(), Content.styled(head, "$text-muted bold"), *_lines(rows, width)]
        self.query_one("#help-text", Static).update(Content("\n").join(lines[1:]))

    def _sections(self) -> Iterator[tuple[str, KeyWords]]:
        """The keys of the place first, then what can be done everywhere on the screen."""
        if self._here:
            yield f"in {self._here.title}", self._here.rows
        yield "everywhere here", BESIDES[self._place]
        for room, actions in sections_of(self._place).items():
            possible = [one for one in actions if not (self._read_only and one.changes)]
            if possible:
                yield room, tuple((action.key_words, action.help) for action in possible)


def _lines(rows: Iterable[tuple[str, str]], width: int) -> list[Content]:
    """Two columns, each broken into lines of its own."""
    lines = []
    for keys, words in rows:
        left = wrapped(keys, _KEYS_WIDTH - 1)
        right = wrapped(words, max(width - _KEYS_WIDTH, _KEYS_WIDTH))
        for key, word in zip_longest(left, right, fillvalue=""):
            shown = Content.styled(key.ljust(_KEYS_WIDTH), "$text-accent bold")
            lines.append(Content.assemble(shown, word))
    return lines
