"""Sets of switches routed two at a time load every cable as pairs routed one by one do."""

from __future__ import annotations

from random import Random

import networkx as nx
import numpy as np
import pytest

from tests.analysis.traffic.test_row_exchange import worst_per_link
from tests.analysis.traffic.test_turned_fabrics import DRAGONFLY, HEAD, network, unlike
from tests.expanded import Expanded
from tests.joined_along import plan_along
from tests.node_hops import carried
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.row_graph import Arcs, RowGraph
from toposmith.analysis.traffic.row_network import joined_switches, row_network
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.row_sets import RowSets
from toposmith.analysis.traffic.unreachable import Unreachable

EVEN = HEAD.format(axes="{g: 6, r: 3}", per="g, r") + (
    "  - {between: [sw, sw], along: {r: other}, cables: 2}\n"
    "  - {between: [sw, sw], along: {g: other, r: dealt}, cables: 3}\n"
)
RINGS = HEAD.format(axes="{g: 5, r: 6}", per="g, r") + (
    "  - {between: [sw, sw], along: {r: next}}\n"
    "  - {between: [sw, sw], along: {g: other, r: dealt}, cables: 2}\n"
)
PLANES = HEAD.format(axes="{g: 4, r: 3, p: 2}", per="p, g, r") + (
    "  - {between: [sw, sw], along: {r: other, p: any}}\n"
    "  - {between: [sw, sw], along: {g: other, r: dealt, p: dealt}, cables: 4}\n"
)
FABRICS = {"dragonfly": DRAGONFLY, "even": EVEN, "rings": RINGS, "planes": PLANES}
FAULTS = [
    [],
    ["sw[g=3,r=1]", "node[g=3,r=1]"],
    ["sw[g=3,r=1] - sw[g=3,r=2]"],
    ["1 of sw[g=2,r=1] - sw[r=2]", "node[g=1,r=0,node=1]"],
    ["node[g=2..3,r=1]"],
    ["1 of sw[g=1,r=0] - sw[g=2]", "sw[g=0,r=2]", "node[g=0,r=2]"],
    ["sw[r=1] - sw[r=1]"],
]


MODES = {True: "ideal", False: "static"}


def between(loads: dict) -> dict:
    return {arc: load for arc, load in loads.items() if arc[0][0] == arc[1][0] == "device"}


def compared(of: ComputeNetwork, *, weighted: bool) -> int:
    """Compare every load between switches, and say how many networks were looked at."""
    in_sets = any(link.bundle for link in of.plan.links)
    if not in_sets or of.world.nodes < 2 or not of.ring_nics:
        return 0
    try:
        found = all_to_all_loads(of, weighted=weighted)
    except (Unreachable, ValueError):
        return 0
    # every node sends each other the product of their GPUs over all ranks, one by one over NICs
    (gpus,) = {gpus_of(group) for group in of.world.groups}
    each = gpus * gpus / of.world.gpus / of.ring_nics
    pairs = between(carried(of, "pairs", mode=MODES[weighted]))
    assert unlike(between(found), {arc: load * each for arc, load in pairs.items()}) == []
    return 1


@pytest.mark.parametrize("text", FABRICS.values(), ids=FABRICS)
@pytest.mark.parametrize("down", FAULTS, ids=str)
@pytest.mark.parametrize("weighted", [True, False])
def test_all_of_two_sets_at_once_load_cables_as_one_pair_after_the_other(
    text: str, down: list[str], weighted: bool
) -> None:
    assert compared(network(text, *down), weighted=weighted)


@pytest.mark.parametrize("down", [[], ["sw[g=1,r=*]"], ["sw[r=0] - sw", "sw[g=2] - sw"]], ids=str)
@pytest.mark.parametrize("text", FABRICS.values(), ids=FABRICS)
def test_switches_that_reach_each_other_are_one_set(text: str, down: list[str]) -> None:
    of = network(text, *down)
    cables = nx.Graph()
    for switch in (device for part in joined_switches(of) for device in part):
        cables.add_node(switch)
        cables.add_edges_from((switch, peer) for peer in of.devices.beside(switch))
    assert set(joined_switches(of)) == set(map(frozenset, nx.connected_components(cables)))


def test_random_dragonflies_with_faults_carry_the_same() -> None:
    looked_at = sum(
        compared(ComputeNetwork(plan_along(seed)), weighted=True) for seed in range(400)
    )
    assert looked_at > 15


