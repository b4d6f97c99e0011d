"""Reviewing: comments, decisions and waivers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

from toposmith.bill.terms import design_digest
from toposmith.design.edits.about import unwaive
from toposmith.design.edits.about import waive as waived
from toposmith.errors import LockError, ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.here import policy_at_hand
from toposmith.findings.finding import Finding
from toposmith.lock.first_lock import bind_anew
from toposmith.review.sidecar.approval import approval, pin
from toposmith.review.sidecar.commented_places import group_shapes
from toposmith.review.sidecar.entries import Signing, read_signers
from toposmith.tui.asking import (
    Act,
    Asking,
    Asks,
    Here,
    MadeEdit,
    Say,
    TextQuestion,
    Wait,
    ask,
    needed,
    pick,
)
from toposmith.tui.keeping.author_name import remember_author, remembered_author
from toposmith.tui.keeping.reviews import NO_FILE, reviewed_now
from toposmith.tui.questions import Choice
from toposmith.tui.visit import refuse_visitor


def comment(here: Here) -> Asking:
    """Comment on the selected group or link, or with nothing selected on the design."""
    yield _can_add()
    place = here.group or "design"
    if here.link is not None:
        place = " - ".join(here.design.links[here.link].between)
    hint = "kept next to the design, which is not changed"
    text = yield from ask(
        TextQuestion(f"comment on {place}", "", needed("comment text is required"), hint)
    )
    shapes = group_shapes(here.design)
    return (yield from _say(f"commented on {place}", comment=place, text=text, groups=shapes))


def reply(comment_id: str) -> Asking:
    """Answer a comment; it stays open or resolved as it is."""
    yield _can_add()
    text = yield from ask(TextQuestion("reply", "", needed("the text of a reply is required")))
    return (yield from _say("replied", reply=comment_id, text=text))


def settle(comment_id: str) -> Asking:
    """Resolve a comment, or open it again."""
    review = yield _can_add()
    one = next(each for each in review.review.comments if each.id == comment_id)
    if one.open:
        return (yield from _say(f"comment {one.mark} is resolved", resolve=comment_id))
    return (yield from _say(f"comment {one.mark} is open again", reopen=comment_id))


def decide(here: Here) -> Asking:
    """Approve the current design, or request changes; the decision holds its hash."""
    beside = yield _can_add()
    if here.bench.dirty:
        return Say("save the design first (s): what is decided on is the file")
    choices = [
        Choice("approve", "approve the current design", "a"),
        Choice("request", "request changes, with the reason", "r"),
        Choice("pin", "pin today's parts and figures, to see later what changed", "p"),
        Choice("later", "decide later", "l"),
    ]
    if here.bench.read_only:  # pins are written into the design
        del choices[2]
    choice = yield from pick("what do you decide?", choices)
    if choice == "approve":
        return (yield from _approve(here, beside))
    if choice == "pin":
        return (yield from _pin(here))
    if choice == "later":
        return None
    text = yield from ask(TextQuestion("what has to change", "", needed("a reason is needed")))
    digest = design_digest(here.design)
    return (yield from _say("changes requested", request_changes=digest, text=text))


def _approve(here: Here, beside: Any) -> Asking:
    """Approve; where something is open, only if it is meant all the same."""
    _, unread = policy_at_hand()
    if unread:  # an approval under the built-in policy would not be one under the user's
        return Say(f"not approved: the policy cannot be read: {unread[0].values['reason']}")
    evaluated, review = reviewed_now(here.design, here.catalog), beside.review
    # the figures of a large design take seconds: the screen does not wait for them
    signs = partial(approval, evaluated, review)
    said = yield Wait(lambda designer: _worked_out(designer, "signed", signs), once=True)
    if said["despite"]:
        ways = [
            Choice("back", "no: V lists comments, f lists findings", "n"),
            Choice("approve", "yes, and the approval says so", "y"),
        ]
        if (yield from pick(f"{said['despite']}: approve all the same?", ways)) != "approve":
            return Say("not approved", "hint")
    if evaluated.policy.approvals.signed:
        said["sign"] = Signing(read_signers())
    (said["lock"],) = yield Wait(lambda designer: _bound(designer, evaluated), once=True)
    done = "approved; stale once the design, its lock, a signed figure, prices or the policy change"
    return (yield from _say(done, **said))


async def _worked_out(designer: Any, done: str, figures: Callable[[], Any]) -> Any:
    """What is signed or pinned, worked out while the screen says so."""
    designer.messages.say(f"working out the figures that are {done}", "hint")
    return await asyncio.to_thread(figures)


async def _bound(designer: Any, evaluated: EvaluatedDesign) -> tuple[str | None]:
    """Bind what is new of the lock, and say what its file then is: None where there is none."""
    try:
        digest = await asyncio.to_thread(bind_anew, evaluated)
    except LockError as failed:
        raise ToposmithError(f"not approved: {failed}") from None
    binding = evaluated.design.binding
    if binding is not None:
        designer.editing.session.known_locks.add(binding.as_text)
    return (digest,)


def _pin(here: Here) -> Asking:
    """Keep today's parts and figures in the design."""
    by, today, design = (yield from _name_here()), date.today().isoformat(), here.design
    evaluated = reviewed_now(design, here.catalog)
    pins = partial(pin, evaluated, today, by)
    edit = yield Wait(lambda designer: _worked_out(designer, "pinned", pins), once=True)
    if here.design is not design:
        return Say("the design changed meanwhile: pin it again")
    return MadeEdit(edit, say=lambda bench: f"{edit.label}: kept in the design, save it (s)")


