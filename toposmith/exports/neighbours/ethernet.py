"""Ethernet exports for switch software: PTM's topology, SONiC's neighbours, a containerlab.

PTM: Prescriptive Topology Manager of Cumulus Linux, ``/etc/ptm.d/topology.dot``. SONiC: tables of
``config_db.json`` (sonic-buildimage, src/sonic-yang-models/doc/Configuration.md). containerlab:
its schema, ``schemas/clab.schema.json``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toposmith.catalog import Switch
from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_rows import (
    CableRow,
    ScheduledEnd,
)
from toposmith.exports.neighbours.device_inventory import DeviceInventory, NameRule
from toposmith.exports.neighbours.fabric_json import quoted
from toposmith.leaving_text import json_text
from toposmith.text import counted

HOST_NAMES = NameRule("PTM", signs="A-Za-z0-9._-", longest=64, same_case=True)
SONIC_NAMES = NameRule("SONiC", signs="A-Za-z0-9._-", longest=64, same_case=True)
LAB_NAMES = NameRule("containerlab", signs="A-Za-z0-9._-", longest=60, same_case=True)
PORT_NAMES = NameRule("PTM (ports)", signs="A-Za-z0-9._/-", longest=64)

_IMAGE = "alpine:3"

# What SONiC calls a neighbour (sonic-device_neighbor_metadata.yang).
_ROLES = ("LeafRouter", "SpineRouter", "CoreRouter")
_SERVER = "Server"


def ptm_topology(cluster: DeviceInventory) -> Iterator[str]:
    """``topology.dot``: which port leads where, for a check by LLDP."""
    _require_ethernet(cluster)
    names = cluster.device_names(HOST_NAMES)
    kinds = {one.name: "host" if not one.is_switch else "switch" for one in cluster.devices}
    yield "graph G {\n"
    for name, kind in kinds.items():
        yield f'  "{names[name]}" [role="{kind}"]\n'
    for row in _ethernet(cluster):
        ends = (f'"{names[end.node]}":{quoted(_port(cluster, end))}' for end in (row.a, row.z))
        yield f"  {' -- '.join(ends)}\n"
    yield "}\n"


def _port(cluster: DeviceInventory, end: ScheduledEnd) -> str:
    """A port as PTM takes it, without blanks."""
    taken = PORT_NAMES.name(end.port)
    if taken != end.port:
        cluster.lose("blanks in port names, which become hyphens")
    return taken


class _Cabled(NamedTuple):
    """A port of a switch that has a cable: its first lane, its cage, what is at the far end."""

    lane: int
    cage_lane: int
    breakout: int
    speed_gbit: int
    far: str
    far_port: str
    label: str


def sonic_neighbours(cluster: DeviceInventory) -> Iterator[str]:
    """For every Ethernet switch the tables of its ``config_db.json`` that depend on its cables.

    Raises
    ------
    ExportError
        If no Ethernet switch has a cable.
    """
    names = cluster.device_names(SONIC_NAMES)
    switches = {
        one.name: one.part
        for one in cluster.devices
        if isinstance(one.part, Switch) and one.part.protocol == "ethernet"
    }
    cabled: dict[str, list[_Cabled]] = defaultdict(list)
    for row in _ethernet(cluster):
        if row.a.node not in switches and row.z.node not in switches:
            cluster.lose("cables between two nodes")
        for own, far in ((row.a, row.z), (row.z, row.a)):
            if own.node in switches:
                cabled[own.node].append(_cabled(switches, own, far, row))
    if not cabled:
        raise ExportError("no Ethernet switch of the design has a cable")
    cluster.lose("lanes and aliases of ports, which the platform's port_config.ini has")
    roles = _roles(cluster)
    joint = "{\n"
    for switch in switches:
        table: dict[str, dict[str, Any]] = {
            "DEVICE_METADATA": {"localhost": {"hostname": names[switch]}},
            "BREAKOUT_CFG": {},
            "PORT": {},
            "DEVICE_NEIGHBOR": {},
            "DEVICE_NEIGHBOR_METADATA": {},
        }
        for held in sorted(cabled.pop(switch, ())):
            port, cage, name = f"Ethernet{held.lane}", f"Ethernet{held.cage_lane}", names[held.far]
            mode = f"{held.breakout}x{held.speed_gbit}G"
            table["BREAKOUT_CFG"][cage] = {"brkout_mode": mode}
            table["PORT"][port] = {
                "speed": str(held.speed_gbit * 1000),
                "admin_status": "up",
                "description": f"{name} {held.far_port} {held.label}",
            }
            table["DEVICE_NEIGHBOR"][port] = {"name": name, "port": held.far_port}
            table["DEVICE_NEIGHBOR_METADATA"][name] = {"type": roles[held.far]}
        yield f"{joint}{json_text(names[switch])}: {_compact(table)}"
        joint = ",\n"
    yield "\n}\n"


def _compact(table: dict[str, dict[str, Any]]) -> str:
    return json_text(table, separators=(",", ":"))


def _cabled(
    switches: Mapping[str, Switch], own: ScheduledEnd, far: ScheduledEnd, row: CableRow
) -> _Cabled:
    lanes = switches[own.node].cages.lanes
    cage_lane = own.place // own.breakout * lanes
    far_port = sonic_port(switches[far.node], far) if far.node in switches else far.port
    lane = _first_lane(switches[own.node], own)
    return _Cabled(lane, cage_lane, own.breakout, row.speed_gbit, far.node, far_port, row.label)


def _roles(cluster: DeviceInventory) -> dict[str, str]:
    """What SONiC calls each device: a server, or a router by its tier."""
    heights = cluster.design.planned.heights
    found: dict[str, str] = {}
    for one in cluster.devices:
        height = heights.get(one.group.name, 1) if one.is_switch else 0
        found[one.name] = _ROLES[min(height, len(_ROLES)) - 1] if height else _SERVER
    return found


def sonic_port(switch: Switch, end: ScheduledEnd) -> str:
    """A port of a switch as SONiC calls it: ``Ethernet`` and the first of its lanes."""
    return f"Ethernet{_first_lane(switch, end)}"


def _first_lane(switch: Switch, end: ScheduledEnd) -> int:
    cage, port = divmod(end.place, end.breakout)
    lanes = switch.cages.lanes
    return cage * lanes + port * max(lanes // end.breakout, 1)


def containerlab(cluster: DeviceInventory) -> Iterator[str]:
    """A lab of containers with a link for every cable; ports are ``eth1``, ``eth2`` and so on.

    Raises
    ------
    ExportError
        If there are no cables.
    """
    if not cluster.has_cables():
        raise ExportError("there are no cables, and containerlab wants at least one link")
    names = cluster.device_names(LAB_NAMES)
    heights = cluster.design.planned.heights
    tiers = ("server", "leaf", "spine", "superspine")
    lab = LAB_NAMES.title(cluster.name)
    yield "# Ports count from eth1 on every device; comments name the real ports.\n"
    yield f'name: "{lab}"\ntopology:\n  kinds:\n    linux:\n      image: {_IMAGE}\n  nodes:\n'
    for one in cluster.devices:
        if not one.group.port_groups:
            cluster.lose("devices without ports, such as NVLink switches")
            continue
        height = heights.get(one.group.name, 0) if one.is_switch else 0
        group = tiers[min(height, len(tiers) - 1)] if height or not one.is_switch else "switch"
        yield f'    "{names[one.name]}": {{kind: linux, group: {group}}}\n'
    yield "  links:\n"
    taken: dict[str, int] = defaultdict(int)
    for row in cluster.connections():
        ends = []
        for end in (row.a, row.z):
            taken[end.node] += 1
            ends.append(f'"{names[end.node]}:eth{taken[end.node]}"')
        shown = f"{row.label}: {row.a.port} to {row.z.port}".replace("\n", " ")
        yield f"    - {{endpoints: [{', '.join(ends)}]}}  # {shown}\n"


def _ethernet(cluster: DeviceInventory) -> Iterator[CableRow]:
    left_out = 0
    for row in cluster.connections():
        if row.protocol == "ethernet":
            yield row
        else:
            left_out += 1
    if left_out:
        cluster.lose(counted(left_out, "InfiniBand cable"))


def _require_ethernet(cluster: DeviceInventory) -> None:
    if not cluster.has_cables("ethernet"):
        raise ExportError("the design has no Ethernet cables; this form is for Ethernet alone")
