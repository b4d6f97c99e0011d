"""The cluster as one service: the copies of a model that fill it, and the nodes they take."""

from __future__ import annotations

from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import Workload
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.first_nodes import on_first_nodes
from toposmith.workloads.serving import Server


def times_on(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None, nodes: int
) -> CollectiveTimes:
    """Predictions on the first so many nodes of a design."""
    part = on_first_nodes(plan, nodes)
    return CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)


def server_of(
    plan: Plan,
    catalog: Catalog,
    workload: Workload,
    request: Request | None,
    gpus: int,
    per_node: int,
) -> Server:
    """The cluster as one service: its copies, on as many nodes as these fill."""
    assert workload.serving is not None
    split = ParallelSizes(workload.layout, 1)
    copy = max(split.tp * split.pp, split.ep)
    nodes = gpus // per_node
    if copy > per_node:
        nodes -= nodes % (copy // per_node)
    if workload.serving.disaggregated and nodes > 1:
        nodes -= nodes % 2
    times = times_on(plan, catalog, workload, request, nodes)
    gpu = accelerator(times.plan, catalog)
    return Server(workload.model, split, workload.serving, gpu, times)
