"""Flows between two NICs, switch by switch, worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.fabric_texts import in_racks
from tests.small_designs import CATALOG as SMALL
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import Catalog, load_catalog
from toposmith.contention.cable_loads import CableLoads, NicPort
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

TWO_LEAVES = in_racks(2, 2)

A, B = ("leaf", (0, 0)), ("leaf", (1, 0))
S0, S1 = ("spine", (0,)), ("spine", (1,))
UP, DOWN, ACCESS = 1, 1, 0


@dataclass(frozen=True)
class Flow:
    """Loads of a flow of 1 on each cable: out of a NIC, between switches, into the other NIC."""

    leaving: dict
    arriving: dict
    between: dict


def route(more: str, *, text: str = TWO_LEAVES, parts: Catalog = CATALOG, mode="ideal") -> Flow:
    """A flow between the first NICs of the first nodes of two racks."""
    network = ComputeNetwork(plan_design(parse_design(text + more, "test"), parts))
    loads = CableLoads(network.plan, network.slots, Routing(mode))
    loads.send(("node", (0, 0)), 0, ("node", (1, 0)), 0, 1.0)
    loads.finish()
    found = loads.loads.items()
    return Flow(
        {(v, key): load for (u, v, key), load in found if isinstance(u, NicPort)},
        {(u, key): load for (u, v, key), load in found if isinstance(v, NicPort)},
        {
            (u, v, key): load
            for (u, v, key), load in found
            if not isinstance(u, NicPort) and not isinstance(v, NicPort)
        },
    )


def test_between_whole_leaves_each_of_four_cables_carries_a_quarter() -> None:
    found = route("")
    assert found.leaving == {(A, ACCESS): 1.0}
    assert found.arriving == {(B, ACCESS): 1.0}
    for spine in (S0, S1):
        assert found.between[A, spine, UP] == found.between[spine, B, DOWN] == 0.25


def test_a_spine_with_one_of_two_cables_left_behind_it_gets_a_third() -> None:
    found = route('down: ["1 of leaf[rack=1] - spine[spine=0]"]\n')
    assert dict(found.between) == pytest.approx(
        {(A, S0, UP): 1 / 6, (S0, B, DOWN): 1 / 3, (A, S1, UP): 1 / 3, (S1, B, DOWN): 1 / 3}
    )


def test_equal_shares_send_that_spine_half_and_its_one_cable_carries_it() -> None:
    found = route('down: ["1 of leaf[rack=1] - spine[spine=0]"]\n', mode="static")
    assert dict(found.between) == pytest.approx(
        {(A, S0, UP): 1 / 4, (S0, B, DOWN): 1 / 2, (A, S1, UP): 1 / 4, (S1, B, DOWN): 1 / 4}
    )


def test_cables_at_half_speed_carry_half_of_their_neighbours() -> None:
    found = route('slow: {"leaf[rack=0] - spine[spine=0]": 50 %}\n')
    carried = {(u, v): load for (u, v, _), load in found.between.items()}
    assert carried == pytest.approx(
        {(A, S0): 1 / 6, (S0, B): 1 / 6, (A, S1): 1 / 3, (S1, B): 1 / 3}
    )


def test_leaves_that_no_spine_joins_have_no_way() -> None:
    with pytest.raises(Unreachable):
        route('down: ["leaf[rack=1] - spine"]\n')


def test_over_a_core_half_goes_over_each_spine_of_a_pod() -> None:
    pods = """
toposmith: 2
axes: {su: 2}
groups:
  node: {part: dgx-h100, per: [su], count: 2}
  leaf: {part: qm9700, per: [su]}
  spine: {part: qm9700, per: [su], count: 2}
  core: {part: qm9700, count: 3}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core]}
"""
    found = route("", text=pods)
    loads = {(u[0], v[0]): load for (u, v, _), load in found.between.items()}
    # 1 over 2 spines of 2 cables; each spine over 3 cores; each core to 2 spines of the other pod
    assert loads == pytest.approx(
        {
            ("leaf", "spine"): 1 / 4,
            ("spine", "core"): 1 / 6,
            ("core", "spine"): 1 / 6,
            ("spine", "leaf"): 1 / 4,
        }
    )
    assert len(found.between) == 2 + 6 + 6 + 2


def test_what_comes_to_two_ports_goes_by_the_cables_before_their_leaves() -> None:
    text = """
toposmith: 2
axes: {su: 2}
groups:
  node: {part: node1, per: [su], count: 1, nics: {compute: {part: nic-2x100, count: 1}}}
  leaf: {part: switch, per: [su], count: 2}
  spine: {part: switch, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
down: ["1 of leaf[su=1,leaf=0] - spine[spine=0]"]
"""
    found = route("", text=text, parts=SMALL)
    carried = {(u[1], v[1]): load for (u, v, _), load in found.between.items()}
    # one cable is left to the first leaf of the receiver, two to the second
    assert carried == pytest.approx(
        {((0, 0), (0,)): 1 / 4, ((0, 1), (0,)): 1 / 4, ((0,), (1, 0)): 1 / 3, ((0,), (1, 1)): 1 / 3}
    )
