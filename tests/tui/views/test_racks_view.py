"""Racks from the front in the app: what stands where, power against the limit, walked by keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp
from toposmith.racks.rack_loads import Elevation, MountedDevice, RackLoad
from toposmith.saved_designs import find_saved
from toposmith.tui.canvas.canvas import GroupItem
from toposmith.tui.drawing.glyphs import ASCII, UNICODE
from toposmith.tui.drawing.rack_picture import RackStyle, body_lines, head_lines
from toposmith.tui.views.racks_view import RacksView


@pytest.fixture
def superpod() -> Path:
    """127 DGX H100 in four SUs, four in each rack as NVIDIA recommends."""
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    return saved.path


SWITCH = MountedDevice(42, 1, "leaf", "leaf-0", "QM9700", is_switch=True)
NODE = MountedDevice(1, 8, "node", "node-0", "DGX H100")


def rack(*boxes: MountedDevice, power_w: float = 10_000.0, without: int = 0) -> Elevation:
    load = RackLoad(0, len(boxes), sum(box.units for box in boxes), power_w, without)
    return Elevation("A01", 0, 0, 42, boxes, load, ("A01",))


def frame(glyphs=UNICODE) -> RackStyle:
    return RackStyle(40, glyphs, 40_000.0, None)


def texts(lines) -> list[str]:
    return ["".join(text for text, _ in line.pieces) for line in lines]


def test_a_rack_to_scale_has_a_line_for_each_unit_and_every_line_is_as_wide() -> None:
    lines = texts(body_lines(rack(SWITCH, NODE), frame(), 44, None))
    assert len(lines) == 44
    assert {len(line) for line in lines} == {40}
    assert [int(line[:3]) for line in lines[1:-1]] == list(range(42, 0, -1))
    assert "leaf-0  QM9700" in lines[1]
    assert "free: U9 to U41" in lines[2]
    assert "node-0" in lines[35] and lines[35].startswith("  8")
    assert "DGX H100, 8 U" in lines[36]


@pytest.mark.parametrize("room", [43, 30, 20, 12, 7])
def test_a_rack_that_is_too_tall_still_shows_every_device_and_fits(room: int) -> None:
    lines = texts(body_lines(rack(SWITCH, NODE), frame(), room, None))
    assert len(lines) <= room
    assert any("leaf-0" in line for line in lines)
    assert any("node-0" in line for line in lines)


def test_the_selected_device_is_marked_without_colour_and_in_ascii() -> None:
    lines = texts(body_lines(rack(SWITCH, NODE), frame(ASCII), 44, 1))
    assert "> node-0" in lines[35]
    assert all(line.isascii() for line in lines)


def test_power_over_the_limit_and_unknown_power_are_said() -> None:
    assert (
        "50.0 of 40.0 kW OVER"
        in texts(head_lines(rack(NODE, power_w=5e4), frame(), chosen=True))[2]
    )
    unknown = rack(NODE, power_w=0.0, without=1)
    assert texts(head_lines(unknown, frame(), chosen=False))[2].strip() == "power unknown"
    half = texts(head_lines(rack(SWITCH, NODE, without=1), frame(), chosen=False))
    assert "1 unknown" in half[3]


async def test_escape_signs_in_a_name_are_shown_not_obeyed() -> None:
    bad = MountedDevice(1, 2, "node", "no\x1b[31mde", "[bold]part")
    shown = "".join(texts(body_lines(rack(bad), frame(), 44, None)))
    assert "\x1b" not in shown and "[bold]part" in shown


async def test_equal_racks_stand_once_with_their_power_and_heat(
    open_app: OpenApp, superpod: Path
) -> None:
    async with open_app(superpod) as person:
        await person.press("K")
        for size in ((80, 24), (120, 36), (200, 50)):
            await person.resize(size)
            seen = person.seen()
            # 4 x 10.2 kW = 40.8 kW; x 3.412142 BTU/h per W = 139,215 BTU/h
            for words in ("A01 and 30 more", "40.8 of 40.8 kW", "139,215 BTU/h"):
                assert words in seen, size
            assert "37 racks (assumed) of 42 U" in seen, size
        await person.press("K")
        assert person.designer.view is None


async def test_walking_ends_at_the_group_of_the_selected_device(
    open_app: OpenApp, superpod: Path
) -> None:
    async with open_app(superpod) as person:
        await person.press("K", "right", "home", "down")
        view = person.designer.query_one(RacksView)
        assert view.selected is not None
        assert (view.selected.name, view.selected.unit) == ("leaf-su0-rail1", 41)
        await person.press("enter")
        assert person.designer.view is None
        assert person.designer.canvas.selected == GroupItem("leaf")


async def test_two_boxes_in_one_unit_are_said_above_the_racks(
    open_app: OpenApp, two_tier: Path
) -> None:
    where = "{leaf: {rack: A01, unit: 3}, spine: {rack: A01, unit: 3}}"
    text = two_tier.read_text() + f"placement: {{devices: {where}}}\n"
    two_tier.write_text(text)
    async with open_app(two_tier, size=(200, 50)) as person:
        await person.press("K")
        assert "both take U" in person.seen()
