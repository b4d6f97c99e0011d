"""`fix`: the smallest changes that lift a figure, and what could be left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    read_design,
    require_free,
    write_data,
    write_out,
    write_talk,
)
from toposmith.command.loading import catalog_option, load_parts
from toposmith.command.options import Asked, request_options
from toposmith.command.ordering import Ordered, ordering_options

if TYPE_CHECKING:
    from toposmith.topology.evaluation import EvaluatedDesign
    from toposmith.topology.synthesis.left_out import LeftOut
    from toposmith.topology.synthesis.ranked_fixes import Fix

NEED = click.option(
    "--need",
    "needs",
    metavar="COLLECTIVE=GB/s",
    multiple=True,
    help="Busbw of a GPU that has to hold, such as all_reduce=100; may be repeated.",
)


def needs_asked(texts: Sequence[str], option: str = "--need") -> dict[str, float]:
    """The needs of a command line, or floors, which are written alike."""
    from toposmith.topology.errors import EditError
    from toposmith.topology.synthesis.needs import read_needs

    try:
        return read_needs(texts)
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint=option) from None


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--spare", is_flag=True, help="List what could be left out instead.")
@NEED
@click.option("--take", type=click.IntRange(1), metavar="N", help="Write the design with line N.")
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="With --take: write it here."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@request_options
@ordering_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def fix(
    file: str,
    spare: bool,
    needs: tuple[str, ...],
    take: int | None,
    out: str,
    force: bool,
    ordered: Ordered,
    as_json: bool,
    **asked: Any,
) -> int:
    """List the smallest changes that lift a figure, each analysed, the cheapest first.

    With --spare: what could be left out while the figure holds, or while every --need does.
    """
    from toposmith.topology.evaluation import EvaluatedDesign

    if needs and not spare:
        raise click.BadParameter("goes with --spare", param_hint="--need")
    if take is None and (out != "-" or force):
        raise click.BadParameter("goes with --take N", param_hint="-o or --force")
    if take is not None and as_json:
        raise click.BadParameter("choose --take or --json", param_hint="--json")
    wanted = needs_asked(needs)
    if take is not None:
        require_free(out, force, file, *ordered.lists)
    design, parts = read_design(file), load_parts()
    request = Asked(**asked).request(file, design)
    evaluated = EvaluatedDesign(
        design, parts, request, terms=ordered.terms(design, parts), source=file
    )
    return (
        _spare(evaluated, wanted, take, out, as_json)
        if spare
        else _fix(evaluated, take, out, as_json)
    )


def _fix(evaluated: EvaluatedDesign, take: int | None, out: str, as_json: bool) -> int:
    from toposmith.topology.synthesis.left_out import what_can_be_left_out
    from toposmith.topology.synthesis.ranked_fixes import ranked_fixes

    found = ranked_fixes(evaluated)
    if take is not None:
        return _write(found.fixes, take, out)
    spares = None if found.fixes else what_can_be_left_out(evaluated)
    if as_json:
        import json

        from toposmith.topology.synthesis.fix_words import fixes_as_data

        write_data(json.dumps(fixes_as_data(found, spares), indent=2) + "\n")
    else:
        from toposmith.command.reports.fix_report import fixes_report

        write_talk(fixes_report(found, spares))
    return FINE if found.fixes else FINDINGS


def _spare(
    evaluated: EvaluatedDesign, needs: dict[str, float], take: int | None, out: str, as_json: bool
) -> int:
    from toposmith.topology.synthesis.left_out import what_can_be_left_out

    found = what_can_be_left_out(evaluated, needs or None, failures=take is None)
    if take is not None:
        return _write(found.left_out, take, out)
    if as_json:
        import json

        from toposmith.topology.synthesis.fix_words import spares_as_data

        write_data(json.dumps(spares_as_data(found), indent=2) + "\n")
    else:
        from toposmith.command.reports.fix_report import spares_report

        write_talk(spares_report(found))
    return FINDINGS if found.unmet or not found.needs else FINE


def _write(found: Sequence[Fix | LeftOut], take: int, out: str) -> int:
    """Write the design of one line."""
    from toposmith.topology.design.writing import design_text

    if take > len(found):
        lines = f"there are {len(found)}" if found else "there is none"
        raise Refused(f"--take {take}: there is no such line ({lines})")
    write_out(design_text(found[take - 1].design), out)
    return FINE
