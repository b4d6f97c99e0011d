"""The narrowest cut between what enters a network of switches and what leaves it, over arrays.

Dinic's method augments one path at a time; most fabrics need it for few switches, or none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from toposmith.analysis.bounds.min_cut import Arc, min_cut
from toposmith.cancellation import go_on
from toposmith.fabric.rows import distinct

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

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
        """The side of the remaining vertices, those that nothing tells apart as one."""
        within = left[self.tails] & left[self.heads]
        tails, heads, carried = (of[within] for of in (self.tails, self.heads, self.carried))
        alike = _alike((enters, leaves), tails, heads, carried)
        arcs: list[Arc] = []
        for colour in np.unique(alike[left]).tolist():
            of = left & (alike == colour)
            arcs.append((_SOURCE, colour, int(enters[of].sum())))
            arcs.append((colour, _SINK, int(leaves[of].sum())))
        (here, there), of_pair = distinct(alike[tails], alike[heads])
        both = np.zeros(len(here), np.int64)
        np.add.at(both, of_pair, carried)
        arcs += zip(here.tolist(), there.tolist(), both.tolist(), strict=True)
        of_source = min_cut(arcs, _SOURCE, _SINK).side
        colours = [colour for colour in of_source if isinstance(colour, int)]
        return left & np.isin(alike, colours)

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


def _alike(own: tuple[Ints, Ints], tails: Ints, heads: Ints, carried: Ints) -> Ints:
    """By vertex a number: equal ones have the same capacity of their own and to every number.

    Merging such vertices keeps the value of a narrowest cut: it is the optimum of a linear program,
    and averages over them are feasible (Grohe et al., "Dimension reduction via colour refinement",
    ESA 2014).
    """
    _, alike = distinct(*own)
    random, many = np.random.default_rng(0), 0
    while many != (many := int(alike.max(initial=-1)) + 1):
        weight = random.integers(1 << 62, size=many).astype(np.uint64)
        sums = np.zeros(len(alike), np.uint64)
        np.add.at(sums, tails, carried.astype(np.uint64) * weight[alike[heads]])
        _, alike = distinct(alike, (sums >> np.uint64(1)).astype(np.int64))
    # sums of random numbers may agree by chance: compared exactly before anything is merged
    (at, peer), of = distinct(tails, alike[heads])
    both = np.zeros(len(at), np.int64)
    np.add.at(both, of, carried)
    (colour, *_), kind = distinct(alike[at], peer, both)
    of_colour = np.bincount(alike, minlength=many)
    if (np.bincount(kind, minlength=len(colour)) != of_colour[colour]).any():
        return np.arange(len(alike))
    return alike
