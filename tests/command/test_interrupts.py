"""Ctrl+C at a random moment, in the real command: out with 130 and a line that says so."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.endurance.interrupts import interrupt, write_designs


@pytest.mark.parametrize("command", ["lock", "fix", "new", "failures"])
def test_a_command_at_work_is_interrupted_cleanly(command: str, tmp_path: Path) -> None:
    write_designs(tmp_path)
    run = interrupt(command, tmp_path, random.Random(command), (0.6, 1.6))
    assert run is not None, "it was through before"
    assert not run.faults
