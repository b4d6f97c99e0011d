"""The network that collectives run over: which NICs of each node take part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from topology.analysis.ranks import World, world
from topology.fabric.classes import ClassGraph, base_cuts, class_graph
from topology.fabric.plan import GroupPlan, Plan, PortGroup

COMPUTE = "compute"


@dataclass(frozen=True)
class Network:
    """A plan with its ranks and its compute network, and the class graph that all figures share."""

    plan: Plan

    @cached_property
    def world(self) -> World:
        """The ranks."""
        return world(self.plan)

    @cached_property
    def slots(self) -> dict[str, str]:
        """The slot group of each node group that carries collectives."""
        chosen = {group.name: compute_slots(self.plan, group) for group in self.world.groups}
        return {name: slots for name, slots in chosen.items() if slots is not None}

    @cached_property
    def classes(self) -> ClassGraph:
        """The class graph of the compute network, without the insides of nodes."""
        return class_graph(self.plan, base_cuts(self.plan), only=self.slots)

    def ports(self, group: GroupPlan) -> PortGroup | None:
        """The NICs of a node group that carry collectives, or None where it has none."""
        slots = self.slots.get(group.name)
        return None if slots is None else group.port_groups[slots]


def compute_slots(plan: Plan, group: GroupPlan) -> str | None:
    """The slot group of a node group that carries collectives.

    ``compute`` where it is cabled, else the first cabled slot group.
    """
    cabled = [link.end_of(group.name).ports for link in plan.links_of(group.name)]
    if COMPUTE in cabled:
        return COMPUTE
    return cabled[0] if cabled else None
