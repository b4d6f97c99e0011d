"""The bill of a design as it stands in its racks, which say how long its cables are."""

from __future__ import annotations

from catalog import Catalog
from catalog.prices import PriceList
from topology.bill.bill import Bill, make_bill
from topology.bill.policy import CablingPolicy, Lengths
from topology.bill.spares import SparePolicy
from topology.fabric.plan import Plan
from topology.racks.lengths import runs
from topology.racks.placement import place


def placed_bill(
    plan: Plan,
    catalog: Catalog,
    *,
    prices: PriceList | None = None,
    policy: CablingPolicy | None = None,
    spares: SparePolicy | None = None,
    lengths: Lengths = "racks",
) -> Bill:
    """The bill with the lengths that the racks give, by the ``placement:`` block or its default.

    Parameters are those of :func:`topology.bill.bill.make_bill`; with ``lengths="given"`` links
    that have no length of their own stay without one.
    """
    measured = runs(plan, place(plan, catalog)) if lengths == "racks" else ()
    return make_bill(plan, catalog, prices=prices, policy=policy, spares=spares, runs=measured)
