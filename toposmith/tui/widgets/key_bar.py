"""The bottom line: what the keys do here; every key can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from toposmith.tui.actions.definition import Action, key_named
from toposmith.tui.actions.footer import footer_actions, footer_cells


class KeyBar(Static):
    """Keys with their labels; what cannot be done now is dim."""

    ALLOW_SELECT = False

    @dataclass
    class KeyClicked(Message):
        """A key of a question was clicked; ``key`` is the key's name."""

        key: str

    @dataclass
    class Pressed(Message):
        """An action of the bar was clicked."""

        action_id: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id)
        self._actions: list[Action] = []
        self._possible: set[str] = set()
        self._first: tuple[str, ...] = ()
        self._mode: tuple[tuple[str, str], ...] = ()
        self._places: list[tuple[int, int, str]] = []
        self._written: list[tuple[str, str]] = []

    def show(
        self, actions: Sequence[Action], possible: set[str], first: Sequence[str] = ()
    ) -> None:
        """Show actions, those in ``possible`` bright, and ``first`` before all others."""
        self._actions, self._possible, self._mode = list(actions), possible, ()
        self._first = tuple(first)
        self._write()

    def show_mode(self, keys: tuple[tuple[str, str], ...]) -> None:
        """Show the keys of a question that is being asked, as pairs of key and label."""
        self._mode = keys
        self._write()

    def on_resize(self, event: events.Resize) -> None:
        """Choose again what fits."""
        self._write()

    def on_click(self, event: events.Click) -> None:
        """Tell which action was clicked."""
        for start, end, action_id in self._places:
            if start <= event.x < end:
                self.post_message(
                    self.KeyClicked(action_id) if self._mode else self.Pressed(action_id)
                )

    def _write(self) -> None:
        self._places = []
        column = 0
        shown: list[tuple[str, str]] = []
        if self._mode:
            for key, label in _fitting(self._mode, self.size.width):
                cells = len(key) + len(label) + 3
                pressed = key_named(key)
                if pressed is not None:
                    self._places.append((column, column + cells - 1, pressed))
                column += cells
                shown += _entry(key, label, True)
        else:
            for action in footer_actions(self._actions, self.size.width, self._first):
                cells = footer_cells(action)
                self._places.append((column, column + cells - 1, action.id))
                column += cells
                shown += _entry(action.first_key, action.label, action.id in self._possible)
        if shown != self._written:
            self._written = shown
            self.update(Content.assemble(*shown), layout=False)


def _fitting(keys: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """The keys that have room, whole; the last go first, and the key that closes stays."""
    kept = list(keys)
    while len(kept) > 1 and sum(len(key) + len(label) + 3 for key, label in kept) - 2 > width:
        del kept[-2 if kept[-1][0] == "Esc" else -1]
    return kept


def _entry(key: str, label: str, possible: bool) -> list[tuple[str, str]]:
    if possible:
        return [(key, "bold $text-accent"), (f" {label}  ", "")]
    return [(f"{key} {label}  ", "$text-disabled")]
