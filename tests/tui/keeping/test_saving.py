"""Saving loses nothing: neither comments, nor what somebody else wrote, nor an existing file."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.person import OpenApp, Person
from toposmith.design.stored_files import load_file


@pytest.fixture
def edited_by_another(two_tier: Path) -> str:
    return two_tier.read_text().replace("count: 8", "count: 4") + "# by another\n"


async def _edit(person: Person) -> None:
    person.designer.select_group("node")
    await person.press("minus")


async def test_comments_of_a_file_written_by_hand_stay(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        await person.press("ctrl+s")
        assert person.message == "saved two-tier.yaml"
    assert "name: Two tiers  # kept" in two_tier.read_text()
    assert load_file(two_tier).design.groups["node"].count == 7


async def test_a_file_that_somebody_else_changed_is_not_overwritten_unasked(
    open_app: OpenApp, two_tier: Path, edited_by_another: str
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text(edited_by_another)
        await person.press("s")
        assert "changed" in person.seen()
        await person.press("c")
        assert two_tier.read_text() == edited_by_another
        assert person.designer.workbench.dirty


async def test_a_conflict_can_be_saved_under_another_name(
    open_app: OpenApp, two_tier: Path, edited_by_another: str, work_dir: Path
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text(edited_by_another)
        await person.press("s", "a")
        await person.answer("mine.yaml")
        assert person.message == "saved mine.yaml"
    assert two_tier.read_text() == edited_by_another
    assert load_file(work_dir / "mine.yaml").design.groups["node"].count == 7


async def test_a_conflict_can_be_overwritten_on_purpose(
    open_app: OpenApp, two_tier: Path, edited_by_another: str
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text(edited_by_another)
        await person.press("s", "w")
        assert person.message == "saved two-tier.yaml"
    assert load_file(two_tier).design.groups["node"].count == 7


async def test_a_bill_does_not_replace_an_existing_file_unasked(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    bill = work_dir / "two-tier.bom.yaml"
    bill.write_text("mine\n")
    async with open_app(two_tier) as person:
        await person.press("B", "enter")
        assert "exists already" in person.seen()
        await person.press("c")
        assert bill.read_text() == "mine\n"
        await person.press("B", "enter", "r")
        assert person.message == "wrote two-tier.bom.yaml"
    assert "dgx-h100" in bill.read_text().lower()


async def test_a_saved_design_opens_as_a_copy_of_ones_own(open_app: OpenApp) -> None:
    from toposmith.saved_designs import saved_designs

    first = saved_designs()[0]
    before = first.path.read_bytes()
    async with open_app() as person:
        await person.press("down", "down", "down", "enter")
        assert person.designer.session.path is None
        await _edit(person)
        await person.press("s", "enter")
        assert person.message == f"saved {first.path.name}"
    assert first.path.read_bytes() == before
    assert Path(first.path.name).exists()


async def test_a_conflict_shows_the_difference_before_it_is_decided(
    open_app: OpenApp, two_tier: Path, edited_by_another: str
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text(edited_by_another)
        await person.press("s", "d")
        assert "groups.node.count: 4 becomes 7" in person.seen()
        await person.press("escape")
        assert "overwrite it" in person.seen()
        await person.press("c")
        assert person.designer.workbench.dirty
    assert two_tier.read_text() == edited_by_another


async def test_a_conflict_can_be_settled_by_opening_what_the_other_wrote(
    open_app: OpenApp, two_tier: Path, edited_by_another: str
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text(edited_by_another)
        await person.press("s", "r")
        assert person.message == "opened two-tier.yaml from disk"
        assert person.designer.workbench.design.groups["node"].count == 4
        assert not person.designer.workbench.dirty
        await person.press("s")
    assert two_tier.read_text() == edited_by_another


async def test_a_file_that_cannot_be_read_any_more_keeps_the_design_here(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _edit(person)
        two_tier.write_text("toposmith: [\n")
        await person.press("s", "r")
        assert "cannot be read" in person.seen()
        await person.press("escape", "c")
        assert person.designer.workbench.design.groups["node"].count == 7


async def test_a_name_that_cannot_be_written_is_asked_for_again_with_what_was_typed(
    open_app: OpenApp, two_tier: Path
) -> None:
    missing = two_tier.parent / "missing" / "copy.yaml"
    async with open_app(two_tier) as person:
        await person.press("S")
        await person.answer(str(missing))
        assert "not saved" in person.message
        entry = person.app.screen.query_one("#question-input", Input)
        assert person.designer.asking and entry.value == str(missing)
        await person.answer(str(two_tier.parent / "copy.yaml"))
        assert not person.designer.asking
    assert (two_tier.parent / "copy.yaml").exists()
