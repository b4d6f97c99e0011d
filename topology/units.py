"""The one place where line rates in Gb/s become GB/s."""

from __future__ import annotations

BITS_PER_BYTE = 8


def line_rate_GBps(speed_gbit: float) -> float:
    """GB/s (10^9 bytes/s, one direction) of a port whose line rate is printed in Gb/s.

    Encoding and error correction are already inside the printed rate, so nothing is taken off.
    """
    return speed_gbit / BITS_PER_BYTE
