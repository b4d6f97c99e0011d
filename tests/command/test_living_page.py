"""The page on a cluster over the years: its commands run as they stand, and keep what they say."""

from __future__ import annotations

import csv
import io
import re
import shlex
import subprocess
from pathlib import Path

from tests.command.shell import Outcome, Shell

PAGE = (Path(__file__).parents[2] / "docs" / "living.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ {4}((?:toposmith|sed) .+)$", PAGE, re.MULTILINE)


def run(shell: Shell, command: str) -> Outcome | None:
    if command.startswith("toposmith "):
        return shell(*shlex.split(command)[1:])
    subprocess.run(command, shell=True, check=True, cwd=shell.folder)
    return None


def lines_of(lock: str, kind: str = "c\t") -> set[str]:
    return {line for line in lock.splitlines() if line.startswith(kind)}


def rows(text: str) -> set[tuple[str, ...]]:
    return set(map(tuple, csv.reader(io.StringIO(text.removeprefix("\ufeff")))))


def test_all_commands_of_the_page_run_and_every_cable_that_stays_keeps_its_row(
    shell: Shell,
) -> None:
    found = re.search(r"```yaml\n(.+?)```", PAGE, re.DOTALL)
    assert found is not None
    shell.file("pod.yaml", found.group(1))
    accepted: list[str] = []
    said: dict[str, str] = {}
    schedule: set[tuple[str, ...]] = set()
    for command in COMMANDS:
        outcome = run(shell, command)
        crossed = command.endswith("--list todo.txt")  # a dump with faults exits 1
        assert outcome is None or outcome.code == crossed, (command, outcome)
        said.setdefault(command, "")
        said[command] += outcome.out + outcome.err if outcome else ""
        if command.endswith("--accept"):
            accepted.append((shell.folder / "pod.lock").read_text("utf-8"))
        if (shell.folder / "pod.lock").exists():
            # what was scheduled and stays is scheduled alike, byte for byte
            now = rows(shell("export", "pod.yaml", "--to", "cables", "-o", "-").out)
            if "accept" not in command and "crossed" not in command:
                assert schedule <= now, command
            schedule = now
    built, grown, replaced, crossed_lock, repaired = accepted
    assert lines_of(built) < lines_of(grown)
    assert lines_of(built, "d\t") < lines_of(grown, "d\t")
    # 8 x 8 cables and 8 x 4 x 2 in each of two units
    assert (len(lines_of(built)), len(lines_of(grown))) == (128, 256)
    assert lines_of(replaced) == lines_of(grown)
    assert len(lines_of(replaced, "d\t") - lines_of(grown, "d\t")) == 1
    assert (
        "spine-1 is another device: guid 0x200009 -> 0xabcde"
        in said["toposmith asbuilt pod.yaml replaced.topo --accept"]
    )
    assert len(lines_of(crossed_lock) - lines_of(replaced)) == 2
    order = said["toposmith change pod.yaml"]
    assert "1 connection to lay, 1 connection to move by one end, 1 connection to pull" in order
    assert lines_of(repaired, "d\t") == lines_of(replaced, "d\t")
    # the two that were crossed may have exchanged their labels, as they were moved
    assert len(lines_of(repaired) - lines_of(replaced)) in (0, 2)
    assert {tuple(line.split("\t")[1:5]) for line in lines_of(repaired)} == {
        tuple(line.split("\t")[1:5]) for line in lines_of(replaced)
    }
    assert "approved" in said["toposmith review pod.yaml --status"]
