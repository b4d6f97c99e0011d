"""What networks beside the compute network lose with one switch, one NIC or one host.

Whether a node still reaches a host of such a network, such as a storage appliance, follows from the
wiring; a job whose nodes need it stops with the first node that does not. Of storage all nodes read
together what its appliances give and the least cut before them lets through, at line rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.catalog import Catalog
from toposmith.fabric.classes import ClassGraph, ClassVertex, base_graph
from toposmith.fabric.counts import device_counts
from toposmith.fabric.plan import MANAGEMENT, UPLINK, GroupPlan, LinkEnd, Plan
from toposmith.fabric.port_use import port_use
from toposmith.review.failures.breakable import Failure, instance
from toposmith.review.failures.survivors import also_down
from toposmith.text import counted
from toposmith.workloads.block import StorageBlock
from toposmith.workloads.storage_demand import storage_found

# Networks of a design that carry no collective, such as the one to its storage.
#
# Figures and failures are those of the compute network. What else stops a job is not computed, so
# that readers have to know which networks were not checked.


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


@dataclass(frozen=True)
class Loss:
    """What a network has lost once something of it has failed.

    Parameters
    ----------
    failure : Failure
        Of what.
    nodes, gpus : int
        Nodes with GPUs that reach it no more; their GPUs.
    reads_GBps : float or None
        What all nodes together read of the storage in it; None where that is not known or asked.
    """

    failure: Failure
    nodes: int
    gpus: int
    reads_GBps: float | None = None


@dataclass(frozen=True)
class NetworkLosses:
    """A network beside the compute network, and what each single failure in it cuts off.

    Parameters
    ----------
    network : OtherNetwork
        The network.
    nodes, gpus : int
        Nodes with GPUs that reach a host of it, or, where none is drawn, a switch that no other
        is above; their GPUs.
    losses : tuple of Loss
        Worst first, one for each class of equivalent things.
    reads_GBps : float or None
        What all nodes together read of the storage in it before anything fails, as in losses.
    """

    network: OtherNetwork
    nodes: int
    gpus: int
    losses: tuple[Loss, ...]
    reads_GBps: float | None = None


def losses_beside(
    network: ComputeNetwork, catalog: Catalog, *, rates: bool = False
) -> tuple[NetworkLosses, ...]:
    """What single failures cut off in every network that a design wires besides the compute one.

    With ``rates`` also what nodes still read of storage, where the design has one such network.
    """
    plan, others = network.plan, other_networks(network)
    stores = [
        other
        for other in others
        if any(plan.groups[name].storage is not None for name in other.hosts)
    ]
    timed = stores if rates and len(stores) == 1 else []
    return tuple(_losses(network, catalog, other, rates=other in timed) for other in others)


def _reads_GBps(plan: Plan, catalog: Catalog) -> float | None:
    found = storage_found(plan, catalog, StorageBlock())
    return 0.0 if found is None else found.read_GBps


def _losses(
    network: ComputeNetwork, catalog: Catalog, other: OtherNetwork, *, rates: bool
) -> NetworkLosses:
    plan, reach = network.plan, _Reach(network, other)
    before = reach.reached(plan)
    nodes, gpus = _sizes(plan, before)
    found = []
    for failure in _single_failures(plan, reach):
        without = also_down(plan, catalog, failure.selectors)
        left_nodes, left_gpus = _sizes(plan, reach.reached(without))
        reads = _reads_GBps(without, catalog) if rates else None
        found.append(Loss(failure, nodes - left_nodes, gpus - left_gpus, reads))
    found.sort(key=lambda each: (-each.gpus, each.reads_GBps or 0.0))
    before_GBps = _reads_GBps(plan, catalog) if rates else None
    return NetworkLosses(other, nodes, gpus, tuple(found), before_GBps)


def _sizes(plan: Plan, reached: dict[str, int]) -> tuple[int, int]:
    return sum(reached.values()), sum(
        many * gpus_of(plan.groups[name]) for name, many in reached.items()
    )


@dataclass(frozen=True)
class _Reach:
    """Who reaches what in one network: traffic passes through switches, never through devices.

    Where hosts are cabled to switches of the compute network, those are a path to them, too.
    """

    network: ComputeNetwork
    other: OtherNetwork

    @property
    def _converged(self) -> bool:
        return bool(self.other.hosts and self.other.shared)

    @cached_property
    def slots(self) -> dict[str, set[str]]:
        """The slots of each group of nodes and hosts by which the network is reached."""
        found: dict[str, set[str]] = {}
        compute = self.network.slots.items() if self._converged else ()
        for group, ports in (*self.other.ends, *compute):
            if ports:
                found.setdefault(group, set()).add(ports)
        return found

    @cached_property
    def switches(self) -> set[str]:
        """The groups of switches that traffic may pass through."""
        found = {*self.other.switches, *self.other.shared}
        return found | compute_switches(self.network) if self._converged else found

    def classes(self, plan: Plan) -> ClassGraph:
        """The class graph with the network's NICs; with all where a group has several kinds."""
        slots = self.slots
        if any(len(each) > 1 for each in slots.values()):
            return base_graph(plan)
        return base_graph(plan, only={name: next(iter(each)) for name, each in slots.items()})

    def reached(self, plan: Plan) -> dict[str, int]:
        """Nodes with GPUs that reach the network, by group."""
        classes = self.classes(plan)
        found: dict[str, int] = {}
        for vertex in classes.vertices("node"):
            name = vertex[1]
            if name in self.slots and gpus_of(plan.groups[name]) and self._reaches(classes, vertex):
                size = int(classes.graph.nodes[vertex]["size"])
                found[name] = found.get(name, 0) + size
        return found

    def _reaches(self, classes: ClassGraph, node: ClassVertex) -> bool:
        """Whether a node of a class reaches a host; where none is drawn, a switch above all others.

        Who manages the nodes is behind the switches that have no uplinks of their own.
        """
        graph, switches = classes.graph, self.switches
        below = {group for group, slots in self.other.ends if slots == UPLINK}
        wanted = {*self.other.hosts} or switches - below or switches
        seen, waiting = {node}, [node]
        while waiting:
            here = waiting.pop()
            for peer in graph[here]:
                if peer in seen or not self._is_open(here, peer, node):
                    continue
                seen.add(peer)
                if peer[1] in wanted:
                    return True
                if peer[1] in switches or peer[0] == "nic":
                    waiting.append(peer)
        return False

    def _is_open(self, here: ClassVertex, peer: ClassVertex, node: ClassVertex) -> bool:
        """Whether traffic of a node continues from one vertex to the next."""
        if peer[0] == "nic" and peer[2] not in self.slots.get(peer[1], ()):
            return False
        own = here[0] == "nic" and (here[1] == node[1] or here[2] == UPLINK)
        # a NIC of its own class leads out, and so does an uplink; any other into its device only
        return here[0] != "nic" or own or peer == ("device", here[1], here[3])


