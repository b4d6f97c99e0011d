"""Hops of all nodes of a network in the order of the document, routed on rows of cables."""

from __future__ import annotations

from toposmith.analysis.jobs.communicator import Groups, NodeOrder
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Routing
from toposmith.analysis.traffic.node_pairs import NodePairs, numbers_of, pairs_of
from toposmith.analysis.traffic.row_hops import hops_on_rows
from toposmith.fabric.classes import Arc


def packed(network: ComputeNetwork, pattern: str = "ring") -> NodePairs:
    """The hops of a pattern, by the numbers of both nodes."""
    nodes = network.world.nodes
    pairs = pairs_of(pattern, Groups(WORLD, network.world.gpus, 1, 0, 1, nodes), nodes)
    return numbers_of(NodeOrder(network.world))[pairs]


def carried(
    network: ComputeNetwork, pattern: str = "ring", *, busiest: float = 1.0, mode: str = "ideal"
) -> dict[Arc, float]:
    """What the worst cable of every class carries."""
    return hops_on_rows(
        network,
        packed(network, pattern),
        busiest=busiest,
        nics=network.ring_nics,
        routing=Routing(mode),
    )
