"""A workload on a design in one call: what it leaves open chosen, and all its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import MODEL, Label, inverse
from toposmith.workloads.accelerator import AS_THE_SLOWEST, Accelerator, accelerator
from toposmith.workloads.block import USUAL_BATCH, LayoutBlock, TrainingBlock, Workload, workload_of
from toposmith.workloads.collective_times import CollectiveTimes, cautions
from toposmith.workloads.divisibility import (
    ParallelSizes,
    even_dp,
    node_gpus,
    split_of,
    tensor_sizes,
)
from toposmith.workloads.goodput import Goodput, goodput, stops
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import (
    even_gpus,
    known_split,
    on_first_nodes,
    require_runnable,
    segmented,
    split_problems,
)
from toposmith.workloads.service_targets import best_service, server_of, times_on
from toposmith.workloads.serving import Service
from toposmith.workloads.step_band import StepBand, step_band
from toposmith.workloads.storage_demand import StorageNeed, storage_need
from toposmith.workloads.training import TrainingStep, training_step
from toposmith.workloads.workload_findings import (
    idle_in_serving,
    storage_findings,
    training_findings,
)

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
        share = _even_share(plan) if is_open else _share(segmented(plan, workload), workload.layout)
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
    dp = layout.dp or even_dp(split_of(layout, gpus), gpus, even_gpus(plan), 0)
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
    per_node = node_gpus(plan)
    best, most, widest = None, (False, 0.0), workload.layout
    for layout in _served_layouts(plan, workload):
        tried = _with(workload, layout=layout)
        part = segmented(plan, tried)
        if split_problems(part, tried, known_split(part, tried)):
            continue
        if best is not None and layout.pp > best.pp:
            break  # more stages than are needed only add waiting
        widest = layout
        with suppress(WorkloadError):
            server = server_of(part, catalog, tried, request, world(part).gpus, per_node)
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
    goodput : Goodput or None
        Of training: the share of a month that it trains.
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
    goodput: Goodput | None
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
    per_node, whole, gpus = node_gpus(plan), plan, world(plan).gpus
    plan = segmented(plan, workload)
    split = known_split(plan, workload)
    if problems := split_problems(plan, workload, split):
        raise WorkloadError(problems)
    findings: list[Finding] = []
    step = service = storage = trained = None
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
        trained = goodput(stops(times.plan), storage, workload.storage)
        ran.append((gpu, times))
        findings += [*training_findings(workload, step, gpus), *storage_findings(storage)]
    if workload.serving is not None:
        server = server_of(plan, catalog, workload, request, world(plan).gpus, per_node)
        service, missed = best_service(server)
        ran.append((server.gpu, server.times))
        findings += [*missed, *idle_in_serving(service, server.copy_gpus, gpus)]
    known = cautions(whole, *zip(*ran, strict=True))
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
        trained,
        (*known, *findings),
        next((label for label in labels if label.kind != "model"), MODEL),
        (request or Request()).of(plan.design),
    )


LEAST, MOST = 0.1, 100.0
"""Factors that the block takes."""


def compute_factor(
    plan: Plan,
    catalog: Catalog,
    found: Assessment,
    measured_s: float,
    request: Request | None = None,
) -> float:
    """How many times as long as predicted compute takes where a step took so many seconds.

    Communication stays as predicted, and hides behind the compute that there then is.

    Raises
    ------
    WorkloadError
        Where nothing is trained, or no factor gives that step: communication alone takes longer,
        or the step is out of all proportion.
    """
    workload, training = found.workload, found.workload.training
    if training is None:
        raise WorkloadError(["measured step: the workload trains nothing"])
    part = on_first_nodes(plan, found.split.gpus // node_gpus(plan))
    times = CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)
    gpu = accelerator(part, catalog)

    def step_s(factor: float) -> float:
        run: TrainingBlock = training.model_copy(update={"compute_factor": factor})
        return training_step(workload.model, found.split, run, gpu, times).step_s

    low, high = LEAST, MOST
    if not step_s(low) <= measured_s <= step_s(high):
        text = (
            f"measured step: {measured_s:g} s; from {step_s(low):.3g} to {step_s(high):.3g} s works"
        )
        raise WorkloadError([text])
    while high - low > 1e-6 * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if step_s(middle) < measured_s else (low, middle)
    return high
