"""What a review looks at: the plan with everything that its findings share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import Analysis
from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import Catalog
from toposmith.design.edits.edit import ends_of
from toposmith.fabric.classes import ClassGraph
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan, PortGroup
from toposmith.fabric.port_use import PortUse
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.racks.lengths import CableRun
from toposmith.racks.placement import Placement
from toposmith.racks.rack_loads import RackLoad
from toposmith.review.policy import Policy

Explained = Mapping[str, Fact]
"""Values for the figure behind a finding and for its fix, as the record of its code names them."""

Explain = Callable[["Subject", Finding], Explained]
Find = Callable[["Subject"], Iterable[Finding]]


@dataclass(frozen=True)
class Subject:
    """A design under review: what is known of it, by which policy it is judged."""

    planned: PlannedDesign
    analysis: Analysis
    policy: Policy
    made: Bill | None = None

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up."""
        return self.planned.plan

    @property
    def catalog(self) -> Catalog:
        """With which its parts were looked up."""
        return self.planned.catalog

    @property
    def network(self) -> ComputeNetwork:
        """The compute network."""
        return self.planned.network

    @property
    def heights(self) -> dict[str, int]:
        """Tiers of the compute network from the nodes up: 0 for a node, 1 for a leaf."""
        return self.planned.heights

    @property
    def built(self) -> ClassGraph:
        """The class graph of the compute network as built: what is down is there."""
        return self.planned.as_built

    @cached_property
    def standing_switches(self) -> frozenset[str]:
        """The groups of the compute network that have a switch which is there and up."""
        return frozenset(vertex[1] for vertex in self.network.classes.vertices("switch"))

    @cached_property
    def links_at(self) -> Counter[str]:
        """How many links of the document end at each group."""
        ends = (ends_of(link) for link in self.plan.design.links)
        return Counter(name for pair in ends for name in set(pair))

    @property
    def devices(self) -> dict[str, int]:
        """Devices of every group."""
        return self.planned.devices

    @cached_property
    def bill(self) -> Bill:
        """The bill of materials, with the lengths that the racks give."""
        if self.made is not None:
            return self.made
        if self.too_large:  # too slow for millions of boxes
            return make_bill(self.plan, self.catalog)
        return self.planned.bill()

    @property
    def placement(self) -> Placement:
        """Where devices stand, by the design's block or the default."""
        return self.planned.placement

    @property
    def runs(self) -> tuple[CableRun, ...]:
        """The lengths of cables along the racks."""
        return self.planned.runs

    @property
    def rack_loads(self) -> list[RackLoad]:
        """What every rack holds."""
        return self.planned.rack_loads

    @property
    def uses(self) -> dict[tuple[str, str], PortUse]:
        """Ports used and free."""
        return self.planned.uses

    @property
    def too_large(self) -> bool:
        """Whether the design is out of proportion to any cluster."""
        return self.planned.too_large

    def explained(self, finding: Finding, explain: Explain | None) -> Finding:
        """The finding with the figure behind it and the fix, where they can be computed."""
        return finding if explain is None else finding.with_worked_out(explain(self, finding))

    def node_groups(self) -> Iterator[tuple[GroupPlan, PortGroup]]:
        """Every node group with the NICs that carry its collectives."""
        for group in self.network.world.groups:
            ports = self.network.ports(group)
            if group.node is not None and ports is not None and ports.nic is not None:
                yield group, ports

    def links_up(self, name: str) -> list[LinkPlan]:
        """The links from a group of the compute network to the tier above it."""
        height = self.heights.get(name)
        if height is None:
            return []
        return [
            link
            for link in self.plan.links_of(name)
            if self.heights.get(other_end(link, name).group, -1) > height and self._in_network(link)
        ]

    def links_down(self, name: str) -> list[LinkPlan]:
        """The links from a group of the compute network to the tier below it."""
        height = self.heights.get(name)
        if height is None:
            return []
        return [
            link
            for link in self.plan.links_of(name)
            if -1 < self.heights.get(other_end(link, name).group, -1) < height
            and self._in_network(link)
        ]

    def _in_network(self, link: LinkPlan) -> bool:
        slots = self.network.slots
        return all(end.ports == slots.get(end.group, "") for end in (link.a, link.b))


def other_end(link: LinkPlan, group: str) -> LinkEnd:
    """The end of a link that is not at this group."""
    return link.b if link.a.group == group else link.a


Explainers = Mapping[str, Explain]
