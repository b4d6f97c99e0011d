"""The energy of a year: a figure only where power is known, and never zero where it is not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toposmith.bill.energy import Energy, EnergyError, EnergyTerms, read_energy
from toposmith.bill.totals import Total

TERMS = EnergyTerms(1.5, Decimal("0.2"), "EUR")


def test_known_power_gives_the_most_that_can_be_drawn() -> None:
    # by hand: 1,000 W x 8,760 h x 1.5 = 13,140 kWh, at 0.20 EUR 2,628 EUR
    energy = Energy(Total(1000, lines=3), TERMS)
    assert (energy.yearly_kwh, energy.yearly_cost) == (13_140, Decimal("2628.00"))
    assert energy.words.startswith("at most 13,140 kWh a year at PUE 1.5, 2,628 EUR at 0.2 EUR")


def test_where_power_is_missing_the_figure_is_no_upper_bound() -> None:
    # 1,000 W known, another line of at least 500 W: 19,710 kWh for what is known
    energy = Energy(Total(1000, {("x", None): 1}, {("x", None): 500}, 3, 1), TERMS)
    assert energy.yearly_kwh == 19_710
    assert energy.words.startswith("19,710 kWh a year at PUE 1.5")
    assert "for the 1,500 W that are known; incomplete: 1 of 3 lines have no power" in (
        energy.words.replace("has no", "have no")
    )


def test_where_nothing_is_known_the_energy_is_unknown_and_not_zero() -> None:
    energy = Energy(Total(0, {("x", None): 1}, {}, 1, 1), TERMS)
    assert energy.yearly_kwh is None and energy.yearly_cost is None
    assert energy.words.startswith("unknown at PUE 1.5; incomplete")
    assert energy.data()["yearly_kwh"] is None


@pytest.mark.parametrize(
    "text",
    ["1.3", "pue=0.9", "pue=x", "pue=11", "kwh-price=1USD", "pue=1 pue=2", "pue=1 kwh-price=1"],
)
def test_terms_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(EnergyError):
        read_energy(text)


def test_terms_read_back_as_they_are_stated() -> None:
    assert read_energy("") is None
    assert read_energy(TERMS.stated) == TERMS


@pytest.mark.parametrize("between", [" ", "; ", ", ", ";", "  "])
def test_the_two_words_may_be_apart_as_those_of_a_signature_are(between: str) -> None:
    terms = read_energy(f"pue=1.3{between}kwh-price=0.12USD")
    assert terms == read_energy("pue=1.3 kwh-price=0.12USD")
