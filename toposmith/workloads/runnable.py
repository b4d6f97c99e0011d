"""Whether and on which nodes a workload can run as it is written, without any figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toposmith.analysis.jobs.world import NodeBlock, world
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.refused import refusal
from toposmith.catalog import Catalog
from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, at_block, found
from toposmith.text import counted
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import Workload, workload_of
from toposmith.workloads.divisibility import (
    ParallelSizes,
    batch_problems,
    cluster_problems,
    even_dp,
    lie_evenly,
    model_problems,
    node_gpus,
    split_of,
)
from toposmith.workloads.model import WorkloadError


def on_first_nodes(plan: Plan, nodes: int, each: int | None = None) -> Plan:
    """The plan with all nodes after the first so many, in rank order, out of the job.

    They are marked as absent, which leaves every port where it is. With ``each`` so many of every
    NVLink domain at most.
    """
    left, idle = nodes, []
    for domain in world(plan).domains:
        inside = left if each is None else min(left, each)
        for block in domain:
            for low, high in block.runs:
                taken = min(inside, high - low + 1)
                inside -= taken
                left -= taken
                if low + taken <= high:
                    idle.append(_selector(block, low + taken, high))
    return replace(plan, absent=(*plan.absent, *idle)) if idle else plan


def _selector(block: NodeBlock, low: int, high: int) -> Selector:
    group = block.group
    at = [(axis, where, where) for axis, where in zip(group.axes, block.outer, strict=False)]
    ranges = (*at, (group.axes[-1], low, high))
    words = ",".join(f"{axis}={a}..{b}" for axis, a, b in ranges)
    return Selector(f"{group.name}[{words}]", Selection(group.name, ranges))


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
    even = lie_evenly(split, size)
    fills = split.gpus % size == 0 or (split.gpus < size and split.gpus % tray == 0)
    return split.gpus if even and fills and split.expert_ranks % split.ep == 0 else 0


def require_runnable(plan: Plan, workload: Workload) -> None:
    """Refuse what asks for nothing, and designs out of proportion.

    Raises
    ------
    WorkloadError
        With the reason.
    """
    if workload.training is None and workload.serving is None:
        raise WorkloadError(["workload: neither training nor serving; add one of them"])
    refused = refusal(ComputeNetwork(plan))
    if refused is not None:
        raise WorkloadError([f"design: {refused.text}"])


def even_gpus(plan: Plan) -> int:
    """GPUs of which a job on several nodes takes a whole number: a node's, or an NVLink rack's."""
    known = world(plan).nccl_node_gpus
    return known[0] if len(known) == 1 else node_gpus(plan)


def known_split(plan: Plan, workload: Workload) -> ParallelSizes:
    """The layout with all sizes; where dp is open, as many copies as divide the batch."""
    per_node, gpus = even_gpus(plan), world(plan).gpus
    split = split_of(workload.layout, gpus)
    if workload.training is None:
        return replace(split, dp=1)
    if workload.layout.dp is None:
        return replace(split, dp=even_dp(split, gpus, per_node, workload.training.batch))
    return split


def workload_that_divides(block: Mapping[str, Any]) -> Workload:
    """Read a workload; of one that cannot be read, say what does not divide its model, too.

    Raises
    ------
    WorkloadError
        What of the layout does not divide the model, then what is missing or unknown.
    """
    try:
        return workload_of(block)
    except WorkloadError as unread:
        try:
            alone = workload_of({key: block[key] for key in ("model", "layout") if key in block})
        except WorkloadError:
            raise unread from None
        raise WorkloadError(
            [*model_problems(alone.model, alone.layout), *unread.problems]
        ) from None


def split_problems(plan: Plan, workload: Workload, split: ParallelSizes) -> list[str]:
    """What of a layout does not divide model, batch or cluster, each with what works."""
    per_node, gpus = node_gpus(plan), world(plan).gpus
    problems = model_problems(workload.placed_model, workload.layout)
    if workload.training is not None:
        unfit = cluster_problems(split, gpus, per_node)
        # Copies follow from the layout: a batch is judged only where the layout itself fits.
        problems += unfit
        problems = problems or batch_problems(split, workload.training)
    if workload.serving is not None:
        problems += _copy_problems(workload, gpus, per_node)
    return problems


def _copy_problems(workload: Workload, gpus: int, per_node: int) -> list[str]:
    """What of a copy that serves the model does not fit the cluster."""
    split = ParallelSizes(workload.layout, 1)
    stages = split.tp * split.pp
    copy = max(stages, split.ep)
    if copy % stages:
        text = f"layout.ep: {split.ep} is not a multiple of tp x pp = {stages}"
        return [f"{text}; {-(-split.ep // stages) * stages} works"]
    if copy > gpus:
        text = f"layout: a copy takes {counted(copy, 'GPU')}, there are {gpus:,}"
        return [f"{text}; tp x pp of at most {gpus:,} works"]
    if copy > per_node and copy % per_node:
        gpus_of_copy = counted(copy, "GPU")
        text = f"layout: a copy takes {gpus_of_copy}, not a multiple of the {per_node} of a node"
        return [f"{text}; {-(-copy // per_node) * per_node} works"]
    return []


def workload_findings(plan: Plan, catalog: Catalog) -> tuple[Finding, ...]:
    """What is wrong with the ``workload:`` block of a design, a finding for each problem.

    A design without GPUs says so elsewhere, and one without a block has nothing wrong.
    """
    block = plan.design.workload
    if block is None:
        return ()
    words = (each.removeprefix("workload: ") for each in _problems(plan, catalog, block))
    return tuple(
        found("bad-workload", at_block("workload"), reason=each.removeprefix("workload."))
        for each in words
    )


def _problems(plan: Plan, catalog: Catalog, block: Mapping[str, Any]) -> Iterable[str]:
    """Why a block cannot be read or cannot run."""
    try:
        workload = workload_of(block)
        require_runnable(plan, workload)
        if not world(plan).gpus:
            return ()
        plan = segmented(plan, workload)
        split = known_split(plan, workload)
        return split_problems(plan, workload, split) or _lacking(plan, catalog, workload)
    except WorkloadError as wrong:
        return wrong.problems


def _lacking(plan: Plan, catalog: Catalog, workload: Workload) -> Iterable[str]:
    """A precision that the GPUs lack; what the catalog does not know of them is not judged."""
    try:
        gpu = accelerator(plan, catalog)
    except WorkloadError:
        return ()
    for run in (workload.training, workload.serving):
        if run is not None:
            gpu.peak_flops(run.precision)
    return ()
