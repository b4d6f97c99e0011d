"""What the entries of a review add up to: open comments, decisions, and what made them stale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from toposmith.design.document import Design, Pins
from toposmith.review.policy import Approvals
from toposmith.review.sidecar.commented_places import place_now
from toposmith.review.sidecar.entries import Proof, ReviewEntry, Said, shortest_marks
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

    approvals = Approvals()
    """Whose approvals count, and how many are needed."""
    program: str | None = None
    """The version of the program; None if unknown."""

    def __init__(self, design: str) -> None:
        self.design = design

    @property
    def figures(self) -> Mapping[str, str] | None:
        """The figures that an approval signs, in words; None if unknown."""
        return None

    @property
    def catalog(self) -> str | None:
        """The SHA-256 of the whole catalog; None if unknown."""
        return None

    @property
    def policy(self) -> str | None:
        """The SHA-256 of the policy; None if unknown."""
        return None

    @property
    def lock(self) -> str | None:
        """The SHA-256 of the lock, empty without one; None if unknown."""
        return None

    @property
    def parts(self) -> Mapping[str, str]:
        """The SHA-256 of each part that the design needs, by its name."""
        return {}

    def is_of(self, digest: str | None) -> bool:
        """Whether a digest is that of the design."""
        return digest == self.design

    def proof(self, said: Said) -> Proof:
        """The key that signed an entry, or why none is known; neither where nobody asks."""
        return Proof()

    def is_own(self, name: str, email: str) -> bool | None:
        """Whether someone changed the design; None where that is unknown."""
        return None

    def prices_of(self, parts: Iterable[str]) -> str | None:
        """The SHA-256 of the prices of some parts; None if unknown."""
        return None


@dataclass(frozen=True)
class Decision:
    """What one reviewer decided last.

    Parameters
    ----------
    entry : ReviewEntry
        In their words: an approval, or a request for changes.
    changed : tuple of str
        What has changed since: ``the design``, ``prices``; it is stale where anything has.
    moved : tuple of str
        The signed figures that moved: ``busbw all-reduce 361 GB/s -> 352 GB/s``.
    notes : tuple of str
        What is other than it was although no figure moved: ``signed by Toposmith 0.0.9``.
    void : str
        Why an approval does not count although nothing changed; empty where it does.
    own : bool or None
        Whether who approves changed the design; None where that is unknown.
    proof : Proof
        Which key signed it, or why none is known to have.
    """

    entry: ReviewEntry
    changed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    void: str = ""
    own: bool | None = None
    proof: Proof = field(default_factory=Proof)

    @property
    def approved(self) -> bool:
        """Whether it approves, or else requests changes."""
        return self.entry.approve is not None

    @property
    def stale(self) -> bool:
        """Whether it is about something else than what there is now."""
        return bool(self.changed)

    @property
    def counts(self) -> bool:
        """Whether it decides anything now."""
        return not self.stale and not self.void

    @property
    def words(self) -> str:
        """``Ann <ann@example.org> approved on 2026-11-22 (stale, changed since: prices)``."""
        what = "approved" if self.approved else "requests changes"
        who, said = self.entry.author, self.entry.text
        who += f" <{self.entry.email}>" if self.entry.email else ""
        stale = f" ({self.stale_words})" if self.stale else ""
        return f"{who} {what} on {self.entry.date}{stale}{f': {said}' if said else ''}"

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known of an approval besides: figures that moved, whose it is, its void."""
        if not self.approved:
            return ()
        who = self.entry.author
        own = (f"own: {who} approved a design that {who} changed, by git",)
        void = (f"{who}'s approval does not count: {self.void}",)
        moved = (f"figures since: {listed_words(self.moved)}",)
        signed = self.signed_words
        return (
            *(moved if self.moved else ()),
            *((signed,) if signed and not self.void else ()),
            *self.notes,
            *(own if self.own else ()),
            *(void if self.void else ()),
            *((f"approved although: {self.entry.despite}",) if self.entry.despite else ()),
        )

    @property
    def signed_words(self) -> str:
        """With which key it is signed, or why that is not known; empty where nobody asks."""
        if self.proof.key:
            return f"signed by {self.entry.author} with the key {self.proof.key}"
        return f"{self.entry.author}'s approval: {self.proof.fault}" if self.proof.fault else ""

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


