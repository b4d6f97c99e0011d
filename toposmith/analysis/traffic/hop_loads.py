"""Loads of hops between nodes on the worst cables of the fabric.

A hop spreads over the NICs of its two nodes. Hops between neighbours in one block (nodes that
differ in their own axis only) are equivalent, so there is one routing per kind, and a sum over
blocks, never over nodes. Where relations along axes join switches, hops are not equivalent because
the same axes agree: those are routed on rows (:mod:`toposmith.analysis.traffic.row_hops`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import product

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.hop_entries import HopEntry, HopPlace
from toposmith.analysis.traffic.hop_routes import dealt_over, route_hop
from toposmith.analysis.traffic.hops import Hop
from toposmith.cancellation import go_on

_UNNAMED = -1
"""Any value that no hop names."""


def hop_loads(
    network: ComputeNetwork,
    hops: Iterable[Hop],
    *,
    busiest: float = 1.0,
    nics: int = 0,
    weighted: bool = True,
) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of what one NIC carries for one hop.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    hops : iterable of Hop
        All hops that run at once.
    busiest : float
        Hops that the busiest node starts, and ends; 1 in a ring.
    nics : int
        NICs of a node that a hop spreads over; all that every node has, if not given.
    weighted : bool
        Whether devices split by remaining path capacity; equally by cable if not.

    Returns
    -------
    dict
        By arc ``(from, to, key)`` of ``network.classes``.

    Raises
    ------
    Unreachable
        If two nodes of a hop are not connected.
    """
    many = nics or network.ring_nics
    kinds: dict[tuple[object, ...], list[HopEntry]] = {}
    shared: dict[Arc, dict[HopPlace, float]] = defaultdict(lambda: defaultdict(float))
    worst: dict[Arc, float] = defaultdict(float)
    distinguished = _distinguished(network)
    for hop in hops:
        go_on(20)
        kind = _kind(network, hop, distinguished)
        entries = kinds.get(kind)
        if entries is None:
            routed = list(route_hop(network, hop, many, weighted=weighted))
            for arc, load in _own_loads(hop, routed).items():
                worst[arc] = max(worst[arc], load * busiest)
            # what only this hop's own nodes load is alike for every hop of its kind
            entries = kinds[kind] = [entry for entry in routed if not entry.own]
        for entry in entries:
            shared[entry.arc][entry.place(hop)] += entry.load * hop.alike
    for arc, places in shared.items():
        worst[arc] = max(worst[arc], _worst(places, _sizes(network, arc)))
    return dict(worst)


def _own_loads(hop: Hop, entries: list[HopEntry]) -> dict[Arc, float]:
    """The worst of the cables that only the nodes of a hop use."""
    places: dict[Arc, dict[HopPlace, float]] = defaultdict(lambda: defaultdict(float))
    for entry in entries:
        if entry.own:
            places[entry.arc][entry.place(hop)] += entry.load
    return {arc: max(loads.values()) for arc, loads in places.items()}


def _sizes(network: ComputeNetwork, arc: Arc) -> list[int]:
    """How many values each axis of an arc's ends has within its class; a slot has no count."""
    base = network.classes
    sizes: list[int] = []
    for vertex in arc[:2]:
        cells = vertex[3] if vertex[0] == "nic" else vertex[2]
        axes = base.axes_of[vertex[1]]
        sizes += [base.cuts.cell_sizes[a][c] for a, c in zip(axes, cells, strict=True)]
        sizes += [0] if vertex[0] == "nic" else []
    return sizes


def _distinguished(network: ComputeNetwork) -> dict[str, bool]:
    """Axes of nodes whose values matter: True for each value, False for its class only.

    A value matters by itself where NICs are also dealt over the axis.
    """
    dealt = dealt_over(network, {group.name for group in network.world.groups})
    cuts = network.classes.cuts
    axes = {axis for group in network.world.groups for axis in group.axes}
    return {axis: axis in dealt for axis in axes if axis in dealt or len(cuts.cells(axis)) > 1}


def _kind(
    network: ComputeNetwork, hop: Hop, distinguished: Mapping[str, bool]
) -> tuple[object, ...]:
    """What the routing of a hop depends on: the classes of its nodes, and which axes agree."""
    equal = tuple(hop.start[axis] == hop.end.get(axis) for axis in hop.source.group.axes)
    at = tuple(
        ends[axis] if by_value else network.classes.cuts.cell_of(axis, ends[axis])
        for axis, by_value in distinguished.items()
        for ends in (hop.start, hop.end)
        if axis in ends
    )
    return (*hop.groups, equal, at)


def _worst(places: Mapping[HopPlace, float], sizes: list[int]) -> float:
    """The highest load of any one cable: entries that name it, and those for all others."""
    by_axis = list(zip(*places, strict=True))
    by_value = [all(isinstance(value, int) for value in values) for values in by_axis]
    if all(by_value[at] or set(by_axis[at]) == {()} for at in range(len(sizes))):
        return max(places.values())
    # only places that agree on axes where each names one value can share a cable
    apart: dict[HopPlace, dict[HopPlace, float]] = defaultdict(dict)
    for place, load in places.items():
        named = tuple(value for value, one in zip(place, by_value, strict=True) if one)
        rest = tuple(value for value, one in zip(place, by_value, strict=True) if not one)
        apart[named][rest] = load
    left = [size for size, one in zip(sizes, by_value, strict=True) if not one]
    return max(_worst_of(together, left) for together in apart.values())


def _worst_of(places: Mapping[HopPlace, float], sizes: list[int]) -> float:
    """The highest load among the values that the places name, and any that they do not."""
    named: list[set[int]] = [set() for _ in sizes]
    for place in places:
        for values, value in zip(named, place, strict=True):
            values.update(value if isinstance(value, tuple) else (value,))
    candidates = [
        sorted(values) + ([_UNNAMED] if len(values) < size or not values else [])
        for values, size in zip(named, sizes, strict=True)
    ]
    return max(
        sum(load for place, load in places.items() if all(map(_fits, place, candidate)))
        for candidate in product(*candidates)
    )


def _fits(place: int | tuple[int, ...], value: int) -> bool:
    return value not in place if isinstance(place, tuple) else value == place
