"""The disk fails while something is written: is it old or new, and is what was said of it true?

    python -m bench.endurance.disk_faults [MOST] [SEED]

Every writer of the program is tried with every fault of :mod:`bench.endurance.failing_disk` at
every call that it makes, or with ``MOST`` of these drawn at random. Afterwards the files are looked
at with the disk sound again. Wrong is: a part of either, unless the text says where the old one
lies; "not saved" of what is there, and no word of what is not; an error that is not the writer's
own; temporary files that stay although the disk would have let them go.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

from bench.endurance.failing_disk import ERRORS, WAYS, DiskFault, FailingDisk
from bench.endurance.hostile_files import at_home
from toposmith.catalog import CatalogError, load_catalog
from toposmith.catalog.own_part import FILE_NAME, copy_of, write_own
from toposmith.command.design_input import stream_out
from toposmith.design.document import Design, Group
from toposmith.design.stored_files import NO_FILE, load_text, save_bytes, save_file
from toposmith.design.writer import with_schema_line
from toposmith.errors import SaveError
from toposmith.exports.forms import Made
from toposmith.leaving_text import yaml_text
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar
from toposmith.tui.keeping import recent_files
from toposmith.tui.keeping.author_name import remember_author
from toposmith.tui.keeping.journal import Head, told
from toposmith.tui.keeping.recovery import Rescue, recovery_dir
from toposmith.tui.keeping.session import Session

OLD, NEW = "old", "new"
OLD_TEXT = "toposmith: 1\nname: old\n" + "# as it was\n" * 40
NEW_TEXT = "toposmith: 1\nname: new\n" + "# as it is now\n" * 90
STEPS = [(f"step {n}", Design(groups={"leaf": Group(part="qm9700", count=n)})) for n in (1, 2, 3)]


@dataclass(frozen=True)
class Writer:
    """One thing that the program writes.

    Parameters
    ----------
    name : str
        Its row in the table.
    prepare : callable
        Makes the folder as it is before; returns what is to be done to it.
    state : callable
        ``old`` or ``new``, or what is there instead.
    own : tuple of exception types
        With which it may fail.
    is_told : bool
        Whether a failure is told to anybody.
    """

    name: str
    prepare: Callable[[Path], Callable[[], object]]
    state: Callable[[Path], str]
    own: tuple[type[Exception], ...] = (SaveError,)
    is_told: bool = True


@dataclass(frozen=True)
class Tried:
    """How it ended: what was there afterwards, what was said, and what was wrong about it."""

    state: str
    said: str | None
    wrong: tuple[str, ...] = ()


@dataclass
class Row:
    """The figures of one writer."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def tried(writer: Writer, fault: DiskFault | None) -> Tried:
    """Write once, with a fault, and look at what is there."""
    return _tried(writer, fault)[0]


def _tried(writer: Writer, fault: DiskFault | None) -> tuple[Tried, Counter[str]]:
    with tempfile.TemporaryDirectory() as name, at_home(Path(os.path.realpath(name))):
        folder = Path.cwd()
        do = writer.prepare(folder)
        assert writer.state(folder) == OLD, writer.name
        disk, said = FailingDisk(folder, fault), None
        wrong: list[str] = []
        try:
            with disk.mounted(), redirect_stderr(StringIO()):
                do()
        except writer.own as failed:
            said = str(failed)
        except Exception as foreign:  # of any kind: that is what is looked for
            said = repr(foreign)
            wrong.append(f"ends with {type(foreign).__name__}")
        state = writer.state(folder)
        wrong += _wrong(writer, fault, folder, state, said)
        return Tried(state, said, tuple(wrong)), disk.calls


