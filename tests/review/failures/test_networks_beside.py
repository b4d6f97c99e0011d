"""Whom networks beside the compute network lose with one of their things: counted by hand."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import STORAGE, but
from tests.review.reviewing import reviewed
from tests.said import texts
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.networks_beside import NetworkLosses, losses_beside, not_looked_at
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import beside_notes, sweep_as_data

CATALOG = load_catalog(user=False)
TWO_LEAVES = but(STORAGE, ("store-leaf: {part: qm9700}", "store-leaf: {part: qm9700, count: 2}"))
PER_UNIT = """\
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 3}
  leaf: {part: qm9700, per: [rail]}
  store-leaf: {part: qm9700, per: [su]}
  store-spine: {part: qm9700, count: 2}
  store: {part: ddn-ai400x2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [node.storage, store-leaf], length: 20}
  - {between: [store-leaf, store-spine], length: 20}
  - {between: [store.storage, store-spine], length: 20}
"""
"""Two units of three DGX H100 with a storage leaf each, two storage spines, one appliance."""


CONVERGED = """\
axes: {}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, count: 4}
  store: {part: ddn-ai400x2, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [store.storage, leaf], length: 20}
"""
"""Nodes and appliances on the same leaves, each with ports to all four."""

ON_ANOTHER_LEAF = """\
axes: {rack: 2}
groups:
  node: {part: dgx-h100, per: [rack], count: 2}
  leaf: {part: qm9700, per: [rack]}
  spine: {part: qm9700}
  store: {part: ddn-ai400x2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 4, length: 20}
  - {between: [store.storage, spine], length: 20}
"""
"""An appliance on the spine of two racks."""

STORAGE_ALONE = """\
groups:
  node: {part: dgx-h100, count: 3}
  store-leaf: {part: qm9700}
  store: {part: ddn-ai400x2}
links:
  - {between: [node.storage, store-leaf], length: 20}
  - {between: [store.storage, store-leaf], length: 20}
"""
"""Nothing but the storage network is drawn."""


def losses(text: str) -> NetworkLosses:
    plan = plan_design(parse_design(f"toposmith: 1\n{text}", "test"), CATALOG)
    (found,) = losses_beside(ComputeNetwork(plan), CATALOG)
    return found


def lost(text: str) -> dict[tuple[str, str], int]:
    """Nodes that the worst failure of each kind of thing cuts off."""
    worst: dict[tuple[str, str], int] = {}
    for each in losses(text).losses:
        worst.setdefault((each.failure.kind, each.failure.what), each.nodes)
    return worst


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (STORAGE, {("switch", "store-leaf"): 4, ("host", "store"): 0, ("NIC", "node.storage"): 0}),
        (
            TWO_LEAVES,
            {("switch", "store-leaf"): 0, ("host", "store"): 0, ("NIC", "node.storage"): 0},
        ),
        (
            PER_UNIT,
            {
                ("host", "store"): 6,
                ("switch", "store-leaf"): 3,
                ("switch", "store-spine"): 0,
                ("NIC", "node.storage"): 0,
            },
        ),
    ],
    ids=["one leaf", "two leaves", "a leaf for each unit"],
)
def test_nodes_that_reach_no_storage_without_one_thing(
    text: str, wanted: dict[tuple[str, str], int]
) -> None:
    assert lost(text) == wanted


def test_a_node_with_one_storage_cable_loses_it_with_one_nic() -> None:
    thin = but(
        STORAGE,
        ("[node.storage, store-leaf], length", "[node.storage, store-leaf], cables: 1, length"),
    )
    assert lost(thin)["NIC", "node.storage"] == 1


def test_what_is_down_already_is_lost_to_no_failure() -> None:
    down = f'{PER_UNIT}down: ["store-leaf[su=1]"]\n'
    found = losses(down)
    assert (found.nodes, found.gpus) == (3, 24)
    assert lost(down)["switch", "store-leaf"] == 3
    assert lost(f'{PER_UNIT}down: ["store-spine[store-spine=0]"]\n')["switch", "store-spine"] == 6


def test_storage_over_the_compute_leaf_stops_with_that_leaf() -> None:
    over = but(
        STORAGE,
        ("leaf: {part: qm9700, per: [rail]}", "leaf: {part: qm9700}"),
        ("  store-leaf: {part: qm9700}\n", ""),
        ("  spine: {part: qm9700, count: 2}\n", ""),
        ("  - {between: [leaf, spine], cables: 2, length: 20}\n", ""),
        ("[node.storage, store-leaf]", "[node.storage, leaf]"),
        ("[store.storage, store-leaf]", "[store.storage, leaf]"),
    )
    assert lost(over)["switch", "leaf"] == 4


def test_failures_say_whom_the_storage_leaf_stops() -> None:
    plan = plan_design(parse_design(f"toposmith: 1\n{STORAGE}", "test"), CATALOG)
    found = sweep(plan, CATALOG, collectives=("all_reduce",), progress=lambda *_: False)
    first, second, _, each = texts(beside_notes(found))
    name = "storage network (store-leaf, store)"
    stops = "cuts off 4 of 4 nodes (32 GPUs); a job that needs it there stops"
    assert first == f"{name}: any one switch (store-leaf) {stops}"
    assert second.startswith(f"{name}: all 4 nodes reach it without any one host (store)")
    assert each.startswith("a job on all GPUs stops every ")
    (data,) = sweep_as_data(found)["networks_beside"]
    assert data["failures"][0]["down"] == ["store-leaf[store-leaf=0]"]
    assert data["failures"][0]["nodes_cut_off"] == 4


def test_failures_say_what_nodes_still_read_of_storage() -> None:
    """Four appliances of 90 GB/s; four nodes with a port of 50 GB/s to each of two leaves."""
    four = but(TWO_LEAVES, ("part: ddn-ai400x2, count: 2", "part: ddn-ai400x2, count: 4"))
    plan = plan_design(parse_design(f"toposmith: 1\n{four}", "test"), CATALOG)
    swept = sweep(plan, CATALOG, collectives=("all_reduce",), progress=lambda *_: False)
    (found,) = swept.beside
    worst = {each.failure.kind: each.reads_GBps for each in reversed(found.losses)}
    assert found.reads_GBps == pytest.approx(4 * 90)
    assert worst == pytest.approx({"host": 3 * 90, "switch": 4 * 50, "NIC": 7 * 50})
    said = "and together read at most 200 GB/s of 360 GB/s (56 %)"
    assert any(said in line for line in texts(beside_notes(swept)))
    (data,) = sweep_as_data(swept)["networks_beside"]
    assert data["storage_read_GBps"] == found.reads_GBps
    assert data["failures"][0]["storage_read_GBps"] == found.losses[0].reads_GBps


def test_in_band_switches_are_no_way_to_the_storage() -> None:
    # one port of each node's storage slots to each of two networks, which meet in no switch
    in_band = but(
        STORAGE,
        ("[node.storage, store-leaf], length", "[node.storage, store-leaf], cables: 1, length"),
        ("  store: {", "  in-band: {part: qm9700}\n  store: {"),
        ("links:\n", "links:\n  - {between: [node.storage, in-band], cables: 1, length: 20}\n"),
    )
    plan = plan_design(parse_design(f"toposmith: 1\n{in_band}", "test"), CATALOG)
    found = {one.network.words: one for one in losses_beside(ComputeNetwork(plan), CATALOG)}
    assert {*found} == {"storage network (store-leaf, store)", "network (in-band)"}
    for words, switch in zip(sorted(found), ("in-band", "store-leaf"), strict=True):
        one = found[words]
        switches = {
            (each.failure.what, each.nodes) for each in one.losses if each.failure.kind == "switch"
        }
        assert (one.nodes, switches) == (4, {(switch, 4)})


MANAGED = """\
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 3}
  leaf: {part: qm9700, per: [rail]}
  store: {part: ddn-ai400x2}
  out-of-band: {part: sn2201, per: [su]}
  out-of-band-2: {part: sn2201}
  core: {part: sn4600c, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [node.management, out-of-band], cables: 1, length: 20}
  - {between: [store.management, out-of-band-2], cables: 1, length: 20}
  - {between: [out-of-band.uplink, core], cables: 1, length: 20}
  - {between: [out-of-band-2.uplink, core], cables: 1, length: 20}
