"""How long the cables of a design are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """Connections of one link that are alike in length."""

    link: int  # LinkPlan.index
    connections: int
    length_m: float  # along the racks with slack, before rounding to a length sold
    within_rack: bool
