"""A visitor reads and writes the design that is served, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp
from toposmith.tui.actions.every_action import actions_of, all_actions
from toposmith.tui.visit import NO_FILES, NO_REVIEW, Visit

REACHING = [
    one.keys[0] for one in all_actions() if one.reach == "files" and "designer" in one.where
]
INSIDE = {
    "a log of a run": ("percent_sign", "o"),
    "another file to compare with": ("vertical_line", "o", "f"),
    "a revision to compare with": ("vertical_line", "o", "r"),
    "another design to begin at": ("0", "o", "f"),
    "the bill to a file": ("b", "w", "enter"),
    "what is cabled": ("at", "o"),
}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and ".toposmith" not in file.parts
    }


async def test_no_other_file_is_reached_by_a_key(open_app: OpenApp, two_tier: Path) -> None:
    before = files(two_tier.parent)
    assert len(REACHING) == 10
    async with open_app(two_tier, visit=Visit()) as person:
        for key in REACHING:
            await person.press(key)
            assert NO_FILES in person.message, key
            await person.press("escape")
        for key in ("comma", "semicolon"):
            await person.press(key)
            assert NO_REVIEW in person.message, key
        listed = {one.id for one in actions_of("designer")}
        assert "save" in listed and listed.isdisjoint({"save_as", "open", "export", "comment"})
    assert files(two_tier.parent) == before


@pytest.mark.parametrize("keys", INSIDE.values(), ids=INSIDE)
async def test_no_other_file_is_reached_from_a_view(
    open_app: OpenApp, two_tier: Path, keys: tuple[str, ...]
) -> None:
    before = files(two_tier.parent)
    async with open_app(two_tier, visit=Visit("Ann")) as person:
        await person.press(*keys)
        assert NO_FILES in person.message, person.seen()
        assert not person.designer.asking
    assert files(two_tier.parent) == before


async def test_a_visitor_who_may_saves_under_its_own_name(
    open_app: OpenApp, two_tier: Path
) -> None:
    before = two_tier.read_bytes()
    async with open_app(two_tier, visit=Visit("Ann")) as person:
        await person.press("minus")
        await person.press("s")
        assert "saved" in person.message
        await person.press("comma")
        await person.answer("why five?")
        assert "commented" in person.message
    said = b"".join(text for name, text in files(two_tier.parent).items() if "review" in name)
    assert two_tier.read_bytes() != before
    assert b"Ann" in said


async def test_a_file_that_cannot_be_read_leads_to_no_list_of_others(
    open_app: OpenApp, work_dir: Path
) -> None:
    file = work_dir / "bad.yaml"
    file.write_text("toposmith: [\n")
    async with open_app(file, visit=Visit()) as person:
        assert person.app.return_code == 2 and "bad.yaml" in person.app.farewell[0]
