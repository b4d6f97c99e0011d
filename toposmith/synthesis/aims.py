"""What fixes raise: the figure, what the worst failure leaves of it, the workload's margin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toposmith.analysis.request import Request
from toposmith.collectives import collective_name
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.breakable import FailureClass, failure_classes
from toposmith.review.failures.without import intact, without
from toposmith.synthesis.needs import FigureAtHand, figure_at_hand
from toposmith.text import percent
from toposmith.workloads.assess import assess_block
from toposmith.workloads.communications import CommunicationTime
from toposmith.workloads.model import WorkloadError


@dataclass(frozen=True)
class Aim:
    """A figure that fixes raise.

    Parameters
    ----------
    name : str
        Its name on the command line and in a request.
    title : str
        What it is, in a few words.
    key : str
        What it is called in JSON, with its unit.
    held_by : str
        Words before the name of what limits it.
    figure : callable
        Computes it for a design and a request.
    of_collective : bool
        Whether it is of the collective that is asked for.
    """

    name: str
    title: str
    key: str
    held_by: str
    figure: Callable[[PlannedDesign, Request], FigureAtHand]
    of_collective: bool = True

    def words(self, request: Request) -> str:
        """``all-reduce``, ``all-reduce after any one failure``: what is raised, of a request."""
        if not self.of_collective:
            return self.title
        name = collective_name(request.collective)
        return f"{name} {self.title}" if self.title else name


class Margin(Labelled):
    """Available busbw as a share of the required one."""

    @property
    def words(self) -> str:
        """``83 % of required``."""
        if self.value is None:
            return super().words
        return self.label.marked(f"{percent(self.value)} of required")


def after_failure(planned: PlannedDesign, request: Request) -> FigureAtHand:
    """Busbw that the worst failure of one cable or switch leaves, GB/s, over all GPUs there were.

    What is left of the busbw, times the share of GPUs that are left: those cut off get nothing.
    The links to relieve are those of what fails and those that are full before it.
    """
    now = figure_at_hand(planned, request)
    if now.amount.value is None:
        return now
    collective = request.collective
    start = intact(planned.plan, planned.catalog, request, (collective,))
    before = start.figures[collective][0]
    if not before or not start.gpus:
        return FigureAtHand(Labelled(None, UNKNOWN))
    lowest, worst, cut_off = before, None, 0
    for each in failure_classes(start.network, planned.catalog):
        if each.kind in ("node", "NIC"):
            continue
        outcome = without(start, (each.member(),))
        left = (outcome.whole_share or 0.0) * before
        if worst is None or left < lowest * (1 - 1e-9):
            lowest, worst, cut_off = left, each, outcome.gpus_cut_off
    label = start.labels[collective]
    if worst is None:
        return FigureAtHand(Labelled(before, label), now.fullest, now.limited_by, now.limit)
    links = now.fullest | frozenset(_links_of(planned, worst))
    words = _failing(worst)
    if cut_off:
        words += f", which cuts off {cut_off:,} of {start.gpus:,} GPUs"
    return FigureAtHand(Labelled(lowest, label), links, "failure", words)


def _links_of(planned: PlannedDesign, failing: FailureClass) -> Iterator[int]:
    """The links that lose cables with it."""
    for link in planned.plan.links:
        if failing.what in (link.label, link.a.group, link.b.group):
            yield link.index


def _failing(failing: FailureClass) -> str:
    """``one switch of spine``, ``one cable of leaf - spine``."""
    kind = "cable" if failing.kind == "cable" else "switch"
    return f"one {kind} of {failing.what}"


def workload_margin(planned: PlannedDesign, request: Request) -> FigureAtHand:
    """The least share of the required busbw that any communication between nodes gets.

    Of training: what one step of the design's ``workload:`` block waits for. Where the workload
    cannot run, or nothing of it leaves a node, the figure is unknown.
    """
    try:
        found = assess_block(planned.plan, planned.catalog, planned.design.workload, request)
    except WorkloadError:
        return FigureAtHand(Labelled(None, UNKNOWN))
    between = [
        each
        for each in (found.step.communication if found.step is not None else ())
        if not each.inside_node and each.needed_GBps
    ]
    if not between:
        return FigureAtHand(Labelled(None, UNKNOWN))
    worst = min(between, key=lambda each: each.margin)
    links = {link.index for link in planned.plan.links if link.label == worst.fullest}
    amount = Margin(worst.busbw_GBps / worst.needed_GBps, worst.label)
    return FigureAtHand(
        amount, frozenset(links), worst.limited_by, f"{worst.dimension}: {_at(worst)}"
    )


def _at(worst: CommunicationTime) -> str:
    return f"{worst.what} at {worst.fullest}" if worst.fullest else worst.what


FIGURE = Aim("figure", "", "busbw_GBps", "limited by", figure_at_hand)
FAILURE = Aim(
    "failure", "after any one failure", "busbw_after_failure_GBps", "least without", after_failure
)
WORKLOAD = Aim(
    "workload",
    "the workload's least margin",
    "share_of_required",
    "least of",
    workload_margin,
    of_collective=False,
)
AIMS = {aim.name: aim for aim in (FIGURE, FAILURE, WORKLOAD)}
"""Figures that may be raised, by name."""
