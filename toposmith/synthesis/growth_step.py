"""One step of growth, and the figures of clusters on their way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from toposmith.analysis.request import Collective
from toposmith.cancellation import go_on
from toposmith.catalog import Node
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import device_counts
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.figures_at_hand import FigureAtHand, figure_at_hand

GrowthFigures = Mapping[Collective, Labelled]


@dataclass(frozen=True)
class GrowthStep:
    """One step, after which the cluster runs.

    Parameters
    ----------
    words : str
        What is done.
    moved, connected, unplugged : int
        Cables that are plugged elsewhere or into other devices, plugged in new, and taken out.
    gpus : int
        GPUs that run after it.
    after : dict of str to Labelled
        Busbw of a GPU then, GB/s, by collective.
    meanwhile : dict of str to Labelled, or None
        The same while the cables of the step are out; None where nothing that runs is touched.
    gpus_meanwhile : int or None
        GPUs that run while it is done, where those are fewer.
    groups : frozenset of str
        Groups of devices that it is about.
    written : callable
        Gives the cluster after it as a design that can be opened; None where that lists too many
        single cables.
    """

    words: str
    gpus: int
    after: GrowthFigures
    written: Callable[[], Design | None] = field(repr=False, compare=False)
    moved: int = 0
    connected: int = 0
    unplugged: int = 0
    meanwhile: GrowthFigures | None = None
    gpus_meanwhile: int | None = None
    groups: frozenset[str] = frozenset()

    @property
    def lowest(self) -> GrowthFigures:
        """The figures after it or while it is done, whichever are lower."""
        if self.meanwhile is None:
            return self.after
        return {
            name: min(self.after[name], self.meanwhile[name], key=lambda one: one.value or 0.0)
            for name in self.after
        }

    @property
    def fewest_gpus(self) -> int:
        """GPUs that run after it or while it is done, whichever are fewer."""
        return self.gpus if self.gpus_meanwhile is None else min(self.gpus, self.gpus_meanwhile)


def gpus_of(planned: PlannedDesign) -> int:
    """GPUs that a design has."""
    counts = device_counts(planned.plan)
    return sum(
        counts[name] * group.part.gpus
        for name, group in planned.plan.groups.items()
        if isinstance(group.part, Node)
    )


@dataclass
class FiguresOnTheWay:
    """Figures of designs on the way from one to another, each computed once.

    Parameters
    ----------
    old : EvaluatedDesign
        The design at which it begins, with what is measured.
    floor : mapping of str to float
        Busbw of a GPU that is to hold, GB/s, by collective.
    least_gpus : int
        GPUs that are to run all the time.
    names : tuple of str
        Collectives that are measured.
    keep_going : callable
        Asked before every analysis; where it returns False the search ends with EditError.
    """

    old: EvaluatedDesign
    floor: Mapping[Collective, float]
    least_gpus: int
    names: tuple[Collective, ...]
    keep_going: Callable[[], bool]
    _known: list[tuple[Design, GrowthFigures]] = field(default_factory=list)

    def of(self, design: Design) -> GrowthFigures:
        """Busbw of a GPU for every collective."""
        go_on()
        for known, figures in self._known:
            if known == design:
                return figures
        figures = self.of_planned(PlannedDesign.of(design, self.old.catalog))
        self._known.append((design, figures))
        return figures

    def of_planned(self, planned: PlannedDesign) -> GrowthFigures:
        """The same of a design that is planned already; unknown where it has no GPUs.

        Raises
        ------
        EditError
            If the search is to stop.
        """
        if not self.keep_going():
            raise EditError("stopped")
        if not gpus_of(planned):
            return dict.fromkeys(self.names, Labelled(None, UNKNOWN))
        asked = self.old.asked
        return {
            name: figure_at_hand(planned, replace(asked, collective=name)).amount
            for name in self.names
        }

    def worth(self, figures: GrowthFigures) -> float:
        """The least share of its floor that a figure has; of what it was, where none is set."""
        shares = []
        now = self.of(self.old.design)
        for name, figure in figures.items():
            if self.floor:
                if name in self.floor:
                    held = FigureAtHand(figure).holds(self.floor[name])
                    shares.append(1.0 if held else (figure.value or 0.0) / self.floor[name])
            elif now[name].value:
                shares.append((figure.value or 0.0) / (now[name].value or 1.0))
        return min(shares, default=0.0)
