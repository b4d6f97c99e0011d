"""The single connections of a link: both instances, and the port of a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import numpy.typing as npt

from toposmith.cancellation import go_on
from toposmith.design.selectors import Selection
from toposmith.fabric.faults import Instance
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.fabric.relations import peers_at


def coordinates(group: GroupPlan, number: int) -> tuple[int, ...]:
    """The values of an instance on the axes of its group."""
    values: list[int] = []
    for size in reversed(group.sizes):
        number, value = divmod(number, size)
        values.append(value)
    return tuple(reversed(values))


def instance_of(plan: Plan, name: str, number: int) -> Instance:
    """An instance of a group, with its values by axis."""
    group = plan.groups[name]
    return name, dict(zip(group.axes, coordinates(group, number), strict=True))


def number_of(group: GroupPlan, at: tuple[int, ...]) -> int:
    """The number of the instance with these values on the axes of its group."""
    number = 0
    for value, size in zip(at, group.sizes, strict=True):
        number = number * size + value
    return number


def offsets(plan: Plan, group: GroupPlan, axes: tuple[str, ...]) -> list[int]:
    """What each combination of values on these axes adds to a number, first axis slowest."""
    strides = _strides(group)
    found = [0]
    for axis in axes:
        steps = [value * strides[axis] for value in range(plan.size(axis))]
        found = [offset + step for offset in found for step in steps]
    return found


def selected(group: GroupPlan, selection: Selection) -> frozenset[int]:
    """The numbers of the instances that a selection of this group means."""
    strides = _strides(group)
    limits = {axis: (low, high) for axis, low, high in selection.ranges}
    ranges = (
        range(limits[axis][0], limits[axis][1] + 1) if axis in limits else range(size)
        for axis, size in zip(group.axes, group.sizes, strict=True)
    )
    steps = [strides[axis] for axis in group.axes]
    return frozenset(
        sum(value * step for value, step in zip(values, steps, strict=True))
        for values in product(*ranges)
    )


def absent_instances(plan: Plan) -> dict[str, frozenset[int]]:
    """The instances that were never there, for every group; what is down stands in its rack."""
    gone: dict[str, frozenset[int]] = dict.fromkeys(plan.groups, frozenset())
    for selector in plan.absent:
        name = selector.first.group
        if not selector.is_cable and selector.first.ports is None:
            gone[name] |= selected(plan.groups[name], selector.first)
    return gone


def blocks(plan: Plan, link: LinkPlan) -> Iterator[tuple[list[int], list[int]]]:
    """Instances of both ends that meet: within a block every one of ``a`` meets every one of ``b``.

    Both lists run in the order in which ports are dealt over them.
    """
    a, b = plan.groups[link.a.group], plan.groups[link.b.group]
    if link.along:
        for number in range(a.instances):
            go_on()
            met = [number_of(b, at) for at in peers_at(plan, link, link.a, coordinates(a, number))]
            yield [number], [one for one in met if one > number] if link.is_self else met
        return
    of_a, of_b = offsets(plan, a, link.a_only), offsets(plan, b, link.b_only)
    for base_a, base_b in zip(
        offsets(plan, a, link.shared), offsets(plan, b, link.shared), strict=True
    ):
        yield [base_a + offset for offset in of_a], [base_b + offset for offset in of_b]


def _strides(group: GroupPlan) -> dict[str, int]:
    strides: dict[str, int] = {}
    stride = 1
    for axis, size in zip(reversed(group.axes), reversed(group.sizes), strict=True):
        strides[axis] = stride
        stride *= size
    return strides


PortPair = tuple[int, int, int, int]
"""Instances of both ends by number, then the port of each; the port of a switch is -1."""


CutConnections = tuple[frozenset[int], frozenset[int], int | None]
"""Instances of both ends, and how many of the cables between any two of them; None for all."""


@dataclass(frozen=True)
class Missing:
    """Absent things, by numbers of instances.

    Parameters
    ----------
    devices : mapping
        Instances of every group.
    cables : mapping
        By the index of a link, the instances between which cables are missing, and their number.
    ports : mapping
        By group, slot group and port (None for all of them), the instances that lack the port.
    replaced : frozenset
        Dealt cables that single ones replace: link, both instances, and their index.
    single : dict
        Single cables by the index of their link.
    """

    devices: dict[str, frozenset[int]]
    cables: dict[int, list[CutConnections]]
    ports: dict[tuple[str, str], list[tuple[int | None, frozenset[int]]]]
    replaced: frozenset[tuple[int, int, int, int]] = frozenset()
    """Dealt cables that single ones take the place of: link, both instances, and which it is."""
    single: dict[int, list[PortPair]] = field(default_factory=dict)
    """Single cables by the index of their link."""

    def is_whole(self, link: LinkPlan) -> bool:
        """Whether all cables and ports of a link are there as dealt, even where devices are not."""
        ends = ((link.a.group, link.a.ports), (link.b.group, link.b.ports))
        dealt = link.index not in self.single and all(one[0] != link.index for one in self.replaced)
        return (
            dealt and link.index not in self.cables and not any(end in self.ports for end in ends)
        )


def missing(plan: Plan) -> Missing:
    """The things under ``absent:`` of a design; those that are down stay: they were bought."""
    cables: dict[int, list[CutConnections]] = {}
    ports: dict[tuple[str, str], list[tuple[int | None, frozenset[int]]]] = {}
    for selector in plan.absent:
        first, second = selector.first, selector.second
        if second is not None:
            for link in plan.every_link:
                for one, other in ((first, second), (second, first))[: 1 if link.is_self else 2]:
                    if (one.group, other.group) == (link.a.group, link.b.group):
                        pair = (
                            selected(plan.groups[one.group], one),
                            selected(plan.groups[other.group], other),
                            selector.cables,
                        )
                        cables.setdefault(link.index, []).append(pair)
        elif first.ports is not None:
            gone = (first.port, selected(plan.groups[first.group], first))
            ports.setdefault((first.group, first.ports), []).append(gone)
    links = {link.index: link for link in plan.links}
    replaced = frozenset(
        (
            dealt.link,
            number_of(plan.groups[links[dealt.link].a.group], dealt.a),
            number_of(plan.groups[links[dealt.link].b.group], dealt.b),
            dealt.turn,
        )
        for dealt in plan.replaced
    )
    single: dict[int, list[PortPair]] = {}
    for cable in plan.single_cables:
        ends = [number_of(plan.groups[end.group], end.at) for end in (cable.a, cable.b)]
        taken = [
            end.port if end.ports and end.port is not None else -1 for end in (cable.a, cable.b)
        ]
        single.setdefault(cable.link, []).append((ends[0], ends[1], taken[0], taken[1]))
    return Missing(absent_instances(plan), cables, ports, replaced, single)


def connections(plan: Plan, link: LinkPlan, gone: Missing) -> Iterator[PortPair]:
    """Every connection of a link that is there, instances of ``a`` slowest.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    link : LinkPlan
        One of its sound links.
    gone : Missing
        Absent things.

    Yields
    ------
    tuple of int
        Number of the instance at each end, and the port of each where it is a node, else -1.
    """
    absent_a, absent_b = gone.devices[link.a.group], gone.devices[link.b.group]
    cut = gone.cables.get(link.index, [])
    lost_a = gone.ports.get((link.a.group, link.a.ports), [])
    lost_b = gone.ports.get((link.b.group, link.b.ports), [])
    turns = range(link.cables_per_pair)
    spent: dict[tuple[int, int], int] = {}
    for of_a, of_b in blocks(plan, link):
        for rank_a, a in enumerate(of_a):
            if a in absent_a:
                continue
            for rank_b, b in enumerate(of_b):
                if b in absent_b:
                    continue
                fewer = _fewer(cut, a, b, either_way=link.is_self) if cut else 0
                if fewer is None:
                    continue
                for turn in turns:
                    if gone.replaced and (link.index, a, b, turn) in gone.replaced:
                        continue
                    if spent.get((a, b), 0) < fewer:
                        spent[a, b] = spent.get((a, b), 0) + 1
                        continue
                    port_a = _port(link.a, turn * link.peers_of_a + rank_b)
                    port_b = _port(link.b, turn * link.peers_of_b + rank_a)
                    if lost_a and _lost(lost_a, a, port_a):
                        continue
                    if lost_b and _lost(lost_b, b, port_b):
                        continue
                    yield a, b, port_a, port_b
    for a, b, port_a, port_b in gone.single.get(link.index, ()):
        fewer = _fewer(cut, a, b, either_way=link.is_self)
        if fewer is None or spent.get((a, b), 0) < fewer:
            spent[a, b] = spent.get((a, b), 0) + 1
            continue
        there = a not in absent_a and b not in absent_b
        if there and not _lost(lost_a, a, port_a) and not _lost(lost_b, b, port_b):
            yield a, b, port_a, port_b


def _port(end: LinkEnd, card: int) -> int:
    return end.first_port + card if end.ports else -1


def _fewer(cut: list[CutConnections], a: int, b: int, *, either_way: bool) -> int | None:
    """How many cables between two instances are missing, the first ones; None for all."""
    counts = [
        many
        for one, other, many in cut
        if (a in one and b in other) or (either_way and b in one and a in other)
    ]
    return None if None in counts else sum(many or 0 for many in counts)


def _lost(lost: list[tuple[int | None, frozenset[int]]], number: int, port: int) -> bool:
    return any(which in (None, port) and number in numbers for which, numbers in lost)


# Connections of a link as arrays: for a quarter of a million of them in a tenth of a second.

Numbers = npt.NDArray[np.int64]

NO_CONNECTION = np.zeros((4, 0), dtype=np.int64)


def device_pairs(plan: Plan, link: LinkPlan) -> Numbers:
    """Every pair of devices that a link joins where all are there.

    Returns
    -------
    array of int
        Four rows: the number of the device at each end, then which of its peers the other end is
        to each, as ports are dealt.
    """
    parts: list[Numbers] = []
    for these, those in blocks(plan, link):
        go_on()
        many, others = len(these), len(those)
        part = np.empty((4, many * others), dtype=np.int64)
        part[0] = np.repeat(np.array(these, dtype=np.int64), others)
        part[1] = np.tile(np.array(those, dtype=np.int64), many)
        part[2] = np.tile(np.arange(others), many)
        part[3] = np.repeat(np.arange(many), others)
        parts.append(part)
    return np.concatenate(parts, axis=1) if parts else NO_CONNECTION


def connection_array(plan: Plan, link: LinkPlan, gone: Missing) -> Numbers:
    """Every connection of a link that is there, in the order of ``connections``.

    Returns
    -------
    array of int
        Four rows: the number of the device at each end, then the port of each where it is a node,
        else -1.
    """
    if not gone.is_whole(link):
        found = np.array(list(connections(plan, link, gone)), dtype=np.int64)
        return found.reshape(-1, 4).T
    pairs, turns = device_pairs(plan, link), link.cables_per_pair
    turn = np.tile(np.arange(turns), pairs.shape[1])
    found = np.repeat(pairs, turns, axis=1)
    go_on(found.shape[1])
    for row, end, peers in ((2, link.a, link.peers_of_a), (3, link.b, link.peers_of_b)):
        found[row] = end.first_port + turn * peers + found[row] if end.ports else -1
    there = np.ones(found.shape[1], dtype=bool)
    for row, end in ((0, link.a), (1, link.b)):
        if absent := gone.devices[end.group]:
            there &= ~np.isin(found[row], list(absent))
    return found[:, there]
