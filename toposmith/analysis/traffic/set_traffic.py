"""The traffic of a cluster whose switches are sets that dealt cables join, as a dragonfly's are.

Set by set (:mod:`toposmith.analysis.traffic.dealt_flows`); the answers are those of
:mod:`toposmith.analysis.traffic.row_hops` and, switch by switch,
:mod:`toposmith.analysis.traffic.dealt_exchange`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.block_ends import Ends, coordinates
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.dealt_flows import SetLoads, Two
from toposmith.fabric.class_builder import edge_key
from toposmith.fabric.dealt_sets import DealtSets, Numbers, Planes, Whole, planes
from toposmith.fabric.once import once
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.fabric.relations import RelationKind, dealt_at, kind_of


def suits(network: ComputeNetwork) -> bool:
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


def pairs_routed(network: ComputeNetwork) -> int:
    """The number of distinct pairs of switches in an all-to-all."""
    sets = _sets(network)
    odd = set(sets.left) if network.before is None else set()
    gpus = _gpus(network)
    kinds = len({of.tobytes() for of in gpus})
    whole = sets.sets if kinds > 1 else 1
    return (2 * len(odd) + whole) * sets.sets * sets.members**2


@once
def exchange(network: ComputeNetwork, *, weighted: bool) -> SetLoads:
    """Loads of a uniform all-to-all on cables, times the number of GPUs.

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


@dataclass(frozen=True)
class OnSwitches:
    """The switches of the cables of each block's nodes; the n-th cables lead to the same copy.

    Parameters
    ----------
    planes : Planes
        The copies of the sets that no cable joins.
    copies : tuple of tuple of int
        The copy that each cable leads to, NIC by NIC.
    places : array
        By block and cable, the set of its switch times the members of a set, and its number there.
    each : int
        How many copies a NIC is cabled to.
    """

    planes: Planes
    copies: tuple[tuple[int, ...], ...]
    places: Whole
    each: int


@once
def on_switches(network: ComputeNetwork) -> OnSwitches | None:
    """The switches of all cables of nodes: one per NIC, or one in each of several copies.

    None where the nodes of a block are not on the same switches, or NICs are cabled otherwise.
    """
    plan, sets, groups = network.plan, network.dealt, network.world.groups
    axes = {axis for group in groups for axis in group.axes[-1:]}
    if sets is None or len(groups) != 1 or network.world.joined or axes & {*sets.switches.axes}:
        return None
    slots = {tuple(live) for live in network.live_slots.values()}
    if slots != {tuple(range(network.ring_nics))} or not network.ring_nics:
        return None
    of = planes(plan, sets) if not (plan.absent or plan.down) else Planes(plan, sets, ())
    copies: set[tuple[tuple[int, ...], ...]] = set()
    places: list[list[int]] = []
    for block in network.world.blocks:
        nics = network.devices.at_node((block.group.name, (*block.outer, block.runs[0][0])))
        if any(switch[0] != sets.switches.name for nic in nics for switch, _ in nic):
            return None
        met = [[of.parted(switch[1]) for switch, _ in nic] for nic in nics]
        if any(len({at for _, at in nic}) != 1 or len(dict(nic)) != len(nic) for nic in met):
            return None  # to several switches of one copy, or to unlike ones
        copies.add(tuple(copy for nic in met for copy, _ in nic))
        numbers = (of.sets.place(at) for nic in met for _, at in nic)
        places.append([number * of.sets.members + member for number, member in numbers])
    each = {len(nic) for nic in nics}
    if len(copies) != 1 or len(each) != 1:
        return None
    return OnSwitches(of, copies.pop(), np.array(places, np.intp), each.pop())


@once
def spread_hops(
    network: ComputeNetwork, ends: Ends, *, weighted: bool
) -> list[tuple[SetLoads, list[tuple[int, ...]]]]:
    """Loads of hops whose nodes send 1 over each cable to the cable of the same number.

    By copies that carry the same: the loads of one, and copies of every class among them.

    Raises
    ------
    Apart
        If two sets have no way but through a third.
    """
    on = on_switches(network)
    assert on is not None
    a, b = ends(network.world)
    cuts, axes = network.classes.cuts, _sets(network).switches.axes
    cables: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for cable, copy in enumerate(on.copies):
        cables[copy].append(cable)
    known: dict[bytes, tuple[SetLoads, dict[object, tuple[int, ...]]]] = {}
    for copy, of in cables.items():
        start, end = on.places[a][:, of], on.places[b][:, of]
        alike = on.places[:, of].tobytes()
        if alike not in known:
            rates = _rates(on.planes.sets, start.ravel(), end.ravel())
            loads = SetLoads.of(on.planes.sets, _like_as_one(rates), weighted=weighted)
            known[alike] = loads, {}
        values = zip(on.planes.axes, copy, strict=True)
        cells = tuple(cuts.cell_of(axes[at], value) for at, value in values)
        known[alike][1].setdefault(cells, copy)
    return [(loads, list(copies.values())) for loads, copies in known.values()]


def _rates(sets: DealtSets, start: Whole, end: Whole) -> dict[Two, Numbers]:
    """How many hops each switch of a set has to each of another, by the numbers of their ends."""
    many, members = sets.sets, sets.members
    apart = start != end
    pairs, counts = np.unique(start[apart] * many * members + end[apart], return_counts=True)
    first, second = np.divmod(pairs, many * members)
    (here, u), (there, v) = np.divmod(first, members), np.divmod(second, members)
    two = here * many + (there - here) % many
    order = np.argsort(two, kind="stable")
    rates: dict[Two, Numbers] = {}
    for of in np.split(order, np.flatnonzero(np.diff(two[order])) + 1) if len(order) else ():
        sent = np.zeros((members, members))
        sent[u[of], v[of]] = counts[of]
        rates[divmod(int(two[of[0]]), many)] = sent
    return rates


