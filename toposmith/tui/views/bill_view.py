"""The bill of materials of the current design, beside or below the fabric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.bill.bill_table import bill_table
from toposmith.bill.order_words import cost_per_GBps
from toposmith.documents.table import Table
from toposmith.tui.flows.exports import export_bill_or_requests, sign_bill
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.bill.bill import Bill
    from toposmith.bill.order_words import CostPerBandwidth
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.labels import Labelled
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.shared_figures import Wanted


@dataclass(frozen=True)
class _Found:
    bill: Bill
    design: Design
    busbw: Labelled
    cost: CostPerBandwidth | None
    of_prices: tuple[str, ...]


class BillView(TableView):
    """Every part to buy, sorted and filtered; the selected line lights up where it is used."""

    NAME = "bill"
    OWN_KEYS = OwnKeys(
        "the bill",
        (
            ("w", "Write it as a file, or requests for quotation"),
            ("e", "Sign it"),
            *TABLE,
            *GO_THERE,
            *ESC,
        ),
    )
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("w", "write file"),
        ("e", "sign"),
        *TableView.KEYS,
    )
    BORDER_TITLE = "Bill of materials"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "write", "write the bill", show=False),
        Binding("e", "sign", "sign the bill", show=False),
    ]

    def action_write(self) -> None:
        """Ask for the file to write it to."""
        self.want(_write)

    def action_sign(self) -> None:
        """Ask who made it."""
        self.want(_sign)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """The bill of the design, and what its bandwidth costs."""
        design = wanted.evaluated(catalog, priced=True)
        bill = design.bill
        asked = replace(wanted.request, collective="all_reduce")
        figures = design.asking(asked).analysis
        busbw = figures.busbw_GBps
        cost = cost_per_GBps(bill.price, busbw, figures.gpus) if busbw else None
        prices = design.terms.prices
        said = prices.notes if prices else ()
        return _Found(bill, wanted.design, figures.busbw, cost, said)

    def table_of(self, found: object) -> Table:
        """Its lines."""
        assert isinstance(found, _Found)
        return bill_table(
            found.bill,
            found.design,
            busbw=found.busbw,
            cost=found.cost,
            of_prices=found.of_prices,
        )


def _write(designer: Designer) -> Flow:
    return export_bill_or_requests(designer)


def _sign(designer: Designer) -> Flow:
    return sign_bill(designer)
