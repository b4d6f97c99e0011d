"""The one place where line rates in Gb/s become GB/s, and where rates become words."""

from __future__ import annotations

BITS_PER_BYTE = 8


def line_rate_GBps(speed_gbit: float) -> float:
    """GB/s (10^9 bytes/s, one direction) of a port whose line rate is printed in Gb/s.

    Encoding and error correction are already inside the printed rate, so nothing is taken off.
    """
    return speed_gbit / BITS_PER_BYTE


def three_digits(value: float) -> str:
    """A number with three significant digits, and thousands parted by commas."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 99.95:
        return f"{float(f'{value:.3g}'):,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.01:
        return f"{value:.2f}"
    return f"{value:.2g}"


_SMALL = ((1e-4, 1e-3, "MB/s"), (1e-7, 1e-6, "kB/s"), (0.0, 1e-9, "B/s"))
"""From how many GB/s on a unit is taken, and what it is."""


def rate_words(GBps: float | None) -> str:
    """A rate with the unit that suits it, so that none but zero reads as ``0 GB/s``."""
    if GBps is None:
        return "unknown"
    if GBps >= 10_000:
        return f"{three_digits(GBps / 1000)} TB/s"
    if 0 < GBps < 0.1:
        _, scale, unit = next(one for one in _SMALL if GBps >= one[0])
        return f"{three_digits(GBps / scale)} {unit}"
    return f"{three_digits(GBps)} GB/s"
