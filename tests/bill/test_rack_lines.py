"""Racks and PDUs on the bill: bought where the design names them, counted always."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toposmith.bill.bill import placed_bill
from toposmith.bill.order_words import Delivered
from toposmith.bill.table_forms import bill_markdown
from toposmith.bill.terms import Terms, all_parts, catalog_digest
from toposmith.bill.totals import PriceTotal
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.labels import MODEL

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
    whole = PriceTotal({"USD": Decimal(80_000)})
    assert Delivered("all_reduce", 100.0, 8, MODEL).words(whole) == (
        "all-reduce of all 8 GPUs 100 GB/s per GPU; cost per GB/s of all GPUs 100 USD"
    )
    lacking = PriceTotal({"USD": Decimal(5)}, {("qm9700", None): 1}, 2, 1)
    assert "unknown (a line has no price)" in Delivered("all_reduce", 100.0, 8, MODEL).words(
        lacking
    )
    assert Delivered("all_reduce", None, 8, MODEL).cost(whole) is None


TOP_OF_RACK = {
    "axes": {"rack": 4},
    "groups": {
        "node": {
            "part": "hgx-h100-8",
            "per": ("rack",),
            "count": 4,
            "nics": {"compute": {"part": "connectx-7-ndr", "count": 8}},
        },
        "leaf": {"part": "sn5600", "per": ("rack",)},
        "spine": {"part": "sn5600", "count": 4},
    },
    "links": [
        {"between": ("node.compute", "leaf")},
        {"between": ("leaf", "spine"), "cables": 4},
    ],
}


def test_nodes_of_unknown_height_leave_racks_incomplete_and_do_not_stack_the_switches() -> None:
    # 4 x 10 U of nodes and 2 U of leaf fill each of 4 racks; the spines take a fifth.
    data = {**TOP_OF_RACK, "placement": {"max_power_w": 60_000}}
    bill = placed_bill(plan_design(Design.model_validate(data), CATALOG), CATALOG)
    assert bill.racks is not None
    assert (bill.racks.count, bill.racks.complete) == (5, False)
    said = "assumed: the height of hgx-h100-8; the power of hgx-h100-8, sn5600; racks of 42 U"
    assert bill.racks.state == said
    codes = [finding.code for finding in bill.findings]
    assert {"rack-height-unknown", "rack-power-unknown"} <= set(codes)
    assert f"5 (assumed) of 42 U; no part of theirs is named; {said}" in bill_markdown(bill)
    # With a fifth rack no leaf is within 1.5 m of a spine: racks are 0.6 m wide, trays above.
    uplinks = next(link for link in bill.links if link.link == "leaf - spine")
    assert all(run.length_m is not None and run.length_m > 1.5 for run in uplinks.runs)


def test_the_bill_counts_the_heights_that_the_design_gives() -> None:
    # 16 nodes of 8 U and 8 switches of 2 U.
    design = Design.model_validate({**TOP_OF_RACK, "placement": {"heights": {"node": 8}}})
    bill = placed_bill(plan_design(design, CATALOG), CATALOG)
    assert (bill.rack_units.known, bill.rack_units.complete) == (144, True)
    assert bill.racks is not None and not bill.racks.assumptions.heights


def test_a_height_beside_a_published_one_changes_neither_racks_nor_bill() -> None:
    # 4 DGX H100 of 8 U and a switch of 1 U, whatever heights: says.
    groups = {"node": {"part": "dgx-h100", "count": 4}, "leaf": {"part": "qm9700"}}
    block = {"heights": {"node": 10}, "max_power_w": 50_000}
    bill = placed_bill(
        plan_design(Design.model_validate({"groups": groups, "placement": block}), CATALOG), CATALOG
    )
    assert bill.rack_units.known == 33


def test_the_mark_of_the_catalog_is_of_racks_and_pdus_too() -> None:
    parts = {part.id: part for part in all_parts(CATALOG)}
    assert len(parts) == sum(1 for kind in ("rack", "pdu") for _ in CATALOG.of_kind(kind)) + len(
        CATALOG
    )
    lower = parts["apc-ar3300"].model_copy(update={"units": 24})
    changed = Catalog([lower if one.id == lower.id else one for one in parts.values()])
    assert catalog_digest(changed) != catalog_digest(CATALOG)
