"""All layouts of a model on a cluster, ranked by the time of a step.

Layouts whose groups lie alike in the nodes share their predictions, so that thousands take seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import get_args

from catalog import Catalog
from topology.analysis.jobs.ranks import world
from topology.analysis.request import Request
from topology.fabric.plan import Finding, Plan
from topology.workloads.accelerator import Accelerator, accelerator
from topology.workloads.block import LayoutBlock, Recompute, TrainingBlock, Workload
from topology.workloads.cautions import cautions
from topology.workloads.collective_times import CollectiveTimes
from topology.workloads.dividing import (
    batch_problems,
    cluster_problems,
    divisors,
    even_dp,
    model_problems,
    node_gpus,
    stage_counts,
    tensor_sizes,
)
from topology.workloads.fault import WorkloadError
from topology.workloads.first_nodes import on_first_nodes
from topology.workloads.model import Model
from topology.workloads.splitting import Split
from topology.workloads.training import Step, training_step

_Sizes = tuple[int, int, int, int]
Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]

MOST_CHUNKS = 8
MICRO_BATCHES = (1, 2, 4)
MOST_CONTEXT = 64
"""Largest context-parallel size."""

MOST_MICRO_BATCHES = 4_096
"""Micro-batches of a pipeline; layouts with more have far too few copies to be of use."""


@dataclass(frozen=True)
class Variants:
    """What a search tries besides sizes.

    Parameters
    ----------
    recompute : bool
        All that the backward pass may run again, not only what the workload says.
    zero : bool
        All ZeRO stages.
    """

    recompute: bool = False
    zero: bool = False

    def of(self, like: LayoutBlock, *, flash: bool) -> Iterator[LayoutBlock]:
        """The layouts to vary the sizes of; the workload's own comes first.

        FlashAttention runs the scores again anyway, so with it ``selective`` is ``none``.
        """
        every: tuple[Recompute, ...] = ("none", "full") if flash else get_args(Recompute)
        again = every if self.recompute else ()
        stages = range(4) if self.zero else ()
        tried = dict.fromkeys(
            (recompute, zero)
            for recompute in (like.recompute, *again)
            for zero in (like.zero, *stages)
        )
        for recompute, zero in tried:
            yield like.model_copy(update={"recompute": recompute, "zero": zero})


FIXED = Variants()


@dataclass(frozen=True)
class Ranked:
    """A layout with its step.

    ``pareto`` marks those that no other beats in both step time and memory.
    """

    split: Split
    step: Step
    pareto: bool = False


@dataclass(frozen=True)
class Ranking:
    """What a search found.

    Parameters
    ----------
    layouts : tuple of Ranked
        The quickest first; those that do not fit into memory come last.
    looked_at : int
        How many were timed.
    complete : bool
        Whether the search ran to its end.
    findings : tuple of Finding
        What the figures are to be read with.
    """

    layouts: tuple[Ranked, ...]
    looked_at: int
    complete: bool
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether some layout fits, on a design without errors."""
        wrong = any(finding.severity == "error" for finding in self.findings)
        return not wrong and any(each.step.fits for each in self.layouts)


def search(
    plan: Plan,
    catalog: Catalog,
    workload: Workload,
    *,
    most: int | None = None,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
    request: Request | None = None,
    variants: Variants = FIXED,
) -> Ranking:
    """Rank the layouts of a training workload on all GPUs of a design.

    Parameters
    ----------
    plan, catalog
        The design and its parts.
    workload : Workload
        Its model and training; of its layout ZeRO stage, order, overlap and sequence parallelism
        hold for all.
    most : int, optional
        Layouts at most; all if not given.
    progress : callable, optional
        Told how many are done of how many.
    cancelled : callable, optional
        Asked before each; what was found until then is ranked.
    request : Request, optional
        NCCL's release and routing.
    variants : Variants, optional
        What is tried besides sizes; else as the workload has it.

    Raises
    ------
    WorkloadError
        If no layout divides model, batch and cluster.
    """
    training = workload.training
    if training is None:
        raise WorkloadError(["training: a search over layouts needs batch and sequence"])
    per_node, gpus = node_gpus(plan), world(plan).gpus
    alike = [
        split
        for like in variants.of(workload.layout, flash=training.flash_attention)
        for split in layouts(workload.model, training, gpus, per_node, like)
    ]
    splits = alike[:most]
    if not splits:
        raise WorkloadError([_why_none(training, gpus)])
    accelerator(plan, catalog)  # raises before anything is timed
    parts: dict[int, tuple[Accelerator, CollectiveTimes]] = {}
    found: list[Ranked] = []
    complete = True
    for done, split in enumerate(splits):
        if cancelled is not None and cancelled():
            complete = False
            break
        nodes = split.gpus // per_node
        if nodes not in parts:
            part = on_first_nodes(plan, nodes)
            times = CollectiveTimes(
                part, catalog, request or Request(), workload.placement, workload.seed
            )
            parts[nodes] = accelerator(part, catalog), times
        try:
            step = training_step(workload.model, split, training, *parts[nodes])
        except WorkloadError:
            continue  # groups that straddle nodes unevenly
        finally:
            if progress is not None:
                progress(done + 1, len(splits))
        found.append(Ranked(split, step))
    known = cautions(plan, *zip(*parts.values(), strict=True)) if parts else ()
    return Ranking(_marked(found), len(found), complete, known)


