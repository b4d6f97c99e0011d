"""Lower bounds on the loads of a uniform all-to-all along axes, on any paths.

A path crosses at least as many cables along an axis as its ends lie apart on it. Where one link
alone leads along an axis, all its cables carry the sum of these distances at least, and one of them
no less than the mean (the distance bound on throughput: Dally and Towles, *Principles and Practices
of Interconnection Networks*, 2004, section 3.3.1). Without faults all carry just that in a torus.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_hosts import exchange_at_nics, gpus_by_switch
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.fabric.classes import Arc
from toposmith.fabric.device import Device
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.fabric.relations import distance


def least_exchange_loads(network: ComputeNetwork) -> dict[Arc, float] | None:
    """Lower bounds on the load of the worst cable of a class; exact loads of cables at NICs.

    In units of one rank's sending rate, by arc of ``network.classes``. None where no link alone
    leads along an axis.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    ValueError
        If a node has NICs on several switches.
    """
    gpus = gpus_by_switch(network)
    _reach_each_other(network, gpus)
    classes, loads = network.classes, exchange_at_nics(network)
    found = False
    for link in network.plan.links:
        total = max(
            (_distances(network.plan, axis, word, gpus) for axis, word in _own_axes(network, link)),
            default=0.0,
        )
        edges = [
            (u, v, key, data["GBps"])
            for u, v, key, data in classes.graph.edges(keys=True, data=True)
            if data["link"] == link.index
        ]
        # a cable has two directions
        line_GBps = 2 * sum(classes.cables(u, v, key) * rate for u, v, key, rate in edges)
        if not total or not line_GBps:
            continue
        found = True
        for u, v, key, rate in edges:
            loads[u, v, key] = loads[v, u, key] = total * rate / line_GBps
    return loads if found else None


def _own_axes(network: ComputeNetwork, link: LinkPlan) -> list[tuple[str, str]]:
    """The axes along which a link alone leads from one value to another."""
    plan, switches = network.plan, {v[1] for v in network.classes.vertices("switch")}
    between = [one for one in plan.links if one.a.group in switches and one.b.group in switches]
    if link not in between or plan.single_cables:
        return []
    shared = set.intersection(*(set(plan.groups[group].axes) for group in switches))
    return [
        (axis, word)
        for axis, word in link.along
        if word in ("next", "other")
        and axis in shared
        and all(one is link or dict(one.along).get(axis, "same") == "same" for one in between)
        and all(one is link or axis in one.shared or one.is_self for one in between)
    ]


def _distances(plan: Plan, axis: str, word: str, gpus: Mapping[Device, int]) -> float:
    """Traffic of all ranks times its distance along an axis."""
    size, places = plan.size(axis), Counter[int]()
    for (group, at), many in gpus.items():
        places[at[plan.groups[group].axes.index(axis)]] += many
    return sum(
        many * others * (distance(one, other, size) if word == "next" else one != other)
        for one, many in places.items()
        for other, others in places.items()
    ) / sum(gpus.values())


def _reach_each_other(network: ComputeNetwork, gpus: Mapping[Device, int]) -> None:
    beside, first = network.devices.beside, next(iter(gpus))
    seen, newest = {first}, [first]
    while newest:
        newest = list({near for switch in newest for near in beside(switch)} - seen)
        seen.update(newest)
    for switch in gpus:
        if switch not in seen:
            raise Unreachable(first[0], switch[0])
