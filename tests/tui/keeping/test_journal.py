"""A journal tells every step noted, wherever it was cut off, and whatever the disk does."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.person import OpenApp, Person
from toposmith.design.stored_files import load_file
from toposmith.tui.keeping import recovery
from toposmith.tui.keeping.journal import Head, JournalStep, Told, head_line, lines_between, told

TEXTS = st.text(max_size=12)
STEPS = st.lists(st.builds(JournalStep, TEXTS, TEXTS, st.none() | TEXTS), min_size=1, max_size=6)


@given(st.lists(STEPS, min_size=1, max_size=5), TEXTS)
def test_what_was_noted_bit_by_bit_is_told_whole(
    histories: list[list[JournalStep]], text: str
) -> None:
    head = Head(origin=text, text=text, saved=histories[0][0].design)
    written = head_line(head)
    before: list[JournalStep] = []
    at = -1
    for history in histories:
        written += lines_between(before, at, history, len(history) - 1)
        before, at = history, len(history) - 1
    assert told(written) == Told(head, tuple(before), at)


@given(STEPS, st.data())
def test_a_journal_cut_off_anywhere_tells_the_steps_before(
    steps: list[JournalStep], data: st.DataObject
) -> None:
    start = head_line(Head()) + lines_between([], -1, steps[:1], 0)
    whole = start + lines_between(steps[:1], 0, steps, len(steps) - 1)
    cut = data.draw(st.integers(len(start), len(whole)))
    found = told(whole[:cut])
    assert found is not None
    assert list(found.steps) == steps[: len(found.steps)]


def test_what_is_no_journal_tells_nothing() -> None:
    step = lines_between([], -1, [JournalStep("open", "x")], 0)
    assert told("") is None
    assert told("toposmith: 1\n") is None
    assert told(head_line(Head())) is None
    assert told(step) is None
    assert told('{"toposmith-journal":2}\n' + step) is None
    assert told('{"toposmith-journal":1,"unknown":2}\n' + step) is None
    assert told(head_line(Head()) + '{"step":"x","head":"many","tail":0,"put":""}\n') is None


async def _fewer(person: Person) -> None:
    person.designer.select_group("node")
    await person.press("minus")


async def test_break_undo_crash_recover(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
        await person.press("minus", "x", "u", "u")
        before = person.designer.workbench
        assert before.design.groups["node"].count == 7
    # nothing was saved and nothing was said: the run is simply gone
    async with open_app() as person:
        assert "node: count 7" in person.seen()  # it is first, and under the cursor
        await person.press("enter")
        bench = person.designer.workbench
        assert bench.design == before.design
        assert bench.history == before.history == ["node: count 7"]
        assert bench.undone == before.undone
        assert bench.dirty
        await person.press("U")
        assert bench.design.groups["node"].count == 6
        await person.press("u", "u")
        assert bench.design == load_file(two_tier).design
        assert "unsaved" not in person.seen()
        await person.press("U", "s")
        assert person.message == "saved two-tier.yaml"
    assert "# kept" in two_tier.read_text()
    assert load_file(two_tier).design.groups["node"].count == 7
    assert list(recovery.recovery_dir().iterdir()) == []


async def test_recovered_work_asks_before_it_overwrites_what_another_wrote(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
    two_tier.write_text(two_tier.read_text() + "# by another\n")
    async with open_app() as person:
        await person.press("enter", "s")
        assert "changed" in person.seen()


async def test_recovered_work_whose_file_is_gone_asks_for_a_name(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
    two_tier.unlink()
    async with open_app() as person:
        await person.press("enter")
        assert "* unsaved" in person.seen()
        await person.press("s", "enter")
        assert person.message == "saved two-tier.yaml"
    assert load_file(two_tier).design.groups["node"].count == 7


async def test_undo_goes_back_beyond_saving_after_a_crash(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
        await person.press("s", "minus")
    async with open_app() as person:
        await person.press("enter", "u", "u")
        assert person.designer.workbench.design.groups["node"].count == 8


async def test_a_full_disk_is_said_once_and_the_next_step_is_noted_again(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        if bytes(data).startswith(b"{"):
            real(descriptor, data[:5])  # the disk takes a part of it
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data)

    async with open_app(two_tier) as person:
        await _fewer(person)
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            await person.press("minus")
            assert "No space left on device" in person.message
            await person.press("minus")
            assert person.message.startswith("node: count 5")
        await person.press("minus")
        design = person.designer.workbench.design
    (rescued,) = recovery.rescued_designs()
    assert recovery.design_of(rescued.told.steps[-1].design) == design
    assert len(rescued.told.steps) == 5


async def test_a_state_directory_that_cannot_be_made_is_said(
    open_app: OpenApp, two_tier: Path, own_home: Path
) -> None:
    (own_home / "state").write_text("a file where the directory should be")
    async with open_app(two_tier) as person:
        await _fewer(person)
        assert "cannot be kept for recovery" in person.message
        await person.press("minus")
        assert "unsaved, not recoverable" in person.seen(), "as long as it is so"
        await person.press("s")
        assert "not recoverable" not in person.seen()
        assert person.message == "saved two-tier.yaml"


async def test_giving_changes_up_leaves_nothing_behind(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
        await person.press("q", "d")
    assert list(recovery.recovery_dir().iterdir()) == []


async def test_changes_taken_back_before_a_crash_are_not_offered(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
        await person.press("u")
    assert recovery.rescued_designs() == []
    assert list(recovery.recovery_dir().iterdir()) == []


async def test_a_file_that_was_overwritten_leads_to_its_unsaved_work(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _fewer(person)
    two_tier.write_text("{ nonsense")
    async with open_app(two_tier) as person:
        assert "two-tier.yaml cannot be read; its unsaved work" in person.message
        assert "node: count 7" in person.seen()  # it is first, and under the cursor
        await person.press("enter")
        assert person.designer.workbench.design.groups["node"].count == 7
    assert two_tier.read_text() == "{ nonsense"
