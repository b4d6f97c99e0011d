"""Power in NetBox: a PDU in every rack for each feed, and a cable for each inlet that it feeds.

The supplies of a device go to the feeds in turn. An inlet whose plug is known gets the outlet that
takes it; else its rating says which, or all that its device draws, by the currents of IEC 60320-1:
10 A at most for C13 and C14, 16 A for C19 and C20. A C19 outlet feeds a C14 inlet too, where no C13
is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from toposmith.catalog import Node, Pdu, Switch
from toposmith.design.placement_block import PlacementBlock
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import DeviceInventory, InventoryDevice
from toposmith.exports.neighbours.netbox_library import (
    C13,
    C19,
    C20,
    ListedPdu,
    inlets_of,
    pdu_type,
)
from toposmith.racks.placement import occupied_racks
from toposmith.text import counted, plain_number

ASSUMED_VOLTS = 230.0
"""At an outlet of a PDU whose voltage the catalog lacks."""

_LINE_TO_LINE_V = 300.0
_MOST_AMPS = {C13: 10.0, C19: 16.0}  # IEC 60320-1
_TAKERS = {C20: (C19,)}


class RackPdu(NamedTuple):
    """A PDU that stands in a rack: its name, the rack, and its feed, from 1."""

    name: str
    rack: str
    feed: int


class PowerCable(NamedTuple):
    """From an inlet of a device to an outlet of a PDU, all by name."""

    device: str
    inlet: str
    pdu: str
    outlet: str


class RackPower:
    """The PDUs of a design whose ``placement`` names ``feeds``."""

    def __init__(self, cluster: DeviceInventory, pdu: Pdu, feeds: int) -> None:
        self._cluster = cluster
        self.pdu = pdu
        self.type: ListedPdu = pdu_type(pdu)
        self.feeds = range(1, feeds + 1)
        placement = cluster.design.placement
        self.racks = [placement.label(rack) for rack in sorted(occupied_racks(placement))]

    @classmethod
    def of(cls, cluster: DeviceInventory) -> RackPower | None:
        """The power of a design, or None where it does not say what feeds its racks."""
        feeds = (cluster.plan.design.placement or PlacementBlock()).feeds
        pdu = cluster.design.catalog.get(feeds.pdu) if feeds else None
        if feeds is None or not isinstance(pdu, Pdu):
            return None
        return cls(cluster, pdu, feeds.count)

    def pdus(self, taken: Sequence[str] = ()) -> list[RackPdu]:
        """Every PDU by name; raises ExportError where a device has that name."""
        names = {name.casefold() for name in taken}
        found = [
            RackPdu(f"{rack}-pdu-{feed}", rack, feed) for rack in self.racks for feed in self.feeds
        ]
        for one in found:
            if one.name.casefold() in names:
                raise ExportError(f"a device is called {one.name}, which is a PDU's name")
        return found

    def device_type(self) -> dict[str, Any]:
        """The device type of the PDU, as the library's schema has it."""
        kind, pdu = self.type, self.pdu
        data: dict[str, Any] = {
            "manufacturer": kind.manufacturer,
            "model": kind.model,
            "slug": kind.slug,
            "u_height": pdu.rack_units or 0,
            "is_full_depth": False,
        }
        if pdu.part_number:
            data["part_number"] = pdu.part_number[:50]
        if pdu.weight_kg:
            data |= {"weight": round(pdu.weight_kg, 2), "weight_unit": "kg"}
        data["power-ports"] = [{"name": kind.inlet, "type": kind.inlet_type}]
        data["power-outlets"] = [
            {"name": one.name, "type": one.type, "power_port": kind.inlet}
            | ({"feed_leg": one.leg} if one.leg else {})
            for one in kind.outlets
        ]
        return data

    def feed_name(self, pdu: RackPdu) -> str:
        """The feed of one PDU."""
        return f"{pdu.rack} feed {pdu.feed}"

    @property
    def outlet_volts(self) -> float:
        """Between the contacts of an outlet: of three phases that of one and the neutral."""
        volts = self.pdu.volts or ASSUMED_VOLTS
        return volts / 3**0.5 if self.pdu.phases > 1 and volts > _LINE_TO_LINE_V else volts

    def cables(self, names: dict[str, str]) -> Iterator[PowerCable]:
        """A cable for each inlet that an outlet of its rack is left for; the others are noted."""
        left: dict[tuple[str, int], dict[str, list[str]]] = {}
        unknown: set[str] = set()
        short: Counter[str] = Counter()
        unfit: set[str] = set()
        for device in self._cluster.devices:
            if device.rack is None or device.part is None:
                continue
            inlets, plug = inlets_of(device.part)
            if not inlets:
                unknown.add(device.part.name)
                continue
            takers = self._takers(device, plug)
            if not takers:
                (unknown if takers is None else unfit).add(device.part.name)
                continue
            for place, inlet in enumerate(inlets):
                feed = self.feeds[place % len(self.feeds)]
                free = left.setdefault((device.rack, feed), self._outlets())
                outlet = next((free[kind].pop() for kind in takers if free.get(kind)), None)
                if outlet is None:
                    short[device.rack] += 1
                    continue
                yield PowerCable(names[device.name], inlet, f"{device.rack}-pdu-{feed}", outlet)
        self._note(unknown, unfit, short)

    def _takers(self, device: InventoryDevice, plug: str) -> tuple[str, ...] | None:
        """Types of outlets that feed an inlet, the likeliest first; None where nothing is known."""
        if plug:
            return _TAKERS.get(plug, (C13, C19))
        part = device.part
        supplies = part.power_supplies if isinstance(part, Node | Switch) else None
        draws_w = part.power_w if part is not None else None
        most_w = supplies.rating_w if supplies is not None else draws_w
        if most_w is None:
            return None
        amps = most_w / self.outlet_volts
        return tuple(kind for kind in (C13, C19) if amps <= _MOST_AMPS[kind])

    def _outlets(self) -> dict[str, list[str]]:
        """Free outlets of a PDU by type, the first last; phases in turn."""
        held: dict[str, list[tuple[int, str, str]]] = {}
        seen: Counter[tuple[str, str]] = Counter()
        for outlet in self.type.outlets:
            turn = seen[outlet.type, outlet.leg]
            seen[outlet.type, outlet.leg] += 1
            held.setdefault(outlet.type, []).append((turn, outlet.leg, outlet.name))
        return {
            kind: [name for *_, name in sorted(found, key=lambda one: one[:2], reverse=True)]
            for kind, found in held.items()
        }

    def _note(self, unknown: set[str], unfit: set[str], short: Counter[str]) -> None:
        if unknown:
            words = ", ".join(sorted(unknown))
            self._cluster.lose(f"power cables of {words}: its supplies are not in this catalog")
        if unfit:
            words = ", ".join(sorted(unfit))
            amps = plain_number(_MOST_AMPS[C19])
            self._cluster.lose(f"power cables of {words}: a supply draws more than {amps} A of C19")
        if short:
            most = ", ".join(f"{rack} {count}" for rack, count in sorted(short.items())[:3])
            self._cluster.lose(
                f"{counted(sum(short.values()), 'power cable')} for which the PDUs of "
                f"{counted(len(short), 'rack')} have no outlet left ({most}"
                f"{', ...' if len(short) > 3 else ''})"
            )
