"""`review` without a screen: comments, decisions, and a report."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic import ValidationError

from toposmith.command.app_start import open_app
from toposmith.command.design_input import read_design, read_design_or_revision
from toposmith.command.edge import (
    BAD_INPUT,
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    path_of,
    refuse,
    require_free,
    say,
    write_json,
    write_out,
    write_talk,
    wrong,
)
from toposmith.command.options import NO_FLOOR, AskedFloor, Pairs, floor_option, giving
from toposmith.command.reports.review import review_data, review_report
from toposmith.design.loader import suggestion
from toposmith.design.stored_files import load_file, save_file
from toposmith.design.writer import design_text
from toposmith.documents.markdown import Block, Paragraph, page_markdown
from toposmith.errors import EditError
from toposmith.evaluation.here import compared_here, read_policy
from toposmith.lock.acts_in_words import change_blocks
from toposmith.lock.change_plan import begun_at, change_to
from toposmith.lock.first_lock import bind_anew
from toposmith.review.differences.consequences import differences
from toposmith.review.failures.sweep import sweep
from toposmith.review.findings.locks import why_left_alone
from toposmith.review.report.pages import (
    page_html,
    review_comment,
    review_page,
)
from toposmith.review.revisions import author_here, email_here, revision_of, who_changed
from toposmith.review.sidecar.approval import (
    EvaluatedBasis,
    approval,
    pin,
)
from toposmith.review.sidecar.commented_places import group_shapes, places_of
from toposmith.review.sidecar.entries import ReviewEntry, Signing, read_signers, said_at
from toposmith.review.sidecar.folder import add_entries, comment_called, load_sidecar
from toposmith.review.sidecar.verdict import Basis, review_of
from toposmith.version import program_version

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.review.sidecar.entries import Signers
    from toposmith.review.sidecar.folder import Sidecar
    from toposmith.review.sidecar.verdict import Review


@dataclass(frozen=True)
class ReviewAsked:
    """The options of `review` that need no screen."""

    report: str | None
    against: str | None
    doubles: int | None
    floor: AskedFloor
    out: str
    force: bool
    comments: tuple[tuple[str, str], ...]
    reply: tuple[tuple[str, str], ...]
    resolve: tuple[str, ...]
    reopen: tuple[str, ...]
    approve: bool
    despite_open: bool
    pin: bool
    request_changes: str | None
    author: str | None
    status: bool
    as_json: bool
    policy: Path | None
    sign: str | None
    signers: Path | None
    only: bool

    @property
    def says(self) -> bool:
        """Whether an option adds an entry to the review."""
        return bool(
            self.comments
            or self.reply
            or self.resolve
            or self.reopen
            or self.approve
            or self.request_changes is not None
        )

    @property
    def headless(self) -> bool:
        """Whether the app is not opened."""
        return bool(self.says or self.pin or self.report or self.status)

    @property
    def since(self) -> str | None:
        """The git revision that ``--against`` names; None where it names a file or is absent."""
        revision, colon, _ = (self.against or "").partition(":")
        named = colon and not Path(self.against or "").exists()
        return revision if named and not revision.startswith("-") else None

    def check(self) -> None:
        """Raise click.BadParameter for options that cannot be combined."""
        against = "goes with --report, as REV:PATH with --status, or opens the app"
        needs_page = self.headless and not self.report and not (self.status and self.since)
        decides_twice = self.approve and self.request_changes is not None
        writes = self.out != "-" or self.force
        pairs = self.doubles != 0 and self.report not in ("md", "html")
        unsaid = self.author is not None and not (self.says or self.pin or self.only)
        refuse(
            (decides_twice, wrong("--approve", "approve or request changes")),
            (
                not self.approve and self.despite_open,
                wrong("--despite-open", "goes with --approve"),
            ),
            (not self.report and writes, wrong("-o or --force", "goes with --report")),
            (self.against and needs_page, wrong("--against", against)),
            (self.as_json and not self.status, wrong("--json", "goes with --status")),
            (self.as_json and self.report, wrong("--json", "a page or JSON, not both")),
            (
                self.floor != NO_FLOOR and self.report not in ("md", "html"),
                wrong("--floor", "goes with --report md or html"),
            ),
            (pairs, wrong("--doubles", "goes with --report md or html")),
            (
                self.policy and not self.headless,
                wrong("--policy", "goes with what needs no screen"),
            ),
            (
                self.signers and not self.headless,
                wrong("--signers", "goes with what needs no screen"),
            ),
            (
                self.sign is not None and not self.says,
                wrong("--sign", "nothing is said that is signed"),
            ),
            (
                self.only and (self.headless or self.against),
                wrong("--only", "is for the app alone"),
            ),
            (unsaid, wrong("--author", "nothing is said that has an author")),
        )


_OPTIONS = (
    click.option(
        "--report",
        type=click.Choice(("md", "html", "comment")),
        help="Write a page, or a comment on a merge request.",
    ),
    click.option(
        "--against",
        metavar="OLD",
        help="Compare with a file, or REV:PATH of git.",
    ),
    click.option(
        "--doubles",
        type=Pairs(),
        default="0",
        metavar="N|all",
        help="Pairs of failures on the page: all, or N.",
    ),
    floor_option,
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
        "--reply", type=(str, str), metavar="ID TEXT", multiple=True, help="Answer comment ID."
    ),
    click.option("--resolve", metavar="ID", multiple=True, help="Resolve comment ID."),
    click.option("--reopen", metavar="ID", multiple=True, help="Open comment ID again."),
    click.option(
        "--approve",
        is_flag=True,
        help="Approve the current design; stale once the design, its lock, a signed figure, "
        "prices or the policy change.",
    ),
    click.option(
        "--despite-open",
        is_flag=True,
        help="Approve although comments are open or errors were found, and say so.",
    ),
    click.option(
        "--pin",
        is_flag=True,
        help="Write today's parts and figures into FILE, to see later what changed.",
    ),
    click.option("--request-changes", metavar="TEXT", help="Ask for changes, with the reason."),
    click.option("--author", metavar="NAME", help="Who says so; git's user.name if not given."),
    click.option(
        "--status",
        is_flag=True,
        help="Its state; exit 1 unless approved, none open.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Write the status as JSON."),
    click.option(
        "--policy",
        metavar="POLICY",
        type=click.Path(path_type=Path),
        help="Who approves; severities and limits.",
    ),
    click.option(
        "--sign",
        metavar="KEY",
        help="Sign what is said with an SSH key: its file, or the .pub of one in your agent.",
    ),
    click.option(
        "--signers",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Whose signatures are trusted, as git's allowed_signers.",
    ),
    click.option(
        "--only",
        is_flag=True,
        help="Keep the reader inside FILE, who comments by the account's name, or --author.",
    ),
)


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="FILE")
@giving(_OPTIONS)
@click.pass_obj
def review(obj: dict[str, bool], /, file: str, **options: Any) -> int:
    """Open the app with a design, to read only; or comment, decide, and report without it."""
    asked = ReviewAsked(**options)
    asked.check()
    if asked.headless:
        return review_without_screen(file, asked)
    return open_app(
        file,
        review=True,
        against=asked.against,
        visitor=(asked.author or getpass.getuser()) if asked.only else None,
        **obj,
    )


def review_without_screen(file: str, asked: ReviewAsked) -> int:
    """Carry out the options on a design's review; returns the exit code."""
    require_free(asked.out, asked.force, file, asked.against)
    design = read_design(file)
    older = None if asked.against is None else read_design_or_revision(asked.against)
    sidecar = None if file == "-" else load_sidecar(path_of(file))
    policy = None if asked.policy is None else read_policy(asked.policy)
    signers = read_signers(asked.signers)
    evaluated = compared_here(file, design, load_parts(), policy=policy)
    if asked.pin:
        pinned = _pinned(file, evaluated, asked.author)
        evaluated = compared_here(file, pinned, evaluated.catalog, policy=policy)
    if asked.says:
        sidecar = _said(file, evaluated, sidecar, asked, signers)
    review = _review(sidecar, evaluated, asked.since, signers)
    if asked.report:
        _write_report(evaluated, older, review, asked, sidecar.design if sidecar else None)
    elif asked.as_json:
        write_json(review_data(review, evaluated))
    elif asked.status or asked.says or asked.pin:
        write_talk(review_report(review, evaluated))
    if not asked.status or review.settled:
        return FINE
    return BAD_INPUT if review.faults else FINDINGS


