"""All layouts of a model on a cluster, ranked by the time of a step.

Layouts whose groups have equivalent places in the nodes share their predictions, so that thousands
take seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Request
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import MODEL, Label
from toposmith.workloads.accelerator import Accelerator, accelerator
from toposmith.workloads.block import LayoutBlock, Recompute, TrainingBlock, Workload
from toposmith.workloads.cautions import cautions
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import node_gpus
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.first_nodes import on_first_nodes
from toposmith.workloads.layout_candidates import NOTHING, layouts, why_none
from toposmith.workloads.memory import Held
from toposmith.workloads.parallel_sizes import ParallelSizes
from toposmith.workloads.training import TrainingStep, training_step

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
        every: tuple[Recompute, ...] = ("none", "full") if flash else get_args(Recompute)
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
    """A layout with its step, which is None where a GPU does not hold it.

    ``pareto`` marks those that no other beats in both step time and memory.
    """

    split: ParallelSizes
    step: TrainingStep | None
    held: Held
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
    training : TrainingBlock, optional
        What was asked.
    """

    layouts: tuple[Ranked, ...]
    looked_at: int
    complete: bool
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
        return sum(each.step is not None for each in self.layouts)

    @property
    def times_label(self) -> Label:
        """What kind of figures the times of its layouts are."""
        steps = (each.step for each in self.layouts if each.step is not None)
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
    accelerator(plan, catalog)  # raises before anything is timed
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
        found.append(Ranked(split, step if step.fits else None, step.held))
    known = cautions(plan, *zip(*parts.values(), strict=True)) if parts else ()
    return Ranking(_marked(found), len(found), complete, known, workload.training)


def _marked(found: list[Ranked]) -> tuple[Ranked, ...]:
    """The quickest first, those that fit before those that do not; Pareto marked."""
    fitting = [(each.step.step_s, each.held.use.total, each) for each in found if each.step]
    marked, least = [], float("inf")
    for _, memory, each in sorted(fitting, key=lambda one: one[:2]):
        marked.append(replace(each, pareto=memory < least))
        least = min(least, memory)
    rest = (each for each in found if each.step is None)
    return (*marked, *sorted(rest, key=lambda each: each.held.use.total))
