"""`new`: a design from a template or from requirements; without either what there is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.command.design_input import design_name
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    refuse,
    require_free,
    terminal_columns,
    write_either,
    write_json,
    write_out,
    write_talk,
    wrong,
)
from toposmith.command.options import (
    NEED,
    asked_of,
    measuring_options,
    named_options,
    needs_asked,
    price_options,
)
from toposmith.command.patience import count_at_most
from toposmith.command.reports.part_lists import templates_as_data, templates_report
from toposmith.design.document import Design
from toposmith.design.writer import design_text, with_schema_line
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.errors import EditError
from toposmith.plain_text import visible
from toposmith.saved_designs import saved_designs
from toposmith.synthesis.analysed_fabrics import front_plot
from toposmith.synthesis.fabric_requirements import LIMITS, Requirements, read_limits
from toposmith.synthesis.fabric_search import MOST_ANALYSED, search
from toposmith.synthesis.fabrics_table import (
    asked_for,
    fabrics_table,
    looked_words,
    ranked_by,
    search_as_data,
)
from toposmith.templates import TEMPLATES, new_design

if TYPE_CHECKING:
    from toposmith.synthesis.fabric_search import Search


MOST_TO_ANALYSE = 100_000
_ALONE = frozenset({"template", "settings", "out", "force", "as_json"})
"""Parameters that need no number of nodes."""


@click.command(cls=GroupedCommand)
@click.argument("template", required=False)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="A setting; may be repeated."
)
@click.option("--nodes", type=int, metavar="N", help="In place of TEMPLATE: how many nodes.")
@click.option("--gpus", type=int, metavar="N", help="In place of --nodes: how many GPUs.")
@click.option("--part", metavar="PART", default="dgx-b200", show_default=True, help="The nodes.")
@NEED
@click.option(
    "--limit",
    "limits",
    metavar="NAME=VALUE",
    multiple=True,
    help=f"A limit of the fabric: {', '.join(LIMITS)}; may be repeated.",
)
@click.option(
    "--most",
    type=click.IntRange(1, MOST_TO_ANALYSE),
    metavar="N",
    help=f"Fabrics to analyse at most; {MOST_ANALYSED} if not given.",
)
@click.option(
    "--take",
    type=click.IntRange(1),
    metavar="N",
    help="With -o: fabric N; the first that joins its rails.",
)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    callback=design_name,
    help="Write the design here; - is stdout.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@measuring_options
@price_options
@click.option("--json", "as_json", is_flag=True, help="Write what is listed as JSON.")
def new(
    template: str | None,
    settings: tuple[str, ...],
    out: str | None,
    force: bool,
    as_json: bool,
    nodes: int | None,
    gpus: int | None,
    **wanted: Any,
) -> int:
    """Write a design from a TEMPLATE, or the best fabrics for so many --nodes or --gpus.

    Without either: list the templates with their settings, and the saved designs. Fabrics are
    those that meet every need and limit and that no other beats, the cheapest first, or that with
    the fewest switches where prices are unknown; -o writes one.
    """
    searched = nodes is not None or gpus is not None
    if not searched and any(map(_given, click.get_current_context().params.keys() - _ALONE)):
        raise click.UsageError("say how many: --nodes N or --gpus N")
    nothing = not searched and template is None
    refuse(
        (
            searched and (template is not None or settings),
            click.UsageError("a TEMPLATE says its own numbers with --set: leave one of them out"),
        ),
        (
            nothing and (settings or out is not None or force),
            click.UsageError("--set, -o and --force go with a TEMPLATE, --nodes or --gpus"),
        ),
        (template is not None and as_json, wrong("--json", "a design is YAML")),
    )
    if searched:
        # a design of a template does not wait for it

        return write_fabrics(
            _nodes(nodes, gpus, wanted["part"]), wanted, out, force=force, as_json=as_json
        )
    if template is None:
        _list(as_json=as_json)
        return FINE
    return _write(template, settings, out or "-", force=force)


def _given(option: str) -> bool:
    """Whether an option of the search was given; all of them have defaults of their own."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def _list(*, as_json: bool) -> None:
    """What a design can be made of: templates, and saved designs to begin with."""
    saved = saved_designs()
    lines = columns(("saved design", ""), [(one.name, visible(one.summary)) for one in saved])
    write_either(
        as_json,
        lambda: {
            "toposmith": 1,
            "templates": templates_as_data(TEMPLATES),
            "designs": [{"name": one.name, "design": one.summary} for one in saved],
        },
        lambda: templates_report(TEMPLATES) + "\n" + "".join(f"{line}\n" for line in lines),
    )


