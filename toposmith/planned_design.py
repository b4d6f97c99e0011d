"""A design resolved against its catalog, with all that follows from these two alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from toposmith.analysis.analyse import Questions
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.bill.bill import Bill, placed_bill, with_statements
from toposmith.bill.numbered_connections import NumberedConnections, wire
from toposmith.bill.terms import Terms
from toposmith.cancellation import Steps
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.errors import TooMuchWorkError
from toposmith.fabric.classes import ClassGraph, base_graph
from toposmith.fabric.counts import device_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import PortUse, port_use
from toposmith.lock.keeping import KeptFabric, keep
from toposmith.racks.lengths import CableRun, runs
from toposmith.racks.placement import Placement, place, require_few
from toposmith.racks.rack_loads import Elevation, RackLoad, elevations, rack_loads

Result = TypeVar("Result")

MOST_STEPS = 2_000_000
"""Steps that racks, lengths and a bill may take each; beyond them they raise TooMuchWorkError."""


@dataclass(frozen=True, eq=False)
class PlannedDesign:
    """A plan with its wiring, its racks and its bills, each computed once, on demand.

    Requests, prices, policy and the date do not affect any of this: designs that are evaluated
    for several requests share it.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        The catalog in which they were looked up.
    stands : Placement, optional
        The placement of its devices, if known from a design with the same placement.
    """

    plan: Plan
    catalog: Catalog
    stands: Placement | None = None

    @classmethod
    def of(cls, design: Design, catalog: Catalog, failing: tuple[str, ...] = ()) -> PlannedDesign:
        """Plan a design; ``failing`` are selectors of things to count as ``down:``."""
        return cls(plan_design(without(design, failing), catalog), catalog)

    @property
    def design(self) -> Design:
        """The design itself, with what fails."""
        return self.plan.design

    @cached_property
    def questions(self) -> Questions:
        """The analyses of its collectives, shared by requests."""
        return Questions(self.plan, self.catalog)

    @property
    def network(self) -> ComputeNetwork:
        """The compute network."""
        return self.questions.network

    @property
    def too_large(self) -> bool:
        """Whether the design is larger than any real cluster."""
        return self.questions.too_large

    @cached_property
    def heights(self) -> dict[str, int]:
        """Tiers of the compute network from the nodes up: 0 for a node, 1 for a leaf."""
        return tier_of_groups(self.plan, self.network.slots)

    @property
    def as_built(self) -> ClassGraph:
        """The class graph of the compute network as built, including what is down."""
        return base_graph(self.plan, without_down=False, only=self.network.slots)

    @property
    def devices(self) -> dict[str, int]:
        """Devices of every group."""
        return device_counts(self.plan)

    @property
    def uses(self) -> dict[tuple[str, str], PortUse]:
        """Ports used and free."""
        return port_use(self.plan)

    @property
    def placement(self) -> Placement:
        """The placement of devices in racks, by the design's block or the default."""
        return _required(self._placement)

    @cached_property
    def _placement(self) -> Placement | None:
        """The placement, or None where it takes too long; that is found once, too."""
        return self.stands or Steps(MOST_STEPS).run(lambda: place(self.plan, self.catalog))

    @property
    def known_placement(self) -> Placement | None:
        """The placement of devices, if it has been computed already."""
        return vars(self).get("_placement", self.stands)

    @property
    def runs(self) -> tuple[CableRun, ...]:
        """Lengths of cables by the placement of racks, m."""
        return _required(self._runs)

    @cached_property
    def _runs(self) -> tuple[CableRun, ...] | None:
        placement = self.placement
        return Steps(MOST_STEPS).run(lambda: runs(self.plan, placement))

    @cached_property
    def rack_loads(self) -> list[RackLoad]:
        """What every rack holds."""
        return rack_loads(self.placement)

    @cached_property
    def elevations(self) -> list[Elevation]:
        """Every kind of rack; TooManyDevicesError where there are too many devices to list."""
        require_few(self.plan)
        return elevations(self.plan, self.placement)

    def bill(self, terms: Terms | None = None) -> Bill:
        """The bill on these terms, with cable lengths by the racks."""
        terms = terms or Terms()
        return with_statements(self._bill(_unsigned(terms)), terms)

    def wiring(self, terms: Terms | None = None) -> NumberedConnections:
        """Every connection with its ports and its cable, as these terms choose cables.

        What the lock of the design binds keeps its ports, cable and label.
        """
        asked = _unsigned(terms or Terms())
        for known, wired in self._wirings:
            if known == asked:
                return wired
        kept = self.kept(asked)
        if kept is not None:
            return kept.wiring
        wired = wire(self.plan, self.catalog, self.placement, asked)
        self._wirings.append((asked, wired))
        return wired

    def kept(self, terms: Terms | None = None) -> KeptFabric | None:
        """What the design keeps of its lock, with new cables on these terms; None without one."""
        if self.design.lock is None:
            return None
        asked = _unsigned(terms or Terms())
        for known, kept in self._kept:
            if known == asked:
                return kept
        kept = keep(self.plan, self.catalog, self.placement, asked)
        self._kept.append((asked, kept))
        return kept

    def _bill(self, terms: Terms) -> Bill:
        for known, made in self._bills:
            if known == terms:
                return _required(made)
        placement = self.placement
        bill = Steps(MOST_STEPS).run(
            lambda: placed_bill(
                self.plan,
                self.catalog,
                terms,
                placement=placement,
                measured=lambda: self.runs,
                wiring=None if self.design.lock is None else lambda: self.wiring(terms),
            )
        )
        self._bills.append((terms, bill))
        return _required(bill)

    @cached_property
    def _bills(self) -> list[tuple[Terms, Bill | None]]:
        return []

    @cached_property
    def _kept(self) -> list[tuple[Terms, KeptFabric]]:
        return []

    @cached_property
    def _wirings(self) -> list[tuple[Terms, NumberedConnections]]:
        return []


def _required(found: Result | None) -> Result:
    """A result that did not take too long."""
    if found is None:
        raise TooMuchWorkError
    return found


def _unsigned(terms: Terms) -> Terms:
    """The terms without what is only stated on a bill and chooses nothing."""
    return replace(terms, signed={})


def without(design: Design, failing: tuple[str, ...]) -> Design:
    """The design with more things down: selectors as under ``down:``."""
    return design.model_copy(update={"down": (*design.down, *failing)}) if failing else design
