"""Workloads in files of their own: taken from one, written to one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toposmith.design.edits import Edit
from toposmith.design.stored_files import load_text, save_file
from toposmith.tui.asking import Asking, Here, TextQuestion, Write, ask
from toposmith.tui.flows.path_questions import files_of, path_to
from toposmith.tui.flows.workload_edit import workload_edit
from toposmith.workloads.block import parse_workload, workload_text

FILE = Path("workload.yaml")


def read_workload(here: Here) -> Asking:
    """Take the workload of a file."""

    def read(text: str) -> Edit:
        path = Path(text.strip()).expanduser()
        return workload_edit(here, parse_workload(load_text(path)[0], str(path)))

    hint = "right arrow completes a name"
    return (yield from ask(TextQuestion("workload from", str(FILE), read, hint, file=True)))


def write_workload(here: Here, block: Mapping[str, Any]) -> Asking:
    """Write the workload to a file of its own; an existing one is not replaced unasked."""
    path = yield from path_to(here, "write the workload to", FILE, spared=files_of(here.session))

    def write() -> str:
        save_file(str(path), workload_text(block))
        return f"wrote the workload to {path}"

    return Write(write)