class NotApproved(Refused):
    """An approval of what is not settled: a finding about the design, not a fault of the call."""

    exit_code = FINDINGS


def _review(
    sidecar: Sidecar | None, evaluated: EvaluatedDesign, since: str | None, signers: Signers
) -> Review:
    if sidecar is None:
        return review_of((), evaluated.design, EvaluatedBasis(evaluated))
    asked = partial(who_changed, sidecar.design.absolute(), since)
    basis = EvaluatedBasis(evaluated, asked, signers)
    return review_of(sidecar.said, evaluated.design, basis, sidecar.faults)


def _pinned(file: str, evaluated: EvaluatedDesign, author: str | None) -> Design:
    """Write the parts and figures of a design into its file."""
    _require_own(file)
    loaded = load_file(file)
    if loaded.design != evaluated.design:
        raise Refused(f"{file}: not pinned: the file changed meanwhile")
    by = str(_author(author)["author"])
    edit = pin(evaluated, date.today().isoformat(), by)
    text = design_text(edit.design, loaded.text)
    save_file(file, text, expected_fingerprint=loaded.fingerprint)
    say(f"{file}: {edit.label}")
    return edit.design


def _require_own(file: str) -> None:
    """Refuse designs that are no file of the user's."""
    if file == "-":
        raise Refused("a design from stdin has no file to keep a review with")
    if not Path(file).exists():
        raise Refused(
            f"{file}: a saved design; review a file of your own (cp it, or open and save)"
        )


