"""Detours: the best split is that of a linear program on the expanded fabric, and by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.analysis.test_switch_grids import design
from tests.analysis.traffic.expanded_detours import ExpandedDetours
from tests.joined_along import plan_along
from tests.node_hops import packed
from tests.small_designs import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.traffic import detour_loads
from toposmith.analysis.traffic.detour_loads import (
    DetourSplit,
    exchange_over_detours,
    split_over_detours,
)
from toposmith.analysis.traffic.detour_paths import DetourPaths
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_hops import loads_and_flows
from toposmith.catalog import Catalog, Pcie
from toposmith.design.consistency import consistency_problems
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CABLE_DOWN = ("sw[group=0,router=0] - sw[group=0,router=1]",)
DETOUR = Request(routing=Routing("detour"))
MINIMAL = Request(routing=Routing("ideal"))


def balanced(
    ports: int, groups: int, *, nodes: int = 1, cables: int = 1, down: tuple[str, ...] = ()
) -> Plan:
    """A dragonfly of a = 2p = 2h: p NICs, 2p routers, p global cables at each."""
    nics = {"compute": FittedNics(part="nic-1x100", count=ports // nodes)}
    per = ("group", "router")
    design = Design(
        axes={"group": groups, "router": 2 * ports},
        groups={
            "node": Group(part="node2", per=per, count=nodes, nics=nics),
            "sw": Group(part="switch", per=per),
        },
        links=(
            Link(between=("node.compute", "sw")),
            Link(between=("sw", "sw"), along={"router": "other"}),
            Link(between=("sw", "sw"), along={"group": "other", "router": "dealt"}, cables=cables),
        ),
        down=down,
    )
    assert consistency_problems(design) == []
    return plan_design(design, CATALOG)


def ring(plan: Plan) -> tuple[float, DetourSplit]:
    """What the fullest cable carries of a ring by minimal paths, and the split over detours."""
    network = ComputeNetwork(plan)
    nics = network.ring_nics
    minimal, flows = loads_and_flows(network, packed(network), busiest=1.0, nics=nics)
    return max(minimal.values()), split_over_detours(network, flows, minimal)


@pytest.mark.parametrize(
    ("ports", "nodes", "groups", "cables"), [(2, 2, 9, 1), (2, 1, 9, 1), (2, 1, 5, 2), (4, 1, 9, 4)]
)
def test_minimal_paths_carry_as_much_less_as_the_hand_says(ports, nodes, groups, cables) -> None:
    """A router's hop to the next rests on the one cable between the two, p / nodes NICs wide.

    What leaves a group does so by its last router. With one cable to the next group that is at
    router 0 and lands at the last router there, so that the cable from the last router to the
    first carries what leaves a group and what enters it: twice as much.
    """
    nics = ports // nodes
    alone = cables == 1
    fullest, _ = ring(balanced(ports, groups, nodes=nodes, cables=cables))
    assert fullest == pytest.approx(2 * nics if alone else nics)


@pytest.mark.parametrize(
    ("ports", "nodes", "groups", "cables"),
    [(2, 2, 9, 1), (4, 4, 33, 1), (4, 2, 33, 1), (2, 1, 5, 2), (4, 1, 9, 4), (4, 1, 17, 2)],
)
def test_detours_carry_the_ring_of_a_balanced_dragonfly(ports, nodes, groups, cables) -> None:
    _, split = ring(balanced(ports, groups, nodes=nodes, cables=cables))
    assert max(split.loads.values()) <= 1 / 0.95
    assert not split.not_best


def test_nodes_with_all_ports_of_a_router_fill_the_local_cables_of_the_largest_dragonfly() -> None:
    """With one cable between any two groups a fifth is missing, by whatever detours."""
    plan = balanced(2, 9)
    _, split = ring(plan)
    fullest = max(split.loads.values())
    assert 1 / 0.8 > fullest > 1 / 0.85
    assert fullest / 12.5 == pytest.approx(ExpandedDetours(plan).fullest())


@pytest.mark.parametrize("seed", [0, 14, 18, 26, 46, 48, 60, 63, 71, 73])
def test_the_best_split_is_that_of_the_expanded_fabric(seed: int) -> None:
    plan = plan_along(seed)
    _, split = ring(plan)
    edges = ComputeNetwork(plan).classes.graph.edges
    fullest = max(load / edges[arc]["GBps"] for arc, load in split.loads.items())
    assert fullest == pytest.approx(ExpandedDetours(plan).fullest(), rel=1e-6)
    assert not split.not_best


@pytest.mark.parametrize(
    "plan",
    [
        balanced(1, 3),
        balanced(1, 2, cables=1),
        balanced(2, 3),
        balanced(1, 3, down=CABLE_DOWN),
    ],
)
def test_the_best_split_of_an_exchange_is_that_of_the_expanded_fabric(plan: Plan) -> None:
    network = ComputeNetwork(plan)
    split = exchange_over_detours(network, all_to_all_loads(network))
    edges = network.classes.graph.edges
    fullest = max(
        load / edges[arc]["GBps"]
        for arc, load in split.loads.items()
        if edges[arc]["link"] is not None
    )
    assert not split.not_best
    assert fullest == pytest.approx(ExpandedDetours(plan).fullest_of_exchange(), rel=1e-6)


@pytest.mark.parametrize("seed", [0, 18, 26, 46, 48, 60, 63, 71, 75, 76])
def test_detours_are_never_below_minimal_paths_and_never_above_the_bound(seed: int) -> None:
    plan = plan_along(seed)
    minimal, detour = (analyse(plan, CATALOG, request) for request in (MINIMAL, DETOUR))
    assert minimal.busbw_GBps is not None and detour.busbw_GBps is not None
    assert detour.busbw_GBps >= minimal.busbw_GBps * (1 - 1e-6)
    assert detour.bound_busbw_GBps is not None
    assert detour.busbw_GBps <= detour.bound_busbw_GBps * (1 + 1e-6)


def test_one_group_stands_for_all_where_turning_them_changes_nothing(monkeypatch) -> None:
    _, of_one = ring(balanced(2, 9))
    monkeypatch.setattr(detour_loads._Turns, "_axis", None)
    _, of_all = ring(balanced(2, 9))
    assert of_all.paths == 9 * of_one.paths
    assert max(of_all.loads.values()) == pytest.approx(max(of_one.loads.values()))


def test_no_detour_has_more_than_five_hops_or_passes_through_two_other_groups() -> None:
    network = ComputeNetwork(balanced(2, 9))
    start, end = ("sw", (0, 0, 0)), ("sw", (4, 3, 0))
    paths = DetourPaths(network, [start, end]).paths(start, end)
    assert max(map(len, paths)) == 6
    for path in paths:
        assert all(b in network.devices.beside(a) for a, b in pairwise(path))
        assert len({values[0] for _, values in path}) <= 3


def test_traffic_goes_no_further_than_it_has_to() -> None:
    """Where minimal paths fill no cable more than the NICs', there is nothing to go around."""
    fullest, split = ring(balanced(1, 2, cables=1))
    assert fullest == max(split.loads.values())
    assert split.paths == 0


