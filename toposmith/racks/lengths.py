"""Lengths of cables: along the racks and the trays above them, with slack.

A cable leaves its port for the side of its rack, runs up to the tray, along its row, across to the
other row and back down. Within a rack it stays there. Measures are those of
:mod:`toposmith.racks.rack_devices`; what is assumed is said in ``docs/racks.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from toposmith.cancellation import go_on
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.racks.connection_arrays import Numbers, device_pairs
from toposmith.racks.connections import Missing, blocks, connections, missing
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
            each, pairs = 1, _stepped(_one_by_one(plan, link, placement, gone))
        found += [
            CableRun(link.index, many * each, *key) for key, many in sorted(pairs.items()) if many
        ]
    return tuple(found)


def _stepped(lengths: Mapping[tuple[int, bool], int]) -> dict[tuple[float, bool], int]:
    """The same in metres, up to the next step."""
    stepped: Counter[tuple[float, bool]] = Counter()
    for (length, within), many in lengths.items():
        stepped[in_metres(length), within] += many
    return dict(stepped)


def _of_pairs(plan: Plan, link: LinkPlan, placement: Placement) -> dict[tuple[float, bool], int]:
    """Lengths from device to device of a link whose blocks are whole, one cable for each pair.

    More cables, or faster ones, lie along the same racks: once for each placement.
    """
    between = (link.a.group, link.b.group, link.shared, link.a_only, link.b_only)
    ways = (*between, link.along, link.bundle)
    known = placement.result_cache
    if ways not in known:
        known[ways] = _stepped(_in_blocks(plan, link, placement))
    found: dict[tuple[float, bool], int] = known[ways]
    return found


def _in_blocks(plan: Plan, link: LinkPlan, placement: Placement) -> dict[tuple[int, bool], int]:
    """Lengths of a link whose blocks are whole, rack by rack, one cable for each pair."""
    # Lists of plain numbers, counted at the end: a large design has a quarter of a million of them.
    within: list[int] = []
    across: list[int] = []
    for of_a, of_b in blocks(plan, link):
        go_on()
        depths_b = _by_rack(placement, link.b.group, of_b)
        for rack_a, depths_a in _by_rack(placement, link.a.group, of_a).items():
            for rack_b, others in depths_b.items():
                if rack_a == rack_b:
                    within += [_within(placement, a, b) for a in depths_a for b in others]
                else:
                    way = _between(placement, rack_a, rack_b)
                    across += [way + a + b for a in depths_a for b in others]
    counted = {(length, True): many for length, many in Counter(within).items()}
    return counted | {(length, False): many for length, many in Counter(across).items()}


def _one_by_one(
    plan: Plan, link: LinkPlan, placement: Placement, gone: Missing
) -> Counter[tuple[int, bool]]:
    """Lengths of a link that lacks cables or ports."""
    lengths: Counter[tuple[int, bool]] = Counter()
    name_a, name_b = link.a.group, link.b.group
    racks_a, racks_b = placement.rack_of[name_a], placement.rack_of[name_b]
    units_a, units_b = placement.unit_of[name_a], placement.unit_of[name_b]
    for a, b, _, _ in connections(plan, link, gone):
        one = depth_below_tray(placement, name_a, units_a[a])
        other = depth_below_tray(placement, name_b, units_b[b])
        if racks_a[a] == racks_b[b]:
            lengths[_within(placement, one, other), True] += 1
        else:
            lengths[_between(placement, racks_a[a], racks_b[b]) + one + other, False] += 1
    return lengths


def _by_rack(placement: Placement, name: str, numbers: Iterable[int]) -> dict[int, list[int]]:
    """Depths below the tray of these instances, by their racks; absent ones are nowhere."""
    racks, units = placement.rack_of[name], placement.unit_of[name]
    depths: dict[int, int] = {}
    found: dict[int, list[int]] = {}
    for number in numbers:
        rack = racks[number]
        if rack != NOWHERE:
            unit = units[number]
            if unit not in depths:
                depths[unit] = depth_below_tray(placement, name, unit)
            found.setdefault(rack, []).append(depths[unit])
    return found


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
    at_a, at_b = _stands(placement, link.a.group), _stands(placement, link.b.group)
    if at_a is None or at_b is None:
        return None
    rack_a, row_a, column_a, depth_a = (each[a] for each in at_a)
    rack_b, row_b, column_b, depth_b = (each[b] for each in at_b)
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


def _half_metres(lengths: Numbers) -> Numbers:
    """Lengths up to the next step that cables are counted in, in half metres."""
    upto = [lengths <= most for most, _ in STEPS if most is not None]
    step = np.select(upto, [step for _, step in STEPS[:-1]], STEPS[-1][1])
    found: Numbers = -(-lengths // step) * step // (METRE // 2)
    return found


def _stands(placement: Placement, name: str) -> tuple[Numbers, Numbers, Numbers, Numbers] | None:
    """Rack, row, column and depth below the tray of every device of a group."""
    racks = np.array(placement.rack_of.get(name, ()), dtype=np.int64)
    if not len(racks) or (racks == NOWHERE).any():
        return None
    at = np.array(placement.racks, dtype=np.int64)[racks]
    units = placement.unit_of[name]
    depths = {unit: depth_below_tray(placement, name, unit) for unit in set(units)}
    below = np.array([depths[unit] for unit in units], dtype=np.int64)
    return racks, at[:, 0], at[:, 1], below
