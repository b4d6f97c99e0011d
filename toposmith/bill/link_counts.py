"""Counts of cables, cages and modules of links."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class LinkCounts:
    """Counts of some links.

    Parameters
    ----------
    bodies : counter of (int, tuple)
        Cables by the index of the link and what distinguishes recipes.
    cages : counter of str
        By the label of an end.
    most_cages : counter of str
        By the label of an end at switches: of the device that takes the most.
    modules : counter of (str, str)
        By the label of an end and the part.
    """

    bodies: Counter[tuple[int, tuple[object, ...]]] = field(default_factory=Counter)
    cages: Counter[str] = field(default_factory=Counter)
    most_cages: Counter[str] = field(default_factory=Counter)
    modules: Counter[tuple[str, str]] = field(default_factory=Counter)