def _like_as_one(rates: Mapping[Two, Numbers]) -> dict[Two, Numbers]:
    """Equal rates merged into one object, so that identity implies equality."""
    same: dict[bytes, Numbers] = {}
    return {two: same.setdefault(of.tobytes(), of) for two, of in rates.items()}


@once
def hops(network: ComputeNetwork, ends: Ends, *, weighted: bool) -> SetLoads:
    """Loads of hops that each send 1 between nodes whose NICs are on one switch.

    Raises
    ------
    Apart
        If two sets have no way but through a third.
    """
    sets, before = _sets(network), network.before
    known = None if before is None else hops(before, ends, weighted=weighted)
    if known is not None and before is not None and network.world is before.world:
        return known.with_fewer(sets, known.rates, ())
    number = _places(network) @ np.array([sets.members, 1])
    a, b = ends(network.world)
    counted = _rates(sets, number[a], number[b])
    if known is None:
        return SetLoads.of(sets, _like_as_one(counted), weighted=weighted)
    unlike = {
        two
        for two in {*counted, *known.rates}
        if two not in counted
        or two not in known.rates
        or not np.array_equal(counted[two], known.rates[two])
    }
    return known.with_fewer(sets, counted, unlike)


def on_arcs(
    network: ComputeNetwork,
    loads: SetLoads,
    unit: float,
    of: Planes | None = None,
    copies: Sequence[tuple[int, ...]] = ((),),
) -> Iterator[tuple[Arc, float]]:
    """Loads of the worst cable of each class between switches, times a unit; of some copies."""
    sets, graph = loads.sets, network.classes.graph
    of = Planes(network.plan, sets, ()) if of is None else of
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
            _dealt_cables(of.plan, sets)
            if link is sets.dealt
            else _inside(of.plan, cuts.rings, sets, link)
        )
        for number, carried in enumerate(between):
            for (start, apart, end), at, kind in cables:
                if load := carried[at]:
                    ends = (
                        sets.switch(number, start),
                        sets.switch((number + apart) % sets.sets, end),
                    )
                    key = edge_key(link, link.speed_gbit, kind)
                    for copy in copies:
                        here, there = (vertex(of.switch(copy, one)) for one in ends)
                        yield (here, there, key), float(load) * unit


_Placed = tuple[tuple[int, int, int], tuple[int, ...], RelationKind]
"""A cable of a set: its start, how far on the other set lies and its end; where its load stands,
and its kind."""


def _inside(
    plan: Plan, rings: Container[str], sets: DealtSets, link: LinkPlan
) -> Iterator[_Placed]:
    """The cables of a link inside a set."""
    for u, v in np.argwhere(sets.inside[link.index] > 0).tolist():
        ends = sets.switch(0, u)[1], sets.switch(0, v)[1]
        yield (u, 0, v), (u, v), kind_of(plan, link, rings, *ends, end=link.a)


def _dealt_cables(plan: Plan, sets: DealtSets) -> Iterator[_Placed]:
    """The dealt cables that start in a set."""
    for member in range(sets.members):
        for peer, position in dealt_at(plan, sets.dealt, sets.switch(0, member)[1]):
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
        """Traffic of the switches of one set to those of another at a distance."""
        there = (here + apart) % len(self._gpus)
        key = (self._kind[here], self._kind[there], not apart)
        if key not in self._known:
            sent = np.outer(self._gpus[here], self._gpus[there])
            if not apart:
                np.fill_diagonal(sent, 0.0)
            self._known[key] = sent
        return self._known[key]


def _sets(network: ComputeNetwork) -> DealtSets:
    assert network.dealt is not None
    return network.dealt


@once
def _gpus(network: ComputeNetwork) -> Numbers:
    """GPUs on each switch, by set."""
    sets = _sets(network)
    if network.before is not None and network.world is network.before.world:
        return _gpus(network.before)
    (name,) = network.slots
    nodes, each = np.array(network.world.nodes_of_blocks), gpus_of(network.plan.groups[name])
    gpus = np.zeros((sets.sets, sets.members))
    np.add.at(gpus, tuple(_places(network).T), nodes * each)
    return gpus


def _places(network: ComputeNetwork) -> Whole:
    """The set of the switch of every block of nodes, and its number there."""
    (name,) = network.slots
    sets, axes = _sets(network), network.plan.groups[name].axes[:-1]
    of_block = coordinates(network.world)
    at = np.zeros((len(of_block), 2), np.intp)
    for own, (axis, size) in enumerate(zip(sets.switches.axes, sets.switches.sizes, strict=True)):
        value = of_block[:, axes.index(axis)] if axis in axes else 0
        if own == sets.around:
            at[:, 0] = value
        else:
            at[:, 1] = at[:, 1] * size + value
    return at


@once
def switch_places(network: ComputeNetwork) -> Mapping[tuple[int, ...], tuple[int, int]]:
    """The same by the coordinates of the blocks."""
    (name,) = network.slots
    sets, axes = _sets(network), network.plan.groups[name].axes
    at = [axes.index(axis) if axis in axes[:-1] else None for axis in sets.switches.axes]
    outer = [block.outer for block in network.world.blocks]
    return {
        values: sets.place(tuple(0 if own is None else values[own] for own in at))
        for values in outer
    }
