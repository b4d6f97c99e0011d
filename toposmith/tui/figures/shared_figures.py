"""Figures computed beside the screen, of designs that the screen and all jobs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.world import blocks_of
from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.bill.terms import Terms, bill_prices
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign, recent
from toposmith.evaluation.here import judged_here
from toposmith.exports.text_plot.curves import Curves, why_no_curve
from toposmith.findings.finding import Finding
from toposmith.findings.part_files import catalog_findings
from toposmith.synthesis.purchases import price_words, purchase
from toposmith.tui.figures.effects import FigureSet
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import CANNOT_RUN, WorkloadFigure, figure_of
from toposmith.workbench import Workbench
from toposmith.workloads.assess import Assessment, assess_block
from toposmith.workloads.required_bandwidth import (
    PlainNumbers,
    RequiredBandwidth,
    of_numbers,
    required_by,
)
from toposmith.workloads.steps_over_gpus import StepsOverGpus, steps_over_gpus

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.planned_design import PlannedDesign
    from toposmith.synthesis.next_change import NextChange

MOST_PREVIEWED_BLOCKS = 1_000
"""Blocks of nodes up to which a preview times the workload and prices the change, too: a tenth of a
second's work."""

Saved = tuple[Analysis, Analysis] | None
"""The figures of the saved version, and those of the collective beside."""


@dataclass(frozen=True)
class Wanted:
    """Which figures of which design; equal requests have equal answers.

    Parameters
    ----------
    design : Design
        The current design.
    request : Request
        What is measured.
    saved : Design or None
        The version to compare with.
    failing : tuple of str
        What is tried to fail: selectors as under ``down:``.
    signed : mapping
        What its bill is signed with.
    """

    design: Design
    request: Request
    saved: Design | None = None
    failing: tuple[str, ...] = ()
    signed: Mapping[str, str] = field(default_factory=dict)

    def evaluated(self, catalog: Catalog, *, priced: bool = False) -> EvaluatedDesign:
        """The design with everything that can be asked of it, judged by the policy.

        What was computed of it before, here or elsewhere in the app, is not computed again.
        """
        prices = bill_prices(self.design, catalog) if priced else None
        terms = Terms(prices=prices, signed=self.signed)
        return judged_here(
            self.design,
            catalog,
            self.request,
            terms=terms if priced else None,
            extra=catalog_findings(catalog),
            failing=self.failing,
            shared=_planned(self.design, catalog, self.failing),
        )


def figure(
    wanted: Wanted, catalog: Catalog, before: Analysis | None, saved: Saved = None
) -> LiveFigures:
    """Compute everything that the live panel shows.

    Parameters
    ----------
    wanted : Wanted
        The design, what is measured, and the saved version to compare with.
    catalog : Catalog
        Where its parts are.
    before : Analysis or None
        The figures to compare with, of before the last change.
    saved : pair of Analysis or None
        What :func:`figure_saved` gave; computed here where it is not given.
    """
    planned = _planned(wanted.design, catalog, wanted.failing)
    now = EvaluatedDesign(
        wanted.design,
        catalog,
        wanted.request,
        failing=wanted.failing,
        extra=tuple(catalog_findings(catalog)),
        shared=planned,
    )
    saved = saved or figure_saved(wanted, catalog)
    figures, beside = planned.questions.analyses(wanted.request, wanted.request.of_other_links)
    return LiveFigures(
        figures,
        beside,
        before,
        saved[0] if saved else None,
        now.engine_findings,
        note=wanted.design.note or "",
        request=wanted.request,
        saved_beside=saved[1] if saved else None,
    )


def review(wanted: Wanted, catalog: Catalog, figures: LiveFigures) -> tuple[Finding, ...]:
    """Everything that a reviewer should know: computed once the figures are on the screen."""
    if figures.analysis is None:
        return figures.findings
    return wanted.evaluated(catalog).findings


