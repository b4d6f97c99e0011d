"""Help of a place: everything that can be done there, made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from toposmith.search_words import found, nearest
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
_SUBTITLE = "letters look for words, arrows scroll, Esc closes"


class HelpScreen(ModalScreen[None]):
    """Keys on the left, what they do on the right.

    All of it is one text: a widget for each of its hundred cells would take a second to come up.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "close", show=False),
        Binding("question_mark,f1", "dismiss", "close", show=False),
    ]

    def __init__(
        self, place: ActionScreen, here: OwnKeys | None = None, *, read_only: bool = False
    ) -> None:
        super().__init__()
        self._read_only = read_only
        self._place = place
        self._here = here
        self._asked = ""

    def compose(self) -> ComposeResult:
        """One page that scrolls."""
        with VerticalScroll(id="help") as page:
            page.border_title = f"Help: {'reviewing' if self._read_only else TITLES[self._place]}"
            page.border_subtitle = _SUBTITLE
            yield Static("", id="help-text")

    def on_mount(self) -> None:
        """Let the arrows scroll at once."""
        self.query_one("#help").focus()

    def on_key(self, event: events.Key) -> None:
        """Letters look for what they mean; backspace takes one back."""
        if event.key == "backspace":
            self._look_for(self._asked[:-1])
        elif event.character is not None and event.is_printable and event.character != "?":
            self._look_for(self._asked + event.character)
        else:
            return
        event.stop()

    def action_leave(self) -> None:
        """Show all again where something is looked for, else close."""
        if self._asked:
            self._look_for("")
        else:
            self.dismiss()

    def _look_for(self, asked: str) -> None:
        self._asked = asked
        page = self.query_one("#help")
        page.border_subtitle = f"{asked}_  Esc shows all" if asked else _SUBTITLE
        page.scroll_home(animate=False)
        self._write()

    def on_resize(self) -> None:
        """Break the words for the room there is."""
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        width = self.query_one("#help").scrollable_content_region.width
        lines = []
        sections = list(self._sections())
        every = [row for _, rows in sections for row in rows]
        # by the keys, or by what they do: letters in order are in almost every sentence
        asked = set(found(every, self._asked, lambda row: row[0], lambda row: row[1]))
        for head, rows in sections:
            kept = [row for row in rows if row in asked]
            if kept:
                lines += [Content(), Content.styled(head, "$text-muted bold"), *_lines(kept, width)]
        if not lines:
            near = nearest(self._asked, (" ".join(row) for row in every))
            lines = [Content(), Content(f"nothing here has {self._asked!r}{near}")]
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
