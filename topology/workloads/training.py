"""A training step on a design: its time, what of the communication hides, and what limits it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from topology.analysis.request import busbw_factor
from topology.workloads.accelerator import Accelerator
from topology.workloads.block import Dimension, Precision, TrainingBlock
from topology.workloads.collective_times import CollectiveTimes
from topology.workloads.communications import Communication, communications
from topology.workloads.kernels import BACKWARD, Kernels
from topology.workloads.memory import (
    MemoryUse,
    stage_layers,
    stage_parameters,
    training_memory,
)
from topology.workloads.model import Model
from topology.workloads.splitting import Split

BoundBy = Literal["compute", "communication"]

OPTIMISER_PASSES_BYTES = 30
"""Bytes that Adam reads and writes of a parameter: gradient 4, master copy and two moments in and
out 24, weight out 2."""


@dataclass(frozen=True)
class CommunicationTime:
    """One communication of a step on a design.

    Parameters
    ----------
    what : str
        In words.
    dimension, collective, kind, layout
        As in :class:`Communication`; the layout in words.
    ranks, groups : int
        Of one group, and groups that run at once.
    message_bytes, count
        Of one, and how many in a step.
    wire_bytes : float
        That each GPU sends in a step, as busbw counts.
    time_us : float
        Of one.
    total_s, hidden_s, exposed_s : float
        Of all in a step: as if alone, beside compute, and what the step waits for.
    window_s : float
        Compute that it could hide behind.
    busbw_GBps : float
        That the design gives.
    needed_GBps : float
        That would hide all of it.
    algorithm, limited_by : str
        What NCCL runs, and what holds it back.
    link : str
        The fullest class of links, empty where none limits.
    overlaps : bool
        Whether the workload runs it beside compute.
    """

    what: str
    dimension: Dimension
    collective: str
    kind: str
    layout: str
    ranks: int
    groups: int
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
    overlaps: bool

    @property
    def satisfied(self) -> bool:
        """Whether the design gives what is needed to hide it."""
        return self.busbw_GBps >= self.needed_GBps

    @property
    def margin(self) -> float:
        """To spare as a share of what is needed; below 0 what is missing."""
        return self.busbw_GBps / self.needed_GBps - 1 if self.needed_GBps else float("inf")


@dataclass(frozen=True)
class Step:
    """A training step.

    Parameters
    ----------
    split : Split
        The layout.
    micro_batches : int
        That each pipeline runs.
    forward_s, backward_s : float
        Compute of all micro-batches on the busiest GPU; what runs again counts as backward.
    optimiser_s : float
        Of the update.
    bubble_s : float
        Waiting for the pipeline to fill and drain.
    communication : tuple of CommunicationTime
        All of them.
    memory : MemoryUse
        Of the fullest GPU.
    memory_gb : float
        That it has.
    tokens : int
        Of the step.
    mfu : float
        6 P tokens over peak, without scores.
    mfu_with_scores : float
        With all pairs of the scores counted, as Megatron-LM and llm-foundry do.
    """

    split: Split
    micro_batches: int
    forward_s: float
    backward_s: float
    optimiser_s: float
    bubble_s: float
    communication: tuple[CommunicationTime, ...]
    memory: MemoryUse
    memory_gb: float
    tokens: int
    mfu: float
    mfu_with_scores: float

    @property
    def compute_s(self) -> float:
        """What the busiest GPU computes."""
        return self.forward_s + self.backward_s + self.optimiser_s

    @property
    def exposed_s(self) -> float:
        """Communication that the step waits for."""
        return sum(each.exposed_s for each in self.communication)

    @property
    def hidden_s(self) -> float:
        """Communication beside compute."""
        return sum(each.hidden_s for each in self.communication)

    @property
    def step_s(self) -> float:
        """The whole step."""
        return self.compute_s + self.bubble_s + self.exposed_s

    @property
    def tokens_per_s(self) -> float:
        """Of the whole job."""
        return self.tokens / self.step_s

    @property
    def bound_by(self) -> BoundBy:
        """Communication where it takes longer than compute, so that nothing could hide it all."""
        total = self.hidden_s + self.exposed_s
        return "communication" if total > self.compute_s else "compute"

    @property
    def blamed(self) -> CommunicationTime | None:
        """The communication that the step waits longest for; None where it waits for none."""
        worst = max(self.communication, key=lambda each: each.exposed_s, default=None)
        return worst if worst is not None and worst.exposed_s > 0 else None

    @property
    def fits(self) -> bool:
        """Whether every GPU holds its share."""
        return self.memory.fits(self.memory_gb)

    def days(self, tokens: float) -> float:
        """Days to train on so many tokens, without any stop."""
        return tokens / self.tokens_per_s / 86_400


def training_step(
    model: Model,
    split: Split,
    training: TrainingBlock,
    gpu: Accelerator,
    times: CollectiveTimes,
) -> Step:
    """A step of a layout that divides its model, its batch and the cluster.

    Raises
    ------
    WorkloadError
        Where groups do not lie evenly in the nodes, or cannot reach each other.
    """
    compute = _Compute(Kernels(gpu, model, training.precision, training.flash_attention), split)
    m = training.batch // (split.dp * split.block.micro_batch)
    forward, backward, scores = compute.micro_batch(training)
    windows = {
        "forward": forward * m,
        "backward": backward * m,
        "both": (forward + backward) * m,
        "first forward": forward,
        "last backward": backward,
        "scores": scores * m,
    }
    found = [
        _timed(c, windows[c.beside], split, times) for c in communications(model, split, training)
    ]
    found = _sharing_windows(found, [c.beside for c in communications(model, split, training)])
    waiting = sum(c.exposed_s for c in found if c.dimension in ("tp", "cp", "ep")) / m
    filling = (split.pp - 1) / split.block.interleave
    bubble = filling * (forward + backward + waiting)
    found = [_with_filling(c, split, m) for c in found]
    peak = gpu.peak_flops(training.precision) * split.gpus
    tokens = training.batch * training.sequence
    step = Step(
        split,
        m,
        forward * m,
        backward * m,
        compute.optimiser_s(split.block.zero),
        bubble,
        tuple(found),
        training_memory(model, split, training),
        gpu.memory_gb,
        tokens,
        0.0,
        0.0,
    )
    per_s = step.tokens_per_s / peak
    scored = 3 * model.score_flops(training.sequence) * model.all_layers
    return replace(
        step,
        mfu=6 * model.active_parameters * per_s,
        mfu_with_scores=(6 * model.active_parameters + scored) * per_s,
    )


@dataclass(frozen=True)
class _Compute:
    """What the busiest GPU of a layout computes."""

    kernels: Kernels
    split: Split

    def micro_batch(self, training: TrainingBlock) -> tuple[float, float, float]:
        """Forward and backward of one micro-batch, and of these the scores, seconds."""
        split, kernels = self.split, self.kernels
        block, model = split.block, kernels.model
        tokens = block.micro_batch * training.sequence / split.cp
        layers = stage_layers(model, split.pp)
        parts = dict(tp=split.tp, split=block.sequence_parallel)
        each = kernels.layer_s(tokens, training.sequence, parts["tp"], split=bool(parts["split"]))
        scores = kernels.scores_s(tokens, training.sequence, split.tp)
        forward = each * layers
        if self._logits_count:
            forward += kernels.logits_s(tokens, split.tp)
        again = {"none": 0.0, "selective": scores, "full": each}[block.recompute] * layers
        if block.recompute == "selective" and kernels.flash:
            again = 0.0  # the kernel does that already
        return forward, BACKWARD * forward + again, scores * layers * (1 + BACKWARD)

    @property
    def _logits_count(self) -> bool:
        """Whether the stage with most layers has the output too, not in the place of a layer."""
        model, stages = self.kernels.model, self.split.pp
        return model.all_layers % stages == 0

    def optimiser_s(self, zero: int) -> float:
        """Adam on what a GPU updates."""
        held = stage_parameters(self.kernels.model, self.split)
        dense, experts = held.dense + held.embedding, held.experts
        if zero:
            dense /= self.split.gradient_ranks
            experts /= self.split.expert_gradient_ranks
        return (dense + experts) * OPTIMISER_PASSES_BYTES / self.kernels.memory_rate


def _timed(
    asked: Communication, window_s: float, split: Split, times: CollectiveTimes
) -> CommunicationTime:
    """A communication with its time; it has the whole window for itself so far."""
    groups = times.groups(asked.collective, asked.layout, asked.kind)
    outcome = times.outcome(asked.collective, asked.layout, asked.kind, asked.message_bytes)
    total = outcome.time_us * 1e-6 * asked.count
    wire = asked.message_bytes * asked.count * busbw_factor(asked.collective, groups.size)
    overlaps = asked.dimension in split.block.overlap
    hidden = min(total, window_s) if overlaps else 0.0
    full = min(outcome.demands, key=lambda demand: demand.allows, default=None)
    return CommunicationTime(
        what=asked.what,
        dimension=asked.dimension,
        collective=asked.collective,
        kind=asked.kind,
        layout=str(asked.layout),
        ranks=groups.size,
        groups=groups.concurrent,
        message_bytes=asked.message_bytes,
        count=asked.count,
        wire_bytes=wire,
        time_us=outcome.time_us,
        total_s=total,
        hidden_s=hidden,
        exposed_s=total - hidden,
        window_s=window_s,
        busbw_GBps=outcome.busbw_GBps,
        needed_GBps=wire / window_s / 1e9 if window_s else float("inf"),
        algorithm=outcome.algorithm,
        limited_by=outcome.limited_by,
        link=full.link if full is not None and outcome.limited_by == "links" else "",
        overlaps=overlaps,
    )


_WITHIN = {
    "scores": ("both",),
    "first forward": ("forward", "both"),
    "last backward": ("backward", "both"),
    "forward": ("both",),
    "backward": ("both",),
    "both": (),
}
"""Which windows lie inside which."""


def _sharing_windows(found: list[CommunicationTime], beside: list[str]) -> list[CommunicationTime]:
    """What remains of a window when what comes before in the list has hidden behind it.

    Groups of one dimension follow each other, so two that share a window share its time; other
    dimensions use other links or other times, and do not.
    """
    taken: dict[tuple[str, str], float] = {}
    shared: list[CommunicationTime] = []
    for each, where in zip(found, beside, strict=True):
        used = sum(
            time
            for (dimension, other), time in taken.items()
            if dimension == each.dimension and (other == where or where in _WITHIN[other])
        )
        hidden = min(each.hidden_s, max(0.0, each.window_s - used))
        taken[each.dimension, where] = taken.get((each.dimension, where), 0.0) + hidden
        shared.append(replace(each, hidden_s=hidden, exposed_s=each.total_s - hidden))
    return shared


def _with_filling(each: CommunicationTime, split: Split, micro_batches: int) -> CommunicationTime:
    """Sends between stages: those that fill and drain the pipeline hide behind nothing."""
    if each.dimension != "pp":
        return each
    alone = min(each.total_s, 2 * (split.pp - 1) * each.time_us * 1e-6)
    exposed = max(each.exposed_s, alone)
    return replace(each, exposed_s=exposed, hidden_s=each.total_s - exposed)


__all__ = ["CommunicationTime", "Precision", "Step", "training_step"]
