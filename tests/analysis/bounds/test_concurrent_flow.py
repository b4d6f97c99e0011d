"""The exact all-to-all: figures worked out by hand, and the plain program on expanded fabrics."""

from __future__ import annotations

from collections import defaultdict

import networkx as nx
import pytest
from hypothesis import given, settings

from tests.expansion import expand
from tests.small_designs import CATALOG, catalog, designs, node
from toposmith.analysis.bounds import flow_program
from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.bisection import AllToAllBound, all_to_all_bound
from toposmith.analysis.bounds.concurrent_flow import Concurrent, all_to_all_optimum
from toposmith.analysis.jobs.communicator import Groups, Job, groups_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.catalog import Catalog, NvlinkFabric, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved

pytest.importorskip("scipy")
np = pytest.importorskip("numpy")

REAL_PARTS = load_catalog()
LINE = 12.5  # GB/s of a 100 Gb/s port
PCIE = 31.508  # GB/s of PCIe 4.0 x16

LEAF_SPINE = """
axes: {{su: 4}}
groups:
  node: {{part: node1, per: [su], count: 4, nics: {{compute: {{part: nic-1x100, count: 1}}}}}}
  leaf: {{part: switch, per: [su]}}
  spine: {{part: switch}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {uplinks}}}
"""
RAILS = """
axes: {{rail: {nics}}}
groups:
  node: {{part: hgx-a100-8, count: 16, nics: {{compute: {{part: connectx-6-hdr, count: {nics}}}}}}}
  leaf: {{part: qm8790, per: [rail]}}
links: [{{between: [node.compute, leaf]}}]
"""
TWO_BY_THREE = """
axes: {a: 2, b: 3}
groups:
  x: {part: node1, per: [a], nics: {compute: {part: nic-1x100, count: 2}}}
  y: {part: node1, per: [b], nics: {compute: {part: nic-1x100, count: 2}}}
  two: {part: switch, per: [a]}
  three: {part: switch, per: [b]}
links:
  - {between: [x.compute, two], cables: 2}
  - {between: [y.compute, three], cables: 2}
  - {between: [two, three]}
"""
ALONE = "groups: {node: {part: odd}}"


def planned(text: str, parts: Catalog = CATALOG) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), parts)


def optimum(text: str, parts: Catalog = CATALOG) -> Concurrent:
    found = all_to_all_optimum(ComputeNetwork(planned(text, parts)), parts)
    assert found is not None
    return found


def cut_bound(text: str, parts: Catalog = CATALOG) -> float:
    found = by_cuts(planned(text, parts), parts)
    assert found is not None
    return float(found.rate)


def by_cuts(plan: Plan, parts: Catalog) -> AllToAllBound | None:
    network = ComputeNetwork(plan)
    groups = groups_of(network.world, Job(), "all_to_all")
    assert isinstance(groups, Groups)
    return all_to_all_bound(FlowNetworks(network, parts), groups)


@pytest.mark.parametrize(
    ("uplinks", "rate", "binding"),
    [
        (4, LINE * 16 / 15, CutLink("node.compute - leaf", 0, 16, LINE)),  # a NIC takes in 15/16
        (2, 2 * LINE * 16 / 48, CutLink("leaf - spine", 1, 8, LINE)),  # 4 GPUs on 12 others
        (1, 1 * LINE * 16 / 48, CutLink("leaf - spine", 1, 4, LINE)),
    ],
)
def test_an_oversubscribed_spine_lowers_all_to_all_and_is_what_limits_it(
    uplinks: int, rate: float, binding: CutLink
) -> None:
    found = optimum(LEAF_SPINE.format(uplinks=uplinks))
    assert found.rate == pytest.approx(rate)
    assert found.binding == (binding,)


@pytest.mark.parametrize("nics", [8, 1])
def test_sixteen_nodes_exchange_at_what_the_nics_of_one_let_out(nics: int) -> None:
    # 8 GPUs send 120/128 of what they send out of their node, over so many NICs of 25 GB/s
    found = optimum(RAILS.format(nics=nics), REAL_PARTS)
    assert found.rate == pytest.approx(nics * 25 / (8 * 120 / 128))
    assert found.binding == (CutLink("node.compute - leaf", 0, 16 * nics, 25.0),)


def test_sixteen_thousand_gpus_are_no_more_work_than_a_rack() -> None:
    saved = find_saved("dgx-b200-superpod-64su")
    assert saved is not None
    design = parse_design(saved.path.read_text(encoding="utf-8"), saved.name)
    found = all_to_all_optimum(ComputeNetwork(plan_design(design, REAL_PARTS)), REAL_PARTS)
    assert found is not None
    assert found.rate == pytest.approx(8 * 50 / (8 * 16376 / 16384))


