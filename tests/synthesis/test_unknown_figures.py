"""What is unknown is never zero: it rules nothing out, wins nothing, and shows in every total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.amount import Amount
from toposmith.analysis.request import Request
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog, Part, load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.document import Design, Group
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.design_table import ComparedDesign, comparison_as_data, ordered
from toposmith.review.differences.consequences import differences
from toposmith.saved_designs import saved_path
from toposmith.synthesis.analysed_fabrics import AnalysedFabrics, Proposal
from toposmith.synthesis.best_first import search as best_first
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.synthesis.fabric_search import search
from toposmith.synthesis.fabrics_table import power_words
from toposmith.synthesis.ranked_fixes import Fix, ranked_fixes

CATALOG = load_catalog()
FIGURES = ("power_w", "rack_units", "weight_kg")

PIECES = [("a", None), ("b", None), ("c", 1.0)]
FORMS = st.builds(
    lambda known, counts, least: Amount(
        known,
        {piece: count for piece, count in zip(PIECES, counts, strict=True) if count},
        {piece: each for piece, each in zip(PIECES, least, strict=True) if each},
    ),
    st.integers(0, 5),
    st.tuples(*[st.integers(0, 3)] * 3),
    st.just((0, 0, 2)),
)


def value(form: Amount, shares: tuple[int, ...]) -> float:
    return form.known + sum(
        form.unknown.get(piece, 0) * share for piece, share in zip(PIECES, shares, strict=True)
    )


@given(FORMS, FORMS)
def test_an_amount_is_certainly_no_more_exactly_where_no_shares_make_it_more(
    one: Amount, other: Amount
) -> None:
    # a linear form is no more than another over a cone exactly where it is at its corners
    corners = product((0, 10_000), (0, 10_000), (2, 10_000))
    always = all(value(one, shares) <= value(other, shares) for shares in corners)
    assert one.no_more_than(other) == always


@given(FORMS)
def test_a_total_with_something_unknown_is_never_said_to_be_exact(form: Amount) -> None:
    if form.unknown:
        assert form.exact is None and form.beyond(Amount()) is None
        assert form.label.kind == ("at least" if form.at_least else "unknown")
        assert form.floor != 0
    else:
        assert form.exact == form.floor == form.known


def without(part_id: str, figure: str) -> Catalog:
    """The catalog without one figure of one part."""
    parts = (*CATALOG, *CATALOG.facility)
    return Catalog(
        part.model_copy(update={figure: None}) if part.id == part_id else part for part in parts
    )


# Fabrics and fixes: blanking a figure takes no line away


DAY = date(2026, 1, 1)
PRICES = {part.id: Decimal(100 + 7 * len(part.id)) for part in (*CATALOG, *CATALOG.facility)}


def priced(lacking: str = "") -> Terms:
    """A price of every part, but of one."""
    known = {
        part: Price(amount, "USD", DAY, "test")
        for part, amount in PRICES.items()
        if part != lacking
    }
    return Terms(prices=PriceList(known))


SWITCHES = ("qm9700", "qm9790", "q3400-ra")
ASKED = Requirements(
    12,
    "dgx-h100",
    {"all_to_all": 30.0},
    switches=SWITCHES,
    shapes=("one switch", "rails alone", "rail-optimised"),
    oversubscription=1.5,
)


@cache
def fabrics(part: str = "", figure: str = "", *, prices: bool = False) -> tuple[Proposal, ...]:
    """The fabrics that meet what is asked, with one figure of one part blanked."""
    catalog = without(part, figure) if figure else CATALOG
    terms = priced("" if figure else part) if prices else None
    analysed = AnalysedFabrics(ASKED, catalog, terms or Terms())
    found = best_first(analysed.offers(), analysed.proof, most=10_000)
    assert found.complete
    lines = (analysed.known[one.made] for one in found.answers)
    return tuple(sorted((one for one in lines if one), key=lambda one: one.order))


def names(proposals: Iterable[Proposal]) -> list[tuple[str, str]]:
    return [(one.fabric.words, one.fabric.part_words) for one in proposals]


def parts_in(proposals: Iterable[Proposal]) -> set[str]:
    bills = (EvaluatedDesign(one.design, CATALOG).bill for one in proposals)
    return {line.part for bill in bills for line in bill.lines}


def test_no_fabric_goes_and_none_gets_ahead_when_a_figure_of_it_is_unknown() -> None:
    before = fabrics()
    known = [
        (part, figure)
        for part in sorted({*SWITCHES, *parts_in(before)})
        for figure in FIGURES
        if getattr(CATALOG.get(part), figure) is not None
    ]
    assert {"qm9700", "qm9790", "dgx-h100"} <= {part for part, _ in known}
    for part, figure in known:
        after = fabrics(part, figure)
        assert set(names(after)) >= set(names(before)), (part, figure)
        assert names(after)[0] == names(before)[0] or part not in parts_in(after[:1])


def test_no_fabric_goes_and_none_gets_ahead_when_a_price_of_it_is_unknown() -> None:
    before = fabrics(prices=True)
    assert all(one.price for one in before)
    for part in sorted({*SWITCHES, *parts_in(before)}):
        after = fabrics(part, prices=True)
        assert set(names(after)) >= set(names(before)), part
        lacking = [one.price is None for one in after]
        assert lacking == [part in parts_in([one]) for one in after] == sorted(lacking)


def test_the_one_of_unknown_power_is_no_reason_against_the_other() -> None:
    asked = replace(ASKED, nodes=4, switches=("qm9790", "sn6600"), needs={})
    assert CATALOG.switch("sn6600").power_w is None
    found = search(asked, CATALOG, failures=False, most_analysed=10_000).proposals
    assert {one.fabric.ports.leaf for one in found} == {"qm9790", "sn6600"}
    words = {one.fabric.ports.leaf: power_words(one) for one in found}
    assert words["sn6600"].startswith("≥ ") and not words["qm9790"].startswith("≥ ")


def fixes(name: str, catalog: Catalog, terms: Terms) -> tuple[Fix, ...]:
    path = saved_path(name)
    assert path is not None
    request = Request(collective="all_to_all")
    of = EvaluatedDesign(load_file(path).design, catalog, request, terms=terms)
    return ranked_fixes(of, most_reviewed=0).fixes


@pytest.mark.parametrize("name", ["a100-rack-1x100gbe", "hgx-a100-64gpu-roce-2to1"])
def test_no_fix_goes_when_a_figure_or_a_price_is_unknown(name: str) -> None:
    for terms in (Terms(), priced()):
        before = fixes(name, CATALOG, terms)
        parts = sorted({part.part for fix in before for part in fix.purchase.parts})
        assert parts
        for part in parts:
            if CATALOG.get(part).power_w is not None:
                after = fixes(name, without(part, "power_w"), terms)
                assert {fix.label for fix in after} >= {fix.label for fix in before}, part
            # which cable is billed follows from prices, too: another one is another purchase
            if terms.prices is not None and CATALOG.get(part).kind in ("switch", "nic"):
                after = fixes(name, CATALOG, priced(part))
                assert {fix.label for fix in after} >= {fix.label for fix in before}, part


# Totals, comparisons and differences


def drawn(part: Part) -> Design:
    return Design(name=part.id, groups={"one": Group(part=part.id)})


DEVICES = [part for part in CATALOG if part.kind in ("node", "switch", "storage")]


@pytest.mark.parametrize("part", DEVICES, ids=lambda part: part.id)
def test_a_device_without_a_figure_makes_every_total_say_so(part: Part) -> None:
    known = EvaluatedDesign(drawn(part), CATALOG)
    for figure in FIGURES:
        blank = EvaluatedDesign(drawn(part), without(part.id, figure))
        total = getattr(blank.bill, figure)
        assert part.id in total.lines_without
        assert total.exact is None and total.amount() != "0"
        assert total.amount() == "unknown" or total.amount().startswith("at least ")
        rows = [ComparedDesign("blank", blank), ComparedDesign("known", known)]
        data = comparison_as_data(rows)["designs"][0]
        if figure in ("power_w", "rack_units"):
            assert data[figure] is None
            least = data["power_at_least_w" if figure == "power_w" else "rack_units_at_least"]
            assert least is None or least > 0
            if getattr(known.bill, figure).complete:
                key = "power" if figure == "power_w" else "rack_units"
                assert [row.source for row in ordered(rows, key)] == ["known", "blank"]
                (change,) = (one for one in differences(known, blank).figures if one.key == key)
                assert change.after is None and change.differs and not change.comparable
                assert change.least_after is None or change.least_after > 0
