"""Devices looked up one by one have beside them what the class graph says."""

from __future__ import annotations

import pytest

from bench.relations import torus
from tests.expansion import expand
from tests.joined_along import plan_along
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design


def test_switches_with_faults_elsewhere_have_the_cables_of_the_expansion_beside_them() -> None:
    healed = 0
    for seed in range(150):
        plan = plan_along(seed)
        network = ComputeNetwork(plan)
        if not (plan.absent or plan.down) or len(network.classes.graph) == 0:
            continue
        devices, graph = network.devices, expand(plan)
        healed += devices._healed is not None
        switches = [v for v in graph if v[0] == "device" and plan.groups[v[1]].switch]
        for vertex in switches:
            expected: dict[tuple, int] = {}
            for _, peer, data in graph.edges(vertex, data=True):
                if peer[0] == "device" and plan.groups[peer[1]].switch and data["link"] is not None:
                    expected[peer[1], peer[2]] = expected.get((peer[1], peer[2]), 0) + 1
            found = {
                peer: sum(many for _, many, _ in bundles)
                for peer, bundles in devices.beside((vertex[1], vertex[2])).items()
            }
            assert found == expected, (seed, vertex)
    assert healed > 20


@pytest.mark.parametrize(
    "down",
    [
        ("node[x=1,y=2]",),
        ("sw[x=1,y=2]",),
        ("node[x=1,y=2].compute[3]",),
        ("node[x=1,y=2] - sw[x=1,y=2]",),
        ("sw[x=1,y=2] - sw[x=2,y=2]", "node[x=0,y=0].compute[0]"),
        ("sw[x=3]", "node[y=1]"),
    ],
)
def test_nodes_that_no_fault_touches_are_cabled_as_in_the_whole_torus(
    down: tuple[str, ...],
) -> None:
    """Each is looked up by its class in the faulted torus, too."""
    plan = plan_design(parse_design(torus(4, 4, 2, *down), "torus"), load_catalog())
    network = ComputeNetwork(plan)
    nodes = [
        (block.group.name, (*block.outer, own))
        for block in network.world.blocks
        for low, high in block.runs
        for own in range(low, high + 1)
    ]
    kept = 0
    for node in nodes:
        cables = network.devices.at_node(node)
        assert cables == network.devices._at_own_node(node)
        kept += network.devices._at_whole_node(node) is not None
    # all but those of two rows, whose nodes or switches are down
    assert kept >= len(nodes) - 10
