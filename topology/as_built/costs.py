"""What differences cost in GB/s, as far as a design can say it.

A cable or device that is not there is written under ``absent:``, and the figures are those of the
design with it. Where a cable goes instead, or that it runs slower, a design cannot say: a moved
cable is reckoned as if it were unplugged, and a degraded one has no figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Literal

from toposmith.topology.as_built.comparing import Comparison, Difference
from toposmith.topology.as_built.planned import Selectors
from toposmith.topology.labels import Labelled

if TYPE_CHECKING:
    from toposmith.topology.analysis.request import Collective
    from toposmith.topology.evaluation.evaluated import EvaluatedDesign

Basis = Literal["absent", "unplugged", "none"]

MOST_SINGLY = 40
LONGEST_SINGLY_S = 20.0

WHY = {
    "absent": "what is not there is absent",
    "unplugged": "as if the moved cables were unplugged: where they go instead is not reckoned",
    "none": "what it costs cannot be said: a design has no slower or misplaced cables",
}
"""What a figure rests on, in a sentence."""

TOO_MANY = "not worked out singly: too many differences"
NO_DESIGN = "not worked out: the plan is a list of cables, not a design"


@dataclass
class Costs:
    """Bandwidth as designed and as built.

    Parameters
    ----------
    designed, as_built : dict of str to Labelled
        By collective; ``as_built`` with all differences that can be expressed.
    basis : str
        What ``as_built`` rests on.
    alone : dict of int to tuple
        By place in the differences: what its figures rest on, and the figures with it alone; empty
        where they were not worked out.
    left_out : int
        Harmful differences that no figure holds.
    selectors : list of str
        What was written under ``absent:``.
    """

    designed: dict[Collective, Labelled]
    as_built: dict[Collective, Labelled]
    basis: Basis
    alone: dict[int, tuple[Basis, dict[Collective, Labelled]]] = field(default_factory=dict)
    left_out: int = 0
    selectors: list[str] = field(default_factory=list)


def basis_of(one: Difference) -> Basis:
    """What a figure of this difference would rest on."""
    if not one.harmful or not one.planned:
        return "none"
    return "absent" if one.kind == "missing" else "unplugged"


def work_out(
    design: EvaluatedDesign, compared: Comparison, collectives: Sequence[Collective]
) -> Costs:
    """Figures of the design, of what is built, and of each difference alone.

    Those alone are worked out from the first on, until there are too many or it takes too long.
    """
    selectors = Selectors(design.plan, compared.plan)
    designed = _figures(design, (), collectives)
    absent: list[str] = []
    left_out = 0
    bases: set[Basis] = set()
    alone: dict[int, tuple[Basis, dict[Collective, Labelled]]] = {}
    known: dict[tuple[str, ...], dict[Collective, Labelled]] = {}
    began = monotonic()
    for place, one in enumerate(compared.differences):
        basis = basis_of(one)
        if basis == "none":
            left_out += one.harmful
            continue
        bases.add(basis)
        own = _absent(selectors, one)
        absent += own
        key = tuple(sorted(own))
        late = len(known) >= MOST_SINGLY or monotonic() - began > LONGEST_SINGLY_S
        if key not in known and not late:
            known[key] = _figures(design, own, collectives)
        alone[place] = (basis, known.get(key, {}))
    together = list(absent)
    as_built = known.get(tuple(sorted(together))) if together else designed
    if as_built is None:
        as_built = _figures(design, together, collectives)
    whole: Basis = "unplugged" if "unplugged" in bases else "absent"
    return Costs(designed, as_built, whole, alone, left_out, together)


def _absent(selectors: Selectors, one: Difference) -> list[str]:
    if one.device:
        return [selectors.device(one.device)]
    return [selectors.cable(cable) for cable in one.planned]


def _figures(
    design: EvaluatedDesign, absent: Iterable[str], collectives: Sequence[Collective]
) -> dict[Collective, Labelled]:
    more = tuple(absent)
    document = design.design
    if more:
        document = document.model_copy(update={"absent": (*document.absent, *more)})
    judged = type(design)(document, design.catalog, design.request) if more else design
    return {
        one: judged.asking(replace(judged.asked, collective=one)).prediction.busbw
        for one in collectives
    }
