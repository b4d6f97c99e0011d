"""The change order in the app: from the lock where there is one, else from the saved version."""

from __future__ import annotations

from pathlib import Path

from tests.command.shell import OVERFULL, SOUND
from tests.tui.person import OpenApp
from toposmith.catalog import load_catalog
from toposmith.command.main import main
from toposmith.design.edits import Edit
from toposmith.design.writer import design_text
from toposmith.templates import new_design


def racks(count: int) -> str:
    return design_text(new_design("top-of-rack", {"racks": count}, catalog=load_catalog()))


async def test_steps_from_the_saved_version_are_shown_with_their_acts(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "racks.yaml"
    path.write_text(racks(2), encoding="utf-8")
    async with open_app(path) as person:
        designer = person.designer
        new = new_design("top-of-rack", {"racks": 4}, catalog=load_catalog())
        designer.designer.editing.make(Edit(new, "twice the racks"))
        await person.press("0")
        view = designer.view_of("change")
        steps = [row.cells[1].text for row in view.shown_rows]
        assert steps[0].endswith("devices to add")
        assert "to lay" in steps[-1]
        assert any("add leaf-rack2" in line for line in view.shown_rows[0].detail)
        assert designer.workbench.design == new


async def test_with_a_lock_the_order_begins_at_what_lies_there(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "racks.yaml"
    path.write_text(racks(2), encoding="utf-8")
    assert main(("lock", str(path))) == 0
    path.write_text(racks(3), encoding="utf-8")
    async with open_app(path) as person:
        await person.press("0")
        view = person.designer.view_of("change")
        verbs = {line.split()[0] for row in view.shown_rows for line in row.detail[1:]}
        assert {"add", "lay"} <= verbs


async def test_more_cables_than_ports_are_said_in_place_of_an_order(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(SOUND, encoding="utf-8")
    assert main(("lock", str(path))) == 0
    path.write_text(OVERFULL, encoding="utf-8")
    async with open_app(path) as person:
        await person.press("0")
        view = person.designer.view_of("change")
        assert not view.shown_rows
        assert "mend this first" in view.table.empty
