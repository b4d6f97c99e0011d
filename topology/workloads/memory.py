"""What a GPU has to hold: weights, gradients, optimiser, activations, or the KV cache.

Weights 2 bytes, gradients 2 or 4, optimiser 12 (fp32 copy and Adam's two moments): Rajbhandari et
al. 2019 (arXiv 1910.02054), section 3.1. Activations: Korthikanti et al. 2022 (arXiv 2205.05198),
equations 1 to 5, written out for gates and fewer KV heads.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.topology.workloads.block import TrainingBlock
from toposmith.topology.workloads.model import Model
from toposmith.topology.workloads.splitting import Split

OPTIMISER_BYTES = 12
LOGIT_BYTES = 8
"""Of each logit while the loss is worked out: in fp32, and its gradient in fp32
(NVIDIA/Megatron-LM, megatron/core/tensor_parallel/cross_entropy.py)."""

RESERVED_BYTES = 4e9
"""Kept free of a GPU's memory: CUDA's context, NCCL's buffers, fragments. An allowance, no
measurement; NVIDIA's containers show 2 to 5 GB."""


@dataclass(frozen=True)
class MemoryUse:
    """Bytes on the fullest GPU."""

    weights: float
    gradients: float = 0.0
    optimiser: float = 0.0
    activations: float = 0.0
    kv_cache: float = 0.0

    @property
    def total(self) -> float:
        """All of it, with what is kept free."""
        kept = self.weights + self.gradients + self.optimiser + self.activations + self.kv_cache
        return kept + RESERVED_BYTES

    def fits(self, memory_gb: float) -> bool:
        """Whether a GPU of so many 10^9 bytes holds it."""
        return self.total <= memory_gb * 1e9


@dataclass(frozen=True)
class Held:
    """What a workload puts on the fullest GPU, and what that GPU has, 10^9 bytes."""

    use: MemoryUse
    gpu_gb: float

    @property
    def fits(self) -> bool:
        """Whether the GPU holds it; what does not fit does not run, and has no time."""
        return self.use.fits(self.gpu_gb)


def stage_layers(model: Model, stages: int) -> int:
    """Layers of the stage that has most."""
    layers = model.all_layers
    if layers % stages and (layers + 2) % stages == 0:
        return (layers + 2) // stages
    return -(-layers // stages)


@dataclass(frozen=True)
class StageParameters:
    """Parameters on the fullest GPU: dense ones, of routed experts, and one embedding."""

    dense: float
    experts: float
    embedding: float


def stage_parameters(model: Model, split: Split) -> StageParameters:
    """What each GPU of the fullest stage holds."""
    layers = stage_layers(model, split.pp)
    with_experts = min(layers, model.expert_layers)
    body = model.dense_parameters - model.embedding_parameters * (1 if model.tied else 2)
    dense = body / model.layers * layers / split.tp
    both = 2 if split.pp == 1 and not model.tied else 1
    return StageParameters(
        dense,
        with_experts * model.expert_parameters / split.expert_tp / split.ep,
        both * model.embedding_parameters / split.tp,
    )


def layer_activation_bytes(model: Model, split: Split, training: TrainingBlock) -> float:
    """Bytes that a layer keeps of one micro-batch for the backward pass, on each GPU."""
    block = split.block
    tokens = block.micro_batch * training.sequence / split.cp
    whole = split.tp if block.sequence_parallel else 1
    if block.recompute == "full":
        return 2 * tokens * model.hidden / whole
    keys = 2 * model.key_heads * model.head_size
    queries = model.heads * model.head_size
    # inputs of both halves and their norms are split by sequence parallelism only; dropout masks
    # of models without gates are a byte each
    outside = (8 if model.gated else 10) * model.hidden / whole
    attention = (4 * queries + 2 * keys) / split.tp
    width = model.active_width
    inside = (6 if model.gated else 4) * width / split.tp
    scores = 0.0
    if not training.flash_attention and block.recompute == "none":
        scores = 5 * model.heads * training.sequence / split.tp
    return tokens * (outside + attention + inside + scores)


def activations_in_flight(split: Split, micro_batches: int) -> float:
    """Micro-batches that the first stage keeps at once, 1F1B; interleaving keeps some more."""
    v = split.block.interleave
    more = 1 + (split.pp - 1) / (split.pp * v) if v > 1 else 1.0
    return min(micro_batches, split.pp * more)


def _activations(model: Model, split: Split, training: TrainingBlock, layers: int) -> float:
    """Activations on the fullest GPU.

    The first stage holds most micro-batches, the last few but the logits. What is being run again
    is there once, whole.
    """
    micro_batches = max(1, training.batch // (split.dp * split.block.micro_batch))
    each = layer_activation_bytes(model, split, training) * layers
    again = 0.0
    if split.block.recompute == "full":
        kept = split.block.model_copy(update={"recompute": "none"})
        again = layer_activation_bytes(model, Split(kept, split.dp), training)
    tokens = split.block.micro_batch * training.sequence / split.cp
    logits = LOGIT_BYTES * tokens * model.vocabulary / split.tp
    v = split.block.interleave
    in_last = min(micro_batches, ((v - 1) * split.pp + 1) / v)
    first = each * activations_in_flight(split, micro_batches)
    return max(first + again, each * in_last + max(logits, again))


def training_memory(model: Model, split: Split, training: TrainingBlock) -> MemoryUse:
    """What the fullest GPU holds in training."""
    held = stage_parameters(model, split)
    zero = split.block.zero
    dense, experts = held.dense + held.embedding, held.experts

    def kept(stage: int) -> float:
        """Parameters that a GPU keeps of what ZeRO shards from this stage on."""
        if zero < stage:
            return dense + experts
        return dense / split.gradient_ranks + experts / split.expert_gradient_ranks

    layers = stage_layers(model, split.pp)
    activations = _activations(model, split, training, layers)
    gathered = 2 * (dense + experts) / layers * 2 if zero == 3 else 0.0
    return MemoryUse(
        weights=2 * kept(3) + gathered,
        gradients=training.gradient_bytes * kept(2),
        optimiser=OPTIMISER_BYTES * kept(1),
        activations=activations,
    )
