"""What is written down of tori and HyperX is what the search from switch to switch finds."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from tests.joined_along import plan_along
from tests.node_hops import carried
from toposmith.analysis.bounds.all_gather import FlowNetworks, all_gather_bound
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import farthest_path
from toposmith.analysis.traffic.all_to_all import all_to_all_loads
from toposmith.analysis.traffic.block_ends import ring_ends, tree_ends
from toposmith.analysis.traffic.moved_hops import moved_hop_loads
from toposmith.analysis.traffic.whole_grid import whole_grid
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


def differences(found: dict, expected: dict) -> Iterator[object]:
    for key in found.keys() | expected.keys():
        if found.get(key, 0) != pytest.approx(expected.get(key, 0), rel=1e-9, abs=1e-12):
            yield key, found.get(key), expected.get(key)


def without_grid(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> ComputeNetwork:
    monkeypatch.setattr(ComputeNetwork, "grid", None)
    monkeypatch.setattr("toposmith.fabric.single_devices.switch_grid", lambda *_: None)
    return ComputeNetwork(plan)


@pytest.mark.parametrize("shape", SHAPES)
def test_figures_of_a_grid_are_those_of_the_search(
    monkeypatch: pytest.MonkeyPatch, shape: str
) -> None:
    plan = design(shape, nodes=2, cables="2")
    grid = ComputeNetwork(plan)
    assert grid.grid is not None
    exchange, way = all_to_all_loads(grid), farthest_path(grid)
    lost = cut_off_without(grid, CATALOG, "sw")
    bound = all_gather_bound(FlowNetworks(grid, CATALOG))
    searched = without_grid(plan, monkeypatch)
    assert lost == cut_off_without(searched, CATALOG, "sw")
    assert not list(differences(exchange, all_to_all_loads(searched)))
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
def test_rings_and_trees_of_a_grid_load_what_hops_one_by_one_load(
    shape: str, weighted: bool
) -> None:
    plan = design(shape, nodes=2, cables="2")
    grid = ComputeNetwork(plan)
    kinds = ((ring_ends, "ring"), (tree_ends, "trees"))
    found = [
        moved_hop_loads(grid, ends, busiest=1.5, nics=grid.ring_nics, weighted=weighted)
        for ends, _ in kinds
    ]
    for loads, (_, pattern) in zip(found, kinds, strict=True):
        assert loads is not None
        mode = "ideal" if weighted else "static"
        one_by_one = carried(grid, pattern, busiest=1.5, mode=mode)
        assert not list(differences(loads, one_by_one))


def test_a_ring_whose_nodes_are_all_on_one_switch_loads_no_cable_between_switches() -> None:
    text = (
        "toposmith: 2\naxes: {x: 1, y: 3}\ngroups:\n  node: {part: dgx-h100, per: [x], count: 2}\n"
        "  sw: {part: qm9700, per: [x]}\n  far: {part: qm9700, per: [y]}\n"
        "links:\n  - {between: [node.compute, sw]}\n  - {between: [far, far], along: {y: next}}\n"
    )
    network = ComputeNetwork(plan_design(parse_design(text, "test"), CATALOG))
    loads = moved_hop_loads(network, ring_ends, busiest=1.5, nics=8, weighted=True)
    assert loads is not None and set(loads.values()) == {1.5}
    assert not list(differences(loads, carried(network, busiest=1.5)))


@pytest.mark.parametrize("seed", range(12))
def test_random_fabrics_carry_the_same_rings_and_trees(seed: int) -> None:
    network = ComputeNetwork(plan_along(seed, faults=False))
    for ends, pattern in ((ring_ends, "ring"), (tree_ends, "trees")):
        nics = network.ring_nics
        loads = moved_hop_loads(network, ends, busiest=2.0, nics=nics, weighted=True)
        if loads is not None:
            one_by_one = carried(network, pattern, busiest=2.0)
            assert not list(differences(loads, one_by_one))


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


@pytest.mark.parametrize(
    "more",
    [
        'down:\n  - "sw[a0=1,a1=1] - sw[a0=2,a1=1]"\n',
        'absent:\n  - "node[a0=0,a1=2]"\n',
        'absent:\n  - "node[a0=0..1]"\n  - "sw[a0=0,a1=0] - sw[a0=1,a1=0]"\n',
        'down:\n  - "sw[a0=1,a1=1]"\n  - "node[a0=1,a1=1]"\n',
        'slow:\n  "sw[a0=1] - sw[a0=2]": 50 %\n',
    ],
)
def test_a_grid_with_a_fault_carries_what_hops_one_by_one_load(more: str) -> None:
    for sizes, words in (((4, 3), ("next", "next")), ((6, 5), ("next", "other"))):
        axes = ", ".join(f"a{at}: {size}" for at, size in enumerate(sizes))
        text = (
            f"toposmith: 2\naxes: {{{axes}}}\ngroups:\n"
            "  node: {part: dgx-h100, per: [a0, a1]}\n  sw: {part: qm9700, per: [a0, a1]}\n"
            "links:\n  - {between: [node.compute, sw]}\n"
        ) + "".join(
            f"  - {{between: [sw, sw], along: {{a{at}: {word}}}, cables: 2}}\n"
            for at, word in enumerate(words)
        )
        network = ComputeNetwork(plan_design(parse_design(text + more, "test"), CATALOG))
        assert network.grid is None
        for ends, pattern in ((ring_ends, "ring"), (tree_ends, "trees")):
            found = moved_hop_loads(network, ends, busiest=1.5, nics=8, weighted=True)
            if "slow" in more:
                assert found is None
                continue
            assert found is not None
            one_by_one = carried(network, pattern, busiest=1.5)
            assert not list(differences(found, one_by_one))


@pytest.mark.parametrize("words", [("next", "next", "next"), ("next", "other", "next")])
def test_hops_that_can_meet_a_fault_are_those_with_one_between_their_ends(
    words: tuple[str, ...],
) -> None:
    text = (
        "toposmith: 2\naxes: {x: 5, y: 4, z: 3}\ngroups:\n"
        "  node: {part: dgx-h100, per: [x, y, z]}\n  sw: {part: qm9700, per: [x, y, z]}\n"
        "links:\n  - {between: [node.compute, sw]}\n"
    ) + "".join(
        f"  - {{between: [sw, sw], along: {{{axis}: {word}}}}}\n"
        for axis, word in zip("xyz", words, strict=True)
    )
    down = 'down:\n  - "sw[x=1,y=2,z=0]"\n  - "sw[x=3,y=0] - sw[x=4,y=0]"\n'
    whole = whole_grid(ComputeNetwork(plan_design(parse_design(text + down, "test"), CATALOG)))
    assert whole is not None
    switches = list(product(range(5), range(4), range(3), range(1)))
    pairs = np.array(list(product(range(len(switches)), repeat=2)))
    hits = whole.hits(list(np.array(switches).T), *pairs.T)
    ways = [whole.grid.between(switches[start], switches[end]) for start, end in pairs]
    expected = [
        any(all(v in of for v, of in zip(at, way, strict=True)) for at in whole.hit) for way in ways
    ]
    assert hits.tolist() == expected
