"""Who has a design open: told to those who open it later, whatever became of the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from toposmith.tui.keeping import presence
from toposmith.tui.keeping.presence import FOLDER, SUFFIX, Presence

RUN = """\
import sys, time
from pathlib import Path
from toposmith.tui.keeping.presence import Presence
here = Presence(Path(sys.argv[1]))
here.enter()
print("in", flush=True)
time.sleep(60)
"""


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(presence, "own_name", lambda: "Ann")
    path = tmp_path / "pod.yaml"
    path.write_text("toposmith: 1\n")
    return path


@pytest.fixture
def other_run(pod: Path) -> Iterator[subprocess.Popen[str]]:
    run = subprocess.Popen([sys.executable, "-c", RUN, str(pod)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    assert run.stdout.readline() == "in\n"
    yield run
    run.kill()
    run.communicate()


def notes(pod: Path) -> list[Path]:
    return list((pod.parent / FOLDER).glob(f"*{SUFFIX}"))


def test_who_opens_second_is_told_and_nothing_is_left_behind(pod: Path) -> None:
    first, second = Presence(pod), Presence(pod)
    first.enter()
    (told,) = second.others()
    assert told.words.startswith(f"Ann on {os.uname().nodename} since ")
    second.enter()
    assert [one.name for one in first.others()] == ["Ann"]
    first.leave()
    assert second.others() == ()
    second.leave()
    assert not (pod.parent / FOLDER).exists()


def test_other_designs_of_the_folder_are_no_matter_and_links_are(pod: Path) -> None:
    first = Presence(pod)
    first.enter()
    link = pod.with_name("link.yaml")
    link.symlink_to(pod)
    assert len(Presence(link).others()) == 1
    assert Presence(pod.with_name("other.yaml")).others() == ()
    first.leave()


def test_git_sees_no_note(pod: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=pod.parent, check=True)
    here = Presence(pod)
    here.enter()
    asked = ["git", "status", "--porcelain", "--untracked-files=all"]
    seen = subprocess.run(asked, cwd=pod.parent, check=True, capture_output=True, text=True)
    assert seen.stdout == "?? pod.yaml\n"
    here.leave()


def test_a_run_that_was_killed_has_the_file_open_no_more(
    pod: Path, other_run: subprocess.Popen[str]
) -> None:
    assert len(Presence(pod).others()) == 1
    other_run.send_signal(signal.SIGKILL)
    other_run.wait(30)
    assert len(notes(pod)) == 1
    assert Presence(pod).others() == ()
    assert notes(pod) == []


def from_elsewhere(pod: Path, age: float, **data: object) -> Path:
    """A note of another machine that was touched so many seconds ago."""
    folder = pod.parent / FOLDER
    folder.mkdir(exist_ok=True)
    note = folder / f"{Presence(pod)._mark}-0{len(notes(pod))}{SUFFIX}"
    said = {"name": "Bob", "host": "far", "pid": 1, "since": "2026-11-21T10:00:00+00:00"}
    note.write_text(json.dumps(said | data))
    os.utime(note, (time.time() - age, time.time() - age))
    return note


@pytest.mark.parametrize(
    ("age", "told", "kept"),
    [(0, True, True), (170, True, True), (200, False, True), (90_000, False, False)],
)
def test_a_note_of_another_machine_counts_while_it_is_touched(
    pod: Path, age: float, told: bool, kept: bool
) -> None:
    """After a power cut there, or where the line to it is gone, for three minutes at most."""
    note = from_elsewhere(pod, age)
    assert [one.name for one in Presence(pod).others()] == ["Bob"] * told
    assert note.exists() == kept


def test_ages_go_by_the_clock_of_the_disk(pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Presence(pod)
    here.enter()
    from_elsewhere(pod, 10)
    monkeypatch.setattr(time, "time", lambda: 4e9)  # the clock here is wrong by years
    assert [one.name for one in here.others()] == ["Bob"]
    here.leave()


def test_a_note_is_touched_every_minute(pod: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Presence(pod)
    here.enter()
    (note,) = notes(pod)
    os.utime(note, (1, 1))
    here.beat()
    assert note.stat().st_mtime == 1
    monkeypatch.setattr(presence, "BEAT_SECONDS", 0.0)
    here.beat()
    assert note.stat().st_mtime > 1
    here.leave()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[]",
        "{}",
        '{"name": "x"}',
        "\x00",
        '{"pid": "x", "host": 3, "name": [], "since": 1}',
    ],
)
def test_what_is_no_note_is_passed_over(pod: Path, text: str) -> None:
    from_elsewhere(pod, 0).write_text(text)
    assert Presence(pod).others() == ()


def test_no_note_is_obeyed_or_waited_for(pod: Path) -> None:
    note = from_elsewhere(
        pod, 0, name="\x1b[2J" * 99, host="a\nb", since="2026-11-21T10:00:00+00:00"
    )
    (told,) = Presence(pod).others()
    assert told.words.isprintable()
    assert len(told.words) < 400
    note.unlink()
    os.mkfifo(note)
    assert Presence(pod).others() == ()
    note.unlink()
    note.symlink_to("/etc/hostname")
    assert Presence(pod).others() == ()
    note.unlink()
    (pod.parent / FOLDER).rmdir()
    elsewhere = pod.parent / "elsewhere"
    elsewhere.mkdir()
    (pod.parent / FOLDER).symlink_to(elsewhere)
    here = Presence(pod)
    here.enter()
    assert list(elsewhere.iterdir()) == []
    here.leave()


def test_where_no_note_can_be_written_there_is_none(pod: Path) -> None:
    (pod.parent / FOLDER).write_text("in the way")
    here = Presence(pod)
    here.enter()
    here.beat()
    assert here.others() == ()
    here.leave()
    assert (pod.parent / FOLDER).read_text() == "in the way"


def test_who_left_before_the_disk_answered_leaves_nothing(pod: Path) -> None:
    here = Presence(pod)
    here.leave()
    here.enter()
    assert not (pod.parent / FOLDER).exists()
