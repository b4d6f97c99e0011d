"""The cost of differences in GB/s: figures of the design, and of the fabric as found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from toposmith.analysis.analyse import predict_all
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.corrections import (
    Correction,
    Corrections,
    corrected,
    together,
)
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.labels import Labelled

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.design.document import Design
    from toposmith.evaluation.evaluated import EvaluatedDesign

MOST_SINGLY = 40
LONGEST_SINGLY_S = 20.0
FEW_DEVICES = 4000
"""Up to this many devices, a design with an irregular cable is faster device by device."""

FOUND = "what is missing is absent, what goes elsewhere goes there, what runs slower runs slower"
TOO_MANY = "not computed one by one: too many differences"
NO_DESIGN = "not computed: the plan is a list of cables, not a design"
OF_GROUP = "of all differences that are put right together"

CollectiveFigures = dict["Collective", Labelled]


@dataclass
class Costs:
    """Bandwidth as designed and as built.

    Parameters
    ----------
    designed, as_built : dict of str to Labelled
        Figures by collective; ``as_built`` has all differences that a design can express.
    alone : dict of int to dict
        By place in the differences: the figures with it alone, or with all that are put right
        together with it; empty where they were not computed.
    left_out : dict of int to str
        Harmful differences that figures include in part or not at all, by index, with the reason.
    design : Design
        The fabric as built, as a design.
    """

    designed: CollectiveFigures
    as_built: CollectiveFigures
    design: Design
    alone: dict[int, CollectiveFigures] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)

    def lost_GBps(self, place: int) -> dict[Collective, float]:
        """Bandwidth lost by one difference, GB/s, by collective; empty where that is unknown."""
        lost: dict[Collective, float] = {}
        for name, held in self.alone.get(place, {}).items():
            before = self.designed[name].value
            if before is not None and held.value is not None:
                lost[name] = before - held.value
        return lost


def as_built_design(
    design: EvaluatedDesign, compared: CablingComparison
) -> tuple[Design, Correction]:
    """The fabric as found, as a design, with the correction that made it.

    Raises
    ------
    EditError
        If it needs more single cables than a file may list.
    """
    correction = Corrections(design.plan, compared.plan).of(compared.differences)
    built = corrected(design.design, correction).design
    if built.name:
        built = built.model_copy(update={"name": f"{built.name}, as built"})
    return built, correction


def costs_of(
    design: EvaluatedDesign,
    compared: CablingComparison,
    collectives: Sequence[Collective],
    *,
    longest_s: float = LONGEST_SINGLY_S,
) -> Costs:
    """Compute figures of the design, of the fabric as built, and of each difference alone.

    Those alone are computed from the first on, until there are too many or it takes too long.
    """
    corrections = Corrections(design.plan, compared.plan)
    whole = corrections.of(compared.differences)
    built = corrected(design.design, whole).design
    places = {id(one): at for at, one in enumerate(compared.differences)}
    designed = _figures(design, design.design, collectives)
    known: dict[tuple[object, ...], CollectiveFigures] = {Correction().key: designed}
    known[whole.key] = _figures(design, built, collectives)
    costs = Costs(designed, known[whole.key], built)
    costs.left_out = {places[id(one)]: why for one, why in whole.left_out}
    began = monotonic()
    for place, one in enumerate(compared.differences):
        if not one.harmful:
            continue
        own = corrections.of(together(compared.differences, one))
        late = len(known) >= MOST_SINGLY + 2 or monotonic() - began > longest_s
        if own.key not in known and not late:
            known[own.key] = figures_with(design, own, collectives)
        costs.alone[place] = known.get(own.key, {})
    return costs


def figures_with(
    design: EvaluatedDesign, correction: Correction, collectives: Sequence[Collective]
) -> CollectiveFigures:
    """Figures of a design as corrected; none where the two do not go together."""
    try:
        document = corrected(design.design, correction).design
    except EditError:
        return {}
    return _figures(design, document, collectives)


def shares_figures(differences: Sequence[CablingDifference], one: CablingDifference) -> bool:
    """Whether the figures of a difference are those of several that are put right together."""
    return len(together(differences, one)) > 1


def _figures(
    design: EvaluatedDesign, document: Design, collectives: Sequence[Collective]
) -> CollectiveFigures:
    requests = [replace(design.asked, collective=one) for one in collectives]
    if document is design.design:
        return {one.collective: design.asking(one).prediction.busbw for one in requests}
    plan = plan_design(document, design.catalog)
    few = sum(group.instances for group in plan.groups.values()) <= FEW_DEVICES
    predicted = predict_all(plan, design.catalog, requests, one_by_one=few)
    return {one: each.busbw for one, each in zip(collectives, predicted, strict=True)}
