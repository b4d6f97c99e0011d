"""Connections of a link as arrays: for a quarter of a million of them in a tenth of a second."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from toposmith.cancellation import go_on
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.racks.connections import Missing, blocks, connections

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
