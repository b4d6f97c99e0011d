"""The fabric device by device as a graph for Graphviz, with the ports at both ends."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.plain_text import visible


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
