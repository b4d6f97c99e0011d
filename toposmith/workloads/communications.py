"""The communications of a training step: how many, how large, between whom, beside what compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.analysis.prediction.predictor import PredictedCollective
from toposmith.analysis.request import Collective
from toposmith.collectives import busbw_factor
from toposmith.labels import Label, Labelled
from toposmith.workloads.block import SIXTEEN_BITS, Dimension, TrainingBlock
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.memory import stage_layers, stage_parameters
from toposmith.workloads.model import Model
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
    share = split.block.share_again(stage_layers(model, split.pp))
    times = {"forward": 2.0, "backward": 2 + split.block.reruns * share}
    for beside, count in times.items():
        if not split.block.sequence_parallel:
            what = f"activations, {beside}"
            yield Communication(what, "tp", "all_reduce", size, count * layers, layout, beside)
            continue
        halves: tuple[Collective, ...] = ("all_gather", "reduce_scatter")
        for half in halves:
            what = f"activations, {beside}, {half.replace('_', '-')}"
            yield Communication(what, "tp", half, size, count * layers, layout, beside)


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
    reruns = split.block.recompute == "full" or "ffn" in split.block.modules
    again = 1 + (split.block.share_again(stage_layers(model, split.pp)) if reruns else 0)
    for what, each in (("dispatch", dispatched), ("combine", BF16_BYTES)):
        size = tokens * copies * model.hidden * each
        yield Communication(
            f"experts, {what}", "ep", "all_to_all", size, layers * (1 + again), layout, "both"
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
        "activations to the next stage", "pp", "send_recv", size, count, layout, "both"
    )


def _gradients(
    model: Model, split: ParallelSizes, training: TrainingBlock, m: int
) -> Iterator[Communication]:
    held = stage_parameters(model, split)
    layers = stage_layers(model, split.pp)
    dense, experts = split.communicator("dp"), split.expert_gradients
    shards, expert_shards = split.shard_ranks, split.expert_shard_ranks
    parts = (
        ("", held.dense + held.embedding, split.gradient_ranks, shards, dense),
        (" of experts", held.experts, split.expert_gradient_ranks, expert_shards, experts),
    )
    for of, parameters, ranks, shard, layout in parts:
        each = training.gradient_bytes
        if parameters and split.block.zero and shard < ranks:
            # sets of shards are copies of each other: what a rank has of the sum is added up
            # over them once a step
            size = parameters / shard * each
            parted = _parted(layout, shard, inner=False)
            yield Communication(
                f"gradients{of} over copies of shards",
                "dp",
                "all_reduce",
                size,
                1,
                parted,
                "last backward",
            )
            ranks, layout = shard, _parted(layout, shard, inner=True)
        if not parameters or ranks == 1:
            continue
        count = max(1, ceil(parameters / max(LEAST_BUCKET, 1_000_000 * ranks)))
        layer, bucket = parameters / layers, parameters / count
        weights: _Moved = (
            f"weights{of}",
            "all_gather",
            bucket * BF16_BYTES,
            count,
            "first forward",
        )
        grads, again = f"gradients{of}", m * layers
        moved: tuple[_Moved, ...]
        if split.block.zero == 3:
            moved = (
                (f"weights{of}, forward", "all_gather", layer * BF16_BYTES, again, "forward"),
                (f"weights{of}, backward", "all_gather", layer * BF16_BYTES, again, "backward"),
                (grads, "reduce_scatter", layer * each, again, "backward"),
            )
        elif split.block.zero == 2 and split.pp == 1:
            # a GPU keeps its shard of the gradients alone, so that each micro-batch reduces its
            # own; stages add up whole gradients and reduce once, as published runs of them did
            moved = ((grads, "reduce_scatter", bucket * each, m * count, "backward"), weights)
        elif split.block.zero:
            moved = ((grads, "reduce_scatter", bucket * each, count, "last backward"), weights)
        else:
            moved = ((grads, "all_reduce", bucket * each, count, "last backward"),)
        for what, collective, size, times, beside in moved:
            yield Communication(what, "dp", collective, size, times, layout, beside)


_Moved = tuple[str, Collective, float, float, str]
"""What is moved, by which collective, its bytes, how often, and beside which compute."""


def _parted(layout: Layout, shard: int, *, inner: bool) -> Layout:
    """A layout whose dp groups are sets of so many ranks, or the ranks that sets have alike.

    The other factor is named cp, so that each size has a name of its own.
    """
    sizes: list[tuple[str, int]] = []
    for name, size in layout.sizes:
        halves = (("dp", shard), ("cp", size // shard))
        if name != "dp":
            sizes.append((name, size))
        else:
            sizes += halves if inner else (("cp", shard), ("dp", size // shard))
    return Layout(tuple(sizes))


TargetVerdict = Literal["satisfied", "missed", "unknown"]

WAITED_SHARE = 0.01
"""From this share of a step on a communication is one that the step waits for."""


@dataclass(frozen=True)
class CommunicationTime:
    """One communication of a step on a design.

    Parameters
    ----------
    what : str
        In words.
    dimension, collective, layout
        As in :class:`Communication`; the layout in words.
    ranks, groups : int
        Of one group, and groups that run at once.
    nodes : int
        That a group has ranks in; what stays inside one no network makes faster.
    message_bytes, count
        Of one, and how many in a step.
    wire_bytes : float
        That each GPU sends in a step, as busbw counts.
    time_us : float
        Of one.
    total_s, hidden_s, exposed_s : float
        Of all in a step: as if alone, beside compute, and what the step waits for.
    window_s : float
        Compute that it could hide behind, without what others have taken of it.
    busbw_GBps : float
        That the design gives.
    needed_GBps : float
        That would hide all of it.
    algorithm, limited_by : str
        What NCCL runs, and what limits it.
    link : str
        The fullest class of links, empty where none limits.
    fullest : str
        The fullest class of links, even where something else limits.
    overlaps : bool
        Whether the workload runs it beside compute.
    label : Label
        The label of the busbw.
    """

    what: str
    dimension: Dimension
    collective: str
    layout: str
    ranks: int
    groups: int
    nodes: int
    message_bytes: float
    count: float
    wire_bytes: float
    time_us: float
    total_s: float
    hidden_s: float
    exposed_s: float
    window_s: float
    busbw_GBps: float
    needed_GBps: float
    algorithm: str
    limited_by: str
    link: str
    fullest: str
    overlaps: bool
    label: Label

    @property
    def busbw(self) -> Labelled:
        """What the design gives, with its label."""
        return Labelled(self.busbw_GBps, self.label)

    def verdict(self, step_s: float) -> TargetVerdict:
        """Whether a step of so many seconds waits for it, as far as its figure shows."""
        if self.exposed_s < WAITED_SHARE * step_s:
            return "unknown" if self.label.kind == "at most" else "satisfied"
        return "unknown" if self.label.kind == "at least" else "missed"

    @property
    def inside_node(self) -> bool:
        """Whether no byte of it leaves a node."""
        return self.nodes == 1

    @property
    def satisfied(self) -> bool:
        """Whether the design gives what is needed to hide it where it may run beside compute."""
        return self.busbw_GBps >= self.needed_GBps

    @property
    def margin(self) -> float:
        """To spare as a share of what is needed; below 0 what is missing."""
        return self.busbw_GBps / self.needed_GBps - 1 if self.needed_GBps else float("inf")


@dataclass(frozen=True)
class _Timed:
    """A communication with its time when alone."""

    asked: Communication
    groups: Groups
    outcome: PredictedCollective
    total_s: float
    overlaps: bool
    label: Label


def communication_times(
    asked: tuple[Communication, ...],
    windows: Mapping[str, float],
    split: ParallelSizes,
    times: CollectiveTimes,
    micro_batches: int,
) -> tuple[CommunicationTime, ...]:
    """The time of each communication, and how much of it hides behind its window of compute.

    Each is timed with all groups of its kind at once, kinds one by one. Where two kinds run beside
    the same compute and both leave the node, they take turns on its NICs: what one has taken of the
    window the next has not. That is what they get together at worst; where they use other cables,
    both hide better. Inside a node only those of one dimension take turns.
    """
    found = [_timed(each, split, times) for each in asked]
    taken: list[tuple[_Timed, float]] = []
    told = []
    for each in found:
        whole = windows[each.asked.beside]
        left = max(0.0, whole - sum(_taken_of(each, other, windows) for other in taken))
        hidden = min(each.total_s, left) if each.overlaps else 0.0
        if hidden:
            taken.append((each, hidden))
        told.append(_told(each, left, hidden, split, micro_batches))
    return tuple(told)


def _timed(asked: Communication, split: ParallelSizes, times: CollectiveTimes) -> _Timed:
    groups, outcome = times.timed(
        asked.collective, asked.layout, asked.dimension, asked.message_bytes
    )
    total = outcome.time_us * 1e-6 * asked.count
    label = times.label(asked.collective, groups, outcome)
    return _Timed(asked, groups, outcome, total, asked.dimension in split.block.overlap, label)


def _taken_of(each: _Timed, other: tuple[_Timed, float], windows: Mapping[str, float]) -> float:
    """What of the window of one communication another has taken, spread evenly over its own."""
    before, hidden = other
    apart = before.groups.nodes == 1 or each.groups.nodes == 1
    if apart and before.asked.dimension != each.asked.dimension:
        return 0.0
    mine, its = each.asked.beside, before.asked.beside
    if mine == its or mine in _AROUND[its]:
        return hidden
    if its in _AROUND[mine]:
        return hidden * windows[mine] / windows[its]
    if its == "scores":  # in both passes, a part of each
        return hidden * windows[mine] / windows["both"]
    return 0.0


_AROUND = {
    "scores": ("both",),
    "first forward": ("forward", "both"),
    "last backward": ("backward", "both"),
    "forward": ("both",),
    "backward": ("both",),
    "both": (),
}
"""Which windows each window lies in."""


def _told(
    each: _Timed, window_s: float, hidden_s: float, split: ParallelSizes, micro_batches: int
) -> CommunicationTime:
    asked, outcome, total = each.asked, each.outcome, each.total_s
    exposed = total - hidden_s
    if asked.dimension == "pp":
        # sends that fill and drain the pipeline hide behind nothing
        exposed = max(exposed, min(total, 2 * (split.pp - 1) * outcome.time_us * 1e-6))
    wire = asked.message_bytes * asked.count * busbw_factor(asked.collective, each.groups.size)
    fullest = ""
    if outcome.demands:
        fullest = min(outcome.demands, key=lambda demand: demand.allows).link
    return CommunicationTime(
        what=asked.what,
        dimension=asked.dimension,
        collective=asked.collective,
        layout=str(asked.layout),
        ranks=each.groups.size,
        groups=each.groups.concurrent,
        nodes=each.groups.nodes,
        message_bytes=asked.message_bytes,
        count=asked.count,
        wire_bytes=wire,
        time_us=outcome.time_us,
        total_s=total,
        hidden_s=total - exposed,
        exposed_s=exposed,
        window_s=window_s,
        busbw_GBps=outcome.busbw_GBps,
        needed_GBps=wire / window_s / 1e9 if window_s else float("inf"),
        algorithm=outcome.algorithm,
        limited_by=outcome.limited_by,
        link=fullest if outcome.limited_by == "links" else "",
        fullest=fullest,
        overlaps=each.overlaps,
        label=each.label,
    )
