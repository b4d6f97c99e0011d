"""Racks on the bill: their number, and lines for the racks and PDUs that a design names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toposmith.bill.bill_lines import BillLine, part_line
from toposmith.catalog import Catalog, Part, Pdu, Rack
from toposmith.fabric.plan import Plan
from toposmith.racks.placement import Placement, occupied_racks, too_many_devices
from toposmith.racks.rack_loads import RackAssumptions, feed_power, rack_assumptions, rack_loads
from toposmith.text import counted

WITHOUT_POWER = ("rack", "pdu")
"""Kinds without a draw of their own: a PDU's power is drawn by the devices behind it."""


@dataclass(frozen=True)
class RackCount:
    """The racks of a design.

    Parameters
    ----------
    count : int
        Racks in use.
    units : int
        Height of each for devices, in U.
    part : str or None
        Part of the racks where the design names one; None where a default is used for lengths.
    feeds : int or None
        PDUs in each, each on a feed of its own; None where the design states none.
    assumptions : RackAssumptions
        Heights, power and defaults that the count depends on.
    over_limit : int
        Racks above the power limit, by the known power of their devices.
    unplaced : bool
        Whether there are too many devices to put each of them into a rack.
    whole : int
        Racks that are sold whole, included in ``count``.
    """

    count: int
    units: int
    part: str | None
    feeds: int | None
    assumptions: RackAssumptions
    over_limit: int = 0
    unplaced: bool = False
    whole: int = 0

    @property
    def to_furnish(self) -> int:
        """Racks that need a cabinet and PDUs; those sold whole have their own."""
        return self.count - self.whole

    @property
    def complete(self) -> bool:
        """Whether the count depends on nothing that is unknown, assumed or a default."""
        return not (self.assumptions.words or self.over_limit or self.unplaced)

    @property
    def parts_known(self) -> bool:
        """Whether height and power of all devices in racks are known."""
        return self.assumptions.parts_known and not self.unplaced

    @property
    def state(self) -> str:
        """``complete``, or ``assumed: the height of hgx-h100-8; 40.8 kW a rack``."""
        if self.unplaced:
            return "unknown: too many devices to put each into a rack"
        said = []
        if self.over_limit:
            racks = counted(self.over_limit, "rack", "draw")
            said.append(f"over the limit: {racks} more than it allows")
        if self.assumptions.words:
            said.append(f"assumed: {self.assumptions.words}")
        return "; ".join(said) or "complete"


def rack_count(plan: Plan, placement: Placement) -> RackCount:
    """Count the racks in use."""
    feeds = placement.block.feeds
    named = placement.block.rack is not None and placement.floor.part is not None
    limit = placement.floor.max_power_w
    return RackCount(
        count=len(occupied_racks(placement)),
        units=placement.floor.units,
        part=placement.floor.part.id if named and placement.floor.part else None,
        feeds=feeds.count if feeds else None,
        assumptions=rack_assumptions(placement),
        over_limit=sum(load.over(limit) for load in rack_loads(placement)),
        whole=sum(standing.whole for standing in placement.whole.values()),
        unplaced=bool(too_many_devices(plan)),
    )


def rack_lines(racks: RackCount, placement: Placement, catalog: Catalog) -> Iterator[BillLine]:
    """Lines for racks and PDUs; only what the ``placement:`` block names is bought."""
    if racks.part is not None and racks.to_furnish:
        part = catalog.get(racks.part)
        if isinstance(part, Rack):
            yield _line(part, catalog, racks.to_furnish)
    feeds = feed_power(placement, catalog)
    if feeds is not None and racks.to_furnish:
        pdu = catalog.get(feeds.pdu)
        if isinstance(pdu, Pdu):
            yield _line(pdu, catalog, racks.to_furnish * feeds.count)


def _line(part: Part, catalog: Catalog, quantity: int) -> BillLine:
    return part_line(part, catalog, quantity, ["placement"])
