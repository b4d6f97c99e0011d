"""The network that collectives run over: which NICs of each node take part."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toposmith.analysis.jobs.world import World, world
from toposmith.catalog import Catalog
from toposmith.fabric.classes import (
    Cells,
    ClassGraph,
    base_graph,
    class_graph,
)
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.nvlink_links import with_nvlinks_up
from toposmith.fabric.plan import GroupPlan, Plan, PortGroup
from toposmith.fabric.single_devices import SingleDevices
from toposmith.fabric.switch_grid import SwitchGrid, switch_grid

COMPUTE = "compute"

MOST_CLASSES = 100
"""Vertices of a class graph up to which questions about a few devices are answered on the graph
cut once more, and beyond which device by device: measured on 16,384 GPUs, where ten random faults
make some 250 of them, and ring and trees took four times as long by classes."""

FEW_CLASSES = 16
"""Up to this many classes, device by device is not faster."""

CLASSES_A_NODE = 2
"""What one node more costs device by device against classes, whose cost grows by their square:
measured with 1 to 10 random faults on 128 and 2,048 nodes, where both take as long with some 16
and 64 classes."""

MOST_APART = 200
"""Switches joined by dealt cables up to which bounds and paths are looked for among their classes,
and beyond which on rows: a second's work."""

MOST_KEPT = 64
"""Class graphs with more classes are not cached: designs with many faults have hundreds of large
ones, each used once."""


@dataclass(frozen=True)
class ComputeNetwork:
    """A plan with its ranks and its compute network, and the class graph that all figures share.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    one_by_one : bool
        Handle devices singly even if classes are few: the same figures, sooner where a
        few of a thousand nodes differ from the others, but fewer bounds.
    ranks : World, optional
        The ranks, where they are known already.
    """

    plan: Plan
    one_by_one: bool = False
    ranks: World | None = None

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    @cached_property
    def world(self) -> World:
        """The ranks."""
        return world(self.plan) if self.ranks is None else self.ranks

    def with_nvlinks_up(self, parts: Catalog) -> Catalog:
        """The parts, with only those NVLinks of each GPU that lead to switches that are up."""
        return with_nvlinks_up(self.plan, parts)

    @cached_property
    def slots(self) -> dict[str, str]:
        """The slot group of each node group that carries collectives."""
        chosen = {group.name: compute_slots(self.plan, group) for group in self.world.groups}
        return {name: slots for name, slots in chosen.items() if slots is not None}

    @cached_property
    def classes(self) -> ClassGraph:
        """The class graph of the compute network, without the insides of nodes."""
        return base_graph(self.plan, only=self.slots)

    @cached_property
    def devices(self) -> SingleDevices:
        """The devices of the compute network one by one."""
        return SingleDevices(self.plan, self.classes, self.slots)

    @cached_property
    def grid(self) -> SwitchGrid | None:
        """The fabric as rings and meshes along axes; None if it is none, or incomplete."""
        return switch_grid(self.plan, self.slots) if self.along else None

    @property
    def before(self) -> ComputeNetwork | None:
        """The intact network whose classes this one uses; None if it has its own."""
        return None

    @cached_property
    def singly(self) -> bool:
        """Whether devices are handled singly: classes are many, and switches join nodes."""
        many = self.one_by_one or len(self.classes.graph) > MOST_CLASSES
        return many and self.all_on_switches

    @cached_property
    def routed_singly(self) -> bool:
        """Whether traffic is routed device by device, which gives the same loads as classes."""
        many = len(self.classes.graph) ** 2 > CLASSES_A_NODE * self.world.nodes
        few = self.along or len(self.classes.graph) <= FEW_CLASSES
        return self.singly or (many and not few and self.all_on_switches)

    @cached_property
    def all_on_switches(self) -> bool:
        """Whether no cable leads from node to node."""
        graph = self.classes.graph
        nics = self.classes.vertices("nic")
        return all(graph.nodes[peer]["kind"] != "nic" for nic in nics for peer in graph.adj[nic])

    @cached_property
    def along(self) -> bool:
        """Whether switches are joined by a relation along an axis: in rings, meshes, dragonflies.

        Hops between nodes are then not equivalent merely because the same axes agree.
        """
        return any(link.along for link in self.plan.fabric_links)

    @cached_property
    def all_apart(self) -> bool:
        """Whether one distinguished device leaves more classes of switches than cuts are sought in.

        Each switch of a dragonfly reaches different groups, so that no two are then equivalent.
        """
        groups = self.plan.groups
        many = (groups[link.a.group].instances for link in self.plan.links if link.bundle)
        return max(many, default=0) > MOST_APART

    def classes_with(self, cuts: Cuts) -> ClassGraph:
        """The class graph of the compute network with other cuts."""
        if cuts == self.classes.cuts:
            return self.classes
        if len(self.classes.graph) > MOST_KEPT:
            return class_graph(self.plan, cuts, only=self.slots)
        kept = self.result_cache
        if cuts not in kept:
            kept[cuts] = class_graph(self.plan, cuts, only=self.slots)
        found: ClassGraph = kept[cuts]
        return found

    @cached_property
    def live_slots(self) -> dict[tuple[str, Cells], list[int]]:
        """Slot numbers of the cabled NICs of every node class that has GPUs."""
        graph = self.classes.graph
        names = {group.name for group in self.world.groups}
        live: dict[tuple[str, Cells], list[int]] = {
            vertex[1:3]: [] for vertex in self.classes.vertices("node") if vertex[1] in names
        }
        for vertex in self.classes.vertices("nic"):
            if any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True)):
                live[vertex[1], vertex[3]] += graph.nodes[vertex]["slots"]
        return {place: sorted(slots) for place, slots in live.items()}

    @cached_property
    def live_of_group(self) -> dict[str, list[list[int]]]:
        """The same for each group of nodes by its name, a list for each of its classes."""
        found: dict[str, list[list[int]]] = defaultdict(list)
        for (name, _), slots in self.live_slots.items():
            found[name].append(slots)
        return found

    @cached_property
    def ring_nics(self) -> int:
        """NICs per node that a ring uses: as many as the node with the fewest cabled ones has."""
        return min((len(live) for live in self.live_slots.values()), default=0)

    def ports(self, group: GroupPlan) -> PortGroup | None:
        """The NICs of a node group that carry collectives, or None where it has none."""
        slots = self.slots.get(group.name)
        return None if slots is None else group.port_groups[slots]


def compute_slots(plan: Plan, group: GroupPlan) -> str | None:
    """The slot group of a node group that carries collectives.

    ``compute`` where it is cabled, else the first cabled slot group; None where none is. Management
    ports carry none.
    """
    ends = (link.end_of(group.name) for link in plan.links_of(group.name))
    cabled = [end.ports for end in ends if not end.is_management]
    if COMPUTE in cabled:
        return COMPUTE
    return cabled[0] if cabled else None
