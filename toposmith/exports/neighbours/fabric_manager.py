"""InfiniBand for its fabric managers: topology files (``.topo``), and the NDT of UFM's plugin.

Syntax of ``.topo``: the man page ibdm-topo-file(1) of ibutils, with the width and speed that
ibdiagnet and UFM write into the arrow. NDT: Mellanox/ufm_sdk_3.0, plugins/UFM_NDT_Plugin. Neither
holds a GUID.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence

from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.name_rules import NameRule
from toposmith.exports.subnet_files import Adapter, Subnet
from toposmith.leaving_text import CellWriter

TOPO_NAMES = NameRule("a topology file", signs="A-Za-z0-9._-", longest=128)
NDT_NAMES = NameRule("UFM", signs=r"A-Za-z0-9._:/ -", longest=128)
_NDT_HEAD = ("#StartDevice", "StartPort", "EndDevice", "EndPort", "LinkType")

# Lanes and their nominal Gb/s, as ibdiagnet names them; a half port has two lanes.
_WIDTHS = {10: "4x-2.5G", 20: "4x-5G", 40: "4x-10G", 56: "4x-14G", 100: "4x-25G", 200: "4x-50G",
           400: "4x-100G", 800: "4x-200G"}  # fmt: skip


def topology_file(cluster: DeviceInventory) -> Iterator[str]:
    """A topology file: every system with its ports, each link at both its ends."""
    subnet = _subnet(cluster)
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
    subnet = _subnet(cluster)
    names = cluster.device_names(NDT_NAMES)

    def end(node: str, port: int) -> tuple[str, str]:
        adapter = subnet.adapters.get(node)
        if adapter is None:
            return names[node], f"Port {port}"
        return names[adapter.host], f"{names[adapter.host]} mlx5_{adapter.number}"

    yield _row(_NDT_HEAD)
    for node in (*_by_host(subnet.adapters), *subnet.switches):
        is_host = node in subnet.adapters
        for link in subnet.links_of(node):
            alike = is_host == (link.peer in subnet.adapters)
            first = (node, link.port) < (link.peer, link.peer_port) if alike else is_host
            if first:
                yield _row((*end(node, link.port), *end(link.peer, link.peer_port), "Data"))


def _by_host(adapters: Mapping[str, Adapter]) -> list[str]:
    """Adapters host by host, in the order in which hosts are first met."""
    places: dict[str, int] = {}
    for adapter in adapters.values():
        places.setdefault(adapter.host, len(places))
    return sorted(adapters, key=lambda one: (places[adapters[one].host], adapters[one].number))


def _row(cells: Sequence[str]) -> str:
    held = io.StringIO(newline="")
    CellWriter(held).write_row(cells)
    return held.getvalue()


def _subnet(cluster: DeviceInventory) -> Subnet:
    subnet = Subnet(cluster.plan, cluster.design.schedule, cluster.progress)
    for words in subnet.lost:
        cluster.lose(words)
    return subnet
