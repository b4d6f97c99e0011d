"""Every row of every depth has the width that its chart states, whatever the design and room."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from tests.every import for_every
from toposmith.catalog import Node, NvlinkSwitch, Switch, load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs
from toposmith.tui.depths.chart import DepthChart
from toposmith.tui.depths.depth_sheet import DepthSheet
from toposmith.tui.depths.drawing import chart_of
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import DepthPlace, DeviceInstance, enter, enter_device

CATALOG = load_catalog()
ROOMS = [12, 27, 40, 49, 84, 160]
PARTS = [part.id for part in CATALOG if isinstance(part, (Node, Switch, NvlinkSwitch))]
SAVED = {saved.name: saved.path for saved in saved_designs()}
IN_TURN = [(name, room) for number, name in enumerate(SAVED) for room in ROOMS[number % 3 :: 3]]
"""Every saved design in a narrow and a wide room, every room with several designs."""


@cache
def saved_plan(path: Path) -> Plan:
    return plan_design(load_file(path).design, CATALOG)


def plan_of_a(part: str) -> Plan:
    """A device of the catalog by itself, once under a short and once under a long name."""
    long = {"part": part, "count": 2}
    design = Design.model_validate({"groups": {"device": long, f"a-{'long-' * 6}name": long}})
    return plan_design(design, CATALOG)


def charts_of(plan: Plan, room: int, *, ascii_only: bool = False) -> list[DepthChart]:
    """The chart of every group, and of its first device."""
    places: list[DepthPlace] = []
    for name, group in plan.groups.items():
        first = enter_device(plan, DeviceInstance(name, (0,) * len(group.axes)))
        places += [enter(plan, name), *([first] if first is not None else [])]
    return [
        chart_of(plan, CATALOG, place, Loads(), room, rows=rows, ascii_only=ascii_only)
        for place in places
        for rows in (16, 40)
    ]


def wrong_rows(chart: DepthChart) -> list[str]:
    """Rows, of the first hundred, that are narrower or wider than the chart."""
    lines = ["".join(text for text, _ in chart.line(y)) for y in range(min(chart.height, 100))]
    return [line for line in lines if cell_len(line) != chart.width]


@for_every(IN_TURN)
def test_rows_of_every_saved_design_are_as_wide_as_their_chart(case: tuple[str, int]) -> None:
    name, room = case
    for chart in charts_of(saved_plan(SAVED[name]), room):
        assert wrong_rows(chart) == []


@for_every(enumerate(PARTS))
def test_rows_of_every_device_of_the_catalog_are_as_wide_as_their_chart(
    case: tuple[int, str],
) -> None:
    number, part = case
    room, ascii_only = ROOMS[number % len(ROOMS)], number // len(ROOMS) % 2 == 0
    for chart in charts_of(plan_of_a(part), room, ascii_only=ascii_only):
        assert wrong_rows(chart) == []


class _Sheet(App[None]):
    def compose(self) -> ComposeResult:
        yield DepthSheet()


@pytest.mark.parametrize("size", [(20, 8), (27, 18), (80, 24)])
async def test_a_view_is_filled_to_its_edge_and_no_farther(size: tuple[int, int]) -> None:
    app = _Sheet()
    async with app.run_test(size=size) as pilot:
        sheet = app.query_one(DepthSheet)
        for name in ("dgx-a100-su", "gb200-nvl72-rack"):  # switches above nodes, and above trays
            for chart in charts_of(saved_plan(SAVED[name]), sheet.size.width):
                sheet.show(chart)
                await pilot.pause()
                for y in range(sheet.size.height):
                    strip = sheet.render_line(y)
                    assert strip.cell_length == cell_len(strip.text) == sheet.size.width
