"""`export`: designs in the words of other tools."""

from __future__ import annotations

import click

from tui.commands.edge import FINE, read_design, require_free, write_out
from tui.commands.loading import catalog_option, plan_of

_FORMS = ("nccl-xml",)


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--to", "form", type=click.Choice(_FORMS), required=True, help="The form to write.")
@click.option("--group", metavar="NAME", help="The group of nodes; not needed where there is one.")
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@catalog_option
def export(file: str, form: str, group: str | None, out: str, force: bool) -> int:
    """Write a design for another tool."""
    assert form == "nccl-xml"
    from topology.exports.nccl_xml import design_xml

    require_free(out, force)
    write_out(design_xml(*plan_of(read_design(file)), group), out)
    return FINE
