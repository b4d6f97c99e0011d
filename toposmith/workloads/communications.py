"""The communications of a training step: how many, how large, between whom, beside what compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.analysis.request import Collective
from toposmith.workloads.activations import stage_layers
from toposmith.workloads.block import SIXTEEN_BITS, Dimension, TrainingBlock
from toposmith.workloads.memory import stage_parameters
from toposmith.workloads.model import Model
from toposmith.workloads.parallel_sizes import ParallelSizes
from toposmith.workloads.volumes import BF16_BYTES

LEAST_BUCKET = 40_000_000
"""Parameters of a gradient bucket at least; 1,000,000 for each rank where that is more
(NVIDIA/Megatron-LM, megatron/core/distributed/distributed_data_parallel.py)."""


@dataclass(frozen=True)
class Communication:
    """One kind of communication of a step.

    Parameters
    ----------
    what : str
        In words.
    dimension : str
        Which parallelism it is of.
    collective : str
        As the analysis has it.
    message_bytes : float
        Of one, as nccl-tests counts.
    count : float
        In a step, on one GPU.
    layout : Layout
        The communicator's layout; its groups of the kind ``dimension`` run it all at once.
    kind : str
        The kind of group in that layout.
    beside : str
        What it may hide behind: ``forward`` or ``backward`` of all micro-batches, ``both``, of
        ``first forward`` or ``last backward`` one micro-batch, or ``scores``.
    """

    what: str
    dimension: Dimension
    collective: Collective
    message_bytes: float
    count: float
    layout: Layout
    kind: str
    beside: str


def communications(
    model: Model, split: ParallelSizes, training: TrainingBlock
) -> tuple[Communication, ...]:
    """All that a GPU of the fullest stage takes part in during a step."""
    micro_batches = training.batch // (split.dp * split.block.micro_batch)
    return (
        *_tensor(model, split, training, micro_batches),
        *_context(model, split, training, micro_batches),
        *_experts(model, split, training, micro_batches),
        *_pipeline(model, split, training, micro_batches),
        *_gradients(model, split, training, micro_batches),
    )


def _tokens(split: ParallelSizes, training: TrainingBlock) -> float:
    """Of a micro-batch on one context-parallel rank."""
    return split.block.micro_batch * training.sequence / split.cp


def _tensor(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    if split.tp == 1:
        return
    size = _tokens(split, training) * model.hidden * BF16_BYTES
    layers = stage_layers(model, split.pp) * m
    layout = split.communicator("tp")
    times = {"forward": 2, "backward": 4 if split.block.recompute == "full" else 2}
    for beside, count in times.items():
        if not split.block.sequence_parallel:
            what = f"activations, {beside}"
            yield Communication(
                what, "tp", "all_reduce", size, count * layers, layout, "tp", beside
            )
            continue
        halves: tuple[Collective, ...] = ("all_gather", "reduce_scatter")
        for half in halves:
            what = f"activations, {beside}, {half.replace('_', '-')}"
            yield Communication(what, "tp", half, size, count * layers, layout, "tp", beside)


def _context(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    if split.cp == 1:
        return
    size = _tokens(split, training) * model.kv_elements * BF16_BYTES / split.tp
    layers = stage_layers(model, split.pp) * m
    layout = split.communicator("cp")
    # the backward ring passes keys and values, and their gradients
    yield Communication(
        "keys and values around the ring",
        "cp",
        "send_recv",
        size,
        (split.cp - 1) * 3 * layers,
        layout,
        "cp",
        "scores",
    )


def _experts(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    moe = model.experts
    if moe is None or split.ep == 1:
        return
    tokens = _tokens(split, training)
    if split.block.sequence_parallel:
        tokens /= split.tp
    copies = min(moe.active, moe.nodes or moe.active)
    layers = min(stage_layers(model, split.pp), model.expert_layers) * m
    dispatched = BF16_BYTES if training.precision in SIXTEEN_BITS else 1
    layout = split.communicator("ep")
    again = 2 if split.block.recompute == "full" else 1
    for what, each in (("dispatch", dispatched), ("combine", BF16_BYTES)):
        size = tokens * copies * model.hidden * each
        yield Communication(
            f"experts, {what}", "ep", "all_to_all", size, layers * (1 + again), layout, "ep", "both"
        )


def _pipeline(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    if split.pp == 1:
        return
    # every tensor-parallel rank sends its share, which the next stage gathers over NVLink
    size = _tokens(split, training) * model.hidden * BF16_BYTES / split.tp
    layout = split.communicator("pp")
    count = 2 * m * split.block.interleave
    yield Communication(
        "activations to the next stage", "pp", "send_recv", size, count, layout, "pp", "both"
    )


def _gradients(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    held = stage_parameters(model, split)
    layers = stage_layers(model, split.pp)
    parts = (
        ("", held.dense + held.embedding, split.gradient_ranks, split.communicator("dp")),
        (" of experts", held.experts, split.expert_gradient_ranks, split.expert_gradients),
    )
    for of, parameters, ranks, layout in parts:
        if not parameters or ranks == 1:
            continue
        each = training.gradient_bytes
        if split.block.zero == 3:
            again = m * layers
            weights, reduced = (parameters / layers * size for size in (BF16_BYTES, each))
            yield Communication(
                f"weights{of}, forward", "dp", "all_gather", weights, again, layout, "dp", "forward"
            )
            yield Communication(
                f"weights{of}, backward",
                "dp",
                "all_gather",
                weights,
                again,
                layout,
                "dp",
                "backward",
            )
            yield Communication(
                f"gradients{of}",
                "dp",
                "reduce_scatter",
                reduced,
                again,
                layout,
                "dp",
                "backward",
            )
            continue
        count = max(1, ceil(parameters / max(LEAST_BUCKET, 1_000_000 * ranks)))
        size = parameters / count * each
        if split.block.zero == 2 and split.pp == 1:
            # a GPU keeps its shard of the gradients alone, so that each micro-batch reduces its
            # own; stages add up whole gradients and reduce once, as published runs of them did
            yield Communication(
                f"gradients{of}", "dp", "reduce_scatter", size, m * count, layout, "dp", "backward"
            )
            size = parameters / count * BF16_BYTES
            yield Communication(
                f"weights{of}", "dp", "all_gather", size, count, layout, "dp", "first forward"
            )
            continue
        if split.block.zero == 0:
            yield Communication(
                f"gradients{of}", "dp", "all_reduce", size, count, layout, "dp", "last backward"
            )
            continue
        yield Communication(
            f"gradients{of}", "dp", "reduce_scatter", size, count, layout, "dp", "last backward"
        )
        size = parameters / count * BF16_BYTES
        yield Communication(
            f"weights{of}", "dp", "all_gather", size, count, layout, "dp", "first forward"
        )
