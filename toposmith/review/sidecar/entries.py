"""The entries of a review: one statement each, known by an ID that never changes."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from toposmith.design.loader import Location, escaped, plain_file, shown, suggestion
from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError, Problem, SaveError
from toposmith.leaving_text import json_text
from toposmith.programs import ssh
from toposmith.user_folders import is_there, settings_folder

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


# Signatures of entries by SSH keys: made and checked by ssh-keygen, as git does it for commits.

NAMESPACE = "toposmith-review"
"""What a signature is for: one of the same key over a commit or a mail is none of a review."""

NO_KEY = (
    "no agent here holds a key of the signers: ssh-add KEY, over SSH with `ssh -A`; or in a copy "
    "of the folder `toposmith review FILE --approve --sign KEY`"
)


class Proof(NamedTuple):
    """The fingerprint of the key that signed an entry, or else why none is known to have."""

    key: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Signers:
    """The people whose signatures are trusted, in the format of git's ``allowed_signers``.

    Parameters
    ----------
    text : str
        Lines with a person (address or name), options such as ``valid-before=``, and a key.
    source : str
        Where that stands; empty where nobody is known.
    """

    text: str = ""
    source: str = ""

    def proof(self, said: Said) -> Proof:
        """Which key of its author signed an entry, one that was valid at the entry's moment."""
        stamp, who = said.id.partition("-")[0], said.entry.email or said.entry.author
        if said.entry.signature is None:
            return Proof(fault="it is not signed")
        if not self.source:
            return Proof(fault=f"nobody is trusted here, by {user_signers()} or --signers")
        text = said_text(stamp, said.entry)
        try:
            key = _signing_key(self.text, who, stamp, text, said.entry.signature)
        except (OSError, ValueError, subprocess.TimeoutExpired) as failed:
            return Proof(fault=f"its signature cannot be checked: {_reason(failed)}")
        return Proof(key) if key else Proof(fault=f"its signature is not {who}'s, by {self.source}")


def user_signers() -> Path:
    """Where the signers whom a user trusts are looked for: never in the folder of a design."""
    return settings_folder() / "allowed_signers"


def read_signers(file: Path | None = None) -> Signers:
    """The signers of a file; by default those of the user's own configuration, if there are any.

    Raises
    ------
    DesignFileError
        Where the file cannot be read.
    """
    path = file or user_signers()
    if file is None and not is_there(path):
        return Signers()
    return Signers(load_text(path)[0], str(path))


@dataclass(frozen=True)
class Signing:
    """Signs entries as they are written.

    Parameters
    ----------
    signers : Signers
        Where any are known, a key of somebody else signs nothing.
    key : str
        The file of a private key, or of a public one whose private one the user's agent holds;
        empty for the keys of the signers that the agent holds.
    """

    signers: Signers
    key: str = ""

    def __call__(self, stamp: str, entry: ReviewEntry) -> ReviewEntry:
        """An entry with its signature, as it is written at a moment.

        Raises
        ------
        SaveError
            Where no key signs it.
        """
        fault, text = NO_KEY, said_text(stamp, entry)
        with TemporaryDirectory() as folder:
            for key in (self.key,) if self.key else _keys_of_agent(Path(folder), self.signers):
                signed = entry.model_copy(update={"signature": _signature(text, key)})
                proof = self.signers.proof(Said(f"{stamp}-", signed))
                if proof.key or not self.signers.source:
                    return signed
                fault = proof.fault
        raise SaveError(fault)


def _keys_of_agent(folder: Path, signers: Signers) -> Iterator[str]:
    """Files with the public keys of signers whose private keys the user's agent holds."""
    for number, line in enumerate(_answer("ssh-add", "-L").stdout.decode("utf-8").splitlines()):
        words = line.split()
        if len(words) > 1 and words[1] in signers.text:
            path = folder / f"{number}.pub"
            path.write_text(line, "utf-8")
            yield str(path)


def _signature(text: str, key: str) -> str:
    """The signature of a text; SaveError where the key cannot be used."""
    words = ("-Y", "sign", "-n", NAMESPACE, "-f", key)
    done = _answer("ssh-keygen", *words, given=text.encode())
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        if "No such file" in why and Path(key).exists():  # of the public part of it, beside it
            raise SaveError(f"{key} is no key of SSH, or one whose {key}.pub is missing")
        raise SaveError(f"{why}; a key with a passphrase has to be in your agent")
    return done.stdout.decode("ascii", "replace")


def _answer(program: str, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What a program of SSH answers; SaveError where it does not run to its end."""
    try:
        return ssh(program, *words, given=given)
    except (OSError, ValueError, subprocess.TimeoutExpired) as failed:
        raise SaveError(_reason(failed)) from None


@lru_cache(maxsize=4096)
def _signing_key(signers: str, who: str, stamp: str, text: str, signature: str) -> str:
    """The fingerprint of the key by which somebody signed a text; empty where none did."""
    with TemporaryDirectory() as folder:
        allowed, signed = Path(folder, "allowed_signers"), Path(folder, "signature")
        allowed.write_text(signers, "utf-8")
        signed.write_text(signature, "utf-8")
        moment = f"-Overify-time={stamp[:8]}{stamp[9:15]}"
        words = ("-Y", "verify", moment, "-n", NAMESPACE, "-I", who, "-f", allowed, "-s", signed)
        done = ssh("ssh-keygen", *map(str, words), given=text.encode())
    return "" if done.returncode else done.stdout.decode("ascii", "replace").split()[-1]


def _reason(failed: Exception) -> str:
    """Why no program of SSH answered."""
    if isinstance(failed, FileNotFoundError):
        return f"{failed} is not installed"
    return "no answer in time" if isinstance(failed, subprocess.TimeoutExpired) else str(failed)
