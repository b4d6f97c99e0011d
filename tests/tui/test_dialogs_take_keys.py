"""A dialog or panel takes all keys: no key of the designer reaches the design behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from tests.tui.person import OpenApp, Person
from toposmith.saved_designs import FOLDER
from toposmith.tui.actions.every_action import actions_of

# what closes a dialog, chooses in it or leaves the app is not pressed blindly
_LEAVES = {"ctrl+q", "q"}
_KEYS = [key for one in actions_of("designer") for key in one.keys if key not in _LEAVES]

_CHOOSES = {"a menu": "pcont"}
"""Letters that are answers there."""

DIALOGS = {
    "a menu": ("group:spine", "e"),
    "a number": ("link:1", "c"),
    "a text": ("group:spine", "r"),
    "a list to be filtered": ("E",),
    "a list to be read": ("H",),
    "a wire on its way": ("group:spine", "w"),
    "a group in hand": ("group:spine", "Z"),
    "what is measured": ("group:spine", "M"),
    "the parts": ("group:spine", "a"),
    "the bill": ("group:spine", "b"),
    "the findings": ("group:spine", "f"),
    "the failures": ("link:1", "F"),
}


async def test_no_key_changes_the_design_behind(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        screen = person.designer
        screen.select_link(1)
        await person.press("minus")
        assert len(screen.workbench.history) == 1
        for dialog in DIALOGS:
            await no_key_changes_it(person, dialog)
            for _ in range(4):  # out of all that was opened
                await person.press("escape")
            assert not screen.asking and screen.view is None and not screen.measuring, dialog


async def no_key_changes_it(person: Person, dialog: str) -> None:
    """Open a dialog, and press all keys of the designer that should do nothing there."""
    screen = person.designer
    before = screen.workbench.design
    for step in DIALOGS[dialog]:
        kind, _, name = step.partition(":")
        if kind == "group":
            screen.select_group(name)
        elif kind == "link":
            screen.select_link(int(name))
        else:
            await person.press(step)
    asked = screen.asking
    counts = [one.id for one in actions_of("designer") if screen._key_counts(one.id)]
    idle = [
        one for one in actions_of("designer") if one.id not in counts or one.id in ("undo", "redo")
    ]
    keys = [key for one in idle for key in one.keys if key in _KEYS]
    await person.press_at_once(*(key for key in keys if key not in _CHOOSES.get(dialog, "")))
    assert screen.workbench.design == before, dialog
    assert screen.asking or not asked, dialog
    changing = {
        one.id for one in actions_of("designer") if one.edits and one.needs not in ("undo",)
    }
    selecting = {"delete", "rename", "fit", "duplicate", "move"}
    assert not selecting & set(counts), dialog
    if asked or dialog in ("what is measured", "the parts"):
        assert not changing & set(counts), dialog


async def test_undo_does_not_act_under_the_question_whether_to_save(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(1)
        await person.press("minus")
        before = person.designer.workbench.design
        await person.press("T", "u", "plus", "x", "minus")
        assert person.designer.asking
        assert person.designer.workbench.design is before


async def test_escape_gives_a_question_up_though_the_keys_went_to_the_canvas(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("e")
        person.designer.set_focus(person.designer.canvas)
        await person.press("escape")
        assert not person.designer.asking


async def test_the_answer_stays_in_sight_when_what_is_said_above_it_grows_later(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app(FOLDER / "a100-rack-1x100gbe.yaml", size=(120, 36)) as person:
        person.designer.select_group("node")
        await person.press("n")
        listing = person.app.screen.query_one("#question-choices", OptionList)
        await person.press(*["down"] * (listing.size.height - 1))
        at = listing.highlighted_option
        assert at is not None
        person.app.screen.query_one("#question-hint", Static).update("one\ntwo\nthree\nfour")
        await person.until(lambda: "four" in person.seen() and str(at.prompt)[:24] in person.seen())


@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_the_answer_under_the_cursor_is_seen_whatever_its_effect_takes_to_say(
    open_app: OpenApp, work_dir: Path, size: tuple[int, int]
) -> None:
    async with open_app(FOLDER / "a100-rack-1x100gbe.yaml", size=size) as person:
        person.designer.select_group("node")
        await person.press("n")
        listing = person.app.screen.query_one("#question-choices", OptionList)

        def is_seen() -> bool:
            at = listing.highlighted_option
            return at is not None and str(at.prompt)[:24] in person.seen()

        for _ in range(12):
            await person.until(is_seen)
            await person.press("down")


async def test_a_cleared_filter_leads_back_to_the_answer_that_was_proposed(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app(None) as person:
        await person.press("T")
        await person.answer("leaf-spine")
        await person.answer("dgx h100")
        await person.press("enter")  # four SUs; then the leaf
        listing = person.app.screen.query_one("#question-choices", OptionList)
        assert listing.highlighted_option is not None
        proposed = listing.highlighted_option.id
        assert proposed == "qm9700"
        await person.type("sb78")
        assert listing.highlighted_option.id != proposed
        await person.press(*["backspace"] * 4)
        assert listing.highlighted_option.id == proposed
