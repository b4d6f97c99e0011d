"""What holds of every depth, whatever the design and the room."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from tests.tui.canvas.fabrics import CATALOG, SUPERPOD, analysis_of, plan_of
from toposmith.catalog import Catalog, Node, load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved
from toposmith.tui.depths.chart import ChartSpot, DepthChart
from toposmith.tui.depths.drawing import chart_of
from toposmith.tui.depths.faceplate import Faceplate
from toposmith.tui.depths.matrix import Matrix
from toposmith.tui.depths.node_chart import NodeChart
from toposmith.tui.depths.node_inside import read_inside
from toposmith.tui.depths.place_loads import Loads, read_loads
from toposmith.tui.depths.places import DepthPlace, DeviceInstance, enter, enter_device

ROOMS = [49, 53, 84, 160]


def rows(chart: DepthChart, top: int = 0, many: int = 60) -> list[str]:
    return [text_of(chart, y) for y in range(top, min(chart.height, top + many))]


def text_of(chart: DepthChart, y: int) -> str:
    return "".join(text for text, _ in chart.line(y))


def spots_of(chart: DepthChart, most: int = 400) -> list[ChartSpot]:
    """Every spot that can be walked to from the first."""
    first = chart.first()
    found = [first] if first is not None else []
    known = set(found)
    for spot in found:
        for way in ("up", "down", "left", "right"):
            there = chart.moved(spot, way)
            assert chart.holds(there)
            if there not in known and len(found) < most:
                found.append(there)
                known.add(there)
    return found


def places_of(plan: Plan) -> list[DepthPlace]:
    units = [enter(plan, name) for name in plan.groups]
    devices = [
        enter_device(plan, DeviceInstance(name, (0,) * len(plan.groups[name].axes)))
        for name in plan.groups
    ]
    return units + devices


def check(plan: Plan, chart: DepthChart) -> None:
    for y in range(min(chart.height, 60)):
        assert cell_len(text_of(chart, y)) == chart.width
    spots = spots_of(chart)
    areas = [chart.area(spot) for spot in spots]
    for spot, area in zip(spots, areas, strict=True):
        assert 0 <= area.x < area.right <= chart.width
        assert 0 <= area.y < area.bottom <= chart.height
        assert chart.spot_at(area.x, area.y) == spot, "what is seen is what is clicked"
        assert chart.words(spot)
        assert chart.group(spot) in plan.groups
    for one, other in combinations(areas[:60], 2):
        apart = one.right <= other.x or other.right <= one.x
        assert apart or one.bottom <= other.y or other.bottom <= one.y


@settings(deadline=None, max_examples=25)
@given(designs(), st.sampled_from(ROOMS), st.booleans())
def test_rows_fill_their_width_and_spots_lie_apart(plan: Plan, room: int, ascii_only: bool) -> None:
    for place in places_of(plan):
        check(plan, chart_of(plan, SMALL, place, Loads(), room, ascii_only=ascii_only))


@pytest.mark.parametrize("room", (ROOMS[0], ROOMS[-1]))
def test_every_node_of_the_catalog_can_be_looked_into(room: int) -> None:
    shipped: Catalog = load_catalog()
    nodes = [part for part in shipped if isinstance(part, Node)]
    assert nodes
    for part in nodes:
        plan = plan_design(Design.model_validate({"groups": {"node": {"part": part.id}}}), shipped)
        if read_inside(plan.groups["node"], shipped) is None:
            continue
        chart = NodeChart(plan, shipped, DeviceInstance("node", (0,)), Loads(), room)
        check(plan, chart)
        gpus = [spot for spot in spots_of(chart) if chart.words(spot)[0].startswith("GPU ")]
        assert len(gpus) == part.gpus


def test_a_unit_is_a_matrix_of_its_nodes_and_rails() -> None:
    plan = plan_of(SUPERPOD)
    loads = read_loads(plan, analysis_of(plan, {0: 0.97, 1: 0.1}))
    chart = Matrix(plan, enter(plan, "node"), loads, 60)
    text = rows(chart)
    assert text[0].split() == ["node", "32", "DGX", "H100"]
    assert "compute to leaf by rail" in text[1]
    assert text[2].split()[:8] == [str(number) for number in range(8)]
    assert re.fullmatch(r" 0 (.\d ){8}.*", text[3])
    assert chart.words((3, 5)) == (
        "node[su=0,node=0].compute[5] to leaf[su=0,rail=5]",
        "400 Gb/s, 48.5 of 50.0 GB/s, 97 %, limits",
    )


def test_loads_that_are_not_known_say_so() -> None:
    plan = plan_of(SUPERPOD)
    chart = Matrix(plan, enter(plan, "node"), read_loads(plan, None), 60)
    assert "?0 ?1 ?2" in rows(chart)[3]
    assert chart.words((3, 0))[1] == "400 Gb/s, load unknown"
    inside = NodeChart(plan, CATALOG, DeviceInstance("node", (0, 0)), Loads(), 60)
    assert "load unknown" in inside.words((1, 0))[1]


def test_the_pcie_link_of_a_nic_carries_what_its_port_carries() -> None:
    shipped = load_catalog()
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    plan = plan_design(load_file(saved.path).design, shipped)
    loads = read_loads(plan, analysis_of(plan, {0: 0.97, 1: 0.1}))
    inside = NodeChart(plan, shipped, DeviceInstance("node", (0, 0)), loads, 80)
    nics = [spot for spot in spots_of(inside) if inside.words(spot)[0].startswith("compute")]
    assert len(nics) == 8
    # 400 Gb/s are 50 GB/s, of which 97 % are carried; the slot is PCIe 5 x16, 63.0 GB/s
    assert all("PCIe 63.0 GB/s, 48.5 of 63.0 GB/s, 77 %" in inside.words(nic)[0] for nic in nics)


def test_a_gpu_that_computes_slowly_says_so_in_its_node_alone() -> None:
    shipped = load_catalog()
    text = (
        "toposmith: 2\ngroups:\n  node: {part: dgx-h100, count: 2}\n  leaf: {part: qm9700}\n"
        "links: [{between: [node.compute, leaf]}]\nslow: {'node[node=1].gpu[5]': 50 %}\n"
    )
    plan = plan_design(parse_design(text, "test"), shipped)
    slow = []
    for node in (0, 1):
        inside = NodeChart(plan, shipped, DeviceInstance("node", (node,)), Loads(), 80)
        words = [" ".join(inside.words(spot)) for spot in spots_of(inside)]
        slow += [(node, one[:5]) for one in words if "slow: computes at 50 %" in one]
    assert slow == [(1, "GPU 5")]


def test_a_tall_view_spreads_the_tiers_of_a_node_and_a_low_one_does_not() -> None:
    plan = plan_of(SUPERPOD)
    low, tall = (
        NodeChart(plan, CATALOG, DeviceInstance("node", (0, 0)), Loads(), 80, rows=rows)
        for rows in (16, 40)
    )
    assert (
        low.height == NodeChart(plan, CATALOG, DeviceInstance("node", (0, 0)), Loads(), 80).height
    )
    assert low.height < tall.height <= 40


def test_absent_down_and_free_ports_have_signs_of_their_own() -> None:
    plan = plan_of({**SUPERPOD, "down": ["leaf[su=3,rail=2]"]})
    chart = Matrix(plan, DepthPlace("node", (("su", 3),)), Loads(), 60)
    assert text_of(chart, 3).split()[1:5] == ["?0", "?1", "✗2", "?3"]
    assert set(text_of(chart, 3 + 31).split()[1:]) == {"-"}
    leaf = Matrix(plan, enter(plan, "spine"), Loads(), 60)
    assert "free" not in leaf.words((3, 0))[1]


def test_a_switch_lists_its_ports_under_what_they_serve() -> None:
    plan = plan_of(SUPERPOD)
    loads = read_loads(plan, analysis_of(plan, {0: 0.97, 1: 0.1}))
    text = rows(Faceplate(plan, DeviceInstance("leaf", (0, 0, 0)), loads, 80))
    assert text[0].split() == [
        "to",
        "node",
        "32",
        "x",
        "400",
        "Gb/s",
        "48.5",
        "of",
        "50.0",
        "GB/s,",
        "97",
        "%,",
        "limits",
    ]
    assert any(line.split()[:2] == ["to", "spine"] for line in text)


def test_headings_stay_whole_or_end_in_an_ellipsis() -> None:
    plan = plan_of(SUPERPOD)
    for room in ROOMS:
        line = rows(Matrix(plan, enter(plan, "leaf"), Loads(), room))[1]
        for word in re.split(r"\s{2,}", line.strip()):
            assert word in ("to node", "to spine", "free") or word.endswith("…")


def test_enter_follows_a_cable_from_a_nic_to_its_leaf_and_back() -> None:
    plan = plan_of(SUPERPOD)
    node = NodeChart(plan, CATALOG, DeviceInstance("node", (1, 4)), Loads(), 80)
    nics = [spot for spot in spots_of(node) if node.inner(spot) is not None]
    leaf = node.inner(nics[0])
    assert leaf is not None
    assert (leaf.group, leaf.device) == ("leaf", (1, 0, 0))
    face = Faceplate(plan, DeviceInstance("leaf", (1, 0, 0)), Loads(), 80)
    peers = [face.inner(spot) for spot in spots_of(face)]
    assert enter_device(plan, DeviceInstance("node", (1, 4))) in peers


def test_one_layer_shows_the_ports_of_its_slots_only() -> None:
    plan = plan_of(SUPERPOD)
    every = Matrix(plan, enter(plan, "node"), Loads(), 60)
    storage = Matrix(plan, enter(plan, "node"), Loads(), 60, layer="storage")
    assert {jack.ports for jack in every.sections[0].jacks} == {"compute"}
    assert storage.sections[0].jacks == ()


def test_the_leaves_of_131072_gpus_are_told_by_arithmetic(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_design(
        load_file(Path("saved_designs/b200-131072gpu-fabric-per-rail.yaml")).design, load_catalog()
    )
    asked = 0
    import toposmith.tui.depths.matrix as room

    plain = room.port_of

    def counted(*given: object) -> object:
        nonlocal asked
        asked += 1
        return plain(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(room, "port_of", counted)
    for name in plan.groups:
        chart = Matrix(plan, enter(plan, name), Loads(), 60)
        rows(chart, many=40)
    assert asked <= len(plan.groups) * 40 * 72, "only what is in view is worked out"


def test_a_group_of_a_million_opens_without_walking_through_it() -> None:
    plan = plan_of({"groups": {"node": {"part": "dgx", "count": 1_000_000}}})
    chart = Matrix(plan, enter(plan, "node"), Loads(), 60)
    assert chart.height > 1_000_000
    assert text_of(chart, chart.height - 1).split()[0] == "999999"
    assert chart.moved((3, 0), "down", 999_999) == (chart.height - 1, 0)


def test_a_part_that_is_not_in_the_catalog_says_so() -> None:
    plan = plan_of({"groups": {"node": {"part": "?\x1b[31m", "count": 1}}})
    chart = chart_of(plan, CATALOG, enter(plan, "node"), Loads(), 50)
    assert "unknown" in rows(chart)[0]
    assert "\x1b" not in "".join(rows(chart))


def test_devices_without_ports_have_rows_and_say_so() -> None:
    plan = plan_of({"groups": {"node": {"part": "?", "count": 3}}})
    chart = Matrix(plan, enter(plan, "node"), Loads(), 50)
    assert "no ports" in rows(chart)[2]
    assert [row.split()[0] for row in rows(chart)[3:]] == ["0", "1", "2"]
    assert chart.words((4, 0)) == ("node[node=1]: no ports",)
    bare = Matrix(plan_of(SUPERPOD), enter(plan_of(SUPERPOD), "node"), Loads(), 50, "storage")
    check(plan_of(SUPERPOD), bare)
