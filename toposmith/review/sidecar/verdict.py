"""What the entries of a review add up to: open comments, decisions, and what made them stale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from toposmith.design.document import Design, Pins
from toposmith.review.sidecar.commented_places import place_now
from toposmith.review.sidecar.entries import ReviewEntry, Said, shortest_marks
from toposmith.text import counted


@dataclass(frozen=True)
class Reply:
    """A reply to a comment."""

    text: str
    author: str
    date: str


@dataclass(frozen=True)
class Comment:
    """A comment as it stands.

    Parameters
    ----------
    id, mark : str
        The ID of its entry, and what of it people type.
    place : str
        Where it is now; the name that it was given where that is ``gone`` from the design.
    was : str
        The name that the place had, where it has another now; else empty.
    settled_by : str
        Who resolved it and when; empty where it is open.
    """

    id: str
    mark: str
    place: str
    text: str
    author: str
    date: str
    was: str = ""
    open: bool = True
    gone: bool = False
    replies: tuple[Reply, ...] = ()
    settled_by: str = ""


class Basis:
    """What an approval rests on now; of the design alone, unless the rest is known.

    Parameters
    ----------
    design : str
        The SHA-256 of the design.
    """

    def __init__(self, design: str) -> None:
        self.design = design

    @property
    def catalog(self) -> str | None:
        """The SHA-256 of the whole catalog; None if unknown."""
        return None

    @property
    def policy(self) -> str | None:
        """The SHA-256 of the policy; None if unknown."""
        return None

    @property
    def parts(self) -> Mapping[str, str]:
        """The SHA-256 of each part that the design needs, by its name."""
        return {}

    @property
    def needed(self) -> int:
        """How many people have to approve."""
        return 1

    def is_own(self, name: str, email: str) -> bool | None:
        """Whether an approval is of someone who changed the design, and so does not count.

        None where it would not count and who changed the design is unknown.
        """
        return False

    def prices_of(self, parts: Iterable[str]) -> str | None:
        """The SHA-256 of the prices of some parts; None if unknown."""
        return None


@dataclass(frozen=True)
class Decision:
    """What one reviewer decided last.

    Parameters
    ----------
    approved : bool
        Approved, or else changes requested.
    changed : tuple of str
        What has changed since: ``the design``, ``prices``; it is stale where anything has.
    figures : mapping
        The figures that were approved, in words.
    unbound : bool
        An approval of the design alone, without what it rests on besides.
    own : bool or None
        An approval that does not count, since who approves changed the design; None where that
        is unknown, and does not count either.
    """

    approved: bool
    author: str
    email: str
    date: str
    text: str
    changed: tuple[str, ...] = ()
    unbound: bool = False
    not_looked_at: tuple[str, ...] = ()
    despite: str = ""
    own: bool | None = False
    figures: Mapping[str, str] = field(default_factory=dict)

    @property
    def stale(self) -> bool:
        """Whether it is about something else than what there is now."""
        return bool(self.changed)

    @property
    def counts(self) -> bool:
        """Whether it decides anything now."""
        return not self.stale and self.own is False

    @property
    def own_words(self) -> str:
        """Why an approval does not count although it is fresh; empty where it does."""
        if self.own is None:
            return "does not count: who changed the design is unknown, by git"
        return "does not count: changed the design, by git" if self.own else ""

    @property
    def stale_words(self) -> str:
        """``stale, changed since: the design, prices``; empty where it is not."""
        return f"stale, changed since: {', '.join(self.changed)}" if self.changed else ""


@dataclass(frozen=True)
class Pinned:
    """Parts and figures as they were written down last: in the design, or by an approval of it.

    Parameters
    ----------
    author, date : str
        Who wrote them down, and when.
    changed : tuple of str
        What they rest on and is not as it was: ``the catalog (qm9700)``.
    figures : mapping
        The figures of then, in words.
    edited : bool
        Whether the design itself is another since, so that its figures say nothing of the catalog.
    moved : str
        What changed and which figures moved with it, where that was computed.
    """

    author: str
    date: str
    changed: tuple[str, ...]
    figures: Mapping[str, str]
    edited: bool = False
    moved: str = ""

    @property
    def words(self) -> str:
        """``since 2026-11-22 (Ann) changed: the catalog (qm9700)``; empty where nothing did."""
        if not self.changed:
            return ""
        by = f" ({self.author})" if self.author else ""
        return f"since {self.date}{by} changed: {', '.join(self.changed)}"


Verdict = Literal["approved", "approvals missing", "changes requested", "stale", "not reviewed"]


@dataclass(frozen=True)
class Review:
    """What the entries add up to for a design."""

    comments: tuple[Comment, ...] = ()
    decisions: tuple[Decision, ...] = ()
    needed: int = 1
    pinned: Pinned | None = None

    @property
    def approvals(self) -> int:
        """How many people's approvals count."""
        return sum(decision.approved and decision.counts for decision in self.decisions)

    @property
    def verdict(self) -> Verdict:
        """Changes that someone requests weigh more than any approval; stale ones count no more."""
        fresh = [decision for decision in self.decisions if not decision.stale]
        if any(not decision.approved for decision in fresh):
            return "changes requested"
        if fresh:
            return "approved" if self.approvals >= self.needed else "approvals missing"
        return "stale" if self.decisions else "not reviewed"

    @property
    def settled(self) -> bool:
        """Whether it is approved as it stands, and no comment is open."""
        return self.verdict == "approved" and not self.open_comments

    @property
    def words(self) -> str:
        """The verdict with what is open beside it: ``approved, 2 comments open``."""
        many = len(self.open_comments)
        is_open = f", {counted(many, 'comment')} open" if many else ""
        short = f" ({self.approvals} of {self.needed})"
        return f"{self.verdict}{short if self.verdict == 'approvals missing' else ''}{is_open}"

    @property
    def open_comments(self) -> tuple[Comment, ...]:
        """Comments that are not resolved."""
        return tuple(comment for comment in self.comments if comment.open)


