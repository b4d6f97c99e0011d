"""Lengths of cables: along the racks and the trays above them, with slack.

A cable leaves its port for the side of its rack, runs up to the tray, along its row, across to the
other row and back down. Within a rack it stays there. Measures are those of
:mod:`toposmith.racks.rack_devices`; what is assumed is said in ``docs/racks.md``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.racks.connections import Numbers, connection_array, device_pairs, missing
from toposmith.racks.placement import NOWHERE, Placement
from toposmith.racks.rack_devices import UNIT

METRE = 100_000
# Cables are counted in the lengths that makers' lists are made of: by half metres up to 5 m, by
# metres up to 30, by fives beyond. Every length on sale in the catalog is one of them.
STEPS = ((5 * METRE, METRE // 2), (30 * METRE, METRE), (None, 5 * METRE))


@dataclass(frozen=True)
class CableRun:
    """Connections of one link with the same length.

    Parameters
    ----------
    link : int
        Index of the link.
    connections : int
        Ports joined to ports.
    length_m : float
        Metres along the racks with slack, before rounding up to a length on sale.
    within_rack : bool
        Whether both ends are in one rack.
    """

    link: int
    connections: int
    length_m: float
    within_rack: bool


class CableLengths:
    """Lengths of cables between instances; depths below the tray are computed once."""

    def __init__(self, placement: Placement) -> None:
        self._placement = placement
        self._depths: dict[tuple[str, int], int] = {}
        self._metres: dict[int, float] = {}

    def between(self, name_a: str, a: int, name_b: str, b: int) -> tuple[float, bool] | None:
        """Metres between two instances, and whether they share a rack; None if one has none."""
        placement = self._placement
        if name_a not in placement.rack_of or name_b not in placement.rack_of:
            return None
        rack_a, rack_b = placement.rack_of[name_a][a], placement.rack_of[name_b][b]
        if NOWHERE in (rack_a, rack_b):
            return None
        depth_a = self._depth(name_a, placement.unit_of[name_a][a])
        depth_b = self._depth(name_b, placement.unit_of[name_b][b])
        if rack_a == rack_b:
            return self._stepped(_within(placement, depth_a, depth_b)), True
        return self._stepped(_between(placement, rack_a, rack_b) + depth_a + depth_b), False

    def _depth(self, name: str, unit: int) -> int:
        key = (name, unit)
        if key not in self._depths:
            self._depths[key] = depth_below_tray(self._placement, name, unit)
        return self._depths[key]

    def _stepped(self, length: int) -> float:
        if length not in self._metres:
            self._metres[length] = in_metres(length)
        return self._metres[length]


def runs(plan: Plan, placement: Placement) -> tuple[CableRun, ...]:
    """The lengths of all cables, grouped by link and length.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; what is absent has no cables.
    placement : Placement
        Where its devices stand.

    Returns
    -------
    tuple of CableRun
        By link, then by length. Links of which one end stands in no rack have none.
    """
    if not placement.rack_of:
        return ()
    gone = missing(plan)
    found: list[CableRun] = []
    for link in plan.every_link:
        if link.a.group not in placement.rack_of or link.b.group not in placement.rack_of:
            continue
        if gone.is_whole(link):
            each, pairs = link.cables_per_pair, _of_pairs(plan, link, placement)
        else:
            each, pairs = 1, _counted(placement, link, connection_array(plan, link, gone))
        found += [CableRun(link.index, many * each, *key) for key, many in sorted(pairs.items())]
    return tuple(found)


def _of_pairs(plan: Plan, link: LinkPlan, placement: Placement) -> dict[tuple[float, bool], int]:
    """Lengths from device to device of a link whose blocks are whole, one cable for each pair.

    More cables, or faster ones, lie along the same racks: once for each placement.
    """
    between = (link.a.group, link.b.group, link.shared, link.a_only, link.b_only)
    ways = (*between, link.along, link.bundle)
    known = placement.result_cache
    if ways not in known:
        known[ways] = _counted(placement, link, device_pairs(plan, link))
    found: dict[tuple[float, bool], int] = known[ways]
    return found


def _counted(placement: Placement, link: LinkPlan, pairs: Numbers) -> dict[tuple[float, bool], int]:
    """How many pairs there are of each length; devices that stand nowhere have none."""
    a, b = pairs[0], pairs[1]
    racks_a, racks_b = (np.array(placement.rack_of[end.group]) for end in (link.a, link.b))
    there = (racks_a[a] != NOWHERE) & (racks_b[b] != NOWHERE)
    lengths, which = _lengths_of(placement, link, a[there], b[there])
    return dict(zip(lengths, np.bincount(which, minlength=len(lengths)).tolist(), strict=True))


def depth_below_tray(placement: Placement, name: str, unit: int) -> int:
    """From the middle of a device up to the tray above its rack."""
    floor = placement.floor
    middle = (2 * (unit - 1) + placement.devices[name].units) * UNIT // 2
    return max(0, floor.units * UNIT - middle) + floor.tray


def _within(placement: Placement, depth_a: int, depth_b: int) -> int:
    """To the side of the rack, along it and back to a port; the side is half a rack away."""
    return abs(depth_a - depth_b) + placement.floor.pitch + placement.floor.slack


def _between(placement: Placement, rack_a: int, rack_b: int) -> int:
    """Along the trays from the top of a rack to that of another, with both sides and the slack."""
    floor = placement.floor
    (row_a, column_a), (row_b, column_b) = placement.racks[rack_a], placement.racks[rack_b]
    along = abs(column_a - column_b) * floor.pitch + abs(row_a - row_b) * floor.row_pitch
    return along + floor.pitch + floor.slack


def in_metres(length: int) -> float:
    """The length in metres, up to the next step."""
    step = next(step for upto, step in STEPS if upto is None or length <= upto)
    return -(-length // step) * step / METRE


@dataclass(frozen=True)
class DevicePairs:
    """Every pair of devices that a whole link joins.

    Parameters
    ----------
    a, b : array of int
        Number of the device at each end.
    of_a, of_b : array of int
        Which of its peers the other end is to each, as ports are dealt.
    lengths : tuple of (float, bool)
        The distinct lengths in metres, and whether both ends are in one rack.
    length : array of int
        Which of these a pair has.
    """

    a: Numbers
    b: Numbers
    of_a: Numbers
    of_b: Numbers
    lengths: tuple[tuple[float, bool], ...]
    length: Numbers


def pairs_of(plan: Plan, link: LinkPlan, placement: Placement) -> DevicePairs | None:
    """The pairs of a link whose blocks are whole; None where a device of it stands nowhere."""
    pairs = device_pairs(plan, link)
    if not pairs.shape[1]:
        return None
    known = lengths_of(placement, link, pairs[0], pairs[1])
    a, b, of_a, of_b = pairs
    return None if known is None else DevicePairs(a, b, of_a, of_b, *known)


def lengths_of(
    placement: Placement, link: LinkPlan, a: Numbers, b: Numbers
) -> tuple[tuple[tuple[float, bool], ...], Numbers] | None:
    """Lengths between pairs of devices of a link.

    Parameters
    ----------
    placement : Placement
        Where devices stand.
    link : LinkPlan
        The link whose ends they are.
    a, b : array of int
        Number of the device at each end, by pair.

    Returns
    -------
    tuple or None
        The distinct lengths in metres, and whether both ends are in one rack; then which of these
        a pair has. None where a device of either group stands nowhere.
    """
    for end in (link.a, link.b):
        if NOWHERE in placement.rack_of.get(end.group, (NOWHERE,)):
            return None
    return _lengths_of(placement, link, a, b)


def _lengths_of(
    placement: Placement, link: LinkPlan, a: Numbers, b: Numbers
) -> tuple[tuple[tuple[float, bool], ...], Numbers]:
    rack_a, row_a, column_a, depth_a = _stand(placement, link.a.group, a)
    rack_b, row_b, column_b, depth_b = _stand(placement, link.b.group, b)
    floor = placement.floor
    way = abs(column_a - column_b) * floor.pitch + abs(row_a - row_b) * floor.row_pitch
    within = rack_a == rack_b
    units = np.where(within, abs(depth_a - depth_b), way + depth_a + depth_b)
    coded = 2 * _half_metres(units + floor.pitch + floor.slack) + within
    found = np.flatnonzero(np.bincount(coded))
    number = np.zeros(int(coded.max(initial=0)) + 1, dtype=np.int64)
    number[found] = np.arange(len(found))
    lengths = tuple((int(code) // 2 / 2, bool(code % 2)) for code in found)
    return lengths, number[coded]


def least_ways(placement: Placement, link: LinkPlan, a: Numbers, b: Numbers) -> Numbers:
    """The shortest ways between pairs of devices in racks, without slack.

    Straight where both stand in one rack or side by side, else along the trays.
    """
    _, row_a, column_a, depth_a = _stand(placement, link.a.group, a)
    _, row_b, column_b, depth_b = _stand(placement, link.b.group, b)
    across, along = abs(row_a - row_b), abs(column_a - column_b)
    straight = (across == 0) & (along <= 1)
    down = np.where(straight, abs(depth_a - depth_b), depth_a + depth_b)
    ways: Numbers = across * placement.floor.row_pitch + along * placement.floor.pitch + down
    return ways


def _half_metres(lengths: Numbers) -> Numbers:
    """Lengths up to the next step that cables are counted in, in half metres."""
    upto = [lengths <= most for most, _ in STEPS if most is not None]
    step = np.select(upto, [step for _, step in STEPS[:-1]], STEPS[-1][1])
    found: Numbers = -(-lengths // step) * step // (METRE // 2)
    return found


def _stand(
    placement: Placement, name: str, numbers: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Rack, row, column and depth below the tray of some devices of a group."""
    racks = np.array(placement.rack_of[name], dtype=np.int64)[numbers]
    at = np.array(placement.racks, dtype=np.int64).reshape(-1, 2)[racks]
    units = placement.unit_of[name]
    depths = {unit: depth_below_tray(placement, name, unit) for unit in set(units)}
    below = np.array([depths[unit] for unit in units], dtype=np.int64)[numbers]
    return racks, at[:, 0], at[:, 1], below
