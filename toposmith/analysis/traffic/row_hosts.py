"""Nodes of which each has all its NICs on one switch, by these switches."""

from __future__ import annotations

import numpy as np

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_classes import row_classes
from toposmith.analysis.traffic.row_network import Amounts, RowNetwork, row_network
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.fabric.classes import Arc
from toposmith.fabric.device import Device
from toposmith.fabric.rows import Numbers


def gpus_of_kinds(network: ComputeNetwork, net: RowNetwork) -> Numbers:
    """By kind of nodes, the GPUs of one."""
    gpus = np.array([gpus_of(group) for group in network.world.groups], np.int64)
    found: Numbers = gpus[net.kinds.group]
    return found


def switches_of_kinds(network: ComputeNetwork) -> Numbers:
    """By kind of nodes, the number of the switch that all NICs of a node are on.

    Raises
    ------
    Unreachable
        If a node has no cable.
    ValueError
        If a node has NICs on several switches.
    """
    net = row_network(network)
    kind, cable, _ = net.cables_of_kinds
    at, kinds = net.attachments.switch[cable], len(net.kinds.count)
    first, last = np.full(kinds, net.rows.devices), np.full(kinds, -1)
    np.minimum.at(first, kind, at)
    np.maximum.at(last, kind, at)
    for odd in np.flatnonzero(first != last):
        name = network.world.groups[int(net.kinds.group[odd])].name
        if last[odd] < 0:
            raise Unreachable(name, name)
        raise ValueError(
            f"nodes of {name} have NICs on several switches that dealt cables join; an all-to-all "
            "is worked out where all NICs of a node are on one"
        )
    return first


def gpus_by_switch(network: ComputeNetwork) -> dict[Device, int]:
    """The GPUs of the nodes on every switch.

    Raises
    ------
    Unreachable
        If a node has no cable.
    ValueError
        If a node has NICs on several switches.
    """
    net, at = row_network(network), switches_of_kinds(network)
    gpus: Numbers = np.zeros(net.rows.devices, np.int64)
    np.add.at(gpus, at, gpus_of_kinds(network, net) * net.kinds.count)
    return {net.rows.device(int(switch)): int(gpus[switch]) for switch in np.unique(at)}


def exchanged_by_cable(network: ComputeNetwork, *, weighted: bool) -> Amounts:
    """By kind, slot and place of a cable, what it carries in an all-to-all, out and in alike.

    In units of one rank's sending rate; what a node exchanges is spread evenly over its NICs.
    """
    net, world = row_network(network), network.world
    gpus = gpus_of_kinds(network, net)
    kinds, of = net.kinds, net.attachments
    inside: Amounts = np.bincount(kinds.domain, gpus * kinds.count).astype(float)[kinds.domain]
    elsewhere = world.gpus - (inside if world.joined else gpus)
    held = of.cable >= 0
    weight = np.where(held, of.gbit[np.maximum(of.cable, 0)] if weighted else 1.0, 0.0)
    share = weight / (of.count * weight).sum(axis=1, keepdims=True)
    cabled = kinds.at >= 0
    each = gpus * elsewhere / world.gpus / np.maximum(cabled.sum(axis=1), 1)
    found: Amounts = each[:, None, None] * np.where(cabled[:, :, None], share[kinds.at], 0.0)
    return found


def exchange_at_nics(network: ComputeNetwork) -> dict[Arc, float]:
    """Loads of the worst cable of every class of cables of NICs, equally by cable."""
    carried = exchanged_by_cable(network, weighted=False)
    return row_classes(network, row_network(network)).of_nics(carried, carried)
