"""What a design costs and takes, in words."""

from __future__ import annotations

from toposmith.text import money, plain_number
from toposmith.topology.bill.bill import Total
from toposmith.topology.evaluation import EvaluatedDesign


def cost_words(design: EvaluatedDesign) -> str:
    """What the design costs, with its currency; ``unknown`` until every line has a price."""
    if design.price is None or design.currency is None:
        return "unknown"
    return money(design.price, design.currency)


def total_words(total: Total, unit: str) -> str:
    """A sum, and whether it lacks something; ``unknown`` where it lacks everything."""
    if not total.complete and not total.known:
        return "unknown"
    known = plain_number(total.known, unit)
    return known if total.complete else f"{known}, incomplete"
