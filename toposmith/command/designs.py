"""`new`: a design from a template or from requirements; without either what there is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.edge import (
    FINE,
    require_free,
    write_data,
    write_out,
    write_talk,
)
from toposmith.command.grouped_help import GroupedCommand
from toposmith.command.options import NEED, measuring_options
from toposmith.command.order_options import ordering_options
from toposmith.command.output import design_name
from toposmith.command.reports.part_lists import templates_as_data, templates_report
from toposmith.design.schema_line import with_schema_line
from toposmith.design.writer import design_text
from toposmith.documents.aligned_text import columns
from toposmith.plain_text import visible
from toposmith.saved_designs import saved_designs
from toposmith.synthesis.fabric_search import MOST_ANALYSED
from toposmith.synthesis.limit_text import LIMITS
from toposmith.templates import TEMPLATES, new_design

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
@click.option("--take", type=click.IntRange(1), metavar="N", help="With -o: fabric N; 1.")
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
@ordering_options
@click.option("--json", "as_json", is_flag=True, help="Write what is listed as JSON.")
@catalog_option
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
    if searched and (template is not None or settings):
        raise click.UsageError("a TEMPLATE says its own numbers with --set: leave one of them out")
    if searched:
        # a design of a template does not wait for it
        from toposmith.command.fabrics import write_fabrics

        return write_fabrics(
            _nodes(nodes, gpus, wanted["part"]), wanted, out, force=force, as_json=as_json
        )
    if template is None:
        if settings or out is not None or force:
            raise click.UsageError("--set, -o and --force go with a TEMPLATE, --nodes or --gpus")
        _list(as_json=as_json)
        return FINE
    if as_json:
        raise click.BadParameter("a design is YAML", param_hint="--json")
    return _write(template, settings, out or "-", force=force)


def _given(option: str) -> bool:
    """Whether an option of the search was given; all of them have defaults of their own."""
    source = click.get_current_context().get_parameter_source(option)
    return source is click.core.ParameterSource.COMMANDLINE


def _list(*, as_json: bool) -> None:
    """What a design can be made of: templates, and saved designs to begin with."""
    saved = saved_designs()
    if as_json:
        listed = [{"name": one.name, "design": one.summary} for one in saved]
        data = {"toposmith": 1, "templates": templates_as_data(TEMPLATES), "designs": listed}
        write_data(json.dumps(data, indent=2) + "\n")
        return
    rows = [(one.name, visible(one.summary)) for one in saved]
    lines = columns(("saved design", ""), rows)
    write_talk(templates_report(TEMPLATES) + "\n" + "".join(f"{line}\n" for line in lines))


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
    text = design_text(new_design(template, values, catalog=load_parts()))
    write_out(with_schema_line(text, Path.cwd() if out == "-" else Path(out).parent), out)
    return FINE


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
