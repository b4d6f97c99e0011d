"""`diff`: what changed between two designs and what follows, or a table of several designs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.collectives import COLLECTIVES
from toposmith.command.design_input import read_design, read_design_or_revision
from toposmith.command.edge import (
    BAD_INPUT,
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    refuse,
    terminal_columns,
    write_data,
    write_json,
    write_talk,
    wrong,
)
from toposmith.command.options import Listed, Ordered, price_options
from toposmith.command.reports.analysis import findings_lines
from toposmith.design.other_files import designs_in
from toposmith.documents.aligned_text import table_lines
from toposmith.documents.markdown import Paragraph, list_markdown, page_markdown, table_markdown
from toposmith.errors import DesignFileError, EditError, ToposmithError
from toposmith.evaluation import recent
from toposmith.evaluation.here import compared_here
from toposmith.lock.acts_in_words import act_counts
from toposmith.lock.change_order import acts_between
from toposmith.lock.change_plan import begun_at, require_cabled
from toposmith.lock.first_lock import lock_of
from toposmith.plain_text import visible
from toposmith.review.design_table import (
    ComparedDesign,
    asked_of,
    comparison_as_data,
    designs_table,
    left_out,
    ordered,
)
from toposmith.review.differences.consequences import differences
from toposmith.review.differences.differences_table import differences_as_data, differences_table
from toposmith.review.report.pages import differences_page
from toposmith.review.sidecar.approval import EvaluatedBasis, moved_words
from toposmith.review.sidecar.folder import load_sidecar
from toposmith.review.sidecar.verdict import review_of

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.findings.finding import Finding
    from toposmith.lock.change_order import ChangeAct
    from toposmith.review.differences.consequences import Differences
    from toposmith.review.sidecar.entries import Said


SORT_WORDS = (
    *("name", "gpus", "busbw", "bound", "oversubscription"),
    *("cost", "power", "rack_units", "findings"),
)


def write_comparison(
    files: Sequence[str], collectives: tuple[Any, ...], sort: Any, form: str, ordered_by: Ordered
) -> int:
    """Write the table of designs as ``json``, ``markdown`` or ``text``; the exit code."""
    names = list(dict.fromkeys(name for file in files for name in _designs_of(file)))
    parts = load_parts()
    rows = ordered([_row(name, parts, collectives, ordered_by) for name in names], sort)
    notes = [*asked_of(rows), *_lines(left_out(rows))]
    if form == "json":
        write_json(comparison_as_data(rows))
    elif form == "markdown":
        told = (table_markdown(designs_table(rows)), list_markdown(notes))
        write_data("\n\n".join(filter(None, told)) + "\n")
    else:
        table = designs_table([row for row in rows if row.evaluated is not None])
        lines = table_lines(table, terminal_columns()) if table.rows else []
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


def _row(
    name: str, parts: Catalog, collectives: tuple[Any, ...], ordered_by: Ordered
) -> ComparedDesign:
    try:
        design = read_design(name)
    except (ToposmithError, Refused) as error:
        first, *more = str(error).splitlines()
        why = first.removeprefix(f"{name}: ").removeprefix(f"{name}:")
        return ComparedDesign(name, None, f"{why} (and {len(more)} more)" if more else why)
    terms = ordered_by.terms_as_read(design, parts)
    return ComparedDesign(name, compared_here(name, design, parts, collectives, terms=terms))


def differences_report(found: Differences, notes: Sequence[str] = ()) -> str:
    """Changes, figures, parts and findings; ``notes`` are lines below them."""
    table = differences_table(found)
    blocks = [[visible(note.text) for note in table.head]]
    blocks += [table_lines(table, terminal_columns())] if table.rows else []
    if notes:
        blocks.append([visible(words) for words in notes])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


@click.command("diff", cls=GroupedCommand)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--table", is_flag=True, help="A table of two designs, too.")
@click.option(
    "--collective",
    "collectives",
    type=Listed(COLLECTIVES),
    multiple=True,
    help="Which figures; may be repeated. All-reduce and all-to-all if not given.",
)
@click.option("--sort", type=click.Choice(SORT_WORDS), help="What the table is sorted by.")
@price_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--markdown", is_flag=True, help="Write Markdown, for a merge request.")
@click.option(
    "--fail-on",
    type=click.Choice(("any", "worse", "never")),
    help="Exit 1 on any difference (default), worse ones, or never.",
)
def diff(
    files: tuple[str, ...],
    table: bool,
    collectives: tuple[Any, ...],
    sort: Any,
    ordered: Ordered,
    as_json: bool,
    markdown: bool,
    fail_on: str | None,
) -> int:
    """Say what changed from one design to another, and what follows; of more, a table of figures.

    A FILE may be REV:PATH of git where there are two. Of three or more, of a folder, and with
    --table: what each delivers, costs and lacks.
    """
    tabled = table or len(files) > 2 or any(Path(file).is_dir() for file in files)
    refuse(
        (as_json and markdown, wrong("--markdown", "choose JSON or Markdown")),
        (files.count("-") > 1, Refused("only one design can come from stdin")),
        (tabled and fail_on is not None, wrong("--fail-on", "counts for two designs only")),
        (
            not tabled and len(files) < 2,
            click.UsageError("say two designs or more, or a folder of them"),
        ),
        (
            not tabled and sort is not None,
            wrong("--sort", "sorts a table: --table, or more designs"),
        ),
    )
    asked = tuple(dict.fromkeys(collectives))
    form = "json" if as_json else "markdown" if markdown else "text"
    if tabled:
        return write_comparison(files, asked, sort, form, ordered)
    return _write_differences(files[0], files[1], asked, form, fail_on or "any", ordered)


def _write_differences(
    old: str, new: str, asked: tuple[Any, ...], form: str, fail_on: str, ordered_by: Ordered
) -> int:
    designs = [read_design_or_revision(name) for name in (old, new)]
    parts = load_parts()
    # what either has beside it prices both: a revision of git has nothing beside it
    lists = tuple(dict.fromkeys(path for design in designs for path in design.price_lists))
    terms = ordered_by.terms_as_read(designs[1].priced_by(lists), parts)
    before, after = (
        compared_here(name, design, parts, asked, terms=terms, shared=recent.planned(design, parts))
        for name, design in zip((old, new), designs, strict=True)
    )
    found = differences(before, after)
    pinned = (
        _moved_since_pinned(name, compared_here(name, design, parts))
        for name, design in zip((old, new), designs, strict=True)
    )
    pins = tuple(filter(None, pinned))
    acts = _acts_on_the_metal(before, after)
    order = ""
    if acts is not None:
        done = act_counts(acts) or "nothing to do"
        order = f"on the metal: {done}; in order: toposmith change {old} {new}"
    if form == "json":
        by_act = None if acts is None else Counter(act.verb for act in acts)
        more = {"moved_since_pinned": list(pins), "acts_on_the_metal": by_act}
        write_json(differences_as_data(found) | more)
    elif form == "markdown":
        page = differences_page(found)
        ordered = (Paragraph(order),) if order else ()
        write_data(page_markdown(replace(page, blocks=(*page.blocks, *ordered))))
    else:
        notes = [f"pinned: {words}" for words in pins]
        write_talk(differences_report(found, [*notes, *([order] if order else [])]))
    failed = {"any": found.differ or bool(acts), "worse": bool(found.worse), "never": False}[
        fail_on
    ]
    return FINDINGS if failed else FINE


def _acts_on_the_metal(
    before: EvaluatedDesign, after: EvaluatedDesign
) -> Sequence[ChangeAct] | None:
    """What `change OLD NEW` does at devices and cables, where either is bound; else None."""
    if before.design.lock is None and after.design.lock is None:
        return None
    try:
        require_cabled(after)
        begun = begun_at(after, before.source, before)
    except EditError:
        return None  # what cannot be cabled is in no lock
    lies = begun.design.lock
    assert lies is not None
    return acts_between(lies, lock_of(begun))


def _moved_since_pinned(name: str, evaluated: EvaluatedDesign) -> str:
    """What changed under a design since its parts and figures were pinned; empty if nothing."""
    said: tuple[Said, ...] = ()
    if name != "-" and Path(name).is_file():  # the sidecar on disk is not that of another commit
        try:
            said = load_sidecar(Path(name)).said
        except DesignFileError as failed:
            return f"{name}: its review cannot be read, nor what was pinned: {failed.lines()[0]}"
    if not said and evaluated.design.pins is None:
        return ""
    review = review_of(said, evaluated.design, EvaluatedBasis(evaluated))
    moved = moved_words(review.pinned, evaluated)
    return f"{name}: {moved}" if moved else ""
