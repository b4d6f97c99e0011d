"""The policy on media by which cables are chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.bill.recipes import Recipe
from toposmith.catalog import Cable
from toposmith.design.document import CablingChoice, Design

COPPER = ("dac", "acc", "aec")

Lengths = Literal["racks", "given"]
"""Where the length of a link is from that does not say its own: measured along the racks, or
nowhere."""


@dataclass(frozen=True)
class CablingPolicy:
    """Allowed media of cables.

    Parameters
    ----------
    cabling : {"one-medium", "cheapest", "all-optical", "copper-within-rack"}
        ``one-medium``: all cables of a link are of the medium that its longest takes.
        ``cheapest``: each cable of any medium that reaches, by price where all prices are known,
        else copper before active optical cables before transceivers. ``all-optical``: no copper.
        ``copper-within-rack``: copper only between devices that are known to share a rack.
    stock_lengths_m : tuple of float
        Lengths kept in stock, m; empty where each cable is ordered as short as it is sold.
    """

    cabling: CablingChoice = "one-medium"
    stock_lengths_m: tuple[float, ...] = ()

    def allows(self, recipe: Recipe, within_rack: bool | None) -> bool:
        """Whether the policy lets a link be built so; ``within_rack`` None is not known."""
        copper = isinstance(recipe.body, Cable) and recipe.body.medium in COPPER
        if not copper or self.cabling in ("one-medium", "cheapest"):
            return True
        return self.cabling == "copper-within-rack" and within_rack is True


def policy_of(design: Design) -> CablingPolicy:
    """The policy of a design's ``bill:`` block; the usual one where it says nothing."""
    block = design.bill
    if block is None:
        return CablingPolicy()
    return CablingPolicy(block.cabling or CablingPolicy().cabling, block.stock_lengths_m)