def waive(here: Here, finding: Finding) -> Asking:
    """Accept a finding with a reason and a date; one that was accepted counts again."""
    design = here.design
    if finding.waived is not None:
        return unwaive(design, finding.code, finding.place)
    if finding.code.startswith("waiver-"):
        return Say("this is about a waiver itself: it cannot be waived")
    today = date.today().isoformat()
    # at which value it is accepted; beyond it the finding counts again
    held = f" at {finding.value.words}" if finding.value else ""
    reason = yield from ask(
        TextQuestion(
            f"waive {finding.code} at {finding.where}, because",
            "",
            needed("a reason is required"),
            f"kept in the design with today's date{held}, and always shown",
        )
    )

    def last_day(text: str) -> str | None:
        if not text.strip():
            return None
        try:
            date.fromisoformat(text.strip())
        except ValueError as wrong:
            raise ToposmithError("write a date like 2026-12-31, or nothing") from wrong
        if text.strip() < today:
            raise ToposmithError("that day has passed")
        return text.strip()

    hint = f"the last day on which it holds, such as {today[:4]}-12-31; empty for no expiry"
    last = yield from ask(TextQuestion("until", "", last_day, hint))
    value = finding.value.amount if finding.value else None
    by = yield from _name_here()
    return waived(design, finding.code, finding.place, reason, today, last, value, by)


def _can_add() -> Wait:
    """The review, to be added to; where nothing can be added, why."""

    def begin(designer: Any) -> object:
        refuse_visitor(designer.workspace.visit, "review")
        beside = designer.review
        if beside.file.sidecar is None:
            raise ToposmithError(beside.file.trouble or NO_FILE)
        beside.begin_entry()
        return beside

    return Wait(begin, once=True)


def _author() -> Wait:
    """Name and address of who says something, and whether the name is known already."""

    async def who(designer: Any) -> tuple[str, str, bool]:
        visit = designer.workspace.visit
        if visit is not None:
            return visit.author or "a visitor", "", True
        name, email = await designer.review.author()
        known = remembered_author()
        return known or name, email, bool(known)

    return Wait(who, once=True)


def _name_here() -> Asks[str]:
    """The name that is known of the user, else that of git; that of a visitor."""
    name: str = (yield _author())[0]
    return name


def _say(done: str, **said: object) -> Asking:
    """Add to the review, in the user's name, which is asked for once.

    A written text is not discarded before it is stored: it is asked for again.
    """
    author, email, known = yield _author()
    if not known and (remembered := remembered_author()):
        author = remembered  # since it was asked
    elif not known:
        hint = "asked once; it is shown with what you write"
        label = "your name, for the review"
        author = yield from ask(TextQuestion(label, author, needed("a name is needed"), hint))

    async def keep(designer: Any) -> bool:
        if designer.workspace.visit is None:
            remember_author(author)
        added: bool = await designer.review.add(done, author, email, **said)
        return added

    return Act(keep)
