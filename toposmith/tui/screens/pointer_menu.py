"""What a right click shows: everything that can be done with the thing under the pointer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from toposmith.tui.actions.definition import Thing, key_named
from toposmith.tui.actions.every_action import actions_of
from toposmith.tui.designer.designer import Designer
from toposmith.tui.views.own_keys import OwnKeys

_KEY_CELLS = 6
_FRAME = 4
"""Cells of the frame and the padding on both sides."""


@dataclass(frozen=True)
class Offered:
    """One line of the menu.

    Parameters
    ----------
    id : str
        What is done: an action, or the key that does it.
    key : str
        The key that does the same, as it is shown.
    words : str
        What it does.
    """

    id: str
    key: str
    words: str


def offered_actions(designer: Designer) -> list[Offered]:
    """The actions that can be done now with what is selected, or with the design."""
    selection, read_only = designer.selection, designer.editing.read_only
    thing: Thing = "group" if selection.group is not None else "link"
    if selection.item is None:
        thing = "design"
    return [
        Offered(one.id, one.first_key, one.palette_title)
        for one in actions_of("designer")
        if thing in one.things
        and not (read_only and one.changes)
        and not designer.keys.refusal(one)
    ]


def offered_keys(here: OwnKeys) -> list[Offered]:
    """What the keys of a panel or view do, key by key; those that only walk are left out."""
    offered = []
    for keys, words in here.rows:
        for key in keys.split(", "):
            name = key_named(key)
            if name is not None and name not in ("up", "down", "right"):
                offered.append(Offered(name, key, words))
    return offered


class PointerMenu(ModalScreen[str | None]):
    """A list beside the pointer; a click or Enter takes a line, Esc or a click beside it none.

    Parameters
    ----------
    offered : iterable of Offered
        The lines.
    at : Offset
        Where the pointer is on the screen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "close", show=False)
    ]

    def __init__(self, offered: Iterable[Offered], at: Offset) -> None:
        super().__init__()
        self._offered = tuple(offered)
        self._at = at

    def compose(self) -> ComposeResult:
        """The list alone."""
        yield OptionList(
            *(
                Option(
                    Content.assemble((one.key.ljust(_KEY_CELLS), "bold $text-accent"), one.words),
                    one.id,
                )
                for one in self._offered
            ),
            id="pointer-menu",
            compact=True,
        )

    def on_mount(self) -> None:
        """Take the keys, too."""
        self.query_one(OptionList).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Stand beside the pointer, whole as far as the screen has room."""
        listing = self.query_one(OptionList)
        longest = max(_KEY_CELLS + len(one.words) for one in self._offered)
        width = min(longest + _FRAME, event.size.width)
        height = min(len(self._offered) + 2, event.size.height)
        listing.styles.width, listing.styles.height = width, height
        left = min(self._at.x, event.size.width - width)
        top = min(self._at.y, event.size.height - height)
        listing.styles.offset = (left, top)

    @on(OptionList.OptionSelected)
    def _taken(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def on_click(self, event: events.Click) -> None:
        """Close where the click is beside the list."""
        if not self.query_one(OptionList).region.contains(event.screen_x, event.screen_y):
            self.dismiss(None)

    def on_key(self, event: events.Key) -> None:
        """Take the line of a key that is shown."""
        taken = {key_named(one.key): one.id for one in self._offered}.get(event.key)
        if taken is not None and event.key not in ("enter", "escape"):
            event.stop()
            self.dismiss(taken)
