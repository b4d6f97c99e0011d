"""The links that a cut goes through, named and counted."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping
from dataclasses import replace

from toposmith.analysis.result import CutLink
from toposmith.cancellation import go_on
from toposmith.fabric.classes import ClassGraph
from toposmith.fabric.inside import InsideEdge

PER_GBPS = 1000
"""Capacities are whole MB/s, so that cuts are exact."""


def cut_links(
    classes: ClassGraph, inside: Container[Hashable], labels: Mapping[int, str]
) -> tuple[CutLink, ...]:
    """The links between a set of classes and the rest: how many of each, and their rate."""
    found: list[CutLink] = []
    go_on(2 * len(classes.graph.edges))
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if (u in inside) != (v in inside):
            link = data["link"]
            tier = key if isinstance(key, str) else key[0] if link is None else ""
            # a rack's NVLinks are named by their GPUs, whichever end comes first
            group = v[1] if u[0] == "device" else u[1]
            name = labels[link] if link is not None else inside_name(group, tier)
            ends = frozenset((u[0], v[0]))
            found.append(CutLink(name, link, classes.cables(u, v, key), data["GBps"], ends))
    return added(found)


def added(links: Iterable[CutLink]) -> tuple[CutLink, ...]:
    """Links of one name and rate merged, with their counts added."""
    found: dict[tuple[str, int | None, float], CutLink] = {}
    for link in links:
        key = (link.link, link.index, link.capacity_GBps)
        one = found.get(key)
        if one is not None:
            link = replace(link, cables=one.cables + link.cables, ends=one.ends | link.ends)
        found[key] = link
    return tuple(found.values())


INSIDE_NAMES = {
    "nvlink": "NVLink",
    "pcie": "PCIe",
    "socket": "sockets",
    "adapter": "NIC",
    "node": "NIC",
}


def kinds_of_ends(edge: InsideEdge) -> frozenset[str]:
    """The kinds of vertices that a link inside a node joins; a slot counts as its NIC."""
    return frozenset("nic" if end[0] == "slot" else str(end[0]) for end in (edge.a, edge.b))


def inside_name(group: str, tier: str) -> str:
    """The name of a link class inside a node: ``node NVLink``."""
    return f"{group} {INSIDE_NAMES[tier]}"
