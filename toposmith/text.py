"""Figures as a person reads them: the one place where numbers, units and nouns become words.

Imports nothing, so that whatever starts first may use it. A number has three significant digits,
and all of its whole ones; its unit stands behind; what is not known reads ``unknown``, and nothing
but zero reads as 0.
"""

from __future__ import annotations

from collections.abc import Iterable

UNKNOWN = "unknown"

COLLECTIVE_NAMES = {
    "all_reduce": "all-reduce",
    "all_gather": "all-gather",
    "reduce_scatter": "reduce-scatter",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "all_to_all": "all-to-all",
    "send_recv": "send/recv",
}
ALGORITHM_NAMES = {
    "tree": "Tree",
    "ring": "Ring",
    "collnet_direct": "CollNetDirect",
    "collnet_chain": "CollNetChain",
    "nvls": "NVLS",
    "nvls_tree": "NVLSTree",
    "pat": "PAT",
    "pairwise": "pairwise",
}
PROTOCOL_NAMES = {"ll": "LL", "ll128": "LL128", "simple": "Simple"}

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_SMALL_RATES = ((1e-4, 1e-3, "MB/s"), (1e-7, 1e-6, "kB/s"), (0.0, 1e-9, "B/s"))
"""From how many GB/s on a unit is taken, and what it is."""


def number(value: float | None, unit: str = "") -> str:
    """A figure with at least three digits that count, or ``unknown``; only zero reads as 0."""
    if value is None:
        return UNKNOWN
    size = abs(value)
    if size == 0:
        text = "0"
    elif size < 0.01:
        text = f"{value:.2g}"
    else:
        digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2
        text = f"{value:,.{digits}f}"
    return f"{text} {unit}" if unit else text


def bandwidth(GBps: float | None) -> str:
    """A rate in GB/s with the unit that suits it, ``34.0 MB/s`` to ``131 TB/s``."""
    if GBps is None:
        return UNKNOWN
    if GBps >= 10_000:
        return number(GBps / 1000, "TB/s")
    if 0 < GBps < 0.1:
        _, scale, unit = next(one for one in _SMALL_RATES if GBps >= one[0])
        return number(GBps / scale, unit)
    return number(GBps, "GB/s")


def percent(share: float | None) -> str:
    """A share in whole per cent; a little never reads as 0, nor less than all as 100."""
    if share is None:
        return UNKNOWN
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 0.9995:
        return f"{share * 100:.1f} %"
    return f"{share * 100:.0f} %"


def signed_percent(share: float) -> str:
    """A difference in whole per cent with its sign, ``-6 %``."""
    whole = round(share * 100)
    return f"{whole:+d} %" if whole else "0 %"


def duration(time_s: float | None) -> str:
    """A time in seconds in the unit that suits it."""
    if time_s is None:
        return UNKNOWN
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if time_s >= scale:
            return number(time_s / scale, unit)
    return number(time_s * 1e6, "µs")


def message_size(size: int) -> str:
    """A message size in bytes in binary units, ``8 GiB``."""
    value = float(size)
    for unit in _BINARY_UNITS:
        if value < 1024 or unit == _BINARY_UNITS[-1]:
            return f"{value:.4g} {unit}"
        value /= 1024
    raise AssertionError("the last unit takes every size")


def oversubscription(ratio: float | None) -> str:
    """Capacity down over capacity up as ``2:1``; ``0.93:1`` where more goes up than down.

    Three significant digits, and two places below 1, so that a tier with a few absent nodes reads
    alike everywhere.
    """
    if ratio is None:
        return UNKNOWN
    text = f"{ratio:.3g}" if ratio >= 1 else f"{ratio:.2f}".rstrip("0").rstrip(".")
    return f"{text if float(text) or not ratio else f'{ratio:.1g}'}:1"


def counted(many: int, noun: str) -> str:
    """A number with its noun, in the plural where that is due: ``1 leaf``, ``32 leaves``."""
    return f"{many:,} {noun if many == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """More than one of a noun; of ``node per su`` the first word is the noun."""
    head, per, rest = noun.partition(" per ")
    if per:
        return f"{plural(head)}{per}{rest}"
    if noun.endswith("leaf"):
        return f"{noun[:-1]}ves"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"


def joined(words: Iterable[str], last_word: str = "and") -> str:
    """Words in a row: ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} {last_word} {last}" if most else last
