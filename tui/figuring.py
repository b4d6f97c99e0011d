"""Figures computed beside the screen: each job has its own workbench, so nothing is shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topology.analysis.request import Collective, Request
from topology.analysis.result import Analysis
from topology.design.document import Design
from topology.design.edits import Edit
from topology.errors import ToposmithError
from topology.fabric.plan import Finding
from tui.curves import Curves, why_no_curve
from tui.effects import Outcome
from tui.job import job_and_findings
from tui.live_figures import LiveFigures
from tui.parts_at_hand import catalog_findings
from tui.workload_live import CANNOT_RUN, WorkloadFigure, figure_of

if TYPE_CHECKING:
    from catalog import Catalog
    from topology.workbench import Workbench
    from topology.workloads.assess import Assessment

MOST_PREVIEWED_BLOCKS = 1_000
"""Blocks of nodes up to which a preview times the workload, too: a tenth of a second's work."""

# The workbench is imported where it is used because it brings networkx, which is slow to import:
# the screen paints first.


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


def figure(wanted: Wanted, catalog: Catalog, before: Analysis | None) -> LiveFigures:
    """Compute everything that the live panel shows.

    Parameters
    ----------
    wanted : Wanted
        The design, what is measured, and the saved version to compare with.
    catalog : Catalog
        Where its parts are.
    before : Analysis or None
        The figures to compare with, of before the last change.
    """
    from topology.fabric.ports import port_findings

    bench = _bench(wanted.design, catalog, wanted.request, wanted.failing)
    analysis = bench.figures()
    bench.request = _beside(wanted.request)
    beside = bench.figures()
    saved = saved_beside = None
    if wanted.saved is not None:
        old = _bench(wanted.saved, catalog, wanted.request)
        saved = old.figures()
        old.request = bench.request
        saved_beside = old.figures()
    _, about_job = job_and_findings(wanted.design)
    findings = (
        *bench.plan.findings,
        *port_findings(bench.plan),
        *about_job,
        *analysis.findings,
        *catalog_findings(catalog),
    )
    note = wanted.design.note or ""
    return LiveFigures(
        analysis,
        beside,
        before,
        saved,
        tuple(dict.fromkeys(findings)),
        note=note,
        request=wanted.request,
        saved_beside=saved_beside,
    )


def review(wanted: Wanted, catalog: Catalog, figures: LiveFigures) -> tuple[Finding, ...]:
    """Everything that a reviewer should know: computed once the figures are on the screen."""
    from topology.fabric.planning import plan_design
    from topology.workbench import without
    from tui.judging import judged

    if figures.analysis is None:
        return figures.findings
    plan = plan_design(without(wanted.design, wanted.failing), catalog)
    return judged(plan, catalog, figures.analysis, extra=figures.findings)


def curves(wanted: Wanted, catalog: Catalog) -> Curves:
    """Compute busbw and time at every message size, of the design and of its saved version."""
    from topology.analysis.analyse import curve

    bench = _bench(wanted.design, catalog, wanted.request, wanted.failing)
    now = curve(bench.plan, catalog, wanted.request)
    saved = None
    if wanted.saved is not None:
        old = _bench(wanted.saved, catalog, wanted.request)
        saved = curve(old.plan, catalog, wanted.request)
    if saved is not None and now is not None and saved.points == now.points:
        saved = None
    return Curves(now, saved, "" if now is not None else why_no_curve(bench.figures()))


def preview(wanted: Wanted, catalog: Catalog, edit: Edit) -> Outcome:
    """Compute the figures that an edit would give; raises EditError where it is refused."""
    bench = _bench(wanted.design, catalog, wanted.request)
    bench.apply(edit)
    analysis = bench.figures()
    bench.request = _beside(wanted.request)
    beside = bench.figures()
    bench.request = wanted.request
    return Outcome(analysis, beside, _workload_figure(bench))


def workload_figures(wanted: Wanted, catalog: Catalog) -> Assessment:
    """What the design's workload gets of it; raises WorkloadError where it cannot run."""
    from topology.fabric.planning import plan_design
    from topology.workbench import without
    from topology.workloads.assess import assess_block

    design = without(wanted.design, wanted.failing)
    return assess_block(plan_design(design, catalog), catalog, design.workload, wanted.request)


def _workload_figure(bench: Workbench) -> WorkloadFigure | None:
    """The figure of the workload; None where there is none, or it takes too long for a preview."""
    if not bench.design.workload:
        return None
    from topology.analysis.jobs.ranks import blocks_of
    from topology.workloads.assess import assess_block

    if blocks_of(bench.plan) > MOST_PREVIEWED_BLOCKS:
        return None
    try:
        block = bench.design.workload
        return figure_of(assess_block(bench.plan, bench.catalog, block, bench.request))
    except ToposmithError:
        return CANNOT_RUN


def _bench(
    design: Design, catalog: Catalog, request: Request, failing: tuple[str, ...] = ()
) -> Workbench:
    from topology.workbench import Workbench, without

    bench = Workbench(without(design, failing), catalog)
    bench.request = request
    return bench


def _beside(request: Request) -> Request:
    """What to show beside: all-to-all, which feels the spine, or else all-reduce."""
    other: Collective = "all_reduce" if request.collective == "all_to_all" else "all_to_all"
    # what is asked of NCCL for one collective may not be there for the other
    return replace(request, collective=other, algorithm=None, protocol=None)
