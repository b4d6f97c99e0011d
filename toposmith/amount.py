"""Amounts that keep what is unknown of them apart: an unknown share never counts as zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toposmith.labels import AT_LEAST, EXACT, UNKNOWN, Label

Piece = tuple[str, float | None]
"""A part, and a length where pieces of two lengths are not the same thing."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Amount:
    """A known sum, and the pieces whose share of it is unknown, but not negative.

    Parameters
    ----------
    known : float
        The sum of what is known.
    unknown : mapping of Piece to float
        How many pieces there are whose share is not known.
    least : mapping of Piece to float
        Lower limit of the share of one piece, where one is known.
    """

    known: float = 0.0
    unknown: Mapping[Piece, float] = field(default_factory=dict)
    least: Mapping[Piece, float] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether nothing of it is unknown."""
        return not self.unknown

    @property
    def exact(self) -> float | None:
        """The amount; None where something of it is unknown."""
        return self.known if self.complete else None

    @property
    def at_least(self) -> float:
        """The known sum plus the known lower limits of the rest."""
        more = sum(count * self.least.get(piece, 0.0) for piece, count in self.unknown.items())
        return round(self.known + more, 3)

    @property
    def floor(self) -> float | None:
        """The amount, or what it is at least; None where nothing of it is known."""
        return self.known if self.complete else self.at_least or None

    @property
    def label(self) -> Label:
        """``exact``, ``at least``, or ``unknown`` where nothing of it is known."""
        return EXACT if self.complete else AT_LEAST if self.at_least else UNKNOWN

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key: complete amounts by size, then all others, of which none is known as less."""
        return (0.0, self.known) if self.complete else (1.0, 0.0)

    def no_more_than(self, other: Amount) -> bool:
        """Whether it is certainly no more than another amount, whatever the unknown shares are.

        The pieces that both have cancel. One more piece of an unknown share may be more than any
        known sum: then nothing is certain.
        """
        if any(count > other.unknown.get(piece, 0.0) for piece, count in self.unknown.items()):
            return False
        spared = sum(
            (count - self.unknown.get(piece, 0.0)) * other.least.get(piece, 0.0)
            for piece, count in other.unknown.items()
        )
        most = other.known + spared
        return self.known <= most + _ROUNDING * max(abs(most), 1.0)

    def beyond(self, other: Amount) -> float | None:
        """By how much it is more than another; None where what is unknown is not the same."""
        return self.known - other.known if self.unknown == other.unknown else None
