"""Power supplies have to find outlets, and switches of a rack should blow the same way."""

from __future__ import annotations

from typing import Any

import pytest

from toposmith.catalog import Switch, load_catalog
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding
from toposmith.racks.placement import place
from toposmith.racks.rack_checks import rack_findings

CATALOG = load_catalog()


def found(code: str, groups: dict[str, Any], **block: Any) -> list[Finding]:
    plan = plan_design(Design.model_validate({"groups": groups, "placement": block}), CATALOG)
    every = rack_findings(plan, CATALOG, place(plan, CATALOG))
    return [one for one in every if one.code == code]


def test_four_dgx_h100_need_24_outlets_of_c19() -> None:
    # by hand: six supplies of 3,300 W each draw 14.3 A at 230 V; one AP8886 has 12 C19
    nodes = {"node": {"part": "dgx-h100", "count": 4}}
    (short,) = found(
        "rack-outlets-short", nodes, nodes_per_rack=4, feeds={"pdu": "apc-ap8886", "count": 1}
    )
    assert short.text == (
        "24 power supplies of its devices draw more than 10 A and need C19 outlets, of which 1 x "
        "apc-ap8886 have 12"
    )
    assert not found(
        "rack-outlets-short", nodes, nodes_per_rack=4, feeds={"pdu": "apc-ap8886", "count": 2}
    )


def test_outlets_of_the_right_number_and_the_wrong_kind_are_counted_by_kind() -> None:
    # by hand: 3 nodes x 6 supplies of 14.3 A; one AP8858 has 18 C13 and 2 C19, three have 60 and 6
    nodes = {"node": {"part": "dgx-h100", "count": 3}}
    (short,) = found(
        "rack-outlets-short", nodes, nodes_per_rack=3, feeds={"pdu": "apc-ap8858", "count": 3}
    )
    assert short.figure == "18 supplies for C19, 6 C19 outlets"


def test_without_feeds_nothing_is_said_of_outlets() -> None:
    assert not found("rack-outlets-short", {"node": {"part": "dgx-h100", "count": 4}})


def test_devices_of_unknown_supplies_take_one_outlet_each_at_least() -> None:
    groups = {"leaf": {"part": "sn2100", "count": 50}}
    one_rack = {"units": 60, "max_power_w": 1_000_000}
    (short,) = found(
        "rack-outlets-short", groups, **one_rack, feeds={"pdu": "apc-ap8858", "count": 1}
    )
    assert "at least 50 power supplies" in short.text and "20 outlets" in short.text


def test_racks_sold_whole_take_no_outlet() -> None:
    groups = {"tray": {"part": "gb300-nvl72-tray", "count": 18}}
    assert not found("rack-outlets-short", groups, feeds={"pdu": "apc-ap8858", "count": 1})


def switch(way: str) -> str:
    return next(
        one.id
        for one in CATALOG.of_kind("switch")
        if isinstance(one, Switch) and one.airflow == way and one.rack_units == 1
    )


@pytest.mark.parametrize("mixed", [True, False])
def test_switches_of_a_rack_blow_one_way_or_are_told(mixed: bool) -> None:
    first, second = switch("power to port"), switch("port to power")
    groups = {"a": {"part": first, "count": 2}, "b": {"part": second if mixed else first}}
    told = found("rack-airflow-mixed", groups)
    assert len(told) == mixed
    for one in told:
        each = sorted([f"{first} (power to port)", f"{second} (port to power)"])
        assert one.text == f"its switches blow against each other: {', '.join(each)}"


def test_switches_in_racks_of_their_own_may_blow_as_they_like() -> None:
    groups = {"a": {"part": switch("power to port")}, "b": {"part": switch("port to power")}}
    apart = {"a": {"rack": "A01", "unit": 1}, "b": {"rack": "A02", "unit": 1}}
    assert not found("rack-airflow-mixed", groups, devices=apart)


def test_a_review_and_a_bill_tell_it_of_racks_filled_by_default_as_exports_do() -> None:
    groups = {"a": {"part": switch("power to port")}, "b": {"part": switch("port to power")}}
    design = EvaluatedDesign(Design.model_validate({"groups": groups}), CATALOG)
    exported, bought = design.schedule_findings, design.bill.findings
    for findings in (design.findings, exported, design.all_findings, bought):
        assert len([one for one in findings if one.code == "rack-airflow-mixed"]) == 1
