"""`review` without a screen: comments, decisions, and a page to send."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    path_of,
    read_design,
    require_free,
    say,
    write_out,
    write_talk,
)
from toposmith.command.loading import load_parts
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.topology.design.document import Design
    from toposmith.topology.review.sidecar.entries import Entry, Review
    from toposmith.topology.review.sidecar.file import Sidecar

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass(frozen=True)
class ReviewAsked:
    """The options of `review` that need no screen."""

    report: str | None
    against: str | None
    out: str
    force: bool
    comments: tuple[tuple[str, str], ...]
    resolve: tuple[int, ...]
    reopen: tuple[int, ...]
    approve: bool
    request_changes: str | None
    author: str | None
    status: bool

    @property
    def says(self) -> bool:
        """Whether anything is to be written into the review."""
        return bool(
            self.comments
            or self.resolve
            or self.reopen
            or self.approve
            or self.request_changes is not None
        )

    @property
    def headless(self) -> bool:
        """Whether the app stays closed."""
        return bool(self.says or self.report or self.status)

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.approve and self.request_changes is not None:
            raise click.BadParameter("approve or request changes", param_hint="--approve")
        if not self.report and (self.out != "-" or self.force):
            raise click.BadParameter("goes with --report", param_hint="-o or --force")
        if self.against and self.headless and not self.report:
            raise click.BadParameter("goes with --report, or opens the app", param_hint="--against")
        if self.author is not None and not self.says:
            raise click.BadParameter("nothing is said that has an author", param_hint="--author")


def review_options(command: Decorated) -> Decorated:
    """Give a command the options of :class:`ReviewAsked`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--report", type=click.Choice(("md", "html")), help="Write a page to send, as this form."
    ),
    click.option(
        "--against",
        metavar="OLD",
        help="Compare with OLD, or REV:PATH; on the screen, or on the page of --report.",
    ),
    click.option("-o", "--output", "out", metavar="OUT", default="-", help="Write the page here."),
    click.option("--force", is_flag=True, help="Replace OUT if it is there."),
    click.option(
        "--comment",
        "comments",
        type=(str, str),
        metavar="PLACE TEXT",
        multiple=True,
        help="Comment on a group, a link, or the design; may be repeated.",
    ),
    click.option(
        "--resolve", type=click.IntRange(1), metavar="N", multiple=True, help="Resolve comment N."
    ),
    click.option(
        "--reopen", type=click.IntRange(1), metavar="N", multiple=True, help="Open comment N again."
    ),
    click.option("--approve", is_flag=True, help="Approve the design as it is."),
    click.option("--request-changes", metavar="TEXT", help="Ask for changes, with the reason."),
    click.option("--author", metavar="NAME", help="Who says so; git's user.name if not given."),
    click.option(
        "--status",
        is_flag=True,
        help="Show comments and decisions; exit 1 unless it is approved and nothing is open.",
    ),
)


def review_without_screen(file: str, asked: ReviewAsked) -> int:
    """Do what is asked of a design's review."""
    require_free(asked.out, asked.force, file, asked.against)
    design = read_design(file)
    sidecar = _sidecar(file)
    if asked.says:
        sidecar = _said(file, design, sidecar, asked)
    review = _review(sidecar, design)
    if asked.report:
        _write_report(file, design, review, asked)
    elif asked.status or asked.says:
        from toposmith.command.reports.reviewing import review_report

        write_talk(review_report(review))
    if asked.approve and review.open_comments:
        many = len(review.open_comments)
        say(f"approved with {counted(many, 'open comment')}")
    return FINDINGS if asked.status and not review.settled else FINE


def _sidecar(file: str) -> Sidecar | None:
    """The review beside a file; None where the design comes from stdin."""
    from toposmith.topology.review.sidecar.file import load_sidecar

    return None if file == "-" else load_sidecar(path_of(file))


def _review(sidecar: Sidecar | None, design: Design) -> Review:
    from toposmith.topology.bill.provenance import design_digest
    from toposmith.topology.review.sidecar.entries import review_of

    entries = sidecar.record.entries if sidecar else ()
    return review_of(entries, design, design_digest(design))


def _said(file: str, design: Design, sidecar: Sidecar | None, asked: ReviewAsked) -> Sidecar:
    """Write what is said into the sidecar, each as an entry of its own."""
    from toposmith.topology.review.sidecar.file import add_entries

    if sidecar is None:
        raise Refused("a design from stdin has no file that a review could lie beside")
    if not Path(file).exists():
        raise Refused(
            f"{file}: a saved design; review a file of your own (cp it, or open and save)"
        )
    sidecar = add_entries(sidecar, _entries(design, asked))
    say(f"wrote {sidecar.path}")
    return sidecar


def _entries(design: Design, asked: ReviewAsked) -> list[Entry]:
    from datetime import date

    from toposmith.topology.bill.provenance import design_digest
    from toposmith.topology.design.safe_text import suggestion
    from toposmith.topology.review.sidecar.entries import places_of

    digest, places = design_digest(design), places_of(design)
    for place, _ in asked.comments:
        if place not in places:
            raise Refused(f"{place}: no such place in the design; {suggestion(place, places)}")
    by = {"author": asked.author or _author(), "date": date.today().isoformat()}
    said: list[dict[str, object]] = [{"comment": place, "text": t} for place, t in asked.comments]
    said += [{"resolve": number} for number in asked.resolve]
    said += [{"reopen": number} for number in asked.reopen]
    said += [{"approve": digest}] if asked.approve else []
    if asked.request_changes is not None:
        said.append({"request_changes": digest, "text": asked.request_changes})
    return [_entry({**each, **by}) for each in said]


def _entry(values: dict[str, object]) -> Entry:
    from pydantic import ValidationError

    from toposmith.topology.review.sidecar.entries import Entry

    try:
        return Entry.model_validate(values)
    except ValidationError as wrong:
        error = wrong.errors()[0]
        what = ".".join(map(str, error["loc"])) or "the entry"
        if error["type"] == "string_too_short":
            raise Refused(f"{what}: found nothing, expected words") from None
        raise Refused(f"{what}: {error['msg'].removeprefix('Value error, ')}") from None


def _author() -> str:
    from toposmith.topology.review.author import author_here

    name = author_here()
    if not name:
        raise Refused("nobody knows who you are here; say --author NAME")
    return name


def _write_report(file: str, design: Design, review: Review, asked: ReviewAsked) -> None:
    from toposmith.command.edge import read_design_or_revision
    from toposmith.topology.bill.provenance import program_version
    from toposmith.topology.evaluation.here import compared_here
    from toposmith.topology.review.differences.consequences import differences
    from toposmith.topology.review.failures.sweep import sweep
    from toposmith.topology.review.report.html import page_html
    from toposmith.topology.review.report.markdown import page_markdown
    from toposmith.topology.review.report.pages import review_page

    older = None if asked.against is None else read_design_or_revision(asked.against)
    parts = load_parts()
    now = compared_here(file, design, parts)
    against = None
    if older is not None and asked.against is not None:
        against = differences(compared_here(asked.against, older, parts), now)
    failures = sweep(now.plan, parts, now.asked)
    page = review_page(now, failures, review, against=against, program=program_version())
    write_out({"md": page_markdown, "html": page_html}[str(asked.report)](page), asked.out)
