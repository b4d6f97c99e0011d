"""The whole fabric as JSON, device by device and cable by cable, for any other tool.

The schema is ``fabric.schema.json`` beside this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toposmith.exports.cable_schedule.schedule_rows import ScheduledEnd
from toposmith.exports.neighbours.device_inventory import DeviceInventory, InventoryDevice
from toposmith.leaving_text import json_text
from toposmith.plain_text import visible
from toposmith.racks.connections import coordinates

FABRIC_VERSION = 1


def fabric_json(cluster: DeviceInventory) -> Iterator[str]:
    """One object: what it is of, its devices, its connections; a line for each of these."""
    head = {
        "toposmith_fabric": FABRIC_VERSION,
        "design": cluster.design.design.name,
        "design_sha256": cluster.design.digest,
    }
    yield _line(head)[:-1] + ',\n"devices": ['
    joint = "\n"
    for device in cluster.devices:
        yield joint + _line(_device(device))
        joint = ",\n"
    yield '\n],\n"connections": ['
    joint = "\n"
    for row in cluster.connections():
        yield joint + _line(
            {
                "label": row.label,
                "cable": row.cable,
                "a": _end(row.a),
                "z": _end(row.z),
                "protocol": row.protocol,
                "speed_gbit": row.speed_gbit,
                "rail": row.rail,
                "part": row.part,
                "part_number": row.part_number,
                "medium": row.medium,
                "length_m": row.length_m,
            }
        )
        joint = ",\n"
    yield "\n]\n}\n"


def _device(device: InventoryDevice) -> dict[str, Any]:
    group = device.group
    axes = zip(group.axes, coordinates(group, device.number), strict=True)
    known = {"facts": device.facts} if device.facts else {}
    return known | {
        "name": device.name,
        "group": group.name,
        "at": dict(axes),
        "kind": device.kind,
        "part": group.spec.part,
        "gpus": group.node.gpus if group.node else None,
        "rack": device.rack,
        "unit": device.unit,
    }


def _end(end: ScheduledEnd) -> dict[str, Any]:
    return {"device": end.node, "port": end.port, "module": end.module}


def _line(value: dict[str, Any]) -> str:
    return json_text(value, separators=(", ", ": "))


# The fabric device by device as a graph for Graphviz, with the ports at both ends.


def dot(cluster: DeviceInventory) -> Iterator[str]:
    """Lines of DOT for Graphviz, the ports as text at both ends of each connection."""
    yield f"graph {quoted(cluster.name)} {{\n"
    for one in cluster.devices:
        yield f"  {quoted(one.name)} [group={quoted(one.group.name)}]\n"
    for row in cluster.connections():
        yield (
            f"  {quoted(row.a.node)} -- {quoted(row.z.node)} [label={quoted(row.label)} "
            f"taillabel={quoted(row.a.port)} headlabel={quoted(row.z.port)}]\n"
        )
    yield "}\n"


def quoted(text: str) -> str:
    """A text in quotes, as DOT reads it."""
    shown = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'
