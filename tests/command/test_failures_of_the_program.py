"""A failure that nobody foresaw ends a command with a code of its own, and never with 1.

Code 1 says that something was found, or that two things differ: a script would believe it.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from tests.command.shell import SOUND, Shell
from toposmith.command.main import COMMANDS
from toposmith.crash import FAILED
from toposmith.design import loader

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "analyze": ("good.yaml",),
    "asbuilt": ("good.yaml", "good.yaml"),
    "bom": ("good.yaml",),
    "catalog import": ("good.yaml",),
    "catalog show": ("qm9700",),
    "change": ("good.yaml", "good.yaml"),
    "check": ("good.yaml",),
    "serve": ("good.yaml",),
    "compare": ("good.yaml", "good.yaml"),
    "design": ("--nodes", "4", "--part", "dgx-h100", "--need", "all_reduce=10"),
    "diff": ("good.yaml", "good.yaml"),
    "export": ("good.yaml", "--to", "json"),
    "failures": ("good.yaml",),
    "fix": ("good.yaml",),
    "jobs": ("good.yaml", "2 nodes, all_reduce", "2 nodes, all_reduce"),
    "lock": ("good.yaml",),
    "measured": ("good.yaml",),
    "new": ("leaf-spine",),
    "require": ("good.yaml",),
    "review": ("good.yaml",),
    "workload": ("good.yaml",),
}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its name; of a group those in it."""
    for name, entry in COMMANDS.items():
        command = getattr(import_module(f"toposmith.command.{entry.module}"), name)
        if isinstance(command, click.Group):
            for inner, inside in command.commands.items():
                yield f"{name} {inner}", inside
        else:
            yield name, command


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_a_planted_bug_ends_with_a_code_of_its_own_and_a_log(
    name: str, command: click.Command, shell: Shell, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(**_: object) -> None:
        raise KeyError("planted\x1b[2J")

    shell.file("good.yaml", SOUND)
    monkeypatch.setattr(command, "callback", planted)
    done = shell(*name.split(), *ARGUMENTS.get(name, ()))
    assert done.code == FAILED == 70, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("toposmith failed: KeyError:")
    assert "\x1b" not in line
    log = Path(line.rpartition("the log is ")[2])
    assert log.is_relative_to(own_home)
    assert "planted" in log.read_text()


def test_a_bug_deep_in_a_reader_leaves_what_is_there_and_names_its_place(
    shell: Shell, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.file("good.yaml", SOUND)
    shell.file("bill.yaml", "kept")

    def planted(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(loader, "_plain", planted)
    done = shell("bom", "good.yaml", "-o", "bill.yaml", "--force")
    assert done.code == FAILED
    assert "RecursionError" in done.err and "test_failures_of_the_program.py:" in done.err
    assert Path("bill.yaml").read_text() == "kept"


def test_a_log_that_cannot_be_written_is_said(
    shell: Shell, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.file("good.yaml", SOUND)
    (own_home / "state").write_text("a file where a folder should be")
    monkeypatch.setattr(loader, "_plain", None)
    done = shell("check", "good.yaml")
    assert done.code == FAILED
    assert "the log could not be written" in done.err
