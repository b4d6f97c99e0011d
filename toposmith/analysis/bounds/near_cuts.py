"""Cuts near the nodes of each value of an axis, on rows of cables."""

from __future__ import annotations

import numpy as np

from toposmith.analysis.bounds.cut_links import PER_GBPS
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_network import Amounts, row_network
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Numbers, RowsAt, distinct
from toposmith.units import line_rate_GBps


def cuts_near(network: ComputeNetwork, axis: str) -> dict[int, tuple[int, int]]:
    """For each value of an axis its GPUs, and the capacity of a cut near its nodes, MB/s.

    A switch is on these nodes' side where it takes at least as much from them as from
    elsewhere: usually the narrowest cut, and never below it.
    """
    net, groups = row_network(network), network.world.groups
    devices, kinds, of, between = net.rows.devices, net.kinds, net.attachments, net.between
    carried = whole_MBps(between.gbit) * between.count
    kind, cable, count = net.cables_of_kinds
    into = whole_MBps(of.gbit)[cable] * count
    whole = _summed(of.switch[cable], into * kinds.count[kind], devices)
    whole += _summed(between.a, carried, devices)
    gpus = np.array([gpus_of(of) if of.name in network.slots else 0 for of in groups], np.int64)
    (value, of_value), node = distinct(net.rows.values[axis][kinds.nodes], kinds.of_node)
    nodes, at = np.bincount(node, minlength=len(value)), RowsAt(between.a, devices)
    found: dict[int, tuple[int, int]] = {}
    for each in np.unique(value[value >= 0]).tolist():
        go_on(devices)
        held = np.zeros(len(kinds.count), np.int64)
        held[of_value[value == each]] = nodes[value == each]
        from_nodes = _summed(of.switch[cable], into * held[kind], devices)
        of_side, inside = from_nodes.copy(), np.zeros(devices, bool)
        met = np.flatnonzero(from_nodes)
        while len(met := met[~inside[met] & (2 * of_side[met] >= whole[met])]):
            inside[met] = True
            rows = at.rows(met)
            of_side += _summed(between.b[rows], carried[rows], devices)
            met = np.unique(between.b[rows])
        beyond = from_nodes[~inside].sum() + (whole - of_side)[inside].sum()
        found[each] = int(held @ gpus[kinds.group]), int(beyond)
    return found


def whole_MBps(gbit: Amounts) -> Numbers:
    """Whole MB/s of cables that run so many Gb/s."""
    return np.rint(line_rate_GBps(1) * gbit * PER_GBPS).astype(np.int64)


def _summed(at: Numbers, amounts: Numbers, devices: int) -> Numbers:
    """The sum of amounts by device; exact, since they are whole and below 2^53 together."""
    return np.bincount(at, amounts, devices).astype(np.int64)
