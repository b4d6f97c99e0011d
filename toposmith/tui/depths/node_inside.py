"""What is inside a node, in tiers: NVLink, GPUs, PCIe switches, NICs, CPU sockets.

Columns follow the PCIe switches; devices on a socket's own root ports have a column as well.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from toposmith.catalog import Catalog
from toposmith.fabric.inside import InsideEdge, Vertex, inside_edges
from toposmith.fabric.plan import GroupPlan

NOWHERE: Vertex = ("nowhere",)
"""The vertex of NICs whose slot the part does not place."""


@dataclass(frozen=True)
class Hub:
    """A PCIe switch, the root ports of a socket, or nothing known, with the devices on it.

    Parameters
    ----------
    vertex : Vertex
        ``("pcie", n)`` for a switch, ``("cpu", s)`` for root ports.
    socket : int
        The CPU socket at its root.
    above : Vertex or None
        What its uplink leads to; root ports have none.
    uplink_GBps : float
        GB/s of the uplink in one direction.
    gpus, slots : tuple of Vertex
        The devices on it.
    """

    vertex: Vertex
    socket: int
    above: Vertex | None
    uplink_GBps: float
    gpus: tuple[Vertex, ...]
    slots: tuple[Vertex, ...]

    @property
    def columns(self) -> int:
        """How many stand side by side."""
        return max(len(self.gpus), len(self.slots), 1)


@dataclass(frozen=True)
class Inside:
    """The inside of a node, and GB/s of one direction between two of its vertices."""

    hubs: tuple[Hub, ...]
    sockets: tuple[int, ...]
    edges: tuple[InsideEdge, ...]
    nvlink: tuple[InsideEdge, ...]
    behind_nvswitch: bool

    def rate(self, vertex: Vertex, tier: str) -> float:
        """GB/s of one direction of all links of this tier at a vertex."""
        return sum(e.GBps for e in self.edges if e.tier == tier and vertex in (e.a, e.b))


def read_inside(group: GroupPlan, catalog: Catalog) -> Inside | None:
    """The inside of one node of the group, with its NICs as fitted; None for what is no node."""
    edges = inside_edges(group, catalog)
    if group.node is None or not edges:
        return None
    up: dict[Vertex, InsideEdge] = {}
    below: dict[Vertex, list[Vertex]] = defaultdict(list)
    for edge in edges:
        if edge.tier in ("pcie", "adapter"):
            up[edge.a] = edge
            below[edge.b].append(edge.a)
    hubs = [
        _hub(vertex, up, below)
        for vertex in {*(v for v in up if v[0] == "pcie"), *below}
        if vertex[0] == "pcie" or any(v[0] != "pcie" for v in below[vertex])
    ]
    placed = {edge.a for edge in edges}
    loose = tuple(
        ("slot", name, slot)
        for name, ports in group.port_groups.items()
        for slot in range(ports.nics)
        if ("slot", name, slot) not in placed
    )
    if loose:
        hubs.append(Hub(NOWHERE, group.node.sockets, None, 0.0, (), loose))
    hubs.sort(key=lambda hub: (hub.socket, hub.vertex[0] == "cpu", hub.vertex))
    nvlink = tuple(edge for edge in edges if edge.tier == "nvlink")
    behind = any(("nvswitch",) in (edge.a, edge.b) for edge in nvlink)
    return Inside(tuple(hubs), tuple(range(group.node.sockets)), edges, nvlink, behind)


def _hub(vertex: Vertex, up: dict[Vertex, InsideEdge], below: dict[Vertex, list[Vertex]]) -> Hub:
    root = vertex
    while root[0] != "cpu":
        root = up[root].b
    edge = up.get(vertex)
    gpus = tuple(sorted(v for v in below[vertex] if v[0] == "gpu"))
    slots = tuple(v for v in below[vertex] if v[0] == "slot")
    return Hub(
        vertex,
        int(root[1]),
        edge.b if edge else None,
        edge.GBps if edge else 0.0,
        gpus,
        slots,
    )
