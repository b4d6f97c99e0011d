"""Text of subnets: ibnetdiscover, its port list, and the net files of ibsim."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedEnd,
    ListedKind,
    UnreadableError,
)
from toposmith.as_built.dump_names import (
    AGGREGATION,
    host_of,
    is_generic,
    key_of,
    switch_of,
)
from toposmith.design.safe_text import shown
from toposmith.foreign_values import whole_number
from toposmith.plain_text import visible
from toposmith.text import counted

# Nominal Gb/s of one lane, InfiniBand Architecture Specification: SDR 2.5 to XDR 200.
LANE_GBIT = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.0, "FDR": 14.0625, "EDR": 25.0, "HDR": 50.0,
    "NDR": 100.0, "XDR": 200.0,
}  # fmt: skip

_HEAD = re.compile(r'^\s*(Switch|Ca|Rt)\s*(\d+)\s*"([SHR]-[0-9a-fA-F]+)"\s*(?:#\s*(.*))?$')
_PORT = re.compile(
    r'^\s*\[(\d+)\]\s*(?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*"([SHR]-[0-9a-fA-F]+)"\s*\[(\d+)\]'
    r"\s*(?:\[ext \d+\])?(?:\([0-9a-fA-F]+\))?\s*(?:#\s*(.*))?$"
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
