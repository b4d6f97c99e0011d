"""What NetBox calls devices, ports and inlets, and its files of PDUs and power cables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toposmith.catalog import Node, Part, Pdu, Switch
from toposmith.design.placement_block import PlacementBlock
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import DeviceInventory, InventoryDevice
from toposmith.racks.placement import occupied_racks
from toposmith.text import counted, plain_number

C13, C14, C19, C20 = (f"iec-60320-c{number}" for number in (13, 14, 19, 20))


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


_SWP, _IB, _LANE, _MODULE, _JUNOS = "swp{cage}", "IB1/{cage}", "Ethernet{cage}/1", \
    "Ethernet1/{cage}", "et-0/0/{cage0}"  # fmt: skip
_PSU0, _PS1, _PSU_1, _SPACED = (
    ("psu0", "psu1"),
    ("PS1", "PS2"),
    ("PSU1", "PSU2"),
    ("PSU 01", "PSU 02"),
)
_NUMBERED0, _NUMBERED1 = ("PSU 0", "PSU 1"), ("PSU 1", "PSU 2")


def _of(maker: str, model: str, slug: str, port: str, *inlets: str, plug: str = "") -> ListedType:
    return ListedType(maker, model, slug, port, inlets, plug)


LISTED_TYPES: Mapping[str, ListedType] = {
    "sb7800": _of("Mellanox", "SB7800", "sb7800", _IB, "ps1", "psu2", plug=C14),
    "sb7890": _of("Mellanox", "SB7890", "mellanox-sb7890", _IB, *_PS1, plug=C14),
    "qm8700": _of("Mellanox", "QM8700", "mellanox-qm8700", _IB, "ps1", "psu2", plug=C14),
    "qm8790": _of("Mellanox", "QM8790", "mellanox-qm8790", _SWP, *_PSU0),
    "qm9700": _of("Nvidia", "QM9700", "nvidia-qm9700", "P{cage0}.{port0}", *_PSU0, plug=C14),
    "q3400-ra": _of("Nvidia", "Q3400-RA", "nvidia-q3400-ra", "sw{cage}p{port}",
                    *(f"PSU{number}" for number in range(1, 9)), plug=C20),
    "sn2100": _of("Mellanox", "SN2100", "mellanox-sn2100", _SWP, *_PSU_1),
    "sn2201": _of("Nvidia", "SN2201", "mellanox-sn2201", _SWP, *_PSU_1),
    "sn2700": _of("Mellanox", "SN2700", "sn2700", _SWP, *_PSU0, plug=C14),
    "sn3700": _of("Mellanox", "SN3700", "sn3700", _SWP, *_PSU0, plug=C14),
    "sn3700c": _of("Mellanox", "SN3700C", "sn3700c", _SWP, *_PSU0, plug=C14),
    "sn4600": _of("Mellanox", "SN4600", "mellanox-sn4600", _SWP, *_PSU0, plug=C14),
    "sn4600c": _of("Mellanox", "SN4600C", "sn4600c", _SWP, *_PSU0, plug=C14),
    "sn4700": _of("Mellanox", "SN4700", "sn4700", _SWP, *_PSU0, plug=C14),
    "sn5600": _of("Nvidia", "SN5600", "nvidia-sn5600", _SWP, *_PSU_1),
    "sn5610": _of("Nvidia", "SN5610", "nvidia-sn5610", _SWP,
                  *(f"PSU{number}" for number in range(1, 5))),
    "7050cx3-32s": _of("Arista", "DCS-7050CX3-32S-F", "arista-dcs-7050cx3-32s-f", _LANE,
                       *_NUMBERED0),
    "7060cx-32s": _of("Arista", "DCS-7060CX-32S-F", "arista-dcs-7060cx-32s-f", _LANE, *_PS1),
    "7060cx2-32s": _of("Arista", "DCS-7060CX2-32S-F", "arista-dcs-7060cx2-32s-f", _LANE, *_PS1),
    "7060dx4-32": _of("Arista", "DCS-7060DX4-32", "arista-dcs-7060dx4-32", _LANE, *_PS1, plug=C14),
    "7060dx5-64s": _of("Arista", "DCS-7060DX5-64S-F", "arista-dcs-7060dx5-64s-f", _LANE, *_PS1),
    "7060x6-64pe": _of("Arista", "DCS-7060X6-64PE-F", "arista-dcs-7060x6-64pe-f", _LANE, *_SPACED,
                       plug=C14),
    "7280dr3-24": _of("Arista", "DCS-7280DR3-24-F", "arista-dcs-7280dr3-24-f", _LANE,
                      *_NUMBERED1),
    "n9k-c9332d-gx2b": _of("Cisco", "Nexus 9332D-GX2B", "n9k-c9332d-gx2b", _MODULE,
                           "Power Supply 1", "Power Supply 2", plug="iec-60320-c16"),
    "n9k-c9336c-fx2": _of("Cisco", "Nexus 9336C-FX2", "cisco-n9k-c9336c-fx2", _MODULE, *_PS1),
    "n9k-c9364c": _of("Cisco", "Nexus 9364C", "cisco-n9k-c9364c", _MODULE, *_PS1),
    "n9k-c9364d-gx2a": _of("Cisco", "Nexus 9364D-GX2A", "cisco-n9k-c9364d-gx2a", _MODULE, *_PS1),
    "s5232f-on": _of("Dell", "PowerSwitch S5232F-ON", "dell-powerswitch-s5232f-on",
                     "Ethernet 1/1/{cage}", *_PS1, plug=C14),
    "z9432f-on": _of("Dell", "PowerSwitch Z9432F-ON", "dell-powerswitch-z9432f-on",
                     "Ethernet 1/1/{cage}", *_PS1, plug=C14),
    "qfx5130-32cd": _of("Juniper", "QFX5130-32CD-AFO", "juniper-qfx5130-32cd-afo", _JUNOS,
                        *_NUMBERED0),
    "qfx5220-128c": _of("Juniper", "QFX5220-128C", "juniper-qfx5220-128c", _JUNOS,
                        *(f"PSU{number}" for number in range(4))),
    "as9716-32d": _of("Edgecore", "AS9716-32D", "edgecore-as9716-32d", "Port {cage}", *_SPACED,
                      plug=C20),
    "as9817-64o": _of("Edgecore", "AS9817-64O-O-AC-F", "edgecore-as9817-64o-o-ac-f",
                      "Port {cage}", *_SPACED, plug=C20),
    "dx010": _of("Celestica", "DX010", "celestica-dx010", "{cage}/1", *_NUMBERED1),
}  # fmt: skip
"""By id of the catalog."""

_MAKERS = {"NVIDIA": "Nvidia"}
"""As the library writes them; two spellings of one maker have one slug, which NetBox refuses."""


def maker_of(part: Part) -> str:
    """The maker as the library writes it."""
    listed = LISTED_TYPES.get(part.id)
    return listed.manufacturer if listed else _MAKERS.get(part.vendor, part.vendor[:100])


def _ap8858() -> Iterator[Outlet]:
    for number in range(1, 21):
        yield Outlet(f"Power Outlet {number}", C19 if number in (7, 14) else C13, "A")


def _ap8886() -> Iterator[Outlet]:
    for bank in range(1, 4):  # the library has all three banks on one phase: none is taken
        yield from (Outlet(f"Bank{bank}-C13-{number}", C13, "") for number in range(1, 11))
        yield from (Outlet(f"Bank{bank}-C19-{number}", C19, "") for number in range(1, 5))


def _ap8888() -> Iterator[Outlet]:
    for line, leg in enumerate("ABC", 1):
        digits = 1 if line == len("ABC") else 2
        for bank, c13s, c19s in ((2 * line - 1, (1, 4), (1, 2)), (2 * line, (5, 10), (3, 4))):
            for kind, name, (first, last) in ((C13, "C13", c13s), (C19, "C19", c19s)):
                for number in range(first, last + 1):
                    words = f"L{line} Bank {bank} {name} {number:0{digits}}"
                    yield Outlet(words, kind, leg)


def _px3_5730() -> Iterator[Outlet]:
    for number in range(36):
        kind = C19 if number % 6 < 2 else C13
        yield Outlet(f"Outlet {number + 1}", kind, "ABC"[number // 6 % 3])


_LISTED_PDUS: Mapping[str, ListedPdu] = {
    "apc-ap8858": ListedPdu("APC", "AP8858", "apc-ap8858", "Power Port 1", C20, tuple(_ap8858())),
    "apc-ap8886": ListedPdu("APC", "AP8886", "ap8886", "Power Port 1", "cs8365c",
                            tuple(_ap8886())),
    "apc-ap8888": ListedPdu("APC", "AP8888", "apc-ap8888", "Power Cord", "iec-60309-3p-n-e-6h",
                            tuple(_ap8888())),
    "raritan-px3-5730-v2": ListedPdu("Raritan", "PX3-5730-V2", "raritan-px3-5730-v2", "Inlet I1",
                                     "iec-60309-3p-n-e-6h", tuple(_px3_5730())),
}  # fmt: skip


def slug_of(text: str) -> str:
    """What NetBox puts into addresses for a name."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")[:100] or "design"


