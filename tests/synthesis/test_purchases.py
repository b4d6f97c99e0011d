"""What a change buys and gives back, in words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from toposmith.review.differences.consequences import PartChange
from toposmith.synthesis.purchases import Purchase, price_words, purchase_words


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


SWITCHES = PartChange("qm9700", "QM9700", None, 0, 4)
CABLES = PartChange("mcp4y10", "MCP4Y10", 2.0, 0, 64)
OLD_CABLES = PartChange("mfa1a00", "MFA1A00", 5.0, 8, 0)


@pytest.mark.parametrize(
    ("parts", "unpriced", "spent", "saved", "words"),
    [
        ((SWITCHES,), ("qm9700",), 0, 0, "price unknown (1 part without a price)"),
        (
            (SWITCHES, CABLES),
            ("qm9700",),
            640,
            0,
            "costs at least 640 USD (1 part without a price)",
        ),
        (
            (SWITCHES, OLD_CABLES),
            ("qm9700",),
            0,
            80,
            "costs unknown (1 part without a price)",
        ),
        (
            (SWITCHES, CABLES, OLD_CABLES),
            ("qm9700", "mfa1a00"),
            640,
            0,
            "costs at least 640 USD, saves unknown (2 parts without a price)",
        ),
    ],
)
def test_a_sum_that_lacks_prices_is_a_bound_and_says_so(
    parts: tuple[PartChange, ...], unpriced: tuple[str, ...], spent: int, saved: int, words: str
) -> None:
    sums = [{"USD": Decimal(amount)} if amount else {} for amount in (spent, saved)]
    assert price_words(Purchase(parts, {}, sums[0], sums[1], unpriced)) == words


def test_a_setting_buys_nothing() -> None:
    assert purchase_words(Purchase((), {}, {}, {})) == "nothing to buy"