def _wrong(
    writer: Writer, fault: DiskFault | None, folder: Path, state: str, said: str | None
) -> Iterator[str]:
    is_named = _is_named(folder, said or "")
    if state not in (OLD, NEW) and not is_named:
        yield f"neither old nor new: {state}"
    if writer.is_told and said is None and state != NEW:
        yield "saved was said"
    if said is not None and state == NEW and not is_named:
        yield "not saved was said"
    if said is not None and writer.own == (SaveError,) and not re.search("not (all )?saved", said):
        yield "the text does not say that it is not saved"
    may_stay = fault is not None and (fault.way == "gone" or fault.call in _OF_REMOVAL)
    left = [path for path in _files(folder) if re.search(r"\.tmp$|\.(old|new)-", path.name)]
    if left and not may_stay and not all(str(path) in (said or "") for path in left):
        yield f"left over: {left[0].name}"


def _is_named(folder: Path, said: str) -> bool:
    """Whether a text says where the old one lies, whole, or which new ones are there."""
    for path in folder.rglob("*"):
        if str(path) in said and (_text(path) == OLD_TEXT or _pair(path) == OLD):
            return True
    there = {path.name for path in folder.glob("pod.review/*.yaml")}
    return "not all saved" in said and {name for name in there if name in said} != set()


def _files(folder: Path) -> Iterable[Path]:
    return folder.rglob("*")


