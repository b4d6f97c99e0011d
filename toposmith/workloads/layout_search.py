"""All layouts of a model on a cluster, ranked by the time of a step.

Layouts whose groups have equivalent places in the nodes share their predictions, so that thousands
take seconds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Request
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import MODEL, Label
from toposmith.text import counted
from toposmith.workloads.accelerator import Accelerator, accelerator
from toposmith.workloads.block import LayoutBlock, TrainingBlock, Workload
from toposmith.workloads.collective_times import CollectiveTimes, cautions
from toposmith.workloads.divisibility import (
    ParallelSizes,
    batch_problems,
    cluster_problems,
    divisors,
    even_dp,
    model_problems,
    node_gpus,
    stage_counts,
    tensor_sizes,
)
from toposmith.workloads.model import Model, WorkloadError
from toposmith.workloads.runnable import on_first_nodes
from toposmith.workloads.training import TrainingStep, training_step

_Sizes = tuple[int, int, int, int]
NOTHING: Mapping[str, int] = MappingProxyType({})

MOST_SEQUENCES = 64
"""Of a micro-batch: the most that a published run has."""

MICRO_BATCHES = (1, 2, 4)
MOST_CONTEXT = 64
"""Largest context-parallel size."""

MOST_MICRO_BATCHES = 4_096
"""Micro-batches of a pipeline; layouts with more have far too few copies to be of use."""


def layouts(
    model: Model,
    training: TrainingBlock,
    gpus: int,
    per_node: int,
    like: LayoutBlock,
    only: Mapping[str, int] = NOTHING,
) -> Iterator[ParallelSizes]:
    """All layouts that divide model, batch and cluster, each on as many GPUs as it can take.

    Tensor parallelism stays inside a node. They take as many GPUs as any layout can, or as
    many as most of those can that leave less than half of them idle. What ``only`` names is as it
    says, even where the other rules here would choose otherwise.
    """
    by_gpus: dict[int, list[_Sizes]] = defaultdict(list)
    for tp in _sizes("tp", only, (n for n in tensor_sizes(model) if per_node % n == 0)):
        for pp in _sizes("pp", only, stage_counts(model)):
            for cp in _sizes("cp", only, _context_sizes(training)):
                if tp * pp * cp > gpus:
                    continue
                rest = {"micro_batch": only.get("micro_batch", 1), "ep": only.get("ep", like.ep)}
                block = like.model_copy(update={"tp": tp, "pp": pp, "cp": cp, **rest})
                dp = only.get("dp") or even_dp(
                    ParallelSizes(block, 1), gpus, per_node, training.batch
                )
                if "dp" in only or 2 * tp * pp * cp * dp >= gpus:
                    by_gpus[tp * pp * cp * dp].append((tp, pp, cp, dp))
    if not by_gpus:
        return
    usual = max(by_gpus, key=lambda used: (len(by_gpus[used]), used))
    taken = by_gpus if "dp" in only else {max(by_gpus), usual}
    for used in sorted(taken, reverse=True):
        for sizes in by_gpus[used]:
            yield from _variants(model, training, gpus, per_node, like, sizes, only)


def _sizes(name: str, only: Mapping[str, int], usual: Iterable[int]) -> list[int]:
    """What is tried of a size: the one that is asked for, else the usual ones."""
    return [only[name]] if name in only else list(usual)


def _context_sizes(training: TrainingBlock) -> list[int]:
    """Ranks that may share a sequence: software to 2022 has no rings (arXiv 2310.01889)."""
    if training.stack == "older":
        return [1]
    return [size for size in divisors(training.sequence) if size <= MOST_CONTEXT]


def _micro_batches(training: TrainingBlock, pp: int, dp: int) -> Iterable[int]:
    """Without a pipeline none has to fill: all that divide what a copy has of a step."""
    own, left = divmod(training.batch, dp)
    if pp > 1 or left:
        return MICRO_BATCHES
    return [size for size in divisors(own) if size <= MOST_SEQUENCES]


def _variants(
    model: Model,
    training: TrainingBlock,
    gpus: int,
    per_node: int,
    like: LayoutBlock,
    sizes: _Sizes,
    only: Mapping[str, int],
) -> Iterator[ParallelSizes]:
    tp, pp, cp, dp = sizes
    experts = _sizes("ep", only, divisors(model.experts.count) if model.experts else [1])
    if tp % (like.expert_tp or 1):
        return
    ranks = tp * cp * dp // (like.expert_tp or tp)
    for ep in (size for size in experts if ranks % size == 0):
        for micro_batch in _sizes("micro_batch", only, _micro_batches(training, pp, dp)):
            if training.batch % (dp * micro_batch):
                continue
            if training.batch // (dp * micro_batch) > MOST_MICRO_BATCHES:
                continue
            for interleave in _sizes("interleave", only, _chunks(model, pp)):
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
                split = ParallelSizes(block, dp)
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
    return [v for v in range(1, max(counts) // pp + 1) if pp * v in counts]


def why_none(
    model: Model, training: TrainingBlock, gpus: int, only: Mapping[str, int]
) -> list[str]:
    """Why no layout is left: sizes that do not divide the model, else the batch."""
    asked = ", ".join(f"{name}={size}" for name, size in only.items())
    block = LayoutBlock.model_validate({"pp": 2 if "interleave" in only else 1, **only})
    divides = {"tp", "ep"} | ({"pp"} if "pp" in only else set())
    wrong = [
        problem
        for problem in model_problems(model, block)
        if problem.partition(":")[0].removeprefix("layout.") in divides & only.keys()
    ]
    if wrong:
        return wrong
    if only:
        return [
            f"layout: none with {asked} on {counted(gpus, 'GPU')} divides model, cluster and "
            f"{counted(training.batch, 'sequence')}; ask for fewer sizes, or another batch"
        ]
    return [
        f"training.batch: no layout on {counted(gpus, 'GPU')} divides "
        f"{counted(training.batch, 'sequence')}; a "
        "multiple of a power of two gives most choice"
    ]


Progress = Callable[[int, int], object]
Cancelled = Callable[[], bool]


@dataclass(frozen=True)
class Variants:
    """What a search tries besides sizes.

    Parameters
    ----------
    recompute : bool
        All that the backward pass may run again, not only what the workload says.
    zero : bool
        All ZeRO stages.
    overlap : bool
        Tensor parallelism beside compute, too.
    """

    recompute: bool = False
    zero: bool = False
    overlap: bool = False

    def of(self, like: LayoutBlock, *, flash: bool) -> Iterator[LayoutBlock]:
        """The layouts to vary the sizes of; the workload's own comes first.

        FlashAttention runs the scores again anyway, so with it ``selective`` is ``none``.
        """
        every = ("none", "full") if flash else ("none", "selective", "full")
        again = every if self.recompute else ()
        stages = range(4) if self.zero else ()
        beside = dict.fromkeys((*like.overlap, "tp"))
        overlaps = (like.overlap, *((tuple(beside),) if self.overlap else ()))
        tried = dict.fromkeys(
            (recompute, zero, overlap)
            for recompute in (like.recompute, *again)
            for zero in (like.zero, *stages)
            for overlap in overlaps
        )
        for recompute, zero, overlap in tried:
            changes = {"recompute": recompute, "zero": zero, "overlap": overlap}
            yield like.model_copy(update=changes)


FIXED = Variants()


@dataclass(frozen=True)
class Ranked:
    """A layout with its step, also where a GPU does not hold it.

    ``pareto`` marks those that fit and that no other beats in both step time and memory.
    """

    split: ParallelSizes
    step: TrainingStep
    pareto: bool = False


@dataclass(frozen=True)
class Ranking:
    """What a search found.

    Parameters
    ----------
    layouts : tuple of Ranked
        The quickest first; those that do not fit into memory come last, the smallest first.
    looked_at : int
        How many were timed.
    complete : bool
        Whether the search ran to its end.
    gpu : Accelerator
        What the layouts run on.
    findings : tuple of Finding
        What the figures are to be read with.
    training : TrainingBlock, optional
        What was asked.
    """

    layouts: tuple[Ranked, ...]
    looked_at: int
    complete: bool
    gpu: Accelerator
    findings: tuple[Finding, ...] = ()
    training: TrainingBlock | None = None

    @property
    def ok(self) -> bool:
        """Whether some layout fits, on a design without errors."""
        wrong = any(finding.severity == "error" for finding in self.findings)
        return not wrong and self.fitting > 0

    @property
    def fitting(self) -> int:
        """Layouts that fit into memory."""
        return sum(each.step.fits for each in self.layouts)

    @property
    def times_label(self) -> Label:
        """What kind of figures the times of its layouts are."""
        steps = (each.step for each in self.layouts)
        return next((step.times_label for step in steps if step.times_label.sign), MODEL)


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
    only: Mapping[str, int] = NOTHING,
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
    only : mapping
        Sizes that hold for all layouts, by key of the block: ``tp``, ``cp``, ``pp``, ``dp``,
        ``ep``, ``micro_batch`` or ``interleave``.

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
        for like in variants.of(workload.layout, flash=bool(training.flash_attention))
        for split in layouts(workload.model, training, gpus, per_node, like, only)
    ]
    splits = alike[:most]
    if not splits:
        raise WorkloadError(why_none(workload.model, training, gpus, only))
    gpu = accelerator(plan, catalog)  # raises before anything is timed
    parts: dict[int, tuple[Accelerator, CollectiveTimes]] = {}
    found: list[Ranked] = []
    complete = True
    for done, split in enumerate(splits):
        if cancelled is not None and cancelled():
            complete = False
            break
        go_on()
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
    return Ranking(_marked(found), len(found), complete, gpu, known, workload.training)


def _marked(found: list[Ranked]) -> tuple[Ranked, ...]:
    """The quickest first, those that fit before those that do not; Pareto marked."""
    fitting = [
        (each.step.step_s, each.step.held.use.total, each) for each in found if each.step.fits
    ]
    marked, least = [], float("inf")
    for _, memory, each in sorted(fitting, key=lambda one: one[:2]):
        marked.append(replace(each, pareto=memory < least))
        least = min(least, memory)
    rest = (each for each in found if not each.step.fits)
    return (*marked, *sorted(rest, key=lambda each: each.step.held.use.total))
