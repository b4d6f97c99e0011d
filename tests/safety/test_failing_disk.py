"""Whatever the disk does, what is written is old or new, and what is said of it is true."""

from __future__ import annotations

import contextlib
import errno
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import toposmith
from bench.endurance.disk_faults import (
    NEW,
    NEW_TEXT,
    OLD,
    OLD_TEXT,
    WRITERS,
    Writer,
    drawn,
    every_fault,
    tried,
)
from bench.endurance.failing_disk import DiskFault
from tests.every import for_every
from toposmith.whole_files import replace_whole

INJECTED, SEED = 300, 20261133
FAULTS = drawn(INJECTED, SEED)


@for_every([writer.name for writer in WRITERS])
def test_what_is_there_is_old_or_new_and_what_is_said_is_true(name: str) -> None:
    wrong = {}
    for writer, fault in FAULTS:
        if writer.name == name and (ended := tried(writer, fault)).wrong:
            wrong[str(fault)] = (*ended.wrong, ended.said)
    assert wrong == {}


def test_the_sample_has_every_kind_of_call_and_every_way_to_fail() -> None:
    calls = {fault.call for _, fault in FAULTS}
    assert {"write", "fsync", "rename", "link", "open", "remove"} <= calls
    assert {fault.way for _, fault in FAULTS} == {"fails", "gone", "short", "full", "late"}
    assert {fault.error for _, fault in FAULTS} >= {
        *(errno.ENOSPC, errno.EDQUOT, errno.ESTALE, errno.EIO, errno.EPERM)
    }


def careless(write: Callable[[Path], object]) -> Writer:
    """A writer as there should be none."""

    def prepare(folder: Path) -> Callable[[], object]:
        (folder / "pod.yaml").write_text(OLD_TEXT)
        return lambda: write(folder / "pod.yaml")

    def state(folder: Path) -> str:
        path = folder / "pod.yaml"
        text = path.read_text() if path.exists() else ""
        return {OLD_TEXT: OLD, NEW_TEXT: NEW}.get(text, "something else")

    return Writer("careless", prepare, state, (OSError,))


def removed_first(path: Path) -> None:
    path.unlink()
    replace_whole(path, NEW_TEXT.encode())


def swallowed(path: Path) -> None:
    with contextlib.suppress(OSError):
        replace_whole(path, NEW_TEXT.encode())


@pytest.mark.parametrize(
    ("write", "words"), [(removed_first, "neither old nor new"), (swallowed, "saved was said")]
)
def test_a_careless_writer_is_found(write: Callable[[Path], object], words: str) -> None:
    writer = careless(write)
    found = {line for fault in every_fault(writer) for line in tried(writer, fault).wrong}
    assert any(line.startswith(words) for line in found)


def test_a_text_that_two_names_share_and_that_cannot_be_put_back_is_beside_them() -> None:
    (writer,) = (each for each in WRITERS if each.name == "design of two names")
    ended = tried(writer, DiskFault("write", 3, errno.ENOSPC, "full"))
    assert ended.state not in (OLD, NEW) and ended.wrong == ()
    assert ended.said is not None
    assert "not saved: No space left on device; it may hold a part of either text" in ended.said


def test_an_old_folder_that_cannot_be_moved_back_is_named() -> None:
    (writer,) = (each for each in WRITERS if each.name == "export over a folder")
    ended = tried(writer, DiskFault("rename", 2, errno.EIO, "gone"))
    assert ended.state == "nothing" and ended.wrong == ()
    assert ended.said is not None and "the old folder is now called" in ended.said


WRITING = re.compile(
    r"os\.(replace|rename|link|truncate)\(|\.(write_text|write_bytes|rename|hardlink_to)\("
    r"|open\([^)]*[\"'](w|a|x|r\+)b?[\"']|O_WRONLY|O_RDWR"
)
OTHERS = {
    "crash.py": "a log of a name of its own",
    "edge.py": "stdout, or nothing",
    "presence.py": "a note of a run, which says only that it is there",
    "entries.py": "what ssh-keygen reads, in a folder of its own that goes",
    "recovery.py": "the journal, to which lines are added",
    "stored_files.py": "a file of several names, in place",
    "terminal.py": "nothing",
    "whole_files.py": "all others",
}


def test_files_are_written_in_one_place() -> None:
    modules = Path(toposmith.__file__).parent.rglob("*.py")
    writing = {path.name for path in modules if WRITING.search(path.read_text(encoding="utf-8"))}
    assert writing == OTHERS.keys()
