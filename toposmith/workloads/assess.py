"""A workload on a design in one call: whether it can run, and all its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import MODEL, Label, inverse
from toposmith.workloads.accelerator import AS_THE_SLOWEST, Accelerator, accelerator
from toposmith.workloads.block import Workload, workload_of
from toposmith.workloads.cautions import cautions
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes, node_gpus
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import known_split, require_runnable, split_problems
from toposmith.workloads.server import server_of, times_on
from toposmith.workloads.service_targets import best_service
from toposmith.workloads.serving import Service
from toposmith.workloads.settled import settled
from toposmith.workloads.step_band import StepBand, step_band
from toposmith.workloads.storage_demand import StorageNeed, storage_need
from toposmith.workloads.training import TrainingStep, training_step
from toposmith.workloads.workload_findings import (
    idle_in_serving,
    storage_findings,
    training_findings,
)


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
    split : ParallelSizes
        The layout with all sizes.
    gpu : Accelerator
        What it runs on.
    step : TrainingStep or None
        Of training, whether a GPU holds it or not.
    service : Service or None
        Of serving, likewise.
    storage : StorageNeed or None
        Of training.
    findings : tuple of Finding
        What does not fit, misses its target, or should be known.
    rates_label : Label
        The label of tokens per second and of MFU; times have the opposite one.
    request : Request
        NCCL's release and routing.
    """

    design: str
    workload: Workload
    gpus: int
    split: ParallelSizes
    gpu: Accelerator
    step: TrainingStep | None
    service: Service | None
    storage: StorageNeed | None
    findings: tuple[Finding, ...]
    rates_label: Label = MODEL
    request: Request = field(default_factory=Request)

    @property
    def times_label(self) -> Label:
        """What kind of figures times are."""
        return inverse(self.rates_label)

    @property
    def asks_for_band(self) -> bool:
        """Whether published runs are looked for; not with own software or one-sided figures."""
        training = self.workload.training
        known = self.rates_label.kind == "model"
        return training is not None and training.compute_factor == 1 and known

    @property
    def step_band(self) -> StepBand | None:
        """Where published runs fell; None of too few systems, and of mixtures of experts."""
        training = self.workload.training
        if training is None or not self.asks_for_band or self.workload.model.experts is not None:
            return None
        return step_band(training.stack, self.gpu.generation)

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
        The design with its parts looked up.
    workload : Workload
        What is to run.
    request : Request, optional
        NCCL's release and routing; the newest and ideal if not given.

    Raises
    ------
    WorkloadError
        If it cannot run as it is written: every reason with the nearest value that works.
    """
    require_runnable(plan, workload)
    workload = settled(plan, catalog, workload, request)
    per_node, gpus = node_gpus(plan), world(plan).gpus
    split = known_split(plan, workload)
    if problems := split_problems(plan, workload, split):
        raise WorkloadError(problems)
    findings: list[Finding] = []
    step = service = storage = None
    ran: list[tuple[Accelerator, CollectiveTimes]] = []
    if workload.training is not None:
        times = times_on(plan, catalog, workload, request, split.gpus // per_node)
        gpu = accelerator(times.plan, catalog)
        step = training_step(workload.model, split, workload.training, gpu, times)
        storage = storage_need(
            plan,
            catalog,
            workload.storage,
            workload.model,
            workload.training,
            nodes=split.gpus // per_node,
            step_s=step.step_s,
        )
        ran.append((gpu, times))
        findings += [*training_findings(workload, step, gpus), *storage_findings(storage)]
    if workload.serving is not None:
        server = server_of(plan, catalog, workload, request, gpus, per_node)
        service, missed = best_service(server)
        ran.append((server.gpu, server.times))
        findings += [*missed, *idle_in_serving(service, server.copy_gpus, gpus)]
    known = cautions(plan, *zip(*ran, strict=True))
    labels = [times.rates_label for _, times in ran]
    labels += [AS_THE_SLOWEST for gpu, _ in ran if gpu.rate < 1]
    return Assessment(
        plan.design.name,
        workload,
        gpus,
        split,
        ran[0][0],
        step,
        service,
        storage,
        (*known, *findings),
        next((label for label in labels if label.kind != "model"), MODEL),
        (request or Request()).of(plan.design),
    )
