"""On which terms things are ordered: prices, what cables may be made of, spares, lengths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toposmith.catalog.prices import PriceList
from toposmith.topology.bill.energy import EnergyTerms
from toposmith.topology.bill.media_policy import CablingPolicy, Lengths
from toposmith.topology.bill.spares import SparePolicy


@dataclass(frozen=True)
class Terms:
    """What a bill is asked to go by, beyond its design.

    Parameters
    ----------
    prices : PriceList or None
        What parts cost; without it no line has a price.
    policy : CablingPolicy or None
        What cables may be made of; without it that of the design's ``bill:`` block.
    spares : SparePolicy or None
        How many spares are ordered; without it those of the design's ``bill:`` block.
    lengths : str
        ``racks`` measures links without a length along the racks, ``given`` leaves them unknown.
    signed : mapping
        Who made the bill, of which day and revision, as people say it.
    energy : EnergyTerms or None
        What the energy of a year is reckoned with; without it the bill has none.
    """

    prices: PriceList | None = None
    policy: CablingPolicy | None = None
    spares: SparePolicy | None = None
    lengths: Lengths = "racks"
    signed: Mapping[str, str] = field(default_factory=dict)
    energy: EnergyTerms | None = None