def test_random_dragonflies_carry_what_the_expanded_fabric_does() -> None:
    looked_at = 0
    for seed in range(150):
        of = ComputeNetwork(plan_along(seed))
        if not any(link.bundle for link in of.plan.links) or not 2 <= of.world.nodes <= 16:
            continue
        try:
            found = all_to_all_loads(of)
        except (Unreachable, ValueError):
            continue
        expected = Expanded(of.plan).all_to_all()
        assert expected is not None
        assert worst_per_link(of, found) == pytest.approx(expected)
        looked_at += 1
    assert looked_at > 8


def test_management_ports_of_switches_are_no_ways_between_groups() -> None:
    managed = DRAGONFLY.replace(
        "links:", "  oob: {part: sn2201, per: [g]}\nlinks:\n  - {between: [sw.management, oob]}"
    )
    of = network(managed, "sw[g=3,r=1] - sw[g=3,r=2]")
    assert not [found for found in of.plan.findings if found.severity == "error"]
    assert compared(of, weighted=True)


def test_two_groups_without_a_cable_between_them_are_left_to_the_search_over_all() -> None:
    of = network(DRAGONFLY, "sw[g=1] - sw[g=2]")
    sets = RowSets(RowRoutes(row_network(of), weighted=True))
    one, other = sets.members[1], sets.members[2]
    rate = np.zeros((len(one), len(other)))
    rate[0, 1] = 5.0
    flow, left = sets.carried({(1, 2): rate})
    assert not flow.any()
    assert left == {(int(one[0]), int(other[1])): 5.0}
    assert compared(of, weighted=True)


def test_equal_groups_are_routed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    routed: list[int] = []
    whole = RowSets._routed
    monkeypatch.setattr(
        RowSets,
        "_routed",
        lambda self, pairs, rates: routed.append(len(pairs)) or whole(self, pairs, rates),
    )
    all_to_all_loads(network(DRAGONFLY))
    # inside one of nine groups; and to another: of its 24 ends, dealt over four switches, the three
    # to the group d on begin at switch 3 (d - 1) modulo 4, so that there are four kinds of them
    assert sum(routed) == 1 + 4
    routed.clear()
    all_to_all_loads(network(DRAGONFLY, "sw[g=3,r=1] - sw[g=3,r=2]"))
    # one group differs: inside it, and from it and to it by four kinds of cables
    assert sum(routed) == 1 + 4 + 1 + 4 + 4


def test_a_diamond_splits_by_what_its_narrow_side_lets_through() -> None:
    # a to d over b and c; the way over c has half the cables at its end
    ends = [(0, 1, 10), (0, 2, 10), (1, 3, 10), (2, 3, 5)]
    both = [*ends, *((b, a, GBps) for a, b, GBps in ends)]
    tail, head, GBps = np.array(both).T
    one, none = np.ones(len(both)), np.zeros(len(both))
    arcs = Arcs(tail, head, GBps.astype(float), one, one, none, none.astype(int))
    sent = np.array([[3.0], [0.0], [0.0], [0.0]])
    for weighted, expected in ((True, (2.0, 1.0, 2.0, 1.0)), (False, (1.5, 1.5, 1.5, 1.5))):
        paths = RowGraph(arcs, np.zeros(4, bool), weighted=weighted).towards(np.array([3]), 1)
        flow, arrived = paths.sent(sent)
        assert tuple(flow[:4]) == pytest.approx(expected)
        assert arrived[3, 0] == pytest.approx(3.0)
        assert not flow[4:].any()


def test_what_reaches_what_is_what_a_walk_over_all_cables_finds() -> None:
    rng = Random(4)
    for _ in range(20):
        down = [f"sw[g={rng.randrange(9)},r={rng.randrange(4)}]" for _ in range(8)]
        down += [f"sw[g={g}] - sw[g={g}]" for g in rng.sample(range(9), 4)]
        of = network(DRAGONFLY, *down)
        net = row_network(of)
        routes = RowRoutes(net, weighted=True)
        parts: dict[int, set[object]] = {}
        for part, switch in zip(routes.part.ravel(), net.attachments.switch, strict=True):
            parts.setdefault(int(part), set()).add(net.rows.device(int(switch)))
        for switches in parts.values():
            first = next(iter(switches))
            seen, waiting = {first}, [first]
            while waiting:
                near = set(of.devices.beside(waiting.pop())) - seen
                seen |= near
                waiting += near
            assert seen == switches
