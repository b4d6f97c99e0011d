"""What a GPU has to hold: weights, gradients, optimiser, activations, or the KV cache.

Weights 2 bytes, gradients 2 or 4, optimiser 12 (fp32 copy and Adam's two moments): Rajbhandari et
al. 2019 (arXiv 1910.02054), section 3.1. Stacks differ in what else they keep:

- Megatron-LM and its like copy 16-bit gradients to fp32 for the update: 16 bytes a parameter that
  ZeRO 1 shards (NVIDIA, Megatron Core User Guide, Distributed Optimizer: fp16 parameters and
  gradients 4 + 16/d). Where they add them up in fp32, DeepSpeed keeps those of 16 bits besides
  (deepspeed/runtime/bf16_optimizer.py).
- PyTorch's FSDP keeps its outermost unit, embedding and output, gathered from forward to backward,
  and with pipeline stages all of its weights, and gradients that add up unsharded in fp32 until the
  last micro-batch (PyTorch, torch.distributed.fsdp.fully_shard, reshard_after_forward; torchtitan,
  the default of fsdp_reshard_after_forward).
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.workloads.block import Stack, TrainingBlock
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.model import Model

LOGIT_BYTES: dict[Stack, float] = {"nvidia": 8, "older": 8, "fsdp": 14}
"""Of each logit while the loss is computed. Megatron-LM: in bf16, in fp32 where the softmax is
computed in place, and the gradient in bf16 (megatron/core/tensor_parallel/cross_entropy.py).
PyTorch's cross_entropy in fp32: in bf16, in fp32, the log of the softmax and its gradient in fp32
(torch.nn.functional.cross_entropy is log_softmax and nll_loss)."""


def stage_layers(model: Model, stages: int) -> int:
    """Layers of the stage that has most."""
    layers = model.all_layers
    if layers % stages and (layers + 2) % stages == 0:
        return (layers + 2) // stages
    return -(-layers // stages)


def layer_activation_bytes(model: Model, split: ParallelSizes, training: TrainingBlock) -> float:
    """Bytes that a layer keeps of one micro-batch for the backward pass, on each GPU.

    Of modules that run again by themselves their inputs stay: a norm gives 2 h, and so much goes
    into each half; an activation gives 2 f, a gated half keeps two more such inputs.
    """
    block, modules = split.block, split.block.modules
    tokens = _tokens(split, training)
    whole = split.tp if block.sequence_parallel else 1
    if block.recompute == "full":
        return 2 * tokens * model.hidden / whole
    keys = 2 * model.key_heads * model.head_size
    queries = model.heads * model.head_size
    width = model.active_width
    if block.recompute == "selective" and training.stack == "fsdp":
        # its input, what attention and the last product give, queries, values, and one of the
        # products into the feed-forward layer: every second product is run again
        split_too = (4 * queries + keys + 2 * width) / split.tp
        return tokens * (4 * model.hidden / whole + split_too)
    # inputs of both halves and their norms are split by sequence parallelism only; dropout masks
    # of models without gates are a byte each
    outside = (8 if model.gated else 10) * model.hidden / whole
    attention = (4 * queries + 2 * keys) / split.tp
    inside = (6 if model.gated else 4) * width / split.tp
    for half in ("attention", "ffn"):
        if modules & {"norm", half}:
            outside -= 2 * model.hidden / whole
    if "attention" in modules:
        attention = 0.0
    if modules & {"ffn", "activation"}:
        inside = 0.0 if "ffn" in modules else inside - 2 * width / split.tp
    scores = 0.0
    if not training.flash_attention and block.recompute == "none":
        scores = 5 * model.heads * training.sequence / split.tp
    return tokens * (outside + attention + inside + scores)


def activations_in_flight(split: ParallelSizes, micro_batches: int) -> float:
    """Micro-batches that the first stage keeps at once, 1F1B; interleaving keeps some more."""
    v = split.block.interleave
    more = 1 + (split.pp - 1) / (split.pp * v) if v > 1 else 1.0
    return min(micro_batches, split.pp * more)


def activation_bytes(model: Model, split: ParallelSizes, training: TrainingBlock) -> float:
    """Activations on the fullest GPU.

    The first stage holds most micro-batches, the last few but the logits. What is being run again
    is there once, whole, with the gradients of the feed-forward layer that is at work.
    """
    micro_batches = max(1, training.batch // (split.dp * split.block.micro_batch))
    layers = stage_layers(model, split.pp)
    share = split.block.share_again(layers)
    each = layers * share * layer_activation_bytes(model, split, training)
    if share < 1:
        each += layers * (1 - share) * layer_activation_bytes(model, keeping_all(split), training)
    each += _output_bytes(model, split, training)
    again = _run_again_bytes(model, split, training)
    tokens = _tokens(split, training)
    logit_bytes = training.logit_bytes
    if logit_bytes is None:
        logit_bytes = LOGIT_BYTES[training.stack]
    own = model.vocabulary / split.tp
    logits = logit_bytes * tokens * own
    if "logits" in split.block.whole and split.tp > 1:
        # the gathered ones, and what each rank has of them and of their gradient, in bf16
        logits = tokens * (logit_bytes * model.vocabulary + 2 * 2 * own)
    v = split.block.interleave
    in_last = min(micro_batches, ((v - 1) * split.pp + 1) / v)
    first = each * activations_in_flight(split, micro_batches)
    if "activations" in split.block.offload:
        # two layers of one micro-batch: the one at work, and the one on its way
        first = each = min(first, 2 * each / layers)
        in_last = 1.0
    return max(first + again, each * in_last + max(logits, again))


def keeping_all(split: ParallelSizes) -> ParallelSizes:
    """The same layout without anything that runs again."""
    return ParallelSizes(split.block.model_copy(update={"recompute": "none"}), split.dp)


def _tokens(split: ParallelSizes, training: TrainingBlock) -> float:
    """Of a micro-batch on one GPU, before tensor parallelism splits any."""
    return split.block.micro_batch * training.sequence / split.cp


def _run_again_bytes(model: Model, split: ParallelSizes, training: TrainingBlock) -> float:
    """Of the layer that the backward pass runs again, whole."""
    block = split.block
    if block.recompute == "none" or (block.recompute == "selective" and training.stack != "fsdp"):
        return 0.0
    kept = keeping_all(split)
    if block.modules:
        # what one layer does not keep
        return layer_activation_bytes(model, kept, training) - layer_activation_bytes(
            model, split, training
        )
    tokens = _tokens(split, training)
    gradients = tokens * (2 if model.gated else 1) * 2 * model.active_width / split.tp
    gathered = 0.0
    if split.tp > 1 and block.sequence_parallel:
        # the input of a product is gathered again, and its gradient is there before it is split
        gathered = 2 * 2 * tokens * model.hidden
    return layer_activation_bytes(model, kept, training) + gradients + gathered


def _output_bytes(model: Model, split: ParallelSizes, training: TrainingBlock) -> float:
    """What stages have sent on and keep until the backward pass: nothing in Megatron-LM today.

    DeepSpeed's and PyTorch's pipelines keep the outputs of micro-batches beside their inputs;
    Megatron-LM frees them since 2022 (deallocate_pipeline_outputs).
    """
    if split.pp == 1 or training.stack == "nvidia":
        return 0.0
    whole = split.tp if split.block.sequence_parallel else 1
    return split.block.interleave * 2 * _tokens(split, training) * model.hidden / whole


FP32_BYTES = 4

CONTEXT_BYTES = 2e9
"""CUDA's context and NCCL's buffers: about 2 GB of a GPU (bigscience-workshop/bigscience,
train/tr11-176B-ml/chronicles-prequel.md)."""

RESERVED_BYTES = CONTEXT_BYTES + 2e9
"""Kept free of a GPU's memory: the context, and what the allocator cannot use because it is in
pieces. The second half is an allowance, no measurement."""

ALLOCATOR_SHARE: dict[Stack, float] = {"nvidia": 0.155, "older": 0.155, "fsdp": 0.0}
"""What PyTorch's allocator takes from the driver beyond what is needed at the peak, and gives back
where memory would run out. Of tensors, at the median of four runs of ms-swift; those of BigScience
and Primus were not used (``bench/workloads/memory.yaml``). Nothing beyond the allowance where
segments can grow (PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, which torchtitan sets)."""


@dataclass(frozen=True)
class MemoryUse:
    """Bytes on the fullest GPU."""

    weights: float
    gradients: float = 0.0
    optimiser: float = 0.0
    activations: float = 0.0
    kv_cache: float = 0.0
    allocator_share: float = 0.0

    @property
    def tensors(self) -> float:
        """What the workload needs."""
        return self.weights + self.gradients + self.optimiser + self.activations + self.kv_cache

    @property
    def total(self) -> float:
        """All of it, with what is kept free."""
        return self.tensors + RESERVED_BYTES

    @property
    def taken(self) -> float:
        """What the driver shows as taken where the GPU has so much."""
        pieces = max(RESERVED_BYTES - CONTEXT_BYTES, self.allocator_share * self.tensors)
        return self.tensors + pieces + CONTEXT_BYTES

    def fits(self, memory_gb: float) -> bool:
        """Whether a GPU of so many 10^9 bytes holds it."""
        return self.total <= memory_gb * 1e9


@dataclass(frozen=True)
class Held:
    """What a workload puts on the fullest GPU, and what that GPU has, 10^9 bytes."""

    use: MemoryUse
    gpu_gb: float

    @property
    def taken(self) -> float:
        """Bytes that the driver shows as taken, at most all of the GPU's."""
        return min(self.use.taken, self.gpu_gb * 1e9)

    @property
    def fits(self) -> bool:
        """Whether the GPU holds it; what does not fit does not run, and has no time."""
        return self.use.fits(self.gpu_gb)


