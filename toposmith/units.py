"""The one place where line rates in Gb/s become GB/s."""

from __future__ import annotations

BITS_PER_BYTE = 8


def line_rate_GBps(speed_gbit: float) -> float:
    """GB/s (10^9 bytes/s, one direction) of a port whose line rate is printed in Gb/s.

    The printed rate is already net of line encoding and error correction, so nothing is deducted.
    """
    return speed_gbit / BITS_PER_BYTE