def review_of(said: Sequence[Said], design: Design, basis: Basis) -> Review:
    """What was said, as it applies to a design.

    Parameters
    ----------
    said : sequence of Said
        In the order of their IDs.
    design : Design
        The design as it is now.
    basis : Basis
        It and what it rests on now, by digests.
    """
    marks = shortest_marks(said)
    comments: dict[str, Comment] = {}
    decisions: dict[tuple[str, str], Decision] = {}
    for each in said:
        entry = each.entry
        if entry.comment is not None:
            comments[each.id] = _comment(each.id, marks[each.id], entry, design)
        elif entry.about is not None:
            if (comment := comments.get(entry.about)) is not None:
                comments[entry.about] = _answered(comment, entry)
        elif entry.pin is None:
            decisions[entry.author, entry.email or ""] = _decision(entry, basis)
    pinned = _pinned(said, design, basis)
    return Review(tuple(comments.values()), tuple(decisions.values()), basis.needed, pinned)


def _comment(id_: str, mark: str, entry: ReviewEntry, design: Design) -> Comment:
    place = entry.comment or ""
    now = place_now(place, entry.groups, design)
    was = place if now not in (None, place) else ""
    said = (entry.text or "", entry.author, entry.date)
    return Comment(id_, mark, now or place, *said, was=was, gone=now is None)


def _answered(comment: Comment, entry: ReviewEntry) -> Comment:
    """A comment after a reply, its resolution, or its reopening."""
    if entry.text is not None:
        reply = Reply(entry.text, entry.author, entry.date)
        comment = replace(comment, replies=(*comment.replies, reply))
    if entry.reply is not None:
        return comment
    by = f"{entry.author}, {entry.date}" if entry.resolve else ""
    return replace(comment, open=entry.resolve is None, settled_by=by)


def _pinned(said: Sequence[Said], design: Design, basis: Basis) -> Pinned | None:
    """What wrote down parts and figures last: of the design as it is, where anything did."""
    found = [] if design.pins is None else [_pinned_in_design(design.pins, basis)]
    for entry in (each.entry for each in reversed(said)):
        if (entry.approve or entry.pin) == basis.design and entry.parts:
            changed = tuple(_moved(entry, basis))
            found.append(Pinned(entry.author, entry.date, changed, entry.figures))
            break
    return max(found, key=lambda one: (not one.edited, one.date), default=None)


def _pinned_in_design(pins: Pins, basis: Basis) -> Pinned:
    """What the design's file says of its parts; of an edited design those that it still needs."""
    edited = pins.design != basis.design
    names = {*pins.parts} & {*basis.parts} if edited else {*pins.parts, *basis.parts}
    other = sorted(name for name in names if pins.parts.get(name) != basis.parts.get(name))
    changed = [_catalog_words(other)] if other else []
    if pins.prices is not None and basis.prices_of(pins.parts) not in (None, pins.prices):
        changed.append("prices")
    return Pinned(pins.by or "", pins.date, tuple(changed), pins.figures, edited)


def _catalog_words(parts: Sequence[str]) -> str:
    """``the catalog (qm9700, sn5600 and 3 more)``."""
    more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
    return f"the catalog ({', '.join(parts[:3])}{more})"


def _decision(entry: ReviewEntry, basis: Basis) -> Decision:
    approved = entry.approve is not None
    about = entry.approve or entry.request_changes
    changed = ["the design"] if about != basis.design else []
    if approved and not changed:
        changed += _moved(entry, basis)
    return Decision(
        approved,
        entry.author,
        entry.email or "",
        entry.date,
        entry.text or "",
        tuple(changed),
        approved and entry.catalog is None,
        entry.not_looked_at,
        entry.despite or "",
        basis.is_own(entry.author, entry.email or "") if approved and not changed else False,
        entry.figures,
    )


def _moved(entry: ReviewEntry, basis: Basis) -> Iterator[str]:
    """What an approval rests on and is not as it was; what is unknown on a side counts as it was.

    Another catalog that has the same of each part that the design needed, and needs no other, is
    no other catalog for this design.
    """
    if None not in (entry.catalog, basis.catalog) and entry.catalog != basis.catalog:
        names = sorted({*entry.parts, *basis.parts})
        other = [name for name in names if entry.parts.get(name) != basis.parts.get(name)]
        if other:
            yield _catalog_words(other)
    if entry.prices is not None and basis.prices_of(entry.parts) not in (None, entry.prices):
        yield "prices"
    if None not in (entry.policy, basis.policy) and entry.policy != basis.policy:
        yield "the policy"
