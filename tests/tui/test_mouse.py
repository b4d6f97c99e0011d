"""Whatever the keyboard can do the mouse can."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Offset

from tests.tui.person import OpenApp, Person
from toposmith.tui.canvas.canvas import GroupItem
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.parts_panel import PartsPanel


def _place(person: Person, name: str) -> Offset:
    """The middle of a group's box, on the canvas."""
    canvas = person.designer.canvas
    anchor = canvas.scene.anchor(GroupItem(name))
    assert anchor is not None
    scroll = canvas.scroll_offset
    return Offset(anchor.x - scroll.x + 1, anchor.y - scroll.y + 1)


async def test_a_click_selects_and_a_drag_wires(open_app: OpenApp, work_dir: Path) -> None:
    path = work_dir / "unwired.yaml"
    path.write_text(
        "toposmith: 1\ngroups:\n  node: {part: dgx-h100, count: 8}\n  leaf: {part: qm9700}\n"
    )
    async with open_app(path) as person:
        await person.pilot.click("#canvas", offset=_place(person, "leaf"))
        assert person.designer.selected_group == "leaf"
        await person.pilot.mouse_down("#canvas", offset=_place(person, "node"))
        await person.pilot.hover("#canvas", offset=_place(person, "leaf"))
        await person.pilot.mouse_up("#canvas", offset=_place(person, "leaf"))
        await person.settle()
        assert person.designer.asking
        await person.press("enter", "enter")
        link = person.designer.workbench.design.links[0]
        assert link.between == ("node.compute", "leaf")


async def test_a_click_on_a_key_of_the_footer_does_its_action(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bar = person.designer.query_one(KeyBar)
        column = person.seen().splitlines()[-1].index("m collective")
        await person.pilot.click(KeyBar, offset=(column - bar.region.x, 0))
        await person.settle()
        assert person.designer.workbench.request.collective == "all_gather"


async def test_a_click_on_a_key_of_a_question_answers_it(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        for key, count in (("Esc", 8), ("Enter", 5)):
            person.designer.select_group("node")
            await person.press("c")
            await person.type("5")
            column = person.seen().splitlines()[-1].index(key)
            await person.pilot.click(KeyBar, offset=(column, 0))
            await person.settle()
            assert not person.designer.asking
            assert person.designer.workbench.design.groups["node"].count == count


async def test_a_double_click_on_a_part_adds_it(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.pilot.click("#part-list", offset=(3, 1), times=2)
        await person.settle()
        assert "how many" in person.seen()
        assert person.designer.query_one(PartsPanel).region.width > 0