def _text(path: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8")
    return ""


def _of_text(path: Path, old: str = OLD_TEXT, new: str = NEW_TEXT) -> str:
    if not path.exists():
        return OLD if old == NO_FILE else "nothing"
    text = _text(path)
    return {old: OLD, new: NEW}.get(text, f"{len(text)} signs")


def _pair(folder: Path) -> str:
    """A folder of two files."""
    if not folder.exists():
        return "nothing"
    texts = {path.name: _text(path) for path in folder.rglob("*") if path.is_file()}
    for state, text in ((OLD, OLD_TEXT), (NEW, NEW_TEXT)):
        if texts == {"a.csv": text, "b.csv": text}:
            return state
    return f"{len(texts)} files"


def _design(folder: Path) -> Callable[[], object]:
    path = folder / "pod.yaml"
    path.write_text(OLD_TEXT)
    fingerprint = load_text(path)[1]
    return lambda: save_file(path, NEW_TEXT, expected_fingerprint=fingerprint)


def _new_design(folder: Path) -> Callable[[], object]:
    return lambda: save_file(folder / "pod.yaml", NEW_TEXT, expected_fingerprint=NO_FILE)


def _linked_design(folder: Path) -> Callable[[], object]:
    do = _design(folder)
    (folder / "other.yaml").hardlink_to(folder / "pod.yaml")
    return do


def _of_linked_design(folder: Path) -> str:
    states = {_of_text(folder / name) for name in ("pod.yaml", "other.yaml")}
    return states.pop() if len(states) == 1 else "two texts"


def _design_in_app(folder: Path) -> Callable[[], object]:
    path = folder / "pod.yaml"
    path.write_text("toposmith: 1\nname: old\n")
    session = Session(Design(name="old"), path, *load_text(path))
    session.rescue.note(Head(str(path)), STEPS[:1], 0)
    session.rescue.flush()
    return lambda: session.save(Design(name="new"))


def _design_elsewhere(folder: Path) -> Callable[[], object]:
    _design_in_app(folder)
    return lambda: Session(Design(name="new")).save(Design(name="new"), folder / "new.yaml")


def _of_design_in_app(folder: Path) -> str:
    state = _of_text(folder / "pod.yaml", "toposmith: 1\nname: old\n", "toposmith: 1\nname: new\n")
    if state == OLD and not list(recovery_dir().glob("*.journal")):
        return "old, and no journal"
    return state


def _of_design_elsewhere(folder: Path) -> str:
    new = with_schema_line("toposmith: 1\nname: new\n", folder)
    return _of_text(folder / "new.yaml", NO_FILE, new)


def _comment(folder: Path) -> Callable[[], object]:
    return _said(folder, {"comment": "leaf", "text": "new 1"})


def _approval(folder: Path) -> Callable[[], object]:
    return _said(folder, {"comment": "leaf", "text": "new 1"}, {"approve": "0" * 64, "text": "new"})


def _said(folder: Path, *said: dict[str, str]) -> Callable[[], object]:
    path = folder / "pod.yaml"
    path.write_text(OLD_TEXT)
    entries = [ReviewEntry(author="Ann", date="2026-11-23", **each) for each in said]  # type: ignore[arg-type]
    first = ReviewEntry(comment="leaf", author="Ann", date="2026-11-23", text="earlier")
    add_entries(load_sidecar(path), [first])
    sidecar = load_sidecar(path)
    return lambda: add_entries(sidecar, entries)


def _of_said(entries: int) -> Callable[[Path], str]:
    """By the files as plain text: the program's own reader is no witness here."""

    def state(folder: Path) -> str:
        files = [_text(path) for path in folder.glob("pod.review/*.yaml")]
        texts = {text for file in files for text in re.findall(r'^text: "?([^"\n]*)', file, re.M)}
        new = len(texts - {"earlier"})
        if "earlier" not in texts:
            return "the earlier comment is lost"
        return {0: OLD, entries: NEW}.get(new, f"{new} of {entries} entries")

    return state


def _export(folder: Path) -> Callable[[], object]:
    old = folder / "hand-over"
    old.mkdir()
    for name in ("a.csv", "b.csv"):
        (old / name).write_text(OLD_TEXT)
    return lambda: _made().save(old, into_old_folder=True)


def _new_export(folder: Path) -> Callable[[], object]:
    return lambda: _made().save(folder / "hand-over")


def _made() -> Made:
    return Made((), files=((name, [NEW_TEXT.encode()]) for name in ("a.csv", "b.csv")))


def _bill(folder: Path) -> Callable[[], object]:
    path = folder / "pod.bom.yaml"
    path.write_text(OLD_TEXT)
    pieces = [line.encode() for line in NEW_TEXT.splitlines(keepends=True)]
    return lambda: stream_out(pieces, str(path))


def _check_list(folder: Path) -> Callable[[], object]:
    return lambda: save_bytes(folder / "moves.csv", NEW_TEXT.encode())


def _own_part(folder: Path) -> Callable[[], object]:
    first, second = _entries()
    write_own(first, folder)
    return lambda: write_own(second, folder)


def _of_own_part(folder: Path) -> str:
    first, both = (yaml_text(list(_entries()[:count])) for count in (1, 2))
    return _of_text(folder / FILE_NAME, first, both)


@cache
def _entries() -> tuple[dict[str, Any], dict[str, Any]]:
    """Two parts of one's own."""
    catalog = load_catalog(user=False)
    one, other = (copy_of(catalog["qm9700"], name, {}, "", catalog) for name in ("a-1", "a-2"))
    return one, other


def _journal(steps: int) -> Callable[[Path], Callable[[], object]]:
    """A journal with so many steps gets another; then one more, with the disk sound."""

    def prepare(_folder: Path) -> Callable[[], object]:
        rescue = Rescue()
        if steps:
            rescue.note(Head("pod.yaml"), STEPS[:steps], steps - 1)
            rescue.flush()

        def do() -> None:
            rescue.note(Head("pod.yaml"), STEPS[: steps + 1], steps)
            rescue.flush()

        return do

    return prepare


def _of_journal(steps: int) -> Callable[[Path], str]:
    def state(_folder: Path) -> str:
        folder = recovery_dir()
        files = [_text(path) for path in folder.glob("*.journal")] if folder.exists() else []
        kept = {len(there.steps) for file in files if (there := told(file))}
        if steps + 1 in kept:
            return NEW
        return OLD if steps in kept or not (steps or kept) else f"journals of {sorted(kept)} steps"

    return state


def _recent(folder: Path) -> Callable[[], object]:
    (folder / "pod.yaml").write_text(OLD_TEXT)
    recent_files.remember(folder / "pod.yaml")
    remember_author("old")
    return lambda: (remember_author("new"), recent_files.remember(folder / "new.yaml"))


def _of_recent(folder: Path) -> str:
    kept = [_text(folder / "home/state/toposmith" / name) for name in ("author", "recent.txt")]
    fine = {"old\n", "new\n", f"{folder / 'pod.yaml'}\n"}
    fine |= {f"{folder / 'new.yaml'}\n{folder / 'pod.yaml'}\n"}
    if not set(kept) <= fine:
        return "a part of the list"
    return NEW if "new\n" in kept and any("new.yaml" in each for each in kept) else OLD


_OF_REMOVAL = ("remove", "status", "open")
_JOURNAL = (OSError,)
WRITERS = (
    Writer("design", _design, lambda folder: _of_text(folder / "pod.yaml")),
    Writer("new design", _new_design, lambda folder: _of_text(folder / "pod.yaml", NO_FILE)),
    Writer("design of two names", _linked_design, _of_linked_design),
    Writer("design in the app", _design_in_app, _of_design_in_app),
    Writer("design in another file", _design_elsewhere, _of_design_elsewhere),
    Writer("comment", _comment, _of_said(1)),
    Writer("comment and approval", _approval, _of_said(2)),
    Writer("export folder", _new_export, lambda f: _pair(f / "hand-over").replace("nothing", OLD)),
    Writer("export over a folder", _export, lambda folder: _pair(folder / "hand-over")),
    Writer("bill", _bill, lambda folder: _of_text(folder / "pod.bom.yaml")),
    Writer("check list", _check_list, lambda folder: _of_text(folder / "moves.csv", NO_FILE)),
    Writer("own part", _own_part, _of_own_part, (CatalogError, OSError)),
    Writer("journal begun", _journal(0), _of_journal(0), _JOURNAL),
    Writer("journal", _journal(2), _of_journal(2), _JOURNAL),
    Writer("files opened last", _recent, _of_recent, is_told=False),
)


def every_fault(writer: Writer) -> Iterator[DiskFault]:
    """Each fault at each call that a writer makes where nothing fails."""
    sound, calls = _tried(writer, None)
    assert sound == Tried(NEW, None), (writer.name, sound)
    for call, times in calls.items():
        for number in range(1, times + 1):
            for way in WAYS[call]:
                for error in ERRORS[call]:
                    yield DiskFault(call, number, error, way)


def drawn(most: int | None, seed: int) -> list[tuple[Writer, DiskFault]]:
    """Faults of every writer in turn, drawn at random; all of them without a number."""
    by_writer = {writer.name: list(every_fault(writer)) for writer in WRITERS}
    if most is None:
        return [(writer, fault) for writer in WRITERS for fault in by_writer[writer.name]]
    rng = random.Random(seed)
    turns = [WRITERS[number % len(WRITERS)] for number in range(most)]
    return [(writer, rng.choice(by_writer[writer.name])) for writer in turns]


def main() -> int:
    """Inject the faults, and print a table by writer."""
    most, seed = (int(sys.argv[at]) if len(sys.argv) > at else None for at in (1, 2))
    rows: dict[str, Row] = {writer.name: Row() for writer in WRITERS}
    for writer, fault in drawn(most, seed or 1):
        ended = tried(writer, fault)
        row = rows[writer.name]
        row.counts["injected"] += 1
        row.counts["saved" if ended.state == NEW else "not saved"] += ended.state in (NEW, OLD)
        row.counts["old one named"] += ended.state not in (NEW, OLD) and not ended.wrong
        row.counts["wrong"] += bool(ended.wrong)
        row.wrong += [f"{writer.name}, {fault}: {'; '.join(ended.wrong)}; said: {ended.said}"] * (
            bool(ended.wrong)
        )
    columns = ("injected", "saved", "not saved", "old one named", "wrong")
    print(f"{'':24}" + "".join(f"{column:>14}" for column in columns))
    for name, row in (*rows.items(), ("all", _sum(rows.values()))):
        print(f"{name:24}" + "".join(f"{row.counts[column]:14,}" for column in columns))
    wrong = [line for row in rows.values() for line in row.wrong]
    print("\n".join(wrong[: shutil.get_terminal_size().lines]))
    return 1 if wrong else 0


def _sum(rows: Iterable[Row]) -> Row:
    return Row(sum((row.counts for row in rows), Counter()))


if __name__ == "__main__":
    sys.exit(main())
