"""Several designs, or those of a folder, in one table: what `diff` writes of more than two."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toposmith.command.catalog_options import load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import BAD_INPUT, FINE, Refused, write_data, write_talk
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

SORT_WORDS = (
    *("name", "gpus", "busbw", "bound", "oversubscription"),
    *("cost", "power", "rack_units", "findings"),
)


def write_comparison(
    files: Sequence[str], collectives: tuple[Any, ...], sort: Any, form: str
) -> int:
    """Write the table of designs as ``json``, ``markdown`` or ``text``; the exit code."""
    names = list(dict.fromkeys(name for file in files for name in _designs_of(file)))
    parts = load_parts()
    rows = ordered([_row(name, parts, collectives) for name in names], sort)
    notes = [*asked_of(rows), *_lines(left_out(rows))]
    if form == "json":
        write_data(json.dumps(comparison_as_data(rows), indent=2) + "\n")
    elif form == "markdown":
        told = (table_markdown(designs_table(rows)), list_markdown(notes))
        write_data("\n\n".join(filter(None, told)) + "\n")
    else:
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
