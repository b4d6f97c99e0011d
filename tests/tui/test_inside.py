"""Going into the fabric, moving about in it and coming out, by keys and by mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.saved_designs import FOLDER
from toposmith.tui.canvas.items import GroupItem
from toposmith.tui.views.depth_view import DepthView

SUPERPOD = FOLDER / "dgx-h100-superpod-4su.yaml"
LARGEST = FOLDER / "b200-131072gpu-fabric-per-rail.yaml"


def trail(person: Person) -> list[str]:
    return [crumb.text for crumb in person.designer.depths.trail]


def is_inside(person: Person) -> bool:
    return isinstance(person.designer.view, DepthView)


async def test_enter_goes_in_and_escape_comes_out(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("enter")
        assert trail(person) == ["Fabric", "su=0 of 4"]
        assert "compute to leaf by rail" in person.seen()
        await person.press("down", "down", "enter")
        assert trail(person) == ["Fabric", "su=0 of 4", "node=2 of 32"]
        assert "NVSwitch x 4" in person.seen()
        await person.press("escape")
        assert trail(person) == ["Fabric", "su=0 of 4"]
        assert "node[su=0,node=2].compute[0]" in person.seen(), "one stands where one went in"
        await person.press("escape")
        assert not is_inside(person)
        assert person.designer.canvas.selected == GroupItem("node")


async def test_a_cable_is_followed_from_a_nic_into_its_leaf(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("enter", "enter", "down", "down", "right", "enter")
        assert trail(person) == ["Fabric", "su=0 of 4", "leaf rail=1 of 8"]
        assert "to spine" in person.seen()
        assert person.designer.selected_group == "leaf", "e and i act on what one stands on"


async def test_neighbours_are_a_bracket_away_or_a_number(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("z", "]")
        assert trail(person)[1] == "su=1 of 4"
        await person.press("[", "[")
        assert trail(person)[1] == "su=3 of 4"
        await person.press("#")
        await person.answer("9")
        assert "su runs from 0 to 3, found 9" in person.seen()
        await person.answer("2")
        assert trail(person)[1] == "su=2 of 4"


async def test_a_review_looks_inside_and_changes_nothing(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD, review=True) as person:
        await person.press("enter", "enter")
        assert "NVSwitch x 4" in person.seen()
        await person.press("e")
        assert "open for review" in person.message


async def test_counts_change_while_one_is_inside(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("up", "up", "up", "up", "enter")
        assert trail(person) == ["Fabric", "spine, 16"]
        await person.press("x")
        if person.designer.asking:
            await person.press("enter")
        assert not is_inside(person), "what one stood in is gone"
        await person.press("u")
        assert "spine" in person.designer.workbench.design.groups


async def test_the_breadcrumb_is_clicked(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("enter", "enter")
        depths = person.designer.depths
        line = next(
            (y, text) for y, text in enumerate(person.seen().splitlines()) if "su=0 of 4 >" in text
        )
        await person.pilot.click(offset=(line[1].index("su=0") + 1, line[0]))
        await person.settle()
        assert depths.place is not None
        assert depths.place.device is None
        await person.pilot.click(offset=(line[1].index("Fabric") + 1, line[0]))
        await person.settle()
        assert not is_inside(person)


async def test_two_clicks_go_in(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        canvas = person.designer.canvas
        area = canvas.scene.areas(GroupItem("leaf"))[0]
        at = (area.x + 2 - canvas.scroll_offset.x + 1, area.y + 1 - canvas.scroll_offset.y + 1)
        await person.pilot.click(canvas, offset=at, times=2)
        await person.settle()
        assert trail(person) == ["Fabric", "su=0 of 4"]
        sheet = person.designer.depths.sheet
        await person.pilot.click(sheet, offset=(8, 5), times=2)
        await person.settle()
        assert trail(person)[-1] == "leaf rail=2 of 8"


async def test_the_curve_is_left_to_where_one_was(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("enter", "]", "v")
        assert not is_inside(person)
        await person.press("escape")
        assert trail(person) == ["Fabric", "su=1 of 4"]
        assert is_inside(person)


async def test_layers_are_shown_alone_and_named(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD) as person:
        await person.press("L")
        assert "compute only" in person.seen()
        assert "storage 2 x" not in person.seen()
        await person.press("L")
        assert "storage only" in person.seen()
        boxes = {box.item.name for box in person.designer.canvas.scene.layout.boxes}
        assert boxes == {"node"}
        await person.press("L")
        assert "only" not in str(person.designer.canvas.border_title)


async def test_a_group_is_moved_with_the_keys_and_undone(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD, size=(200, 50)) as person:
        canvas = person.designer.canvas
        before = canvas.scene.areas(GroupItem("node"))[0]
        await person.press("Z", "right", "right", "right")
        after = canvas.scene.areas(GroupItem("node"))[0]
        assert after.x == before.x + 6
        assert person.designer.workbench.design.view is None, "not yet"
        await person.press("enter")
        assert person.designer.workbench.design.view == {"positions": {"node": 6}}
        await person.press("u")
        assert canvas.scene.areas(GroupItem("node"))[0] == before
        await person.press("U", "O")
        assert person.designer.workbench.design.view is None
        await person.press("Z", "left", "escape")
        assert canvas.scene.areas(GroupItem("node"))[0] == before


async def test_a_group_is_moved_with_shift_and_the_mouse(open_app: OpenApp) -> None:
    async with open_app(SUPERPOD, size=(200, 50)) as person:
        canvas = person.designer.canvas
        area = canvas.scene.areas(GroupItem("node"))[0]
        x, y = area.x + 3, area.y + 2
        await person.pilot.mouse_down(canvas, offset=(x, y), shift=True)
        await person.pilot.hover(canvas, offset=(x + 5, y))
        await person.pilot.mouse_up(canvas, offset=(x + 5, y))
        await person.settle()
        assert person.designer.workbench.design.view == {"positions": {"node": 5}}


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (250, 70)])
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_the_largest_fabric_is_walked_at_every_size(
    open_app: OpenApp, size: tuple[int, int], ascii_only: bool
) -> None:
    async with open_app(LARGEST, size=size, ascii_only=ascii_only) as person:
        await person.press("enter")
        assert trail(person)[1] == "pod=0 of 16, su=0 of 32"
        await person.press("down", "enter", "right", "escape", "escape")
        assert not is_inside(person)
        if ascii_only:
            assert person.seen().isascii()


async def test_a_picture_larger_than_the_view_has_a_map(open_app: OpenApp, work_dir: Path) -> None:
    path = work_dir / "wide.yaml"
    groups = "\n".join(f"  leaf{n}: {{part: qm9700, count: 2}}" for n in range(12))
    path.write_text(f"toposmith: 1\ngroups:\n{groups}\n", encoding="utf-8")
    async with open_app(path) as person:
        canvas = person.designer.canvas
        assert canvas.max_scroll_x > 0
        assert "[" in person.seen()
        before = canvas.scroll_offset.x
        await person.press("shift+right")
        assert canvas.scroll_offset.x > before
        await person.press("shift+left")
        await person.pilot.mouse_down(canvas, offset=(20, 2))
        await person.pilot.hover(canvas, offset=(10, 2))
        await person.pilot.mouse_up(canvas, offset=(10, 2))
        await person.settle()
        assert canvas.scroll_offset.x == before + 10


async def test_numbers_over_ports_are_seen_whole_or_not_at_all(open_app: OpenApp) -> None:
    # 32 ports, every fourth numbered; 80 columns have no room for all of them.
    async with open_app(FOLDER / "hgx-a100-64gpu-roce-2to1.yaml", size=(80, 24)) as person:
        await person.press("home", "enter")
        sheet = person.designer.depths.sheet
        widths = set()
        while True:
            heading = sheet.render_line(2).text
            assert set(heading.split()) <= {str(port) for port in range(0, 32, 4)}
            widths.add(sheet.scroll_offset.x)
            before = sheet.spot
            await person.press("right")
            if sheet.spot == before:
                break
        assert len(widths) > 3, "the view moved under way"
