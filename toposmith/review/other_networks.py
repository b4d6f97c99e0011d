"""Networks of a design that carry no collective, such as the one to its storage.

Figures and failures are those of the compute network. What else stops a job is not computed, so
that readers have to know which networks were not checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import networkx as nx

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.fabric.counts import device_counts
from toposmith.fabric.plan import MANAGEMENT, UPLINK, LinkEnd, Plan
from toposmith.fabric.port_use import port_use
from toposmith.text import counted


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
        What it joins besides nodes with GPUs, and they may need: groups of storage. None of a
        management network, where everything is on its own management port and serves nothing.
    shared : tuple of str
        Groups of switches of the compute network that it passes through.
    ends : tuple of (str, str)
        Its groups, and the slots of each that it takes; none of switches.
    """

    uses: tuple[str, ...]
    switches: tuple[str, ...]
    hosts: tuple[str, ...]
    shared: tuple[str, ...]
    ends: tuple[tuple[str, str], ...] = ()

    @property
    def is_management(self) -> bool:
        """Whether devices are on it by their management ports alone."""
        return bool(self.ends) and all(slots in ("", MANAGEMENT, UPLINK) for _, slots in self.ends)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that findings about it are at."""
        return self.switches or self.hosts or self.shared

    @property
    def words(self) -> str:
        """``storage network (store-leaf, store)``; with shared switches ``(store over leaf)``."""
        inside = ", ".join((*self.switches, *self.hosts))
        over = f"over {', '.join(self.shared)}" if self.shared else ""
        name = f"{' and '.join(self.uses)} network".strip()
        return f"{name} ({' '.join(filter(None, (inside, over)))})"


def compute_switches(network: ComputeNetwork) -> set[str]:
    """The groups of switches that collectives run over."""
    plan = network.plan
    heights = tier_of_groups(plan, network.slots)
    return {name for name in heights if plan.groups[name].switch is not None}


def other_networks(network: ComputeNetwork) -> tuple[OtherNetwork, ...]:
    """Every network that a design wires besides the compute network, in the order of its links."""
    plan, slots = network.plan, network.slots
    compute = compute_switches(network)

    def collective(end: LinkEnd) -> bool:
        return end.group in compute if not end.ports else slots.get(end.group) == end.ports

    wired: nx.Graph[tuple[str, str]] = nx.Graph()
    for link in plan.fabric_links:
        if not (collective(link.a) and collective(link.b)):
            wired.add_edge((link.a.group, link.a.ports), (link.b.group, link.b.ports))
            for end in (link.a, link.b):
                if end.ports == UPLINK:  # what is below continues through the same switch
                    wired.add_edge((end.group, ""), (end.group, UPLINK))
    joined = nx.connected_components(wired)
    return tuple(
        _network(plan, ends, compute)
        for all_ends in joined
        for ends in _parted(plan, all_ends, wired)
    )


def _parted(
    plan: Plan, ends: set[tuple[str, str]], wired: nx.Graph[tuple[str, str]]
) -> Iterator[set[tuple[str, str]]]:
    """The network with the storage, and those that share nothing with it but slots of GPU nodes.

    Nodes pass no traffic on, so that switches on other ports of the same slots, such as in-band
    ones, are no way to the storage.
    """
    hosts = {end for end in ends if plan.groups[end[0]].storage and end[1] != MANAGEMENT}
    if not hosts:
        yield ends
        return
    nodes = {end for end in ends if (node := plan.groups[end[0]].node) and node.gpus}
    parts = [*nx.connected_components(wired.subgraph(ends - nodes))]
    stores = set().union(*(part for part in parts if part & hosts))
    for each in (stores, *(part for part in parts if not part & hosts)):
        yield each | {end for end in nodes if each & set(wired[end])}


def not_looked_at(network: ComputeNetwork) -> Iterator[str]:
    """Networks beside the compute network, what is not drawn, and ports that are not cabled."""
    others = other_networks(network)
    for other in others:
        yield other.words
    yield not_drawn(others)
    yield from uncabled_ports(network.plan)


def not_drawn(others: Iterable[OtherNetwork]) -> str:
    """That networks may be missing; management as an example where the design has none."""
    managed = any(other.is_management for other in others)
    return f"networks that are not drawn{'' if managed else ', such as management'}"


def uncabled_ports(plan: Plan) -> Iterator[str]:
    """Ports of nodes and storage that no link takes: what they are for is not drawn."""
    devices = device_counts(plan)
    for (name, slots), use in port_use(plan).items():
        ports = max(0, use.free) * devices[name]
        if slots and slots != UPLINK and ports:
            has = "has" if ports == 1 else "have"
            yield f"{counted(ports, 'port')} of {name}.{slots} {has} no cable"


def _network(plan: Plan, ends: set[tuple[str, str]], compute: set[str]) -> OtherNetwork:
    names = [name for name in plan.groups if name in {group for group, _ in ends}]
    groups = [plan.groups[name] for name in names]
    uses = [ports for group, ports in sorted(ends) if ports and plan.groups[group].node is not None]
    reached = {group for group, slots in ends if slots != MANAGEMENT}
    managed = {slots for _, slots in ends if slots} - {UPLINK} == {MANAGEMENT}
    if managed:
        uses = [MANAGEMENT]
    carries = {group for group, slots in ends if not slots}  # others are on it by one port
    stores = [group for group in plan.groups.values() if group.storage is not None]
    if stores and not managed and not reached & {group.name for group in stores}:
        uses = [use for use in uses if use != "storage"]  # only the ports of its nodes are so named
    uses += ["storage" for group in groups if group.storage is not None and group.name in reached]
    return OtherNetwork(
        tuple(dict.fromkeys(uses)),
        tuple(group.name for group in groups if group.name in carries - compute),
        tuple(
            group.name
            for group in groups
            if group.host is not None and not (managed or (group.node and group.node.gpus))
        ),
        tuple(group.name for group in groups if group.name in carries & compute),
        tuple(sorted(ends)),
    )
