"""What a design costs, in words."""

from __future__ import annotations

from toposmith.evaluation import EvaluatedDesign
from toposmith.text import money


def cost_words(design: EvaluatedDesign) -> str:
    """What the design costs, with its currency; ``unknown`` until every line has a price."""
    if design.price is None or design.currency is None:
        return "unknown"
    return money(design.price, design.currency)
