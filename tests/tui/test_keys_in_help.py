"""Help where one stands names every key that counts there."""

from __future__ import annotations

import re
from pathlib import Path

from textual.dom import DOMNode
from textual.widgets import Input, Static

from tests.tui.person import OpenApp, Person
from toposmith.tui.actions.every_action import actions_of

PLACES: dict[str, tuple[str, ...]] = {
    "canvas": (),
    "parts": ("slash", "down"),
    "measure": ("M",),
    "live": ("tab",),
    "question": ("c",),
    "inside": ("enter",),
    "curve": ("v",),
    "bill": ("b",),
    "racks": ("K",),
    "findings": ("f",),
    "failures": ("F",),
    "differences": ("vertical_line",),
    "review": ("V",),
    "workload": ("t",),
    "layouts": ("Y",),
}
SIGNS = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "number_sign": "#",
    "slash": "/",
    "full_stop": ".",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "equals_sign": "=",
    "percent_sign": "%",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
}
SIDEWAYS = ("scroll_left", "scroll_right", "page_left", "page_right")


def keys_that_count(person: Person) -> dict[str, str]:
    """The keys of what has the focus and of all it lies in, with the widget that takes them."""
    found: dict[str, str] = {}
    node: DOMNode | None = person.app.focused
    assert node is not None
    while node is not None and node is not person.app.screen:
        if not isinstance(node, Input):  # its keys edit a line, as everywhere
            for key, bindings in node._bindings.key_to_bindings.items():
                scrolls = all(binding.action in SIDEWAYS for binding in bindings)
                if not scrolls and not key.startswith("ctrl+"):
                    found.setdefault(key, type(node).__name__)
        node = node.parent
    return found


def help_text(person: Person) -> str:
    """All that help says, also what does not fit the screen."""
    return " ".join(str(person.app.screen.query_one("#help-text", Static).content).split())


async def names_in_help(person: Person) -> set[str]:
    """Every key that help names, under the words by which it names it."""
    await person.press("f1")
    words = help_text(person)
    await person.press("escape")
    names = {word.lower() if len(word) > 1 else word for word in re.split(r"[\s,;:]+", words)}
    for modifier in ("", "shift+"):
        if f"{modifier}arrows" in names:
            names |= {f"{modifier}{way}" for way in ("up", "down", "left", "right")}
    return names


async def test_help_names_every_key_of_the_place(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        canvas = person.designer.canvas
        for place, keys in PLACES.items():
            while person.app.focused is not canvas:
                await person.press("escape")
            person.designer.select_group("node")
            await person.press(*keys)
            assert keys == () or person.app.focused is not canvas, place
            counting = keys_that_count(person)
            names = await names_in_help(person)
            missing = {key: of for key, of in counting.items() if SIGNS.get(key, key) not in names}
            assert counting, place
            assert not missing, place


async def test_help_names_every_action_of_the_designer(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("f1")
        text = help_text(person)
        for action in actions_of("designer"):
            assert all(word in text for word in action.help.split())
