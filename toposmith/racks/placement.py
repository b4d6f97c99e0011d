"""The placement of every device: the default filling, then devices placed by the design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toposmith.catalog import Catalog
from toposmith.design.placement_block import PlacementBlock
from toposmith.design.selectors import parse_selector
from toposmith.errors import ToposmithError
from toposmith.fabric.plan import Plan
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, at_block, found
from toposmith.racks.connections import absent_instances, selected
from toposmith.racks.filling import Filling
from toposmith.racks.locked_devices import locked_places
from toposmith.racks.rack_devices import (
    Floor,
    RackDevice,
    assumed_severity,
    devices_of,
    floor_of,
    rack_label,
    rack_place,
)
from toposmith.racks.whole_racks import StandingRack, sold_whole, standing_racks

NOWHERE = -1

MOST_DEVICES = 250_000
"""Devices that are put into racks, or listed, one by one: some seconds and some 100 MB of work.
The largest published clusters have a tenth of it."""

MOST_CABLES = 5_000_000
"""Cables whose lengths are measured, or that are listed, one by one; a fabric of 131,072 GPUs has
393,216."""


class TooManyDevicesError(ToposmithError):
    """A list of all devices or cables was requested that is too long to be of use."""


@dataclass(frozen=True)
class Spot:
    """The place of one device: its rack by number, and its lowest U; U1 is at the floor."""

    rack: int
    unit: int


@dataclass(frozen=True)
class Placement:
    """The racks of a design and their devices.

    Parameters
    ----------
    floor : Floor
        The size and pitch of racks.
    racks : tuple of (int, int)
        Row and column of every rack, both from 0.
    rack_of, unit_of : mapping of str to list of int
        By group and number of instance; a rack of -1 means none: absent, or too tall.
    devices : mapping of str to RackDevice
        Height, power and weight of the devices of every group that stands in racks.
    block : PlacementBlock
        The block of the design, or its defaults.
    findings : tuple of Finding
        What does not fit, or is unknown.
    left_out : tuple of str
        Parts in no rack: too tall, or without a height to assume.
    whole : mapping of int to StandingRack
        By number, the racks of trays that are sold in whole ones, with the boxes of no group.
    """

    floor: Floor
    racks: tuple[tuple[int, int], ...]
    rack_of: dict[str, list[int]]
    unit_of: dict[str, list[int]]
    devices: dict[str, RackDevice]
    block: PlacementBlock
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()
    whole: Mapping[int, StandingRack] = field(default_factory=dict)

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    def label(self, rack: int) -> str:
        """The label of a rack, such as ``B07``."""
        return rack_label(*self.racks[rack])

    def height(self, rack: int) -> int:
        """U of a rack: that of its own cabinet where it is sold whole, else that of all others."""
        standing = self.whole.get(rack)
        own = standing.system.units if standing is not None and standing.whole else None
        return own or self.floor.units

    def spot(self, group: str, number: int) -> Spot | None:
        """The place of an instance; None where it has none."""
        if group not in self.rack_of or self.rack_of[group][number] == NOWHERE:
            return None
        return Spot(self.rack_of[group][number], self.unit_of[group][number])


def written_place(placement: Placement, group: str, number: int) -> tuple[str, str]:
    """Rack and lowest U of an instance as a lock writes them, both empty where it has none."""
    rack = placement.rack_of[group][number] if group in placement.rack_of else NOWHERE
    if rack == NOWHERE:
        return "", ""
    return placement.label(rack), str(placement.unit_of[group][number])


def occupied_racks(placement: Placement) -> frozenset[int]:
    """The numbers of the racks in use."""
    standing = {rack for racks in placement.rack_of.values() for rack in racks}
    return frozenset(standing - {NOWHERE})


def too_many_devices(plan: Plan) -> str:
    """Why devices and cables are too many to list; empty where they are not."""
    many = _too_many(plan)
    if not many:
        return ""
    return (
        f"{many['many']:,} {many['what']} are more than the {many['most']:,} looked at one by one"
    )


def _too_many(plan: Plan) -> dict[str, Fact]:
    """Devices or cables that are more than are looked at one by one, and how many would be."""
    many = sum(group.instances for group in plan.groups.values())
    if many > MOST_DEVICES:
        return {"what": "devices", "many": many, "most": MOST_DEVICES}
    cables = sum(
        plan.groups[link.a.group].instances * link.peers_of_a * link.cables_per_pair
        for link in plan.every_link
    )
    if cables > MOST_CABLES:
        return {"what": "cables", "many": cables, "most": MOST_CABLES}
    return {}


def require_few(plan: Plan) -> None:
    """Refuse to list the devices and cables of a design where there are too many.

    Raises
    ------
    TooManyDevicesError
        With how many there are, and how many can be listed.
    """
    if too_many := too_many_devices(plan):
        raise TooManyDevicesError(f"design: {too_many}; a list or drawing of all takes fewer")


def stand_alike(plan: Plan, other: Plan) -> bool:
    """Whether the devices of two designs have the same placement with the same catalog.

    Cables make no difference as long as the same groups are joined: switches stand near the nodes
    that they serve.
    """
    return (
        list(plan.groups.items()) == list(other.groups.items())
        and plan.design.binding is other.design.binding
        and plan.design.placement == other.design.placement
        and plan.absent == other.absent
        and _joined(plan) == _joined(other)
        and too_many_devices(plan) == too_many_devices(other)
    )


def _joined(plan: Plan) -> set[frozenset[str]]:
    """The pairs of groups that links join."""
    return {frozenset((link.a.group, link.b.group)) for link in plan.links}


def place(plan: Plan, catalog: Catalog) -> Placement:
    """Place every device of a design in a rack.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; its ``placement:`` block, or the defaults without one.
        What its lock binds keeps its place unless the block gives another.
    catalog : Catalog
        Where the parts of racks are looked up.

    Returns
    -------
    Placement
        Devices that are absent, or taller than a rack, have no place; those of unknown height
        get that of the tallest of their kind. Findings list them. Collisions and loads are checked
        by :func:`toposmith.racks.rack_checks.rack_findings`.
    """
    block = plan.design.placement or PlacementBlock()
    findings: list[Finding] = []
    floor = floor_of(block, catalog, findings)
    if too_many_devices(plan):
        place = at_block("placement")
        findings.append(found("rack-too-many", place, assumed_severity(plan), **_too_many(plan)))
        return Placement(floor, (), {}, {}, {}, block, tuple(findings))
    sold = sold_whole(plan, catalog)
    devices = devices_of(plan, floor, catalog, findings, sold)
    named, absent = _named(plan, block, floor, devices, findings), absent_instances(plan)
    for name, spots in locked_places(plan, floor, block, devices, absent, named).items():
        named[name] = {**spots, **named.get(name, {})}
    filling = Filling(plan, floor, block, devices, absent, sold)
    filling.leave_out(named)
    filling.fill(findings)
    racks = list(filling.racks)
    by_place = {at: number for number, at in enumerate(racks)}
    for name, spots in named.items():
        for number, (at, unit) in spots.items():
            if at not in by_place:
                by_place[at] = len(racks)
                racks.append(at)
            if number in absent[name]:
                continue  # locked: its U stays free for it
            filling.rack_of[name][number] = by_place[at]
            filling.unit_of[name][number] = unit
    whole = {*sold, *(trays.switches.name for trays in sold.values() if trays.switches)}
    tops = {
        name: [unit + devices[name].units for unit in units]
        for name, units in filling.unit_of.items()
        if name in whole
    }
    known = {name: group.part.id for name, group in plan.groups.items() if group.part}
    left_out = (part for name, part in known.items() if name not in devices)
    return Placement(
        floor,
        tuple(racks),
        filling.rack_of,
        filling.unit_of,
        devices,
        block,
        tuple(findings),
        tuple(dict.fromkeys(left_out)),
        standing_racks(sold, filling.rack_of, tops, floor.units),
    )


def _named(
    plan: Plan,
    block: PlacementBlock,
    floor: Floor,
    devices: dict[str, RackDevice],
    findings: list[Finding],
) -> dict[str, dict[int, tuple[tuple[int, int], int]]]:
    """Row, column and U of every instance that the design places itself."""
    named: dict[str, dict[int, tuple[tuple[int, int], int]]] = {}
    gone = absent_instances(plan)
    for text, position in block.devices.items():
        place = at_block("placement.devices", text)
        try:
            selector = parse_selector(text, plan.design)
        except ValueError as error:
            findings.append(found("rack-bad-selector", place, reason=str(error)))
            continue
        group, place_of = selector.first.group, rack_place(position.rack)
        if selector.is_cable or selector.first.ports is not None or place_of[1] < 0:
            fault = "rack 0" if place_of[1] < 0 else "no device"
            findings.append(found("rack-bad-selector", place, fault=fault))
            continue
        if place_of[1] >= floor.racks_per_row:
            findings.append(
                found(
                    "rack-beyond-row",
                    place,
                    rack=position.rack,
                    first=rack_label(place_of[0], 0),
                    last=rack_label(place_of[0], floor.racks_per_row - 1),
                    racks_per_row=floor.racks_per_row,
                )
            )
            continue
        if group not in devices:
            continue  # unknown height: said once already
        unit = position.unit
        spots = named.setdefault(group, {})
        for number in sorted(selected(plan.groups[group], selector.first) - gone[group]):
            if number in spots:
                findings.append(found("rack-placed-twice", place))
            spots[number] = (place_of, unit)
            unit += devices[group].units
    return named
