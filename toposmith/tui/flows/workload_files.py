"""Workloads in files of their own: taken from one, written to one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toposmith.design.stored_files import load_text, save_file
from toposmith.errors import SaveError, ToposmithError
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.files import files_of, spared_words
from toposmith.tui.flows.workload_edit import workload_edit
from toposmith.tui.questions import Choice, Question
from toposmith.workloads.workload_file import parse_workload, workload_text


async def read_workload(designer: Designer) -> None:
    """Take the workload of a file."""

    def read(text: str) -> dict[str, Any]:
        path = Path(text.strip()).expanduser()
        block = parse_workload(load_text(path)[0], str(path))
        workload_edit(designer, block)
        return block

    text = await designer.questions.ask(
        Question(
            "workload from",
            "workload.yaml",
            "right arrow completes a name",
            file=True,
        )
    )
    if text is None:
        return
    try:
        designer.editing.make(workload_edit(designer, read(text)))
    except ToposmithError as wrong:
        designer.messages.say(" ".join(str(wrong).split()), "failed")


async def write_workload(designer: Designer, block: Mapping[str, Any]) -> None:
    """Write the workload to a file of its own; an existing one is not replaced unasked."""
    text = await designer.questions.ask(
        Question(
            "write the workload to",
            "workload.yaml",
            check=lambda text: spared_words(text.strip(), files_of(designer.editing.session)),
            file=True,
        )
    )
    if text is None or not text.strip():
        return
    path = Path(text.strip()).expanduser()
    try:
        if path.exists():
            replaced = await designer.questions.choose(
                f"{path} exists already",
                [Choice("replace", "replace it", "r"), Choice("keep", "keep it", "k")],
            )
            if replaced != "replace":
                return
        save_file(path, workload_text(block))
    except (SaveError, OSError, ValueError) as failed:
        designer.messages.say(str(failed), "failed")
        return
    designer.messages.say(f"wrote the workload to {path}")
