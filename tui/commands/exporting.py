"""`export`: designs in the words of other tools, as drawings, schedules and a report."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from tui.commands.edge import FINDINGS, FINE, Refused, read_design, require_free, say
from tui.commands.loading import catalog_option, plan_of
from tui.commands.streaming import encoded, row_progress, stream_out

if TYPE_CHECKING:
    from topology.exports.drawing.sheet import Sheet
    from topology.fabric.plan import Finding
    from tui.commands.standing import Standing


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--to",
    "form",
    type=click.Choice(
        (
            *("html", "svg", "png", "cables", "netbox-cables"),
            *("elevations", "elevations-svg", "elevations-png"),
            *("graphml", "dot", "nccl-xml"),
        )
    ),
    required=True,
    help="The form to write.",
)
@click.option(
    "--group", metavar="NAME", help="For nccl-xml: the group of nodes, where there are several."
)
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@catalog_option
def export(file: str, form: str, group: str | None, out: str, force: bool) -> int:
    """Write a design for other people and tools: report, drawings, cables, racks, graphs."""
    require_free(out, force)
    if form.endswith("png") and out == "-" and sys.stdout.isatty():
        raise Refused(f"{form} is no text for a terminal; say -o FILE")
    if form == "nccl-xml":
        from topology.exports.nccl_xml import design_xml

        stream_out(encoded([design_xml(*plan_of(read_design(file)), group)]), out)
        return FINE
    from tui.commands.standing import Standing

    standing = Standing(*plan_of(read_design(file)))
    pieces, findings = _MAKERS[form](standing, out)
    stream_out(pieces, out)
    return _said(findings)


def _said(findings: Iterable[Finding]) -> int:
    """Say what an export lacks, and whether it lacks anything."""
    from tui.reports.analysis import findings_lines

    lacking = [one for one in dict.fromkeys(findings) if one.severity != "info"]
    for line in findings_lines(lacking):
        say(line)
    return FINDINGS if lacking else FINE


_Made = tuple[Iterable[bytes], Iterable["Finding"]]


def _drawn(sheet: Sheet, form: str) -> Iterable[bytes]:
    if form == "svg":
        from topology.exports.drawing.svg import svg_text

        return encoded([svg_text(sheet)])
    from topology.exports.drawing.png import png_bytes

    return [png_bytes(sheet)]


def _fabric(form: str) -> Callable[[Standing, str], _Made]:
    def make(standing: Standing, _out: str) -> _Made:
        from topology.exports.drawing.fabric import fabric_sheet

        return _drawn(fabric_sheet(standing.plan, standing.analysis), form), standing.plan.findings

    return make


def _racks(form: str) -> Callable[[Standing, str], _Made]:
    def make(standing: Standing, _out: str) -> _Made:
        from topology.exports.drawing.racks import elevations_sheet

        sheet = elevations_sheet(
            standing.plan.design.name,
            standing.placement,
            standing.elevations,
            standing.rack_words,
        )
        return _drawn(sheet, form), standing.rack_findings

    return make


def _rack_lines(standing: Standing, _out: str) -> _Made:
    from tui.reports.elevations import elevation_lines

    lines = elevation_lines(standing.placement, standing.elevations, standing.feeds)
    return encoded(f"{line}\n" for line in lines), standing.rack_findings


def _cables(standing: Standing, out: str) -> _Made:
    from topology.exports.cable_schedule.tables import point_to_point_csv

    rows = standing.schedule.rows(row_progress(out))
    return encoded(point_to_point_csv(rows)), standing.schedule_findings


def _netbox_cables(standing: Standing, out: str) -> _Made:
    from topology.exports.cable_schedule.tables import netbox_csv

    rows = standing.schedule.rows(row_progress(out))
    return encoded(netbox_csv(rows)), standing.schedule_findings


def _graphml(standing: Standing, _out: str) -> _Made:
    from topology.exports.graph_forms import graphml

    return encoded(graphml(standing.plan, standing.schedule)), standing.schedule_findings


def _dot(standing: Standing, _out: str) -> _Made:
    from topology.exports.graph_forms import dot

    return encoded(dot(standing.plan, standing.schedule)), standing.schedule_findings


def _html(standing: Standing, _out: str) -> _Made:
    from topology.exports.report.html import report_html

    return encoded([report_html(standing.contents)]), ()


_MAKERS: dict[str, Callable[[Standing, str], _Made]] = {
    "html": _html,
    "svg": _fabric("svg"),
    "png": _fabric("png"),
    "cables": _cables,
    "netbox-cables": _netbox_cables,
    "elevations": _rack_lines,
    "elevations-svg": _racks("svg"),
    "elevations-png": _racks("png"),
    "graphml": _graphml,
    "dot": _dot,
}
