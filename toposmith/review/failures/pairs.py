"""Every pair of things that can fail together: one pair for each class of pairs, counted.

With one thing of a class down, what is left falls into classes again: one of each of these, beside
the thing that is down, represents all equivalent pairs. A pair of which one takes the other
down or leaves it without a cable, such as a switch and its cable, is the failure of the one and no
pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toposmith.analysis.network import ComputeNetwork
from toposmith.review.failures.breakable import Failure, FailureClass, failure_classes
from toposmith.review.failures.survivors import also_down
from toposmith.review.failures.without import DegradedDesign, Intact

MOST_CLASSES = 1_000
"""Classes of pairs beyond which a sample is drawn: each is a computation of its own."""


@dataclass(frozen=True)
class PairClass:
    """Two things, and how many ordered pairs of things are like them.

    Two things of one place come in either order: then every pair is counted twice.
    """

    failures: tuple[Failure, Failure]
    ordered: int

    @property
    def of_one_place(self) -> bool:
        """Whether both things are of one group, link or NIC."""
        return self.failures[0].what == self.failures[1].what


def pair_classes(start: Intact, classes: Sequence[FailureClass]) -> tuple[PairClass, ...] | None:
    """All classes of pairs; None where they are more than can be looked at.

    Parameters
    ----------
    start : Intact
        The design as it is.
    classes : sequence of FailureClass
        What can fail in it.
    """
    if len(classes) ** 2 > 2 * MOST_CLASSES:
        return None
    order: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for each in classes:
        order.setdefault(each.what, len(order))
        kinds.setdefault(each.what, each.kind)  # without one a switch may count to another tier
    found: list[PairClass] = []
    for each in classes:
        first = each.member()
        broken = also_down(start.plan, start.catalog, first.selectors)
        for other in failure_classes(ComputeNetwork(broken), start.catalog):
            if order.get(other.what, -1) < order[each.what]:
                continue
            second = replace(other.member(), kind=kinds[other.what])
            found.append(PairClass((first, second), each.members * other.members))
        if len(found) > MOST_CLASSES:
            return None
    return tuple(found)


def merged(outcomes: Iterable[tuple[PairClass, DegradedDesign]]) -> tuple[DegradedDesign, ...]:
    """Outcomes of pairs of the same places with the same figures as one, with how many pairs.

    Things of one place are paired in either order, and so are counted twice before.
    """
    alike: dict[tuple[object, ...], list[tuple[PairClass, DegradedDesign]]] = {}
    for pair, outcome in outcomes:
        figures = tuple(f"{kept.after_GBps or 0:.6g}" for kept in outcome.kept)
        whats = tuple(failure.what for failure in pair.failures)
        key = (*whats, *figures, outcome.gpus_cut_off, outcome.parts)
        alike.setdefault(key, []).append((pair, outcome))
    found = []
    for members in alike.values():
        pair, outcome = members[0]
        ordered = sum(each.ordered for each, _ in members)
        many = ordered // 2 if pair.of_one_place else ordered
        found.append(replace(outcome, failures=pair.failures, pairs=many))
    return tuple(found)
