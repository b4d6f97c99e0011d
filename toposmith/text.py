"""Figures as text: the one place that formats numbers, units and nouns.

Imports nothing from this package, so that every module may use it. A number has three significant
digits, and all integer digits, then its unit; a missing one reads ``unknown``, and
nothing but zero reads as 0.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from decimal import Decimal

UNKNOWN = "unknown"

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

LIMIT_WORDS = {"latency": "latency", "channels": "NCCL's channels", "links": "links"}

_ONE_DOES = {"are": "is", "do": "does", "go": "goes", "have": "has"}

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
_DECIMAL_UNITS = ("B", "kB", "MB", "GB", "TB")
_SIZE = re.compile(r"^\s*(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-zA-Z]*)\s*$")
_MULTIPLES = {
    "": 1,
    "b": 1,
    **{word: 1024**power for power, unit in enumerate("kmgt", 1) for word in (unit, f"{unit}ib")},
    **{f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)},
}
_SMALL_RATES = ((1e-4, 1e-3, "MB/s"), (1e-7, 1e-6, "kB/s"), (0.0, 1e-9, "B/s"))
"""For small rates: the GB/s from which a unit is used, the unit in GB/s, its name."""


def number(value: float | None, unit: str = "") -> str:
    """A figure with at least three significant digits, or ``unknown``; only zero reads as 0."""
    if value is None:
        return UNKNOWN
    size = abs(value)
    if size == 0:
        text = "0"
    elif size < 0.0995:
        text = f"{value:.3g}"
    else:
        digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2
        text = f"{value:,.{digits}f}"
    return f"{text} {unit}" if unit else text


def plain_number(value: float | None, unit: str = "") -> str:
    """A value as its source gives it, with thousands separators, without trailing zeros."""
    if value is None:
        return UNKNOWN
    text = f"{value:,.0f}" if not value % 1 else f"{value:,.10g}"
    return f"{text} {unit}" if unit else text


def at_line_rate(GBps: float | None) -> str:
    """A bandwidth before protocol overhead: ``3,200 GB/s at line rate``."""
    return UNKNOWN if GBps is None else f"{bandwidth(GBps)} at line rate"


def power(power_w: float | None) -> str:
    """Power of racks and clusters in kW, ``40.8 kW``; below 1 kW in W."""
    if power_w is None:
        return UNKNOWN
    if 0 < abs(power_w) < 1000:
        return number(power_w, "W")
    return f"{power_w / 1000:,.1f} kW"


def money(amount: Decimal | float, currency: str) -> str:
    """A price to the cent, ``1,299.50 USD``; whole amounts without cents."""
    if amount != round(amount, 2):
        return f"{amount:,} {currency}"
    return f"{amount:,.{2 if amount % 1 else 0}f} {currency}"


def bandwidth(GBps: float | None) -> str:
    """A rate in GB/s, scaled to a suitable unit: ``34.0 MB/s`` to ``131 TB/s``."""
    if GBps is None:
        return UNKNOWN
    if GBps >= 10_000:
        return number(GBps / 1000, "TB/s")
    if 0 < GBps < 0.1:
        _, scale, unit = next(one for one in _SMALL_RATES if GBps >= one[0])
        return number(GBps / scale, unit)
    return number(GBps, "GB/s")


def rates(low_GBps: float, high_GBps: float, between: str) -> str:
    """Two rates with one unit where it is the same, ``340 to 372 GB/s``, ``47.8 of 48.0 GB/s``."""
    return _pair(bandwidth(low_GBps), bandwidth(high_GBps), between)


def powers(low_w: float, high_w: float, between: str) -> str:
    """Two powers with one unit where it is the same, ``40.8 of 50.0 kW``."""
    return _pair(power(low_w), power(high_w), between)


def _pair(low: str, high: str, between: str) -> str:
    (value, unit), (_, other) = low.split(), high.split()
    return f"{value if unit == other or value == '0' else low} {between} {high}"


def percent(share: float | None) -> str:
    """A share in whole percent; more than 0 never reads as 0, nor less than all as 100."""
    if share is None:
        return UNKNOWN
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 0.9995:
        return f"{share * 100:.1f} %"
    return f"{share * 100:.0f} %"


def signed_percent(share: float) -> str:
    """A difference in whole percent with its sign, ``-6 %``."""
    whole = round(share * 100)
    return f"{whole:+d} %" if whole else "0 %"


def change(factor: float) -> str:
    """A ratio of two figures as a change: ``+6 %``, ``-0.4 %``, ``x 12.5``."""
    if factor >= 10:
        return f"x {number(factor)}"
    percents = (factor - 1) * 100
    digits = 0 if abs(percents) >= 9.5 else 1
    return f"{percents:+.{digits}f} %"


def duration(time_s: float | None) -> str:
    """A time in seconds, scaled to a suitable unit."""
    if time_s is None:
        return UNKNOWN
    for scale, unit in ((1.0, "s"), (1e-3, "ms")):
        if time_s >= scale:
            return number(time_s / scale, unit)
    return number(time_s * 1e6, "µs")


def duration_us(time_us: float | None) -> str:
    """A time in microseconds, scaled to a suitable unit."""
    return duration(None if time_us is None else time_us / 1e6)


def message_size(size: int) -> str:
    """A size in bytes, scaled to a suitable unit, ``8 GiB``; ``1 MB`` where that is exact."""
    binary, decimal = (_scaled(size, base) for base in (1024, 1000))
    (value, unit), (round_value, round_unit) = binary, decimal
    if f"{value:.4g}" != f"{value:.10g}" and f"{round_value:.4g}" == f"{round_value:.10g}":
        value, unit = round_value, round_unit
    return f"{value:.4g} {unit}"


def _scaled(size: int, base: int) -> tuple[float, str]:
    units = _BINARY_UNITS if base == 1024 else _DECIMAL_UNITS
    power_of_base = 0
    while power_of_base < len(units) - 1 and size >= base ** (power_of_base + 1):
        power_of_base += 1
    return size / base**power_of_base, units[power_of_base]


def read_message_size(text: str) -> int | None:
    """The bytes of ``8 GiB``, ``512M`` or ``1kB``; None where the text is no size."""
    match = _SIZE.match(text)
    if match is None:
        return None
    factor = _MULTIPLES.get(match["unit"].lower())
    if factor is None:
        return None
    size = float(match["number"]) * factor
    return int(size) if 1 <= size < float("inf") else None


def oversubscription(ratio: float | None) -> str:
    """Capacity towards the nodes over that away from them, as ``2:1``; below 1 as ``0.93:1``.

    Three significant digits, and two decimals below 1, so that a tier with a few absent nodes reads
    the same everywhere.
    """
    if ratio is None:
        return UNKNOWN
    text = f"{ratio:.3g}" if ratio >= 1 else f"{ratio:.2f}".rstrip("0").rstrip(".")
    return f"{text if float(text) or not ratio else f'{ratio:.1g}'}:1"


def oversubscriptions(one: float, other: float) -> tuple[str, str]:
    """Two ratios as of :func:`oversubscription`, with more digits where they read alike."""
    for digits in range(3, 9):
        words = tuple(f"{ratio:.{digits}g}:1" for ratio in (one, other))
        if digits == 3:
            words = (oversubscription(one), oversubscription(other))
        if words[0] != words[1]:
            break
    return words[0], words[1]


def counted(many: int, noun: str, do: str = "") -> str:
    """A number with its noun in singular or plural: ``1 leaf``, ``32 leaves``.

    ``do`` is a verb in the plural, ``have`` or ``join``: ``1 leaf has``, ``32 leaves have``.
    """
    words = f"{many:,} {noun if many == 1 else plural(noun)}"
    return f"{words} {one_does(do) if many == 1 else do}" if do else words


def one_does(do: str) -> str:
    """The third person singular of a verb: ``has`` for ``have``."""
    return _ONE_DOES.get(do) or plural(do)


def plural(noun: str) -> str:
    """The plural of a noun; of ``node per su`` the first word is the noun."""
    head, per, rest = noun.partition(" per ")
    if per:
        return f"{plural(head)}{per}{rest}"
    if noun.endswith("leaf"):
        return f"{noun[:-1]}ves"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("ch", "s", "x")) else f"{noun}s"


def joined(words: Iterable[str], last_word: str = "and") -> str:
    """Words as a list: ``a, b and c``; empty for none."""
    *most, last = list(words) or [""]
    return f"{', '.join(most)} {last_word} {last}" if most else last


def algorithm_name(algorithm: str) -> str:
    """NCCL's algorithm, or a comma-separated list of them, in the usual spelling."""
    return joined((ALGORITHM_NAMES.get(one, one) for one in algorithm.split(",")), "or")


