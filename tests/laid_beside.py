"""Designs as a comparison, a diff and a review take them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from toposmith.analysis.request import Collective, Request
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.catalog.prices import PriceList
from toposmith.design.document import Design
from toposmith.evaluation import COLLECTIVES, EvaluatedDesign
from toposmith.planned_design import PlannedDesign
from toposmith.review.policy import Policy


def named(
    source: str,
    design: Design,
    catalog: Catalog,
    collectives: Sequence[Collective] = COLLECTIVES,
    *,
    request: Request | None = None,
    policy: Policy | None = None,
    prices: PriceList | None = None,
    today: date | None = None,
    shared: PlannedDesign | None = None,
) -> EvaluatedDesign:
    """A design under a name, with these figures."""
    return EvaluatedDesign(
        design,
        catalog,
        request,
        collectives=tuple(collectives),
        terms=Terms(prices=prices),
        policy=policy or Policy(),
        today=today,
        source=source,
        shared=shared,
    )
