"""Failures and what each leaves, as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.command.reports.analysis import findings_lines
from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible
from toposmith.review.failures.sweep_in_words import (
    AFTER_RESTART,
    before_line,
    beside_notes,
    connection_lines,
    failures_table,
    maintenance_lines,
    reasons,
    survival_notes,
)

if TYPE_CHECKING:
    from toposmith.review.failures.maintenance import Maintenance
    from toposmith.review.failures.sweep import Sweep


def failures_report(sweep: Sweep, spare: Maintenance | None = None) -> str:
    """What can be taken out (if given), then the failures, worst first.

    A sentence sums up each kind of device where its devices differ; else the table says it.
    """
    each = sweep.complete and len(sweep.singles) == len(sweep.survival)
    blocks = [
        [visible(sweep.design) or "unnamed design", before_line(sweep)],
        *([maintenance_lines(spare)] if spare else []),
        findings_lines(sweep.findings),
        [note.text for note in (*survival_notes(sweep, explained=each), *beside_notes(sweep))],
    ]
    for title, outcomes in (
        (
            "Single failures, one of each class of equivalent things, worst first: what is kept of "
            "the worst collective, times the GPUs that are left (model)",
            sweep.singles,
        ),
        (f"Pairs of failures, {sweep.doubles_words}, worst first (model)", sweep.doubles),
    ):
        if outcomes:
            blocks.append([title, *table_lines(failures_table(outcomes, sweep))])
            blocks.append(reasons(outcomes))
    if sweep.singles:
        blocks.append([AFTER_RESTART, *connection_lines(sweep)])
    if not sweep.complete:
        blocks.append(["ended early: not every failure was looked at"])
    blocks.append([f"not looked at: {text}" for text in sweep.not_looked_at])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
