"""Lengths of many cables at once, as arrays; :class:`~.lengths.CableLengths` has single ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.racks.instances import blocks
from toposmith.racks.lengths import METRE, STEPS, depth_below_tray
from toposmith.racks.placement import NOWHERE, Placement

Numbers = npt.NDArray[np.int64]


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
    a: list[Numbers] = []
    b: list[Numbers] = []
    of_a: list[Numbers] = []
    of_b: list[Numbers] = []
    for these, those in blocks(plan, link):
        a.append(np.repeat(np.array(these, dtype=np.int64), len(those)))
        b.append(np.tile(np.array(those, dtype=np.int64), len(these)))
        of_a.append(np.tile(np.arange(len(those)), len(these)))
        of_b.append(np.repeat(np.arange(len(these)), len(those)))
    if not a:
        return None
    ends = np.concatenate(a), np.concatenate(b)
    at_a, at_b = _stands(placement, link.a.group), _stands(placement, link.b.group)
    if at_a is None or at_b is None:
        return None
    rack_a, row_a, column_a, depth_a = (each[ends[0]] for each in at_a)
    rack_b, row_b, column_b, depth_b = (each[ends[1]] for each in at_b)
    floor = placement.floor
    way = abs(column_a - column_b) * floor.pitch + abs(row_a - row_b) * floor.row_pitch
    within = rack_a == rack_b
    units = np.where(within, abs(depth_a - depth_b), way + depth_a + depth_b)
    coded = 2 * _half_metres(units + floor.pitch + floor.slack) + within
    found = np.flatnonzero(np.bincount(coded))
    number = np.zeros(found[-1] + 1, dtype=np.int64)
    number[found] = np.arange(len(found))
    lengths = tuple((int(code) // 2 / 2, bool(code % 2)) for code in found)
    return DevicePairs(*ends, np.concatenate(of_a), np.concatenate(of_b), lengths, number[coded])


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
