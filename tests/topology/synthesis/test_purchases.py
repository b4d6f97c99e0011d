"""What a change buys and gives back, in words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toposmith.topology.synthesis.purchases import Purchase, price_words, purchase_words


@pytest.mark.parametrize(
    ("spent", "saved", "words"),
    [
        ({}, {}, ""),
        ({"USD": Decimal(1200)}, {}, "costs 1,200 USD"),
        ({}, {"EUR": Decimal(80)}, "saves 80 EUR"),
        ({"USD": Decimal(5), "EUR": Decimal(7)}, {}, "costs 5 USD and 7 EUR"),
    ],
)
def test_what_is_only_bought_or_only_given_back_or_neither_is_said(spent, saved, words) -> None:  # type: ignore[no-untyped-def]
    assert price_words(Purchase((), {}, spent, saved)) == words


def test_a_setting_buys_nothing() -> None:
    assert purchase_words(Purchase((), {}, {}, {})) == "nothing to buy"
