"""What `new` does with requirements: the fabrics that meet them, and one of them as a design."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import click

from toposmith.command.catalog_options import load_parts
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    require_free,
    write_data,
    write_out,
    write_talk,
)
from toposmith.command.options import Asked, needs_asked
from toposmith.command.patience import count_at_most
from toposmith.command.reports.search_report import search_report
from toposmith.design.document import Design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.synthesis.fabric_requirements import Requirements
from toposmith.synthesis.fabric_search import MOST_ANALYSED, search
from toposmith.synthesis.limit_text import read_limits
from toposmith.synthesis.search_words import search_as_data


def write_fabrics(
    nodes: int, wanted: dict[str, Any], out: str | None, *, force: bool, as_json: bool
) -> int:
    """List the fabrics that meet requirements, write one where OUT is given; the exit code.

    Raises
    ------
    click.BadParameter
        For options that go with others, or a limit that is none.
    Refused
        Where there is no such line, or OUT may not be written.
    """
    part, needs, limits = wanted.pop("part"), wanted.pop("needs"), wanted.pop("limits")
    most, take, ordered = wanted.pop("most"), wanted.pop("take"), wanted.pop("ordered")
    if out is None and (take is not None or force):
        raise click.BadParameter("goes with -o OUT", param_hint="--take or --force")
    if out is not None:
        require_free(out, force, *ordered.lists)
    if out == "-" and as_json:
        raise click.BadParameter("only one of the design and JSON goes to stdout", param_hint="-o")
    parts = load_parts()
    request = Asked(collective="all_reduce", seed=None, **wanted).request("the request", Design())
    asked = Requirements(nodes, part, needs_asked(needs), request)
    try:
        asked = replace(asked, **read_limits(limits))
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--limit") from None
    found = search(
        asked,
        parts,
        ordered.terms(Design(), parts),
        most_analysed=most or MOST_ANALYSED,
        progress=count_at_most,
    )
    if as_json:
        write_data(json.dumps(search_as_data(found), indent=2) + "\n")
    elif out != "-":
        write_talk(search_report(found))
    if out is not None:
        if (take or 1) > len(found.proposals):
            lines = len(found.proposals)
            raise Refused(f"there is no line {take or 1} to write ({lines} found)")
        write_out(design_text(found.proposals[(take or 1) - 1].design), out)
    return FINE if found.proposals else FINDINGS