BILL = "bill: "
"""What the names of figures begin with that are lines of the bill."""

MOST_LISTED = 8
Words = tuple[str, ...]

OF_THE_DESIGN = "it holds the digest of the design alone, or no figures; approve again"

Verdict = Literal[
    "approved", "approvals missing", "changes requested", "incomplete", "stale", "not reviewed"
]


@dataclass(frozen=True)
class Review:
    """What the entries add up to for a design."""

    comments: tuple[Comment, ...] = ()
    decisions: tuple[Decision, ...] = ()
    needed: int = 1
    pinned: Pinned | None = None
    faults: tuple[str, ...] = ()

    @property
    def approvals(self) -> int:
        """How many people's approvals count; one key is one person, under whatever names."""
        counting = [each for each in self.decisions if each.approved and each.counts]
        return len({each.proof.key or each.entry.person for each in counting})

    @property
    def verdict(self) -> Verdict:
        """Changes that someone requests weigh more than any approval; stale ones count no more.

        Where an entry is lost or cannot be read, none is known to be the last word.
        """
        fresh = [decision for decision in self.decisions if not decision.stale]
        if any(not decision.approved for decision in fresh):
            return "changes requested"
        if self.faults:
            return "incomplete"
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
        many, lacking = len(self.open_comments), len(self.faults)
        words: str = self.verdict
        if words == "approvals missing":
            words += f" ({self.approvals} of {self.needed})"
        elif words == "approved" and all(each.own for each in self.decisions if each.counts):
            words += " (own approval)"
        is_open = f", {counted(many, 'comment')} open" if many else ""
        entries = f"{counted(lacking, 'entry')} lost or not readable" if lacking else ""
        return f"{words}{', ' if entries else ''}{entries}{is_open}"

    @property
    def open_comments(self) -> tuple[Comment, ...]:
        """Comments that are not resolved."""
        return tuple(comment for comment in self.comments if comment.open)


def review_of(
    said: Sequence[Said], design: Design, basis: Basis, faults: Sequence[str] = ()
) -> Review:
    """What was said, as it applies to a design.

    Parameters
    ----------
    said : sequence of Said
        In the order of their IDs.
    design : Design
        The design as it is now.
    basis : Basis
        It and what it rests on now, by digests and figures.
    faults : sequence of str
        Entries that are lost or cannot be read.
    """
    marks = shortest_marks(said)
    comments: dict[str, Comment] = {}
    decisions: list[Decision] = []
    for each in said:
        entry = each.entry
        if entry.comment is not None:
            comments[each.id] = _comment(each.id, marks[each.id], entry, design)
        elif entry.about is not None:
            if (comment := comments.get(entry.about)) is not None:
                comments[entry.about] = _answered(comment, entry)
        else:
            decision = _decision(each, basis)
            decisions = [one for one in decisions if not _takes_back(decision, one)]
            decisions.append(decision)
    pinned = _pinned(said, design, basis)
    decided = tuple(decisions)
    return Review(tuple(comments.values()), decided, basis.approvals.needed, pinned, tuple(faults))


def _takes_back(later: Decision, earlier: Decision) -> bool:
    """Whether a decision replaces an earlier one of its author; a signed one only if signed."""
    proven = bool(later.proof.key) or not earlier.proof.key
    return proven and later.entry.person == earlier.entry.person


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
        if basis.is_of(entry.approve) and entry.parts:
            changed = (*_catalog_since(entry, basis), *_terms_since(entry, basis))
            found.append(Pinned(entry.author, entry.date, changed, entry.figures))
            break
    return max(found, key=lambda one: (not one.edited, one.date), default=None)