def _said(
    file: str,
    evaluated: EvaluatedDesign,
    sidecar: Sidecar | None,
    asked: ReviewAsked,
    signers: Signers,
) -> Sidecar:
    """Add comments and decisions to the sidecar, one entry each."""
    _require_own(file)
    assert sidecar is not None
    if asked.approve and evaluated.policy.approvals.signed and asked.sign is None:
        raise NotApproved("not approved: the policy demands a signature; sign with --sign KEY")
    sign = None if asked.sign is None else Signing(signers, asked.sign)
    done = add_entries(sidecar, _entries(evaluated, sidecar, asked), sign)
    new = [one.mark[:6] for one in done.said[len(sidecar.said) :] if one.entry.comment is not None]
    say(": comment ".join((f"wrote to {done.path}", *([", ".join(new)] if new else []))))
    return done


def _entries(evaluated: EvaluatedDesign, sidecar: Sidecar, asked: ReviewAsked) -> list[ReviewEntry]:
    design = evaluated.design
    places = places_of(design)
    for place, _ in asked.comments:
        if place not in places:
            raise Refused(f"{place}: no such place in the design; {suggestion(place, places)}")
    by = {**_author(asked.author), "date": date.today().isoformat()}
    groups = group_shapes(design)
    said: list[dict[str, object]] = [
        {"comment": place, "text": text, "groups": groups} for place, text in asked.comments
    ]
    answers = [("reply", mark, text) for mark, text in asked.reply]
    answers += [("resolve", mark, "") for mark in asked.resolve]
    answers += [("reopen", mark, "") for mark in asked.reopen]
    for what, mark, text in answers:
        about: dict[str, object] = {what: comment_called(sidecar, mark)}
        said.append(about | {"text": text} if what == "reply" else about)
    if asked.approve:
        said.append(_approval(evaluated, sidecar, [_entry({**each, **by}) for each in said], asked))
    if asked.request_changes is not None:
        said.append({"request_changes": evaluated.digest, "text": asked.request_changes})
    return [_entry({**each, **by}) for each in said]


def _approval(
    evaluated: EvaluatedDesign, sidecar: Sidecar, more: list[ReviewEntry], asked: ReviewAsked
) -> dict[str, object]:
    """The approval of a design; refused while comments are open, unless ``--despite-open``."""
    moments = (datetime.now(UTC).replace(microsecond=at) for at in range(len(more)))
    said = [*sidecar.said, *map(said_at, moments, more)]
    basis = Basis(evaluated.digest)
    approves = approval(evaluated, review_of(said, evaluated.design, basis, sidecar.faults))
    if approves["despite"] and not asked.despite_open:
        raise NotApproved(
            f"not approved: {approves['despite']}; settle that first, or approve with "
            "--despite-open, which the approval records"
        )
    return approves | {"lock": bind_anew(evaluated)}


def _entry(values: dict[str, object]) -> ReviewEntry:
    try:
        return ReviewEntry.model_validate(values)
    except ValidationError as wrong:
        error = wrong.errors()[0]
        what = ".".join(map(str, error["loc"])) or "the entry"
        if error["type"] == "string_too_short":
            raise Refused(f"{what}: found nothing, expected words") from None
        raise Refused(f"{what}: {error['msg'].removeprefix('Value error, ')}") from None


def _author(given: str | None) -> dict[str, object]:
    """The author: the name given or git's, and git's e-mail address."""
    name = author_here() if given is None else given
    if not name and given is None:
        raise Refused("your name is unknown here; give --author NAME")
    return {"author": name, "email": email_here() or None}


def _write_report(
    evaluated: EvaluatedDesign,
    older: Design | None,
    review: Review,
    asked: ReviewAsked,
    file: Path | None,
) -> None:
    against = before = None
    if older is not None and asked.against is not None:
        before = compared_here(asked.against, older, evaluated.catalog, policy=evaluated.policy)
        against = differences(before, evaluated)
    if asked.report == "comment":
        write_out(page_markdown(review_comment(evaluated, review, against)), asked.out)
        return
    failures = sweep(
        evaluated.plan,
        evaluated.catalog,
        evaluated.asked,
        doubles=asked.doubles or 0,
        every_pair=asked.doubles is None,
    )
    page = review_page(
        evaluated,
        failures,
        review,
        against=against,
        change=_change(evaluated, before, asked.floor),
        program=program_version(),
        date=date.today().isoformat(),
        revision=revision_of(file.absolute()) if file else "",
    )
    write_out({"md": page_markdown, "html": page_html}[str(asked.report)](page), asked.out)


def _change(
    evaluated: EvaluatedDesign, before: EvaluatedDesign | None, floor: AskedFloor
) -> Sequence[Block]:
    """What `change` says, where anything is bound: from the older design, else from the lock."""
    if not any(one is not None and one.design.lock is not None for one in (before, evaluated)):
        return ()
    bound = before or evaluated
    if why := why_left_alone(bound.plan, bound.catalog):
        return (Paragraph(why),)
    try:
        begun = evaluated if before is None else begun_at(evaluated, before.source, before)
        return tuple(change_blocks(change_to(begun, floor[0], least_gpus=floor[1])))
    except EditError as fault:
        return (Paragraph(f"{fault}"),)
