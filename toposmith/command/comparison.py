"""`compare`: all designs of a folder, or those named, in one table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.collectives import COLLECTIVES
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import BAD_INPUT, FINE, Refused, write_data, write_talk
from toposmith.command.options import Listed
from toposmith.command.reports.analysis import findings_lines
from toposmith.design.design_files import designs_in
from toposmith.documents.aligned_text import table_lines
from toposmith.documents.markdown import list_markdown, table_markdown
from toposmith.errors import ToposmithError
from toposmith.evaluation.here import compared_here
from toposmith.plain_text import visible
from toposmith.review.design_table import (
    ComparedDesign,
    asked_of,
    comparison_as_data,
    designs_table,
    left_out,
    ordered,
)

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.findings.finding import Finding

_SORT_WORDS = (
    *("name", "gpus", "busbw", "bound", "oversubscription"),
    *("cost", "power", "rack_units", "findings"),
)


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--collective",
    "collectives",
    type=Listed(COLLECTIVES),
    multiple=True,
    help="Which figures; may be repeated. All-reduce and all-to-all if not given.",
)
@click.option("--sort", type=click.Choice(_SORT_WORDS), help="What the table is sorted by.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--markdown", is_flag=True, help="Write a Markdown table.")
@catalog_option
def compare(
    files: tuple[str, ...],
    collectives: tuple[Any, ...],
    sort: Any,
    as_json: bool,
    markdown: bool,
) -> int:
    """Compare designs in a table, with what each delivers; a FILE may be a folder."""
    if as_json and markdown:
        raise click.BadParameter("choose JSON or Markdown", param_hint="--markdown")
    names = list(dict.fromkeys(name for file in files for name in _designs_of(file)))
    parts = load_parts()
    asked = tuple(dict.fromkeys(collectives))
    rows = ordered([_row(name, parts, asked) for name in names], sort)
    if as_json:
        write_data(json.dumps(comparison_as_data(rows), indent=2) + "\n")
    elif markdown:
        notes = [*asked_of(rows), *_lines(left_out(rows))]
        told = (table_markdown(designs_table(rows)), list_markdown(notes))
        write_data("\n\n".join(filter(None, told)) + "\n")
    else:
        notes = [*asked_of(rows), *_lines(left_out(rows))]
        table = designs_table([row for row in rows if row.evaluated is not None])
        lines = list(table_lines(table)) if table.rows else []
        lines += [*([""] if notes else []), *notes]
        lines += [visible(f"{row.source}: {row.why}") for row in rows if row.evaluated is None]
        write_talk("".join(f"{line}\n" for line in lines))
    return FINE if all(row.evaluated is not None for row in rows) else BAD_INPUT


def _lines(found: list[tuple[str, Finding]]) -> list[str]:
    """What the figures leave out, each line with its design."""
    return [line for source, one in found for line in findings_lines([one], source=source)]


def _designs_of(file: str) -> Iterator[str]:
    """The file itself, or the design files of a folder by name."""
    folder = Path(file)
    if not folder.is_dir():
        yield file
        return
    try:
        designs = designs_in(folder)
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    if not designs:
        raise Refused(f"{file}: no design (.yaml) in this folder")
    yield from map(str, designs)


def _row(name: str, parts: Catalog, collectives: tuple[Any, ...]) -> ComparedDesign:
    try:
        design = read_design(name)
    except (ToposmithError, Refused) as error:
        first, *more = str(error).splitlines()
        why = first.removeprefix(f"{name}: ").removeprefix(f"{name}:")
        return ComparedDesign(name, None, f"{why} (and {len(more)} more)" if more else why)
    return ComparedDesign(name, compared_here(name, design, parts, collectives))
