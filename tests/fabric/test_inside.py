"""Inside a node: who shares what with whom, by max-flow on the graph of its links.

Figures are raw ones, GB/s of one direction: PCIe 4 x16 31.5, PCIe 5 x16 63, NVLink 25 per link of
an A100 or H100 and 50 per link of a B200. Marketing adds both directions.
"""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
import pytest

from toposmith.catalog import Catalog, NvlinkFabric, Pcie, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.inside import (
    InsideEdge,
    Vertex,
    collective_edges,
    colour,
    inside_edges,
    pcie_GBps,
    slower,
)
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
GEN4, GEN5 = 31.5, 63.0


def inside(part: str, nic: str | None = None, count: int = 8) -> tuple[InsideEdge, ...]:
    nics = f", nics: {{compute: {{part: {nic}, count: {count}}}}}" if nic else ""
    text = f"toposmith: 1\ngroups: {{node: {{part: {part}{nics}}}}}\n"
    plan = plan_design(parse_design(text, "test"), CATALOG)
    return inside_edges(plan.groups["node"], CATALOG)


def graph(edges: Iterable[InsideEdge], *, tiers: Iterable[str] = ("pcie", "socket")) -> nx.DiGraph:
    flow = nx.DiGraph()
    for edge in edges:
        if edge.tier in tiers:
            assert not flow.has_edge(edge.a, edge.b)
            flow.add_edge(edge.a, edge.b, capacity=edge.GBps)
            flow.add_edge(edge.b, edge.a, capacity=edge.GBps)
    return flow


def flow(network: nx.DiGraph, sources: list[Vertex], targets: list[Vertex]) -> float:
    """GB/s from all sources together to all targets together."""
    extended = network.copy()
    for source in sources:
        extended.add_edge("in", source)
    for target in targets:
        extended.add_edge(target, "out")
    value: float = nx.maximum_flow_value(extended, "in", "out")
    return value


def test_two_gpus_that_load_from_host_memory_together_get_half_each() -> None:
    network = graph(inside("dgx-a100"))
    memory: list[Vertex] = [("cpu", 0)]
    alone = flow(network, memory, [("gpu", 0)])
    together = flow(network, memory, [("gpu", 0), ("gpu", 1)])
    assert alone == pytest.approx(GEN4, rel=0.001)
    assert together == pytest.approx(alone)  # one x16 uplink for both: half each
    apart = flow(network, memory, [("gpu", 0), ("gpu", 2)])
    assert apart == pytest.approx(2 * alone)  # another PCIe switch, another uplink


def test_gpus_with_a_pcie_switch_each_load_at_full_rate() -> None:
    network = graph(inside("dgx-h100"))
    together = flow(network, [("cpu", 0)], [("gpu", 0), ("gpu", 1)])
    assert together == pytest.approx(2 * GEN5, rel=0.001)


def test_gpu_to_nic_under_one_switch_does_not_use_the_uplink() -> None:
    edges = inside("dgx-a100")
    uplinks = [edge for edge in edges if {edge.a[0], edge.b[0]} == {"pcie", "cpu"}]
    assert len(uplinks) == 4
    without = graph(edge for edge in edges if edge not in uplinks)
    pair: list[Vertex] = [("gpu", 0), ("gpu", 1)]
    nics: list[Vertex] = [("slot", "compute", 0), ("slot", "compute", 1)]
    assert flow(without, pair, nics) == pytest.approx(2 * GEN4, rel=0.001)
    assert nx.has_path(without, ("gpu", 7), ("slot", "compute", 6))
    assert not nx.has_path(without, ("gpu", 0), ("slot", "compute", 2))


def test_gpus_reach_a_nic_of_the_other_socket_through_the_link_between_sockets() -> None:
    network = graph(inside("dgx-a100"))
    far = flow(network, [("gpu", 0)], [("slot", "compute", 7)])
    assert far == 16  # NCCL's constant for AMD sockets
    assert flow(network, [("cpu", 0)], [("cpu", 1)]) == 16


@pytest.mark.parametrize(
    ("part", "total"),
    [("dgx-a100", 300), ("hgx-a100-8", 300), ("dgx-h100", 450), ("dgx-h200", 450),
     ("dgx-b200", 900), ("hgx-a100-4", 300)],
)  # fmt: skip
def test_nvlink_of_a_gpu_adds_up_to_one_direction_of_its_datasheet(part: str, total: float) -> None:
    network = graph(inside(part), tiers=("nvlink",))
    gpus = [vertex for vertex in network if vertex[0] == "gpu"]
    for gpu in gpus:
        assert sum(d for _, _, d in network.out_edges(gpu, data="capacity")) == total
        others: list[Vertex] = [other for other in gpus if other != gpu]
        assert flow(network, [gpu], others) == total


