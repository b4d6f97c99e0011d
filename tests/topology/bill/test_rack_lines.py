"""Racks and PDUs on the bill: bought where the design names them, counted always."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog import load_catalog
from topology.bill.cost import Delivered
from topology.bill.placed import placed_bill
from topology.bill.terms import Terms
from topology.bill.totals import PriceTotal
from topology.design.document import Design
from topology.fabric.planning import plan_design

CATALOG = load_catalog()


def design(**placement: object) -> Design:
    """Eight nodes of 10.2 kW, four in a rack of 50 kW, and one leaf."""
    return Design.model_validate(
        {
            "groups": {
                "node": {"part": "dgx-h100", "count": 8},
                "leaf": {"part": "qm9700"},
            },
            "placement": {"nodes_per_rack": 4, "max_power_w": 50_000, **placement},
        }
    )


def test_named_racks_and_pdus_are_lines_with_their_weight_and_without_power() -> None:
    plain = placed_bill(plan_design(design(switches="top-of-rack"), CATALOG), CATALOG)
    asked = design(
        switches="top-of-rack", rack="apc-ar3300", feeds={"pdu": "apc-ap8888", "count": 2}
    )
    bill = placed_bill(plan_design(asked, CATALOG), CATALOG)
    assert bill.racks is not None
    assert (bill.racks.count, bill.racks.units, bill.racks.part) == (2, 42, "apc-ar3300")
    assert [(one.part, one.quantity) for one in bill.lines_of("rack")] == [("apc-ar3300", 2)]
    assert [(one.part, one.quantity) for one in bill.lines_of("pdu")] == [("apc-ap8888", 4)]
    # 2 x 134.09 kg and 4 x 14.05 kg, as the parts have it
    more = bill.weight_kg.known - plain.weight_kg.known
    assert more == pytest.approx(2 * 134.09 + 4 * 14.05)
    assert bill.power_w == plain.power_w
    assert bill.rack_units == plain.rack_units


def test_racks_that_nobody_named_are_counted_but_not_bought() -> None:
    bill = placed_bill(plan_design(design(switches="top-of-rack"), CATALOG), CATALOG)
    assert bill.racks is not None
    assert (bill.racks.count, bill.racks.part, bill.racks.feeds) == (2, None, None)
    assert not bill.lines_of("rack")


def test_given_lengths_leave_the_racks_on_the_bill() -> None:
    bill = placed_bill(
        plan_design(design(switches="top-of-rack"), CATALOG), CATALOG, Terms(lengths="given")
    )
    assert bill.lengths == "given"
    assert bill.racks is not None and bill.racks.count == 2


def test_cost_per_bandwidth_is_price_over_what_all_gpus_get_together() -> None:
    whole = PriceTotal({"USD": Decimal(80_000)}, ())
    assert Delivered("all_reduce", 100.0, 8).words(whole) == (
        "all-reduce of all 8 GPUs 100.0 GB/s per GPU; cost per GB/s of all GPUs 100 USD"
    )
    lacking = PriceTotal({"USD": Decimal(5)}, ("qm9700",), 2, 1)
    assert "unknown (a line has no price)" in Delivered("all_reduce", 100.0, 8).words(lacking)
    assert Delivered("all_reduce", None, 8).cost(whole) is None
