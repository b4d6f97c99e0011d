"""Devices looked up one by one have beside them what the class graph says."""

from __future__ import annotations

from tests.topology.joined_along import plan_along
from toposmith.topology.analysis.network import ComputeNetwork
from toposmith.topology.fabric.expansion import expand


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
