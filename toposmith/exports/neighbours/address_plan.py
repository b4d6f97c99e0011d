"""An addressing plan over the cable schedule: a subnet for each rail, or a /31 for each cable.

Two point-to-point addresses a cable: RFC 3021. Prefixes: NetBox, ipam/forms/bulk_import.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network
from operator import itemgetter
from typing import NamedTuple

from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_rows import CableRow, ScheduledEnd
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.leaving_text import csv_pieces

SPACE = IPv4Network("10.0.0.0/8")
"""What addresses are taken from, from the lowest on."""

_GATEWAY = 1
_TAKEN = 3  # the network itself, its gateway, its broadcast

_HEAD = ("Network", "Prefix", "Address", "Device", "Port", "Protocol", "Label")
_NETBOX_HEAD = ("prefix", "status", "description")


class AddressedPorts(NamedTuple):
    """A prefix with what it is of, and the ends that have addresses in it, lowest first."""

    prefix: IPv4Network
    words: str
    first: int
    ends: list[tuple[ScheduledEnd, CableRow]]


def _rails(cluster: DeviceInventory) -> Iterator[AddressedPorts]:
    """For every rail of a network the ports of its nodes, all subnets of one size.

    Where leaves are no rails each port of a node is in a subnet of its own, so that no host has
    two addresses in one.
    """
    held: dict[tuple[str, str, int], list[tuple[ScheduledEnd, CableRow]]] = defaultdict(list)
    for row in cluster.connections():
        for end, of in ((row.a, row.link.a), (row.z, row.link.b)):
            if end.kind == "Host":
                kind = "port" if row.rail is None else "rail"
                number = end.place if row.rail is None else row.rail
                held[of.ports or "nodes", kind, number].append((end, row))
    if not held:
        raise ExportError("no node has a cable, and rails are those of nodes")
    bits = (max(map(len, held.values())) + _TAKEN - 1).bit_length()
    for number, ((ports, kind, rail), ends) in enumerate(sorted(held.items(), key=itemgetter(0))):
        words = f"{ports}, {kind} {rail}"
        yield AddressedPorts(_prefix(number, bits), words, _GATEWAY + 1, ends)


def _cables(cluster: DeviceInventory) -> Iterator[AddressedPorts]:
    """Every Ethernet cable, both of whose ends are routed."""
    number = 0
    for row in cluster.connections():
        if row.protocol != "ethernet":
            cluster.lose("InfiniBand cables, which are not routed by IP")
            continue
        words = f"{row.label}: {row.a.node} {row.a.port} - {row.z.node} {row.z.port}"
        yield AddressedPorts(_prefix(number, 1), words, 0, [(row.a, row), (row.z, row)])
        number += 1
    if not number:
        raise ExportError("the design has no Ethernet cable")


def _prefix(number: int, bits: int) -> IPv4Network:
    start = int(SPACE.network_address) + (number << bits)
    if start + (1 << bits) - 1 > int(SPACE.broadcast_address):
        raise ExportError(f"more addresses than {SPACE} has")
    return IPv4Network((start, 32 - bits))


def _addresses(subnets: Iterable[AddressedPorts]) -> Iterator[str]:
    rows = (
        (net.words, net.prefix, net.prefix[net.first + number],
         end.node, end.port, row.protocol, row.label)
        for net in subnets for number, (end, row) in enumerate(net.ends)
    )  # fmt: skip
    return csv_pieces(_HEAD, rows)


def _netbox(subnets: Iterable[AddressedPorts]) -> Iterator[str]:
    return csv_pieces(_NETBOX_HEAD, ((net.prefix, "reserved", net.words) for net in subnets))


def rail_addresses(cluster: DeviceInventory) -> Iterator[str]:
    """The address of each port of a node, a subnet for each rail."""
    return _addresses(_rails(cluster))


def rail_prefixes(cluster: DeviceInventory) -> Iterator[str]:
    """These subnets as NetBox imports them."""
    return _netbox(_rails(cluster))


def routed_addresses(cluster: DeviceInventory) -> Iterator[str]:
    """The addresses of both ends of each Ethernet cable, a /31 for each."""
    return _addresses(_cables(cluster))


def routed_prefixes(cluster: DeviceInventory) -> Iterator[str]:
    """These /31 as NetBox imports them."""
    return _netbox(_cables(cluster))
