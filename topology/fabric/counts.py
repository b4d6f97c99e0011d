"""How many devices, NICs and cables a design has, less what is absent: what there is to buy."""

from __future__ import annotations

from collections import defaultdict

from toposmith.topology.fabric.classes import base_graph
from toposmith.topology.fabric.once import once
from toposmith.topology.fabric.plan import Plan


@once
def device_counts(plan: Plan) -> dict[str, int]:
    """Devices per group; what is down counts, what is absent does not."""
    graph = base_graph(plan, with_down=False).graph
    counts = dict.fromkeys(plan.groups, 0)
    for vertex, data in graph.nodes(data=True):
        if vertex[0] == "device":
            counts[data["group"]] += data["size"]
    return counts


@once
def cable_counts(plan: Plan) -> dict[int, int]:
    """Cables per link, by the link's index; cables to absent devices do not count."""
    graph = base_graph(plan, with_down=False).graph
    counts: dict[int, int] = defaultdict(int, {link.index: 0 for link in plan.links})
    for u, _, data in graph.edges(data=True):
        if data["link"] is not None:
            counts[data["link"]] += graph.nodes[u]["size"] * data["per"][u]
    return dict(counts)
