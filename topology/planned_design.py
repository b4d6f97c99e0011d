"""A design understood, with all that follows from it and its catalog alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.catalog import Catalog
from toposmith.topology.analysis.analyse import Questions
from toposmith.topology.analysis.network import ComputeNetwork
from toposmith.topology.analysis.switch_tiers import tier_of_groups
from toposmith.topology.bill.bill import Bill
from toposmith.topology.bill.numbered_connections import NumberedConnections, wire
from toposmith.topology.bill.placed import placed_bill, with_statements
from toposmith.topology.bill.terms import Terms
from toposmith.topology.design.document import Design
from toposmith.topology.fabric.classes import ClassGraph, base_graph
from toposmith.topology.fabric.counts import device_counts
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.fabric.planner import plan_design
from toposmith.topology.fabric.port_use import PortUse, port_use
from toposmith.topology.racks.elevations import Elevation, elevations
from toposmith.topology.racks.lengths import CableRun, runs
from toposmith.topology.racks.placement import Placement, place, require_few
from toposmith.topology.racks.rack_loads import RackLoad, rack_loads


@dataclass(frozen=True, eq=False)
class PlannedDesign:
    """A plan with its wiring, its racks and its bills, each worked out once, when asked for.

    What is measured, prices, policy and the day make no difference to any of this: designs that
    are evaluated for several requests share it.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    catalog : Catalog
        With which it was understood.
    stands : Placement, optional
        Where its devices stand, if that is known of a design whose devices stand alike.
    """

    plan: Plan
    catalog: Catalog
    stands: Placement | None = None

    @classmethod
    def of(cls, design: Design, catalog: Catalog, failing: tuple[str, ...] = ()) -> PlannedDesign:
        """Understand a design; ``failing`` are selectors of what is tried to be ``down:``."""
        return cls(plan_design(without(design, failing), catalog), catalog)

    @property
    def design(self) -> Design:
        """The design itself, with what fails."""
        return self.plan.design

    @cached_property
    def questions(self) -> Questions:
        """What can be asked of its collectives."""
        return Questions(self.plan, self.catalog)

    @property
    def network(self) -> ComputeNetwork:
        """The compute network."""
        return self.questions.network

    @property
    def too_large(self) -> bool:
        """Whether the design is out of proportion to any cluster."""
        return self.questions.too_large

    @cached_property
    def heights(self) -> dict[str, int]:
        """Tiers of the compute network from the nodes up: 0 for a node, 1 for a leaf."""
        return tier_of_groups(self.plan, self.network.slots)

    @property
    def as_built(self) -> ClassGraph:
        """The class graph of the compute network as built: what is down is there."""
        return base_graph(self.plan, without_down=False, only=self.network.slots)

    @property
    def devices(self) -> dict[str, int]:
        """Devices of every group."""
        return device_counts(self.plan)

    @property
    def uses(self) -> dict[tuple[str, str], PortUse]:
        """Ports used and free."""
        return port_use(self.plan)

    @cached_property
    def placement(self) -> Placement:
        """Where devices stand, by the design's block or the default."""
        return self.stands or place(self.plan, self.catalog)

    @property
    def known_placement(self) -> Placement | None:
        """Where devices stand, if anybody asked for it so far."""
        return vars(self).get("placement", self.stands)

    @cached_property
    def runs(self) -> tuple[CableRun, ...]:
        """The lengths of cables along the racks."""
        return runs(self.plan, self.placement)

    @cached_property
    def rack_loads(self) -> list[RackLoad]:
        """What every rack holds."""
        return rack_loads(self.placement)

    @cached_property
    def elevations(self) -> list[Elevation]:
        """Every kind of rack; raises TooManyDevicesError where nobody could read them all."""
        require_few(self.plan)
        return elevations(self.plan, self.placement)

    def bill(self, terms: Terms | None = None) -> Bill:
        """The bill on these terms, with the lengths that its racks give."""
        terms = terms or Terms()
        return with_statements(self._bill(_unsigned(terms)), terms)

    def wiring(self, terms: Terms | None = None) -> NumberedConnections:
        """Every connection with its ports and its cable, as these terms choose cables."""
        asked = _unsigned(terms or Terms())
        for known, wired in self._wirings:
            if known == asked:
                return wired
        wired = wire(self.plan, self.catalog, self.placement, asked)
        self._wirings.append((asked, wired))
        return wired

    def _bill(self, terms: Terms) -> Bill:
        for known, made in self._bills:
            if known == terms:
                return made
        bill = placed_bill(
            self.plan,
            self.catalog,
            terms,
            placement=self.placement,
            measured=lambda: self.runs,
        )
        self._bills.append((terms, bill))
        return bill

    @cached_property
    def _bills(self) -> list[tuple[Terms, Bill]]:
        return []

    @cached_property
    def _wirings(self) -> list[tuple[Terms, NumberedConnections]]:
        return []


def _unsigned(terms: Terms) -> Terms:
    """The terms without what is only stated on a bill and chooses nothing."""
    return replace(terms, signed={}, energy=None)


def without(design: Design, failing: tuple[str, ...]) -> Design:
    """The design with more things down: selectors as under ``down:``."""
    return design.model_copy(update={"down": (*design.down, *failing)}) if failing else design
