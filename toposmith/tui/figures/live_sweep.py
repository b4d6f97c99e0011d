"""A sweep over failures as the app runs it: seen while it goes on, until a person ends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.cancellation import TimeLimit
from toposmith.review.failures.sweep import COLLECTIVES, sweep

if TYPE_CHECKING:
    from collections.abc import Callable

    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.review.failures.sweep import Sweep
    from toposmith.tui.figures.shared_figures import Wanted


@dataclass(frozen=True)
class FoundFailures:
    """What was found, and of which design."""

    sweep: Sweep
    design: Design


class LiveSweep:
    """Which failures are looked at, and what is known of them while that goes on.

    Attributes
    ----------
    pairs : int or None
        How many pairs of things, drawn at random, fail together; None for all pairs, counted.
    """

    def __init__(self) -> None:
        self.pairs: int | None = 0
        self._limit = TimeLimit()
        self._so_far: tuple[Wanted, Callable[[], Sweep]] | None = None

    @property
    def ended(self) -> bool:
        """Whether a person ended it."""
        return self._limit.ended

    def begin(self) -> None:
        """Something else is looked at: nobody has ended that yet."""
        self._limit = TimeLimit()

    def end(self) -> None:
        """End it with what is there."""
        self._limit.end()

    def run(
        self, wanted: Wanted, catalog: Catalog, *, progress: Callable[[int, int], bool]
    ) -> FoundFailures:
        """Let everything fail once, then pairs; with the request of the app.

        Parameters
        ----------
        wanted : Wanted
            The design, and what is measured; that stands before other collectives.
        catalog : Catalog
            Where its parts are.
        progress : callable
            Given how many failures of how many were looked at; False ends it.
        """

        def keep(so_far: Callable[[], Sweep]) -> None:
            self._so_far = wanted, so_far

        request = wanted.request
        found = sweep(
            wanted.evaluated(catalog).plan,
            catalog,
            request,
            collectives=tuple(dict.fromkeys((request.collective, *COLLECTIVES))),
            doubles=self.pairs or 0,
            every_pair=self.pairs is None,
            progress=progress,
            run=self._limit.run,
            so_far=keep,
        )
        return FoundFailures(found, wanted.design)

    def news(self, wanted: Wanted) -> FoundFailures | None:
        """What was found of a design since this was last asked; None where that is nothing."""
        if self._so_far is None or self._so_far[0] is not wanted:
            return None
        so_far, self._so_far = self._so_far[1], None
        return FoundFailures(so_far(), wanted.design)
