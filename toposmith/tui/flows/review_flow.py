"""Reviewing: comments, decisions, waivers, and what a design is compared with."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path

from toposmith.bill.provenance import design_digest
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.design.waiver_edits import unwaive
from toposmith.design.waiver_edits import waive as waived
from toposmith.errors import DesignFileError, SaveError
from toposmith.findings.finding import Finding
from toposmith.review.revisions import RevisionError, design_of_revision
from toposmith.review.sidecar.approval import approval, pin
from toposmith.review.sidecar.commented_places import group_shapes
from toposmith.saved_designs import saved_path
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.files import may_leave, show, show_problems
from toposmith.tui.keeping.author_name import remember_author, remembered_author
from toposmith.tui.keeping.reviews import NO_FILE, reviewed_now
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
        hint="kept next to the design, which is not changed",
        check=lambda text: "" if text.strip() else "comment text is required",
    )
    while (text := await designer.questions.ask(question)) is not None:
        said = {"comment": place, "text": text.strip(), "groups": group_shapes(design)}
        if await _say(designer, f"commented on {place}", **said):
            return
        question = replace(question, value=text)


async def reply(designer: Designer, comment_id: str) -> None:
    """Answer a comment; it stays open or resolved as it is."""
    if _refused(designer):
        return
    question = Question(
        "reply", check=lambda text: "" if text.strip() else "the text of a reply is required"
    )
    while (text := await designer.questions.ask(question)) is not None:
        if await _say(designer, "replied", reply=comment_id, text=text.strip()):
            return
        question = replace(question, value=text)


async def settle(designer: Designer, comment_id: str) -> None:
    """Resolve a comment, or open it again."""
    if _refused(designer):
        return
    one = next(each for each in designer.review.review.comments if each.id == comment_id)
    if one.open:
        await _say(designer, f"comment {one.mark} is resolved", resolve=comment_id)
    else:
        await _say(designer, f"comment {one.mark} is open again", reopen=comment_id)


async def decide(designer: Designer) -> None:
    """Approve the design as it is, or request changes; the decision holds its hash."""
    if _refused(designer):
        return
    if designer.editing.workbench.dirty:
        designer.messages.say(
            "save the design first (s): what is decided on is the file", "refused"
        )
        return
    choices = [
        Choice("approve", "approve the design as it is", "a"),
        Choice("request", "request changes, with the reason", "r"),
        Choice("pin", "pin today's parts and figures, to see later what changed", "p"),
        Choice("later", "decide later", "l"),
    ]
    if designer.editing.read_only:  # pins are written into the design
        del choices[2]
    choice = await designer.questions.choose("what do you decide?", choices)
    bench = designer.editing.workbench
    digest = design_digest(designer.editing.design)
    if choice == "approve":
        evaluated, review = reviewed_now(bench.design, bench.catalog), designer.review.review
        # the figures of a large design take seconds: the screen does not wait for them
        designer.messages.say("working out the figures that are signed", "hint")
        said = await asyncio.to_thread(approval, evaluated, review)
        if said["despite"] and not await _approves_despite(designer, said["despite"]):
            designer.messages.say("not approved", "hint")
            return
        done = "approved; stale once the design, a signed figure, prices or the policy change"
        await _say(designer, done, **said)
    elif choice == "pin":
        by = remembered_author() or (await designer.review.author())[0]
        design, today = bench.design, date.today().isoformat()
        designer.messages.say("working out the figures that are pinned", "hint")
        edit = await asyncio.to_thread(pin, reviewed_now(design, bench.catalog), today, by)
        if bench.design is not design:
            designer.messages.say("the design changed meanwhile: pin it again", "refused")
        elif designer.editing.make(edit):
            designer.messages.say(f"{edit.label}: kept in the design, save it (s)")
    elif choice == "request":
        question = Question(
            "what has to change", check=lambda text: "" if text.strip() else "a reason is needed"
        )
        while (text := await designer.questions.ask(question)) is not None:
            if await _say(designer, "changes requested", request_changes=digest, text=text.strip()):
                return
            question = replace(question, value=text)


async def _approves_despite(designer: Designer, what: str) -> bool:
    """Whether the design is to be approved although something is open."""
    choice = await designer.questions.choose(
        f"{what}: approve all the same?",
        [
            Choice("back", "no: V lists comments, f lists findings", "n"),
            Choice("approve", "yes, and the approval says so", "y"),
        ],
    )
    return choice == "approve"


async def waive(designer: Designer, finding: Finding) -> None:
    """Accept a finding with a reason and a date; one that was accepted counts again."""
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
            waived(
                *(design, finding.code, finding.place, reason, today, last, value),
                remembered_author() or (await designer.review.author())[0],
            )
        )


def _held_at(finding: Finding) -> str:
    """At which value a finding is accepted; beyond it the finding counts again."""
    return f" at {finding.value.words}" if finding.value else ""


async def another_design(designer: Designer, title: str) -> tuple[str, Design | None] | None:
    """A design beside this one and its name; without a design the saved version.

    None where nothing was chosen, or what was chosen cannot be read, which is said.
    """
    path = designer.editing.session.path
    choice = await designer.questions.choose(
        title,
        [
            Choice("saved", "its saved version", "s"),
            Choice("file", "another file", "f"),
            Choice("revision", "a revision of git", "r"),
        ],
    )
    if choice == "saved":
        return "", None
    if choice == "file":
        other = await designer.workspace.pick_file(designer.editing.session.save_path.parent)
        if other is None:
            return None
        try:
            return other.name, open_session(other).design
        except DesignFileError as failed:
            await show_problems(designer, failed)
            return None
    if choice == "revision":
        name = await designer.questions.ask(
            Question(
                "revision and file",
                f"HEAD:{_here(path)}" if path else "HEAD:",
                "REV:PATH, such as HEAD~1:designs/pod.yaml",
                check=lambda text: "" if ":" in text else "write it as REV:PATH",
            )
        )
        if name is not None:
            return _of_revision(designer, name.strip())
    return None


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


def _of_revision(designer: Designer, name: str) -> tuple[str, Design] | None:
    """The design of a revision; where it cannot be read, that is said."""
    try:
        design = design_of_revision(name)
        if design is None:
            path = Path(name)
            design = load_file(path if path.exists() else saved_path(name) or path).design
    except RevisionError as failed:
        designer.messages.say(str(failed), "failed")
        return None
    except DesignFileError as failed:
        designer.messages.say(failed.lines()[0], "failed")
        return None
    return name, design


def _refused(designer: Designer) -> bool:
    """Begin to add to the review; where nothing can be added, say why."""
    if designer.review.file.sidecar is not None:
        designer.review.begin_entry()
        return False
    designer.messages.say(designer.review.file.trouble or NO_FILE, "refused")
    return True


async def _say(designer: Designer, done: str, **said: object) -> bool:
    """Add to the review, in the user's name, which is asked for once.

    Returns whether it is stored: a written text is not discarded before.
    """
    author = remembered_author()
    name, email = await designer.review.author()
    if not author:
        answer = await designer.questions.ask(
            Question(
                "your name, for the review",
                name,
                "asked once; it is shown with what you write",
                check=lambda text: "" if text.strip() else "a name is needed",
            )
        )
        if answer is None:
            return False
        author = answer.strip()
        remember_author(author)
    try:
        kept = designer.review.file.with_entry(author, email, **said)
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
