"""Active electrical cables: the last to be taken, unless all is priced and they are cheapest."""

from __future__ import annotations

from decimal import Decimal

from tests.bill.test_policies import DAY
from toposmith.bill.bill import Bill, make_bill
from toposmith.bill.terms import CablingPolicy
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
AEC = {"osfp-800g-2oflae", "sf-nnd1j"}


def bill_of(length: float, prices: PriceList | None = None, cabling: str = "cheapest") -> Bill:
    data = {
        "groups": {
            "node": {
                "part": "hgx-h100-8",
                "count": 2,
                "nics": {"compute": {"part": "connectx-7-ndr", "count": 8}},
            },
            "leaf": {"part": "sn5600"},
        },
        "links": [{"between": ["node.compute", "leaf"], "length": length}],
    }
    plan = plan_design(Design.model_validate(data), CATALOG)
    policy = CablingPolicy(cabling)  # type: ignore[arg-type]
    return make_bill(plan, CATALOG, prices=prices, policy=policy)


def cheap_retimers() -> PriceList:
    """A price of 1 for each of them, of 1,000 for everything else that can be cabled."""
    cabling = [part for kind in ("cable", "fibre", "transceiver") for part in CATALOG.of_kind(kind)]
    return PriceList(
        {
            part.id: Price(Decimal(1 if part.id in AEC else 1000), "USD", DAY, "offer")
            for part in cabling
        }
    )


def test_without_prices_what_the_maker_names_is_taken() -> None:
    assert not AEC & {line.part for line in bill_of(4).lines}


def test_where_all_is_priced_the_cheapest_is_taken_in_a_length_that_is_sold() -> None:
    bill = bill_of(4.5, cheap_retimers())
    (cable,) = bill.lines_of("cable")
    assert cable.part == "sf-nnd1j" and cable.length_m == 5
    assert cable.part_number == "SF-NND1JE0305-005M"
    assert cable.quantity == 2 * 8 // 2  # one for two ports of 400 Gb/s


def test_no_retimer_is_taken_further_than_it_is_sold() -> None:
    assert not AEC & {line.part for line in bill_of(8, cheap_retimers()).lines}


def test_all_optical_leaves_them_out() -> None:
    bill = bill_of(4, cheap_retimers(), "all-optical")
    assert not AEC & {line.part for line in bill.lines}
