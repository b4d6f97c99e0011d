"""A search for fabrics as the app runs it: once for what was asked, until it is ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.bill.terms import Terms, bill_prices
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.synthesis.fabric_search import Search, search
from toposmith.synthesis.tried_changes import same_as

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.synthesis.fabric_requirements import Requirements
    from toposmith.synthesis.fabrics import Fabric
    from toposmith.synthesis.proposals import Proposal


@dataclass(frozen=True)
class FoundFabrics:
    """What a search found, and which of its fabrics the design is already."""

    search: Search
    here: frozenset[int]


class LiveSearch:
    """What was asked, and what was found for it.

    Attributes
    ----------
    asked : Requirements or None
        What was asked for last.
    limits : str
        The limits of it as they were typed.
    running : bool
        Whether a search is running.
    """

    def __init__(self) -> None:
        self.asked: Requirements | None = None
        self.limits = ""
        self.running = False
        self._known: Search | None = None
        self._stopped = False

    @property
    def is_known(self) -> bool:
        """Whether the search for what was asked has ended."""
        return self._known is not None

    def ask(self, asked: Requirements, limits: str) -> None:
        """Search for something else from now on."""
        self.asked, self.limits = asked, limits
        self._known, self._stopped = None, False

    def stop(self) -> bool:
        """End a running search, with what is there; whether one was running."""
        ended = self.running and not self._stopped
        self._stopped = self._stopped or ended
        return ended

    def run(
        self,
        design: Design,
        catalog: Catalog,
        *,
        go_on: Callable[[int, int], bool],
        tell: Callable[[Requirements, tuple[Proposal, ...], tuple[Fabric, ...]], object],
    ) -> FoundFabrics:
        """Search once for what was asked; the design makes no difference to it.

        Parameters
        ----------
        design : Design
            The current design, which may be one of the fabrics already.
        catalog : Catalog
            The parts to build from.
        go_on : callable
            Given how many fabrics of how many are analysed; False ends the search.
        tell : callable
            Given what was asked, the fabrics that no other beats so far, and those that wait.

        Raises
        ------
        EditError
            If nothing was asked for yet.
        """
        asked = self.asked
        if asked is None:
            raise EditError("no needs given yet: n asks how many nodes, and what they need")
        if self._known is not None and self._known.asked is asked:
            return FoundFabrics(self._known, same_as(design, self._known, catalog))

        def so_far(now: Sequence[Proposal], waiting: Sequence[Fabric]) -> None:
            tell(asked, tuple(now), tuple(waiting))

        self.running = True
        try:
            found = search(
                asked,
                catalog,
                Terms(prices=bill_prices(Design(), catalog)),
                progress=lambda done, of: go_on(done, of) and not self._stopped,
                found=so_far,
            )
        finally:
            self.running = False
        if asked is self.asked and (found.complete or self._stopped or found.analysed):
            self._known = found
        return FoundFabrics(found, same_as(design, found, catalog))
