"""What the literature says that parallelism moves: what figures of the program are held to.

"Wire" bytes are those that one GPU must send: time is wire bytes over busbw (NVIDIA/nccl-tests,
doc/PERFORMANCE.md). Sources: data parallel, the same page; ZeRO, Rajbhandari et al. 2019
(arXiv 1910.02054), section 7; tensor and pipeline parallel, Narayanan et al. 2021 (arXiv
2104.04473), sections 2 and 3; sequence parallel, Korthikanti et al. 2022 (arXiv 2205.05198); ring
attention, Liu et al. 2023 (arXiv 2310.01889); experts, DeepSeek-V3 (arXiv 2412.19437), section 3.2.
"""

from __future__ import annotations

BF16_BYTES = 2


def gradient_wire_bytes(parameters: float, ranks: int, *, zero: int = 0, each: int = 2) -> float:
    """Wire bytes of a data-parallel step: gradients, and weights where ZeRO shards them.

    An all-reduce is a reduce-scatter and an all-gather, so ZeRO 1 and 2 move as much as none; ZeRO
    3 gathers the weights twice, half as much again.

    Parameters
    ----------
    parameters : float
        On each GPU.
    ranks : int
        Of the data-parallel group.
    zero : int
        Stage, 0 to 3.
    each : int
        Bytes of an element.
    """
    return (3 if zero == 3 else 2) * (ranks - 1) / ranks * parameters * each


def activation_bytes(
    micro_batch: float, sequence: float, hidden: int, each: int = BF16_BYTES
) -> float:
    """Bytes of one activation: b x s x h elements."""
    return micro_batch * sequence * hidden * each


def tensor_wire_bytes(message_bytes: float, ranks: int, *, recomputed: bool = False) -> float:
    """Wire bytes of one layer and micro-batch under tensor parallelism, forward and backward.

    Four all-reduces of an activation, six where the forward pass runs again; sequence parallelism
    splits each into a reduce-scatter and an all-gather of the same wire bytes.
    """
    return (6 if recomputed else 4) * 2 * (ranks - 1) / ranks * message_bytes


def bubble_share(stages: int, micro_batches: int, interleave: int = 1) -> float:
    """The pipeline's idle time over its busy time, ``(p - 1) / (m v)``."""
    return (stages - 1) / (micro_batches * interleave)


def leaving_bytes(tokens: float, copies: float, hidden: int, each: int, nodes: int) -> float:
    """Bytes that leave a node's GPU for experts elsewhere: T k h e (1 - 1/M), even routing."""
    return tokens * copies * hidden * each * (1 - 1 / nodes)


def ring_step_bytes(sequence: float, ranks: int, kv_elements: float, micro_batch: int = 1) -> float:
    """Bytes of one step of ring attention: keys and values of a rank's share of the sequence.

    ``kv_elements`` are those of the keys alone, KV heads times their size.
    """
    return 2 * (sequence / ranks) * micro_batch * kv_elements * BF16_BYTES


def balance_tokens(flops_per_s: float, busbw_GBps: float, ranks: int) -> float:
    """Tokens a GPU and step from which gradients hide behind compute, data parallel only.

    Compute takes 6 P T / F, gradients in bf16 4 P (d - 1) / d / busbw: P falls out.
    """
    return 2 / 3 * flops_per_s / (busbw_GBps * 1e9) * (ranks - 1) / ranks


def training_days(parameters: float, tokens: float, flops_per_s: float) -> float:
    """Days to train on so many tokens: 6 P D FLOP."""
    return 6 * parameters * tokens / flops_per_s / 86_400


def megatron_flops(
    batch: int, sequence: int, layers: int, hidden: int, vocabulary: int, *, recomputed: bool
) -> float:
    """FLOP of a step by Megatron's count (arXiv 2104.04473, equation 3): 96 B s l h^2 (...).

    With the forward pass run again; without it three quarters.
    """
    whole: float = 96 * batch * sequence * layers * hidden**2
    whole *= 1 + sequence / (6 * hidden) + vocabulary / (16 * layers * hidden)
    return whole if recomputed else whole * 3 / 4
