"""The links that a cut goes through, named and counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Hashable, Mapping

from toposmith.topology.analysis.result import CutLink
from toposmith.topology.fabric.classes import ClassGraph

PER_GBPS = 1000
"""Capacities are whole MB/s, so that cuts are exact."""


def cut_links(
    classes: ClassGraph, inside: Container[Hashable], labels: Mapping[int, str]
) -> tuple[CutLink, ...]:
    """The links between a set of classes and the rest: how many of each, and their rate."""
    counted: dict[tuple[str, int | None, float], int] = defaultdict(int)
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if (u in inside) != (v in inside):
            link = data["link"]
            tier = key if isinstance(key, str) else key[0] if link is None else ""
            # a rack's NVLinks are named by their GPUs, whichever end comes first
            group = v[1] if u[0] == "device" else u[1]
            name = labels[link] if link is not None else inside_name(group, tier)
            counted[name, link, data["GBps"]] += classes.cables(u, v, key)
    return tuple(
        CutLink(name, index, cables, rate) for (name, index, rate), cables in counted.items()
    )


INSIDE_NAMES = {
    "nvlink": "NVLink",
    "pcie": "PCIe",
    "socket": "sockets",
    "adapter": "NIC",
    "node": "NIC",
}


def inside_name(group: str, tier: str) -> str:
    """The name of a link class inside a node: ``node NVLink``."""
    return f"{group} {INSIDE_NAMES[tier]}"
