"""Reviewing: comments, decisions, waivers, and what a design is compared with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from toposmith.topology.errors import DesignFileError, SaveError
from toposmith.topology.findings.finding import Finding
from toposmith.tui.desk import Desk
from toposmith.tui.flows.filing import may_leave, show, show_problems
from toposmith.tui.keeping.author import author_here, remember_author, remembered_author
from toposmith.tui.keeping.reviews import NO_FILE
from toposmith.tui.keeping.session import open_beside, open_session
from toposmith.tui.questions import Choice, Question


async def comment(desk: Desk) -> None:
    """Comment on the selected group or link, or with nothing selected on the design."""
    if _refused(desk):
        return
    design = desk.workbench.design
    place = desk.selected_group or "design"
    if desk.selected_link is not None:
        place = " - ".join(design.links[desk.selected_link].between)
    question = Question(
        f"comment on {place}",
        hint="kept beside the design, which stays as it is",
        check=lambda text: "" if text.strip() else "a comment wants words",
    )
    while (text := await desk.ask(question)) is not None:
        if await _say(desk, f"commented on {place}", comment=place, text=text.strip()):
            return
        question = replace(question, value=text)


async def settle(desk: Desk, number: int) -> None:
    """Resolve a comment, or open it again."""
    if _refused(desk):
        return
    comments = desk.review_file.review(desk.workbench.design).comments
    is_open = next(one.open for one in comments if one.number == number)
    if is_open:
        await _say(desk, f"comment {number} is resolved", resolve=number)
    else:
        await _say(desk, f"comment {number} is open again", reopen=number)


async def decide(desk: Desk) -> None:
    """Approve the design as it is, or request changes; the decision holds its hash."""
    from toposmith.topology.bill.provenance import design_digest

    if _refused(desk):
        return
    if desk.workbench.dirty:
        desk.say("save the design first (s): what is decided on is the file", "refused")
        return
    choice = await desk.choose(
        "what do you decide?",
        [
            Choice("approve", "approve the design as it is", "a"),
            Choice("request", "request changes, with the reason", "r"),
            Choice("later", "decide later", "l"),
        ],
    )
    digest = design_digest(desk.workbench.design)
    if choice == "approve":
        if not await _approves_over_comments(desk):
            return
        await _say(desk, "approved; stale as soon as the design changes", approve=digest)
    elif choice == "request":
        question = Question(
            "what has to change", check=lambda text: "" if text.strip() else "a reason is needed"
        )
        while (text := await desk.ask(question)) is not None:
            if await _say(desk, "changes requested", request_changes=digest, text=text.strip()):
                return
            question = replace(question, value=text)


async def _approves_over_comments(desk: Desk) -> bool:
    """Whether the design is to be approved although comments are open; true where none is."""
    many = len(desk.review_file.review(desk.workbench.design).open_comments)
    if not many:
        return True
    words = "a comment is open" if many == 1 else f"{many:,} comments are open"
    choice = await desk.choose(
        f"{words}: approve all the same?",
        [
            Choice("back", "no: V lists them, Enter there settles one", "n"),
            Choice("approve", "yes, with what is open", "y"),
        ],
    )
    return choice == "approve"


async def waive(desk: Desk, finding: Finding) -> None:
    """Accept a finding with a reason and a date; one that was accepted counts again."""
    from toposmith.topology.design.waiving import unwaive
    from toposmith.topology.design.waiving import waive as waived

    design = desk.workbench.design
    if finding.waived is not None:
        desk.make(unwaive(design, finding.code, finding.place))
        return
    if finding.code.startswith("waiver-"):
        desk.say("this is about a waiver itself: it cannot be waived", "refused")
        return
    today = date.today().isoformat()
    reason = await desk.ask(
        Question(
            f"waive {finding.code} at {finding.where}, because",
            hint=f"kept in the design with today's date{_held_at(finding)}, and always shown",
            check=lambda text: "" if text.strip() else "a waiver wants a reason",
        )
    )
    if reason is None:
        return
    until = await desk.ask(
        Question(
            "until",
            hint=f"the last day on which it holds, such as {today[:4]}-12-31; empty for good",
            check=partial(_why_no_date, today),
        )
    )
    if until is not None:
        value = finding.value.amount if finding.value else None
        last = until.strip() or None
        desk.make(waived(design, finding.code, finding.place, reason, today, last, value))


def _held_at(finding: Finding) -> str:
    """At which value a finding is accepted; beyond it the finding counts again."""
    return f" at {finding.value.words}" if finding.value else ""


async def against(desk: Desk) -> None:
    """Choose what the design is compared with: its saved version, a file, a revision of git."""
    path = desk.session.path
    choice = await desk.choose(
        "compare this design with",
        [
            Choice("saved", "its saved version", "s"),
            Choice("file", "another file", "f"),
            Choice("revision", "a revision of git", "r"),
        ],
    )
    if choice == "saved":
        desk.compare_with("", None)
    elif choice == "file":
        other = await desk.pick_file(desk.session.save_path.parent)
        if other is None:
            return
        try:
            session = open_session(other)
        except DesignFileError as failed:
            await show_problems(desk, failed)
            return
        desk.compare_with(other.name, session.design)
    elif choice == "revision":
        name = await desk.ask(
            Question(
                "revision and file",
                f"HEAD:{_here(path)}" if path else "HEAD:",
                "REV:PATH, such as HEAD~1:designs/pod.yaml",
                check=lambda text: "" if ":" in text else "write it as REV:PATH",
            )
        )
        if name is not None:
            _compare_with_revision(desk, name.strip())


async def list_designs(desk: Desk) -> None:
    """Look at all designs of the folder; one is opened, or two are laid side by side."""
    picked = await desk.pick_design(desk.session.save_path.parent)
    if picked is None or not await may_leave(desk):
        return
    try:
        session = open_beside(*picked)
    except DesignFileError as failed:
        await show_problems(desk, failed)
        return
    show(desk, session)


def _compare_with_revision(desk: Desk, name: str) -> None:
    from toposmith.saved_designs import saved_path
    from toposmith.topology.design.storage import load_file
    from toposmith.topology.review.revisions import RevisionError, design_of_revision

    try:
        design = design_of_revision(name)
        if design is None:
            path = Path(name)
            design = load_file(path if path.exists() else saved_path(name) or path).design
    except RevisionError as failed:
        desk.say(str(failed), "failed")
        return
    except DesignFileError as failed:
        desk.say(failed.lines()[0], "failed")
        return
    desk.compare_with(name, design)


def _refused(desk: Desk) -> bool:
    """Say why nothing can be added to the review, where nothing can."""
    if desk.review_file.sidecar is not None:
        return False
    desk.say(desk.review_file.trouble or NO_FILE, "refused")
    return True


async def _say(desk: Desk, done: str, **said: object) -> bool:
    """Add to the review, in the name of whoever sits here; who that is, is asked once.

    Returns whether it is there: what somebody wrote is not let go before.
    """
    author = remembered_author()
    if not author:
        answer = await desk.ask(
            Question(
                "your name, for the review",
                author_here(),
                "asked once; it stands beside what you say",
                check=lambda text: "" if text.strip() else "a name is needed",
            )
        )
        if answer is None:
            return False
        author = answer.strip()
        remember_author(author)
    try:
        kept = desk.review_file.with_entry(author, **said)
    except SaveError as failed:
        desk.reload_review()
        again = "Enter tries again" if "text" in said else "try again"
        desk.say(f"{failed}; {again}", "failed")
        return False
    desk.keep_review(kept)
    desk.say(done)
    return True


def _why_no_date(today: str, text: str) -> str:
    if not text.strip():
        return ""
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return "write a date like 2026-12-31, or nothing"
    return "" if text.strip() >= today else "that day has passed"


def _here(path: Path) -> str:
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return path.name
