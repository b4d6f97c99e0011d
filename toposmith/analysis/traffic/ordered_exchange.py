"""The fabric under a uniform all-to-all that takes one axis after the other, on rows of cables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.row_classes import row_classes
from toposmith.analysis.traffic.row_graph import APART, RowGraph
from toposmith.analysis.traffic.row_hosts import (
    exchange_at_nics,
    gpus_of_kinds,
    switches_of_kinds,
)
from toposmith.analysis.traffic.row_network import Amounts, row_network
from toposmith.analysis.traffic.row_routes import RowRoutes
from toposmith.analysis.traffic.unreachable import IN_ORDER, Unreachable
from toposmith.fabric.classes import Arc
from toposmith.fabric.rows import Numbers, distinct


def exchange_in_order(network: ComputeNetwork, order: DimensionOrder) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    A rank sends 1/N of its rate to each of the N ranks. What goes along an axis comes from all
    that share what is still to be corrected, and is for all that share what was.

    Raises
    ------
    ValueError
        If a node has NICs on several switches.
    Unreachable
        If a dimension is cut off.
    """
    net, ranks = row_network(network), network.world.gpus
    rows, at = net.rows, switches_of_kinds(network)
    names = {rows.device(number)[0] for number in at.tolist()}
    if len(names) > 1:
        raise ValueError(
            "an all-to-all in dimension order is analysed where all nodes are on switches of "
            f"one group; here they are on {', '.join(sorted(names))}"
        )
    (name,) = names
    own, values = np.arange(rows.devices)[rows.of_group(name)], rows.at(name)
    many = gpus_of_kinds(network, net) * net.kinds.count
    gpus: Amounts = np.bincount(at, many, rows.devices).astype(float)[own]
    loads = np.zeros(len(net.between))
    for place, axis in enumerate(order.axes):
        # of all that agree on this axis and those after it, and for all on it and those before
        sent, wanted = (
            _together(gpus, [of for name, of in values.items() if name not in corrected])
            for corrected in (order.axes[:place], order.axes[place + 1 :])
        )
        sizes, places = len(rows.axes[axis]), np.arange(len(rows.axes[axis]))
        step = own[(values[axis] == 1).argmax()] - own[0] if sizes > 1 else 0
        line = np.arange(len(own))[:, None] + step * (places - values[axis][:, None])
        amounts = np.zeros((net.devices + len(net.attachments), sizes))
        amounts[own] = sent[:, None] * wanted[line] / ranks * (places != values[axis][:, None])
        along = [index for index, of_link in order.axis_of.items() if of_link == axis]
        cables = np.flatnonzero(np.isin(net.between.link, along))
        routes = RowRoutes(net.alone(cables), weighted=False)
        # each next switch is sent as much, however many cables lead to it
        arcs = replace(routes.arcs, count=np.ones(len(routes.arcs)))
        graph = RowGraph(arcs, routes.graph.direct, weighted=False)
        # no path joins two lines: traffic to a switch is told apart by its place on its own
        paths = graph.towards(own * sizes + values[axis], sizes)
        if ((paths.distance == APART) & (amounts > 0)).any():
            raise Unreachable(name, name, IN_ORDER)
        loads[cables] += routes.loads(paths.sent(amounts)[0])
    worst = row_classes(network, net).between_switches(loads)
    return {**worst, **exchange_at_nics(network)}


def _together(amounts: Amounts, values: list[Numbers]) -> Amounts:
    """By switch, the amounts of all that agree with it on some axes."""
    _, same = distinct(*values)
    found: Amounts = np.bincount(same, amounts).astype(float)[same]
    return found
