"""`design`: the fabrics that meet requirements, and one of them as a design."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    require_free,
    write_data,
    write_out,
    write_talk,
)
from toposmith.command.fix import NEED, needs_asked
from toposmith.command.options import Asked, measuring_options
from toposmith.command.order_options import Ordered, ordering_options
from toposmith.command.patience import count_at_most
from toposmith.command.reports.search_report import search_report
from toposmith.design.document import Design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.synthesis.fabric_requirements import Requirements, shape_named
from toposmith.synthesis.fabric_search import search
from toposmith.synthesis.limit_text import read_budget
from toposmith.synthesis.search_words import search_as_data

if TYPE_CHECKING:
    from decimal import Decimal

    from toposmith.catalog import Catalog
    from toposmith.synthesis.fabrics import Shape

_SURVIVE = ("cable", "switch")
MOST_ANALYSED = 100_000


@click.command()
@click.option("--nodes", type=int, metavar="N", help="How many nodes.")
@click.option("--gpus", type=int, metavar="N", help="In place of --nodes: how many GPUs.")
@click.option("--part", metavar="PART", default="dgx-b200", show_default=True, help="The nodes.")
@NEED
@click.option(
    "--survive",
    type=click.Choice(_SURVIVE),
    multiple=True,
    help="Any one of these may fail without cutting off a GPU; may be repeated.",
)
@click.option(
    "--switch",
    "switches",
    metavar="PART",
    multiple=True,
    help="A switch to use; may be repeated.",
)
@click.option("--nic", "nics", metavar="PART", multiple=True, help="A NIC to fit; may be repeated.")
@click.option("--nics", "per_node", type=int, metavar="N", help="NICs of a node.")
@click.option(
    "--shape",
    "shapes",
    metavar="SHAPE",
    multiple=True,
    help="Only fabrics of this shape, such as rail-optimised; may be repeated.",
)
@click.option("--oversubscription", type=float, metavar="X", help="At most X:1 at any tier.")
@click.option("--budget", metavar="AMOUNT", help="At most this price, such as '2500000 USD'.")
@click.option("--kw-per-rack", type=float, metavar="KW", help="What a rack may draw.")
@click.option("--longest", type=float, metavar="M", help="The longest cable, metres.")
@click.option("--align", type=int, metavar="N", help="An SU holds a multiple of N nodes.")
@click.option("--later", type=int, metavar="N", help="Nodes after growth.")
@click.option(
    "--most",
    type=click.IntRange(1, MOST_ANALYSED),
    default=400,
    show_default=True,
    metavar="N",
    help="Fabrics to analyse at most.",
)
@click.option("--take", type=click.IntRange(1), metavar="N", help="With -o: line N; 1.")
@click.option("-o", "--output", "out", metavar="OUT", help="Write the design of a line here.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@measuring_options
@ordering_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
def design(
    nodes: int | None,
    gpus: int | None,
    part: str,
    needs: tuple[str, ...],
    survive: tuple[str, ...],
    switches: tuple[str, ...],
    nics: tuple[str, ...],
    per_node: int | None,
    shapes: tuple[str, ...],
    oversubscription: float | None,
    budget: str | None,
    kw_per_rack: float | None,
    longest: float | None,
    align: int | None,
    later: int | None,
    most: int,
    take: int | None,
    out: str | None,
    force: bool,
    ordered: Ordered,
    as_json: bool,
    **asked: Any,
) -> int:
    """List the fabrics that meet requirements and that no other beats.

    The cheapest comes first; where prices are unknown, that with the fewest switches. Every one is
    analysed in full, with its bill. With -o the first, or --take N, is written.
    """
    if out is None and (take is not None or force):
        raise click.BadParameter("goes with -o OUT", param_hint="--take or --force")
    if out is not None:
        require_free(out, force, *ordered.lists)
    if out == "-" and as_json:
        raise click.BadParameter("only one of the design and JSON goes to stdout", param_hint="-o")
    for name, value in (
        ("--oversubscription", oversubscription),
        ("--kw-per-rack", kw_per_rack),
        ("--longest", longest),
        ("--align", align),
        ("--later", later),
    ):
        if value is not None and not 0 < value < 1e9:
            raise click.BadParameter(f"a number above 0 is needed, found {value}", param_hint=name)
    if per_node is not None and per_node < 1:
        raise click.BadParameter(f"at least 1 is needed, found {per_node}", param_hint="--nics")
    wanted = needs_asked(needs)
    parts = load_parts()
    request = Asked(collective="all_reduce", seed=None, **asked).request("the request", Design())
    required = Requirements(
        _nodes(nodes, gpus, part, parts),
        part,
        wanted,
        request,
        frozenset(survive),
        switches,
        nics,
        per_node,
        tuple(_shape(text) for text in shapes),
        oversubscription,
        _budget(budget),
        kw_per_rack,
        longest,
        align,
        later,
    )
    found = search(
        required,
        parts,
        ordered.terms(Design(), parts),
        most_analysed=most,
        progress=count_at_most,
    )
    if as_json:
        write_data(json.dumps(search_as_data(found), indent=2) + "\n")
    elif out != "-":
        write_talk(search_report(found))
    if out is not None:
        if not found.proposals or (take or 1) > len(found.proposals):
            lines = len(found.proposals)
            raise Refused(f"there is no line {take or 1} to write ({lines} found)")
        write_out(design_text(found.proposals[(take or 1) - 1].design), out)
    return FINE if found.proposals else FINDINGS


def _nodes(nodes: int | None, gpus: int | None, part: str, parts: Catalog) -> int:
    """The number of nodes; GPUs are rounded up to whole nodes."""
    if (nodes is None) == (gpus is None):
        raise click.UsageError("say --nodes N or --gpus N, one of them")
    if nodes is not None:
        return nodes
    assert gpus is not None
    if gpus < 1:
        raise click.BadParameter(f"at least 1 is needed, found {gpus}", param_hint="--gpus")
    return -(-gpus // parts.node(part).gpus)


def _shape(text: str) -> Shape:
    try:
        return shape_named(text)
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--shape") from None


def _budget(text: str | None) -> tuple[Decimal, str] | None:
    """An amount with its currency."""
    try:
        return None if text is None else read_budget(text)
    except EditError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--budget") from None