def protocol_name(protocol: str) -> str:
    """NCCL's protocol, or a comma-separated list of them, in the usual spelling."""
    return joined((PROTOCOL_NAMES.get(one, one) for one in protocol.split(",")), "or")


def first_sentence(text: str, columns: int) -> str:
    """The beginning of a text, up to its first full stop, or as many words as ``columns`` hold."""
    sentence, stop, _ = " ".join(text.split()).partition(". ")
    whole = sentence + stop.rstrip()
    return whole if len(whole) <= columns else textwrap.shorten(whole, columns, placeholder=" ...")


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts ``port 9`` before ``port 10``."""
    parts: Iterable[str] = re.split(r"([0-9]+)", text)
    # of numbers without leading zeros the longer one is larger, whatever their length
    bare = ((one, one.lstrip("0")) for one in parts if one)
    return [(0, len(n), n) if one[0] in "0123456789" else (1, 0, one) for one, n in bare]


_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|[kMGT]?[Bb]/s|(?:[KMGT]i)?B\b|[mµu]?s\b)")


def whole_figures(text: str) -> str:
    """The text with no-break spaces between figures and their units."""
    return _BEFORE_UNIT.sub("\u00a0", text)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken between words where possible.

    A no-break space holds words together; it is shown as a plain one. Where there is no width,
    as before a screen is laid out, a line holds one cell.
    """
    width = max(width, 1)
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        while len(word) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[:width])
            word = word[width:]
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    lines.append(line)
    return [line.replace("\u00a0", " ") for line in lines]


def bare_word(word: str) -> str:
    """A word without capitals, spaces and signs, by which any spelling of it is known."""
    return word.strip().lower().translate(str.maketrans("", "", "-_/ "))
