"""The lock beside a design: a group that is renamed in the app keeps its cables, on disk too."""

from __future__ import annotations

from pathlib import Path

import toposmith
from tests.tui.person import OpenApp
from toposmith.command.main import main
from toposmith.design.edits import Edit
from toposmith.design.edits.groups import rename_group, set_count, split_group
from toposmith.design.stored_files import load_file
from toposmith.lock.binding import Binding, read_binding
from toposmith.lock.first_lock import bind_anew, lock_of
from toposmith.lock.lock_file import LockedCable, lock_text


def cables(lock: Path) -> list[LockedCable]:
    held = read_binding(lock).lock
    assert held is not None
    return held.cables


async def test_a_group_that_is_renamed_keeps_its_lines_and_undo_gives_them_back(
    open_app: OpenApp, two_tier: Path
) -> None:
    assert main(("lock", str(two_tier))) == 0
    lock = two_tier.with_suffix(".lock")
    before, lines = lock.read_text(), cables(lock)
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        editing.make(rename_group(editing.workbench.design, "node", "dgx"))
        await person.press("s")
        assert person.message == "saved two-tier.yaml"
        assert cables(lock) == lines
        assert "\tdgx\t" in lock.read_text()
        found = toposmith.evaluate(two_tier)
        kept = found.planned.kept()
        assert kept is not None
        assert (kept.kept, kept.laid, kept.pulled) == (len(lines), 0, 0)
        await person.press("u", "s")
    assert lock.read_text() == before


async def test_the_halves_of_a_group_keep_its_lines(open_app: OpenApp, two_tier: Path) -> None:
    assert main(("lock", str(two_tier))) == 0
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        lines = cables(two_tier.with_suffix(".lock"))
        editing.make(split_group(editing.workbench.design, "node", 3))
        kept = editing.workbench.evaluated.planned.kept()
        assert kept is not None
        assert (kept.kept, kept.laid, kept.pulled) == (len(lines), 0, 0)


async def test_a_lock_that_changed_meanwhile_is_left_alone(
    open_app: OpenApp, two_tier: Path
) -> None:
    assert main(("lock", str(two_tier))) == 0
    lock = two_tier.with_suffix(".lock")
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        editing.make(rename_group(editing.workbench.design, "node", "dgx"))
        other = lock.read_text().replace("C0001", "C9001")
        lock.write_text(other)
        await person.press("s")
        assert "has changed meanwhile" in person.message
    assert lock.read_text() == other


async def test_an_edit_in_the_app_keeps_the_lock(open_app: OpenApp, two_tier: Path) -> None:
    assert main(("lock", str(two_tier))) == 0
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus")
        design = person.designer.workbench.design
        assert design.lock is not None
        kept = person.designer.workbench.evaluated.planned.kept()
        assert kept is not None
        assert kept.laid == 0
        assert kept.pulled > 0


async def test_an_approval_in_the_app_binds_what_is_new_for_all_that_is_open(
    open_app: OpenApp, two_tier: Path
) -> None:
    assert main(("lock", str(two_tier))) == 0
    lock = two_tier.with_suffix(".lock")
    before = cables(lock)
    async with open_app(two_tier) as person:
        designer = person.designer.designer
        editing = designer.editing
        count = editing.workbench.design.groups["node"].count
        editing.make(set_count(editing.workbench.design, "node", count - 1))
        await person.press("s")
        assert cables(lock) == before  # saving binds no port
        assert bind_anew(editing.workbench.evaluated) is not None
        assert len(cables(lock)) < len(before)
        held = editing.workbench.design.lock
        assert held is not None
        assert held.cables == cables(lock)


async def test_a_lock_that_was_not_saved_outlives_a_crash(
    open_app: OpenApp, two_tier: Path
) -> None:
    assert main(("lock", str(two_tier))) == 0
    lock = two_tier.with_suffix(".lock")
    before, lines = lock.read_text(), cables(lock)
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        editing.make(rename_group(editing.workbench.design, "node", "dgx"))
    # the run is simply gone
    async with open_app() as person:
        await person.press("enter")
        kept = person.designer.workbench.evaluated.planned.kept()
        assert kept is not None
        assert (kept.kept, kept.laid, kept.pulled) == (len(lines), 0, 0)
        await person.press("u")
        assert person.designer.workbench.design == load_file(two_tier).design.bound_to(
            person.designer.workbench.saved_design.binding
        )
        await person.press("U", "s")
        assert person.message == "saved two-tier.yaml"
        assert cables(lock) == lines
        assert "\tdgx\t" in lock.read_text()
        await person.press("u", "s")
    assert lock.read_text() == before


async def test_a_first_lock_that_was_not_saved_outlives_a_crash(
    open_app: OpenApp, two_tier: Path
) -> None:
    lock = two_tier.with_suffix(".lock")
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        first = lock_of(editing.workbench.evaluated)
        bound = editing.workbench.design.bound_to(Binding(str(lock), held=first))
        editing.make(Edit(bound, "what lies there is the lock"))
    assert not lock.exists()
    async with open_app() as person:
        await person.press("enter")
        held = person.designer.workbench.design.lock
        assert held is not None
        assert lock_text(held) == lock_text(first)
        await person.press("s")
    assert lock.read_text() == lock_text(first)


async def test_a_recovered_lock_does_not_overwrite_what_another_wrote(
    open_app: OpenApp, two_tier: Path
) -> None:
    assert main(("lock", str(two_tier))) == 0
    lock = two_tier.with_suffix(".lock")
    async with open_app(two_tier) as person:
        editing = person.designer.designer.editing
        editing.make(rename_group(editing.workbench.design, "node", "dgx"))
    other = lock.read_text().replace("C0001", "C9001")
    lock.write_text(other)
    async with open_app() as person:
        await person.press("enter", "s")
        assert "has changed meanwhile" in person.message
    assert lock.read_text() == other