def test_beyond_the_stated_size_the_figure_is_at_least_so_much_and_says_so(monkeypatch) -> None:
    plan = balanced(2, 9)
    exact, minimal = (analyse(plan, CATALOG, request) for request in (DETOUR, MINIMAL))
    monkeypatch.setattr(detour_loads, "MOST_PATHS", 10)
    found = analyse(plan, CATALOG, DETOUR)
    assert found.busbw_label.kind == "at least"
    assert minimal.busbw_GBps < found.busbw_GBps <= exact.busbw_GBps
    assert "detours-not-best" in {one.code for one in found.findings}
    assert exact.busbw_label.kind == "model"
    assert "detours-not-best" not in {one.code for one in exact.findings}


def test_a_design_says_its_routing_and_a_request_may_say_another() -> None:
    plan = balanced(2, 9)
    said = plan_design(plan.design.model_copy(update={"routing": "detour"}), CATALOG)
    by_design, asked = (analyse(said, CATALOG, request) for request in (Request(), MINIMAL))
    assert by_design.routing == "detour"
    assert by_design.busbw_GBps == analyse(plan, CATALOG, DETOUR).busbw_GBps
    assert asked.routing == "ideal"
    assert asked.busbw_GBps == analyse(plan, CATALOG).busbw_GBps


def test_a_low_figure_says_which_link_holds_it_and_that_detours_help() -> None:
    found = analyse(balanced(2, 9), CATALOG, MINIMAL)
    (said,) = (one for one in found.findings if one.code == "minimal-paths-limit")
    assert said.where == "links[1] sw - sw"
    assert "4 times the load of a NIC's cable" in said.text
    assert "routing: detour" in said.fix
    detour = analyse(balanced(2, 9), CATALOG, DETOUR)
    assert "minimal-paths-limit" not in {one.code for one in detour.findings}


def test_a_tree_has_no_group_to_go_through() -> None:
    tree = Design(
        axes={"su": 2},
        groups={
            "node": Group(
                part="node2", per=("su",), nics={"compute": FittedNics(part="nic-1x100", count=2)}
            ),
            "leaf": Group(part="switch", per=("su",)),
            "spine": Group(part="switch"),
        },
        links=(Link(between=("node.compute", "leaf")), Link(between=("leaf", "spine"))),
    )
    ((location, text),) = consistency_problems(tree.model_copy(update={"routing": "detour"}))
    assert location == ("routing",)
    assert "along: {axis: other}" in text
    found = analyse(plan_design(tree, CATALOG), CATALOG, DETOUR)
    assert found.busbw_GBps is None
    assert [one.code for one in found.findings if one.severity == "error"] == [
        "routing-does-not-fit"
    ]


def test_a_torus_has_no_set_to_go_through_and_keeps_to_minimal_paths() -> None:
    # 512 ranks send one cable far on average along each axis, over 2 x 64 cables both ways round
    network = ComputeNetwork(design("4n 4n 4n", cables="1"))
    minimal = all_to_all_loads(network)
    split = exchange_over_detours(network, minimal)
    edges = network.classes.graph.edges
    between = [load for arc, load in split.loads.items() if edges[arc]["link"]]
    assert between == [pytest.approx(4.0)] * 3


def test_where_the_pcie_of_nics_limits_no_better_split_would_give_more(monkeypatch) -> None:
    # PCIe 3 x1 carries 0.98 GB/s of the 12.5 that the port has: no cable between switches fills
    narrow = Catalog(
        part.model_copy(update={"pcie": Pcie(generation=3, width=1)})
        if part.id == "nic-1x100"
        else part
        for part in CATALOG
    )
    fewer, request = balanced(2, 3), Request("all_to_all", routing=Routing("detour"))
    plan = plan_design(fewer.design, narrow)
    monkeypatch.setattr(detour_loads, "MOST_PATHS", 1)
    found = analyse(plan, narrow, request)
    assert found.limits[0].tier == "pcie"
    assert found.busbw_label.kind == "model"
    assert "detours-not-best" not in {one.code for one in found.findings}
    wide = analyse(fewer, CATALOG, request)
    assert wide.limits[0].link.startswith("sw - sw")
    assert wide.busbw_label.kind == "at least"
