"""Whatever the keyboard can do the mouse can."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Offset

from tests.tui.person import OpenApp, Person
from toposmith.tui.actions.every_action import actions_of
from toposmith.tui.canvas.canvas import GroupItem, LinkItem
from toposmith.tui.screens.pointer_menu import PointerMenu
from toposmith.tui.widgets.key_bar import KeyBar


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
        await person.press("p")
        await person.pilot.click("#part-list", offset=(3, 1), times=2)
        await person.settle()
        assert "how many" in person.seen()


async def _right_click(person: Person, on: str | None, x: int, y: int) -> None:
    await person.pilot.click(on, offset=(x, y), button=3)
    await person.settle()


async def _take(person: Person, words: str) -> None:
    """Click on a line of the menu."""
    assert isinstance(person.app.screen, PointerMenu), person.seen()
    lines = person.seen().splitlines()
    row = next(at for at, line in enumerate(lines) if words in line)
    await person.pilot.click(offset=(lines[row].index(words), row))
    await person.settle()


async def test_a_right_click_offers_what_can_be_done_with_what_is_under_the_pointer(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await _right_click(person, "#canvas", *_place(person, "leaf"))
        assert person.designer_below.selected_group == "leaf"
        assert "NICs" not in person.seen(), "a switch has no slots"
        await person.press("escape")
        await _right_click(person, "#canvas", *_place(person, "node"))
        assert "NICs" in person.seen()
        await _take(person, "Fewer")
        assert person.designer.workbench.design.groups["node"].count == 7
        anchor = person.designer.canvas.scene.anchor(LinkItem(1))
        await _right_click(person, "#canvas", anchor.x + 1, anchor.y + 1)
        await _take(person, "Delete")
        assert len(person.designer.workbench.design.links) == 1
        await _right_click(person, "#canvas", 2, 2)
        await _take(person, "Undo")
        assert len(person.designer.workbench.design.links) == 2


async def test_a_right_click_on_a_line_of_a_table_goes_there_and_offers_its_keys(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 40)) as person:
        await person.press("F")
        view = person.designer.view
        lines = person.seen().splitlines()
        row = next(at for at, line in enumerate(lines) if line.lstrip("│ ").startswith("spine"))
        await _right_click(person, None, 5, row)
        assert view.selected.cells[0].text == "spine"
        await _take(person, "without")
        assert person.designer.workbench.failing == ("spine[spine=0]",)


async def test_a_right_click_on_a_part_does_not_add_it_and_offers_to(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("p")
        await _right_click(person, "#part-list", 3, 1)
        await _take(person, "Put the part on the canvas")
        assert "how many" in person.seen()


def test_everything_that_a_group_or_link_is_needed_for_is_offered_on_it() -> None:
    for one in actions_of("designer"):
        if one.needs in ("group", "chosen", "node", "item"):
            assert "group" in one.things
        if one.needs.startswith("item"):
            assert "link" in one.things
