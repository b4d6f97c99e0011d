"""Reviewing: comments, decisions, waivers, and what a design is compared with."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from toposmith.topology.errors import DesignFileError, SaveError
from toposmith.topology.findings.finding import Finding
from toposmith.topology.review.author import author_here
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.filing import may_leave, show, show_problems
from toposmith.tui.keeping.author import remember_author, remembered_author
from toposmith.tui.keeping.reviews import NO_FILE
from toposmith.tui.keeping.session import open_beside, open_session
from toposmith.tui.questions import Choice, Question


async def comment(designer: Designer) -> None:
    """Comment on the selected group or link, or with nothing selected on the design."""
    if _refused(designer):
        return
    design = designer.editing.design
    place = designer.selection.group or "design"
    if designer.selection.link is not None:
        place = " - ".join(design.links[designer.selection.link].between)
    question = Question(
        f"comment on {place}",
        hint="kept beside the design, which stays as it is",
        check=lambda text: "" if text.strip() else "comment text is required",
    )
    while (text := await designer.questions.ask(question)) is not None:
        if await _say(designer, f"commented on {place}", comment=place, text=text.strip()):
            return
        question = replace(question, value=text)


async def settle(designer: Designer, number: int) -> None:
    """Resolve a comment, or open it again."""
    if _refused(designer):
        return
    comments = designer.review.file.review(designer.editing.design).comments
    is_open = next(one.open for one in comments if one.number == number)
    if is_open:
        await _say(designer, f"comment {number} is resolved", resolve=number)
    else:
        await _say(designer, f"comment {number} is open again", reopen=number)


async def decide(designer: Designer) -> None:
    """Approve the design as it is, or request changes; the decision holds its hash."""
    from toposmith.topology.bill.provenance import design_digest

    if _refused(designer):
        return
    if designer.editing.workbench.dirty:
        designer.messages.say(
            "save the design first (s): what is decided on is the file", "refused"
        )
        return
    choice = await designer.questions.choose(
        "what do you decide?",
        [
            Choice("approve", "approve the design as it is", "a"),
            Choice("request", "request changes, with the reason", "r"),
            Choice("later", "decide later", "l"),
        ],
    )
    digest = design_digest(designer.editing.design)
    if choice == "approve":
        if not await _approves_over_comments(designer):
            return
        await _say(designer, "approved; stale as soon as the design changes", approve=digest)
    elif choice == "request":
        question = Question(
            "what has to change", check=lambda text: "" if text.strip() else "a reason is needed"
        )
        while (text := await designer.questions.ask(question)) is not None:
            if await _say(designer, "changes requested", request_changes=digest, text=text.strip()):
                return
            question = replace(question, value=text)


async def _approves_over_comments(designer: Designer) -> bool:
    """Whether the design is to be approved although comments are open; true where none is."""
    many = len(designer.review.file.review(designer.editing.design).open_comments)
    if not many:
        return True
    words = "a comment is open" if many == 1 else f"{many:,} comments are open"
    choice = await designer.questions.choose(
        f"{words}: approve all the same?",
        [
            Choice("back", "no: V lists them, Enter there settles one", "n"),
            Choice("approve", "yes, with what is open", "y"),
        ],
    )
    return choice == "approve"


async def waive(designer: Designer, finding: Finding) -> None:
    """Accept a finding with a reason and a date; one that was accepted counts again."""
    from toposmith.topology.design.waiving import unwaive
    from toposmith.topology.design.waiving import waive as waived

    design = designer.editing.design
    if finding.waived is not None:
        designer.editing.make(unwaive(design, finding.code, finding.place))
        return
    if finding.code.startswith("waiver-"):
        designer.messages.say("this is about a waiver itself: it cannot be waived", "refused")
        return
    today = date.today().isoformat()
    reason = await designer.questions.ask(
        Question(
            f"waive {finding.code} at {finding.where}, because",
            hint=f"kept in the design with today's date{_held_at(finding)}, and always shown",
            check=lambda text: "" if text.strip() else "a reason is required",
        )
    )
    if reason is None:
        return
    until = await designer.questions.ask(
        Question(
            "until",
            hint=f"the last day on which it holds, such as {today[:4]}-12-31; empty for good",
            check=partial(_why_no_date, today),
        )
    )
    if until is not None:
        value = finding.value.amount if finding.value else None
        last = until.strip() or None
        designer.editing.make(
            waived(design, finding.code, finding.place, reason, today, last, value)
        )


def _held_at(finding: Finding) -> str:
    """At which value a finding is accepted; beyond it the finding counts again."""
    return f" at {finding.value.words}" if finding.value else ""


async def against(designer: Designer) -> None:
    """Choose what the design is compared with: its saved version, a file, a revision of git."""
    path = designer.editing.session.path
    choice = await designer.questions.choose(
        "compare this design with",
        [
            Choice("saved", "its saved version", "s"),
            Choice("file", "another file", "f"),
            Choice("revision", "a revision of git", "r"),
        ],
    )
    if choice == "saved":
        designer.review.compare_with("", None)
    elif choice == "file":
        other = await designer.workspace.pick_file(designer.editing.session.save_path.parent)
        if other is None:
            return
        try:
            session = open_session(other)
        except DesignFileError as failed:
            await show_problems(designer, failed)
            return
        designer.review.compare_with(other.name, session.design)
    elif choice == "revision":
        name = await designer.questions.ask(
            Question(
                "revision and file",
                f"HEAD:{_here(path)}" if path else "HEAD:",
                "REV:PATH, such as HEAD~1:designs/pod.yaml",
                check=lambda text: "" if ":" in text else "write it as REV:PATH",
            )
        )
        if name is not None:
            _compare_with_revision(designer, name.strip())


async def list_designs(designer: Designer) -> None:
    """Look at all designs of the folder; one is opened, or two are compared side by side."""
    picked = await designer.workspace.pick_design(designer.editing.session.save_path.parent)
    if picked is None or not await may_leave(designer):
        return
    try:
        session = open_beside(*picked)
    except DesignFileError as failed:
        await show_problems(designer, failed)
        return
    show(designer, session)


def _compare_with_revision(designer: Designer, name: str) -> None:
    from toposmith.saved_designs import saved_path
    from toposmith.topology.design.storage import load_file
    from toposmith.topology.review.revisions import RevisionError, design_of_revision

    try:
        design = design_of_revision(name)
        if design is None:
            path = Path(name)
            design = load_file(path if path.exists() else saved_path(name) or path).design
    except RevisionError as failed:
        designer.messages.say(str(failed), "failed")
        return
    except DesignFileError as failed:
        designer.messages.say(failed.lines()[0], "failed")
        return
    designer.review.compare_with(name, design)


def _refused(designer: Designer) -> bool:
    """Say why nothing can be added to the review, where nothing can."""
    if designer.review.file.sidecar is not None:
        return False
    designer.messages.say(designer.review.file.trouble or NO_FILE, "refused")
    return True


async def _say(designer: Designer, done: str, **said: object) -> bool:
    """Add to the review, in the name of whoever sits here; who that is, is asked once.

    Returns whether it is there: what somebody wrote is not let go before.
    """
    author = remembered_author()
    if not author:
        answer = await designer.questions.ask(
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
        kept = designer.review.file.with_entry(author, **said)
    except SaveError as failed:
        designer.review.reload()
        again = "Enter tries again" if "text" in said else "try again"
        designer.messages.say(f"{failed}; {again}", "failed")
        return False
    designer.review.keep(kept)
    designer.messages.say(done)
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