"""
"""A management switch for each unit, and one for the appliance's own management port."""


def test_management_that_is_drawn_is_no_example_of_what_is_not() -> None:
    for text, example in ((MANAGED, False), (STORAGE, True)):
        plan = plan_design(parse_design(f"toposmith: 1\n{text}", "test"), CATALOG)
        found = sweep(plan, CATALOG, collectives=("all_reduce",), progress=lambda *_: False)
        (line,) = (each for each in found.not_looked_at if "not drawn" in each)
        assert line.startswith("networks that are not drawn")
        assert ("such as management" in line) == example
        assert ("such as management" in " ".join(not_looked_at(ComputeNetwork(plan)))) == example


def test_an_appliance_serves_nobody_on_the_management_network() -> None:
    found = losses(MANAGED)
    assert found.nodes == 6
    nodes = {(each.failure.kind, each.failure.what): each.nodes for each in found.losses}
    assert nodes[("switch", "out-of-band")] == 3, "the unit's nodes"
    assert nodes[("switch", "out-of-band-2")] == 0, "no node is on the appliance's switch"
    assert ("host", "store") not in nodes


@pytest.mark.parametrize(
    ("text", "nodes", "cut_off"),
    [
        # any one leaf of four, NIC or appliance leaves every node a way
        (CONVERGED, 4, {"leaf": 0, "store": 0, "node.compute": 0}),
        # a leaf is the way of its rack's two nodes, the spine and the appliance that of all
        (ON_ANOTHER_LEAF, 4, {"leaf": 2, "spine": 4, "store": 4, "node.compute": 0}),
        (STORAGE_ALONE, 3, {"store-leaf": 3, "store": 3, "node.storage": 0}),
    ],
)
def test_storage_on_switches_of_the_nodes_is_reached_through_these(
    text: str, nodes: int, cut_off: dict[str, int]
) -> None:
    found = losses(text)
    assert found.nodes == nodes
    assert {what: many for (_, what), many in lost(text).items()} == cut_off
    said = [one.code for one in reviewed(text)]
    assert "network-unreached" not in said


def test_storage_behind_leaves_that_are_down_is_not_reached() -> None:
    assert losses(CONVERGED + "down: [leaf]\n").nodes == 0
