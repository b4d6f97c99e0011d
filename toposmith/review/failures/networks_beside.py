"""What networks beside the compute network lose with one switch, one NIC or one host.

Whether a node still reaches a host of such a network, such as a storage appliance, follows from the
wiring; a job whose nodes need it stops with the first node that does not. Of storage all nodes read
together what its appliances give and the least cut before them lets through, at line rate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import Catalog
from toposmith.fabric.classes import ClassGraph, ClassVertex, base_graph
from toposmith.fabric.plan import UPLINK, GroupPlan, Plan
from toposmith.review.failures.breakable import Failure, instance
from toposmith.review.failures.survivors import also_down
from toposmith.review.other_networks import (
    OtherNetwork,
    compute_switches,
    other_networks,
)
from toposmith.workloads.block import StorageBlock
from toposmith.workloads.storage_demand import storage_found


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
    stores = [other for other in others if _is_storage(plan, other)]
    timed = stores if rates and len(stores) == 1 else []
    return tuple(_losses(network, catalog, other, rates=other in timed) for other in others)


def _is_storage(plan: Plan, other: OtherNetwork) -> bool:
    return any(plan.groups[name].storage is not None for name in other.hosts)


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
        return here[0] != "nic" or own or _device_of(here) == peer


def _device_of(nic: ClassVertex) -> ClassVertex:
    """The device class that a class of NICs is in."""
    return ("device", nic[1], nic[3])


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