def _single_failures(plan: Plan, reach: _Reach) -> Iterator[Failure]:
    """One of each class of the network's switches and hosts, and of its NICs in nodes with GPUs."""
    classes, slots = reach.classes(plan), reach.slots
    kinds = {"switch": reach.switches, "node": set(reach.other.hosts)}
    for kind, names in kinds.items():
        for vertex in classes.vertices(kind):
            if vertex[1] in names:
                group = plan.groups[vertex[1]]
                at = instance(group, classes.coordinates(group, vertex[2]))
                size = int(classes.graph.nodes[vertex]["size"])
                what = "switch" if kind == "switch" else "host"
                yield Failure(what, vertex[1], (at,), size)
    for vertex in classes.vertices("nic"):
        group, links = plan.groups[vertex[1]], classes.graph.edges(vertex, data="link")
        taken = gpus_of(group) and vertex[2] in slots.get(vertex[1], ())
        if taken and any(link is not None for _, _, link in links):
            yield _nic(group, classes, vertex)


def _nic(group: GroupPlan, classes: ClassGraph, vertex: ClassVertex) -> Failure:
    """Every port of the first NIC of a class."""
    data = classes.graph.nodes[vertex]
    at = instance(group, classes.coordinates(group, vertex[3]))
    ports = group.port_groups[vertex[2]].ports_of_nic(data["slots"][0])
    selectors = tuple(f"{at}.{vertex[2]}[{port}]" for port in ports)
    return Failure("NIC", f"{vertex[1]}.{vertex[2]}", selectors, int(data["size"]))
