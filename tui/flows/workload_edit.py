"""Edits of the workload of a design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.topology.design.edits import Edit
from toposmith.tui.desk import Desk

if TYPE_CHECKING:
    from toposmith.topology.workloads.splitting import Split


def take_layout(desk: Desk, split: Split) -> None:
    """Make a layout that was found the workload's."""
    present = dict(desk.workbench.design.workload or {})
    found = split.block.model_dump(mode="json", exclude_defaults=True)
    present["layout"] = {**found, "dp": split.dp}
    if desk.make(workload_edit(desk, present)):
        desk.say(f"the workload runs as {split} now")


def workload_edit(desk: Desk, block: dict[str, Any] | None) -> Edit:
    """The design with this workload; raises WorkloadError where it cannot be read."""
    from toposmith.topology.workloads.block import workload_of

    if block is not None:
        told = workload_of(block)
        label = f"workload {told.model.name or 'of its own dimensions'}"
    else:
        label = "no workload"
    design = desk.workbench.design.model_copy(update={"workload": block})
    return Edit(design, label)
