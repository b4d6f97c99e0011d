"""Cabling by policy and by price, spares, and sums that keep currencies apart."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.bill.bill import make_bill
from toposmith.bill.link_parts import Chooser
from toposmith.bill.order_words import UnitCost, unit_cost
from toposmith.bill.terms import (
    INDICATIVE_FILE,
    CablingPolicy,
    SparePolicy,
    SparesError,
    bill_prices,
    read_spares,
)
from toposmith.bill.totals import PriceTotal
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import Price, PriceList, read_prices
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
DAY = date(2026, 1, 2)


def pair(part: str = "qm9700", cables: int = 2, **block: Any) -> Plan:
    link = {"between": ("a", "b"), "cables": cables}
    data = {"groups": {"a": {"part": part}, "b": {"part": part}}, "links": [link]}
    return plan_design(Design.model_validate(data | ({"bill": block} if block else {})), CATALOG)


def priced(**amounts: tuple[str, str]) -> PriceList:
    return PriceList(
        {
            part.replace("_", "-"): Price(Decimal(amount), currency, DAY, "offer")
            for part, (amount, currency) in amounts.items()
        }
    )


def body(plan: Plan, length: float, within: bool | None, policy: CablingPolicy) -> str | None:
    recipe, _ = Chooser(plan, CATALOG, policy).parts(plan.links[0], length, within)
    return recipe.body.id if recipe else None


def test_copper_within_racks_only() -> None:
    policy = CablingPolicy("copper-within-rack")
    assert body(pair(), 1.5, True, policy) == "mcp4y10-n"
    assert body(pair(), 1.5, False, policy) == "mfp7e10"
    assert body(pair(), 1.5, None, policy) == "mfp7e10"


def test_all_optical_takes_active_optical_cables_where_there_are_some() -> None:
    policy = CablingPolicy("all-optical")
    assert body(pair(), 1.5, True, policy) == "mfp7e10"
    assert body(pair("qm8700"), 1.5, True, policy) == "mfs1s00-v"


def test_what_a_policy_forbids_is_a_finding_that_names_it() -> None:
    catalog = type(CATALOG)(part for part in CATALOG if part.kind not in ("transceiver", "fibre"))
    plan = pair()
    recipe, (finding,) = Chooser(plan, catalog, CablingPolicy("copper-within-rack")).parts(
        plan.links[0], 1.5, False
    )
    assert recipe is None
    assert "the policy copper-within-rack does not allow between racks" in finding.text


def test_the_design_s_own_policy_holds_unless_another_is_asked_for() -> None:
    plan = pair(cabling="all-optical")
    assert make_bill(plan, CATALOG).policy == CablingPolicy("all-optical")
    asked = make_bill(plan, CATALOG, policy=CablingPolicy("copper-within-rack"))
    assert asked.policy.cabling == "copper-within-rack"


def every_price(amounts: dict[str, str]) -> PriceList:
    """A price of 1000 for every cable, module and fibre, and other ones for some."""
    parts = [*CATALOG.of_kind("cable"), *CATALOG.of_kind("transceiver"), *CATALOG.of_kind("fibre")]
    return PriceList(
        {part.id: Price(Decimal(amounts.get(part.id, "1000")), "USD", DAY, "o") for part in parts}
    )


def test_where_all_prices_are_known_the_cheapest_is_taken() -> None:
    # Two ports by copper: one cable of 1000. In light: two modules and two fibres.
    plan = pair()
    dear = every_price({})
    cheap_light = every_price({"mma4z00-ns": "100", "mfp7e10": "399"})
    near_light = every_price({"mma4z00-ns": "100", "mfp7e10": "401"})
    link = plan.links[0]
    chosen = [
        Chooser(plan, CATALOG, prices=prices).parts(link, 1.5, True)[0]
        for prices in (dear, cheap_light, near_light)
    ]
    # 2 x 100 + 2 x 399 = 998 is less than 1000; 2 x 100 + 2 x 401 = 1002 is more.
    assert [recipe.body.id for recipe in chosen if recipe] == ["mcp4y10-n", "mfp7e10", "mcp4y10-n"]


def test_prices_in_two_currencies_leave_the_usual_order() -> None:
    plan = pair()
    prices = dict(every_price({"mcp4y10-n": "9"}).prices)
    light = {part: Price(Decimal("1"), "EUR", DAY, "o") for part in ("mma4z00-ns", "mfp7e10")}
    recipe, _ = Chooser(plan, CATALOG, prices=PriceList({**prices, **light})).parts(
        plan.links[0], 1.5, True
    )
    assert recipe is not None
    assert recipe.body.id == "mcp4y10-n"


def test_one_price_that_lacks_leaves_the_usual_order() -> None:
    plan = pair()
    prices = every_price({"mma4z00-ns": "1", "mfp7e10": "1"}).prices
    lacking = PriceList({part: price for part, price in prices.items() if part != "mcp4y10-n"})
    recipe, _ = Chooser(plan, CATALOG, prices=lacking).parts(plan.links[0], 1.5, True)
    assert recipe is not None
    assert recipe.body.id == "mcp4y10-n"


@given(st.integers(1, 100_000), st.integers(0, 100))
def test_a_share_of_spares_is_rounded_up(quantity: int, percent: int) -> None:
    policy = SparePolicy({"cables": f"{percent} %"})
    spares = policy.spares("cable", quantity)
    assert 100 * spares >= percent * quantity > 100 * (spares - 1)
    assert policy.spares("transceiver", quantity) == 0


def test_spares_are_pieces_or_shares_line_by_line() -> None:
    policy = read_spares(["nodes=1,cables=2%", "switches=2 %", "fibres=0.5%"])
    assert policy.stated() == {"nodes": 1, "switches": "2 %", "cables": "2%", "fibres": "0.5%"}
    assert policy.spares("node", 127) == 1
    assert policy.spares("switch", 48) == ceil(0.96)
    assert policy.spares("fibre", 2040) == 11
    assert policy.words() == "nodes 1 of each, switches 2 %, cables 2%, fibres 0.5%"
    assert SparePolicy().words() == "none"


@pytest.mark.parametrize("setting", ["cable=2%", "cables", "cables=", "cables=-1", "cables=1.5"])
def test_spares_that_cannot_be_read_say_what_would_be_right(setting: str) -> None:
    with pytest.raises(SparesError, match="expected"):
        read_spares([setting])


def test_spares_are_on_the_line_and_in_no_total_but_their_own() -> None:
    prices = priced(qm9700=("20000.10", "USD"))
    plan = pair(spares={"switches": 1})
    bill = make_bill(plan, CATALOG, prices=prices)
    (switch,) = bill.lines_of("switch")
    assert (switch.quantity, switch.spares, switch.order) == (2, 1, 3)
    assert bill.rack_units.known == 2
    assert bill.price.known == {"USD": Decimal("40000.20")}
    assert bill.spares_price.known == {"USD": Decimal("20000.10")}
    assert bill.spares_price.complete
    assert bill.price.state == "incomplete: 2 of 3 lines have no price"


def test_currencies_are_never_added() -> None:
    bill = make_bill(pair(), CATALOG, prices=priced(qm9700=("100", "USD"), mfp7e10=("1.25", "EUR")))
    assert bill.price.known == {"EUR": Decimal("2.50"), "USD": Decimal("200")}
    assert bill.price.only is None
    assert unit_cost(bill.price, 800.0) is None


def test_cost_per_bandwidth_is_price_over_what_all_gpus_get() -> None:
    # 800,000 for 8 GPUs of 50 GB/s each: 2,000 for each of 400 GB/s.
    price = PriceTotal({"EUR": Decimal("800000")})
    assert unit_cost(price, 50.0 * 8) == UnitCost(2000.0, "EUR")
    assert unit_cost(price, 0.0) is None
    assert unit_cost(PriceTotal({"EUR": Decimal(1)}, {("qm9700", None): 1}), 400.0) is None


def test_a_bad_price_is_a_finding_with_its_place_and_the_rest_is_summed(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text(
        "part,price,currency,date,source\n"
        "qm9700,20000,USD,2026-01-02,offer\n"
        "mfp7e10,90,usd,2026-01-02,offer\n"
        "mma4z00-ns,900,USD,02.01.2026,offer\n",
        encoding="utf-8",
    )
    plan = pair()
    prices = bill_prices(plan.design, CATALOG, [str(file)], today=DAY)
    assert prices is not None
    bill = make_bill(plan, CATALOG, prices=prices)
    found = [finding.text for finding in bill.findings if finding.code == "price-list"]
    assert len(found) == 2
    assert found[0].startswith(f"{file}:3: mfp7e10: currency: 'usd'")
    assert found[1].startswith(f"{file}:4: mma4z00-ns: date: '02.01.2026'")
    assert bill.listed  # of parts; its price is not
    assert bill.price.known == {"USD": Decimal(40000)}
    assert bill.price.state == "incomplete: 2 of 3 lines have no price"


def test_a_currency_that_the_design_names_leaves_others_out(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text(
        "part,price,currency,date,source\n"
        "qm9700,20000,USD,2026-01-02,offer\nmfp7e10,90,EUR,2026-01-02,offer\n",
        encoding="utf-8",
    )
    both = bill_prices(pair().design, CATALOG, [str(file)], today=DAY)
    assert both is not None
    assert set(both.prices) == {"qm9700", "mfp7e10"}
    euros = bill_prices(pair(currency="EUR").design, CATALOG, [str(file)], today=DAY)
    assert euros is not None
    assert set(euros.prices) == {"mfp7e10"}
    assert "EUR is asked for" in euros.faults[0]


def test_there_is_no_price_list_unless_one_is_named() -> None:
    assert bill_prices(pair().design, CATALOG) is None


def test_indicative_prices_name_parts_of_the_catalog_and_call_themselves_so() -> None:
    prices = read_prices(INDICATIVE_FILE, catalog=CATALOG, today=DAY)
    assert prices.faults == ()
    assert prices.prices
    assert all(price.source.startswith("indicative: ") for price in prices.prices.values())


def test_each_length_of_a_cable_has_its_own_price_on_the_bill() -> None:
    # a cable carries both ports of a cage: one of 1 m at 90, one of 1.5 m at 140
    links = [
        {"between": ("a", "b"), "cables": 2, "length": 1},
        {"between": ("a", "c"), "cables": 2, "length": 1.5},
    ]
    groups = {name: {"part": "qm9790"} for name in "abc"}
    plan = plan_design(Design.model_validate({"groups": groups, "links": links}), CATALOG)
    by_length = {
        ("mcp4y10-n", 1.0): Price(Decimal(90), "USD", DAY, "offer"),
        ("mcp4y10-n", 1.5): Price(Decimal(140), "USD", DAY, "offer"),
    }
    prices = PriceList({"qm9790": Price(Decimal(20000), "USD", DAY, "offer")}, by_length=by_length)
    found = make_bill(plan, CATALOG, prices=prices)
    cables = {line.length_m: line.price for line in found.lines if line.part == "mcp4y10-n"}
    assert {length: price and price.amount for length, price in cables.items()} == {
        1.0: 90,
        1.5: 140,
    }
    assert found.price.known == {"USD": 90 + 140 + 3 * 20000}
