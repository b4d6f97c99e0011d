"""`check`, `new` and `designs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from topology.errors import ToposmithError
from tui.commands.edge import (
    BAD_INPUT,
    FINDINGS,
    FINE,
    Refused,
    read_design,
    require_free,
    say,
    write_out,
    write_talk,
)
from tui.commands.loading import catalog_option, load_parts, plan_of

if TYPE_CHECKING:
    from topology.design.document import Design
    from topology.fabric.plan import Finding

_OUT = click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
_FORCE = click.option("--force", is_flag=True, help="Replace OUT if it is there.")


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@catalog_option
def check(files: tuple[str, ...]) -> int:
    """List what is wrong with designs; exit 1 where there are errors or warnings."""
    from catalog.plain_text import visible
    from tui.reports.analysis import findings_lines

    code = FINE
    for file in files:
        try:
            findings = _findings(read_design(file))
        except (ToposmithError, Refused) as error:
            for line in str(error).splitlines():
                say(line)
            code = BAD_INPUT
            continue
        lines = findings_lines(findings, source=file) or [f"{visible(file)}: no findings"]
        write_talk("".join(f"{line}\n" for line in lines))
        if any(finding.severity != "info" for finding in findings):
            code = max(code, FINDINGS)
    return code


@click.command()
@click.argument("template", required=False)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="A setting; may be repeated."
)
@_OUT
@_FORCE
@catalog_option
def new(template: str | None, settings: tuple[str, ...], out: str, force: bool) -> int:
    """Write a design from a TEMPLATE; without one, list the templates and their settings."""
    from topology.design.writing import design_text
    from topology.templates import TEMPLATES, new_design

    if template is None:
        from tui.reports.listing import templates_report

        write_talk(templates_report(TEMPLATES))
        return FINE
    values: dict[str, str | int] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        values[name.strip()] = value.strip()
    require_free(out, force)
    write_out(design_text(new_design(template, values, catalog=load_parts())), out)
    return FINE


@click.command()
def designs() -> int:
    """List the saved designs that come with the program."""
    from catalog.plain_text import visible
    from saved_designs import saved_designs
    from tui.reports.table import columns

    rows = [(saved.name, visible(saved.summary)) for saved in saved_designs()]
    write_talk("".join(f"{line}\n" for line in columns(("name", "design"), rows)))
    return FINE


def _findings(design: Design) -> list[Finding]:
    """Everything that any part of the engine has to say about a design, each thing once."""
    from topology.analysis.analyse import analyse
    from topology.analysis.request import Request
    from topology.bill.bill import make_bill
    from topology.racks.judgement import rack_findings
    from topology.racks.placement import place
    from tui.job import job_and_findings

    plan, known = plan_of(design)
    job, about_job = job_and_findings(design)
    analysis = analyse(plan, known, Request(job=job))
    found = [*about_job, *analysis.findings, *make_bill(plan, known).findings]
    if design.placement is not None:  # what the default filling lacks is no fault of a design
        found += rack_findings(plan, known, place(plan, known))
    return list(dict.fromkeys(found))
