"""The installed command in a real pseudo-terminal, read through a terminal emulator."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.terminal.terminal import COMMAND, PATIENCE, Terminal
from toposmith.tui.abnormal_exit import HANGUP_CODE


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


@pytest.mark.slow
def test_the_installed_command_opens_a_superpod_and_quits(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal([str(COMMAND), "dgx-h100-superpod-4su"], tmp_path)
    terminals.append(terminal)
    shown = terminal.wait_for("1,016 GPUs")
    assert "Toposmith" in shown
    terminal.wait_for("findings (f)")
    terminal.press("v")
    terminal.wait_for("NVLSTree Simple")
    terminal.press("q")
    assert terminal.wait_for_end() == 0


@pytest.mark.slow
def test_python_m_tui_starts_at_the_saved_designs(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal([sys.executable, "-m", "toposmith"], tmp_path, 80, 24)
    terminals.append(terminal)
    assert "dgx-b200-superpod-64su" in terminal.wait_for("a100-rack-1x100gbe")
    terminal.press("q")
    assert terminal.wait_for_end() == 0


@pytest.mark.slow
def test_a_dropped_connection_keeps_unsaved_work(tmp_path: Path, terminals: list[Terminal]) -> None:
    first = Terminal([str(COMMAND), "a100-rack-1x100gbe"], tmp_path)
    terminals.append(first)
    first.wait_for("limits")
    first.press("+")
    first.wait_for("72 GPUs")
    first.hang_up()
    first.process.wait(timeout=PATIENCE)
    again = Terminal([str(COMMAND)], tmp_path)
    terminals.append(again)
    assert "a100-rack-1x100gbe" in again.wait_for("unsaved work of an earlier run")


@pytest.mark.slow
def test_a_terminal_that_goes_without_a_signal_does_not_leave_the_app_behind(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    command = [sys.executable, "-m", "toposmith", "dgx-h100-superpod-1su"]
    terminal = Terminal(command, tmp_path, controlling=False)
    terminals.append(terminal)
    terminal.wait_for("GB/s per GPU")
    terminal.hang_up()
    assert terminal.process.wait(timeout=300) == HANGUP_CODE


def test_what_a_lost_terminal_does_not_take_leaves_the_exit_code_alone() -> None:
    program = (
        "import os, sys; from toposmith.terminal import drop_unwritten; "
        "sys.stdout.write('last words'); drop_unwritten(); sys.exit(129)"
    )
    reading, writing = os.pipe()
    os.close(reading)
    python = [sys.executable, "-E", "-c"]  # PYTHONUNBUFFERED would write at once
    ended = subprocess.run([*python, program], stdout=writing, timeout=300, check=False)
    os.close(writing)
    assert ended.returncode == HANGUP_CODE


@pytest.mark.slow
def test_kill_9_loses_neither_the_design_nor_its_history(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    first = Terminal([str(COMMAND), "a100-rack-1x100gbe"], tmp_path)
    terminals.append(first)
    first.wait_for("limits")
    first.press("+")
    first.wait_for("72 GPUs")
    first.press("+")
    first.wait_for("80 GPUs")
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait(timeout=PATIENCE)
    again = Terminal([str(COMMAND)], tmp_path)
    terminals.append(again)
    again.wait_for("unsaved work of an earlier run")
    again.press("\r")
    again.wait_for("80 GPUs")
    again.press("u")
    again.wait_for("72 GPUs")


@pytest.mark.slow
def test_resizing_at_any_moment_while_typing_leaves_a_whole_screen(
    tmp_path: Path, terminals: list[Terminal]
) -> None:
    terminal = Terminal([str(COMMAND), "a100-rack-1x100gbe"], tmp_path)
    terminals.append(terminal)
    terminal.wait_for("limits")
    terminal.press("/")
    for turn, letter in enumerate("qm97 ndr"):
        terminal.resize(80 + 17 * (turn % 4), 24 + 5 * (turn % 3))
        terminal.press(letter)
    terminal.resize(120, 36)
    shown = terminal.wait_for("qm97 ndr")
    lines = shown.splitlines()
    assert lines[0].lstrip().startswith("Toposmith")
    assert "GB/s per GPU" in terminal.wait_for("GB/s per GPU")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "colours"),
    [
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "screen"}, True),
        ({"TERM": "vt100"}, False),
        ({"TERM": "xterm-256color", "LC_ALL": "C", "NO_COLOR": "1"}, False),
    ],
    ids=["256 colours", "16 colours", "no colours", "ASCII, NO_COLOR"],
)
def test_every_terminal_shows_the_figure_and_the_link_that_limits(
    tmp_path: Path, terminals: list[Terminal], settings: dict[str, str], colours: bool
) -> None:
    terminal = Terminal([str(COMMAND), "a100-rack-1x100gbe"], tmp_path, settings=settings)
    terminals.append(terminal)
    shown = terminal.wait_for("findings (f)")
    assert "GB/s per GPU" in shown
    assert bool(terminal.hues()) == colours
    if settings.get("LC_ALL") == "C":
        assert shown.isascii()
