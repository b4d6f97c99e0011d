"""Counts of devices, NICs and cables of a design without absent ones: what has to be bought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import partial
from math import prod

from toposmith.catalog.part_text import link_noun
from toposmith.fabric.classes import base_graph
from toposmith.fabric.once import once
from toposmith.fabric.plan import LinkPlan, NvlinkLink, Plan
from toposmith.text import counted


@once
def device_counts(plan: Plan) -> dict[str, int]:
    """Devices per group; what is down counts, what is absent does not."""
    if not plan.absent:
        return {name: group.instances for name, group in plan.groups.items()}
    graph = base_graph(plan, without_down=False).graph
    counts = dict.fromkeys(plan.groups, 0)
    for vertex, data in graph.nodes(data=True):
        if vertex[0] == "device":
            counts[data["group"]] += data["size"]
    return counts


@once
def cable_counts(plan: Plan) -> dict[int, int]:
    """Cables per link, by the link's index; cables to absent devices do not count."""
    if not (plan.absent or plan.single_cables) and all(map(partial(_has_ports, plan), plan.links)):
        return {link.index: _dealt(plan, link) for link in plan.every_link}
    classes = base_graph(plan, without_down=False)
    counts: dict[int, int] = defaultdict(int, {link.index: 0 for link in plan.every_link})
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] is not None:
            counts[data["link"]] += classes.cables(u, v, key)
    return dict(counts)


@once
def standing_cable_counts(plan: Plan) -> dict[int, int]:
    """Cables per link less what is absent and what is down, by the link's index."""
    if not plan.down:
        return cable_counts(plan)
    classes = base_graph(plan)
    counts = dict.fromkeys(cable_counts(plan), 0)
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] is not None:
            counts[data["link"]] += classes.cables(u, v, key)
    return counts


def _has_ports(plan: Plan, link: LinkPlan) -> bool:
    """Whether nodes have a port for each cable that a link deals to them."""
    return all(
        end.first_port + link.cables_at(end.group)
        <= plan.groups[end.group].port_groups[end.ports].ports
        for end in link.ends
        if end.ports
    )


def _dealt(plan: Plan, link: LinkPlan) -> int:
    """The cables of a link to devices that are all there."""
    devices = plan.groups[link.a.group].instances
    if link.bundle:
        (sets,) = (plan.size(axis) for axis, word in link.along if word == "other")
        members = prod(plan.size(axis) for axis, word in link.along if word == "dealt")
        ends = devices // members * (sets - 1) * link.bundle
    else:
        ends = devices * link.cables_at(link.a.group)
    return ends // 2 if link.is_self else ends


@once
def slow_cable_counts(plan: Plan) -> dict[int, dict[float, int]]:
    """Cables that run below the speed of their link, by the link's index and their GB/s.

    What is down has no speed.
    """
    if not plan.slow:
        return {}
    line = {link.index: link.line_GBps for link in plan.every_link}
    classes = base_graph(plan)
    counts: dict[int, dict[float, int]] = defaultdict(lambda: defaultdict(int))
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] is not None and data["GBps"] < line[data["link"]]:
            counts[data["link"]][data["GBps"]] += classes.cables(u, v, key)
    return {index: dict(sorted(rates.items())) for index, rates in counts.items()}


def slow_at(plan: Plan, *links: int) -> int:
    """The number of slow cables of some links; of all links where none is named."""
    slow = slow_cable_counts(plan)
    return sum(sum(slow.get(index, {}).values()) for index in links or slow)


def many_cables_words(plan: Plan, link: LinkPlan, cables: int) -> str:
    """The cables of a link: ``64 x 400 Gb/s``, and how many of them run slow."""
    slow = slow_at(plan, link.index)
    words = f"{cables:,} x {link.speed_gbit} Gb/s"
    return f"{words}, {slow:,} slow" if slow else words


def nvlinks_words(plan: Plan, link: NvlinkLink) -> str:
    """How many links of GPUs lead to their switches: ``10,368 NVLinks``."""
    group = plan.groups[link.nodes]
    gpus = device_counts(plan)[link.nodes] * (group.node.gpus if group.node else 0)
    return counted(gpus * link.links_per_gpu, link_noun(group.gpu_links))


def link_rates_GBps(plan: Plan, cables: Mapping[int, int]) -> dict[int, float]:
    """Capacity of all cables of each link, GB/s of one direction, slow ones at their rate.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    cables : mapping of int to int
        Cables per link, from :func:`standing_cable_counts`.
    """
    slow = slow_cable_counts(plan)
    return {
        link.index: cables.get(link.index, 0) * link.line_GBps
        - sum(many * (link.line_GBps - rate) for rate, many in slow.get(link.index, {}).items())
        for link in plan.every_link
    }
