"""Columns that line up, and figures in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

UNKNOWN = "unknown"

_TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_SIZES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_DECIMAL_SIZES = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (1000, "kB"))


def columns(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> Iterator[str]:
    """Lines of a table whose columns line up; those in ``right`` end where their heads end."""
    table = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    to_right = set(right)
    for row in table:
        cells = (
            cell.rjust(width) if i in to_right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def figure(value: float | None, unit: str = "") -> str:
    """A figure with at least three digits that count, or ``unknown``; only zero reads as 0."""
    if value is None:
        return UNKNOWN
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2
    text = f"{value:,.{digits}f}" if size >= 0.01 or not size else f"{value:.2g}"
    return f"{text}{f' {unit}' if unit else ''}"


def duration(time_us: float | None) -> str:
    """A time in the unit that suits it."""
    if time_us is None:
        return UNKNOWN
    scale, unit = next((t for t in _TIMES if time_us >= t[0]), _TIMES[-1])
    return figure(time_us / scale, unit)


def byte_size(size: int) -> str:
    """A message size in the largest unit that divides it, such as ``8 GiB``."""
    plain = (1, "byte" if size == 1 else "bytes")
    fitting = [s for s in (*_SIZES, *_DECIMAL_SIZES) if size >= s[0] and size % s[0] == 0]
    scale, unit = max(fitting, key=lambda s: s[0], default=plain)
    return f"{size // scale:,} {unit}"


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"
