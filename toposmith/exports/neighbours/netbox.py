"""NetBox whole: everything that it imports of a design, in the order in which it can be imported.

Columns: netbox/dcim/forms/bulk_import.py (github.com/netbox-community/netbox). Device types: the
schema of netbox-community/devicetype-library; what stands there under the same name has its slug
and its names of ports and inlets here too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import ceil
from typing import Any, NamedTuple

from toposmith.bill.link_cages import port_labels
from toposmith.catalog import Part, Switch
from toposmith.catalog.netbox_switches import PORT_TYPES
from toposmith.catalog.part_power import power_range
from toposmith.catalog.pieces import Cage, Protocol
from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_rows import CableRow, ScheduledEnd
from toposmith.exports.neighbours.device_inventory import DeviceInventory, NameRule
from toposmith.exports.neighbours.netbox_library import (
    ASSUMED_VOLTS,
    RackPower,
    has_inlets_in_type,
    slug_of,
    type_of,
)
from toposmith.fabric.plan import GroupPlan, LinkEnd
from toposmith.leaving_text import csv_pieces, yaml_text
from toposmith.racks.locked_devices import port_names
from toposmith.racks.placement import occupied_racks

NETBOX_NAMES = NameRule("NetBox", signs=r"\x20-\x7e\xa0-\U0010ffff", longest=64, same_case=True,
                        ends=r"\x21-\x7e\xa1-\U0010ffff")  # fmt: skip

CABLE_COLUMNS = ("side_a_device", "side_a_type", "side_a_name", "side_b_device", "side_b_type",
                 "side_b_name", "type", "status", "label", "length", "length_unit")  # fmt: skip

_DEVICE_COLUMNS = ("name", "role", "manufacturer", "device_type", "site", "rack", "position",
                   "face", "status", "serial")  # fmt: skip
_MOST_SERIAL = 50
_INLET_COLUMNS = ("name", "type", "maximum_draw", "allocated_draw")
_FEED_COLUMNS = ("site", "power_panel", "rack", "name", "status", "type", "supply", "phase",
                 "voltage", "amperage")  # fmt: skip

# netbox dcim/choices.py, CableTypeChoices.
_CABLE_TYPES = {"twisted pair": "cat6",
                "dac": "dac-passive", "acc": "dac-active", "aec": "dac-active", "aoc": "aoc",
                "multimode": "mmf", "singlemode": "smf"}  # fmt: skip
_INTERFACE = "dcim.interface"
_ROLES = {"node": ("GPU node", "9e9e9e"), "storage": ("Storage", "795548"),
          "switch": ("Switch", "2196f3"), "nvlink-switch": ("NVLink switch", "76b900"),
          "unknown": ("Unknown", "607d8b"), "pdu": ("PDU", "ff9800")}  # fmt: skip
_POWER_PORT, _POWER_OUTLET, _POWER_FEED = "dcim.powerport", "dcim.poweroutlet", "dcim.powerfeed"
_INFINIBAND = {40: "qdr", 56: "fdr", 100: "edr", 200: "hdr", 400: "ndr", 800: "xdr"}
_UNKNOWN_TYPE = "other"


_README = """\
Import into NetBox in this order (each list has an Import button; CSV, device types YAML):

{steps}
Everything is there once and under the same names in all files, so that a later file finds what an
earlier one made. Files whose rows are there already (manufacturers, roles, a device type of the
library) can be left out.

Assumed: every device is as deep as its rack and faces front. Types of power inlets are those of the
library, or `other`.
{notes}"""

_POWER_README = """\
The PDUs stand upright and take no U. The supplies of a device go to the feeds in turn; where the
library does not tell an inlet's type, its rating{volts} says whether it gets a C13 (up to 10 A) or
a C19 (up to 16 A). Cables of feeds need a NetBox whose import of cables knows `side_a_power_panel`.
"""


class _File(NamedTuple):
    name: str
    where: str
    pieces: Iterable[str]


def netbox_folder(cluster: DeviceInventory) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The files by name, the README first.

    Raises
    ------
    ExportError
        If the design has no devices.
    """
    if not cluster.devices:
        raise ExportError("the design has no devices")
    inventory = _Inventory(cluster)
    files = inventory.files()
    names = [f"{number:02d}-{one.name}" for number, one in enumerate(files, 1)]
    steps = "".join(f"    {name:<24} {one.where}\n" for name, one in zip(names, files, strict=True))
    notes = inventory.notes() + "".join(f"Not carried: {words}\n" for words in cluster.lost)
    yield "README.md", [_README.format(steps=steps, notes=notes).encode()]
    for name, one in zip(names, files, strict=True):
        yield name, (text.encode() for text in one.pieces)


