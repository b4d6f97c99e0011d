"""The command line, as a script sees it: stdout, stderr and exit codes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from toposmith.command.main import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


class Shell:
    """Runs the command in this process, with a directory of its own."""

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.capsys = capsys
        self.folder = folder

    def __call__(self, *args: str) -> Outcome:
        code = main(args)
        captured = self.capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    def file(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, encoding="utf-8")
        return name


SOUND = """\
toposmith: 1
name: one switch
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 20}
"""
SIGNED = """\
toposmith: 1
name: eight rails, two spines
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""
"""A design that nothing is wrong with, so that a reviewer may sign it."""

OVERFULL = SOUND.replace("count: 4", "count: 9")
SHARED_NIC = """\
toposmith: 1
name: one NIC for eight GPUs
groups:
  node: {part: hgx-a100-8, count: 2, nics: {compute: {part: connectx-6-hdr, count: 1}}}
  leaf: {part: qm8700}
links:
  - {between: [node.compute, leaf], length: 1}
"""
