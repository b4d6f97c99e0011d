"""Text of subnets: ibnetdiscover, iblinkinfo, net files of ibsim, topologies of UFM."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from toposmith.as_built.cable_list import (
    AGGREGATION,
    Cabling,
    ListedCable,
    ListedEnd,
    ListedKind,
    UnreadableError,
    host_of,
    is_generic,
    key_of,
    switch_of,
)
from toposmith.design.loader import shown
from toposmith.foreign_values import finite_number, whole_number
from toposmith.plain_text import visible
from toposmith.text import counted

# Nominal Gb/s of one lane, InfiniBand Architecture Specification: SDR 2.5 to XDR 200.
LANE_GBIT = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0625, "EDR": 25.0, "HDR": 50.0,
    "NDR": 100.0, "XDR": 200.0,
}  # fmt: skip

_HEAD = re.compile(r'^\s*(Switch|Ca|Rt)\s*(\d+)\s*"([SHR]-[0-9a-fA-F]+)"\s*(?:#\s*(.*))?$')
_PORT = re.compile(
    r'^\s*\[(\d+)\]\s*+(?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*+"([SHR]-[0-9a-fA-F]+)"\s*\[(\d+)\]'
    r"\s*+(?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*+(?:#\s*(.*))?$"
)
_QUOTED = re.compile(r'"(.*)"')
_RATE = re.compile(r"\b(\d+)x\s?([SDQFEHNX]DR(?:10)?)\b")
_ASIDE = re.compile(
    r"^\s*(#|(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Chassis\b|.*Nodes\s*$)"
)
_PORTS = re.compile(
    r"^\s*(SW|CA|RT)\s+(\d+)\s+(\d+)\s+(0x[0-9a-fA-F]+)\s+(\S+)\s+(\S+)"
    r"(?:\s+-\s+(SW|CA|RT)\s+(\d+)\s+(\d+)\s+(0x[0-9a-fA-F]+)\s+\(\s*'(.*)'\s+-\s+'(.*)'\s*\))?"
)
_SIM_HEAD = re.compile(r'^\s*(Switch|Hca)\s+(\d+)\s+"([^"]+)"', re.I)
_SIM_ASIDE = re.compile(r"^\s*(#|\w+=|module|name|do |include|\[\d+\]\s*$)")
_SIM_PORT = re.compile(r'^\s*\[(\d+)\]\s*"([^"]+)"\s*\[(\d+)\]')


def is_ibnetdiscover(lines: list[str]) -> bool:
    """Whether any line is a node's head or a port of ibnetdiscover."""
    return any(_HEAD.match(line) or _PORT.match(line) for line in lines)


def is_port_list(lines: list[str]) -> bool:
    """Whether any line is one of ``ibnetdiscover -p``."""
    return any(_PORTS.match(line) for line in lines)


def is_ibsim(lines: list[str]) -> bool:
    """Whether heads name nodes without an address, as ibsim's do."""
    return any(_SIM_HEAD.match(line) for line in lines)


@dataclass
class _Node:
    """A chip or an adapter, by its address."""

    address: str
    kind: str
    description: str = ""
    ports: int = 0
    guid: str = ""