def layouts(
    model: Model, training: TrainingBlock, gpus: int, per_node: int, like: LayoutBlock
) -> Iterator[Split]:
    """All layouts that divide model, batch and cluster, each on as many GPUs as it can take.

    Tensor parallelism stays inside a node. They take as many GPUs as any layout can, or as
    many as most of those can that leave less than half of them idle.
    """
    by_gpus: dict[int, list[_Sizes]] = defaultdict(list)
    for tp in (size for size in tensor_sizes(model) if per_node % size == 0):
        for pp in stage_counts(model):
            for cp in (size for size in divisors(training.sequence) if size <= MOST_CONTEXT):
                if tp * pp * cp > gpus:
                    continue
                block = like.model_copy(update={"tp": tp, "pp": pp, "cp": cp, "micro_batch": 1})
                dp = even_dp(Split(block, 1), gpus, per_node, training.batch)
                if 2 * tp * pp * cp * dp >= gpus:
                    by_gpus[tp * pp * cp * dp].append((tp, pp, cp, dp))
    if not by_gpus:
        return
    usual = max(by_gpus, key=lambda used: (len(by_gpus[used]), used))
    for used in sorted({max(by_gpus), usual}, reverse=True):
        for sizes in by_gpus[used]:
            yield from _variants(model, training, gpus, per_node, like, sizes)


def _variants(
    model: Model,
    training: TrainingBlock,
    gpus: int,
    per_node: int,
    like: LayoutBlock,
    sizes: _Sizes,
) -> Iterator[Split]:
    tp, pp, cp, dp = sizes
    experts = divisors(model.experts.count) if model.experts else [1]
    for ep in (size for size in experts if cp * dp % size == 0):
        for micro_batch in MICRO_BATCHES:
            if training.batch % (dp * micro_batch):
                continue
            if training.batch // (dp * micro_batch) > MOST_MICRO_BATCHES:
                continue
            for interleave in _chunks(model, pp):
                update = {
                    "tp": tp,
                    "pp": pp,
                    "cp": cp,
                    "dp": dp,
                    "ep": ep,
                    "micro_batch": micro_batch,
                    "interleave": interleave,
                }
                block = like.model_copy(update=update)
                split = Split(block, dp)
                problems = [
                    *model_problems(model, block),
                    *cluster_problems(split, gpus, per_node),
                    *batch_problems(split, training),
                ]
                if not problems:
                    yield split


def _chunks(model: Model, pp: int) -> list[int]:
    counts = set(stage_counts(model))
    if pp == 1:
        return [1]
    return [v for v in range(1, MOST_CHUNKS + 1) if v in (1, 2, 4, 8) and pp * v in counts]


def _marked(found: list[Ranked]) -> tuple[Ranked, ...]:
    """The quickest first, those that fit before those that do not; Pareto marked."""
    fitting = sorted(
        (each for each in found if each.step.fits),
        key=lambda each: (each.step.step_s, each.step.memory.total),
    )
    marked, least = [], float("inf")
    for each in fitting:
        best = each.step.memory.total < least
        least = min(least, each.step.memory.total)
        marked.append(Ranked(each.split, each.step, best))
    rest = sorted((e for e in found if not e.step.fits), key=lambda e: e.step.memory.total)
    return (*marked, *rest)


def _why_none(training: TrainingBlock, gpus: int) -> str:
    return (
        f"training.batch: no layout on {gpus:,} GPUs divides {training.batch:,} sequences; a "
        "multiple of a power of two gives most choice"
    )
