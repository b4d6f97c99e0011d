"""The bill of a design with cable lengths from its racks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.racks.lengths import CableRun, runs
from toposmith.racks.placement import Placement, place


def placed_bill(
    plan: Plan,
    catalog: Catalog,
    terms: Terms | None = None,
    *,
    placement: Placement | None = None,
    measured: Callable[[], Sequence[CableRun]] | None = None,
    wiring: Callable[[], NumberedConnections] | None = None,
) -> Bill:
    """The bill with its racks, and with the lengths that they give.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where parts are chosen from.
    terms : Terms, optional
        Prices, policy, spares, what it is signed with; with lengths ``given`` links that have no
        length of their own stay without one.
    placement : Placement, optional
        Where devices stand, if that is known already; else by the ``placement:`` block or its
        default.
    measured : callable, optional
        Gives the lengths of cables along those racks, if they are known already.
    wiring : callable, optional
        Gives the connections that a lock keeps, on these terms.
    """
    terms = terms or Terms()
    placed = placement or place(plan, catalog)
    along = measured or (lambda: runs(plan, placed))
    lengths = along() if terms.lengths == "racks" else ()
    bill = make_bill(
        plan,
        catalog,
        prices=terms.prices,
        policy=terms.policy,
        spares=terms.spares,
        runs=lengths,
        placement=placed,
        wiring=wiring() if wiring is not None and lengths else None,
    )
    return with_statements(bill, terms)


def with_statements(bill: Bill, terms: Terms) -> Bill:
    """The bill with what it is signed with; nothing else depends on it."""
    return replace(bill, signed=terms.signed)
