"""InfiniBand for its tools: topology files, UFM's NDT, ibsim's net file, text of ibnetdiscover."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import NamedTuple

from toposmith.errors import ToposmithError
from toposmith.exports.cable_schedule.schedule_rows import Schedule, ScheduledEnd
from toposmith.exports.neighbours.device_inventory import DeviceInventory, NameRule
from toposmith.fabric.plan import Plan
from toposmith.leaving_text import csv_pieces
from toposmith.plain_text import visible
from toposmith.racks.locked_devices import device_names, locked_facts
from toposmith.text import counted

# Rate names by Gb/s of four lanes; those of a half port have two.
_SPEEDS = {10: "4xSDR", 20: "4xDDR", 40: "4xQDR", 56: "4xFDR", 100: "4xEDR", 200: "4xHDR",
           400: "4xNDR", 800: "4xXDR"}  # fmt: skip

_FIRST_SWITCH, _FIRST_HOST = 0x200000, 0x100000
_GUID = re.compile(r"0x[0-9a-f]{1,16}")


_MOST_PORTS = 1 << 12
"""Ports of one node, switch or adapter, at most: so that node and port are one figure."""


class SubnetLink(NamedTuple):
    """A link from one of its ends: the port there, the node and port at the other, Gb/s."""

    port: int
    peer: str
    peer_port: int
    speed_gbit: int


class Adapter(NamedTuple):
    """An adapter of a host: the host, and which of its adapters it is, from 0."""

    host: str
    number: int


class Subnet:
    """Nodes and links of the InfiniBand cables of a design, as a subnet manager sees them.

    Parameters
    ----------
    cluster : DeviceInventory
        The design; the cables of Ethernet are noted there as lost.

    Attributes
    ----------
    switches : dict of str to int
        Ports of every switch.
    adapters : dict of str to Adapter
        Every adapter by its description, ``node-3 mlx5_0``; each has one port.
    left_out : int
        Cables of Ethernet and NVLink, which are not here.
    guids : dict of str to list of int
        By switch or host, those that the lock has: one, or that of each adapter.
    """

    def __init__(self, cluster: DeviceInventory) -> None:
        plan = cluster.plan
        self.switches: dict[str, int] = {}
        self.adapters: dict[str, Adapter] = {}
        self.left_out = 0
        self.guids = _known_guids(plan)
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._links: dict[int, int] = {}
        self._speeds: dict[int, int] = {}
        self._by_port: dict[tuple[str, str], str] = {}
        self._adapters_of: dict[str, int] = {}
        natives = _switches(plan)
        wide = _with_split_ports(plan, cluster.design.schedule, natives)
        for row in cluster.connections():
            if row.protocol != "infiniband":
                self.left_out += 1
                continue
            a, z = (self._port(end, natives, wide) for end in (row.a, row.z))
            self._links[a], self._links[z] = z, a
            self._speeds[a] = self._speeds[z] = row.speed_gbit
        if not self._links:
            raise ToposmithError(
                f"the design has no InfiniBand cables ({self.left_out} of others); this form is "
                "for InfiniBand alone"
            )
        if self.left_out:
            cluster.lose(counted(self.left_out, "Ethernet cable"))

    def _port(self, end: ScheduledEnd, natives: dict[str, tuple[int, int]], wide: set[str]) -> int:
        """Node and port as one figure."""
        node = visible(end.node)
        if end.kind == "Switch":
            ports, native = natives[end.node]
            split = end.node in wide
            self.switches.setdefault(node, ports * (2 if split else 1))
            return self._end(node, port_number(end.place, end.breakout, native, split=split))
        known = self._by_port.get((node, end.port))
        if known is None:
            number = self._adapters_of.get(node, 0)
            self._adapters_of[node] = number + 1
            known = self._by_port[node, end.port] = f"{node} mlx5_{number}"
            self.adapters[known] = Adapter(node, number)
        return self._end(known, 1)

    def _end(self, node: str, port: int) -> int:
        number = self._numbers.setdefault(node, len(self._names))
        if number == len(self._names):
            self._names.append(node)
        return number * _MOST_PORTS + port

    def links_of(self, node: str) -> Iterator[SubnetLink]:
        """The links of a node, by port."""
        base = self._numbers[node] * _MOST_PORTS
        for port in range(1, self.switches.get(node, 1) + 1):
            peer = self._links.get(base + port)
            if peer is not None:
                yield SubnetLink(
                    port,
                    self._names[peer // _MOST_PORTS],
                    peer % _MOST_PORTS,
                    self._speeds[base + port],
                )

    def adapters_of(self, host: str) -> int:
        """How many adapters a host has here."""
        return self._adapters_of[host]


def ibsim_lines(cluster: DeviceInventory) -> Iterator[str]:
    """A net file of ibsim (its ``net-examples``): every node, and every link at both its ends."""
    subnet = Subnet(cluster)
    yield from _left_out(subnet)
    for node in (*subnet.switches, *subnet.adapters):
        ports = subnet.switches.get(node)
        yield f'Switch {ports} "{_quoted(node)}"\n' if ports else f'Hca 1 "{_quoted(node)}"\n'
        for link in subnet.links_of(node):
            yield f'[{link.port}] "{_quoted(link.peer)}"[{link.peer_port}]\n'
        yield "\n"


def ibnetdiscover_lines(cluster: DeviceInventory) -> Iterator[str]:
    """What ibnetdiscover would print of this subnet, with addresses and LIDs counted up."""
    subnet = Subnet(cluster)
    hosts = list(subnet.adapters)
    addresses = _addresses(subnet)
    lids = {node: place for place, node in enumerate((*subnet.switches, *hosts), 1)}
    switches = subnet.switches
    yield "#\n# Topology file: generated by toposmith\n#\n"
    yield from _left_out(subnet)
    for node, ports in switches.items():
        guid = addresses[node]
        yield f"\nvendid=0x0\ndevid=0x0\nsysimgguid=0x{guid:x}\nswitchguid=0x{guid:x}({guid:x})\n"
        yield (
            f'Switch\t{ports} "S-{guid:016x}"\t\t# "{_quoted(node)}" base port 0 '
            f"lid {lids[node]} lmc 0\n"
        )
        for link in subnet.links_of(node):
            far = addresses[link.peer]
            is_switch = link.peer in switches
            port = "" if is_switch else f"({far + 1:x})"
            letter = "S" if is_switch else "H"
            yield (
                f'[{link.port}]\t"{letter}-{far:016x}"[{link.peer_port}]{port} \t\t# '
                f'"{_quoted(link.peer)}" lid {lids[link.peer]} {_rate(link.speed_gbit)}\n'
            )
    for name in hosts:
        guid = addresses[name]
        yield f"\nvendid=0x0\ndevid=0x0\nsysimgguid=0x{guid:x}\ncaguid=0x{guid:x}\n"
        yield f'Ca\t1 "H-{guid:016x}"\t\t# "{_quoted(name)}"\n'
        for link in subnet.links_of(name):
            far = addresses[link.peer]
            letter = "S" if link.peer in switches else "H"
            yield (
                f'[{link.port}]({guid + 1:x}) \t"{letter}-{far:016x}"[{link.peer_port}]\t\t# '
                f'lid {lids[name]} lmc 0 "{_quoted(link.peer)}" '
                f"lid {lids[link.peer]} {_rate(link.speed_gbit)}\n"
            )


def _addresses(subnet: Subnet) -> dict[str, int]:
    """The GUID of every switch and adapter: that of the lock, else one counted up."""
    taken = {guid for held in subnet.guids.values() for guid in held}
    switches = (guid for guid in count(_FIRST_SWITCH) if guid not in taken)
    hosts = (guid for guid in count(_FIRST_HOST, 16) if guid not in taken)
    addresses: dict[str, int] = {}
    for node in subnet.switches:
        known = subnet.guids.get(node, [])
        addresses[node] = known[0] if known else next(switches)
    for name, adapter in subnet.adapters.items():
        known = subnet.guids.get(adapter.host, [])
        addresses[name] = known[adapter.number] if adapter.number < len(known) else next(hosts)
    return addresses


def _known_guids(plan: Plan) -> dict[str, list[int]]:
    """The GUIDs of devices by name that the lock has; of a host those of its adapters."""
    known: dict[str, list[int]] = {}
    for name in plan.groups:
        named = device_names(plan, name)
        for number, facts in locked_facts(plan, name).items():
            texts = facts.get("guid", "").split(",")
            if all(_GUID.fullmatch(text) for text in texts):
                known[visible(named(number))] = sorted(int(text, 16) for text in texts)
    return known


def _left_out(subnet: Subnet) -> Iterator[str]:
    if subnet.left_out:
        yield f"# {counted(subnet.left_out, 'Ethernet cable', 'are')} not here\n"


def _with_split_ports(
    plan: Plan, schedule: Schedule, natives: dict[str, tuple[int, int]]
) -> set[str]:
    """The switches of which any cage in use is split beyond its native mode."""
    switches = [end for link in plan.every_link for end in (link.a, link.b) if not end.ports]
    known = ((end, plan.groups[end.group].switch) for end in switches)
    if not any(part is not None and end.breakout > part.native.ports for end, part in known):
        return set()
    return {
        end.node
        for row in schedule
        for end in (row.a, row.z)
        if end.kind == "Switch" and end.breakout > natives[end.node][1]
    }


def port_number(place: int, breakout: int, native: int, *, split: bool) -> int:
    """The number that a subnet manager counts a port of a switch by, from 1.

    Parameters
    ----------
    place : int
        The port by cage, then port in the cage, from 0.
    breakout : int
        Ports of its cage in the mode that it runs.
    native : int
        Ports of a cage that is not split.
    split : bool
        Whether the switch runs split ports: each port then counts as two.
    """
    cage, port = divmod(place, breakout)
    leg = 0
    if breakout > native:
        port, leg = divmod(port, breakout // native)
    number = cage * native + port
    return 2 * number + leg + 1 if split else number + 1


def _switches(plan: Plan) -> dict[str, tuple[int, int]]:
    """Ports of each switch by name, and ports of each of its cages."""
    known: dict[str, tuple[int, int]] = {}
    for name, group in plan.groups.items():
        if group.switch is None:
            continue
        named, native = device_names(plan, name), group.switch.native.ports
        for number in range(group.instances):
            known[named(number)] = (group.switch.cages.count * native, native)
    return known


def _rate(speed_gbit: int) -> str:
    return _SPEEDS.get(speed_gbit, f"4xSDR speed {speed_gbit}")


def _quoted(name: str) -> str:
    return name.replace('"', "'")


TOPO_NAMES = NameRule("a topology file", signs="A-Za-z0-9._-", longest=128)
NDT_NAMES = NameRule("UFM", signs=r"A-Za-z0-9._:/ -", longest=128)
_NDT_HEAD = ("#StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")

# Lanes and their nominal Gb/s, as ibdiagnet names them; a half port has two lanes.
_WIDTHS = {10: "4x-2.5G", 20: "4x-5G", 40: "4x-10G", 56: "4x-14G", 100: "4x-25G", 200: "4x-50G",
           400: "4x-100G", 800: "4x-200G"}  # fmt: skip


def topology_file(cluster: DeviceInventory) -> Iterator[str]:
    """A topology file: every system with its ports, each link at both its ends."""
    subnet = Subnet(cluster)
    names = cluster.device_names(TOPO_NAMES)
    types = {one.name: one.part.part_number or one.part.id for one in cluster.of_kind("switch")
             if one.part}  # fmt: skip

    def system(node: str) -> str:
        adapter = subnet.adapters.get(node)
        if adapter is None:
            return f"{types[node].split('-')[0].replace(' ', '_')} {names[node]}"
        return f"HCA_{subnet.adapters_of(adapter.host)} {names[adapter.host]}"

    def port(node: str, number: int) -> str:
        adapter = subnet.adapters.get(node)
        return f"P{number}" if adapter is None else f"mlx5_{adapter.number}/P1"

    yield "# InfiniBand topology, written by toposmith\n"
    host = ""
    for node in (*subnet.switches, *_by_host(subnet.adapters)):
        adapter = subnet.adapters.get(node)
        if adapter is None or adapter.host != host:
            yield f"\n{system(node)}\n"
        host = adapter.host if adapter else ""
        for link in subnet.links_of(node):
            width = _WIDTHS.get(link.speed_gbit)
            arrow = f"-{width}->" if width else "->"
            yield (
                f"    {port(node, link.port)} {arrow} {system(link.peer)} "
                f"{port(link.peer, link.peer_port)}\n"
            )


def ndt(cluster: DeviceInventory) -> Iterator[str]:
    """UFM's NDT: each cable once, those of hosts first."""
    subnet = Subnet(cluster)
    names = cluster.device_names(NDT_NAMES)

    def end(node: str, port: int) -> tuple[str, str]:
        adapter = subnet.adapters.get(node)
        if adapter is None:
            return names[node], f"Port {port}"
        return names[adapter.host], f"{names[adapter.host]} mlx5_{adapter.number}"

    def rows() -> Iterator[tuple[str, ...]]:
        for node in (*_by_host(subnet.adapters), *subnet.switches):
            is_host = node in subnet.adapters
            for link in subnet.links_of(node):
                alike = is_host == (link.peer in subnet.adapters)
                first = (node, link.port) < (link.peer, link.peer_port) if alike else is_host
                if first:
                    yield *end(node, link.port), *end(link.peer, link.peer_port), "Data"

    return csv_pieces(_NDT_HEAD, rows())


def _by_host(adapters: Mapping[str, Adapter]) -> list[str]:
    """Adapters host by host, in the order in which hosts are first met."""
    places: dict[str, int] = {}
    for adapter in adapters.values():
        places.setdefault(adapter.host, len(places))
    return sorted(adapters, key=lambda one: (places[adapters[one].host], adapters[one].number))
