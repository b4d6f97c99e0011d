"""What a GPU keeps of micro-batches until their backward pass, and of the one that is at work.

Korthikanti et al. 2022 (arXiv 2205.05198), equations 1 to 5, written out for gates and fewer KV
heads; what a software stack keeps besides is documented where it is counted.
"""

from __future__ import annotations

from toposmith.workloads.block import Stack, TrainingBlock
from toposmith.workloads.model import Model
from toposmith.workloads.parallel_sizes import ParallelSizes

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
    """Bytes that a layer keeps of one micro-batch for the backward pass, on each GPU."""
    block = split.block
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
    each = layer_activation_bytes(model, split, training) * stage_layers(model, split.pp)
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
    return max(first + again, each * in_last + max(logits, again))


def _tokens(split: ParallelSizes, training: TrainingBlock) -> float:
    """Of a micro-batch on one GPU, before tensor parallelism splits any."""
    return split.block.micro_batch * training.sequence / split.cp


def _run_again_bytes(model: Model, split: ParallelSizes, training: TrainingBlock) -> float:
    """Of the layer that the backward pass runs again, whole."""
    block = split.block
    if block.recompute == "none" or (block.recompute == "selective" and training.stack != "fsdp"):
        return 0.0
    kept = ParallelSizes(block.model_copy(update={"recompute": "none"}), split.dp)
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
