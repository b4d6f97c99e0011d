"""Ways over switches alone, from the NICs of a node to those of others: where rails meet."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.plan import GroupPlan

NicParts = frozenset[int]
"""The parts of the fabric that a NIC is cabled to: no way over switches leads to another part."""


def rails_apart(network: ComputeNetwork) -> Iterator[tuple[GroupPlan, int, int]]:
    """Groups of nodes with NICs that no way over switches joins.

    Each with how many NICs of a node one of them misses, and how many there are.
    """
    if network.world.nodes < 2 or not network.all_on_switches:
        return
    for group in network.world.groups:
        if gpus_of(group) < 2:
            continue
        missed, nics = 0, 0
        for found in parts_of_nics(network, group):
            cabled = [nic for nic in found if nic]
            lost = next(filter(None, (missed_from(nic, cabled) for nic in cabled)), 0)
            missed, nics = max((missed, nics), (lost, len(cabled)))
        if missed:
            yield group, missed, nics


def missed_from(nic: NicParts, others: list[NicParts]) -> int:
    """How many of some NICs no way over switches leads to from one."""
    return sum(map(nic.isdisjoint, others))


def parts_of_nics(network: ComputeNetwork, group: GroupPlan) -> Iterator[tuple[NicParts, ...]]:
    """The NICs of a node of every kind of a group, in the order of slots; empty if uncabled."""
    # imported here: it needs numpy, which takes a tenth of a second to load
    from toposmith.analysis.traffic.row_network import network_of_cells
    from toposmith.analysis.traffic.row_routes import row_routes

    net = network_of_cells(network, in_order=False)
    parts = [frozenset(of) - {-1} for of in row_routes(net, weighted=True).part.tolist()]
    mine = net.kinds.group == [of.name for of in network.world.groups].index(group.name)
    # of kinds that stand for several places what joins one of these may lie in another
    for nics in net.kinds.at[mine & (net.copies()[1] == 1)].tolist():
        yield tuple(parts[nic] if nic >= 0 else frozenset() for nic in nics)
