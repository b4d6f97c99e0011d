"""A training step: its time, what of the communication hides, what limits it; its picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from toposmith.labels import MODEL, Label, inverse
from toposmith.workloads.accelerator import AS_THE_SLOWEST, Accelerator
from toposmith.workloads.block import TrainingBlock
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.communications import (
    CommunicationTime,
    communication_times,
    communications,
)
from toposmith.workloads.divisibility import ParallelSizes, expert_ranks_problem
from toposmith.workloads.kernels import BACKWARD, OVERLAP_SLOWDOWN, Kernels, second_products_share
from toposmith.workloads.memory import (
    Held,
    layer_activation_bytes,
    stage_layers,
    stage_parameters,
    training_memory,
)
from toposmith.workloads.model import Model, WorkloadError

BoundBy = Literal["compute", "communication"]

OPTIMISER_PASSES_BYTES = 30
"""Bytes that Adam reads and writes of a parameter: gradient 4, master copy and two moments in and
out 24, weight out 2."""


@dataclass(frozen=True)
class TrainingStep:
    """A training step.

    Parameters
    ----------
    split : ParallelSizes
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
    held : Held
        What the fullest GPU holds.
    tokens : int
        Of the step.
    mfu : float
        6 P tokens over the peak of all GPUs, without scores.
    mfu_with_scores : float
        With all pairs of the scores counted, as Megatron-LM and llm-foundry do.
    slowest : float
        The share of its rate that the slowest GPU runs at, as if all did.
    """

    split: ParallelSizes
    micro_batches: int
    forward_s: float
    backward_s: float
    optimiser_s: float
    bubble_s: float
    communication: tuple[CommunicationTime, ...]
    held: Held
    tokens: int
    mfu: float
    mfu_with_scores: float
    slowest: float = 1.0

    @property
    def times_label(self) -> Label:
        """What kind of figure the time of the step is."""
        unlike = (each.label for each in self.communication if each.label.kind != "model")
        return inverse(next(unlike, AS_THE_SLOWEST if self.slowest < 1 else MODEL))

    @property
    def compute_s(self) -> float:
        """What the busiest GPU computes."""
        return self.forward_s + self.backward_s + self.optimiser_s

    @property
    def exposed_s(self) -> float:
        """Communication that the step waits for."""
        return sum(each.exposed_s for each in self.communication)

    def exposed_share(self, *, inside_node: bool) -> float:
        """The share of the step that waits inside nodes, or between them."""
        some = (each for each in self.communication if each.inside_node == inside_node)
        return sum(each.exposed_s for each in some) / self.step_s

    def dimension_of(self, each: CommunicationTime) -> str:
        """The parallelism of a communication; data-parallel groups hold the ranks of cp, too."""
        return "dp with cp" if each.dimension == "dp" and self.split.cp > 1 else each.dimension

    @property
    def hidden_s(self) -> float:
        """Communication beside compute."""
        return sum(each.hidden_s for each in self.communication)

    @property
    def slowed_s(self) -> float:
        """How much longer compute takes because communication runs beside it."""
        return OVERLAP_SLOWDOWN * self.hidden_s

    @property
    def step_s(self) -> float:
        """The whole step."""
        return self.compute_s + self.slowed_s + self.bubble_s + self.exposed_s

    @property
    def batch(self) -> int:
        """Sequences of the step."""
        return self.micro_batches * self.split.dp * self.split.block.micro_batch

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
        return self.held.fits

    def days(self, tokens: float) -> float:
        """Days to train on so many tokens, without any stop."""
        return tokens / self.tokens_per_s / 86_400


def training_step(
    model: Model,
    split: ParallelSizes,
    training: TrainingBlock,
    gpu: Accelerator,
    times: CollectiveTimes,
) -> TrainingStep:
    """A step of a layout that divides its model, its batch and the cluster.

    Raises
    ------
    WorkloadError
        Where groups do not lie evenly in the nodes, or cannot reach each other.
    """
    if split.expert_ranks % split.ep:
        raise WorkloadError([expert_ranks_problem(split)])
    flash = training.flash_attention
    kernels = Kernels(gpu, model, training.precision, flash, split.ep, split.block.expert_tp)
    compute = _Compute(kernels, split)
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
    asked = communications(model, split, training)
    found = communication_times(asked, windows, split, times, m)
    waiting = sum(c.exposed_s for c in found if c.dimension in ("tp", "cp", "ep")) / m
    filling = (split.pp - 1) / split.block.interleave
    bubble = filling * (forward + backward + waiting)
    peak = gpu.mean_peak_flops(training.precision) * split.gpus
    tokens = training.batch * training.sequence
    step = TrainingStep(
        split,
        m,
        forward * m,
        backward * m,
        compute.optimiser_s(split.block.zero, training.gradient_bytes),
        bubble,
        found,
        Held(training_memory(model, split, training), gpu.memory_gb),
        tokens,
        0.0,
        0.0,
        gpu.rate,
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
    split: ParallelSizes

    def micro_batch(self, training: TrainingBlock) -> tuple[float, float, float]:
        """Forward and backward of one micro-batch, and of these the scores, seconds."""
        split, kernels = self.split, self.kernels
        block, model = split.block, kernels.model
        tokens = block.micro_batch * training.sequence / split.cp
        layers = stage_layers(model, split.pp)
        scores = kernels.scores_s(tokens, training.sequence, split.tp)
        products = kernels.products_s(tokens, split.tp)
        between = kernels.between_s(tokens, split.tp, split=block.sequence_parallel)
        others = products + between
        logits = kernels.logits_s(tokens, split.tp) if self._logits_count else 0.0
        sorting = kernels.sorting_s(tokens, split.tp)  # as long backward as forward
        once = others + scores + sorting
        again = {"selective": scores, "full": once}.get(block.recompute, 0.0)
        if block.modules:
            again = kernels.again_s(block.modules, tokens, training.sequence, split)
        if block.recompute == "selective" and training.stack == "fsdp":
            again = second_products_share(model) * products + between + sorting
        elif block.recompute == "selective" and kernels.flash:
            again = 0.0  # the kernel does that already
        forward = once * layers + logits
        backward = BACKWARD * (others * layers + logits)
        backward += (kernels.scores_backward * scores + sorting) * layers
        backward += again * layers * block.share_again(layers)
        if "activations" in block.offload:
            moved = layer_activation_bytes(model, split, training) * layers
            carried_s = moved / kernels.gpu.host_rate
            forward, backward = max(forward, carried_s), max(backward, carried_s)
        both = scores * layers * (1 + kernels.scores_backward)
        slower = training.compute_factor
        return slower * forward, slower * backward, slower * both

    @property
    def _logits_count(self) -> bool:
        """Whether the stage with most layers has the output too, not in place of a layer."""
        model, stages = self.kernels.model, self.split.pp
        return model.all_layers % stages == 0

    def optimiser_s(self, zero: int, gradient_bytes: int) -> float:
        """Adam on what a GPU updates."""
        held = stage_parameters(self.kernels.model, self.split)
        dense, experts = held.dense + held.embedding, held.experts
        if zero:
            dense /= self.split.shard_ranks
            experts /= self.split.expert_shard_ranks
        if "optimiser" in self.split.block.offload:
            # gradients to the CPU and weights back; what the CPU takes to update is not known
            return (dense + experts) * (gradient_bytes + 2) / self.kernels.gpu.host_rate
        return (dense + experts) * OPTIMISER_PASSES_BYTES / self.kernels.memory_rate


Lane = Literal["gpu", "network"]
State = Literal["compute", "slowed", "exposed", "hidden", "bubble"]


@dataclass(frozen=True)
class Segment:
    """A stretch of a step, seconds from its beginning.

    Micro-batches are drawn together: all forward passes, all backward passes. ``lane`` is ``gpu``
    for what the step consists of, ``network`` for what runs beside it.
    """

    lane: Lane
    state: State
    label: str
    start_s: float
    end_s: float


def timeline(step: TrainingStep) -> tuple[Segment, ...]:
    """The segments of a step, lane by lane; those of the GPU add up to the step."""
    shown: list[Segment] = []
    at = 0.0

    def then(state: State, label: str, time_s: float) -> None:
        nonlocal at
        if time_s > 0:
            shown.append(Segment("gpu", state, label, at, at + time_s))
            at += time_s

    starts: dict[str, float] = {}
    starts["forward"] = at
    then("compute", "forward", step.forward_s)
    starts["backward"] = at
    then("compute", "backward", step.backward_s)
    then("slowed", "compute, slowed by overlapping communication", step.slowed_s)
    for each in step.communication:
        then("exposed", f"{each.dimension}: {each.what}", each.exposed_s)
    then("bubble", "pipeline bubble", step.bubble_s)
    then("compute", "optimiser", step.optimiser_s)
    busy = dict(starts)
    for each in step.communication:
        if each.hidden_s <= 0:
            continue
        forward = "forward" in each.what or each.what.startswith("weights")
        beside = "forward" if forward and "backward" not in each.what else "backward"
        start = busy[beside]
        label = f"{each.dimension}: {each.what}"
        shown.append(Segment("network", "hidden", label, start, start + each.hidden_s))
        busy[beside] = start + each.hidden_s
    return tuple(shown)
