"""Whether a design is a fabric already, under any names of groups."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.figures_at_hand import figure_at_hand
from toposmith.synthesis.proposals import Proposal
from toposmith.synthesis.tried_changes import parts_of


def same_as(design: Design, found: Search, catalog: Catalog) -> frozenset[int]:
    """The places of the proposals that a design is already.

    It has the same devices and NICs, as many cables of each speed with as many to each peer between
    the same parts, and the same figures.
    """
    planned = PlannedDesign.of(design, catalog)
    own = _signature(planned.plan)

    def alike(one: Proposal) -> bool:
        if _signature(PlannedDesign.of(one.design, catalog).plan) != own:
            return False
        asked = found.asked.request
        return all(
            figure_at_hand(planned, replace(asked, collective=name)).amount == figure
            for name, figure in one.figures.items()
        )

    return frozenset(at for at, one in enumerate(found.proposals) if alike(one))


def _signature(plan: Plan) -> tuple[object, ...]:
    cables = cable_counts(plan)
    links = Counter(
        (
            frozenset(plan.design.groups[end.group].part for end in link.ends),
            link.speed_gbit,
            link.cables_per_pair,
            cables.get(link.index, 0),
        )
        for link in plan.links
    )
    return parts_of(plan), links
