"""The longest of the shortest paths between nodes, on rows of cables, from all nodes at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_network import RowNetwork, network_of_cells
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Mask, Numbers, distinct

SwitchPath = tuple[tuple[str, ...], tuple[int, ...]]
"""A path: the groups of its switches, and the links of its cables by index."""

_Bits = NDArray[np.uint64]
"""By vertex and word, a bit for each of the nodes that are searched from."""

_Layer = dict[int, _Bits]
"""What is equally many cables away, by the slowness of the slowest path there."""

_NODE = -1
"""In place of the group of a switch."""

_WORD = 64

_PER_STEP = 200
"""Words of bits that take as long as a step."""

_AT_ONCE = 1 << 20
"""Words of bits, of all vertices, that are worked on at once: 8 MB."""

_Arcs = list[tuple[Numbers, Numbers]]
"""Tails and heads: first one arc to each vertex that arcs lead to, then the second to each, ..."""


def longest_way(
    network: ComputeNetwork, slowness: Callable[[int, str | None], int]
) -> SwitchPath | None:
    """The slowest of the longest of the shortest paths between any two nodes of the world.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    slowness : callable
        What a cable of a link adds, with a switch of a group behind it, or with a node if None.
        Of paths with equally many switches, that with the highest sum is the slowest.

    Returns
    -------
    SwitchPath or None
        None where no two nodes are connected.
    """
    return _Search(network_of_cells(network, in_order=False), slowness).longest()


class _Search:
    """A search over classes of switches, and kinds of nodes beside them."""

    def __init__(self, net: RowNetwork, slowness: Callable[[int, str | None], int]) -> None:
        self._net = net
        self._switches = len(net.size)
        of, (kind, cable, _) = net.attachments, net.cables_of_kinds
        node, switch, link = self._switches + kind, of.switch[cable], of.link[cable]
        # the two ends of a cable from NIC to NIC, and all cables to switches
        order = np.flatnonzero(switch >= net.rows.devices)
        order = order[np.argsort(switch[order], kind="stable")]
        both = np.flatnonzero(np.diff(switch[order]) == 0)
        one, other = order[both], order[both + 1]
        at = np.flatnonzero(switch < net.rows.devices)
        beside = net.class_of[switch[at]]
        (self._tail, self._head, self._link), _ = distinct(
            np.concatenate([net.class_of[net.between.a], node[at], beside, node[one], node[other]]),
            np.concatenate([net.class_of[net.between.b], beside, node[at], node[other], node[one]]),
            np.concatenate([net.between.link, link[at], link[at], link[one], link[one]]),
        )
        self._groups = list(net.rows.first)
        self._group = np.append(net.group_of(net.first), np.full(len(net.kinds.count), _NODE))
        (link, group), step = distinct(self._link, self._group[self._head])
        adds = [
            slowness(index, None if number == _NODE else self._groups[number])
            for index, number in zip(link.tolist(), group.tolist(), strict=True)
        ]
        self._slowness: Numbers = np.array(adds, np.int64)[step]
        from_node = self._tail >= self._switches
        self._out, self._on = self._by_slowness(from_node), self._by_slowness(~from_node)

    def _by_slowness(self, some: Mask) -> dict[int, _Arcs]:
        """Some of the arcs, by what they add."""
        found: dict[int, _Arcs] = {}
        for adds in np.unique(self._slowness[some]).tolist():
            arcs = np.flatnonzero(some & (self._slowness == adds))
            arcs = arcs[np.argsort(self._head[arcs], kind="stable")]
            head = self._head[arcs]
            turn = np.arange(len(arcs)) - np.searchsorted(head, head)
            arcs = arcs[np.argsort(turn, kind="stable")]
            starts = np.cumsum(np.bincount(turn))[:-1]
            found[adds] = [(self._tail[of], self._head[of]) for of in np.split(arcs, starts)]
        return found

    def longest(self) -> SwitchPath | None:
        """The path, between the first two such nodes."""
        most = 0, 0
        ends = None
        # from one place of those that nothing tells apart
        kinds = np.flatnonzero(self._net.copies()[1] == 1)
        step = _WORD * max(1, _AT_ONCE // (self._switches + len(self._net.kinds.count) + 1))
        for start in range(0, len(kinds), step):
            targets = kinds[start : start + step]
            for cables, layer in enumerate(self._layers(targets)):
                for slowness, bits in layer.items():
                    at_nodes = bits[self._switches :]
                    if cables and (cables, slowness) > most and at_nodes.any():
                        most = cables, slowness
                        node, word = np.argwhere(at_nodes)[0]
                        bit = int(at_nodes[node, word]) & -int(at_nodes[node, word])
                        ends = int(node), targets[word * _WORD + bit.bit_length() - 1]
        return None if ends is None else self._way(*ends, *most)

    def _layers(self, targets: Numbers) -> Iterator[_Layer]:
        """What is 0, 1, 2, ... cables away from a node of each of these kinds."""
        number = np.arange(len(targets))
        shape = self._switches + len(self._net.kinds.count), -(-len(targets) // _WORD)
        bits: _Bits = np.zeros(shape, np.uint64)
        start = self._switches + targets
        bits[start, number // _WORD] = np.uint64(1) << (number % _WORD).astype(np.uint64)
        seen = bits.copy()
        # another node of the kind is elsewhere
        seen[start[self._net.kinds.count[targets] > 1]] = 0
        newest, arcs = {0: bits}, self._out
        while newest:
            yield newest
            reached: _Layer = defaultdict(lambda: np.zeros(shape, np.uint64))
            for slowness, here in newest.items():
                for adds, turns in arcs.items():
                    there = reached[slowness + adds]
                    for tail, head in turns:
                        go_on(15 + len(tail) * shape[1] // _PER_STEP)
                        there[head] |= here[tail]
            newest, arcs = {}, self._on
            for slowness in sorted(reached, reverse=True):
                fresh = reached[slowness] & ~seen
                if fresh.any():
                    seen |= fresh
                    newest[slowness] = fresh

    def _way(self, node: int, target: int, cables: int, slowness: int) -> SwitchPath:
        """The slowest of the shortest paths from a node to a target, back through its layers."""
        before = list(self._layers(np.array([target])))[:cables]
        at = self._switches + node
        switches: list[str] = []
        links: list[int] = []
        while before:
            layer = before.pop()
            arcs = np.flatnonzero(
                (self._head == at) & ((self._tail < self._switches) == bool(before))
            )
            slower = (slowness - self._slowness[arcs]).tolist()
            arc, slowness = next(
                (arc, left)
                for arc, left in zip(arcs.tolist(), slower, strict=True)
                if left in layer and layer[left][self._tail[arc]].any()
            )
            at = self._tail[arc]
            links.append(int(self._link[arc]))
            if before:
                switches.append(self._groups[self._group[at]])
        return tuple(switches), tuple(links)
