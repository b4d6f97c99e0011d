"""`catalog list` and `catalog show`."""

from __future__ import annotations

import click

from tui.commands.edge import FINE, Refused, write_data, write_talk
from tui.commands.loading import load_parts

_KINDS = (
    *("gpu", "nic", "switch", "node", "cable", "transceiver", "fibre"),
    *("storage", "rack", "pdu"),
)


@click.group()
def catalog() -> None:
    """Look at the parts that designs are made of."""


@catalog.command("list")
@click.argument("kind", metavar="[KIND]", type=click.Choice(_KINDS), required=False)
def catalog_list(kind: str | None) -> int:
    """List all parts, or those of one KIND."""
    from tui.reports.listing import catalog_report

    known = load_parts()
    write_talk(catalog_report(known.of_kind(kind) if kind else list(known), known))
    return FINE


@catalog.command("show")
@click.argument("part")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def catalog_show(part: str, as_json: bool) -> int:
    """Show every figure of a PART, and where it is from."""
    known = load_parts()
    found = known.get(part)
    if found is None:
        near = known.nearest(part)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; see toposmith catalog list"
        raise Refused(f"the catalog has no part {part!r}{hint}")
    if as_json:
        write_data(found.model_dump_json(indent=2) + "\n")
    else:
        from tui.reports.listing import part_report

        write_talk(part_report(found, known))
    return FINE
