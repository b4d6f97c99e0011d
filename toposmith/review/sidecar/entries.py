"""The entries of a review: one statement each, known by an ID that never changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from toposmith.design.loader import Location, escaped, plain_file, shown, suggestion
from toposmith.errors import DesignFileError, Problem
from toposmith.leaving_text import json_text

SIDECAR_VERSION = 3
"""The version of the ``toposmith-review:`` key."""

MOST_SEEN = 1_000

MAX_TEXT = 10_000
ID = r"^\d{8}T\d{12}-[0-9a-f]{12}$"
SHORTEST = 4
"""Letters of an ID's mark that a person has to type at least."""

_STAMP = "%Y%m%dT%H%M%S%f"

_Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Id = Annotated[str, Field(pattern=ID)]


class ReviewEntry(BaseModel):
    """One statement; exactly one of the first six keys is there.

    Parameters
    ----------
    comment : str, optional
        The place that is commented on: ``design``, a group, or the label of a link.
    reply, resolve, reopen : str, optional
        The ID of the comment that it is about.
    approve, request_changes : str, optional
        The SHA-256 of the design that it is about.
    author, date : str
        Who said it, and on which day (2026-11-21).
    email : str, optional
        The address that git has of the author; nothing proves either.
    text : str, optional
        In their words.
    groups : dict of str to str
        What each group of the design was when a comment was made, so that it is known again under
        another name.
    parts : dict of str to str
        Of an approval, the SHA-256 of each part that the design needs, by its name.
    catalog, prices, policy : str, optional
        The SHA-256 of what else it rests on: the whole catalog, the prices of the parts, the
        policy.
    lock : str, optional
        The SHA-256 of the lock that the approval bound; None where the design had none.
    program : str, optional
        The version of the program that computed what was approved.
    figures : dict of str
        The figures that were approved, in words, the lines of the bill among them.
    not_looked_at : tuple of str
        What was not checked when the design was approved.
    despite : str, optional
        What was open when the design was approved all the same.
    seen : tuple of str
        The IDs of the newest entries that were there when it was written: those that no other
        entry had seen.
    signature : str, optional
        That of an SSH key over the moment and all else that the entry says, armoured.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    comment: _Name | None = None
    reply: _Id | None = None
    resolve: _Id | None = None
    reopen: _Id | None = None
    approve: _Digest | None = None
    request_changes: _Digest | None = None
    author: _Name
    email: _Name | None = None
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    text: _Text | None = None
    groups: Annotated[dict[_Name, _Name], Field(max_length=500)] = {}
    parts: Annotated[dict[_Name, _Digest], Field(max_length=500)] = {}
    catalog: _Digest | None = None
    prices: _Digest | None = None
    policy: _Digest | None = None
    lock: _Digest | None = None
    program: _Name | None = None
    figures: Annotated[dict[_Name, _Name], Field(max_length=3_000)] = {}
    not_looked_at: Annotated[tuple[_Name, ...], Field(max_length=100)] = ()
    despite: _Name | None = None
    seen: Annotated[tuple[_Id, ...], Field(max_length=MOST_SEEN)] = ()
    signature: _Text | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> ReviewEntry:
        said = [key for key in ACTIONS if getattr(self, key) is not None]
        if len(said) != 1:
            raise ValueError(f"expected exactly one of {', '.join(ACTIONS)}")
        if self.text is None and said[0] in ("comment", "reply", "request_changes"):
            raise ValueError(f"{said[0].replace('_', ' ')}: a text is required")
        return self

    @property
    def person(self) -> tuple[str, str]:
        """Name and address of its author: a decision of theirs replaces their earlier one."""
        return self.author, self.email or ""

    @property
    def about(self) -> str | None:
        """The ID of the comment that it is about; None where it is no reply or resolution."""
        return self.reply or self.resolve or self.reopen

    @property
    def names(self) -> tuple[str, ...]:
        """The IDs of all entries that have to be there: those it had seen, and what it answers."""
        return self.seen if self.about is None else (*self.seen, self.about)

    @property
    def data(self) -> dict[str, Any]:
        """What it says, in the order of its keys, without those that say nothing."""
        return self.model_dump(mode="json", exclude_defaults=True)


ACTIONS = ("comment", "reply", "resolve", "reopen", "approve", "request_changes")


@dataclass(frozen=True)
class Said:
    """An entry with the ID that it has for ever.

    The ID is the moment it was written (UTC, to the microsecond), which orders the entries, and a
    mark made from that moment and all that the entry says, by which people name it.
    """

    id: str
    entry: ReviewEntry

    @property
    def mark(self) -> str:
        """The part of the ID that people type."""
        return self.id.partition("-")[2]


def stamp_of(moment: datetime) -> str:
    """A moment (UTC) as IDs begin with it."""
    return moment.strftime(_STAMP)


def said_text(stamp: str, entry: ReviewEntry) -> str:
    """The moment of an entry and all that it says but its signature: what a signature signs."""
    says = {key: value for key, value in entry.data.items() if key != "signature"}
    return f"{stamp}\n{json.dumps(says, sort_keys=True, ensure_ascii=True)}"


def said_at(moment: datetime, entry: ReviewEntry) -> Said:
    """An entry with the ID that it gets when it is written at a moment."""
    stamp = stamp_of(moment)
    return Said(f"{stamp}-{_mark(stamp, entry)}", entry)


def is_as_written(said: Said) -> bool:
    """Whether an entry still says what it said when it got its ID."""
    stamp, _, mark = said.id.partition("-")
    return mark == _mark(stamp, said.entry)


def next_moment(newest: str | None) -> datetime:
    """The moment to write the next entry at: now, and after all that its author has seen.

    Clocks of several people differ; what answers an entry must come after it all the same.
    """
    now = datetime.now(UTC)
    if newest is None:
        return now
    try:
        seen = datetime.strptime(newest.partition("-")[0], _STAMP).replace(tzinfo=UTC)
        return max(now, seen + timedelta(microseconds=1))
    except (ValueError, OverflowError):
        return now


def _mark(stamp: str, entry: ReviewEntry) -> str:
    says = json.dumps(entry.data, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"{stamp}\n{says}".encode()).hexdigest()[:12]


def shortest_marks(said: Sequence[Said]) -> dict[str, str]:
    """For every ID the beginning of its mark that no other entry has, at least six letters."""
    marks = sorted(each.mark for each in said)
    long = 6
    while long < 12 and len({mark[:long] for mark in marks}) < len(set(marks)):
        long += 1
    return {each.id: each.mark[:long] for each in said}


_FIRST_KEY = "toposmith-review"
_ENTRY_KEYS = tuple(ReviewEntry.model_fields)


def entry_text(entry: ReviewEntry) -> str:
    """The file of an entry."""
    lines = (f"{key}: {_quoted(value)}\n" for key, value in entry.data.items())
    return f"{_FIRST_KEY}: {SIDECAR_VERSION}\n{''.join(lines)}"


def parse_entry(text: str, source: str) -> ReviewEntry:
    """The entry that a file's text holds; raises DesignFileError with every problem."""
    source = escaped(source)
    file = plain_file(text, source)
    data = file.data
    if not isinstance(data, dict) or _FIRST_KEY not in data:
        expected = f"expected an entry that begins with `{_FIRST_KEY}: {SIDECAR_VERSION}`"
        raise DesignFileError(source, [Problem(f"found {shown(data)}, {expected}", 1, 1)])
    version = data.pop(_FIRST_KEY)
    if type(version) is int and version > SIDECAR_VERSION:
        found = f"this entry has version {version} and needs a newer Toposmith; this one reads "
        raise DesignFileError(source, [Problem(f"{found}version {SIDECAR_VERSION}", 1, 1)])
    if type(version) is not int or version < SIDECAR_VERSION:
        words = f"found {shown(version)}, expected {SIDECAR_VERSION}"
        raise DesignFileError(source, [*file.problems, file.problem_at((_FIRST_KEY,), words)])
    if file.problems:
        raise DesignFileError(source, list(file.problems))
    try:
        return entry_of(data, file.problem_at)
    except DesignFileError as wrong:
        raise DesignFileError(source, wrong.problems) from None


def entry_of(data: Any, problem_at: Callable[[Location, str], Problem]) -> ReviewEntry:
    """The entry that plain data describes; ``problem_at`` says where in its file a fault is.

    Raises
    ------
    DesignFileError
        If the data is no entry; it names every problem.
    """
    try:
        return ReviewEntry.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as wrong:
        problems = [_problem(dict(error), problem_at) for error in wrong.errors()]
        raise DesignFileError("", problems) from None


def _problem(error: dict[str, object], problem_at: Callable[[Location, str], Problem]) -> Problem:
    at = error["loc"]
    assert isinstance(at, tuple)
    kind = error["type"]
    if kind == "extra_forbidden":
        return problem_at(at, f"unknown key; {suggestion(str(at[-1]), _ENTRY_KEYS)}")
    if kind == "missing":
        return problem_at(at, "is missing")
    message = str(error["msg"]).removeprefix("Value error, ")
    words = f"found {shown(error['input'])}; {message[:1].lower()}{message[1:]}"
    return problem_at(at, words) if at else problem_at((), f"the entry: {words}")


def _quoted(value: object) -> str:
    # what JSON escapes, YAML reads equally within double quotes
    return json_text(value)
