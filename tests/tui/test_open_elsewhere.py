"""Two people on one file: each is told of the other at once, and of what was saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.tui.keeping import presence
from toposmith.tui.keeping.presence import FOLDER, Presence
from toposmith.tui.widgets import file_watcher


@pytest.fixture
def watching(open_app: OpenApp, monkeypatch: pytest.MonkeyPatch) -> OpenApp:
    """The app, which looks at the disk without a pause."""
    monkeypatch.setattr(file_watcher, "LOOK_SECONDS", 0.01)
    return open_app


def bob_opens(path: Path, monkeypatch: pytest.MonkeyPatch) -> Presence:
    with monkeypatch.context() as his:
        his.setattr(presence, "own_name", lambda: "Bob")
        bob = Presence(path)
        bob.enter()
    return bob


def header(person: Person) -> str:
    return person.seen().splitlines()[0]


@pytest.mark.parametrize("review", [False, True])
async def test_who_opens_a_file_is_told_who_has_it_open(
    watching: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch, review: bool
) -> None:
    bob = bob_opens(two_tier, monkeypatch)
    async with watching(two_tier, review=review) as person:
        await person.until(lambda: "also open: Bob" in header(person))
        bob.leave()
        await person.until(lambda: "also open" not in header(person))
    assert not (two_tier.parent / FOLDER).exists()


async def test_the_first_is_told_of_the_second_by_name_and_machine(
    watching: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(two_tier) as person:
        bob = bob_opens(two_tier, monkeypatch)
        assert len(bob.others()) == 1
        await person.until(lambda: "also open: Bob on " in person.message)
        assert "who saves second is asked what to do" in person.message
        bob.leave()


async def test_a_review_leaves_no_note(watching: OpenApp, two_tier: Path) -> None:
    async with watching(two_tier, review=True) as person:
        assert not (two_tier.parent / FOLDER).exists()
        assert header(person)


async def test_who_has_a_file_open_is_told_once_another_saves_it(
    watching: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with watching(two_tier) as person:
        bob = bob_opens(two_tier, monkeypatch)
        await person.until(lambda: "also open: Bob on " in person.message)
        beside = two_tier.with_suffix(".new")  # whole at once, as the program saves
        beside.write_text(two_tier.read_text() + "# by Bob\n")
        beside.replace(two_tier)
        await person.until(lambda: "was saved elsewhere meanwhile (Bob on " in person.message)
        await person.press("plus")
        assert "saved elsewhere" not in person.message
        await person.press("s")  # the dialog of a conflict is as it was
        for way in (
            "show what differs",
            "overwrite it",
            "another name",
            "open the file",
            "nothing",
        ):
            assert way in person.seen()
        await person.press("w")
        await person.until(lambda: "saved" in person.message)
        assert "# by Bob" not in two_tier.read_text()
        bob.leave()


async def test_ones_own_saves_are_no_news(watching: OpenApp, two_tier: Path) -> None:
    async with watching(two_tier) as person:
        person.designer.select_group("node")
        for _ in range(3):
            await person.press("plus", "s")
            await person.until(lambda: person.message.startswith("saved "))
        watcher = person.designer.screen.query_one(file_watcher.FileWatcher)
        assert watcher._presence is not None
        assert watcher._presence.others() == ()
        assert person.message.startswith("saved ")


async def test_a_file_that_is_gone_is_said(watching: OpenApp, two_tier: Path) -> None:
    async with watching(two_tier) as person:
        two_tier.unlink()
        await person.until(lambda: "is gone, or cannot be read" in person.message)


async def test_a_design_that_gets_a_file_is_announced_there(
    watching: OpenApp, two_tier: Path
) -> None:
    async with watching(two_tier) as person:
        await person.press("S")
        await person.answer(str(two_tier.with_name("mine.yaml")))
        mine = Presence(two_tier.with_name("mine.yaml"))
        await person.until(lambda: len(mine.others()) == 1)
        assert Presence(two_tier).others() == ()
