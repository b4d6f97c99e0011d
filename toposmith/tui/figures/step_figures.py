"""The figure after each step of the history, as far as it is known for what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toposmith.analysis.request import Request
from toposmith.evaluation import recent
from toposmith.labels import Labelled

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.workbench import HistoryStep

NOT_YET = "..."
"""In place of a figure that is being computed."""


class StepFigures:
    """The busbw after each step, GB/s, with its label, by what is measured."""

    def __init__(self) -> None:
        self._known: dict[tuple[Request, int], Labelled] = {}

    def keep(self, request: Request, step: HistoryStep, busbw: Labelled) -> None:
        """Note the figure after a step."""
        self._known[request, step.number] = busbw

    def missing(self, request: Request, steps: Sequence[HistoryStep]) -> tuple[HistoryStep, ...]:
        """The steps whose figure was not computed yet, the last of them first."""
        return tuple(step for step in reversed(steps) if (request, step.number) not in self._known)

    def values(self, request: Request, steps: Sequence[HistoryStep]) -> tuple[float | None, ...]:
        """The figure after each of the steps; None where it is not known."""
        found = (self._known.get((request, step.number)) for step in steps)
        return tuple(None if busbw is None else busbw.value for busbw in found)

    def words(self, request: Request, step: HistoryStep) -> str:
        """The figure after a step in words."""
        key = (request, step.number)
        return self._known[key].words if key in self._known else NOT_YET


def figure_of_step(step: HistoryStep, request: Request, catalog: Catalog) -> Labelled:
    """Compute the busbw after a step, GB/s; raises ToposmithError where it cannot be."""
    planned = recent.planned(step.design, catalog, keep=False)
    return planned.questions.prediction(request).busbw
