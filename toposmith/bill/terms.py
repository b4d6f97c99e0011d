"""The terms of a bill: prices, allowed media, spares, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toposmith.bill.media_policy import CablingPolicy, Lengths
from toposmith.bill.spares import SparePolicy
from toposmith.catalog.prices import PriceList


@dataclass(frozen=True)
class Terms:
    """Options of a bill beyond its design.

    Parameters
    ----------
    prices : PriceList or None
        Prices; without it no line has one.
    policy : CablingPolicy or None
        Allowed media; by default that of the design's ``bill:`` block.
    spares : SparePolicy or None
        Spares; by default those of the design's ``bill:`` block.
    lengths : str
        ``racks``: links without a length get that along the racks; ``given``: it is unknown.
    signed : mapping
        Author, date and revision of the bill, as given by people.
    """

    prices: PriceList | None = None
    policy: CablingPolicy | None = None
    spares: SparePolicy | None = None
    lengths: Lengths = "racks"
    signed: Mapping[str, str] = field(default_factory=dict)
