"""The layouts that a search tries: all that divide model, batch and cluster, or those asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from toposmith.text import counted
from toposmith.workloads.block import LayoutBlock, TrainingBlock
from toposmith.workloads.divisibility import (
    batch_problems,
    cluster_problems,
    divisors,
    even_dp,
    model_problems,
    stage_counts,
    tensor_sizes,
)
from toposmith.workloads.model import Model
from toposmith.workloads.parallel_sizes import ParallelSizes

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
