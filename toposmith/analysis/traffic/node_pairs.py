"""Who sends to whom in rings, along trees and in pairs, as arrays of nodes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.jobs.communicator import Groups, NodeOrder, packed_nodes
from toposmith.analysis.traffic.trees import double_tree
from toposmith.fabric.rows import Numbers

NodePairs = NDArray[np.int64]
"""By row a sender and a receiver: positions in an order of nodes, or places in the document."""


def pairs_of(pattern: str, groups: Groups, nodes: int) -> NodePairs:
    """The pairs of a communication pattern, as positions in the order of nodes."""
    return {"trees": tree_pairs, "pairs": all_pairs}.get(pattern, ring_pairs)(groups, nodes)


def ring_pairs(groups: Groups, nodes: int) -> NodePairs:
    """From each node to the next one of its ring, as positions in the order of nodes."""
    members = _members(groups, nodes)
    return _joined(members, np.roll(members, -1, axis=1))


def tree_pairs(groups: Groups, nodes: int) -> NodePairs:
    """Both ways along every edge of both trees: partial sums go up, results come down."""
    members = _members(groups, nodes)
    child, parent = _tree_edges(groups.nodes).T
    below, above = members[:, child], members[:, parent]
    return np.concatenate([_joined(below, above), _joined(above, below)])


@lru_cache(maxsize=8)
def _tree_edges(nodes: int) -> NodePairs:
    """Child and parent of every edge of both trees."""
    return np.array(double_tree(nodes), np.int64).reshape(-1, 2)


def all_pairs(groups: Groups, nodes: int) -> NodePairs:
    """From every node of a group to every other."""
    members = _members(groups, nodes)
    sender, receiver = np.nonzero(~np.eye(groups.nodes, dtype=bool))
    return _joined(members[:, sender], members[:, receiver])


def _members(groups: Groups, nodes: int) -> Numbers:
    """The nodes of every set of groups that has the same ones, a row each."""
    by_turn = np.arange(nodes).reshape(-1, groups.nodes, groups.stride)
    return by_turn.swapaxes(1, 2).reshape(-1, groups.nodes)


def _joined(senders: Numbers, receivers: Numbers) -> NodePairs:
    return np.stack([senders.ravel(), receivers.ravel()], axis=1)


def numbers_of(order: NodeOrder) -> Numbers:
    """The places in the document of the nodes of an order."""
    if order.placement == "packed" and not order.world.joined:
        return np.arange(order.world.nodes)
    place = {
        (id(block), own): number for number, (block, own) in enumerate(packed_nodes(order.world))
    }
    return np.array([place[id(block), own] for block, own in order.nodes], np.int64)


def of_trays(order: NodeOrder, pairs: NodePairs, trays: int) -> NodePairs:
    """The pairs of nodes that carry traffic between two nodes as NCCL counts them.

    Between two NVLink domains each of so many trays sends to its counterpart in the other.
    """
    if not order.world.joined:
        return pairs
    starts = np.array(order.firsts, np.int64)
    return (starts[pairs][:, None, :] + np.arange(trays)[:, None]).reshape(-1, 2)