class Nodes:
    """Nodes by address, and their links, before duplicate names are resolved."""

    def __init__(self, source: str, form: str) -> None:
        self.cabling = Cabling(source, form)
        self.known: dict[str, _Node] = {}
        self._links: list[tuple[str, int, str, int, float | None, str, str]] = []
        self.seen_ends: set[tuple[str, int]] = set()

    def know(
        self, address: str, kind: str, description: str | None, ports: int = 0, guid: str = ""
    ) -> None:
        """Add one line's data of a node; more may follow."""
        node = self.known.setdefault(address, _Node(address, kind, guid=_guid(address)))
        node.guid = guid or node.guid
        if description and not node.description:
            node.description = visible(description.strip())
        node.ports = max(node.ports, ports)

    def link(
        self, a: tuple[str, int], z: tuple[str, int], gbit: float | None, place: str, mark: str = ""
    ) -> None:
        """Add a link as one of its ends reports it."""
        self.seen_ends.add(a)
        self._links.append((*a, *z, gbit, place, mark))

    def cabling_of(self) -> Cabling:
        """The cables between devices, once every name is known."""
        keys = {address: self._device(node) for address, node in self.known.items()}
        self._tell_apart(keys)
        cabling = self.cabling
        aggregation = {
            address for address, node in self.known.items() if AGGREGATION.search(node.description)
        }
        labels = {address: self._label(node) for address, node in self.known.items()}
        once: set[tuple[str, int, str, int]] = set()
        one_sided = 0
        for a, port_a, z, port_z, gbit, place, mark in self._links:
            ends = (a, port_a, z, port_z) if (a, port_a) <= (z, port_z) else (z, port_z, a, port_a)
            first = ends not in once
            once.add(ends)
            if a in aggregation or z in aggregation:
                if first:
                    cabling.ignore("aggregation nodes inside switches (SHARP)", place)
                continue
            one, other = keys[a], keys[z]
            if one[0] == other[0] and one[2] and other[2]:
                if first:
                    cabling.ignore("links inside a chassis", place)
                continue
            one_sided += first and not {(a, port_a), (z, port_z)} <= self.seen_ends
            for key, name, _chip, unnamed, kind in (one, other):
                cabling.device(key, name, kind, unnamed=unnamed)
            for address in (a, z):
                if guid := self.known[address].guid:
                    cabling.devices[keys[address][0]].know("guid", guid)
            cable = ListedCable(
                ListedEnd(one[0], self._port(a, port_a, one[2], labels[a])),
                ListedEnd(other[0], self._port(z, port_z, other[2], labels[z])),
                gbit,
                place,
                mark,
            )
            cabling.cables.append(cable)
        if one_sided:
            cabling.notes.append(
                f"{counted(one_sided, 'cable', 'have')} one end only in {cabling.source}: "
                "was the text cut?"
            )
        return cabling.settle()

    def _device(self, node: _Node) -> tuple[str, str, str, bool, ListedKind]:
        """Key, name, chip, whether unnamed, and kind."""
        kind: ListedKind
        if node.kind == "S":
            name, chip = switch_of(node.description)
            unnamed = is_generic(name)
            kind = "switch"
        else:
            (name, _), chip, kind = host_of(node.description), "", "host"
            unnamed = is_generic(node.description) or is_generic(name)
        key = node.address if unnamed else key_of(name)
        shown = f"{node.description or 'unnamed'} ({node.address[2:]})" if unnamed else name
        return key, shown, chip, unnamed, kind

    def _tell_apart(self, keys: dict[str, tuple[str, str, str, bool, ListedKind]]) -> None:
        """Replace names that two devices share by addresses."""
        used: dict[str, set[int]] = defaultdict(set)
        for a, port_a, z, port_z, *_ in self._links:
            used[a].add(port_a)
            used[z].add(port_z)
        holders: dict[tuple[str, str, int], list[str]] = defaultdict(list)
        for address, (key, _, chip, unnamed, kind) in keys.items():
            label = chip if kind == "switch" else host_of(self.known[address].description)[1]
            # One switch is one address; the ports of one adapter may have an address each.
            ports = {0} if kind == "switch" else used[address]
            for port in () if unnamed else ports:
                holders[key, label, port].append(address)
        shared = {key for (key, _, _), many in holders.items() if len(many) > 1}
        for address, (key, name, chip, unnamed, kind) in list(keys.items()):
            if not unnamed and key in shared:
                keys[address] = (address, f"{name} ({address[2:]})", chip, True, kind)
        for key in sorted(shared):
            self.cabling.notes.append(f"several devices are called {key}: taken as unnamed")

    def _label(self, node: _Node) -> str:
        """What a host calls its adapter; empty where it says nothing, and at a switch."""
        if node.kind == "S" or is_generic(node.description):
            return ""
        return host_of(node.description)[1]

    def _port(self, address: str, port: int, chip: str, label: str) -> str:
        node = self.known[address]
        if node.kind == "S":
            return f"{chip}/{port}" if chip else str(port)
        several = node.ports > 1 or port > 1
        if not label:
            return str(port)
        return f"{label}/{port}" if several else label


def _guid(address: str) -> str:
    """The GUID of a node's address, ``0x10``; empty where the address is another name."""
    number = address[2:]
    return f"0x{int(number, 16):x}" if re.fullmatch(r"[0-9a-f]{16}", number) else ""


def read_ibnetdiscover(source: str, lines: list[str]) -> Cabling:
    """Text of ibnetdiscover, from a file or a terminal's log; UnreadableError if damaged."""
    nodes = Nodes(source, "ibnetdiscover")
    heads: dict[str, tuple[str, str]] = {}
    here: str | None = None
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if head := _HEAD.match(line):
            _, ports, address, comment = head.groups()
            here = address[0].upper() + address[1:].lower()
            quoted = _QUOTED.search(comment or "")
            name = quoted.group(1).strip() if quoted else ""
            before, first = heads.setdefault(here, (name, place))
            if name and before and name != before:
                raise UnreadableError(
                    f"{place}: {here} is {shown(name)} here and {shown(before)} in {first}; no "
                    "fabric has an address twice: are these two fabrics, or two times, in one dump?"
                )
            nodes.know(here, here[0], name or None, whole_number(ports, place))
        elif port := _PORT.match(line):
            if here is None:
                nodes.cabling.ignore("ports without the head of their node", place)
                continue
            own, peer, far, comment = port.groups()
            peer = peer[0].upper() + peer[1:].lower()
            quoted = _QUOTED.search(comment or "")
            nodes.know(peer, peer[0], quoted.group(1) if quoted else None)
            ends = (here, whole_number(own, place)), (peer, whole_number(far, place))
            nodes.link(*ends, _rate(comment, place), place)
        elif line.strip() and not _ASIDE.match(line):
            nodes.cabling.ignore("lines that are not of ibnetdiscover", place)
    return nodes.cabling_of()


