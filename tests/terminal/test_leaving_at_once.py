"""Whoever leaves the app is out of it: neither a thread nor the screen itself is waited for."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.endurance.quits import faults_of_files, faults_of_terminal, quit_once
from tests.terminal.terminal import PATIENCE, Terminal
from toposmith.tui.keeping.journal import told
from toposmith.tui.keeping.recovery import design_of

DESIGN = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], cables: 1}
"""
MINUTES = 10
DEAF_FIGURES = f"""
import sys
from time import monotonic
from toposmith.command.main import main
from toposmith.tui.designer import figure_jobs

def deaf(*_):
    until = monotonic() + 60 * {MINUTES}
    while monotonic() < until:
        sum(range(1000))

figure_jobs.figure = deaf
sys.argv = ["toposmith", "pod.yaml"]
sys.exit(main())
"""
"""The app with figures that take ten minutes, and never look whether they are still wanted."""

DEAF_LOOP = f"""
import sys
from time import sleep
from toposmith.command.main import main
from toposmith.tui.designer.editing import Editing

def deaf(self):
    for _ in range(60 * {MINUTES} * 100):
        sleep(0.01)

Editing.undo = deaf
sys.argv = ["toposmith", "pod.yaml"]
sys.exit(main())
"""
"""The app whose undo holds up the screen itself for ten minutes."""


def at_work(home: Path, program: str, shown: str, *, controlling: bool = True) -> Terminal:
    """The app on a design to which a node was added, which is in the journal only."""
    home.mkdir()
    (home / "pod.yaml").write_text(DESIGN, encoding="utf-8")
    terminal = Terminal(
        [sys.executable, "-c", program], home, controlling=controlling, keep_written=True
    )
    terminal.wait_for(shown)
    terminal.press("+")
    terminal.wait_for("node: count 9")
    return terminal


def press_q_and_ctrl_c(terminal: Terminal) -> None:
    terminal.press("q")
    terminal.wait_for("changes that are not saved")
    terminal.press("d")
    terminal.press("\x03\x03")


def send(number: signal.Signals) -> Callable[[Terminal], None]:
    return lambda terminal: os.kill(terminal.process.pid, number)


LEFT = {
    "q, Ctrl+C": (press_q_and_ctrl_c, 0),
    "SIGTERM": (send(signal.SIGTERM), 143),
    "SIGINT": (send(signal.SIGINT), 130),
    "dropped line": (Terminal.hang_up, 129),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", LEFT)
def test_figures_that_take_minutes_and_never_look_do_not_hold_the_app(
    tmp_path: Path, way: str
) -> None:
    leave, code = LEFT[way]
    terminal = at_work(tmp_path / "home", DEAF_FIGURES, "computing")
    try:
        leave(terminal)
        if way == "dropped line":
            assert terminal.process.wait(timeout=PATIENCE) == code
        else:
            assert terminal.wait_for_end() == code
            terminal.read_for(0.1)
            assert faults_of_terminal(bytes(terminal.written)) == []
    finally:
        terminal.close()
    assert faults_of_files(tmp_path / "home") == []
    assert nodes_kept(tmp_path) == ([] if way == "q, Ctrl+C" else [9])


@pytest.mark.slow
@pytest.mark.parametrize("way", ["Ctrl+Q", "SIGTERM", "terminal gone"])
def test_a_screen_that_does_not_answer_is_left_with_the_work_in_the_journal(
    tmp_path: Path, way: str
) -> None:
    controlling = way != "terminal gone"
    terminal = at_work(tmp_path / "home", DEAF_LOOP, "GB/s per GPU", controlling=controlling)
    try:
        terminal.press("u")
        terminal.read_for(0.5)
        if way == "terminal gone":
            terminal.hang_up()
            assert terminal.process.wait(timeout=PATIENCE) == 129
        else:
            if way == "Ctrl+Q":
                terminal.press("\x11")
            else:
                send(signal.SIGTERM)(terminal)
            assert terminal.wait_for_end() == (0 if way == "Ctrl+Q" else 143)
            terminal.read_for(0.1)
            assert faults_of_terminal(bytes(terminal.written)) == []
            if way == "Ctrl+Q":
                assert "your unsaved work is in" in terminal.shown()
    finally:
        terminal.close()
    assert faults_of_files(tmp_path / "home") == []
    assert nodes_kept(tmp_path) == [9]


@pytest.mark.slow
def test_the_app_is_left_at_a_random_moment(tmp_path: Path) -> None:
    left = quit_once(random.Random(5), tmp_path, 0, "Ctrl+Q", "rack")
    assert left.faults == ()


def nodes_kept(folder: Path) -> list[int]:
    """The nodes of the design that each journal holds."""
    journals = [told(path.read_text(encoding="ascii")) for path in folder.rglob("*.journal")]
    steps = [journal.steps[journal.position] for journal in journals if journal is not None]
    assert len(steps) == len(journals)
    return [design_of(step.design).groups["node"].count for step in steps]
