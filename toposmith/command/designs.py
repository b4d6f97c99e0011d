"""`new` and `designs`."""

from __future__ import annotations

from pathlib import Path

import click

from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.edge import FINE, require_free, write_out, write_talk
from toposmith.command.reports.part_lists import templates_report
from toposmith.design.schema_line import with_schema_line
from toposmith.design.writer import design_text
from toposmith.documents.aligned_text import columns
from toposmith.plain_text import visible
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

_OUT = click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
_FORCE = click.option("--force", is_flag=True, help="Replace OUT if it is there.")


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
    if template is None:
        if settings or out != "-" or force:
            raise click.BadParameter(
                "goes with a TEMPLATE; toposmith new lists them", param_hint="--set, -o or --force"
            )
        write_talk(templates_report(TEMPLATES))
        return FINE
    values: dict[str, str | int] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        if name.strip() in values:
            raise click.BadParameter(f"{name.strip()} is set twice", param_hint="--set")
        values[name.strip()] = value.strip()
    require_free(out, force)
    text = design_text(new_design(template, values, catalog=load_parts()))
    write_out(with_schema_line(text, Path.cwd() if out == "-" else Path(out).parent), out)
    return FINE


@click.command()
def designs() -> int:
    """List the saved designs that come with the program."""
    rows = [(saved.name, visible(saved.summary)) for saved in saved_designs()]
    write_talk("".join(f"{line}\n" for line in columns(("name", "design"), rows)))
    return FINE
