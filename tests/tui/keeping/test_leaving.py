"""Nothing is lost when the program ends: not by a key, a dropped connection, or a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.crash import FAILED, crash_lines
from toposmith.design.stored_files import load_file
from toposmith.tui.keeping import recovery
from toposmith.tui.screens.welcome import WelcomeScreen


async def _edit(person: Person) -> None:
    person.designer.select_group("node")
    await person.press("minus")


async def test_quitting_asks_where_something_is_not_saved(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        await person.press("q")
        assert "has changes that are not saved" in person.seen()
        await person.press("c")
        assert person.app.is_running
        assert not person.designer.asking
        await person.press("ctrl+q", "escape")
        assert person.app.is_running
        await person.press("q", "d")
        assert person.app.return_code == 0
    assert load_file(two_tier).design.groups["node"].count == 8


async def test_quitting_can_save_first(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        await person.press("q", "s")
        assert person.app.return_code == 0
    assert load_file(two_tier).design.groups["node"].count == 7


async def test_quitting_a_saved_design_asks_nothing(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("question_mark", "ctrl+q")
        assert person.app.return_code == 0


async def test_a_dropped_connection_keeps_the_work_and_the_next_start_offers_it(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        person.app._leave_at_once()
        await person.settle()
        assert person.app.return_code == 129
        assert "your unsaved work is in" in person.app.farewell[0]
    assert load_file(two_tier).design.groups["node"].count == 8

    async with open_app() as person:
        assert "unsaved work of an earlier run" in person.seen()
        await person.press("enter")
        assert person.designer.workbench.design.groups["node"].count == 7
        assert "* unsaved" in person.seen()
        await person.press("s")
        assert person.message == "saved two-tier.yaml"
        assert recovery.rescued_designs() == []
    assert load_file(two_tier).design.groups["node"].count == 7
    assert "unsaved work" not in two_tier.read_text()


async def test_a_crash_leaves_three_lines_a_log_and_the_work(
    open_app: OpenApp, two_tier: Path
) -> None:
    with pytest.raises(RuntimeError, match="out of paint"):
        async with open_app(two_tier) as person:
            await _edit(person)
            person.designer.call_later(_fail)
            await person.until(lambda: not person.app.is_running)
    assert person.app.return_code == FAILED
    lines = person.app.farewell
    assert len(lines) == 3
    assert lines[0] == "toposmith failed: RuntimeError: out of paint"
    kept = Path(lines[1].removeprefix("your unsaved work is in ").partition(";")[0])
    assert kept == recovery.rescued_designs()[0].path
    log = Path(lines[2].removeprefix("the log is "))
    assert "Traceback" in log.read_text()


def _fail() -> None:
    raise RuntimeError("out of paint")


def test_a_crash_without_unsaved_work_says_so() -> None:
    lines = crash_lines(ValueError("x"), None, None)
    assert lines[1:] == [
        "nothing was unsaved, or it could not be written",
        "the log could not be written",
    ]


async def test_going_to_the_start_asks_first_and_offers_the_recent_file(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        await person.press("W", "s")
        assert isinstance(person.app.screen, WelcomeScreen)
        seen = person.seen()
        assert "recent files" in seen
        assert "two-tier.yaml" in seen


async def test_work_of_a_run_that_goes_on_is_not_offered(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        path = person.designer.session.rescue.path
        assert path is not None
        assert path.exists()
        assert recovery.rescued_designs() == []
    assert [rescued.path for rescued in recovery.rescued_designs()] == [path]
