"""Tests see the parts that come with the program, never those of the developer who runs them."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.internal.conjecture import providers

# Set before any test module is imported: many read the catalog while they are.
os.environ["XDG_CONFIG_HOME"] = str(Path(__file__).parent / "no-such-folder")

from tests.command.shell import Shell

# Examples are as true on a busy machine, where they take longer, and the same ones in each run:
# others are tried in ``bench.examples``, which makes those that fail small. Read while modules are
# imported.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
# Nor do they depend on what else is imported: otherwise they are drawn from the constants of all
# modules, each of which is parsed for it.
providers._get_local_constants = lambda: providers._local_constants

# A shell makes what it starts in the background ignore Ctrl+C; tests press it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

A_FEW_TESTS = 200_000
"""Objects made before the young ones are looked through for garbage; Python's own is 700."""


gc.disable()  # hardly anything of what is imported and collected is garbage: a third of its time


def pytest_collection_finish() -> None:
    """What was imported and collected is never garbage: it is not looked through again."""
    gc.enable()
    gc.collect()
    gc.freeze()
    gc.set_threshold(A_FEW_TESTS, 10, 10)


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for name in ("STATE", "CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    return home


@pytest.fixture
def work_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, tmp_path)
