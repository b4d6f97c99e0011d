"""Links of switches to their like are drawn one around the other, each with its words inside."""

from __future__ import annotations

import pytest

from tests.tui.canvas.drawn import as_text
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.scene import Scene
from toposmith.tui.canvas.trunk_figures import Figures
from toposmith.tui.depths.device_ports import jacks
from toposmith.tui.depths.places import enter, groups_in, instances
from toposmith.tui.depths.port_text import heading

CATALOG = load_catalog()
CANVAS = [(51, 19), (52, 32), (106, 46)]
"""The canvas of terminals of 80x24, 120x36 and 200x50."""


def fabric(axes: str, per: str, *links: str) -> Plan:
    text = (
        f"toposmith: 2\naxes: {{{axes}}}\ngroups:\n"
        f"  node: {{part: dgx-h100, per: [{per}]}}\n  switch: {{part: qm9700, per: [{per}]}}\n"
        "links:\n  - {between: [node.compute, switch]}\n"
        + "".join(f"  - {{between: [switch, switch], {link}}}\n" for link in links)
    )
    plan = plan_design(parse_design(text, "test"), CATALOG)
    assert not [one for one in plan.findings if one.severity == "error"]
    return plan


TORUS = fabric(
    "x: 16, y: 12, z: 8", "x, y, z", *(f"along: {{{axis}: next}}, cables: 4" for axis in "xyz")
)
DRAGONFLY = fabric(
    "group: 33, place: 16",
    "group, place",
    "along: {place: other}",
    "along: {group: other, place: dealt}, cables: 4",
)


@pytest.mark.parametrize(("width", "height"), CANVAS)
@pytest.mark.parametrize("plan", [TORUS, DRAGONFLY], ids=["torus", "dragonfly"])
def test_axes_fit_into_the_canvas_of_every_terminal(plan: Plan, width: int, height: int) -> None:
    layout = lay_out(plan, width, height)
    assert layout.width == width
    assert layout.height <= height + 2, "of the smallest terminal two rows of nodes are scrolled to"


@pytest.mark.parametrize(("width", "height"), CANVAS)
def test_a_torus_is_drawn_as_its_axes(width: int, height: int) -> None:
    text = as_text(Scene(lay_out(TORUS, width, height), Figures()))
    for words in ("ring of 16 in x", "ring of 12 in y", "ring of 8 in z"):
        assert words in text


def test_the_mesh_of_a_dragonfly_lies_inside_what_joins_its_groups() -> None:
    layout = lay_out(DRAGONFLY, 106, 46)
    loops = {trunk.item.index: trunk for trunk in layout.trunks if trunk.lower == trunk.upper}
    mesh, between = loops[1], loops[2]
    assert "mesh of 16 in place" in mesh.caption[0][0]
    assert "4 from group to group" in between.caption[0][0]
    assert between.path[0][0] < mesh.path[0][0] < mesh.path[-1][0] < between.path[-1][0]
    assert between.path[1][1] < mesh.path[1][1]


def test_one_group_of_a_dragonfly_is_a_place_with_local_and_global_links() -> None:
    place = enter(DRAGONFLY, "switch")
    assert place.fixed == (("group", 0),)
    assert instances(DRAGONFLY, place, "switch") == 16
    assert groups_in(DRAGONFLY, place) == ["switch", "node"]
    headings = dict.fromkeys(
        heading(DRAGONFLY, "switch", jack) for jack in jacks(DRAGONFLY, "switch")
    )
    assert list(headings)[:3] == ["to node", "mesh place", "other group"]


def test_the_ports_of_a_torus_say_their_axis_first() -> None:
    headings = dict.fromkeys(heading(TORUS, "switch", jack) for jack in jacks(TORUS, "switch"))
    assert list(headings)[:4] == ["to node", "ring x", "ring y", "ring z"]
