"""Nobody waits without a word: long work says on stderr that it goes on, and Ctrl+C ends it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest

from tests.command.shell import Shell
from toposmith.cancellation import go_on
from toposmith.command import patience
from toposmith.command.main import COMMANDS
from toposmith.command.patience import (
    CommandWatch,
    KeepsWhatIsDone,
    count_done,
    doing,
    watched_command,
)
from toposmith.design.stored_files import save_pieces


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have gone by."""
    now = [0.0]
    monkeypatch.setattr(patience, "monotonic", lambda: now[0])
    return now


def told_at(watch: CommandWatch, clock: list[float], *seconds: float) -> None:
    for now in seconds:
        clock[0] = now
        watch.say_if_due()


def test_work_that_takes_long_says_so_within_three_seconds_then_now_and_then(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    watch = CommandWatch(owns_process=False)
    watch.start("planning steps")
    told_at(watch, clock, 1, 2, 2.5, 4, 12, 12.5, 13)
    said = capsys.readouterr()
    assert said.err.splitlines() == ["planning steps, 2 s", "planning steps, 12 s"]
    assert said.out == ""


def test_what_is_counted_is_said_with_it(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with watched_command(owns_process=False) as watch:
        watch.start("searching")
        with doing("looking at failures"):
            assert count_done(3, 1200)
            told_at(watch, clock, 4)
        told_at(watch, clock, 20)
    assert capsys.readouterr().err.splitlines() == [
        "looking at failures, 3 of 1,200, 4 s",
        "searching, 20 s",
    ]


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the streams of now, which are other ones before a test begins, be a terminal."""
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)


def test_on_a_terminal_it_is_one_line_that_goes_away_before_output(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    watch = CommandWatch(owns_process=False)
    watch.start("analyzing")
    told_at(watch, clock, 0.5, 2)
    assert capsys.readouterr().err == "\ranalyzing, 2 s; Ctrl+C stops\x1b[K"
    watch.make_room()
    watch.make_room()
    assert capsys.readouterr().err == "\r\x1b[K"


def test_nothing_is_put_into_a_line_of_data_on_the_same_terminal(
    clock: list[float], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    watch = CommandWatch(owns_process=False)
    watch.start("exporting")
    watch.make_room(is_within_line=True)
    told_at(watch, clock, 60)
    watch.make_room()
    told_at(watch, clock, 60.5)
    assert capsys.readouterr().err == ""
    told_at(watch, clock, 62)
    assert "exporting, 62 s" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_ctrl_c_ended(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    command = getattr(import_module(f"toposmith.command.{COMMANDS[name].module}"), name)

    def interrupted(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(command, "make_context", interrupted)
    done = shell(name)
    assert (done.code, done.out) == (130, "")
    words = f"interrupted while {COMMANDS[name].doing}, after "
    assert re.fullmatch(re.escape(words) + r"\d+ s\n", done.err)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_no_name_of_work_is_missing_or_reads_like_a_title() -> None:
    for name, entry in COMMANDS.items():
        first = entry.doing.split()[0]
        assert first.endswith("ing") or " " in entry.doing, name
        assert entry.doing == entry.doing.lower(), name


def test_ctrl_c_within_a_destructor_is_not_lost() -> None:
    class Closing:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), watched_command(owns_process=False):
        closing = Closing()
        del closing
        for _ in range(6_000):  # an end, also where this fails
            sleep(0.01)
        pytest.fail("the interrupt was swallowed")


def test_another_fault_of_a_destructor_is_still_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(sys, "__unraisablehook__", reported.append)
    fault = SimpleNamespace(exc_value=OSError("x"))
    CommandWatch(owns_process=False).take_back(fault)
    assert reported == [fault]


def press_in(*, look: bool) -> Any:
    """A step in which somebody presses Ctrl+C, and which never ends by itself."""
    signal.raise_signal(signal.SIGINT)
    while True:
        if look:
            go_on()


@pytest.mark.parametrize("look", [True, False], ids=["that looks", "that never looks"])
@pytest.mark.parametrize("share", [0.5, 1.0], ids=["of a search", "that may be completed"])
def test_a_step_is_stopped_and_those_before_it_are_kept(look: bool, share: float) -> None:
    with watched_command(owns_process=False), KeepsWhatIsDone(finishing=0.05) as limit:
        done = [limit.run(lambda: 1, share), limit.run(lambda: press_in(look=look), share)]
        done.append(limit.run(lambda: 3, 0.5))
    assert done == [1, None, None]
    assert limit.ended


def test_a_second_ctrl_c_ends_a_command_that_keeps_what_is_done() -> None:
    def twice() -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with (
        pytest.raises(KeyboardInterrupt),
        watched_command(owns_process=False),
        KeepsWhatIsDone(finishing=5.0) as limit,
    ):
        limit.run(twice)


DEAF = """
import sys
from time import sleep
from toposmith.command import analyze, main
from toposmith.design.stored_files import save_pieces

def pieces():
    yield b"begun"
    sys.stderr.write("at work\\n")
    sys.stderr.flush()
    for _ in range(6_000):  # an end, also where this fails
        try:
            sleep(0.05)
        except KeyboardInterrupt:
            pass

analyze.read_design = lambda file: save_pieces("out.csv", pieces())
sys.argv = ["toposmith", "check", "pod.yaml"]
sys.exit(main.main())
"""
"""A command that swallows every interrupt and would go on for minutes."""


def test_a_command_that_is_deaf_to_ctrl_c_ends_all_the_same_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    deaf = subprocess.Popen(
        [sys.executable, "-c", DEAF],
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert deaf.stderr is not None
    while deaf.stderr.readline() != "at work\n":
        assert deaf.poll() is None
    deaf.send_signal(signal.SIGINT)
    out, err = deaf.communicate(timeout=120)
    assert (deaf.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("interrupted while checking, after ")
    assert not list(tmp_path.glob("*.csv"))
    assert not list(tmp_path.glob(".toposmith-*"))


def test_what_is_written_piece_by_piece_is_removed_where_a_piece_fails(tmp_path: Path) -> None:
    def pieces() -> Any:
        yield b"begun"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_pieces(tmp_path / "out.csv", pieces())
    assert not list(tmp_path.glob("*.csv")) + list(tmp_path.glob(".toposmith-*"))
