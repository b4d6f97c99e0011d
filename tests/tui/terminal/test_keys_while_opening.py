"""Keys typed while a design is being opened wait for it, all of them and in their order."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import Person
from toposmith.tui.app import ToposmithApp


async def test_keys_typed_before_the_design_is_there_change_what_they_select(
    two_tier: Path, work_dir: Path
) -> None:
    app = ToposmithApp(two_tier)
    async with app.run_test(size=(80, 24)) as pilot:
        person = Person(app, pilot)
        await person.press_at_once("end", "minus", "home", "minus")
        groups = person.designer.workbench.design.groups
        assert (groups["node"].count, groups["spine"].count) == (7, 1)


async def test_keys_typed_for_a_file_that_cannot_be_read_are_dropped(work_dir: Path) -> None:
    broken = work_dir / "broken.yaml"
    broken.write_text("groups: [", encoding="utf-8")
    app = ToposmithApp(broken)
    async with app.run_test(size=(80, 24)) as pilot:
        person = Person(app, pilot)
        await person.press_at_once("down", "enter")
        assert app.return_code == 2
