"""What an action is: its keys, words and conditions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from toposmith.tui.asking import Act, Do

ActionScreen = Literal["designer", "welcome"]
Needs = Literal["nothing", "group", "chosen", "node", "item", "item or failing", "undo", "redo"]

NEEDS_WORDS: dict[Needs, str] = {
    "nothing": "",
    "group": "select a group first: arrows on the canvas, or click one",
    "chosen": "select a group first, or mark several (space)",
    "node": "select a group of nodes first: NICs go into nodes",
    "item": "select a group or a link first: arrows on the canvas, or click one",
    "item or failing": "select a group or a link first: arrows on the canvas, or click one",
    "undo": "nothing to undo",
    "redo": "nothing to redo",
}
"""What to say where an action cannot be done, by what it needs."""


Thing = Literal["group", "link", "design"]

_THINGS: dict[Needs, frozenset[Thing]] = {
    "nothing": frozenset(),
    "group": frozenset({"group"}),
    "chosen": frozenset({"group"}),
    "node": frozenset({"group"}),
    "item": frozenset({"group", "link"}),
    "item or failing": frozenset({"group", "link"}),
    "undo": frozenset({"design"}),
    "redo": frozenset({"design"}),
}


@dataclass(frozen=True)
class Action:
    """Something that the user can do.

    Parameters
    ----------
    id : str
        Its stable name.
    keys : tuple of str
        The keys that do it, the one to be shown first.
    label : str
        One or two words for the footer.
    help : str
        What it does, in a sentence.
    needs : str
        What must be there for it to make sense.
    changes : bool
        Whether it changes the design or its file, which a review forbids.
    rank : int
        Its claim to a place in a narrow footer, 1 the highest; 0 keeps it out.
    title : str
        Its name in the command palette, where one or two words say too little.
    do : callable or None
        Does it in the designer: a flow, which may ask questions, or an `Act` of the designer's
        own. None where it cannot be done there. What it needs it imports itself: the table is
        read before the first frame.
    at_start : callable or None
        Does it on the start screen; None where it cannot be done there.
    also_of : tuple of str
        What a right click on offers it, beyond what it needs: it acts on what is selected, or on
        the design where nothing is.
    section, before : str
        What it is about and which action it stands before, where the table itself does not say:
        at the end of the section where none is named.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    needs: Needs = "nothing"
    changes: bool = False
    rank: int = 0
    title: str = ""
    do: Do | Act | None = None
    at_start: Callable[[Any], object] | None = None
    also_of: tuple[Thing, ...] = ()
    section: str = ""
    before: str = ""

    @property
    def things(self) -> frozenset[Thing]:
        """What a right click on offers it."""
        return _THINGS[self.needs] | frozenset(self.also_of)

    @property
    def where(self) -> tuple[ActionScreen, ...]:
        """The screens on which it works."""
        places: dict[ActionScreen, object] = {"designer": self.do, "welcome": self.at_start}
        return tuple(place for place, done in places.items() if done is not None)

    @property
    def edits(self) -> bool:
        """Whether it changes the design itself, and not only its file."""
        return self.changes and self.id not in _KEEPS_DESIGN

    @property
    def palette_title(self) -> str:
        """Its name in the command palette."""
        return self.title or f"{self.label[0].upper()}{self.label[1:]}"

    @property
    def key_words(self) -> str:
        """The keys as they are shown."""
        return ", ".join(_KEY_WORDS.get(key, key) for key in self.keys)

    @property
    def first_key(self) -> str:
        """The key that the footer shows."""
        return _KEY_WORDS.get(self.keys[0], self.keys[0])


def key_named(words: str) -> str | None:
    """The name of a key, as Textual has it, that stands in a line or in help; None where none."""
    if len(words) == 1 and words.isalnum():
        return words
    return _NAMES.get(words)


_KEY_WORDS = {
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "question_mark": "?",
    "slash": "/",
    "space": "Space",
    "colon": ":",
    "comma": ",",
    "full_stop": ".",
    "semicolon": ";",
    "vertical_line": "|",
    "percent_sign": "%",
    "ampersand": "&",
    "asterisk": "*",
    "at": "@",
    "backslash": "\\",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "f1": "F1",
    "delete": "Del",
    "enter": "Enter",
    "escape": "Esc",
    "right": "Right",
    "up": "Up",
    "down": "Down",
}
_NAMES = {words: name for name, words in _KEY_WORDS.items()}

ALWAYS = frozenset({"help", "redraw"})
"""What its keys do in every dialog, too."""

_KEEPS_DESIGN = frozenset({"add", "save", "save_as", "compare"})
"""Begins with a choice, or writes the design as it is."""


def turning_to(
    view: str,
    keys: tuple[str, ...],
    label: str,
    help: str,
    *,
    section: str,
    before: str = "",
    rank: int = 0,
    title: str = "",
) -> Action:
    """The action that turns to a view, and back to the fabric where the view is seen."""
    return Action(
        view,
        keys,
        label,
        help,
        rank=rank,
        title=title,
        do=Act(lambda designer: designer.panels.toggle_view(view)),
        section=section,
        before=before,
    )
