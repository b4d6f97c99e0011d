"""A workload on a design in one call: whether it can run, and all its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from catalog import Catalog
from topology.analysis.jobs.ranks import MAX_BLOCKS, blocks_of, world
from topology.analysis.request import Request
from topology.fabric.plan import Finding, Plan
from topology.workloads.accelerator import Accelerator, accelerator
from topology.workloads.block import Workload, workload_of
from topology.workloads.collective_times import CollectiveTimes
from topology.workloads.dividing import (
    batch_problems,
    cluster_problems,
    even_dp,
    model_problems,
    node_gpus,
)
from topology.workloads.fault import WorkloadError
from topology.workloads.findings import storage_findings, training_findings
from topology.workloads.first_nodes import on_first_nodes
from topology.workloads.service_targets import best_service
from topology.workloads.serving import Server, Service
from topology.workloads.splitting import Split, split_of
from topology.workloads.storage import StorageNeed, storage_need
from topology.workloads.training import Step, training_step


@dataclass(frozen=True)
class Assessment:
    """What a workload gets of a design.

    Parameters
    ----------
    design : str
        Its name.
    workload : Workload
        What was asked.
    gpus : int
        That the design has.
    split : Split
        The layout with all sizes.
    gpu : Accelerator
        What it runs on.
    step : Step or None
        Of training.
    service : Service or None
        Of serving.
    storage : StorageNeed or None
        Of training.
    findings : tuple of Finding
        What does not fit, misses its target, or should be known.
    """

    design: str
    workload: Workload
    gpus: int
    split: Split
    gpu: Accelerator
    step: Step | None
    service: Service | None
    storage: StorageNeed | None
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return not any(finding.severity == "error" for finding in self.findings)


def assess_block(
    plan: Plan, catalog: Catalog, block: Mapping[str, Any] | None, request: Request | None = None
) -> Assessment:
    """Assess the ``workload:`` block of a design; raises WorkloadError as :func:`assess` does."""
    if not block:
        raise WorkloadError(
            ["workload: the design has none; add a workload: block, or ask for one"]
        )
    return assess(plan, catalog, workload_of(block), request)


def assess(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None = None
) -> Assessment:
    """All figures of a workload on a design.

    Parameters
    ----------
    plan, catalog
        The design, understood, and its parts.
    workload : Workload
        What is to run.
    request : Request, optional
        NCCL's release and routing; the newest and ideal if not given.

    Raises
    ------
    WorkloadError
        If it cannot run as it is written: every reason with the nearest value that works.
    """
    if workload.training is None and workload.serving is None:
        raise WorkloadError(["workload: neither training nor serving; add one of them"])
    if blocks_of(plan) > MAX_BLOCKS:
        raise WorkloadError([f"design: nodes repeat over more than {MAX_BLOCKS:,} combinations"])
    per_node, gpus = node_gpus(plan), world(plan).gpus
    gpu = accelerator(plan, catalog)
    split = split_of(workload.layout, gpus)
    if workload.training is not None and workload.layout.dp is None:
        split = replace(split, dp=even_dp(split, gpus, per_node, workload.training.batch))
    elif workload.training is None:
        split = replace(split, dp=1)
    problems = model_problems(workload.model, workload.layout)
    if workload.training is not None:
        unfit = cluster_problems(split, gpus, per_node)
        problems += unfit or batch_problems(split, workload.training)
    if problems:
        raise WorkloadError(problems)
    findings: list[Finding] = []
    step = service = storage = None
    if workload.training is not None:
        step = training_step(
            workload.model,
            split,
            workload.training,
            gpu,
            _times(plan, catalog, workload, request, split.gpus // per_node),
        )
        storage = storage_need(
            plan,
            catalog,
            workload.storage,
            workload.model,
            workload.training,
            nodes=split.gpus // per_node,
            step_s=step.step_s,
        )
        findings += [*training_findings(workload, step, gpus), *storage_findings(storage)]
    if workload.serving is not None:
        service, missed = _service(plan, catalog, workload, request, gpu, gpus, per_node)
        findings += missed
    return Assessment(
        plan.design.name, workload, gpus, split, gpu, step, service, storage, tuple(findings)
    )


def _times(
    plan: Plan, catalog: Catalog, workload: Workload, request: Request | None, nodes: int
) -> CollectiveTimes:
    part = on_first_nodes(plan, nodes)
    return CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)


def _service(
    plan: Plan,
    catalog: Catalog,
    workload: Workload,
    request: Request | None,
    gpu: Accelerator,
    gpus: int,
    per_node: int,
) -> tuple[Service, list[Finding]]:
    assert workload.serving is not None
    split = Split(workload.layout, 1)
    copy = max(split.tp * split.pp, split.ep)
    if copy % (split.tp * split.pp):
        text = f"layout.ep: {split.ep} is no multiple of tp x pp = {split.tp * split.pp}"
        raise WorkloadError(
            [f"{text}; {-(-split.ep // (split.tp * split.pp)) * split.tp * split.pp} works"]
        )
    if copy > gpus:
        text = f"layout: a copy takes {copy:,} GPUs, there are {gpus:,}"
        raise WorkloadError([f"{text}; tp x pp of at most {gpus:,} works"])
    nodes = gpus // per_node
    if copy > per_node:
        if copy % per_node:
            text = f"layout: a copy takes {copy} GPUs, no whole nodes of {per_node}"
            raise WorkloadError([f"{text}; {-(-copy // per_node) * per_node} works"])
        nodes -= nodes % (copy // per_node)
    if workload.serving.disaggregated and nodes > 1:
        nodes -= nodes % 2
    times = _times(plan, catalog, workload, request, nodes)
    return best_service(Server(workload.model, split, workload.serving, gpu, times))
