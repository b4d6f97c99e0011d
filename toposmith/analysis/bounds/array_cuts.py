"""The narrowest cut between what enters a network of switches and what leaves it, over arrays.

Dinic's method augments one path at a time; most fabrics need it for few switches, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toposmith.analysis.bounds.min_cut import Arc, min_cut
from toposmith.cancellation import go_on

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

Numbered = tuple[int, int, int, int, int]
"""A bundle by numbers: its two ends, its name, the number of cables, MB/s of all."""

_SOURCE, _SINK = "source", "sink"


@dataclass(frozen=True)
class Joined:
    """Numbered vertices and bundles of cables between them, each once in each direction.

    Parameters
    ----------
    vertices : int
        Number of vertices.
    tails, heads : array of int
        The ends of each bundle.
    carried : array of int
        Capacity of each, MB/s.
    """

    vertices: int
    tails: Ints
    heads: Ints
    carried: Ints

    def total(self, at: Ints, amounts: Ints) -> Ints:
        """The sum of amounts by vertex; exact, since they are whole and below 2^53 together."""
        found: Ints = np.bincount(at, amounts, self.vertices).astype(np.int64)
        return found

    def narrowest(self, enters: Ints, leaves: Ints) -> Flags:
        """The source side of a narrowest cut, by vertex.

        A switch that takes in at least as much from one side as its other cables carry is on that
        side of some narrowest cut; putting it there may do the same to its neighbours.

        Parameters
        ----------
        enters, leaves : array of int
            What can enter and leave at each vertex, MB/s.
        """
        side = self.met_directly(enters, leaves)
        if side is not None:
            return side
        enters, leaves = enters.copy(), leaves.copy()
        rest = self.total(self.tails, self.carried)
        side, known = np.zeros(self.vertices, bool), np.zeros(self.vertices, bool)
        while True:
            go_on(len(self.tails) // 10 + 20)
            own = ~known & (enters >= leaves + rest)
            other = ~known & ~own & (leaves >= enters + rest)
            if not (own.any() or other.any()):
                break
            side |= own
            known |= own | other
            for put, pull in ((own, enters), (other, leaves)):
                arcs = put[self.tails]
                moved = self.total(self.heads[arcs], self.carried[arcs])
                pull += moved
                rest -= moved
        if not known.all():
            side |= self._of_the_rest(~known, enters, leaves)
        return side

    def _of_the_rest(self, left: Flags, enters: Ints, leaves: Ints) -> Flags:
        """The side of the remaining vertices."""
        arcs: list[Arc] = []
        for vertex in np.flatnonzero(left).tolist():
            arcs.append((_SOURCE, vertex, int(enters[vertex])))
            arcs.append((vertex, _SINK, int(leaves[vertex])))
        within = left[self.tails] & left[self.heads]
        of = (each[within].tolist() for each in (self.tails, self.heads, self.carried))
        arcs += zip(*of, strict=True)
        of_source = min_cut(arcs, _SOURCE, _SINK).side
        found = np.zeros(self.vertices, bool)
        found[[vertex for vertex in of_source if isinstance(vertex, int)]] = True
        return found

    def met_directly(self, enters: Ints, leaves: Ints) -> Flags | None:
        """A narrowest cut that a flow over at most one cable saturates; None where none does.

        What enters at a switch leaves it there as far as possible; the rest goes over cables to
        switches where data can leave, an equal share of each cable. It saturates all that
        enters, all that can leave, or all cables between, if no switch limits it.
        """
        enters, leaves = np.maximum(0, enters - leaves), np.maximum(0, leaves - enters)
        between = (enters[self.tails] > 0) & (leaves[self.heads] > 0)
        tails, heads, carried = (of[between] for of in (self.tails, self.heads, self.carried))
        out, into = self.total(tails, carried), self.total(heads, carried)
        if (enters <= out).all() and (
            enters[tails] * into[heads] <= leaves[heads] * out[tails]
        ).all():
            return np.zeros(self.vertices, bool)
        if (leaves <= into).all() and (
            leaves[heads] * out[tails] <= enters[tails] * into[heads]
        ).all():
            return np.ones(self.vertices, bool)
        of_one_side = ((enters > 0) != (leaves > 0)).all()
        if (
            of_one_side
            and (out[tails] <= enters[tails]).all()
            and (into[heads] <= leaves[heads]).all()
        ):
            return enters > 0
        return None


@dataclass(frozen=True)
class NodesJoined:
    """Nodes, and the switches that join them.

    Parameters
    ----------
    between : Joined
        The switches.
    kinds, cables : array of int
        The name of each bundle between them, and its number of cables.
    ends : tuple of array of int
        Cables of nodes: node, switch, name, number of cables, MB/s of all.
    """

    between: Joined
    kinds: Ints
    cables: Ints
    ends: tuple[Ints, ...]

    @classmethod
    def of(
        cls, vertices: int, between: Sequence[Numbered], ends: Sequence[Numbered]
    ) -> NodesJoined:
        """From what joins switches, once in each direction, and nodes to switches."""
        tails, heads, kinds, cables, carried = np.array(between, np.int64).reshape(-1, 5).T
        of_nodes = np.array(ends, np.int64).reshape(-1, 5).T
        return cls(Joined(vertices, tails, heads, carried), kinds, cables, tuple(of_nodes))

    def crossing(self, inside: Sequence[bool]) -> tuple[int, list[tuple[int, int]]]:
        """The most that some of the nodes can send out, MB/s, and the cables cut: name, count."""
        nodes, switches, kinds, cables, carried = self.ends
        within = np.array(inside, bool)[nodes]
        enters = self.between.total(switches[within], carried[within])
        leaves = self.between.total(switches[~within], carried[~within])
        side = self.between.narrowest(enters, leaves)
        of_ends = within != side[switches]
        of_switches = side[self.between.tails] & ~side[self.between.heads]
        names = np.concatenate((kinds[of_ends], self.kinds[of_switches]))
        many = np.concatenate((cables[of_ends], self.cables[of_switches]))
        total = carried[of_ends].sum() + self.between.carried[of_switches].sum()
        counted = np.bincount(names, many).astype(np.int64)
        found = np.unique(names).tolist()
        return int(total), [(name, int(counted[name])) for name in found]
