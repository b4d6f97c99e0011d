"""`export`: designs in the words of other tools, as drawings, schedules and a report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from toposmith.command.edge import FINDINGS, FINE, Refused, read_design, require_free, say
from toposmith.command.loading import catalog_option, load_parts
from toposmith.command.options import Listed
from toposmith.command.ordering import Ordered, ordering_options
from toposmith.command.streaming import row_progress, stream_out
from toposmith.topology.exports.forms import FORMS

if TYPE_CHECKING:
    from toposmith.topology.findings.finding import Finding


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--to", "form", type=Listed(FORMS), required=True, help="The form to write.")
@click.option(
    "--group", metavar="NAME", help="For nccl-xml: the group of nodes, where there are several."
)
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@ordering_options
@catalog_option
def export(file: str, form: str, group: str | None, out: str, force: bool, ordered: Ordered) -> int:
    """Write a design for other people and tools: report, drawings, cables, racks, graphs."""
    require_free(out, force, file, *ordered.lists)
    if group is not None and form != "nccl-xml":
        raise click.BadParameter("goes with --to nccl-xml", param_hint="--group")
    from toposmith.topology.analysis.jobs.of_design import job_and_findings
    from toposmith.topology.analysis.request import Request
    from toposmith.topology.evaluation.here import judged_here
    from toposmith.topology.exports.forms import FORMS

    wanted = FORMS[form]
    if not wanted.is_text and out == "-" and sys.stdout.isatty():
        raise Refused(f"{form} is no text for a terminal; say -o FILE")
    design, known = read_design(file), load_parts()
    terms = ordered.terms(design, known)
    request = Request(job=job_and_findings(design)[0])
    judged = judged_here(design, known, request, terms=terms)
    made = wanted.make(judged, row_progress(out), group)
    stream_out(made.pieces, out)
    prices = terms.prices
    for fault in prices.faults if prices else ():
        say(f"{fault}; left out")
    return max(_said(made.lacking()), FINDINGS if prices and prices.faults else FINE)


def _said(lacking: list[Finding]) -> int:
    """Say what an export lacks, and whether it lacks anything."""
    from toposmith.command.reports.analysis import findings_lines

    for line in findings_lines(lacking):
        say(line)
    return FINDINGS if lacking else FINE