@dataclass(frozen=True)
class StageParameters:
    """Parameters on the fullest GPU: dense ones, of routed experts, and one embedding."""

    dense: float
    experts: float
    embedding: float


def stage_parameters(model: Model, split: ParallelSizes) -> StageParameters:
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


def training_memory(model: Model, split: ParallelSizes, training: TrainingBlock) -> MemoryUse:
    """What the fullest GPU holds in training."""
    held = stage_parameters(model, split)
    zero, fsdp = split.block.zero, training.stack == "fsdp"
    dense, experts = held.dense + held.embedding, held.experts

    def kept(stage: int) -> float:
        """Parameters that a GPU keeps of what ZeRO shards from this stage on."""
        if zero < stage:
            return dense + experts
        return dense / split.shard_ranks + experts / split.expert_shard_ranks

    update = float(training.optimiser_bytes)
    # stages add up the gradients of their micro-batches whole, and reduce them once
    gradients = training.gradient_bytes * kept(2 if split.pp == 1 else 3)
    if training.stack == "older" and training.gradient_bytes == 2:
        update += FP32_BYTES
    elif training.stack == "older":
        gradients += 2 * (dense + experts)
    several = training.batch > split.dp * split.block.micro_batch
    piped = zero == 3 and fsdp and split.pp > 1
    if several and split.gradient_ranks > 1 and (piped or "gradients" in split.block.whole):
        gradients = max(gradients, FP32_BYTES * (dense + experts))
    gathered = 0.0
    if piped:
        gathered = 2 * (dense + experts - kept(3))
    elif zero == 3:
        # the layer at work and the next one
        outermost = held.embedding if fsdp else 0.0
        gathered = 2 * 2 * (dense + experts - outermost) / stage_layers(model, split.pp)
        gathered += 2 * outermost
    return MemoryUse(
        weights=training.weight_bytes * kept(3) + gathered,
        gradients=gradients,
        optimiser=0.0 if "optimiser" in split.block.offload else update * kept(1),
        activations=activation_bytes(model, split, training),
        allocator_share=ALLOCATOR_SHARE[training.stack],
    )