def test_five_switches_joined_two_by_three_exchange_less_than_any_cut_allows() -> None:
    # 20 ordered pairs: 12 are one link apart, 8 are two, so a fifth of the rate loads the 12
    # arcs of links 28 times in all, and evenly if it is split over the ways of equal length
    found = optimum(TWO_BY_THREE)
    assert found.rate == pytest.approx(LINE * 12 / 28 * 5)
    assert found.binding == (CutLink("two - three", 2, 6, LINE),)
    # the thinnest cuts are around one switch of the three: 5 x 2 links / (1 x 4)
    assert cut_bound(TWO_BY_THREE) == pytest.approx(LINE * 5 * 2 / 4)


def test_two_gpus_on_two_sockets_exchange_at_what_lies_between_the_sockets() -> None:
    # each sends half of its rate to the other one
    parts = catalog(node(2, 4, part="odd").model_copy(update={"nvlink": None}))
    found = optimum(ALONE, parts)
    assert found.rate == pytest.approx(2 * 16)
    assert found.binding == (CutLink("node sockets", None, 1, 16.0),)


def test_a_ring_of_six_gpus_is_not_taken_for_two_rings_of_three() -> None:
    # every GPU has two NVLinks and PCIe, but a ring of three is left by three PCIe links only
    six = [(gpu, (gpu + 1) % 6) for gpu in range(6)]
    three = [(6, 7), (7, 8), (6, 8), (9, 10), (10, 11), (9, 11)]
    bridges = NvlinkFabric(shape="bridge", pairs=(*six, *three), links_per_pair=1)
    whole = node(12, 4, part="odd")
    branch = whole.branches[0].model_copy(update={"gpus": tuple(range(12))})
    parts = catalog(whole.model_copy(update={"nvlink": bridges, "branches": (branch,)}))
    found = optimum(ALONE, parts)
    assert found.rate == pytest.approx(3 * PCIE / (3 * 9 / 12))
    assert [(link.link, link.cables) for link in found.binding] == [("node PCIe", 6)]


@pytest.mark.parametrize(
    "text",
    [
        "groups: {leaf: {part: switch}}",
        "groups: {node: {part: node1}}",
        "groups: {node: {part: node2, count: 2}}",
        LEAF_SPINE.format(uplinks=1) + "down: ['leaf[su=2] - spine']",
    ],
    ids=["no GPU", "one GPU", "two nodes without a cable", "a leaf cut off"],
)
def test_gpus_that_cannot_exchange_have_no_optimum(text: str) -> None:
    assert all_to_all_optimum(ComputeNetwork(planned(text)), CATALOG) is None


@pytest.mark.parametrize(
    ("limit", "at_most"), [("MAX_FLOWS", 9), ("MAX_FLOWS", 30), ("MAX_UNKNOWNS", 10)]
)
def test_a_design_that_would_take_long_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, limit: str, at_most: int
) -> None:
    network = ComputeNetwork(planned(LEAF_SPINE.format(uplinks=2)))
    monkeypatch.setattr(flow_program, limit, at_most)
    assert all_to_all_optimum(network, CATALOG) is None


@pytest.mark.slow
@settings(max_examples=25)
@given(designs())
def test_the_optimum_is_that_of_the_plain_program_on_the_expansion(plan: Plan) -> None:
    network = ComputeNetwork(plan)
    if not 2 <= network.world.gpus <= 16:
        return
    expected = plain_optimum(expand(plan, CATALOG, only=network.slots))
    found = all_to_all_optimum(network, CATALOG)
    assert (found.rate if found else 0) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    bound = by_cuts(plan, CATALOG)
    if found and bound:
        assert found.rate <= float(bound.rate) * (1 + 1e-9)


def plain_optimum(graph: nx.MultiGraph) -> float:
    """The same program with a flow over every arc of the expansion to every single GPU."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    capacity: dict[tuple[object, object], float] = defaultdict(float)
    for u, v, rate in graph.edges(data="GBps"):
        capacity[u, v] += round(rate, 3)
        capacity[v, u] += round(rate, 3)
    gpus = [vertex for vertex in graph if vertex[0] == "gpu"]
    number = {vertex: count for count, vertex in enumerate(graph)}
    unknowns = len(gpus) * len(capacity) + 1
    passed: list[tuple[float, int, int]] = []
    loads: list[tuple[float, int, int]] = []
    for turn, target in enumerate(gpus):
        for arc, (u, v) in enumerate(capacity):
            column = turn * len(capacity) + arc
            passed.append((1, turn * len(graph) + number[u], column))
            passed.append((-1, turn * len(graph) + number[v], column))
            loads.append((1, arc, column))
        for gpu in gpus:
            part = 1 / len(gpus) - (gpu == target)
            passed.append((-part, turn * len(graph) + number[gpu], unknowns - 1))

    def matrix(entries: list[tuple[float, int, int]], rows: int) -> coo_array:
        values, *at = zip(*entries, strict=True)
        return coo_array((values, at), shape=(rows, unknowns))

    rows = len(gpus) * len(graph)
    result = linprog(
        -(np.arange(unknowns) == unknowns - 1).astype(float),
        A_ub=matrix(loads, len(capacity)),
        b_ub=list(capacity.values()),
        A_eq=matrix(passed, rows),
        b_eq=np.zeros(rows),
    )
    return float(result.x[-1])
