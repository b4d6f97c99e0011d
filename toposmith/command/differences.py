"""`diff`: what changed between two designs and what follows, or a table of several designs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.collectives import COLLECTIVES
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.comparison import SORT_WORDS, write_comparison
from toposmith.command.design_input import read_design_or_revision
from toposmith.command.edge import FINDINGS, FINE, Refused, write_data, write_talk
from toposmith.command.options import Listed
from toposmith.command.reports.diff_report import differences_report
from toposmith.documents.markdown import page_markdown
from toposmith.documents.page import Paragraph
from toposmith.errors import DesignFileError, EditError
from toposmith.evaluation import recent
from toposmith.evaluation.here import compared_here
from toposmith.lock.acts_in_words import act_counts
from toposmith.lock.change_order import acts_between
from toposmith.lock.change_plan import begun_at, require_cabled
from toposmith.lock.first_lock import lock_of
from toposmith.review.differences.consequences import differences
from toposmith.review.differences.differences_in_words import differences_as_data
from toposmith.review.report.pages import differences_page
from toposmith.review.sidecar.approval import EvaluatedBasis, moved_words
from toposmith.review.sidecar.folder import load_sidecar
from toposmith.review.sidecar.verdict import review_of

if TYPE_CHECKING:
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.lock.change_order import ChangeAct
    from toposmith.review.sidecar.entries import Said


@click.command("diff")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--table", is_flag=True, help="Figures of two designs in a table, as of several.")
@click.option(
    "--collective",
    "collectives",
    type=Listed(COLLECTIVES),
    multiple=True,
    help="Which figures; may be repeated. All-reduce and all-to-all if not given.",
)
@click.option("--sort", type=click.Choice(SORT_WORDS), help="What the table is sorted by.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--markdown", is_flag=True, help="Write Markdown, for a merge request.")
@click.option(
    "--fail-on",
    type=click.Choice(("any", "worse", "never")),
    help="Exit 1 on any difference of two (default), on those for the worse only, or never.",
)
@catalog_option
def diff(
    files: tuple[str, ...],
    table: bool,
    collectives: tuple[Any, ...],
    sort: Any,
    as_json: bool,
    markdown: bool,
    fail_on: str | None,
) -> int:
    """Say what changed from one design to another, and what follows; of more, a table of figures.

    A FILE may be REV:PATH of git where there are two. Of three or more, of a folder, and with
    --table: what each delivers, costs and lacks.
    """
    if as_json and markdown:
        raise click.BadParameter("choose JSON or Markdown", param_hint="--markdown")
    if files.count("-") > 1:
        raise Refused("only one design can come from stdin")
    asked = tuple(dict.fromkeys(collectives))
    form = "json" if as_json else "markdown" if markdown else "text"
    if table or len(files) > 2 or any(Path(file).is_dir() for file in files):
        if fail_on is not None:
            raise click.BadParameter("counts for two designs only", param_hint="--fail-on")
        return write_comparison(files, asked, sort, form)
    if len(files) < 2:
        raise click.UsageError("say two designs or more, or a folder of them")
    if sort is not None:
        raise click.BadParameter("sorts a table: --table, or more designs", param_hint="--sort")
    return _write_differences(files[0], files[1], asked, form, fail_on or "any")


def _write_differences(old: str, new: str, asked: tuple[Any, ...], form: str, fail_on: str) -> int:
    designs = [read_design_or_revision(name) for name in (old, new)]
    parts = load_parts()
    before, after = (
        compared_here(name, design, parts, asked, shared=recent.planned(design, parts))
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
        write_data(json.dumps(differences_as_data(found) | more, indent=2) + "\n")
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