def test_an_nvswitch_gives_any_pair_all_of_it_and_a_mesh_a_third() -> None:
    switched = graph(inside("hgx-a100-8"), tiers=("nvlink",))
    assert flow(switched, [("gpu", 0)], [("gpu", 7)]) == 300
    mesh = graph(inside("hgx-a100-4"), tiers=("nvlink",))
    pairs = {frozenset((u, v)): c for u, v, c in mesh.edges(data="capacity")}
    assert len(pairs) == 6
    assert set(pairs.values()) == {100}  # 4 links of 25 between every two


def test_a_bridge_joins_its_two_gpus_only() -> None:
    node = CATALOG.node("a100-pcie-4")
    bridged = node.model_copy(
        update={"id": "bridged", "nvlink": NvlinkFabric(shape="bridge", pairs=((0, 1), (2, 3)))}
    )
    catalog = Catalog([*CATALOG, bridged])
    text = "toposmith: 1\ngroups: {node: {part: bridged}}\n"
    plan = plan_design(parse_design(text, "test"), catalog)
    network = graph(inside_edges(plan.groups["node"], catalog), tiers=("nvlink",))
    assert {frozenset((u, v)): c for u, v, c in network.edges(data="capacity")} == {
        frozenset({("gpu", 0), ("gpu", 1)}): 300,
        frozenset({("gpu", 2), ("gpu", 3)}): 300,
    }


def test_only_fitted_nics_are_in_the_node() -> None:
    def slots(edges: tuple[InsideEdge, ...]) -> set[Vertex]:
        return {edge.a for edge in edges if edge.a[0] == "slot"}

    assert slots(inside("hgx-a100-8")) == set()
    assert slots(inside("hgx-a100-8", "connectx-6-hdr", 3)) == {
        ("slot", "compute", number) for number in range(3)
    }
    assert len(slots(inside("dgx-h100"))) == 10


def test_a_nic_and_its_slot_settle_on_the_slower() -> None:
    assert slower(Pcie(generation=5, width=16), Pcie(generation=4, width=16)) == Pcie(
        generation=4, width=16
    )
    assert slower(Pcie(generation=3, width=16), Pcie(generation=5, width=8)) == Pcie(
        generation=3, width=8
    )
    edges = inside("hgx-a100-8", "connectx-7-ndr", 1)
    (slot,) = [edge for edge in edges if edge.a[0] == "slot"]
    assert slot.GBps == pytest.approx(GEN4, rel=0.001)


@pytest.mark.parametrize(
    ("generation", "gbps"), [(3, 15.754), (4, 31.508), (5, 63.015), (6, 121.0)]
)
def test_sixteen_lanes_carry_what_the_pcie_specification_says(generation: int, gbps: float) -> None:
    assert pcie_GBps(Pcie(generation=generation, width=16)) == pytest.approx(gbps, abs=0.001)
    assert pcie_GBps(Pcie(generation=generation, width=8)) == pytest.approx(gbps / 2, abs=0.001)


def test_collectives_over_one_slot_group_leave_the_others_and_the_cpu_out() -> None:
    used = collective_edges(inside("dgx-a100"), "compute")
    kinds = {vertex[0] for edge in used for vertex in (edge.a, edge.b)}
    assert kinds == {"gpu", "nvswitch", "pcie", "slot"}
    assert {v[1] for edge in used for v in (edge.a, edge.b) if v[0] == "slot"} == {"compute"}


def test_where_the_nic_hangs_on_the_cpu_collectives_go_through_it() -> None:
    used = collective_edges(inside("hgx-a100-4", "connectx-6-hdr", 4), "compute")
    assert any("cpu" in (edge.a[0], edge.b[0]) for edge in used)


def test_without_nvlink_everything_stays() -> None:
    edges = inside("a100-pcie-4", "connectx-6-hdr", 2)
    assert collective_edges(edges, "compute") == edges


def test_gpus_of_a_dgx_are_alike_until_one_is_told_apart() -> None:
    edges = collective_edges(inside("dgx-a100"), "compute")
    gpus: list[Vertex] = [("gpu", number) for number in range(8)]
    alike = colour(edges, ())
    assert len({alike[gpu] for gpu in gpus}) == 1
    marked = colour(edges, ((("gpu", 0), 1),))
    # GPU 0, the one that shares its PCIe switch, and the six others
    assert [marked[gpu] == marked["gpu", 2] for gpu in gpus] == [False, False, *[True] * 6]
    assert marked["gpu", 0] != marked["gpu", 1]


def test_a_node_whose_gpu_is_unknown_has_no_inside() -> None:
    catalog = Catalog([part for part in CATALOG if part.kind != "gpu"])
    text = "toposmith: 1\ngroups: {node: {part: dgx-a100}}\n"
    plan = plan_design(parse_design(text, "test"), catalog)
    assert inside_edges(plan.groups["node"], catalog) == ()
