"""Up to where an all-to-all over switches joined along axes is routed."""

from __future__ import annotations

MOST_ROUTED = 40_000_000
"""Arcs times targets that are routed, some seconds' work; beyond them distances say the least."""


class TooMany(ValueError):
    """More targets than can be routed one by one."""