def read_port_list(source: str, lines: list[str]) -> Cabling:
    """Text of ``ibnetdiscover -p``: a line for each port."""
    nodes = Nodes(source, "ibnetdiscover -p")
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        found = _PORTS.match(line)
        if not found:
            if line.strip() and not line.lstrip().startswith("#"):
                nodes.cabling.ignore("lines that are not of ibnetdiscover", place)
            continue
        kind, _, port, address, width, speed, far_kind, _, far_port, far, name, far_name = (
            found.groups()
        )
        if far is None:
            nodes.cabling.ignore("ports without a peer", place)
            continue
        kinds = {"SW": "S", "CA": "H", "RT": "R"}
        one, other = kinds[kind] + "-" + address[2:], kinds[far_kind] + "-" + far[2:]
        nodes.know(one, one[0], name)
        nodes.know(other, other[0], far_name)
        ends = (one, whole_number(port, place)), (other, whole_number(far_port, place))
        nodes.link(*ends, _rate(f"{width}{speed}", place), place)
    return nodes.cabling_of()


def read_ibsim(source: str, lines: list[str]) -> Cabling:
    """A net file of ibsim: nodes by their names."""
    nodes = Nodes(source, "ibsim net")
    here = ""
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if head := _SIM_HEAD.match(line):
            kind, ports, name = head.groups()
            here = ("S-" if kind.lower() == "switch" else "H-") + name
            nodes.know(here, here[0], name, whole_number(ports, place))
    here = ""
    known = nodes.known
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if head := _SIM_HEAD.match(line):
            here = ("S-" if head.group(1).lower() == "switch" else "H-") + head.group(3)
        elif port := _SIM_PORT.match(line):
            own, peer, far = port.groups()
            far_node = next((p + peer for p in ("S-", "H-") if p + peer in known), None)
            if not here or far_node is None:
                nodes.cabling.ignore("ports whose node or peer is not in the file", place)
                continue
            ends = (here, whole_number(own, place)), (far_node, whole_number(far, place))
            nodes.link(*ends, None, place)
        elif line.strip() and not _SIM_ASIDE.match(line):
            nodes.cabling.ignore("lines that are not of ibsim", place)
    return nodes.cabling_of()


def _rate(comment: str | None, place: str) -> float | None:
    """Nominal Gb/s of ``4xHDR``: lanes times the rate of one."""
    found = _RATE.findall(comment or "")
    if not found:
        return None
    lanes, speed = found[-1]
    return whole_number(lanes, place) * LANE_GBIT[speed] if speed in LANE_GBIT else None


# Possessive quantifiers, here and in other readers: a line of blanks costs no more than its length.
_INFO_HEAD = re.compile(r"^\s*+(CA|Switch|Router):\s*+(0x[0-9a-fA-F]+)?(.*)$")
_LINE = re.compile(
    r'^\s*+(?:(0x[0-9a-fA-F]++)\s++)?(?:"([^"]*+)"\s++)?(\d++)\s++(\d++)\[[^\]]*+\]\s*+==\((.*?)\)==>'
    r'\s*+(?:(0x[0-9a-fA-F]++)\s++)?(\d++)?\s*+(\d++)?\s*+\[[^\]]*+\]\s*+"([^"]*+)"\s*+\((.*)\)\s*+$'
)
# Gb/s of a lane as iblinkinfo prints it, after the code of the line, and its nominal rate.
_LANES = {
    2.5: "SDR", 5.0: "DDR", 10.0: "QDR", 10.3125: "FDR10", 14.0625: "FDR", 25.78125: "EDR",
    53.125: "HDR", 106.25: "NDR", 212.5: "XDR",
}  # fmt: skip
_INFO_RATE = re.compile(r"(?<!\d)(\d++)X\s++([\d.]++)\s*+Gbps\s++(\w++)\s*+/\s*+(\w+)")


def is_link_info(lines: list[str]) -> bool:
    """Whether any line has iblinkinfo's arrow."""
    return any("==(" in line and ")==>" in line for line in lines)


