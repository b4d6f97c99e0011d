"""How long the GPU computes: matrices, scores and what passes through memory between them.

Three shares, one set for all GPUs and models. They are set once against the published runs of
``bench/workloads`` as a whole, not row by row; what is left over is the error shown there.
"""

from __future__ import annotations

from dataclasses import dataclass

from topology.workloads.accelerator import Accelerator
from topology.workloads.block import Precision
from topology.workloads.model import Model

MATMUL_SHARE = {80: 0.859, 90: 0.789}
"""Of the dense peak, what the best matrix product reaches. A100 267.9 of 312 (Bekman, Machine
Learning Engineering, table of maximum achievable matmul FLOPS; quoted from memory, unverified);
H100 780 of 989 (gist.github.com/Chillee/2ec89696db8b7ed1c24461159e325405)."""

OTHER_MATMUL_SHARE = 0.789
"""For GPUs that nobody measured so, as the H100."""

FP8_MATMUL_SHARE = 0.709
"""Of the dense fp8 peak: H100 1,402 of 1,979 (the same table; from memory, unverified)."""

LAYER_SHARE = 0.80
"""Of that, what the products of a layer reach in a run that lasts: their shapes are not the best
ones, clocks fall under load, launches leave gaps. Calibrated on ``bench/workloads``."""

SCORES_SHARE = 0.50
"""Of the dense peak, what FlashAttention-2 reaches: 50 to 73 % on A100, 35 to 40 % forward on H100
(Dao 2023, arXiv 2307.08691; Shah et al. 2024, arXiv 2407.08608)."""

MEMORY_SHARE = 0.80
"""Of the memory's bandwidth, what a kernel that only copies reaches (BabelStream on A100 and H100:
85 to 92 %; element-wise kernels lie below)."""

CAUSAL = 0.5
"""Share of the scores that FlashAttention computes where a token sees only those before it."""

SCORE_PASSES = 8
"""Times that unfused attention writes or reads a bf16 score forward: product, scale and mask,
softmax, dropout, each in and out."""

BACKWARD = 2
"""The backward pass has two products for each of the forward pass."""


@dataclass(frozen=True)
class Kernels:
    """Times of a model's parts on a GPU.

    Parameters
    ----------
    gpu : Accelerator
        Its peaks.
    model : Model
        Whose parts.
    precision : str
        Of products.
    flash : bool
        Whether scores stay on the chip.
    """

    gpu: Accelerator
    model: Model
    precision: Precision = "bf16"
    flash: bool = True

    @property
    def matmul_flops(self) -> float:
        """FLOP/s that products of a layer run at."""
        share = MATMUL_SHARE.get(self.gpu.generation, OTHER_MATMUL_SHARE)
        if self.precision == "fp8":
            share = FP8_MATMUL_SHARE
        return self.gpu.peak_flops(self.precision) * share * LAYER_SHARE

    @property
    def memory_rate(self) -> float:
        """Bytes/s to and from memory."""
        return self.gpu.memory_TBps * 1e12 * MEMORY_SHARE

    def products_s(self, tokens: float, tp: int = 1) -> float:
        """Forward through the matrices of one layer."""
        return tokens * self.model.layer_flops / tp / self.matmul_flops

    def scores_s(self, tokens: float, sequence: float, tp: int = 1) -> float:
        """Forward through the attention of one layer; of ``sequence`` tokens each sees half."""
        flops = tokens * self.model.score_flops(sequence) / tp
        if self.flash:
            return flops * CAUSAL / (self.gpu.bf16_tflops * 1e12 * SCORES_SHARE)
        passed = tokens * sequence * self.model.heads / tp * 2 * SCORE_PASSES
        return flops / self.matmul_flops + passed / self.memory_rate

    def between_s(self, tokens: float, tp: int = 1, *, split: bool = True) -> float:
        """Forward through what stands between the products of one layer: bytes over memory.

        Two norms (in and out), two residuals (two in, one out), rotation of queries and keys, the
        activation (in and out; a gate is one more in). With sequence parallelism all of it is
        split, without it norms and residuals are not.
        """
        model = self.model
        whole = 2 * 2 * model.hidden + 2 * 3 * model.hidden
        rotated = 2 * model.head_size * (model.heads + model.key_heads)
        parts = rotated + (3 if model.gated else 2) * model.active_width
        elements = whole / (tp if split else 1) + parts / tp
        return tokens * elements * 2 / self.memory_rate

    def logits_s(self, tokens: float, tp: int = 1) -> float:
        """Forward to the vocabulary."""
        return tokens * self.model.logit_flops / tp / self.matmul_flops

    def layer_s(self, tokens: float, sequence: float, tp: int = 1, *, split: bool = True) -> float:
        """Forward through one layer."""
        products = self.products_s(tokens, tp) + self.scores_s(tokens, sequence, tp)
        return products + self.between_s(tokens, tp, split=split)
