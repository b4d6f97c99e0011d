"""The throughput optimum of all-gather on a flow network, by discrete Newton iteration on cuts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import networkx as nx

from toposmith.analysis.bounds.min_cut import Arc, min_cut
from toposmith.cancellation import go_on

_SOURCE, _SINK = "source", "sink"


@dataclass(frozen=True)
class Cut:
    """A set of vertices without at least one rank, and the bound on the rate that it sets.

    ``rate`` is the capacity that leaves the set divided by the number of ranks inside it.
    """

    target: FlowTarget
    inside: frozenset[Hashable]
    rate: Fraction


@dataclass(frozen=True, eq=False)
class FlowTarget:
    """A flow network with one rank as the target of max-flows.

    Parameters
    ----------
    flow : networkx.DiGraph
        Edges with whole-number ``capacity``, so that cuts are exact.
    ranks : mapping
        How many ranks each vertex represents; only GPUs are listed.
    target : hashable
        The vertex of the one rank.
    own_node : frozenset
        The vertices of the target's node: everything else is a first cut to try.
    """

    flow: nx.DiGraph
    ranks: Mapping[Hashable, int]
    target: Hashable
    own_node: frozenset[Hashable] = frozenset()

    def entering(self, inside: frozenset[Hashable]) -> int:
        """Capacity from all ranks outside a set of vertices to the ranks inside it."""
        # nearby sources fill the ranks, so shortest paths visit little of the graph
        arcs: list[Arc] = [
            *(
                (rank, _SINK, inf) if rank in inside else (_SOURCE, rank, inf)
                for rank in self.ranks
            ),
            *self.flow.edges(data="capacity"),
        ]
        return min_cut(arcs, _SOURCE, _SINK).value

    def first_cuts(self) -> list[Cut]:
        """All vertices but the target, and all but its node: in most clusters one of them binds."""
        everything = frozenset(self.flow)
        outside = [everything - {self.target}, everything - self.own_node - {self.target}]
        return [self._cut(inside) for inside in outside if self._held(inside)]

    def worst_cut(self, rate: Fraction) -> Cut | None:
        """The cut that rules out this rate, or None if the rate is feasible.

        Every rank is a source at this rate; it is feasible if all of it can flow to the target.
        """
        arcs: list[Arc] = [
            *((u, v, c * rate.denominator) for u, v, c in self.flow.edges(data="capacity")),
            *((_SOURCE, gpu, rate.numerator * many) for gpu, many in self.ranks.items()),
        ]
        cut = min_cut(arcs, _SOURCE, self.target)
        if cut.value >= rate.numerator * sum(self.ranks.values()):
            return None
        return self._cut(cut.side - {_SOURCE})

    def _cut(self, inside: frozenset[Hashable]) -> Cut:
        return Cut(self, inside, Fraction(self._leaving(inside), self._held(inside)))

    def _held(self, inside: frozenset[Hashable]) -> int:
        return sum(many for gpu, many in self.ranks.items() if gpu in inside)

    def _leaving(self, inside: frozenset[Hashable]) -> int:
        return sum(
            capacity
            for u, v, capacity in self.flow.edges(data="capacity")
            if u in inside and v not in inside
        )


def optimum(targets: Sequence[FlowTarget]) -> Cut | None:
    """The optimal rate per rank x* and a cut that limits it.

    For the shards of the ranks in a set S that does not hold all ranks to leave it takes at least
    ``|S| / B(S)``, where B(S) is the capacity that leaves S; the optimum reaches the worst of
    these (Zhao et al., "ForestColl: Throughput-Optimal Collective Communications on Heterogeneous
    Network Fabrics", arXiv 2402.06787). The search starts from obvious cuts and moves to the one
    that min-cut finds until none is worse (Dinkelbach's method); the rate falls at every step.

    Parameters
    ----------
    targets : sequence of FlowTarget
        One for each rank, or one for each class of equivalent ranks.

    Returns
    -------
    Cut or None
        Its ``rate`` is x*, in the unit of the capacities; None where a rank cannot be reached.
    """
    best = min((cut for target in targets for cut in target.first_cuts()), key=lambda c: c.rate)
    while best.rate > 0:
        go_on(len(targets))
        found = [target.worst_cut(best.rate) for target in targets]
        worse = [cut for cut in found if cut is not None]
        if not worse:
            return best
        best = min(worse, key=lambda cut: cut.rate)
    return None
