"""A cache of the most recent designs, planned; repeated requests share them."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from threading import Lock

from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.planned_design import PlannedDesign
from toposmith.racks.placement import stand_alike

MOST_KEPT = 6
"""Enough for the current design, the one before its last edit and the saved one, each with a
preview."""


class RecentDesigns:
    """Keeps the last few designs with their results, for all threads of a program."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._kept: deque[tuple[Design, tuple[str, ...], PlannedDesign]] = deque(maxlen=most)
        self._lock = Lock()

    def planned(
        self,
        design: Design,
        catalog: Catalog,
        failing: tuple[str, ...] = (),
        *,
        keep: bool = True,
    ) -> PlannedDesign:
        """The design, planned now or before; ``keep`` stores it for the next request."""
        with self._lock:
            for one in reversed(self._kept):
                known, failed, planned = one
                same = planned.catalog is catalog and failed == failing
                if same and (known is design or known == design):
                    self._kept.remove(one)
                    self._kept.append(one)
                    return planned
            planned = self._standing_alike(PlannedDesign.of(design, catalog, failing))
            if keep:
                self._kept.append((design, failing, planned))
            return planned

    def _standing_alike(self, planned: PlannedDesign) -> PlannedDesign:
        """The design with the placement of a recent one, where only cables differ."""
        for _, _, before in reversed(self._kept):
            stands = before.known_placement
            if (
                stands is not None
                and before.catalog is planned.catalog
                and stand_alike(before.plan, planned.plan)
            ):
                return replace(planned, stands=stands)
        return planned

    def forget(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._kept.clear()


recent = RecentDesigns()
"""The cache of this process: the workbench, background jobs and views share it."""
