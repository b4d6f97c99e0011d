"""Sets of switches routed two at a time load every cable as switches routed one by one do."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.analysis.traffic.test_moved_routes import DRAGONFLY, HEAD, network, unlike
from tests.joined_along import plan_along
from tests.node_hops import carried
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import dealt_exchange, moved_hops, set_traffic
from toposmith.analysis.traffic.block_ends import ring_ends, tree_ends
from toposmith.analysis.traffic.dealt_flows import Apart, shortest
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
RAILS = HEAD.format(axes="{g: 5, r: 3, rail: 4}", per="g, r") + (
    "  - {between: [sw, sw], along: {r: other}}\n"
    "  - {between: [sw, sw], along: {g: other, r: dealt}, cables: 2}\n"
)
TWO_PORTS = EVEN.replace(
    "gh200-quad, per: [g, r], count: 2}",
    "gh200-quad, per: [g, r], count: 2, "
    "nics: {compute: {part: connectx-6-dx-100gbe-2p, count: 4}}}",
).replace("slingshot-64p", "sn5610")
SEVERAL = {
    "rails": RAILS.replace(
        "sw: {part: slingshot-64p, per: [g, r]}", "sw: {part: slingshot-64p, per: [g, r, rail]}"
    ),
    "two switches": EVEN.replace("64p, per: [g, r]}", "64p, per: [g, r], count: 2}"),
}
"""NICs of a node on several switches."""

OF_TWO_PORTS = [
    TWO_PORTS.replace("sn5610, per: [g, r]", f"sn5610, per: [g, r], count: {many}")
    for many in (1, 2, 4)
]
"""Both ports of a NIC on one switch, on two planes, and on two of four."""

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


def compared(of: ComputeNetwork, *, weighted: bool) -> int:
    """Compare every load, and say how many networks were looked at."""
    if of.dealt is None or not set_traffic.suits(of) or of.world.nodes < 2:
        return 0
    with pytest.MonkeyPatch.context() as patch:
        found = dealt_exchange._between_sets(of, weighted=weighted)
        patch.setattr(dealt_exchange, "_between_sets", lambda *_, **__: None)
        try:
            expected = dealt_exchange.dealt_exchange_loads(of, weighted=weighted)
        except Unreachable:
            assert found is None
            return 0
    if found is None:  # some traffic has to pass through a third set
        return 0
    assert unlike(found, expected) == []
    for ends, pattern in ((ring_ends, "ring"), (tree_ends, "trees")):
        many = of.ring_nics
        by_sets = moved_hops._between_sets(of, ends, 2.0, many, weighted=weighted)
        if by_sets is not None:
            one_by_one = carried(of, pattern, busiest=2.0, mode=MODES[weighted])
            assert unlike(by_sets, one_by_one) == []
    return 1


@pytest.mark.parametrize("text", FABRICS.values(), ids=FABRICS)
@pytest.mark.parametrize("down", FAULTS, ids=str)
@pytest.mark.parametrize("weighted", [True, False])
def test_all_of_two_sets_at_once_load_cables_as_one_switch_after_the_other(
    text: str, down: list[str], weighted: bool
) -> None:
    assert compared(network(text, *down), weighted=weighted)


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
@pytest.mark.parametrize("down", [[], ["sw[g=3,r=1] - sw[g=3,r=2]"], ["node[g=1..2,r=0,node=1]"]])
def test_nodes_on_several_switches_carry_the_same_rings_and_trees(
    text: str, down: list[str]
) -> None:
    of = network(text, *down)
    assert of.dealt is not None
    for ends, pattern in ((ring_ends, "ring"), (tree_ends, "trees")):
        many = of.ring_nics
        by_sets = moved_hops._between_sets(of, ends, 2.0, many, weighted=True)
        one_by_one = carried(of, pattern, busiest=2.0)
        assert by_sets is not None
        assert unlike(by_sets, one_by_one) == []


@pytest.mark.parametrize("text", OF_TWO_PORTS)
@pytest.mark.parametrize("weighted", [True, False])
def test_nics_of_two_ports_carry_the_same_rings_and_trees(text: str, weighted: bool) -> None:
    of = network(text)
    for ends, pattern in ((ring_ends, "ring"), (tree_ends, "trees")):
        by_sets = moved_hops._between_sets(of, ends, 2.0, of.ring_nics, weighted=weighted)
        one_by_one = carried(of, pattern, busiest=2.0, mode=MODES[weighted])
        assert by_sets is not None
        assert unlike(by_sets, one_by_one) == []


def test_random_dragonflies_with_faults_carry_the_same() -> None:
    looked_at = sum(
        compared(ComputeNetwork(plan_along(seed)), weighted=True) for seed in range(400)
    )
    assert looked_at > 15


def test_management_ports_of_switches_are_no_ways_between_groups() -> None:
    managed = DRAGONFLY.replace(
        "links:", "  oob: {part: sn2201, per: [g]}\nlinks:\n  - {between: [sw.management, oob]}"
    )
    of = network(managed, "sw[g=3,r=1] - sw[g=3,r=2]")
    assert not [found for found in of.plan.findings if found.severity == "error"]
    assert compared(of, weighted=True)


def test_two_groups_without_a_cable_between_them_are_left_to_the_search_over_all() -> None:
    of = network(DRAGONFLY, "sw[g=1] - sw[g=2]")
    with pytest.raises(Apart):
        set_traffic.exchange(of, weighted=True)
    assert dealt_exchange._between_sets(of, weighted=True) is None
    assert max(dealt_exchange.dealt_exchange_loads(of, weighted=True).values()) > 0


def test_a_diamond_splits_by_what_its_narrow_side_lets_through() -> None:
    # a to d over b and c; the way over c has half the cables at its end
    wide = np.zeros((1, 4, 4))
    for u, v, GBps in ((0, 1, 10), (0, 2, 10), (1, 3, 10), (2, 3, 5)):
        wide[0, u, v] = wide[0, v, u] = GBps
    sent = np.array([[[3.0], [0.0], [0.0], [0.0]]])
    by_capacity = shortest(wide, np.array([[3]]), sent, weighted=True)[0]
    assert (by_capacity[0, 1], by_capacity[0, 2]) == pytest.approx((2.0, 1.0))
    assert (by_capacity[1, 3], by_capacity[2, 3]) == pytest.approx((2.0, 1.0))
    alike = shortest((wide > 0).astype(float), np.array([[3]]), sent, weighted=False)[0]
    assert (alike[0, 1], alike[2, 3]) == pytest.approx((1.5, 1.5))


def test_what_reaches_what_is_what_a_walk_over_all_cables_finds() -> None:
    rng = Random(4)
    for _ in range(20):
        down = [f"sw[g={rng.randrange(9)},r={rng.randrange(4)}]" for _ in range(8)]
        down += [f"sw[g={g}] - sw[g={g}]" for g in rng.sample(range(9), 4)]
        of = network(DRAGONFLY, *down)
        sets = of.dealt
        assert sets is not None
        start = of.devices
        first = next(
            sets.switch(g, r) for g in range(9) for r in range(4) if start.beside(sets.switch(g, r))
        )
        seen, waiting = {first}, [first]
        while waiting:
            near = set(start.beside(waiting.pop())) - seen
            seen |= near
            waiting += near
        reached = sets.reached(sets.place(first[1]))
        assert {sets.switch(int(g), int(r)) for g, r in np.argwhere(reached)} == seen
