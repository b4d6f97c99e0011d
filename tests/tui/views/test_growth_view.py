"""Growth in the app: the steps from the saved version, and the fabric after one of them."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.catalog import load_catalog
from toposmith.design.writer import design_text
from toposmith.templates import new_design
from toposmith.tui.views.growth_view import GrowthView


async def test_steps_from_the_saved_version_are_shown_and_one_is_previewed(
    open_app: OpenApp, tmp_path: Path
) -> None:
    catalog = load_catalog()
    old, new = (new_design("top-of-rack", {"racks": racks}, catalog=catalog) for racks in (2, 4))
    path = tmp_path / "racks.yaml"
    path.write_text(design_text(old), encoding="utf-8")
    async with open_app(path) as person:
        designer = person.designer
        from toposmith.design.edits import Edit

        designer.designer.editing.make(Edit(new, "twice the racks"))
        await person.press("0")
        view = designer.view_of(GrowthView)
        steps = [row.cells[1].text for row in view.shown_rows]
        assert steps
        assert steps[0].startswith("place and power 8 nodes")
        assert steps[-1].endswith("32 GPUs join"), steps
        await person.press("end", "up", "enter")
        assert "after" in person.seen() or "make" in person.seen()
        assert designer.workbench.design == new
        await person.press("enter")
        assert designer.workbench.design.absent == ("node[rack=3,node=0..3]",)
        await person.press("u")
        assert designer.workbench.design == new
