"""The traffic of a cluster whose switches are sets that dealt cables join, as a dragonfly's are.

Set by set (:mod:`toposmith.topology.analysis.traffic.dealt_flows`); the answers are those of
:mod:`toposmith.topology.analysis.traffic.single_hops` and, switch by switch,
:mod:`toposmith.topology.analysis.traffic.dealt_exchange`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, product

import numpy as np

from toposmith.topology.analysis.jobs.ranks import gpus_of
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.dealt_flows import SetLoads, Two
from toposmith.topology.analysis.traffic.routing import Arc
from toposmith.topology.fabric.class_builder import edge_key
from toposmith.topology.fabric.dealt_sets import DealtSets, Numbers
from toposmith.topology.fabric.once import once
from toposmith.topology.fabric.plan import LinkPlan
from toposmith.topology.fabric.relations import Kind, dealt_at, kind_of

Ends = Iterable[tuple[int, int, int]]
"""Hops: the numbers of the blocks that one starts and ends in, and how many are alike."""


def suits(network: Network) -> bool:
    """Whether a network is of sets alone, and the NICs of every node are on one switch."""
    sets, world = network.dealt, network.world
    if sets is None or len(network.slots) != 1 or not all(network.live_slots.values()):
        return False
    ((name, ports),) = network.slots.items()
    group, switches = network.plan.groups[name], sets.switches
    links = [link for link in network.plan.links_of(name) if link.end_of(name).ports == ports]
    wide = {axis for axis, size in zip(switches.axes, switches.sizes, strict=True) if size > 1}
    return (
        len(links) == 1
        and links[0].b.group == switches.name
        and not links[0].along
        and wide <= set(links[0].shared)
        and group.axes[-1] not in wide
        and not world.joined
    )


def pairs_routed(network: Network) -> int:
    """How many pairs of switches an all-to-all has that nothing says to be as another."""
    sets = _sets(network)
    odd = set(sets.left) if network.before is None else set()
    gpus = _gpus(network)
    kinds = len({of.tobytes() for of in gpus})
    whole = sets.sets if kinds > 1 else 1
    return (2 * len(odd) + whole) * sets.sets * sets.members**2


@once
def exchange(network: Network, *, weighted: bool) -> SetLoads:
    """What all GPUs that send the same to each other put on cables, times how many there are.

    Raises
    ------
    Apart
        If two sets have no way but through a third.
    """
    sets, before = _sets(network), network.before
    gpus = _gpus(network)
    if before is None:
        sent = _Products(gpus)
        each = range(sets.sets)
        rates = {(here, apart): sent.of(here, apart) for here, apart in product(each, each)}
        rates = {two: of for two, of in rates.items() if of.any()}
        return SetLoads.of(sets, rates, weighted=weighted)
    known, sent = exchange(before, weighted=weighted), _Products(gpus)
    changed = np.flatnonzero((gpus != _gpus(before)).any(axis=1))
    unlike: set[Two] = set()
    for number in map(int, changed):
        for apart in range(sets.sets):
            unlike |= {(number, apart), ((number - apart) % sets.sets, apart)}
    now = {two: sent.of(*two) for two in unlike}
    kept = {two: of for two, of in known.rates.items() if two not in unlike}
    return known.with_fewer(sets, kept | {two: of for two, of in now.items() if of.any()}, unlike)


@once
def on_switches(network: Network) -> list[list[tuple[int, int]]] | None:
    """The switch of every NIC of the nodes of each block, by set and number there.

    None where the nodes of a block are not on the same, or NICs have none or several cables.
    """
    sets, groups = network.dealt, network.world.groups
    axes = {axis for group in groups for axis in group.axes[-1:]}
    if sets is None or len(groups) != 1 or network.world.joined or axes & {*sets.switches.axes}:
        return None
    slots = {tuple(live) for live in network.live_slots.values()}
    if slots != {tuple(range(network.ring_nics))} or not network.ring_nics:
        return None
    found: list[list[tuple[int, int]]] = []
    for block in network.world.blocks:
        nics = network.devices.at_node((block.group.name, (*block.outer, block.runs[0][0])))
        if any(len(nic) != 1 or nic[0][0][0] != sets.switches.name for nic in nics):
            return None
        found.append([sets.place(nic[0][0][1]) for nic in nics])
    return found


@once
def spread_hops(network: Network, ends: Callable[[Network], Ends], *, weighted: bool) -> SetLoads:
    """What hops put on cables whose nodes send 1 by each NIC, to the one of the same number.

    Raises
    ------
    Apart
        If two sets have no way but through a third.
    """
    sets, places = _sets(network), on_switches(network)
    assert places is not None
    members = sets.members
    number = np.array(places) @ np.array([members, 1])
    a, b, many = np.fromiter(chain.from_iterable(ends(network)), np.intp).reshape(-1, 3).T
    start, end = number[a].ravel(), number[b].ravel()
    pairs, of = np.unique(start * sets.sets * members + end, return_inverse=True)
    counts = np.bincount(of, np.repeat(many, number.shape[1]))
    rates: dict[Two, Numbers] = defaultdict(lambda: np.zeros((members, members)))
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        first, second = divmod(pair, sets.sets * members)
        (here, u), (there, v) = divmod(first, members), divmod(second, members)
        if first != second:
            rates[here, (there - here) % sets.sets][u, v] = count
    same: dict[bytes, Numbers] = {}
    alike = {two: same.setdefault(of.tobytes(), of) for two, of in rates.items()}
    return SetLoads.of(sets, alike, weighted=weighted)


@once
def hops(network: Network, ends: Callable[[Network], Ends], *, weighted: bool) -> SetLoads:
    """What hops put on cables, where each sends 1 between nodes whose NICs are on one switch.

    Raises
    ------
    Apart
        If two sets have no way but through a third.
    """
    sets, before = _sets(network), network.before
    known = None if before is None else hops(before, ends, weighted=weighted)
    if known is not None and before is not None and network.world is before.world:
        return known.with_fewer(sets, known.rates, ())
    places = _places(network)
    counted: dict[Two, Numbers] = defaultdict(lambda: np.zeros((sets.members, sets.members)))
    for a, b, many in ends(network):
        (here, start), (there, end) = places[a], places[b]
        if places[a] != places[b]:
            counted[here, (there - here) % sets.sets][start, end] += many
    same: dict[bytes, Numbers] = {}
    if known is None:
        rates = {two: same.setdefault(of.tobytes(), of) for two, of in counted.items()}
        return SetLoads.of(sets, rates, weighted=weighted)
    unlike = {
        two
        for two in {*counted, *known.rates}
        if two not in counted
        or two not in known.rates
        or not np.array_equal(counted[two], known.rates[two])
    }
    return known.with_fewer(sets, counted, unlike)


def on_arcs(network: Network, loads: SetLoads, unit: float) -> Iterator[tuple[Arc, float]]:
    """Loads of the worst cable of each class between switches, times a unit."""
    sets, graph = loads.sets, network.classes.graph
    if network.before is not None:
        # of what has failed since, classes know nothing: the worst of each link is asked for
        worst = {index: float(of.max(initial=0.0)) for index, of in loads.on_links.items()}
        for u, v, key, index in graph.edges(keys=True, data="link"):
            if index in worst and u[0] == v[0] == "device":
                yield (u, v, key), worst.pop(index) * unit
            if not worst:
                break
        return
    vertex, cuts = network.devices.vertex, network.classes.cuts
    alike = len(cuts.cells(sets.switches.axes[sets.around])) == 1
    for link in (*sets.links, sets.dealt):
        between = loads.on_links[link.index]
        between = between.max(axis=0, keepdims=True) if alike else between
        cables = list(
            _dealt_cables(network, sets) if link is sets.dealt else _inside(network, sets, link)
        )
        for number, of in enumerate(between):
            for (start, apart, end), at, kind in cables:
                if load := of[at]:
                    here = vertex(sets.switch(number, start))
                    there = vertex(sets.switch((number + apart) % sets.sets, end))
                    key = edge_key(link, link.speed_gbit, kind)
                    yield (here, there, key), float(load) * unit


_Placed = tuple[tuple[int, int, int], tuple[int, ...], Kind]
"""A cable of a set: its start, how far on the other set lies and its end; where its load stands,
and its kind."""


def _inside(network: Network, sets: DealtSets, link: LinkPlan) -> Iterator[_Placed]:
    """The cables of a link inside a set."""
    rings = network.classes.cuts.rings
    for u, v in np.argwhere(sets.inside[link.index] > 0).tolist():
        ends = sets.switch(0, u)[1], sets.switch(0, v)[1]
        yield (u, 0, v), (u, v), kind_of(network.plan, link, rings, *ends, end=link.a)


def _dealt_cables(network: Network, sets: DealtSets) -> Iterator[_Placed]:
    """The dealt cables that start in a set."""
    for member in range(sets.members):
        for peer, position in dealt_at(network.plan, sets.dealt, sets.switch(0, member)[1]):
            apart, end = sets.place(peer)
            part = sets.to(apart)
            met = (sets.starts[part] == member) & (sets.ends[part] == end)
            number = part.start + int(np.flatnonzero(met)[0])
            yield (member, apart, end), (number,), (position,)


class _Products:
    """GPUs of one set times those of another; the same object for like sets."""

    def __init__(self, gpus: Numbers) -> None:
        self._gpus = gpus
        self._kind = [of.tobytes() for of in gpus]
        self._known: dict[tuple[bytes, bytes, bool], Numbers] = {}

    def of(self, here: int, apart: int) -> Numbers:
        """What the switches of one set send to those of the one so much further on."""
        there = (here + apart) % len(self._gpus)
        key = (self._kind[here], self._kind[there], not apart)
        if key not in self._known:
            sent = np.outer(self._gpus[here], self._gpus[there])
            if not apart:
                np.fill_diagonal(sent, 0.0)
            self._known[key] = sent
        return self._known[key]


def _sets(network: Network) -> DealtSets:
    assert network.dealt is not None
    return network.dealt


@once
def _gpus(network: Network) -> Numbers:
    """GPUs on each switch, by set."""
    sets = _sets(network)
    if network.before is not None and network.world is network.before.world:
        return _gpus(network.before)
    gpus = np.zeros((sets.sets, sets.members))
    blocks = network.world.blocks
    for place, block in zip(_places(network), blocks, strict=True):
        gpus[place] += block.nodes * gpus_of(block.group)
    return gpus


def _places(network: Network) -> list[tuple[int, int]]:
    """The set of the switch of every block of nodes, and its number there."""
    place = switch_places(network.before or network)
    return [place[block.outer] for block in network.world.blocks]


@once
def switch_places(network: Network) -> Mapping[tuple[int, ...], tuple[int, int]]:
    """The same by the coordinates of the blocks."""
    (name,) = network.slots
    sets, axes = _sets(network), network.plan.groups[name].axes
    at = [axes.index(axis) if axis in axes[:-1] else None for axis in sets.switches.axes]
    outer = [block.outer for block in network.world.blocks]
    return {
        values: sets.place(tuple(0 if own is None else values[own] for own in at))
        for values in outer
    }
