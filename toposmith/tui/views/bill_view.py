"""The bill of materials of the current design, next to or below the fabric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposmith.bill.order_words import bill_table
from toposmith.tui.flows.exports import export_bill_or_requests, sign_bill
from toposmith.tui.views.listing import Key, Listing, ViewJob

if TYPE_CHECKING:
    from toposmith.bill.bill import Bill
    from toposmith.design.document import Design


@dataclass(frozen=True)
class _Found:
    bill: Bill
    design: Design
    bought: tuple[str, ...]
    of_prices: tuple[str, ...]


def _found(job: ViewJob) -> _Found:
    """The bill of the design, and what its bandwidth costs."""
    design = job.wanted.evaluated(job.catalog, priced=True)
    bill, prices = design.bill, design.terms.prices
    reduced = design.asking(replace(job.wanted.request, collective="all_reduce"))
    bought = reduced.bought if bill.price.known else ()
    return _Found(bill, job.wanted.design, bought, prices.notes if prices else ())


BILL = Listing(
    "bill",
    "Bill of materials",
    about="the bill",
    head_share=0,
    compute=_found,
    table=lambda found, asked, glyphs: bill_table(
        found.bill, found.design, bought=found.bought, of_prices=found.of_prices
    ),
    keys=(
        Key(
            "w", "write file", "Write it as a file, or requests for quotation",
            lambda on: export_bill_or_requests(on.here),
        ),
        Key("e", "sign", "Sign it", lambda on: sign_bill(on.here)),
    ),
)  # fmt: skip