def _pinned_in_design(pins: Pins, basis: Basis) -> Pinned:
    """What the design's file says of its parts; of an edited design those that it still needs."""
    edited = not basis.is_of(pins.design)
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


def _decision(said: Said, basis: Basis) -> Decision:
    entry, proof = said.entry, basis.proof(said)
    approved = entry.approve is not None
    changed: Words = ("the design",)
    moved: Words = ()
    notes: Words = ()
    own = basis.is_own(entry.author, entry.email or "") if approved else None
    void = ""
    if basis.is_of(entry.approve or entry.request_changes):
        changed = ()
        if approved:
            void = _why_void(entry, own, basis) or (proof.fault if basis.approvals.signed else "")
            changed, moved, notes = _since(entry, basis) if not void else ((), (), ())
    return Decision(entry, changed, moved, notes, void, own, proof)


def _why_void(entry: ReviewEntry, own: bool | None, basis: Basis) -> str:
    """Why an approval does not count, whatever changed since; empty where it does."""
    needed = (entry.catalog, entry.policy, entry.program, entry.figures)
    bound = all(needed) and (entry.parts or not basis.parts)
    if not bound:
        return OF_THE_DESIGN
    if basis.approvals.own or own is False:
        return ""
    return (
        "who changed the design is unknown, by git" if own is None else "changed the design, by git"
    )


def _since(entry: ReviewEntry, basis: Basis) -> tuple[Words, Words, Words]:
    """What changed since an approval, which signed figures moved, what is other without effect.

    Other terms make it stale, and so does a figure that moved. Another catalog or program that
    moves none is named.
    """
    terms = tuple(_terms_since(entry, basis))
    moved = () if basis.figures is None else tuple(moved_figures(entry.figures, basis.figures))
    causes = tuple(_catalog_since(entry, basis))
    if None not in (entry.program, basis.program) and entry.program != basis.program:
        causes += (f"the program (Toposmith {entry.program} -> {basis.program})",)
    if moved:
        return (*causes, *terms) or ("figures",), moved, ()
    return terms, (), tuple(f"changed since, figures equal: {cause}" for cause in causes)


def moved_figures(then: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """The figures that are not what they were: ``busbw all-reduce 361 GB/s -> 352 GB/s``.

    A line that the bill did not have is one, too.
    """
    more = (name for name in now if name.startswith(BILL) and name not in then)
    for name in (*then, *more):
        before, after = then.get(name, "none"), now.get(name, "none")
        if before != after:
            yield f"{name} {before} -> {after}"


def listed_words(words: Sequence[str]) -> str:
    """Sentences in a line; of many only the first."""
    more = f"; and {len(words) - MOST_LISTED} more" if len(words) > MOST_LISTED else ""
    return "; ".join(words[:MOST_LISTED]) + more


def _catalog_since(entry: ReviewEntry, basis: Basis) -> Iterator[str]:
    """The parts that the catalog describes otherwise than in an entry; what is unknown as it was.

    Another catalog that has the same of each part that the design needed, and needs no other, is
    no other catalog for this design.
    """
    if None not in (entry.catalog, basis.catalog) and entry.catalog != basis.catalog:
        names = sorted({*entry.parts, *basis.parts})
        other = [name for name in names if entry.parts.get(name) != basis.parts.get(name)]
        if other:
            yield _catalog_words(other)


def _terms_since(entry: ReviewEntry, basis: Basis) -> Iterator[str]:
    """The terms of an entry that are others now; what is unknown counts as it was."""
    if entry.prices is not None and basis.prices_of(entry.parts) not in (None, entry.prices):
        yield "prices"
    if None not in (entry.policy, basis.policy) and entry.policy != basis.policy:
        yield "the policy"
    if basis.lock not in (None, entry.lock or ""):
        yield "the lock"