def netbox_cables(cluster: DeviceInventory) -> Iterator[str]:
    """Planned cables; one line for each leg of a splitter."""
    return _Inventory(cluster).cables()


class _Inventory:
    """The lists of one design."""

    def __init__(self, cluster: DeviceInventory) -> None:
        if unknown := {one.group.spec.part for one in cluster.devices if one.part is None}:
            raise ExportError(
                f"the catalog lacks {', '.join(sorted(unknown))}; such parts have no device type"
            )
        self._cluster = cluster
        self._names = cluster.device_names(NETBOX_NAMES)
        self._site = cluster.name[:100]
        self._groups = {one.group.name: one.group for one in cluster.devices}
        self._parts = {one.group.spec.part: one.group for one in cluster.devices}
        self._power = RackPower.of(cluster)
        names = list(self._names.values())
        self._pdus = self._power.pdus(names) if self._power is not None else []
        self._ports: dict[tuple[str, int], list[str]] = {}

    def files(self) -> list[_File]:
        """The files in import order."""
        if self._power is None:
            self._cluster.lose("power feeds, which the design or the catalog does not state")
        power = [] if self._power is None else self._power_files(self._power)
        cables = _File("cables.csv", "Connections > Cables", self.cables())
        return [*self._kinds_files(), *self._device_files(), *power, cables]

    def notes(self) -> str:
        """What the README says of power beyond the order of files."""
        if self._power is None:
            return ""
        volts = "" if self._power.pdu.volts else f" (at {ASSUMED_VOLTS:g} V, assumed)"
        return _POWER_README.format(volts=volts)

    def _kinds_files(self) -> Iterator[_File]:
        """What devices refer to: makers, roles, the site, its racks, types."""
        makers = dict.fromkeys(type_of(_part(group)).manufacturer for group in self._parts.values())
        kinds = dict.fromkeys(_part(group).kind for group in self._parts.values())
        if self._power:
            makers.setdefault(self._power.type.manufacturer)
            kinds.setdefault("pdu")
        site, placement = self._site, self._cluster.design.placement
        racks = (
            (site, placement.label(rack), "planned", 19, placement.height(rack))
            for rack in sorted(occupied_racks(placement))
        )
        roles = ((name, slug_of(name), colour) for name, colour in map(_role, kinds))
        yield _table("manufacturers", "Devices > Manufacturers", ("name", "slug"),
                     ((name, slug_of(name)) for name in makers))  # fmt: skip
        yield _table("device-roles", "Devices > Device Roles", ("name", "slug", "color"), roles)
        yield _table("sites", "Organization > Sites", ("name", "slug", "status"),
                     [(site, slug_of(site), "planned")])  # fmt: skip
        yield _table("racks", "Racks > Racks", ("site", "name", "status", "width", "u_height"),
                     racks)  # fmt: skip
        yield _File("device-types.yaml", "Devices > Device Types", self._types())

    def _device_files(self) -> Iterator[_File]:
        """Devices with the ports and inlets that no device type has."""
        yield _table("devices", "Devices > Devices", _DEVICE_COLUMNS, self._device_rows())
        yield _table("interfaces", "Devices > Interfaces", ("device", "name", "type"),
                     self._interface_rows())  # fmt: skip
        apart = {name for name, one in self._groups.items() if not has_inlets_in_type(_part(one))}
        if apart:
            inlets = (
                (self._names[one.name], *map(inlet.get, _INLET_COLUMNS))
                for one in self._cluster.devices
                if one.group.name in apart
                for inlet in self._inlets(_part(one.group))
            )
            yield _table("power-ports", "Devices > Power Ports", ("device", *_INLET_COLUMNS),
                         inlets)  # fmt: skip

    def _power_files(self, power: RackPower) -> list[_File]:
        """Panels, feeds and the cables of power."""
        for _ in power.cables(self._names):
            pass  # notes the inlets without an outlet, which the README lists
        pdu = power.pdu
        volts = round(pdu.volts) if pdu.volts else None
        amps = round(pdu.amps) if pdu.amps else None
        phase = "three-phase" if pdu.phases > 1 else "single-phase"
        feeds = (
            (self._site, f"Feed {one.feed}", one.rack, power.feed_name(one), "planned",
             "primary" if one.feed == 1 else "redundant", "ac", phase, volts, amps)
            for one in self._pdus
        )  # fmt: skip
        feed_cables = (
            (f"Feed {one.feed}", _POWER_FEED, power.feed_name(one), one.name, _POWER_PORT,
             power.type.inlet, "power", "planned")
            for one in self._pdus
        )  # fmt: skip
        power_cables = (
            (one.device, _POWER_PORT, one.inlet, one.pdu, _POWER_OUTLET, one.outlet, "power",
             "planned")
            for one in power.cables(self._names)
        )  # fmt: skip
        return [
            _table("power-panels", "Power > Power Panels", ("site", "name"),
                   ((self._site, f"Feed {number}") for number in power.feeds)),
            _table("power-feeds", "Power > Power Feeds", _FEED_COLUMNS, feeds),
            _table("feed-cables", "Connections > Cables",
                   ("side_a_power_panel", *CABLE_COLUMNS[1:8]), feed_cables),
            _table("power-cables", "Connections > Cables", CABLE_COLUMNS[:8], power_cables),
        ]  # fmt: skip

    def _types(self) -> Iterator[str]:
        types = [self._type(group) for group in self._parts.values()]
        if self._power:
            types.append(self._power.device_type())
        for one in types:
            yield "---\n" + yaml_text(one)

    def _type(self, group: GroupPlan) -> dict[str, Any]:
        part = _part(group)
        kind = type_of(part)
        held = self._cluster.design.placement.devices.get(group.name)
        data: dict[str, Any] = {
            "manufacturer": kind.manufacturer,
            "model": kind.model,
            "slug": kind.slug,
            "u_height": part.rack_units or (held.units if held else 0),
            "is_full_depth": True,
        }
        if part.part_number:
            data["part_number"] = part.part_number[:50]
        if part.weight_kg:
            data |= {"weight": round(part.weight_kg, 2), "weight_unit": "kg"}
        inlets = list(self._inlets(part)) if has_inlets_in_type(part) else []
        if inlets:
            data["power-ports"] = inlets
        if isinstance(part, Switch):
            native = part.native
            port = interface_type(part.cages.cage, native.speed_gbit, part.protocol)
            end = LinkEnd(group.name, "", breakout=native.ports)
            places = range(part.cages.count * native.ports)
            names = [self._port(group, end, place) for place in places]
            data["interfaces"] = [{"name": name, "type": port} for name in names]
        return data

    def _inlets(self, part: Part) -> Iterator[dict[str, Any]]:
        """Power ports of one device: by name, type and the share of its power that each draws.

        NetBox adds the draws of ports up to those of PDUs, feeds and racks, so that the shares are
        whole watts whose sum is what the device draws at most. That is budgeted where it is known;
        what its supplies deliver without the redundant ones is only an upper bound.
        """
        names, plug = type_of(part)[4:]
        drawn = power_range(part, self._cluster.design.catalog)
        for place, name in enumerate(names):
            port: dict[str, Any] = {"name": name, "type": plug or _UNKNOWN_TYPE}
            if drawn.most_w is not None:
                each, rest = divmod(ceil(drawn.most_w), len(names))
                port["maximum_draw"] = each + (place < rest)
            if drawn.known_w is not None:
                port["allocated_draw"] = port["maximum_draw"]
            yield port

    def _device_rows(self) -> Iterator[Sequence[Hashable]]:
        for one in self._cluster.devices:
            kind = type_of(_part(one.group))
            face = "front" if one.rack is not None else None
            serial = one.facts.get("serial", "")
            if len(serial) > _MOST_SERIAL:
                self._cluster.lose(f"serial numbers of more than {_MOST_SERIAL} signs")
                serial = ""
            yield (self._names[one.name], _role(one.kind)[0], kind.manufacturer, kind.model,
                   self._site, one.rack, one.unit, face, "planned", serial)  # fmt: skip
        for pdu in self._pdus:
            assert self._power is not None
            kind_of = self._power.type
            yield (pdu.name, _ROLES["pdu"][0], kind_of.manufacturer, kind_of.model, self._site,
                   pdu.rack, None, None, "planned", "")  # fmt: skip

    def _interface_rows(self) -> Iterator[Sequence[Hashable]]:
        """Ports that no device type has: those of fitted NICs, and those of split cages."""
        own = {name: list(self._fitted(group)) for name, group in self._groups.items()}
        for one in self._cluster.devices:
            for name, kind in own[one.group.name]:
                yield self._names[one.name], name, kind
        for row in self._cluster.connections():
            for end, group in self._ends(row):
                part = group.part
                if isinstance(part, Switch) and end.breakout != part.native.ports:
                    kind = interface_type(part.cages.cage, row.speed_gbit, part.protocol)
                    yield self._names[end.node], end.port, kind

    def _fitted(self, group: GroupPlan) -> Iterator[tuple[str, str]]:
        given = port_names(self._cluster.plan, group.name)
        for ports, held in group.port_groups.items():
            if held.nic is None:
                continue
            protocol = next(
                (
                    link.protocol
                    for link in self._cluster.plan.every_link
                    if any((end.group, end.ports) == (group.name, ports) for end in link.ends)
                ),
                held.nic.protocols[0],
            )
            kind = interface_type(held.nic.cage, held.nic.speed_gbit, protocol)
            for label in port_labels(group, LinkEnd(group.name, ports)).labels:
                yield given.get(label, label), kind

    def cables(self) -> Iterator[str]:
        """The cables, each with both its ends."""
        return csv_pieces(CABLE_COLUMNS, (self._cable(row) for row in self._cluster.connections()))

    def _cable(self, row: CableRow) -> Sequence[Hashable]:
        (a, group_a), (z, group_z) = self._ends(row)
        length = "" if row.length_m is None else f"{row.length_m:g}"
        return (
            self._names[a.node],
            _INTERFACE,
            self._name_of(a, group_a, row.link.a),
            self._names[z.node],
            _INTERFACE,
            self._name_of(z, group_z, row.link.b),
            _CABLE_TYPES.get(row.medium or "", ""),
            "planned",
            row.label,
            length,
            "m" if length else "",
        )

    def _ends(
        self, row: CableRow
    ) -> tuple[tuple[ScheduledEnd, GroupPlan], tuple[ScheduledEnd, GroupPlan]]:
        groups = self._cluster.plan.groups
        return (row.a, groups[row.link.a.group]), (row.z, groups[row.link.b.group])

    def _name_of(self, end: ScheduledEnd, group: GroupPlan, link_end: LinkEnd) -> str:
        """A port as its device has it in NetBox: by the library where its mode is native."""
        part = group.part
        if isinstance(part, Switch) and end.breakout == part.native.ports:
            return self._port(group, link_end, end.place)
        return end.port

    def _port(self, group: GroupPlan, end: LinkEnd, place: int) -> str:
        key = (group.name, end.breakout)
        if key not in self._ports:
            self._ports[key] = self._native_ports(group, end)
        known = self._ports[key]
        return known[place] if place < len(known) else f"!{place + 1}"

    def _native_ports(self, group: GroupPlan, end: LinkEnd) -> list[str]:
        given = port_names(self._cluster.plan, group.name)
        listed = type_of(_part(group)).port
        names: list[str] = []
        for place, own in enumerate(port_labels(group, end).labels):
            cage, port = divmod(place, end.breakout)
            known = own
            if listed:
                known = listed.format(cage=cage + 1, port=port + 1, cage0=cage, port0=port)
            names.append(given.get(own, known))
        return names


def interface_type(cage: Cage, speed_gbit: int, protocol: Protocol) -> str:
    """NetBox's type of an interface; ``other`` where it has none for the cage and speed."""
    if protocol == "infiniband":
        return f"infiniband-{_INFINIBAND[speed_gbit]}" if speed_gbit in _INFINIBAND else "other"
    for name, kind in PORT_TYPES.items():
        if kind.protocol == protocol and (kind.cage, kind.gbit) == (cage, speed_gbit):
            return name
    return _UNKNOWN_TYPE


def _part(group: GroupPlan) -> Part:
    assert group.part is not None
    return group.part


def _table(name: str, where: str, head: Sequence[str], rows: Iterable[Sequence[Hashable]]) -> _File:
    return _File(f"{name}.csv", where, csv_pieces(head, rows))


def _role(kind: str) -> tuple[str, str]:
    """The role of a kind of device and its colour; a kind from outside is called what it is."""
    return _ROLES.get(kind, (kind.replace("-", " ").capitalize(), "607d8b"))
