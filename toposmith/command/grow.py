"""`grow`: the steps from one design to another."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from toposmith.cancellation import Stopped
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    INTERRUPTED,
    Refused,
    say,
    write_data,
    write_talk,
)
from toposmith.command.grouped_help import GroupedCommand
from toposmith.command.options import Asked, measuring_options
from toposmith.command.order_options import Ordered, ordering_options
from toposmith.command.patience import KeepsWhatIsDone
from toposmith.command.take_option import TakenLine, taking_options
from toposmith.documents.aligned_text import listed
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.synthesis.growth_plan import growth
from toposmith.synthesis.growth_table import growth_table
from toposmith.synthesis.growth_words import growth_as_data
from toposmith.synthesis.needs import read_floor

if TYPE_CHECKING:
    from toposmith.synthesis.growth_plan import Growth


@click.command(cls=GroupedCommand)
@click.argument("old", metavar="FROM")
@click.argument("new", metavar="TO")
@click.option(
    "--floor",
    "floors",
    metavar="NAME=AMOUNT",
    multiple=True,
    help="Busbw of a GPU that holds after every step and meanwhile, such as all_to_all=40, or "
    "GPUs that run all the time, gpus=480; may be repeated.",
)
@taking_options("Write the design after step N.")
@measuring_options
@ordering_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def grow(
    old: str,
    new: str,
    floors: tuple[str, ...],
    taken: TakenLine,
    ordered: Ordered,
    as_json: bool,
    **asked: Any,
) -> int:
    """List the steps from one design to another, with the figures after and during each.

    Says which cables are moved, connected and taken out, and what is bought. Exit code 1 where a
    --floor does not hold.
    """
    if old == new == "-":
        raise Refused("only one design can come from stdin")
    taken.check(as_json, old, new, *ordered.lists)
    try:
        wanted, gpus = read_floor(floors)
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--floor") from None
    first, last = read_design(old), read_design(new)
    parts = load_parts()
    request = Asked(collective="all_reduce", seed=None, **asked).request(old, first)
    before, after = (
        EvaluatedDesign(design, parts, request, terms=ordered.terms(design, parts), source=name)
        for name, design in ((old, first), (new, last))
    )
    with KeepsWhatIsDone() as limit:
        try:
            found = growth(before, after, wanted, least_gpus=gpus, limit=limit)
        except Stopped:
            raise KeyboardInterrupt from None  # there is no result to keep yet
    if not found.complete:
        nothing = taken.number is not None
        say(f"interrupted: {'nothing is written' if nothing else 'the steps found until then'}")
        if nothing:
            return INTERRUPTED
    if taken.number is not None:
        _write(found, taken)
    elif as_json:
        write_data(json.dumps(growth_as_data(found), indent=2) + "\n")
    else:
        names = [one.design.name or one.source for one in (found.old, found.new)]
        write_talk(listed(" -> ".join(names), growth_table(found)))
    if not found.complete:
        return INTERRUPTED
    return FINE if found.holds else FINDINGS


def _write(found: Growth, taken: TakenLine) -> None:
    """Write the cluster after one step as a design."""
    design = taken.of(found.steps, "step").written()
    if design is None:
        raise Refused(f"--take {taken.number}: no file says how this step leaves the cables")
    taken.write(design)
