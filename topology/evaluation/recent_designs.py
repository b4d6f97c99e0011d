"""The designs that were looked at last, understood: who asks for one of them again shares it."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from threading import Lock

from toposmith.catalog import Catalog
from toposmith.topology.design.document import Design
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.racks.placement import stand_alike

MOST_KEPT = 6
"""A design as it stands, before its last edit and as it was saved, each with a preview."""


class RecentDesigns:
    """Keeps the last few designs with what was worked out of them, for all threads of a program."""

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
        """The design understood, now or before; ``keep`` is for what is asked for again soon."""
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
        """The design with the racks of one that was looked at before, where only cables differ."""
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
        """Keep nothing of what was looked at so far."""
        with self._lock:
            self._kept.clear()


recent = RecentDesigns()
"""Those of this program: the workbench, the jobs beside the screen and its views share them."""
