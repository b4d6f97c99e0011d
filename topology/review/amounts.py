"""What a design costs and takes, in words."""

from __future__ import annotations

from toposmith.topology.bill.bill import Total
from toposmith.topology.evaluation import EvaluatedDesign


def cost_words(design: EvaluatedDesign) -> str:
    """What the design costs, with its currency; ``unknown`` until every line has a price."""
    if design.price is None:
        return "unknown"
    return f"{design.price:,.0f} {design.currency}"


def total_words(total: Total, unit: str) -> str:
    """A sum, and whether it lacks something; ``unknown`` where it lacks everything."""
    if not total.complete and not total.known:
        return "unknown"
    known = f"{total.known:,.10g} {unit}"
    return known if total.complete else f"{known}, incomplete"
