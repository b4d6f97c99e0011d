"""`export`: designs in formats of other tools, as drawings, schedules and a report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import Request
from toposmith.command.design_input import read_design, require_ending, stream_out
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    path_of,
    require_free,
    say,
    write_data,
    write_json,
)
from toposmith.command.options import Listed, Ordered, ordering_options
from toposmith.command.patience import count_done
from toposmith.command.reports.analysis import findings_lines
from toposmith.evaluation.here import judged_here
from toposmith.exports.forms import FORMS, hand_over, why_kept
from toposmith.exports.names_file import named_by_file

if TYPE_CHECKING:
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.exports.forms import Made

ALL = "all"


@dataclass(frozen=True)
class _Wanted:
    """The forms that one run writes, and where."""

    forms: tuple[str, ...]
    out: str
    group: str | None
    force: bool

    @property
    def into_folder(self) -> bool:
        """Whether a folder is written, not a file."""
        return len(self.forms) != 1 or self.forms[0] == ALL or FORMS[self.forms[0]].is_folder

    def check(self, file: str, read: Sequence[str | None]) -> None:
        """Refuse what cannot be written there, before anything is computed.

        Raises
        ------
        click.BadParameter
            When ``--group`` is given without its form.
        Refused
            When the output may not be written, or is binary and would go to the terminal.
        """
        if self.group is not None and not {"nccl-xml", ALL} & set(self.forms):
            raise click.BadParameter("goes with --to nccl-xml", param_hint="--group")
        if not self.into_folder:
            require_free(self.out, self.force, file, *read)
            form = FORMS[self.forms[0]]
            require_ending(
                None if self.out == "-" else self.out,
                [f".{form.ending.rpartition('.')[2]}"],
                form.title,
            )
            if not FORMS[self.forms[0]].is_text and self.out == "-" and sys.stdout.isatty():
                raise Refused(f"{self.forms[0]} is no text for a terminal; say -o FILE")
            return
        if self.out == "-":
            single = len(self.forms) == 1 and self.forms[0] != ALL
            what = f"{self.forms[0]} is" if single else "several forms are"
            raise Refused(f"{what} written into a folder; say -o FOLDER")
        _require_free_folder(Path(self.out), self.force)

    def made(self, design: EvaluatedDesign, file: str) -> Made:
        """The export, not yet written."""
        if not self.into_folder:
            return FORMS[self.forms[0]].make(design, count_done, self.group)
        stem = "design" if file == "-" else path_of(file).stem
        forms = tuple(FORMS) if ALL in self.forms else tuple(dict.fromkeys(self.forms))
        return hand_over(
            design,
            forms,
            stem=stem,
            all_or_none=ALL not in self.forms,
            group=self.group,
            progress=count_done,
        )


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE", required=False)
@click.option(
    "--to",
    "forms",
    type=Listed(FORMS, ALL),
    metavar="FORM",
    multiple=True,
    help="The form to write. Several, or `all`, go into a folder with a manifest.",
)
@click.option("--list", "listed", is_flag=True, help="List the forms.")
@click.option("--json", "as_json", is_flag=True, help="With --list: write JSON.")
@click.option(
    "--names",
    "names_file",
    metavar="MAP",
    type=click.Path(path_type=Path),
    help="Call devices and ports as this map of names does.",
)
@click.option(
    "--group", metavar="NAME", help="For nccl-xml: the group of nodes, where there are several."
)
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@ordering_options
def export(
    file: str | None,
    forms: tuple[str, ...],
    listed: bool,
    as_json: bool,
    names_file: Path | None,
    group: str | None,
    out: str,
    force: bool,
    ordered: Ordered,
) -> int:
    """Write a design for other people and tools: schedulers, fabric managers, inventories.

    Exit code 1: written, but stderr names what is wrong, missing or assumed in it.
    """
    if listed:
        return _list_forms(as_json)
    if as_json:
        raise click.BadParameter("goes with --list", param_hint="--json")
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.")
    if not forms:
        raise click.UsageError("Missing option '--to'; `toposmith export --list` lists the forms.")
    wanted = _Wanted(forms, out, group, force)
    wanted.check(file, (*ordered.lists, str(names_file) if names_file else None))
    design, known = read_design(file), load_parts()
    terms = ordered.terms(design, known)
    request = Request(job=job_and_findings(design)[0])
    judged = _named(judged_here(design, known, request, terms=terms), names_file)
    made = wanted.made(judged, file)
    if made.files is None:
        stream_out(made.pieces, out)
    else:
        made.save(out, into_old_folder=force)
        say(f"wrote {out}")
    for words in made.lost:
        say(f"not carried: {words}")
    prices = terms.prices
    for fault in prices.faults if prices else ():
        say(f"{fault}; left out")
    return max(_said(made), FINDINGS if prices and prices.faults else FINE)


def _named(design: EvaluatedDesign, names_file: Path | None) -> EvaluatedDesign:
    """The design with the names of a map; names that it lacks are reported."""
    if names_file is None:
        return design
    named, notes = named_by_file(design, names_file)
    for note in notes:
        say(note)
    return named


def _require_free_folder(folder: Path, force: bool) -> None:
    """Refuse to overwrite a folder; with --force only an older hand-over may be replaced."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not force and not (folder.is_dir() and not any(folder.iterdir())):
        raise Refused(f"{folder}: is there already and not empty; say --force to replace it")
    if why := why_kept(folder):
        raise Refused(f"{folder}: {why}")


def _list_forms(as_json: bool) -> int:
    if as_json:
        rows = [
            {
                "form": form.name,
                "title": form.title,
                "ending": form.ending,
                "reader": form.reader,
                "loses": form.loses,
                "folder": form.is_folder,
            }
            for form in FORMS.values()
        ]
        write_json(rows)
        return FINE
    wide = max(len(name) for name in FORMS)
    for form in FORMS.values():
        reader = f"; for {form.reader}" if form.reader else ""
        write_data(f"{form.name:<{wide}}  {form.title}{reader}\n")
        if form.loses:
            write_data(f"{'':<{wide}}  without {form.loses}\n")
    return FINE


def _said(made: Made) -> int:
    """Report what an export lacks; return the exit code."""
    lacking = made.lacking()
    for line in findings_lines(lacking):
        say(line)
    return FINDINGS if lacking else FINE
