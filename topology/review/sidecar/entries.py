"""The entries of a review, and what they add up to: open comments, approvals, stale ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from toposmith.text import counted
from toposmith.topology.design.document import Design

SIDECAR_VERSION = 1
"""The version written to the ``toposmith-review:`` key, and the newest that can be read."""

MAX_TEXT = 10_000
DESIGN = "design"
"""The place of a comment on the whole design."""

_Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Entry(BaseModel):
    """One thing that somebody said; exactly one of the first five keys is there.

    Parameters
    ----------
    comment : str, optional
        The place that is commented on: ``design``, a group, or the label of a link.
    resolve, reopen : int, optional
        The number of a comment; comments count from 1.
    approve, request_changes : str, optional
        The SHA-256 of the design that it is about.
    author, date : str
        Who said it, and on which day (2026-11-21).
    text : str, optional
        In their words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    comment: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    resolve: Annotated[int, Field(ge=1)] | None = None
    reopen: Annotated[int, Field(ge=1)] | None = None
    approve: _Digest | None = None
    request_changes: _Digest | None = None
    author: Annotated[str, Field(min_length=1, max_length=200)]
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    text: _Text | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Entry:
        said = [key for key in ACTIONS if getattr(self, key) is not None]
        if len(said) != 1:
            raise ValueError(f"expected exactly one of {', '.join(ACTIONS)}")
        if self.text is None and said[0] in ("comment", "request_changes"):
            raise ValueError(f"{said[0]} wants a text")
        return self


ACTIONS = ("comment", "resolve", "reopen", "approve", "request_changes")


class Record(BaseModel):
    """A sidecar as it stands in its file: which design file it is about, and what was said."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: Annotated[int, Field(alias="toposmith-review", ge=1, le=SIDECAR_VERSION)]
    design: Annotated[str, Field(min_length=1, max_length=255)]
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True)
class Comment:
    """A comment as it stands; ``gone`` where the design has no such place any more."""

    number: int
    place: str
    text: str
    author: str
    date: str
    open: bool = True
    gone: bool = False


@dataclass(frozen=True)
class Decision:
    """What one reviewer decided last; ``stale`` where the design has changed since."""

    approved: bool
    author: str
    date: str
    text: str
    stale: bool


Verdict = Literal["approved", "changes requested", "stale", "not reviewed"]


@dataclass(frozen=True)
class Review:
    """What the entries add up to for a design."""

    comments: tuple[Comment, ...] = ()
    decisions: tuple[Decision, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Changes that someone requests weigh more than any approval; stale ones count no more."""
        fresh = [decision for decision in self.decisions if not decision.stale]
        if any(not decision.approved for decision in fresh):
            return "changes requested"
        if fresh:
            return "approved"
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
        return f"{self.verdict}{is_open}"

    @property
    def open_comments(self) -> tuple[Comment, ...]:
        """Comments that nobody resolved."""
        return tuple(comment for comment in self.comments if comment.open)


def places_of(design: Design) -> tuple[str, ...]:
    """Everything that can be commented on: the design, its groups, its links."""
    links = (" - ".join(link.between) for link in design.links)
    return (DESIGN, *design.groups, *dict.fromkeys(links))


def review_of(entries: Sequence[Entry], design: Design, digest: str) -> Review:
    """What was said, as it stands for a design.

    Parameters
    ----------
    entries : sequence of Entry
        In the order in which they were said.
    design : Design
        The design as it is now.
    digest : str
        Its SHA-256.
    """
    places = places_of(design)
    comments: list[Comment] = []
    decisions: dict[str, Decision] = {}
    for entry in entries:
        if entry.comment is not None:
            gone = entry.comment not in places
            said = (entry.comment, entry.text or "", entry.author, entry.date)
            comments.append(Comment(len(comments) + 1, *said, gone=gone))
        elif (number := entry.resolve or entry.reopen) is not None:
            if number <= len(comments):
                comment = comments[number - 1]
                comments[number - 1] = replace(comment, open=entry.resolve is None)
        else:
            about = entry.approve or entry.request_changes
            decisions[entry.author] = Decision(
                entry.approve is not None,
                entry.author,
                entry.date,
                entry.text or "",
                about != digest,
            )
    return Review(tuple(comments), tuple(decisions.values()))