def read_link_info(source: str, lines: list[str]) -> Cabling:
    """Text of iblinkinfo, in blocks or with ``-l`` a line for each link.

    Peers are listed by name and LID only, so all devices are identified by both.
    """
    nodes = Nodes(source, "iblinkinfo")
    switch_names: set[str] = set()
    parsed: list[tuple[int, str, str, str, re.Match[str]]] = []
    kind, name, guid = "", "", ""
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if "==(" in line:
            found = _LINE.match(line)
            own = (found.group(2) or "").strip() or name if found else ""
            if found and own:
                parsed.append((number, kind, own, guid if own == name else "", found))
            else:
                reason = "ports that are down" if "Down" in line else "lines that were cut"
                nodes.cabling.ignore(reason, place)
        elif head := _INFO_HEAD.match(line):
            kind = "H" if head.group(1) == "CA" else "S"
            guid = _device_guid(head) if kind == "S" else ""
            name = head.group(3).strip().removesuffix(":").rstrip()
            if kind == "S":
                switch_names.add(name)
        elif line.strip():
            nodes.cabling.ignore("lines that are not of iblinkinfo", place)
    lids: dict[tuple[str, str], set[str]] = {}
    for number, kind, own, guid, found in parsed:
        _, _, lid, port, state, _, far_lid, far_port, far, mark = found.groups()
        rate = _INFO_RATE.search(state)
        if rate is None or far_port is None or far_lid is None or not far:
            nodes.cabling.ignore("ports that are down", f"{source}:{number}")
            continue
        here = "S" if kind == "S" or own in switch_names else "H"
        there = "S" if far in switch_names else _kind_of(far)
        a, z = f"{here}-{lid} {own}", f"{there}-{far_lid} {far}"
        nodes.know(a, here, own, guid=guid)
        nodes.know(z, there, far)
        lids.setdefault((here, own), set()).add(lid)
        place = f"{source}:{number}"
        lanes = whole_number(rate.group(1), place)
        each = finite_number(rate.group(2), place)
        speed = _LANES.get(each)
        gbit = lanes * (LANE_GBIT[speed] if speed else each)
        ports = (whole_number(port, place), whole_number(far_port, place))
        nodes.link((a, ports[0]), (z, ports[1]), gbit, place, mark.strip())
    return nodes.cabling_of()


def _device_guid(head: re.Match[str]) -> str:
    """The GUID in the head of a switch; other lines have those of ports."""
    return f"0x{int(head.group(2), 16):x}" if head.group(2) else ""


def _kind_of(name: str) -> str:
    """What a peer is that has no block of its own: managed switches have it in their names."""
    return "S" if name.startswith("MF0;") or "switch" in name.lower() else "H"


_LINK = re.compile(
    r"^\s+(\S+)\s+(?:-(\d+)x-([\d.]+)G?(?:bps)?-|-)>\s+(\S+)\s+(\S+)\s+(\S+)\s*(?:#.*)?$"
)
_TOPO_HEAD = re.compile(r"^(\S+)\s+(\S+)(?:\s+CFG:.*)?\s*$")
_HOST = re.compile(r"^(HCA|MT\d{4,}|CX\d|ConnectX)", re.I)
_LONE_CHIP = re.compile(r"^U1/(?=P?\d+$)", re.I)


def is_topo_file(lines: list[str]) -> bool:
    """Whether any line joins a port to a system's port with an arrow."""
    return any(_LINK.match(line) for line in lines)


def read_topo_file(source: str, lines: list[str]) -> Cabling:
    """A topology file; every cable may stand at one of its ends or at both."""
    cabling = Cabling(source, "topology file (.topo)")
    here = ""
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if link := _LINK.match(line):
            if not here:
                cabling.ignore("links without the line of their system", place)
                continue
            port, lanes, lane_gbit, kind, name, far_port = link.groups()
            far = cabling.device(key_of(name), visible(name), _kind(kind, far_port))
            # Lanes are called by 2.5, 5, 10, 14, 25, 50, 100 or 200 Gb/s.
            gbit = None
            if lanes:
                gbit = whole_number(lanes, place) * finite_number(lane_gbit, place)
            cabling.cables.append(
                ListedCable(
                    ListedEnd(here, _port(port)), ListedEnd(far, _port(far_port)), gbit, place
                )
            )
        elif head := _TOPO_HEAD.match(line.split("#")[0]):
            here = cabling.device(
                key_of(head.group(2)), visible(head.group(2)), _kind(head.group(1))
            )
        elif line.strip() and not line.lstrip().startswith("#"):
            cabling.ignore("lines that are not of a topology file", place)
    return cabling.settle()


def _kind(system: str, port: str = "") -> ListedKind:
    return "host" if _HOST.match(system) or port.upper().startswith("HCA") else "switch"


def _port(label: str) -> str:
    """The port without the one chip of a plain switch: ``U1/P5`` is ``P5``."""
    return visible(_LONE_CHIP.sub("", label))