def pdu_type(pdu: Pdu) -> ListedPdu:
    """The device type of a PDU; one that the library lacks has its outlets numbered by type."""
    listed = _LISTED_PDUS.get(pdu.id)
    if listed is not None:
        return listed
    outlets = [
        Outlet(f"{kind} {number + 1}", f"iec-60320-{kind.lower()}", "")
        for kind, count in pdu.outlets.items()
        for number in range(count)
    ]
    slug = slug_of(f"{pdu.vendor} {pdu.id}")
    return ListedPdu(maker_of(pdu), pdu.name[:100], slug, "Inlet", "other", tuple(outlets))


def inlets_of(part: Part) -> tuple[tuple[str, ...], str]:
    """The power inlets of a device by name, and their type where the library has it.

    None where neither the library nor the catalog says how many supplies it has.
    """
    listed = LISTED_TYPES.get(part.id)
    if listed is not None and listed.inlets:
        return listed.inlets, listed.plug
    supplies = getattr(part, "power_supplies", None)
    if supplies is None:
        return (), ""
    return tuple(f"PSU{number}" for number in range(1, supplies.count + 1)), ""


def has_inlets_in_type(part: Part) -> bool:
    """Whether the power inlets stand in the device type; else they are made for each device."""
    listed = LISTED_TYPES.get(part.id)
    return not (isinstance(part, Switch) and listed is not None and not listed.plug)


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