def _write(template: str, settings: tuple[str, ...], out: str, *, force: bool) -> int:
    """Write the design of a template."""
    values: dict[str, str | int] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        if name.strip() in values:
            raise click.BadParameter(f"{name.strip()} is set twice", param_hint="--set")
        values[name.strip()] = value.strip()
    require_free(out, force)
    _write_design(new_design(template, values, catalog=load_parts()), out)
    return FINE


def _write_design(design: Design, out: str) -> None:
    """Write a new design, with the line by which editors know its keys."""
    folder = Path.cwd() if out == "-" else Path(out).parent
    write_out(with_schema_line(design_text(design), folder), out)


def _nodes(nodes: int | None, gpus: int | None, part: str) -> int:
    """The number of nodes; GPUs are rounded up to whole nodes."""
    if nodes is not None and gpus is not None:
        raise click.UsageError("say --nodes N or --gpus N, one of them")
    if gpus is None:
        assert nodes is not None
        return nodes
    if gpus < 1:
        raise click.BadParameter(f"at least 1 is needed, found {gpus}", param_hint="--gpus")
    return -(-gpus // load_parts().node(part).gpus)


PLOT_COLUMNS, PLOT_ROWS = 78, 14


def search_report(found: Search) -> str:
    """The Pareto front as a table, with the reason why nothing is cheaper."""
    lines = [visible(asked_for(found)), ""]
    if found.proposals:
        lines += table_lines(fabrics_table(found), terminal_columns())
        lines += ["", ranked_by(found)]
        lines += ["busbw per GPU: model; N-1: what any one cable or switch leaves of it, at worst"]
        if drawn := front_plot(found.proposals, PLOT_COLUMNS, PLOT_ROWS):
            lines += ["", *drawn]
        title = "Why not cheaper"
    else:
        lines.append("nothing was found that meets all of that")
        title = "Why"
    if found.reasons:
        lines += ["", title, *(f"  {visible(each.words)}" for each in found.reasons)]
    if found.left_out:
        title = "Switches that are in none of these" if found.proposals else "By switch"
        lines += ["", title, *(f"  {visible(each.words)}" for each in found.left_out)]
    lines += ["", looked_words(found)]
    return "".join(f"{line}\n" for line in lines)


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
    if out is not None:
        require_free(out, force, *ordered.lists)
    refuse(
        (
            out is None and (take is not None or force),
            wrong("--take or --force", "goes with -o OUT"),
        ),
        (out == "-" and as_json, wrong("-o", "only one of the design and JSON goes to stdout")),
    )
    parts = load_parts()
    with named_options():
        request = asked_of(**wanted).request(Design())
    asked = Requirements(nodes, part, needs_asked(needs), request)
    try:
        asked = replace(asked, **read_limits(limits))
    except EditError as fault:
        raise wrong("--limit", str(fault)) from None
    found = search(
        asked,
        parts,
        ordered.terms_as_read(Design(), parts),
        most_analysed=most or MOST_ANALYSED,
        progress=count_at_most,
    )
    if as_json:
        write_json(search_as_data(found))
    elif out != "-":
        write_talk(search_report(found))
    if out is not None:
        lines = len(found.proposals)
        if take is None:
            joined = (at for at, one in enumerate(found.proposals, 1) if one.fabric.joined)
            take = next(joined, 1)
        if take > lines:
            raise Refused(f"there is no line {take} to write ({lines} found)")
        _write_design(found.proposals[take - 1].design, out)
    return FINE if found.proposals else FINDINGS