def what_lifts(wanted: Wanted, catalog: Catalog) -> NextChange:
    """The smallest changes that raise the figure; searched once the figures are on the screen."""
    # the search is read once the first figures are on the screen
    from toposmith.synthesis.next_change import BESIDE_SECONDS, next_change

    return next_change(wanted.evaluated(catalog, priced=True), seconds=BESIDE_SECONDS)


def figure_saved(wanted: Wanted, catalog: Catalog) -> Saved:
    """The figures of the saved version, and those beside them; None where there is none."""
    if wanted.saved is None:
        return None
    questions = _planned(wanted.saved, catalog).questions
    figures, beside = questions.analyses(wanted.request, wanted.request.of_other_links)
    return figures, beside


def curves(wanted: Wanted, catalog: Catalog) -> Curves:
    """Compute busbw and time at every message size, of the design and of its saved version."""
    questions = _planned(wanted.design, catalog, wanted.failing).questions
    now = questions.curve(wanted.request)
    saved = None
    if wanted.saved is not None:
        saved = _planned(wanted.saved, catalog).questions.curve(wanted.request)
    if saved is not None and now is not None and saved.points == now.points:
        saved = None
    why = "" if now is not None else why_no_curve(questions.analysis(wanted.request))
    return Curves(now, saved, why)


def preview(wanted: Wanted, catalog: Catalog, edit: Edit) -> FigureSet:
    """Compute the figures that an edit would give; raises EditError where it is refused."""
    tried = Workbench(wanted.design, catalog).judge(edit)
    now = tried.questions.prediction(wanted.request)
    beside = tried.questions.prediction(wanted.request.of_other_links)
    return FigureSet(
        now, beside, _workload_figure(tried, wanted.request), _price(wanted, catalog, tried)
    )


def workload_figures(wanted: Wanted, catalog: Catalog) -> Assessment:
    """What the design's workload gets of it; raises WorkloadError where it cannot run."""
    return wanted.evaluated(catalog).workload


def over_gpus_figures(
    wanted: Wanted, catalog: Catalog, found: Assessment | None
) -> StepsOverGpus | None:
    """The step on ever more of the design's GPUs; None where nothing is trained."""
    if found is None or found.step is None:
        return None
    return steps_over_gpus(wanted.evaluated(catalog).plan, catalog, found, wanted.request)


def required_figures(
    wanted: Wanted, catalog: Catalog, found: Assessment | None, numbers: PlainNumbers | None
) -> tuple[RequiredBandwidth, ...]:
    """What a workload's tensor parallelism, and plain numbers, need; and what they get."""
    plan = wanted.evaluated(catalog).plan
    asked = () if numbers is None else (of_numbers(plan, catalog, numbers, wanted.request),)
    return (() if found is None else required_by(plan, catalog, found, wanted.request)) + asked


def _workload_figure(tried: PlannedDesign, request: Request) -> WorkloadFigure | None:
    """The figure of the workload; None where there is none, or it takes too long for a preview."""
    block = tried.design.workload
    if not block:
        return None
    if blocks_of(tried.plan) > MOST_PREVIEWED_BLOCKS:
        return None
    try:
        return figure_of(assess_block(tried.plan, tried.catalog, block, request))
    except ToposmithError:
        return CANNOT_RUN


def _price(wanted: Wanted, catalog: Catalog, tried: PlannedDesign) -> str:
    """What a change costs and saves by the user's own price lists; empty where there are none."""
    if blocks_of(tried.plan) > MOST_PREVIEWED_BLOCKS:
        return ""
    try:
        prices = bill_prices(wanted.design, catalog)
    except ToposmithError:  # the bill says what is wrong with the list
        return ""
    if prices is None:
        return ""
    terms = Terms(prices=prices)
    before = EvaluatedDesign(
        wanted.design, catalog, terms=terms, shared=_planned(wanted.design, catalog)
    )
    after = EvaluatedDesign(tried.design, catalog, terms=terms, shared=tried)
    return price_words(purchase(before, after))


def _planned(design: Design, catalog: Catalog, failing: tuple[str, ...] = ()) -> PlannedDesign:
    return recent.planned(design, catalog, failing)
