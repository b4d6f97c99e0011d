"""Racks on the bill: how many there are, and lines for the racks and PDUs that a design names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog import AnyPart, Catalog, Pdu, Rack
from topology.bill.lines import BillLine, part_line
from topology.fabric.plan import Plan
from topology.racks.loads import feed_power
from topology.racks.placement import Placement, occupied_racks, too_many_devices

WITHOUT_POWER = ("rack", "pdu")
"""Kinds that draw nothing of their own: what a PDU delivers is drawn by the devices behind it."""


@dataclass(frozen=True)
class RackCount:
    """The racks of a design.

    Parameters
    ----------
    count : int
        Racks in which something stands.
    units : int
        Height of each for devices, in U.
    part : str or None
        Part of the racks where the design names one; None where the default was taken for lengths.
    feeds : int or None
        PDUs in each, each on a feed of its own; None where the design states none.
    unplaced : bool
        Whether there are too many devices to put each of them into a rack.
    assumed : tuple of str
        Parts whose height nobody says, so that the count rests on an assumption.
    """

    count: int
    units: int
    part: str | None
    feeds: int | None
    assumed: tuple[str, ...] = ()
    unplaced: bool = False

    @property
    def complete(self) -> bool:
        """Whether the height of everything that stands in racks is known."""
        return not (self.assumed or self.unplaced)

    @property
    def state(self) -> str:
        """``complete``, or ``incomplete: the height of hgx-h100-8 is assumed``."""
        if self.unplaced:
            return "incomplete: too many devices to put each into a rack"
        if not self.assumed:
            return "complete"
        return f"incomplete: the height of {', '.join(self.assumed)} is assumed"


def rack_count(plan: Plan, placement: Placement) -> RackCount:
    """Count the racks in which something stands."""
    feeds = placement.block.feeds
    named = placement.block.rack is not None and placement.floor.part is not None
    return RackCount(
        count=len(occupied_racks(placement)),
        units=placement.floor.units,
        part=placement.floor.part.id if named and placement.floor.part else None,
        feeds=feeds.count if feeds else None,
        assumed=_assumed(plan, placement),
        unplaced=bool(too_many_devices(plan)),
    )


def _assumed(plan: Plan, placement: Placement) -> tuple[str, ...]:
    parts = (
        plan.groups[name].spec.part
        for name, device in placement.devices.items()
        if device.height_assumed
    )
    return tuple(dict.fromkeys(parts))


def rack_lines(plan: Plan, placement: Placement, catalog: Catalog) -> Iterator[BillLine]:
    """Lines for racks and PDUs; only what the ``placement:`` block names is bought."""
    racks = rack_count(plan, placement)
    if racks.part is not None and racks.count:
        part = catalog.get(racks.part)
        if isinstance(part, Rack):
            yield _line(part, catalog, racks.count)
    feeds = feed_power(placement, catalog)
    if feeds is not None and racks.count:
        pdu = catalog.get(feeds.pdu)
        if isinstance(pdu, Pdu):
            yield _line(pdu, catalog, racks.count * feeds.count)


def _line(part: AnyPart, catalog: Catalog, quantity: int) -> BillLine:
    return part_line(part, catalog, quantity, ["placement"])
