"""Edits of the workload of a design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.design.edits import Edit
from toposmith.tui.designer.designer import Designer
from toposmith.workloads.block import workload_of

if TYPE_CHECKING:
    from toposmith.workloads.divisibility import ParallelSizes


def take_layout(designer: Designer, split: ParallelSizes) -> None:
    """Make a layout that was found the workload's."""
    present = dict(designer.editing.design.workload or {})
    found = split.block.model_dump(mode="json", exclude_defaults=True)
    present["layout"] = {**found, "dp": split.dp}
    if designer.editing.make(workload_edit(designer, present)):
        designer.messages.say(f"the workload runs as {split} now")


def workload_edit(designer: Designer, block: dict[str, Any] | None) -> Edit:
    """The design with this workload; raises WorkloadError where it cannot be read."""
    if block is not None:
        told = workload_of(block)
        label = f"workload {told.model.name or 'with its own dimensions'}"
    else:
        label = "no workload"
    design = designer.editing.design.model_copy(update={"workload": block})
    return Edit(design, label)
