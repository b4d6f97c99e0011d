"""Figures computed beside the screen: each job has its own workbench, so nothing is shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposmith.topology.analysis.request import Collective, Request
from toposmith.topology.analysis.result import Analysis
from toposmith.topology.design.document import Design
from toposmith.topology.design.edits import Edit
from toposmith.topology.errors import ToposmithError
from toposmith.topology.findings.finding import Finding
from toposmith.tui.drawing.curves import Curves, why_no_curve
from toposmith.tui.figures.effects import Outcome
from toposmith.tui.figures.job import job_and_findings
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.figures.live_workload import CANNOT_RUN, WorkloadFigure, figure_of
from toposmith.tui.parts.at_hand import catalog_findings

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.fabric.plan import Plan
    from toposmith.topology.workloads.assess import Assessment

MOST_PREVIEWED_BLOCKS = 1_000
"""Blocks of nodes up to which a preview times the workload, too: a tenth of a second's work."""

# The workbench is imported where it is used because it brings networkx, which is slow to import:
# the screen paints first.

Saved = tuple[Analysis, Analysis] | None
"""The figures of the saved version, and those of the collective beside."""


@dataclass(frozen=True)
class Wanted:
    """Which figures of which design; equal requests have equal answers.

    Parameters
    ----------
    design : Design
        As it stands.
    request : Request
        What is measured.
    saved : Design or None
        The version to compare with.
    failing : tuple of str
        What is tried to fail: selectors as under ``down:``.
    """

    design: Design
    request: Request
    saved: Design | None = None
    failing: tuple[str, ...] = ()


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
    from toposmith.topology.analysis.analyse import analyse_all
    from toposmith.topology.fabric.ports import port_findings

    plan = _plan(wanted.design, catalog, wanted.failing)
    requests = (wanted.request, _beside(wanted.request))
    analysis, beside = analyse_all(plan, catalog, requests)
    _, about_job = job_and_findings(wanted.design)
    findings = (
        *plan.findings,
        *port_findings(plan),
        *about_job,
        *analysis.findings,
        *catalog_findings(catalog),
    )
    saved = saved or figure_saved(wanted, catalog)
    note = wanted.design.note or ""
    return LiveFigures(
        analysis,
        beside,
        before,
        saved[0] if saved else None,
        tuple(dict.fromkeys(findings)),
        note=note,
        request=wanted.request,
        saved_beside=saved[1] if saved else None,
    )


def review(wanted: Wanted, catalog: Catalog, figures: LiveFigures) -> tuple[Finding, ...]:
    """Everything that a reviewer should know: computed once the figures are on the screen."""
    from toposmith.tui.figures.judging import judged

    if figures.analysis is None:
        return figures.findings
    plan = _plan(wanted.design, catalog, wanted.failing)
    return judged(plan, catalog, figures.analysis, extra=figures.findings)


def figure_saved(wanted: Wanted, catalog: Catalog) -> Saved:
    """The figures of the saved version, and those beside them; None where there is none."""
    from toposmith.topology.analysis.analyse import analyse_all

    if wanted.saved is None:
        return None
    requests = (wanted.request, _beside(wanted.request))
    now, beside = analyse_all(_plan(wanted.saved, catalog), catalog, requests)
    return now, beside


def curves(wanted: Wanted, catalog: Catalog) -> Curves:
    """Compute busbw and time at every message size, of the design and of its saved version."""
    from toposmith.topology.analysis.analyse import analyse, curve

    plan = _plan(wanted.design, catalog, wanted.failing)
    now = curve(plan, catalog, wanted.request)
    saved = None
    if wanted.saved is not None:
        saved = curve(_plan(wanted.saved, catalog), catalog, wanted.request)
    if saved is not None and now is not None and saved.points == now.points:
        saved = None
    return Curves(
        now, saved, "" if now is not None else why_no_curve(analyse(plan, catalog, wanted.request))
    )


def preview(wanted: Wanted, catalog: Catalog, edit: Edit) -> Outcome:
    """Compute the figures that an edit would give; raises EditError where it is refused."""
    from toposmith.topology.analysis.analyse import predict_all
    from toposmith.topology.workbench import Workbench

    plan = Workbench(wanted.design, catalog).judge(edit)
    now, beside = predict_all(plan, catalog, (wanted.request, _beside(wanted.request)))
    return Outcome(now, beside, _workload_figure(plan, catalog, wanted.request))


def workload_figures(wanted: Wanted, catalog: Catalog) -> Assessment:
    """What the design's workload gets of it; raises WorkloadError where it cannot run."""
    from toposmith.topology.workloads.assess import assess_block

    plan = _plan(wanted.design, catalog, wanted.failing)
    return assess_block(plan, catalog, wanted.design.workload, wanted.request)


def _workload_figure(plan: Plan, catalog: Catalog, request: Request) -> WorkloadFigure | None:
    """The figure of the workload; None where there is none, or it takes too long for a preview."""
    if not plan.design.workload:
        return None
    from toposmith.topology.analysis.jobs.ranks import blocks_of
    from toposmith.topology.workloads.assess import assess_block

    if blocks_of(plan) > MOST_PREVIEWED_BLOCKS:
        return None
    try:
        return figure_of(assess_block(plan, catalog, plan.design.workload, request))
    except ToposmithError:
        return CANNOT_RUN


def _plan(design: Design, catalog: Catalog, failing: tuple[str, ...] = ()) -> Plan:
    from toposmith.topology.fabric.planning import plan_design
    from toposmith.topology.workbench import without

    return plan_design(without(design, failing), catalog)


def _beside(request: Request) -> Request:
    """What to show beside: all-to-all, which feels the spine, or else all-reduce."""
    other: Collective = "all_reduce" if request.collective == "all_to_all" else "all_to_all"
    # what is asked of NCCL for one collective may not be there for the other
    return replace(request, collective=other, algorithm=None, protocol=None)
