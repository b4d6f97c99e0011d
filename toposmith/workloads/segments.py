"""The trays of each NVLink rack that a layout's groups fill evenly: 16 of 18, for experts on 64."""

from __future__ import annotations

from dataclasses import replace

from toposmith.analysis.jobs.world import world
from toposmith.fabric.plan import Plan
from toposmith.workloads.block import Workload
from toposmith.workloads.divisibility import DIMENSIONS, ParallelSizes, even_dp, node_gpus, split_of
from toposmith.workloads.first_nodes import on_first_nodes
from toposmith.workloads.model import WorkloadError


def segmented(plan: Plan, workload: Workload) -> Plan:
    """The plan with as many trays of each rack as ``layout.segment`` says, else as serve most GPUs.

    Groups lie evenly in such segments, or over several of them where they are larger; the other
    trays stay idle. A design without racks of joined trays is as it was.

    Raises
    ------
    WorkloadError
        If the segment that is asked for is no number of whole trays of a rack.
    """
    found, tray, asked = world(plan), node_gpus(plan), workload.layout.segment
    whole = max(found.nccl_node_gpus)
    if asked is not None and (asked % tray or asked > whole):
        text = f"layout.segment: {asked} GPUs are no whole trays of {tray} in a rack of {whole}"
        raise WorkloadError([f"{text}; {min(whole, -(-asked // tray) * tray)} works"])
    if not found.joined or len(found.nccl_node_gpus) > 1:
        return plan
    sizes = range(tray, whole + 1, tray) if asked is None else (asked,)
    racks = found.gpus // whole
    segment = max(sizes, key=lambda size: (_used(workload, size, racks, tray), size))
    return on_first_nodes(plan, found.nodes, each=segment // tray)


def _used(workload: Workload, size: int, racks: int, tray: int) -> int:
    """GPUs of so many segments that a layout takes with its groups lying evenly."""
    if workload.training is None:
        split = ParallelSizes(workload.layout, 1)
        copy = max(split.tp * split.pp, split.ep)
        if size % copy and copy % size:
            return 0
        return size * racks // copy * copy
    split = split_of(workload.layout, size * racks)
    if workload.layout.dp is None:
        is_open = "batch" not in workload.training.model_fields_set
        batch = 0 if is_open else workload.training.batch
        split = replace(split, dp=even_dp(split, size * racks, size, batch))
    if not split.dp:  # not one copy of the model has room
        return 0
    layouts = [(kind, split.communicator(kind)) for kind in DIMENSIONS]
    even = all(
        _lies_evenly(layout.size(kind), layout.stride(kind), size)
        for kind, layout in layouts
        if kind in dict(layout.sizes)
    )
    fills = split.gpus % size == 0 or (split.gpus < size and split.gpus % tray == 0)
    return split.gpus if even and fills and split.expert_ranks % split.ep == 0 else 0


def _lies_evenly(ranks: int, stride: int, size: int) -> bool:
    """Whether groups fit into segments, have a rank in each, or as many in each of several."""
    span = ranks * stride
    return size % span == 0 or stride % size == 0 or (size % stride == 0 and span % size == 0)
