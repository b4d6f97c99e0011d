"""Devices looked up one by one have beside them what the class graph says."""

from __future__ import annotations

import pytest

from tests.expansion import expand
from tests.joined_along import plan_along
from toposmith.analysis.network import ComputeNetwork


def test_switches_with_faults_elsewhere_have_the_cables_of_the_expansion_beside_them() -> None:
    compared = 0
    for seed in range(150):
        plan = plan_along(seed)
        network = ComputeNetwork(plan)
        if len(network.classes.graph) == 0:
            continue
        devices, graph = network.devices, expand(plan)
        compared += bool(plan.absent or plan.down)
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
    assert compared > 20


@pytest.mark.parametrize("seed", range(150))
def test_nodes_have_the_cables_of_the_expansion_at_each_nic(seed: int) -> None:
    """Each is looked up by its class, and has its own switches at the other ends."""
    plan = plan_along(seed)
    network, graph = ComputeNetwork(plan), expand(plan)
    for vertex in graph:
        if vertex[0] != "device" or vertex[1] not in network.slots:
            continue
        expected: dict[tuple, int] = {}
        for _, nic, inside in graph.edges(vertex, data=True):
            if inside["link"] is not None or nic[0] != "nic" or nic[2] != network.slots[vertex[1]]:
                continue
            for _, peer, data in graph.edges(nic, data=True):
                if data["link"] is not None:
                    at = (nic[-1], (peer[1], peer[2]))
                    expected[at] = expected.get(at, 0) + 1
        found = {
            (slot, peer): many
            for slot, cables in enumerate(network.devices.at_node((vertex[1], vertex[2])))
            for peer, (_, many, _) in cables
        }
        assert found == expected, vertex
