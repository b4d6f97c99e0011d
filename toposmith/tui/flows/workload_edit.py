"""Edits of the workload of a design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.design.edits import Edit
from toposmith.tui.asking import Act, Here
from toposmith.workloads.block import workload_of

if TYPE_CHECKING:
    from toposmith.workloads.divisibility import ParallelSizes


def take_layout(here: Here, split: ParallelSizes) -> Act:
    """Make a layout that was found the workload's, and show what it gets."""
    present = dict(here.design.workload or {})
    found = split.block.model_dump(mode="json", exclude_defaults=True)
    present["layout"] = {**found, "dp": split.dp}
    edit = workload_edit(here, present)

    def take(designer: Any) -> None:
        if designer.editing.make(edit):
            designer.messages.say(f"the workload runs as {split} now")
        designer.panels.show_view("workload")

    return Act(take)


def workload_edit(here: Here, block: dict[str, Any] | None) -> Edit:
    """The design with this workload; raises WorkloadError where it cannot be read."""
    if block is not None:
        told = workload_of(block)
        label = f"workload {told.model.name or 'with its own dimensions'}"
    else:
        label = "no workload"
    return Edit(here.design.model_copy(update={"workload": block}), label)
