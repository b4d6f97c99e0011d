"""Oversubscription in words: one form wherever it is read."""

from __future__ import annotations


def oversubscription_words(ratio: float | None) -> str:
    """Capacity down over capacity up as ``2:1``; ``0.93:1`` where more goes up than down.

    Three significant digits, and two places below 1, so that a tier with a few absent nodes reads
    alike everywhere; ``unknown`` where it is.
    """
    if ratio is None:
        return "unknown"
    text = f"{ratio:.3g}" if ratio >= 1 else f"{ratio:.2f}".rstrip("0").rstrip(".")
    return f"{text if float(text) or not ratio else f'{ratio:.1g}'}:1"
