"""What is written down of tori and HyperX is what the search from switch to switch finds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tests.node_hops import carried
from toposmith.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import farthest_path
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.survivors import cut_off_without

CATALOG = load_catalog()
WORDS = {"n": "next", "o": "other"}


def design(shape: str, *, nodes: int = 1, cables: str = "4", node: str = "dgx-h100") -> Plan:
    """``4n 3o``: a ring of four by a mesh of three; cables to a neighbour, one figure an axis."""
    axes = {f"a{at}": (int(one[:-1]), WORDS[one[-1]]) for at, one in enumerate(shape.split())}
    many = cables.split() * len(axes) if " " not in cables else cables.split()
    per = ", ".join(axes)
    text = (
        f"toposmith: 2\naxes: {{{', '.join(f'{a}: {size}' for a, (size, _) in axes.items())}}}\n"
        f"groups:\n  node: {{part: {node}, per: [{per}], count: {nodes}}}\n"
        f"  sw: {{part: qm9700, per: [{per}]}}\nlinks:\n  - {{between: [node.compute, sw]}}\n"
    ) + "".join(
        f"  - {{between: [sw, sw], along: {{{axis}: {word}}}, cables: {each}}}\n"
        for (axis, (_, word)), each in zip(axes.items(), many, strict=False)
    )
    plan = plan_design(parse_design(text, "test"), CATALOG)
    assert not [each for each in plan.findings if each.severity == "error"], plan.findings
    return plan


SHAPES = [
    *(f"{x}{one}" for x in range(2, 8) for one in "no"),
    *(f"{x}{a} {y}{b}" for x, y in ((2, 2), (3, 4), (5, 2)) for a, b in product("no", repeat=2)),
    "4n 3n 2n",
    "3n 4o 3n",
    "5n 4n 3n",
    "3o 3o 3o",
    "1n 4n",
]


def without_grid(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> ComputeNetwork:
    monkeypatch.setattr(ComputeNetwork, "grid", None)
    return ComputeNetwork(plan)


@pytest.mark.parametrize("shape", SHAPES)
def test_figures_of_a_grid_are_those_of_the_search(
    monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    plan = design(shape, nodes=2, cables="2")
    grid = ComputeNetwork(plan)
    assert grid.grid is not None
    way = farthest_path(grid)
    lost = cut_off_without(grid, CATALOG, "sw")
    bound = all_gather_bound(FlowNetworks(grid, CATALOG))
    searched = without_grid(plan, monkeypatch)
    assert lost == cut_off_without(searched, CATALOG, "sw")
    other = farthest_path(searched)
    assert way and other and (way.hops, sorted(way.links)) == (other.hops, sorted(other.links))
    assert (way.latency_us, way.at_least_us) == (other.latency_us, other.at_least_us)
    expected = all_gather_bound(FlowNetworks(searched, CATALOG))
    assert bound and expected
    assert (bound.rate, bound.why_unproven, bound.nodes_whole) == (
        expected.rate,
        expected.why_unproven,
        expected.nodes_whole,
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [True, False])
def test_an_exchange_loads_each_axis_with_the_distances_along_it(
    shape: str, weighted: bool
) -> None:
    """Shortest paths cross as many cables along an axis as their ends lie apart on it.

    All cables of an axis carry as much: the sum of all distances over how many there are (Dally
    and Towles, *Principles and Practices of Interconnection Networks*, 2004, section 3.3.2).
    """
    network = ComputeNetwork(design(shape, nodes=2, cables="2"))
    loads = all_to_all_loads(network, weighted=weighted)
    sizes = [(int(one[:-1]), one[-1]) for one in shape.split()]
    for link, (size, word) in enumerate(sizes, start=1):
        apart = range(1, size)
        to_all = sum(min(by, size - by) for by in apart) if word == "n" else size - 1
        near = size - 1 if word == "o" else len({1 % size, size - 1} - {0})
        # 2 nodes of 8 GPUs a switch send 1/N to each of the N; 2 cables to a neighbour
        expected = 16 * to_all / size / near / 2 if near else 0.0
        edges = network.classes.graph.edges
        found = {load for arc, load in loads.items() if edges[arc]["link"] == link}
        assert sorted(found) == pytest.approx([expected] * len(found))
        assert bool(found) == bool(expected)


def test_a_ring_whose_nodes_are_all_on_one_switch_loads_no_cable_between_switches() -> None:
    text = (
        "toposmith: 2\naxes: {x: 1, y: 3}\ngroups:\n  node: {part: dgx-h100, per: [x], count: 2}\n"
        "  sw: {part: qm9700, per: [x]}\n  far: {part: qm9700, per: [y]}\n"
        "links:\n  - {between: [node.compute, sw]}\n  - {between: [far, far], along: {y: next}}\n"
    )
    network = ComputeNetwork(plan_design(parse_design(text, "test"), CATALOG))
    assert set(carried(network, busiest=1.5).values()) == {1.5}


@pytest.mark.parametrize("shape", ["6n", "4n 4n", "3n 3n 3n", "4o 4o"])
@pytest.mark.parametrize("cables", ["1", "4"])
def test_a_fabric_too_thin_for_its_nodes_is_bounded_by_its_cables(
    monkeypatch: pytest.MonkeyPatch, shape: str, cables: str
) -> None:
    plan = design(shape, nodes=2, cables=cables)
    bound = all_gather_bound(FlowNetworks(ComputeNetwork(plan), CATALOG))
    searched = without_grid(plan, monkeypatch)
    expected = all_gather_bound(FlowNetworks(searched, CATALOG))
    assert bound and expected and bound.rate == expected.rate > Fraction(0)
