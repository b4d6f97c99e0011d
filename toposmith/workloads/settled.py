"""What a workload leaves open, chosen: a layout that serves or trains it best, and its batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.workloads.block import USUAL_BATCH, LayoutBlock, TrainingBlock, Workload
from toposmith.workloads.divisibility import even_dp, node_gpus, split_of, tensor_sizes
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import known_split, split_problems
from toposmith.workloads.server import server_of
from toposmith.workloads.service_targets import best_service

_MOST_TENSOR = 8
_STAGES = (1, 2, 4, 8, 16)
_EXPERT_GROUPS = (1, 8, 16, 32, 64, 128)


def settled(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None = None
) -> Workload:
    """A workload with layout and batch; those that it names stay as they are.

    A batch that is not named is near 1,024 sequences and fills the cluster. A layout that is not
    named is the quickest of those that fit; of a service the one that meets its targets with most
    tokens per second. What was chosen still counts as not said.
    """
    is_open = "layout" not in workload.model_fields_set
    if workload.training is not None and "batch" not in workload.training.model_fields_set:
        share = _even_share(plan) if is_open else _share(plan, workload.layout)
        batch = share * max(1, round(USUAL_BATCH / share))
        workload = _with(workload, training=_said(workload.training, batch))
    if not is_open:
        return workload
    if workload.training is not None:
        layout = _quickest(plan, catalog, workload, request)
    else:
        layout = _serving_most(plan, catalog, workload, request)
    chosen = LayoutBlock.model_construct(_fields_set=set(), **dict(layout))
    return _with(workload, layout=chosen)


def _with(workload: Workload, **changes: object) -> Workload:
    values = dict(workload) | changes
    return Workload.model_construct(_fields_set=workload.model_fields_set, **values)


def _said(training: TrainingBlock, batch: int) -> TrainingBlock:
    values = dict(training) | {"batch": batch}
    return TrainingBlock.model_construct(_fields_set=training.model_fields_set, **values)


def _even_share(plan: Plan) -> int:
    """Sequences of which any layout takes a whole number: a GPU's or, of many GPUs, a node's."""
    gpus = world(plan).gpus
    return max(1, gpus if gpus <= USUAL_BATCH else gpus // node_gpus(plan))


def _share(plan: Plan, layout: LayoutBlock) -> int:
    """Sequences that a layout on all GPUs takes at a time."""
    gpus = world(plan).gpus
    dp = layout.dp or even_dp(split_of(layout, gpus), gpus, node_gpus(plan), 0)
    return max(1, dp * layout.micro_batch * (layout.pp if layout.interleave > 1 else 1))


def _quickest(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None
) -> LayoutBlock:
    """The quickest layout of training that fits; with more run again and sharded if none does."""
    for variants in (Variants(), Variants(recompute=True), Variants(recompute=True, zero=True)):
        found = search(plan, catalog, workload, request=request, variants=variants)
        if found.fitting:
            break
    best = found.layouts[0].split
    return best.block.model_copy(update={"dp": best.dp})


def _serving_most(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None
) -> LayoutBlock:
    """The layout of a service that meets its targets with most tokens per second."""
    gpus, per_node = world(plan).gpus, node_gpus(plan)
    best, most, widest = None, (False, 0.0), workload.layout
    for layout in _served_layouts(plan, workload):
        tried = _with(workload, layout=layout)
        if split_problems(plan, tried, known_split(plan, tried)):
            continue
        if best is not None and layout.pp > best.pp:
            break  # more stages than are needed only add waiting
        widest = layout
        with suppress(WorkloadError):
            server = server_of(plan, catalog, tried, request, gpus, per_node)
            if server.largest_batch < 1:
                continue
            service, missed = best_service(server)
            if (reached := (not missed, service.tokens_per_s)) > most:
                best, most = layout, reached
    return best or widest


def _served_layouts(plan: Plan, workload: Workload) -> Iterator[LayoutBlock]:
    """Layouts of a copy, those of fewest stages first; experts are spread over one stage's GPUs."""
    model = workload.model
    inside = max(world(plan).nccl_node_gpus or (1,))
    sizes = [tp for tp in tensor_sizes(model) if tp <= _MOST_TENSOR and inside % tp == 0]
    for pp in _STAGES:
        for tp in sizes:
            for ep in _EXPERT_GROUPS if model.experts is not None else (1,):
                if ep == 1 or (pp == 1 and ep > tp):
                    yield workload.layout.model_copy(update={"tp": tp, "pp": pp, "ep": ep})
