"""What NetBox calls devices, ports and inlets, and its files of PDUs and power cables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from toposmith.catalog import Node, Part, Pdu, Switch
from toposmith.design.placement_block import PlacementBlock
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import DeviceInventory, InventoryDevice
from toposmith.racks.placement import occupied_racks
from toposmith.text import counted, plain_number

C13, C19, C20 = (f"iec-60320-c{number}" for number in (13, 19, 20))


class ListedType(NamedTuple):
    """A device type of the library.

    ``port`` is how a port of a cage is called: ``cage`` and ``port`` count from 1, ``cage0`` and
    ``port0`` from 0. ``inlets`` are its power ports by name, all of type ``plug``; without a plug
    the library has bays for modules there, so that the type itself has no power ports.
    """

    manufacturer: str
    model: str
    slug: str
    port: str
    inlets: tuple[str, ...] = ()
    plug: str = ""


class Outlet(NamedTuple):
    """An outlet of a PDU: its name, its type, and the phase that feeds it, empty if unknown."""

    name: str
    type: str
    leg: str


class ListedPdu(NamedTuple):
    """A PDU of the library: its inlet, that one's type, and its outlets in its own order."""

    manufacturer: str
    model: str
    slug: str
    inlet: str
    inlet_type: str
    outlets: tuple[Outlet, ...]


_LIBRARY: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(
    Path(__file__).with_name("netbox_library.yaml").read_text(encoding="utf-8")
)

LISTED_TYPES: Mapping[str, ListedType] = {
    part: ListedType(**{**held, "inlets": tuple(held["inlets"])})
    for part, held in _LIBRARY["types"].items()
}
"""By id of the catalog."""

_LISTED_PDUS: Mapping[str, ListedPdu] = {
    part: ListedPdu(**{**held, "outlets": tuple(Outlet(*one) for one in held["outlets"])})
    for part, held in _LIBRARY["pdus"].items()
}

_MAKERS = {"NVIDIA": "Nvidia"}
"""As the library writes them; two spellings of one maker have one slug, which NetBox refuses."""


def slug_of(text: str) -> str:
    """What NetBox puts into addresses for a name."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")[:100] or "design"


def pdu_type(pdu: Pdu) -> ListedPdu:
    """The device type of a PDU; one that the library lacks has its outlets numbered by type."""
    listed = _LISTED_PDUS.get(pdu.id)
    if listed is not None:
        return listed
    own = type_of(pdu)
    outlets = [
        Outlet(f"{kind} {number + 1}", f"iec-60320-{kind.lower()}", "")
        for kind, count in pdu.outlets.items()
        for number in range(count)
    ]
    return ListedPdu(*own[:3], "Inlet", "other", tuple(outlets))


def type_of(part: Part) -> ListedType:
    """The device type of a part: that of the library, else one by what the catalog says.

    Without inlets where neither says how many supplies it has.
    """
    supplies = getattr(part, "power_supplies", None)
    inlets = tuple(f"PSU{number}" for number in range(1, supplies.count + 1)) if supplies else ()
    listed = LISTED_TYPES.get(part.id)
    if listed is not None:
        return listed if listed.inlets else listed._replace(inlets=inlets)
    maker = _MAKERS.get(part.vendor, part.vendor[:100])
    return ListedType(maker, part.name[:100], slug_of(f"{part.vendor} {part.id}"), "", inlets)


def has_inlets_in_type(part: Part) -> bool:
    """Whether the power inlets stand in the device type; else they are made for each device."""
    return not isinstance(part, Switch) or part.id not in LISTED_TYPES or type_of(part).plug != ""


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
            kind = type_of(device.part)
            if not kind.inlets:
                unknown.add(device.part.name)
                continue
            takers = self._takers(device, kind.plug)
            if not takers:
                (unknown if takers is None else unfit).add(device.part.name)
                continue
            for place, inlet in enumerate(kind.inlets):
                feed = self.feeds[place % len(self.feeds)]
                free = left.setdefault((device.rack, feed), self._outlets())
                outlet = next((free[one].pop() for one in takers if free.get(one)), None)
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
