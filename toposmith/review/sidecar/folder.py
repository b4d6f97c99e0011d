"""The folder beside a design with one file an entry: files are added, none is ever rewritten.

Git has nothing to merge where two people add files of different names, and two who write at the
same moment have nothing to lose: a file is created only where there is none of its name.

Each entry names the newest ones that were there when it was written, and an empty file,
``<ID>.head``, names each that no other has seen yet: an entry that is lost leaves its name behind.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from toposmith.design.loader import escaped
from toposmith.design.stored_files import load_text
from toposmith.errors import DesignFileError, Problem, SaveError
from toposmith.review.sidecar.entries import (
    ID,
    MOST_SEEN,
    SHORTEST,
    ReviewEntry,
    Said,
    entry_text,
    is_as_written,
    next_moment,
    parse_entry,
    said_at,
    stamp_of,
)
from toposmith.text import counted
from toposmith.whole_files import (
    flush_directory,
    link,
    remove_left_over,
    require_kept,
    unfinished_beside,
    write_new,
)

MOST_ENTRIES = 10_000
MOST_BYTES = 200_000
"""Of the file of an entry; its text takes at most 10,000 characters."""
HEAD = ".head"


@dataclass(frozen=True)
class Sidecar:
    """A review's folder and what it holds.

    Parameters
    ----------
    design : Path
        The design file that it is about.
    said : tuple of Said
        Its entries in their order.
    faults : tuple of str
        Entries that cannot be read, with file and line, and those that are lost.
    """

    design: Path
    said: tuple[Said, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """The folder."""
        return sidecar_path(self.design)


def sidecar_path(design: str | os.PathLike[str]) -> Path:
    """The folder beside a design that holds its review: ``pod.review`` for ``pod.yaml``."""
    path = Path(design)
    stem = path.stem if path.suffix == ".yaml" else path.name
    return path.with_name(f"{stem}.review")


def load_sidecar(design: str | os.PathLike[str]) -> Sidecar:
    """The review of a design file; an empty one where there is none.

    An entry that cannot be read, is of a newer version, or no longer says what it said when it was
    written hides no other: it is one of the faults, as is one that is lost.

    Raises
    ------
    DesignFileError
        When there is no such folder but something else, or the disk does not answer.
    """
    try:
        return _loaded(Path(design))
    except OSError as error:
        why = Problem(error.strerror or str(error))
        raise DesignFileError(_name(sidecar_path(design)), [why]) from None


def _loaded(path: Path) -> Sidecar:
    folder = sidecar_path(path)
    names = _names(folder)
    said, faults = _read(folder, names)
    faults += _faults(folder, said, names)
    return Sidecar(path, tuple(said), tuple(faults))


def _read(folder: Path, names: Sequence[str]) -> tuple[list[Said], list[str]]:
    """The entries of these names, and what is wrong with those that cannot be read."""
    said: list[Said] = []
    faults: list[str] = []
    for name in names:
        try:
            said.append(_entry(folder, name))
        except DesignFileError as wrong:
            file = escaped(f"{folder.name}/{name}.yaml")
            first, *others = DesignFileError(file, wrong.problems).lines()
            faults.append("; ".join((first, *(line.removeprefix(f"{file}:") for line in others))))
    return said, faults


def _faults(folder: Path, said: Sequence[Said], there: Collection[str]) -> Iterator[str]:
    """Entries that others name and that are not there, and answers to what is no comment."""
    others = {each.id for each in said if each.entry.comment is None}
    lost = {head: "" for head in _heads(folder) if head not in there}
    for each in said:
        by = f"{each.entry.author} had seen it on {each.entry.date}"
        lost |= {name: by for name in each.entry.names if name not in there}
        if (about := each.entry.about) in others:
            yield f"{folder.name}/{each.id}.yaml:1:1: it answers {about}, which is no comment"
    for name, by in sorted(lost.items()):
        if (folder / f"{name}.yaml").exists():
            continue  # written while the folder was read
        why = f"; {by}" if by else ""
        yield (
            f"{folder.name}/{name}.yaml: this entry is lost{why}: take the file back, as with "
            "`git checkout`"
        )


def _heads(folder: Path) -> set[str]:
    """The newest entries by the empty files that name them."""
    with contextlib.suppress(OSError):
        return {path.stem for path in folder.glob(f"*{HEAD}") if re.match(ID, path.stem)}
    return set()


Sign = Callable[[str, ReviewEntry], ReviewEntry]
"""Signs an entry with the stamp of the moment at which it is written."""


def add_entries(
    sidecar: Sidecar, entries: Sequence[ReviewEntry], sign: Sign | None = None
) -> Sidecar:
    """Write more entries, each as a file of its own, in their order.

    What another person wrote meanwhile stays, and is part of what is returned.

    Raises
    ------
    SaveError
        When one is not signed that is to be, or a file cannot be written; those of these entries
        that were written before are removed, or named where that fails, too.
    """
    folder = sidecar.path
    try:
        seen = _newest(sidecar)
        moment = next_moment(max((*seen, *_names(folder)), default=None))
    except DesignFileError as wrong:
        raise SaveError(f"{wrong.lines()[0]}; not saved") from None
    except OSError as error:
        raise SaveError(f"{_name(folder)}: not saved: {error.strerror or error}") from None
    for entry in entries:
        _require_readable(folder, entry.model_copy(update={"seen": seen}))
    written: list[Path] = []
    added: list[Said] = []
    try:
        folder.mkdir(exist_ok=True)
        heads = seen
        for entry in entries:
            entry = entry.model_copy(update={"seen": heads})
            said, path, moment = _create_new(folder, entry, moment, sign)
            written.append(path)
            added.append(said)
            heads = (said.id,)
        if entries:
            _turn_heads(folder, heads, seen)
        flush_directory(folder)
        remove_left_over(folder)
    except (OSError, SaveError) as error:
        why = getattr(error, "strerror", None) or error
        if left := [path.name for path in written if not _is_removed(path)]:
            words = f"{why}; written before that and still there: {', '.join(left)}"
            raise SaveError(f"{_name(folder)}: not all saved: {words}") from None
        raise SaveError(f"{_name(folder)}: not saved: {why}") from None
    try:
        return load_sidecar(sidecar.design)
    except (DesignFileError, OSError):  # what is written stays so; the next load reports it
        return Sidecar(sidecar.design, (*sidecar.said, *added))


def _newest(sidecar: Sidecar) -> tuple[str, ...]:
    """The entries that are there now and that no other has seen; of very many the newest."""
    names = _names(sidecar.path)
    known = {each.id: each for each in sidecar.said}
    more, _ = _read(sidecar.path, [name for name in names if name not in known])
    there = {name for name in names if re.match(ID, name)}
    seen = {name for each in (*known.values(), *more) for name in each.entry.seen}
    return tuple(sorted(there - seen)[-MOST_SEEN:])


def _turn_heads(folder: Path, heads: Sequence[str], seen: Sequence[str]) -> None:
    """Name the newest entries instead of those that they have seen."""
    for head in heads:
        with contextlib.suppress(OSError):  # without it the loss of the newest entry is not seen
            (folder / f"{head}{HEAD}").touch()
    for head in seen:
        with contextlib.suppress(OSError):
            (folder / f"{head}{HEAD}").unlink(missing_ok=True)


def comment_called(sidecar: Sidecar, mark: str) -> str:
    """The ID of the comment that a person names by the beginning of its mark.

    Raises
    ------
    SaveError
        When no comment, or more than one, is called so.
    """
    comments = [each for each in sidecar.said if each.entry.comment is not None]
    wanted = mark.strip().lower()
    found = [each.id for each in comments if each.mark.startswith(wanted) or each.id == mark]
    if len(found) == 1 and len(wanted) >= SHORTEST:
        return found[0]
    if not found or len(wanted) < SHORTEST:
        there = ", ".join(each.mark[:6] for each in comments[:12]) or "none"
        words = f"there is no comment {escaped(mark)!r}; comments are: {there}"
        raise SaveError(f"{_name(sidecar.path)}: {words}")
    raise SaveError(
        f"{_name(sidecar.path)}: {counted(len(found), 'comment', 'begin')} with {escaped(mark)!r}"
    )


def _entry(folder: Path, name: str) -> Said:
    if re.match(ID, name) is None:
        words = "no entry has this name; move the file elsewhere"
        raise DesignFileError("", [Problem(words, 1, 1)])
    path = folder / f"{name}.yaml"
    with contextlib.suppress(OSError):
        if path.stat().st_size > MOST_BYTES:
            words = f"found {path.stat().st_size:,} bytes, expected at most {MOST_BYTES:,}"
            raise DesignFileError("", [Problem(words, 1, 1)])
    text, _ = load_text(path)
    said = Said(name, parse_entry(text, str(path)))
    if not is_as_written(said):
        words = "it was changed since it was written, which no entry may be; take back the file "
        words += "that was, and say what you mean as a reply"
        raise DesignFileError("", [Problem(words, 1, 1)])
    return said


def _names(folder: Path) -> list[str]:
    """The entries of a folder by name, in their order; temporary files begin with a dot."""
    if folder.is_symlink() and not folder.exists():
        words = "the link leads nowhere; expected a folder with the entries of the review"
        raise DesignFileError(escaped(str(folder)), [Problem(words)])
    if not folder.exists():
        return []
    if not folder.is_dir():
        words = "found a file, expected a folder with the entries of the review"
        raise DesignFileError(escaped(str(folder)), [Problem(words)])
    inside = [path.name for path in folder.iterdir()]
    names = [n.removesuffix(".yaml") for n in inside if n.endswith(".yaml") and n[0] != "."]
    if len(names) > MOST_ENTRIES:
        words = f"{len(names):,} entries are more than the {MOST_ENTRIES:,} that are read"
        raise DesignFileError(escaped(str(folder)), [Problem(words)])
    return sorted(names)


def _create_new(
    folder: Path, entry: ReviewEntry, moment: datetime, sign: Sign | None
) -> tuple[Said, Path, datetime]:
    """Create the file of an entry at a moment, or the next at which there is no equal entry."""
    while True:
        said = said_at(moment, sign(stamp_of(moment), entry) if sign else entry)
        moment += timedelta(microseconds=1)
        with contextlib.suppress(FileExistsError):
            return said, _create(folder, said), moment


def _create(folder: Path, said: Said) -> Path:
    """Create the file of an entry, whole or not at all, and only where there is none.

    Raises
    ------
    OSError
        FileExistsError where there is one.
    """
    path = folder / f"{said.id}.yaml"
    raw = entry_text(said.entry).encode("utf-8")
    with unfinished_beside(path) as temporary:
        write_new(temporary, [raw])
        require_kept(temporary, raw)
        link(temporary, path)
    return path


def _is_removed(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True


def _require_readable(folder: Path, entry: ReviewEntry) -> None:
    """Refuse what could be written and not be read again."""
    text = entry_text(entry)
    try:
        text.encode("utf-8")
        read = parse_entry(text, str(folder))
    except UnicodeEncodeError as error:
        place = f"the character U+{ord(text[error.start]):04X}"
        words = f"{place} can not be written as UTF-8"
        raise SaveError(f"{_name(folder)}: not saved: {words}") from None
    except DesignFileError as wrong:
        raise SaveError(f"{_name(folder)}: not saved: {wrong.problems[0].text}") from None
    if read != entry:
        raise SaveError(f"{_name(folder)}: not saved: it would read back as something else")


def _name(folder: Path) -> str:
    return escaped(str(folder))
