"""Oversubscription reads alike wherever it is read."""

from __future__ import annotations

import pytest

from toposmith.text import oversubscription


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (None, "unknown"),
        (1.0, "1:1"),
        (2.0, "2:1"),
        (1.125, "1.12:1"),
        (12.5, "12.5:1"),
        (1016 / 1024, "0.99:1"),
        (0.5, "0.5:1"),
        (0.001, "0.001:1"),
    ],
)
def test_the_ratio_stands_before_one(ratio: float | None, words: str) -> None:
    assert oversubscription(ratio) == words
