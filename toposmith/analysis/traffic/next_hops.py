"""How each device divides traffic to a target over the cables of its next hops.

Equal-cost multipath hashes over all cables alike. Weighted-cost multipath (Zhou et al., *WCMP:
Weighted Cost Multipathing for Improved Fairness in Data Centers*, EuroSys 2014, section 3) and
adaptive routing with remote notification (NVIDIA, *Spectrum-X Network Platform Architecture*) also
know the remaining capacity beyond the next hop, and send a device that has lost half of its
cables towards the target half as much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar

from toposmith.cancellation import go_on
from toposmith.fabric.classes import ClassGraph, ClassVertex

_Edge = tuple[ClassVertex, object, dict[str, Any]]
"""The other end of an edge, its key and its capacity."""

_Next = TypeVar("_Next")
"""A next hop."""


@dataclass(frozen=True)
class NextHop:
    """A class of next hops of one device, over the cables of one link.

    Parameters
    ----------
    peer : tuple
        The vertex that the cables lead to.
    key : object
        The key of the edge.
    cables : int
        Cables of one device to all devices of ``peer`` by this link.
    share : float
        The share of the device's traffic to the target that one of these cables carries.
    """

    peer: ClassVertex
    key: object
    cables: int
    share: float


def next_hops(
    classes: ClassGraph,
    hops: Mapping[ClassVertex, int],
    sources: Iterable[ClassVertex],
    *,
    weighted: bool,
) -> dict[ClassVertex, list[NextHop]]:
    """The next hops of all vertices on paths to a target, with the share of every cable.

    Only switches forward traffic. A node spreads its own evenly over those NICs that are as far
    from the target as its NIC of the same number, independent of what is behind them: NCCL chooses
    them by slot and knows nothing of the fabric.

    Parameters
    ----------
    classes : ClassGraph
        The fabric, without the insides of nodes.
    hops : mapping
        Hops to the target, for all vertices that can send to it; 0 for itself.
    sources : iterable of tuple
        Vertices that send to it.
    weighted : bool
        Whether the capacity that is left on the way counts; equal shares of all cables if not.

    Returns
    -------
    dict
        By vertex, from the nearest to the target on. The shares of a device's cables add up to 1.
    """
    onward = _onward(classes, hops, sources)
    capacity: dict[ClassVertex, float] = {}
    found: dict[ClassVertex, list[NextHop]] = {}
    for vertex in sorted(onward, key=lambda v: hops[v]):
        edges = onward[vertex]
        go_on(6 * len(edges))
        if not weighted or classes.graph.nodes[vertex]["kind"] == "node":
            cables = sum(data["per"][vertex] for _, _, data in edges)
            found[vertex] = [NextHop(p, k, d["per"][vertex], 1 / cables) for p, k, d in edges]
            continue
        found[vertex], through = _weighted(classes, vertex, edges, capacity)
        # the target's own cables are on every path, and must not hide limits before them
        capacity[vertex] = inf if hops[vertex] == 1 else through
    return found


def _onward(
    classes: ClassGraph, hops: Mapping[ClassVertex, int], sources: Iterable[ClassVertex]
) -> dict[ClassVertex, list[_Edge]]:
    """The edges that lead one hop closer, for everything on the way from the sources."""
    nodes, adjacent = classes.graph.nodes, classes.graph.adj
    found: dict[ClassVertex, list[_Edge]] = {}
    waiting = [source for source in sources if source in hops]
    while waiting:
        vertex = waiting.pop()
        closer = hops[vertex] - 1
        if vertex in found or closer < 0:
            continue
        at_node = nodes[vertex]["kind"] == "node"
        peers = [
            peer
            for peer in adjacent[vertex]
            if hops.get(peer) == closer
            and (at_node or not closer or nodes[peer]["kind"] == "switch")
        ]
        found[vertex] = [(p, key, data) for p in peers for key, data in adjacent[vertex][p].items()]
        waiting += peers
    return found


def _weighted(
    classes: ClassGraph,
    vertex: ClassVertex,
    onward: list[_Edge],
    capacity: Mapping[ClassVertex, float],
) -> tuple[list[NextHop], float]:
    """Next hops weighted by their capacity, and the sum of these, GB/s.

    Inside the bundle of cables to one next device every cable takes its share by its line rate.
    """
    bundles: dict[tuple[ClassVertex, object], float] = defaultdict(float)
    peers: dict[tuple[ClassVertex, object], int] = {}
    # links along axes may lead to one device of a class each
    to = [(peer, data.get("to")) for peer, _, data in onward]
    for device, (_, _, data) in zip(to, onward, strict=True):
        peers[device] = data["peers"][vertex]
        bundles[device] += data["per"][vertex] / peers[device] * data["GBps"]
    groups = {device: device[0][1] for device in bundles}
    reach = {device: capacity.get(device[0], inf) for device in bundles}
    dealt = {} if vertex[0] == "nic" else classes.dealt_GBps.get(vertex[1], {})
    weights = bundle_weights(bundles, reach, groups, dealt)
    through = sum(weight * peers[device] for device, weight in weights.items())
    return [
        NextHop(
            peer,
            key,
            data["per"][vertex],
            weights[device] / through * data["GBps"] / bundles[device],
        )
        for device, (peer, key, data) in zip(to, onward, strict=True)
    ], through


def bundle_weights(
    bundles: Mapping[_Next, float],
    capacity: Mapping[_Next, float],
    groups: Mapping[_Next, str],
    dealt_GBps: Mapping[str, float],
) -> dict[_Next, float]:
    """The weights of the bundles of cables from a device to its next hops, GB/s.

    Intact, a bundle's weight is its own capacity or that of the next hop, whichever is less. With
    faults it is reduced by the larger relative loss, the same for every destination: that of the
    bundle against the dealt one, or of the next hop against the best of its group.

    Parameters
    ----------
    bundles : mapping
        GB/s of all cables to each next hop.
    capacity : mapping
        GB/s that next hops can pass on; unlimited where it is infinite or missing.
    groups : mapping
        The group of each next hop.
    dealt_GBps : mapping
        By group of the next hop, GB/s of the bundle that links deal.
    """
    widest = dict(dealt_GBps)
    best: dict[str, float] = {}
    for peer, bundle in bundles.items():
        group = groups[peer]
        widest[group] = max(widest.get(group, 0.0), bundle)
        best[group] = max(best.get(group, 0.0), capacity.get(peer, inf))
    weights: dict[_Next, float] = {}
    for peer, bundle in bundles.items():
        whole, beyond = widest[groups[peer]], best[groups[peer]]
        kept = bundle / whole if beyond == inf else min(bundle / whole, capacity[peer] / beyond)
        weights[peer] = min(whole, beyond) * kept
    return weights
