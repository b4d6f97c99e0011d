"""The cables of a fabric, one row each, or one for equal cables between two switches.

Rows are read off the plan in one pass: what links deal, less what single cables replace, then the
single cables; what is absent, down or slow is an edit of rows. Where some values of an axis stand
for others (:mod:`toposmith.fabric.axis_values`), a device stands for as many, and so does a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from toposmith.cancellation import go_on
from toposmith.design.selectors import Selection, Selector
from toposmith.errors import TooMuchWorkError
from toposmith.fabric.axis_values import AxisValues, apart
from toposmith.fabric.device import At, Device
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan, Slow
from toposmith.fabric.rewired import rewired_of

Numbers: TypeAlias = NDArray[np.int64]
"""Numbers of devices, rows or ports."""

Rates: TypeAlias = NDArray[np.float64]
"""Gb/s."""

Mask: TypeAlias = NDArray[np.bool_]

NO_PORT = -1
"""At the end of a cable that is a switch, whose ports are not told apart."""

_MOST_PORTS = 1 << 20
"""More ports than any device has."""

_STEPS_OF_A_SELECTOR = 100
"""What one entry of the design takes: a few calls on arrays."""

MOST_DEVICES = 2_000_000
"""Devices that have a number each; several columns of that many fit into memory."""

_ALL = 1 << 40
"""More cables than any two devices have."""


@dataclass(frozen=True)
class Cables:
    """Rows of cables, as columns of equal length.

    Attributes
    ----------
    link : array of int
        Index of the link that the cables are of.
    a, b : array of int
        Numbers of the devices at the two ends, the first at the first end of the link.
    port_a, port_b : array of int
        Ports at NICs; ``NO_PORT`` at switches.
    count : array of int
        How many equal cables a row is; 1 where an end is a NIC.
    gbit : array of float
        What each runs, Gb/s.
    kind : array of int
        Which of the positions of :func:`toposmith.fabric.relations.dealt_at` it is; else 0.
    many_a, many_b : array of int
        How many devices like the first each of the second is so cabled to, and the other way round.
    """

    link: Numbers
    a: Numbers
    b: Numbers
    port_a: Numbers
    port_b: Numbers
    count: Numbers
    gbit: Rates
    kind: Numbers
    many_a: Numbers
    many_b: Numbers

    def __len__(self) -> int:
        return len(self.link)

    def __getitem__(self, rows: Numbers | Mask) -> Cables:
        """Some of the rows."""
        return Cables(*(getattr(self, column.name)[rows] for column in fields(self)))

    def turned(self) -> Cables:
        """The same cables seen from their other ends."""
        ends = self.b, self.a, self.port_b, self.port_a
        many = self.many_b, self.many_a
        return Cables(self.link, *ends, self.count, self.gbit, self.kind, *many)

    @staticmethod
    def joined(parts: Iterable[Cables]) -> Cables:
        """The rows of all parts, in this order."""
        columns = zip(
            *([getattr(part, c.name) for c in fields(Cables)] for part in parts), strict=True
        )
        return Cables(*(np.concatenate(column) for column in columns))


class FabricRows:
    """The devices of a plan by number, and the cables that are there.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    slots : mapping of str to str, optional
        The one slot group of each group of nodes whose cables are meant; all if None.
    standing : mapping of str to AxisValues, optional
        By axis, the values that stand for others; each for itself if not given. What the plan tells
        apart, and what links join or deal to unlike, has to be apart.

    Raises
    ------
    TooMuchWorkError
        Where there are more than :data:`MOST_DEVICES`.

    Attributes
    ----------
    first : dict
        By group, the number of its first device; the others follow in the order of instances.
    axes : mapping of str to AxisValues
        By axis, the values that stand for others.
    shape : dict
        By group, how many such values its axes have.
    there : array of bool
        By device, whether it is neither absent nor down.
    """

    def __init__(
        self,
        plan: Plan,
        slots: Mapping[str, str] | None = None,
        standing: Mapping[str, AxisValues] | None = None,
    ) -> None:
        self.plan = plan
        self.first: dict[str, int] = {}
        self.shape = {
            name: tuple(len(standing[axis]) for axis in group.axes) if standing else group.sizes
            for name, group in plan.groups.items()
        }
        self.devices = 0
        for name, shape in self.shape.items():
            self.first[name] = self.devices
            self.devices += prod(shape)
        if self.devices > MOST_DEVICES:
            raise TooMuchWorkError(
                f"design: {self.devices:,} devices are more than the {MOST_DEVICES:,} that are "
                "looked at one by one; give fewer, or smaller axes"
            )
        every = {axis: plan.size(axis) for group in plan.groups.values() for axis in group.axes}
        self.axes = standing or {axis: apart(size) for axis, size in every.items()}
        self._slots = slots
        self._named: dict[int, Device] = {}
        self.there = np.ones(self.devices, bool)
        for selector in (*plan.absent, *plan.down):
            if selector.second is None and selector.first.ports is None:
                self.there[self.selected(selector.first)] = False

    @cached_property
    def cables(self) -> Cables:
        """The cables that are there, in the order of links, then of devices at their first end."""
        parts = [part for link in self.plan.every_link for part in self._of_link(link)]
        if not parts:
            none = np.zeros(0, np.int64)
            return Cables(none, none, none, none, none, none, np.zeros(0), none, none, none)
        return _Edits(self, Cables.joined(parts)).left()

    def of_group(self, name: str) -> slice:
        """The numbers of the devices of a group."""
        return slice(self.first[name], self.first[name] + prod(self.shape[name]))

    def at(self, name: str) -> dict[str, Numbers]:
        """By axis, the places of all devices of a group among the values that stand for others."""
        shape = self.shape[name]
        numbers = np.unravel_index(np.arange(prod(shape)), shape)
        return {
            axis: places.astype(np.int64)
            for axis, places in zip(self.plan.groups[name].axes, numbers, strict=True)
        }

    @cached_property
    def values(self) -> dict[str, Numbers]:
        """By axis, the place of the value of each device; -1 for those without the axis."""
        return self._by_axis({axis: np.arange(len(of)) for axis, of in self.axes.items()}, -1)

    def _by_axis(self, of_place: Mapping[str, Numbers], without: int) -> dict[str, Numbers]:
        """By axis and device, what is known of the value there."""
        found: dict[str, Numbers] = {}
        for name in self.plan.groups:
            for axis, at in self.at(name).items():
                of = found.setdefault(axis, np.full(self.devices, without))
                of[self.of_group(name)] = of_place[axis][at]
        return found

    @cached_property
    def many(self) -> dict[str, Numbers]:
        """By axis, how many values that of each device stands for; 1 for those without the axis."""
        return self._by_axis({axis: of.many for axis, of in self.axes.items()}, 1)

    @cached_property
    def size(self) -> Numbers:
        """By device, how many it stands for."""
        found = np.ones(self.devices, np.int64)
        for many in self.many.values():
            found *= many
        return found

    @cached_property
    def alike(self) -> Numbers:
        """By device, the same number for those that a mark alone tells apart."""
        columns = self._by_axis({axis: of.alike for axis, of in self.axes.items()}, -1).values()
        group = np.repeat(np.arange(len(self.shape)), [prod(of) for of in self.shape.values()])
        return distinct(group, *columns)[1]

    def number(self, group: str, at: At) -> int:
        """The number of the device that stands for one."""
        axes = self.plan.groups[group].axes
        places = [self.axes[axis].place(np.array(x)) for axis, x in zip(axes, at, strict=True)]
        return self.first[group] + int(np.ravel_multi_index(tuple(places), self.shape[group]))

    def stand_for(self, group: GroupPlan) -> Numbers:
        """By device of a group, in the order of instances, the one that stands for it."""
        places = [
            self.axes[axis].place(np.arange(size))
            for axis, size in zip(group.axes, group.sizes, strict=True)
        ]
        number = np.ravel_multi_index(np.ix_(*places), self.shape[group.name])
        return self.first[group.name] + np.asarray(number).ravel()

    def device(self, number: int) -> Device:
        """The device of a number."""
        known = self._named.get(number)
        if known is None:
            _, name = max((first, name) for name, first in self.first.items() if first <= number)
            at = np.unravel_index(number - self.first[name], self.shape[name])
            values = zip(self.plan.groups[name].axes, at, strict=True)
            known = name, tuple(int(self.axes[axis].first[place]) for axis, place in values)
            self._named[number] = known
        return known

    def selected(self, selection: Selection) -> Numbers:
        """The devices that a selection names."""
        group = self.plan.groups[selection.group]
        ranges = {axis: (low, high) for axis, low, high in selection.ranges}
        places = [np.arange(many) for many in self.shape[group.name]]
        for number, axis in enumerate(group.axes):
            if axis in ranges:
                low, high = ranges[axis]
                first = self.axes[axis].first
                places[number] = np.flatnonzero((low <= first) & (first <= high))
        place = np.ravel_multi_index(np.ix_(*places), self.shape[group.name])
        return self.first[group.name] + np.asarray(place).ravel()

    def _has(self, end: LinkEnd) -> bool:
        """Whether the cables at an end are meant: at switches, and at NICs in the asked slots."""
        return not end.ports or self._slots is None or self._slots.get(end.group) == end.ports

    def _of_link(self, link: LinkPlan) -> Iterator[Cables]:
        """What a link deals, less what single cables replace, and the single cables of it."""
        if not (self._has(link.a) and self._has(link.b)):
            return
        go_on()
        dealt = _dealt(self, link)
        single = [cable for cable in self.plan.single_cables if cable.link == link.index]
        lost = [cable for cable in self.plan.replaced if cable.link == link.index]
        if link.a.ports or link.b.ports:
            yield dealt[
                ~(
                    self._freed(link.a, dealt.a, dealt.port_a)
                    | self._freed(link.b, dealt.b, dealt.port_b)
                )
            ]
            if single:
                ends = [
                    (
                        self.number(cable.a.group, cable.a.at),
                        self.number(cable.b.group, cable.b.at),
                        NO_PORT if cable.a.port is None or not cable.a.ports else cable.a.port,
                        NO_PORT if cable.b.port is None or not cable.b.ports else cable.b.port,
                    )
                    for cable in single
                ]
                yield _rows(link, *np.array(ends, np.int64).T)
            return
        more: dict[tuple[int, int], int] = defaultdict(int)
        for gone in lost:
            more[self.number(link.a.group, gone.a), self.number(link.b.group, gone.b)] -= 1
        for cable in single:
            more[self.number(link.a.group, cable.a.at), self.number(link.b.group, cable.b.at)] += 1
        met: set[tuple[int, int]] = set()
        for row in np.flatnonzero(np.isin(dealt.a, [a for a, _ in more])):
            pair = int(dealt.a[row]), int(dealt.b[row])
            if pair in more:
                dealt.count[row] += more[pair]
                met.add(pair)
        yield dealt
        if apart := sorted(more.keys() - met):
            a, b = np.array(apart, np.int64).T
            yield _rows(link, a, b, count=np.array([more[pair] for pair in apart], np.int64))

    def _freed(self, end: LinkEnd, devices: Numbers, ports: Numbers) -> Mask:
        """Which cables dealt to these ports gave way to single ones."""
        freed = [
            self.number(group, at) * _MOST_PORTS + port
            for (group, slots, at), of_device in rewired_of(self.plan).freed.items()
            if (group, slots) == (end.group, end.ports)
            for port in of_device
        ]
        return (
            np.isin(devices * _MOST_PORTS + ports, freed) if freed else np.zeros(len(ports), bool)
        )


def cables_between_switches(rows: FabricRows) -> Cables:
    """The cables between switches, both ways round."""
    cables = rows.cables
    between = cables[(cables.port_a == NO_PORT) & (cables.port_b == NO_PORT)]
    return Cables.joined([between, between.turned()])


def in_mbit(gbit: Rates) -> Numbers:
    """Speeds as whole numbers, Mb/s, by which equal ones are found."""
    return np.rint(gbit * 1000).astype(np.int64)


def distinct(*columns: Numbers) -> tuple[list[Numbers], Numbers]:
    """The distinct rows of columns of equal length, column by column, and which each row is."""
    least = [int(column.min(initial=0)) for column in columns]
    spans = [int(c.max(initial=0)) - low + 1 for c, low in zip(columns, least, strict=True)]
    if prod(spans) < 1 << 62:
        code = np.zeros(len(columns[0]), np.int64)
        for column, low, span in zip(columns, least, spans, strict=True):
            code = code * span + (column - low)
        _, first, which = np.unique(code, return_index=True, return_inverse=True)
    else:
        table = np.stack(columns, axis=1)
        _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return [column[first] for column in columns], which.ravel()


@once
def fabric_rows(plan: Plan, slots: tuple[tuple[str, str], ...] | None = None) -> FabricRows:
    """The rows of a plan, worked out once."""
    return FabricRows(plan, None if slots is None else dict(slots))


def _rows(
    link: LinkPlan,
    a: Numbers,
    b: Numbers,
    port_a: Numbers | int = NO_PORT,
    port_b: Numbers | int = NO_PORT,
    count: Numbers | int = 1,
    kind: Numbers | int = 0,
    many_a: Numbers | int = 1,
    many_b: Numbers | int = 1,
) -> Cables:
    """Rows of a link at its full speed; single numbers stand for all rows."""
    rows, given = len(a), (port_a, port_b, count, kind, many_a, many_b)
    whole = [np.broadcast_to(np.asarray(column, np.int64), rows) for column in given]
    ports_a, ports_b, counts, *more = (column.copy() for column in whole)
    index, gbit = np.full(rows, link.index, np.int64), np.full(rows, float(link.speed_gbit))
    return Cables(index, a, b, ports_a, ports_b, counts, gbit, *more)


def _dealt(rows: FabricRows, link: LinkPlan) -> Cables:
    """The cables that a link deals, as if all devices were there."""
    if link.bundle:
        return _dealt_over_sets(rows, link)
    plan, (one, other) = rows.plan, (rows.plan.groups[link.a.group], rows.plan.groups[link.b.group])
    here, steps = rows.at(one.name), _steps(rows, link, other)
    devices = prod(rows.shape[one.name])
    go_on(devices * _peers(steps) // 4)  # before any is made: they take memory, too
    there = {
        axis: (here[axis][:, None] + step) % len(rows.axes[axis])
        if axis in here and (axis in link.shared or axis in dict(link.along))
        else np.broadcast_to(step, (devices, len(step)))
        for axis, step in steps.items()
    }
    a = np.broadcast_to(np.arange(devices)[:, None], (devices, _peers(steps)))
    b = np.ravel_multi_index(tuple(there[axis] for axis in other.axes), rows.shape[other.name])
    keep = a < b if link.is_self else np.ones(a.shape, bool)
    if not (link.a.ports or link.b.ports):
        a, b = rows.first[one.name] + a[keep], rows.first[other.name] + b[keep]
        many_a, many_b = np.ones((2, len(a)), np.int64)
        for axis in link.a_only:
            many_a *= rows.many[axis][a]
        for axis in link.b_only:
            many_b *= rows.many[axis][b]
        count = link.cables_per_pair
        return _rows(link, a, b, count=count, many_a=many_a, many_b=many_b)
    turns = np.arange(link.cables_per_pair)
    values = {axis: np.broadcast_to(of[:, None], a.shape) for axis, of in here.items()}
    port_a = _ports(plan, link.a, link.peers_of_a, [(x, there[x]) for x in link.b_only], turns)
    port_b = _ports(plan, link.b, link.peers_of_b, [(x, values[x]) for x in link.a_only], turns)
    shape = (devices, len(turns), a.shape[1])
    columns = [
        np.broadcast_to(column, shape).ravel()
        for column in (
            rows.first[one.name] + a[:, None, :],
            rows.first[other.name] + b[:, None, :],
            port_a,
            port_b,
        )
    ]
    fitted = np.ones(prod(shape), bool)
    for end, ports in ((link.a, columns[2]), (link.b, columns[3])):
        if end.ports:
            fitted &= ports < plan.groups[end.group].port_groups[end.ports].ports
    return _rows(link, *(column[fitted] for column in columns))


def _steps(rows: FabricRows, link: LinkPlan, other: GroupPlan) -> dict[str, Numbers]:
    """By axis of the second end, how far each peer of a device lies along it, or its places."""
    words = dict.fromkeys(link.shared, "same") | dict(link.along)
    values: list[Iterable[int]] = []
    for axis, size in zip(other.axes, rows.shape[other.name], strict=True):
        around = sorted({1 % size, size - 1} - {0})
        steps = {"same": [0], "any": range(size), "other": range(1, size), "next": around}
        values.append(steps[words.get(axis, "any")])
    grid = np.meshgrid(*(np.array(list(v), np.int64) for v in values), indexing="ij")
    return {axis: of.ravel() for axis, of in zip(other.axes, grid, strict=True)}


def _peers(steps: Mapping[str, Numbers]) -> int:
    return len(next(iter(steps.values())))


def _ports(
    plan: Plan, end: LinkEnd, peers: int, apart: list[tuple[str, Numbers]], turns: Numbers
) -> Numbers:
    """The ports of NICs that cables take, round-robin over peers; ``NO_PORT`` at switches."""
    if not end.ports:
        return np.full((1, 1, 1), NO_PORT)
    rank = np.zeros((1, 1), np.int64)
    for axis, values in apart:
        rank = rank * plan.size(axis) + values
    return end.first_port + turns[None, :, None] * peers + rank[:, None, :]


def _dealt_over_sets(rows: FabricRows, link: LinkPlan) -> Cables:
    """Cables dealt over the members of sets, by the rule of :func:`relations.dealt_at`."""
    plan, group = rows.plan, rows.plan.groups[link.a.group]
    (around,) = (axis for axis, word in link.along if word == "other")
    over = [axis for axis, word in link.along if word == "dealt"]
    sets, members = plan.size(around), prod(plan.size(axis) for axis in over)
    at, positions = rows.at(group.name), (sets - 1) * link.bundle
    own = np.zeros(group.instances, np.int64)
    for axis in over:
        own = own * plan.size(axis) + at[axis]
    a, turn = np.nonzero(own[:, None] + members * np.arange(-(-positions // members)) < positions)
    position = own[a] + members * turn
    there = {axis: values[a] for axis, values in at.items()}
    there[around] = (there[around] + position // link.bundle + 1) % sets
    rank = (positions - 1 - position) % members
    for axis in reversed(over):
        rank, there[axis] = np.divmod(rank, plan.size(axis))
    b = np.ravel_multi_index(tuple(there[axis] for axis in group.axes), group.sizes)
    keep, first = a < b, rows.first[group.name]
    kind = np.minimum(position, positions - 1 - position)
    return _rows(
        link, first + a[keep], first + b[keep], count=link.cables_per_pair, kind=kind[keep]
    )


class _Edits:
    """What selectors take from rows, or slow down."""

    def __init__(self, rows: FabricRows, cables: Cables) -> None:
        self._rows = rows
        self._plan = rows.plan
        self._cables = cables
        self._links = {link.index: link for link in self._plan.every_link}
        self._in_slots: dict[tuple[int, str], Mask] = {}

    def left(self) -> Cables:
        """The cables that are there, at the speed that they run."""
        plan, cables = self._plan, self._cables
        gone = np.zeros(len(cables), np.int64)
        for selector in (*plan.absent, *plan.down):
            go_on(_STEPS_OF_A_SELECTOR)
            if selector.second is not None:
                gone[self._between(selector)] += (
                    _ALL if selector.cables is None else selector.cables
                )
            elif selector.first.ports is not None:
                gone[self._at_ends(selector.first)] += _ALL
        there = self._rows.there
        count = np.where(there[cables.a] & there[cables.b], np.maximum(0, cables.count - gone), 0)
        gbit = cables.gbit.copy()
        for slow in plan.slow:
            go_on(_STEPS_OF_A_SELECTOR)
            if slow.selector.cables is None:
                hit = self._hit(slow.selector)
                gbit[hit] = np.minimum(gbit[hit], self._gbit(slow, hit))
        parts = []
        for slow in plan.slow:
            if slow.selector.cables is not None:
                hit = self._between(slow.selector)
                taken = np.minimum(count[hit], slow.selector.cables)
                count[hit] -= taken
                slowed = np.minimum(gbit[hit], self._gbit(slow, hit))
                part = Cables(**{**vars(cables[hit]), "count": taken, "gbit": slowed})
                parts.append(part[taken > 0])
        whole = Cables(**{**vars(cables), "count": count, "gbit": gbit})
        return Cables.joined([whole[count > 0], *parts])

    def _gbit(self, slow: Slow, rows: Numbers) -> Rates:
        """By row of some, what a cable of its link runs that is slow."""
        of = np.zeros(max(self._links) + 1)
        for index, link in self._links.items():
            of[index] = slow.gbit_of(link)
        return of[self._cables.link[rows]]

    def _hit(self, selector: Selector) -> Numbers:
        return self._between(selector) if selector.is_cable else self._at_ends(selector.first)

    def _at_ends(self, of: Selection) -> Numbers:
        """The rows with an end at devices, or ports, of a selection."""
        found: list[Numbers] = []
        cables, devices = self._cables, self._rows.selected(of)
        for side, ports in enumerate((cables.port_a, cables.port_b)):
            at = self._by_device[side].rows(devices)
            if of.ports is not None:
                at = at[self._of_slots(side, of.ports)[cables.link[at]]]
                at = at if of.port is None else at[ports[at] == of.port]
            found.append(at)
        return np.unique(np.concatenate(found))

    def _of_slots(self, side: int, slots: str) -> Mask:
        """By link, whether it has its cables in these slots at a side."""
        found = self._in_slots.get((side, slots))
        if found is None:
            found = np.zeros(max(self._links) + 1, bool)
            for index, link in self._links.items():
                found[index] = (link.a, link.b)[side].ports == slots
            self._in_slots[side, slots] = found
        return found

    def _between(self, selector: Selector) -> Numbers:
        """The rows between devices of the two ends of a selector."""
        assert selector.second is not None
        ends = [self._rows.selected(end) for end in (selector.first, selector.second)]
        found = []
        for one, other in (ends, ends[::-1]):
            far = np.zeros(self._rows.devices, bool)
            far[other] = True
            at = self._by_device[0].rows(one)
            found.append(at[far[self._cables.b[at]]])
        return np.unique(np.concatenate(found))

    @cached_property
    def _by_device(self) -> tuple[RowsAt, RowsAt]:
        devices = self._rows.devices
        return RowsAt(self._cables.a, devices), RowsAt(self._cables.b, devices)


class RowsAt:
    """The rows of each device at one end."""

    def __init__(self, ends: Numbers, devices: int) -> None:
        self._order = np.argsort(ends, kind="stable")
        self._first = np.searchsorted(ends[self._order], np.arange(devices + 1))

    def rows(self, devices: Numbers) -> Numbers:
        """The rows of some devices."""
        start, many = self._first[devices], self._first[devices + 1] - self._first[devices]
        start -= np.cumsum(many) - many
        found: Numbers = self._order[np.repeat(start, many) + np.arange(int(many.sum()))]
        return found

    def of_one(self, device: int) -> Numbers:
        """The rows of one device."""
        return self._order[self._first[device] : self._first[device + 1]]

    def each(self, devices: Numbers) -> tuple[Numbers, Numbers]:
        """The same, with the place of the device of each row among these."""
        many = self._first[devices + 1] - self._first[devices]
        return np.repeat(np.arange(len(devices)), many), self.rows(devices)
