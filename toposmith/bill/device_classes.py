"""Connections at every device, by link; absent devices are left out.

A connection is one port joined to one port; a cable may carry several of them. Equivalent devices
are one class, so that a group of 100,000 nodes takes no longer than one of ten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from toposmith.fabric.classes import base_graph
from toposmith.fabric.plan import Plan


@dataclass(frozen=True)
class DeviceClass:
    """Equivalent devices of one group.

    Parameters
    ----------
    devices : int
        How many there are.
    connections : mapping of int to int
        Connections that end at each of them, by the index of the link.
    slots : mapping of (int, int) to int
        For a node: connections on each NIC, by the index of the link and the number of the slot.
    """

    devices: int
    connections: Mapping[int, int]
    slots: Mapping[tuple[int, int], int]


def device_classes(plan: Plan) -> dict[str, list[DeviceClass]]:
    """The devices that are there with their connections, for every group of the design."""
    graph = base_graph(plan, without_down=False).graph
    found: dict[str, list[DeviceClass]] = {name: [] for name in plan.groups}
    for vertex, data in graph.nodes(data=True):
        if vertex[0] == "device":
            found[data["group"]].append(_fan(graph, vertex, data["size"]))
    return found


def _fan(graph: nx.MultiGraph, vertex: tuple[Any, ...], devices: int) -> DeviceClass:
    _, group, cells = vertex
    connections = _at(graph, vertex)
    slots: Counter[tuple[int, int]] = Counter()
    for nic in graph.neighbors(vertex):
        if nic[0] == "nic" and nic[1] == group and nic[3] == cells:
            for link, cables in _at(graph, nic).items():
                for slot in graph.nodes[nic]["slots"]:
                    slots[link, slot] += cables
                    connections[link] += cables
    return DeviceClass(devices, connections, slots)


def _at(graph: nx.MultiGraph, vertex: tuple[Any, ...]) -> Counter[int]:
    """Connections at one member of a class, by link."""
    connections: Counter[int] = Counter()
    for _, _, edge in graph.edges(vertex, data=True):
        if edge["link"] is not None:
            connections[edge["link"]] += edge["per"][vertex]
    return connections
