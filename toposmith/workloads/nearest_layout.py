"""The nearest layout that fits into memory, for one that does not."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.workloads.block import TrainingBlock
from toposmith.workloads.divisibility import ParallelSizes, stage_counts, tensor_sizes
from toposmith.workloads.memory import training_memory
from toposmith.workloads.model import Model


def nearest_fit(
    model: Model, split: ParallelSizes, training: TrainingBlock, memory_gb: float
) -> str:
    """The least change of a layout that fits, in words."""
    for words, tried in _changes(model, split):
        shared = tried.gradient_ranks % tried.ep == 0 and training.batch % tried.dp == 0
        if shared and training_memory(model, tried, training).fits(memory_gb):
            return f"{words} works"
    return "no single change of the layout fits; more GPUs, or larger ones, do"


def _changes(model: Model, split: ParallelSizes) -> Iterator[tuple[str, ParallelSizes]]:
    """Layouts of as many GPUs, from the least change on: what costs no bandwidth first."""
    block = split.block

    def changed(**values: object) -> ParallelSizes:
        return ParallelSizes(block.model_copy(update=values), split.dp)

    if block.micro_batch > 1:
        yield "micro_batch=1", changed(micro_batch=1)
    if not block.sequence_parallel and split.tp > 1:
        yield "sequence_parallel=true", changed(sequence_parallel=True)
    for zero in range(block.zero + 1, 3):
        yield f"zero={zero}", changed(zero=zero)
    if block.recompute != "full":
        yield "recompute=full", changed(recompute="full")
    if split.pp == 1:
        yield "zero=3", changed(zero=3)
        yield "zero=3 with recompute=full", changed(zero=3, recompute="full")
    for name, sizes in (("tp", tensor_sizes(model)), ("pp", stage_counts(model))):
        now = getattr(split, name)
        for size in sizes:
            if size > now and (split.dp * now) % size == 0 and (name == "pp" or size <= 8):
                dp = split.dp * now // size
                update: dict[str, object] = {name: size, "interleave": 1}
                yield (
                    f"{name}={size} with dp={dp}",
                    ParallelSizes(block.model_copy(update=update), dp),
                )
                update["recompute"] = "full"
                words = f"{name}={size} with dp={dp} and recompute=full"
                yield words, ParallelSizes(block.model_copy(update=update), dp)
