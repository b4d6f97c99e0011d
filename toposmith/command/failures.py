"""`failures`: what a design retains after each single failure."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from toposmith.collectives import COLLECTIVES
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    INTERRUPTED,
    GroupedCommand,
    load_parts,
    say,
    terminal_columns,
    write_either,
)
from toposmith.command.options import Listed, Pairs, Percent, measuring_options, request_of
from toposmith.command.patience import KeepsWhatIsDone, count_done
from toposmith.command.reports.analysis import findings_lines
from toposmith.documents.aligned_text import table_lines
from toposmith.evaluation import EvaluatedDesign
from toposmith.plain_text import visible
from toposmith.review.failures.maintenance import maintenance, together
from toposmith.review.failures.sweep import COLLECTIVES as USUAL
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import (
    before_line,
    beside_notes,
    connection_lines,
    failures_table,
    maintenance_lines,
    reasons,
    survived_notes,
    sweep_as_data,
)
from toposmith.review.waivers import marked

if TYPE_CHECKING:
    from toposmith.review.failures.maintenance import Maintenance
    from toposmith.review.failures.sweep import Sweep


def failures_report(sweep: Sweep, spare: Maintenance | None = None) -> str:
    """What can be taken out (if given), then the failures, worst first."""
    blocks = [
        [visible(sweep.design) or "unnamed design", before_line(sweep)],
        *([maintenance_lines(spare)] if spare else []),
        findings_lines(sweep.findings),
        [note.text for note in (*survived_notes(sweep), *beside_notes(sweep))],
    ]
    for title, outcomes in (
        ("Single failures, one of each equivalence class, worst first (model)", sweep.singles),
        (f"Pairs of failures, {sweep.doubles_words}, worst first (model)", sweep.doubles),
    ):
        if outcomes:
            table = failures_table(outcomes, sweep)
            blocks.append([title, *table_lines(table, terminal_columns())])
            blocks.append(reasons(outcomes))
    if sweep.singles:
        blocks.append(connection_lines(sweep))
    if not sweep.complete:
        blocks.append(["ended early: not every failure was looked at"])
    blocks.append([f"not looked at: {text}" for text in sweep.not_looked_at])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@click.option(
    "--collective",
    "collectives",
    type=Listed(COLLECTIVES),
    metavar="NAME",
    multiple=True,
    help="What is measured; may be repeated. All-reduce and all-to-all if not given.",
)
@click.option(
    "--doubles",
    type=Pairs(),
    default="0",
    metavar="N|all",
    help="Let pairs of things fail too: all of them, or the same N drawn at random each time.",
)
@click.option(
    "--keep",
    type=Percent(),
    metavar="PERCENT",
    help="Say what can be taken out now so that at least so much bandwidth is kept.",
)
@measuring_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def failures(
    file: str,
    collectives: tuple[Any, ...],
    doubles: int | None,
    keep: float | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Say what a design keeps after each single failure, worst first; what can be taken out."""
    design = read_design(file)
    evaluated = EvaluatedDesign(design, load_parts(), request_of(file, design, **asked))
    with KeepsWhatIsDone() as steps:
        found = sweep(
            evaluated.plan,
            evaluated.catalog,
            evaluated.asked,
            collectives=tuple(dict.fromkeys(collectives)) or USUAL,
            doubles=doubles or 0,
            every_pair=doubles is None,
            progress=count_done,
            run=steps.run,
        )
    if not found.complete:
        say("interrupted: the failures looked at until then")
    found = replace(found, findings=marked(found.findings, design, date.today()))
    spare = None
    if keep is not None and found.complete:
        spare = together(maintenance(found, keep), evaluated.plan, evaluated.catalog, found)
    write_either(
        as_json, lambda: sweep_as_data(found, spare), lambda: failures_report(found, spare)
    )
    if not found.complete:
        return INTERRUPTED
    return FINE if any(figure is not None for figure in found.before.values()) else FINDINGS
