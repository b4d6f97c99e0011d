"""Figures computed beside the screen: each job has its own workbench, so nothing is shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topology.analysis.result import Analysis, Collective
from topology.design.document import Design
from topology.design.edits import Edit
from tui.live_figures import LiveFigures

if TYPE_CHECKING:
    from catalog import Catalog


@dataclass(frozen=True)
class Wanted:
    """Which figures of which design; equal requests have equal answers."""

    design: Design
    collective: Collective
    message_bytes: int
    saved: Design | None = None


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
    # Imported here because it brings networkx, which is slow to import: the screen paints first.
    from topology.fabric.ports import port_findings
    from topology.workbench import Workbench

    bench = Workbench(wanted.design, catalog)
    bench.collective, bench.message_bytes = wanted.collective, wanted.message_bytes
    analysis = bench.figures()
    beside = bench.figures(_other(wanted.collective))
    saved = None
    if wanted.saved is not None:
        old = Workbench(wanted.saved, catalog)
        old.collective, old.message_bytes = wanted.collective, wanted.message_bytes
        saved = old.figures()
    findings = (*bench.plan.findings, *port_findings(bench.plan), *analysis.findings)
    note = wanted.design.note or ""
    return LiveFigures(analysis, beside, before, saved, tuple(dict.fromkeys(findings)), note=note)


def preview(wanted: Wanted, catalog: Catalog, edit: Edit) -> Analysis:
    """Compute the figures that an edit would give; raises EditError where it is refused."""
    from topology.workbench import Workbench

    bench = Workbench(wanted.design, catalog)
    bench.collective, bench.message_bytes = wanted.collective, wanted.message_bytes
    return bench.preview(edit)


def _other(collective: Collective) -> Collective:
    """The collective to show beside: all-to-all, which feels the spine, or else all-reduce."""
    return "all_reduce" if collective == "all_to_all" else "all_to_all"
