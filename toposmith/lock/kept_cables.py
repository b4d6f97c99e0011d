"""Cables of a lock that stay: at the same devices, at the same ports of nodes, in parts that fit.

Lines and connections are compared as arrays, link by link: a large fabric has 400,000 of them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from toposmith.cancellation import go_on
from toposmith.lock.lock_columns import LockColumns, columns_of
from toposmith.lock.lock_file import FabricLock, LockedCable, LockedDevice
from toposmith.lock.taken_ports import KeptEnds, TakenPorts
from toposmith.lock.typed_ports import typed_ports
from toposmith.lock.wanted_connections import DeviceKey, WantedConnections
from toposmith.racks.connections import Numbers
from toposmith.racks.locked_devices import locked_devices
from toposmith.racks.placement import written_place

Flags = npt.NDArray[np.bool_]

_PORTS = 1 << 12
"""More than a slot group of a node has ports."""


_WAYS = ((1, 0), (0, 1))
"""By end of a link, that of a line which is the other way round, and of one which is not."""


@dataclass(frozen=True)
class KeptRows:
    """What stays of a link, by connection.

    Parameters
    ----------
    row : array of int
        Its row in the lock.
    number, spot : array of int
        By end of the link, the number of its device, and the place of its port.
    kit : array of int
        What it is made of.
    flipped : array of bool
        Whether the line begins at the second end of the link.
    """

    row: Numbers
    number: Numbers
    spot: Numbers
    kit: Numbers
    flipped: Flags


@dataclass(frozen=True)
class _Devices:
    """Devices of a lock in the design: group by its place there, number, -1 where it has none.

    ``same`` says whether one is of the part that it was, ``stands`` whether it stands where it did.
    """

    group: Numbers
    number: Numbers
    same: Flags
    stands: Flags


class KeptCables:
    """What stays of a lock.

    Parameters
    ----------
    lock : FabricLock
        The lock of a design.
    wanted : WantedConnections
        The design as it is now.

    Attributes
    ----------
    columns : LockColumns
        The cables of the lock.
    row_of : list of array
        By link, the row of each of its connections in the lock; -1 for one that is new.
    left : list of int
        Rows of cables that nothing keeps: whole ones first, then those of unknown parts and halves.
    ports : TakenPorts
        Ports that what stays takes.
    key_of : dict
        Group and number of a device by its lasting name.
    pins : dict
        By link, connection and end, the place of the port that ``cables:`` types for it.
    typed : set
        Group, number and place of all these ports.
    """

    def __init__(self, lock: FabricLock, wanted: WantedConnections) -> None:
        self._lock, self._wanted = lock, wanted
        self.columns: LockColumns = columns_of(lock)
        self._was: dict[DeviceKey, LockedDevice] = {}
        self.key_of: dict[str, DeviceKey] = {}
        for name, known in locked_devices(wanted.plan).items():
            for number, device in known.items():
                self._was[name, number] = device
                self.key_of[device.name] = (name, number)
        self.pins = typed_ports(wanted.plan, wanted.connections)
        self.typed = {
            (wanted.end(place, side).group, int(wanted.connections[place][side, at]), spot)
            for (place, at, side), spot in self.pins.items()
        }
        self.row_of = [np.full(found.shape[1], -1, dtype=np.int64) for found in wanted.connections]
        self._stays = np.zeros(len(lock.cables), dtype=bool)
        # unknown parts and halves of twin cables come last, so that whole ones keep their pairs
        for rows in (self._is_whole, ~self._is_whole):
            for place in range(len(wanted.links)):
                go_on()
                self._keep(place, rows)
        ends = self._kept_ends()
        if len(clashing := ends.cages.clashing):
            self._stays[clashing] = False
            for kept in self.row_of:
                kept[np.isin(kept, clashing)] = -1
            ends = self._kept_ends()
        self.ports = TakenPorts(wanted, ends)
        gone = ~self._stays
        self.left: list[int] = [
            row
            for rows in (gone & self._is_whole, gone & ~self._is_whole)
            for row in np.flatnonzero(rows).tolist()
        ]

    @property
    def rows(self) -> Numbers:
        """Rows of the cables that stay, in the order of the lock."""
        return np.flatnonzero(self._stays)

    @cached_property
    def _is_whole(self) -> Flags:
        """By row, whether the part is known and all that its cable carries has its label."""
        columns = self.columns
        known = np.array([part != "" for part, *_ in columns.kits], dtype=bool)
        return known[columns.kit] & (columns.many[columns.label] >= self._carried[columns.kit])

    @cached_property
    def _carried(self) -> Numbers:
        """By kit, the connections of a straight cable of it."""
        carried = self._wanted.carried
        return np.array(
            [carried.get((part, gbit), 1) for part, gbit, *_ in self.columns.kits], dtype=np.int64
        )

    @cached_property
    def _devices(self) -> _Devices:
        """The devices of the lock, and one more for those without a line."""
        plan, keys = self._wanted.plan, [self.key_of.get(one.name) for one in self._lock.devices]
        groups = {name: at for at, name in enumerate(plan.groups)}
        known = [(groups[key[0]], key[1]) if key else (-1, -1) for key in [*keys, None]]
        same = [
            key is not None and self._was[key].part == plan.groups[key[0]].spec.part
            for key in [*keys, None]
        ]
        stands = [key is not None and self._stands(key) for key in [*keys, None]]
        group, number = np.array(known, dtype=np.int64).T
        return _Devices(group, number, np.array(same), np.array(stands))

    def _stands(self, key: DeviceKey) -> bool:
        """Whether a device stands where its line says, or nowhere."""
        device = self._was[key]
        rack, unit = written_place(self._wanted.placement, *key)
        return not rack or not device.rack or (device.rack, device.unit) == (rack, unit)

    def _keep(self, place: int, rows: Flags) -> None:
        """Keep what joins the ends of a link, of some rows."""
        columns, devices, link = self.columns, self._devices, self._wanted.links[place]
        names = list(self._wanted.plan.groups)
        rate = np.array([kit[1] in ("", str(link.speed_gbit)) for kit in columns.kits], dtype=bool)
        open_ = rows & ~self._stays & rate[columns.kit]
        ends = [devices.group[end] for end in columns.device]
        groups = [names.index(end.group) for end in (link.a, link.b)]
        found: list[Numbers] = []
        for ways in ((0, 1), (1, 0)):
            meet = open_ & (ends[ways[0]] == groups[0]) & (ends[ways[1]] == groups[1])
            ats = np.flatnonzero(meet)
            numbers = [devices.number[columns.device[end][ats]] for end in ways]
            spots = [
                self._spots(place, side)[columns.port[end][ats]] for side, end in enumerate(ways)
            ]
            there = (spots[0] >= 0) & (spots[1] >= 0)
            found.append(np.stack([ats, *numbers, *spots])[:, there])
        joined = np.concatenate(found, axis=1)
        self._match(place, joined[:, self._fits(place, joined)])

    def _fits(self, place: int, joined: Numbers) -> Flags:
        """Whether cables still go: devices and places as before, or of the link's parts."""
        columns, devices, lock = self.columns, self._devices, self._lock
        row, a, b = joined[:3]
        ends = [end[row] for end in columns.device]
        same = devices.same[ends[0]] & devices.same[ends[1]]
        stand = devices.stands[ends[0]] & devices.stands[ends[1]]
        fitting = self._wanted.fitting[place] | {""}
        of_link = np.array([kit[0] in fitting for kit in columns.kits], dtype=bool)
        fits: Flags = same | of_link[columns.kit[row]]
        names = [self._wanted.end(place, side).group for side in (0, 1)]
        for at in np.flatnonzero(fits & ~stand).tolist():
            metres = lock.cables[row[at]].metres
            need = self._wanted.lengths.between(names[0], int(a[at]), names[1], int(b[at]))
            fits[at] = not metres or need is None or need[0] <= float(metres)
        return fits

    def _spots(self, place: int, side: int) -> Numbers:
        """The place of each port of the lock at this end of a link, by its number; -1 for none."""
        known = self._wanted.ports[place][side].place
        return np.array([known.get(name, -1) for name in self.columns.ports], dtype=np.int64)

    def _match(self, place: int, joined: Numbers) -> None:
        """Give cables to the connections of a link: rows, devices and ports at both ends.

        The ports of nodes have to be the same, and those of switches that are typed.
        """
        joined = joined[:, np.argsort(joined[0], kind="stable")]
        rows, has_ends = joined[0], joined[1:].copy()
        wants_ends = self._wanted.connections[place].copy()
        for (link, at, side), spot in self.pins.items():
            if link == place:
                wants_ends[2 + side, at] = spot
        for side, ports in enumerate(self._wanted.ports[place]):
            if ports.of_switch:
                has_ends[2 + side] = np.where(
                    self._typed_at(place, side, joined), joined[3 + side], -1
                )
        wide = self._wanted.plan.groups[self._wanted.end(place, 1).group].instances
        wants, has = _keys(wants_ends, wide), _keys(has_ends, wide)
        by_want, by_has = np.argsort(wants, kind="stable"), np.argsort(has, kind="stable")
        # of what is taken already a connection is none any more
        by_want = by_want[self.row_of[place][by_want] < 0]
        wants, has = wants[by_want], has[by_has]
        turn = np.arange(len(has)) - np.searchsorted(has, has)
        first = np.searchsorted(wants, has) + turn
        met = first < len(wants)
        met[met] = wants[first[met]] == has[met]
        self.row_of[place][by_want[first[met]]] = rows[by_has[met]]
        self._stays[rows[by_has[met]]] = True

    def _typed_at(self, place: int, side: int, joined: Numbers) -> Flags:
        """Which cables are at a port of a switch that ``cables:`` types, at one end of a link."""
        group, found = self._wanted.end(place, side).group, np.zeros(joined.shape[1], dtype=bool)
        for name, number, spot in self.typed:
            if name == group:
                found |= (joined[1 + side] == number) & (joined[3 + side] == spot)
        return found

    def rows_of(self, place: int) -> KeptRows:
        """What stays of a link."""
        columns, rows = self.columns, self.row_of[place]
        devices, has = self._devices, rows >= 0
        rows, numbers = rows[has], self._wanted.connections[place][:2, has]
        names = list(self._wanted.plan.groups)
        device = columns.device[0][rows]
        own = names.index(self._wanted.end(place, 0).group)
        flipped = (devices.group[device] != own) | (devices.number[device] != numbers[0])
        ports = [np.where(flipped, *(columns.port[end][rows] for end in ends)) for ends in _WAYS]
        spots = np.stack([self._spots(place, side)[ports[side]] for side in (0, 1)])
        return KeptRows(rows, numbers, spots, columns.kit[rows], flipped)

    def _kept_ends(self) -> KeptEnds:
        """Both ends of all cables that stay."""
        columns, parts = self.columns, [np.zeros((6, 0), dtype=np.int64)]
        plugs = list(dict.fromkeys(plug for kit in columns.kits for plug in kit[2:]))
        plug_of = np.array(
            [[plugs.index(plug) for plug in kit[2:]] for kit in columns.kits], dtype=np.int64
        ).reshape(-1, 2)
        for place in range(len(self._wanted.links)):
            kept = self.rows_of(place)
            for side in (0, 1):
                which = np.full((2, len(kept.row)), [[place], [side]])
                plug = plug_of[kept.kit, kept.flipped ^ side]
                parts.append(np.stack([kept.row, *which, kept.number[side], kept.spot[side], plug]))
        row, link, end, number, spot, plug = np.concatenate(parts, axis=1)
        return KeptEnds(self._wanted, row, link, end, number, spot, plug, plugs)

    @cached_property
    def half_used(self) -> dict[frozenset[str], list[LockedCable]]:
        """Kept connections whose straight cable carries another one that is dark, by devices."""
        columns, rows = self.columns, self.rows
        many = np.bincount(columns.label[rows], minlength=len(columns.labels))
        halves: dict[frozenset[str], list[LockedCable]] = defaultdict(list)
        for row in rows[many[columns.label[rows]] < self._carried[columns.kit[rows]]].tolist():
            line = self._lock.cables[row]
            halves[frozenset((line.a, line.z))].append(line)
        return halves


def _keys(joined: Numbers, wide: int) -> Numbers:
    """Devices and ports of nodes in one number; ports may be -1."""
    a, b, port_a, port_b = joined
    keys: Numbers = ((a * wide + b) * _PORTS + port_a + 1) * _PORTS + port_b + 1
    return keys
