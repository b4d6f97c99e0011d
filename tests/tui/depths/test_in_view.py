"""Inside the fabric the frame says which devices and ports are in view, as rows are labelled."""

from __future__ import annotations

import re

from tests.tui.canvas.fabrics import SUPERPOD, plan_of
from tests.tui.person import OpenApp
from toposmith.saved_designs import FOLDER
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import DepthChart
from toposmith.tui.depths.matrix import Matrix
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import enter

ROWS = 3 + 32 + 1 + 3 + 8  # 32 nodes and 8 leaves of a unit, each below three lines of headings


def unit(room: int = 84) -> Matrix:
    plan = plan_of(SUPERPOD)
    return Matrix(plan, enter(plan, "node"), Loads({}, {}), room)


def test_nothing_is_said_where_the_whole_unit_is_in_view() -> None:
    matrix = unit(200)
    assert matrix.in_view(Area(0, 0, matrix.width, ROWS)) == ""


def test_the_first_rows_are_headings_and_then_nodes() -> None:
    assert unit().in_view(Area(0, 0, 400, 3 + 10)) == "node 0-9 of 32"


def test_two_groups_are_in_view_where_one_ends_and_the_next_begins() -> None:
    # headings stand still above, so that they hide three rows: nodes 17 to 31, then leaves
    assert unit().in_view(Area(0, 17, 400, 24)) == "node 17-31 of 32; leaf 0-1 of 8"


def drawing(width: int, height: int) -> DepthChart:
    chart = DepthChart()
    chart.width, chart.height = width, height
    return chart


def test_a_drawing_counts_rows_and_columns() -> None:
    assert drawing(80, 40).in_view(Area(0, 5, 80, 20)) == "rows 6-25 of 40"
    assert drawing(80, 20).in_view(Area(10, 0, 40, 20)) == "columns 11-50 of 80"
    assert drawing(80, 20).in_view(Area(0, 0, 90, 30)) == ""


async def test_the_frame_follows_the_steps(open_app: OpenApp) -> None:
    async with open_app(FOLDER / "dgx-h100-superpod-4su.yaml", size=(80, 24)) as person:
        depths = person.designer.depths
        person.designer.select_group("node")
        await person.press("enter")
        assert "node 0-" in str(depths.border_subtitle)
        await person.press(*["pagedown"] * 3)
        assert "node 0-" not in str(depths.border_subtitle)
        assert re.search(r"node \d+-\d+ of 32", str(depths.border_subtitle))
