"""Networks of a design that carry no collective, such as the one to its storage.

Figures and failures are those of the compute network. What else stops a job is not worked out, so
that readers have to be told which networks were not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import networkx as nx

from topology.analysis.network import Network
from topology.analysis.tiers import tier_of_groups
from topology.fabric.plan import LinkEnd, Plan


@dataclass(frozen=True)
class OtherNetwork:
    """Links that hang together and that no collective takes.

    Parameters
    ----------
    uses : tuple of str
        What it is for, as far as slots and parts say: ``storage``.
    switches : tuple of str
        Groups of switches that only it has.
    hosts : tuple of str
        What it joins besides nodes with GPUs, such as groups of storage.
    shared : tuple of str
        Groups of switches of the compute network that it passes through.
    """

    uses: tuple[str, ...]
    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    shared: tuple[str, ...]

    @property
    def where(self) -> str:
        """Its groups, as a finding names its place."""
        return " + ".join(self.switches or self.hosts or self.shared)

    @property
    def words(self) -> str:
        """``storage network (store-leaf, store)``; with shared switches ``(store over leaf)``."""
        inside = ", ".join((*self.switches, *self.hosts))
        over = f"over {', '.join(self.shared)}" if self.shared else ""
        name = f"{' and '.join(self.uses)} network".strip()
        return f"{name} ({' '.join(filter(None, (inside, over)))})"


def other_networks(network: Network) -> tuple[OtherNetwork, ...]:
    """Every network that a design wires besides the compute network, in the order of its links."""
    plan, slots = network.plan, network.slots
    compute = {name for name in tier_of_groups(plan, slots) if plan.groups[name].switch is not None}

    def collective(end: LinkEnd) -> bool:
        return end.group in compute if not end.ports else slots.get(end.group) == end.ports

    wired: nx.Graph[tuple[str, str]] = nx.Graph()
    for link in plan.links:
        if not (collective(link.a) and collective(link.b)):
            wired.add_edge((link.a.group, link.a.ports), (link.b.group, link.b.ports))
    return tuple(_network(plan, ends, compute) for ends in nx.connected_components(wired))


def _network(plan: Plan, ends: set[tuple[str, str]], compute: set[str]) -> OtherNetwork:
    names = [name for name in plan.groups if name in {group for group, _ in ends}]
    groups = [plan.groups[name] for name in names]
    uses = [ports for group, ports in sorted(ends) if ports and plan.groups[group].node is not None]
    uses += ["storage" for group in groups if group.storage is not None]
    return OtherNetwork(
        tuple(dict.fromkeys(uses)),
        tuple(group.name for group in groups if group.switch and group.name not in compute),
        tuple(
            group.name
            for group in groups
            if group.host is not None and not (group.node and group.node.gpus)
        ),
        tuple(group.name for group in groups if group.name in compute),
    )
