"""How long the GPU computes: matrices, scores and what passes through memory between them.

One set of constants for all GPUs and models, each measured elsewhere but one, which is set against
the published runs of ``bench/workloads`` as a whole, not row by row; what is left over is the error
shown there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from toposmith.workloads.accelerator import BLOCKS_FROM, Accelerator
from toposmith.workloads.block import SIXTEEN_BITS, Flash, Precision
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.model import Model

TILES = ((256, 128), (128, 256), (128, 128))
"""Tiles that cuBLAS takes for products of this size (the guide, section 2.3)."""

MULTIPROCESSORS = {70: 80, 75: 40, 80: 108, 90: 132, 100: 148}
"""Of V100, T4, A100, H100 and B200 by compute capability (their architecture white papers; T4:
sysrqmts.com). Of 8.6 there are GPUs with different numbers, so none is taken."""


@dataclass(frozen=True)
class Product:
    """One product of a layer on a GPU, ``many`` of the same shape beside each other.

    ``rows`` are tokens, ``columns`` the width that it makes, ``depth`` the width that it takes.
    """

    rows: float
    columns: float
    depth: float
    many: float = 1

    @property
    def flops(self) -> float:
        """2 M N K each."""
        return 2 * self.rows * self.columns * self.depth * self.many


def layer_products(
    model: Model, tokens: float, tp: int, ep: int = 1, expert_tp: int | None = None
) -> Iterator[Product]:
    """The products of one layer's forward pass; with experts those of a layer that has them."""
    h = model.hidden
    if model.latent is not None:
        m, a = model.latent, model.heads / tp
        if m.query_rank is None:
            yield Product(tokens, m.kv_rank + m.rope, h)
            yield Product(tokens, a * (m.nope + m.rope), h)
        else:
            yield Product(tokens, m.query_rank + m.kv_rank + m.rope, h)
            yield Product(tokens, a * (m.nope + m.rope), m.query_rank)
        yield Product(tokens, a * (m.nope + m.value), m.kv_rank)
        yield Product(tokens, h, a * m.value)
    else:
        queries = model.heads * model.head_size / tp
        keys = max(model.key_heads / tp, 1) * model.head_size
        yield Product(tokens, queries + 2 * keys, h)
        yield Product(tokens, h, queries)
    gates = 2 if model.gated else 1
    moe = model.experts
    if moe is None:
        yield Product(tokens, gates * model.ffn / tp, h)
        yield Product(tokens, h, model.ffn / tp)
        return
    here, split = moe.count / ep, expert_tp or tp
    # where experts are split less than the rest, each rank brings its share of the tokens alone
    each = tokens * split / tp * moe.active / here
    for rows, many, ranks in ((each, here, split), (tokens, moe.shared, tp)):
        if many:
            yield Product(rows, gates * moe.ffn / ranks, h, many)
            yield Product(rows, h, moe.ffn / ranks, many)


def second_products_share(model: Model) -> float:
    """FLOP of every second product of a layer over those of all.

    Of queries, keys, values, output, gate, input and output of the feed-forward layer the keys',
    the output's and the input's; without a gate the feed-forward layer's second. Of latent
    attention a half.
    """
    attention = float(model.attention_parameters)
    second = attention / 2
    if model.latent is None:
        second = float(model.hidden * model.head_size * (model.heads + model.key_heads))
    width = model.hidden * model.active_width
    return (second + width) / (attention + (3 if model.gated else 2) * width)


@lru_cache(maxsize=65_536)
def full_share(rows: float, columns: float, many: float, multiprocessors: int | None) -> float:
    """What share of its waves' tiles a product fills, with the tile that fills most.

    Parameters
    ----------
    rows, columns : float
        Of what it makes.
    many : float
        Products that run as one grid.
    multiprocessors : int or None
        Of the GPU; None leaves the waves out.
    """
    best = 0.0
    for high, wide in TILES:
        tiles = ceil(rows / high) * ceil(columns / wide) * many
        if multiprocessors is not None:
            tiles = ceil(tiles / multiprocessors) * multiprocessors
        best = max(best, rows * columns * many / (tiles * high * wide))
    return min(best, 1.0)


def full_flops(
    model: Model,
    tokens: float,
    tp: int,
    ep: int,
    multiprocessors: int | None,
    expert_tp: int | None = None,
) -> float:
    """FLOP that a layer's products would be if all their tiles and waves were full."""
    found = list(layer_products(model, tokens, tp, ep, expert_tp))
    asked = sum(each.flops for each in found)
    taken = sum(
        each.flops / full_share(each.rows, each.columns, each.many, multiprocessors)
        for each in found
    )
    return tokens * model.layer_flops / tp * taken / asked


MATMUL_SHARE: Mapping[int | str, float] = {80: 0.869, 90: 0.763, 100: 0.635, "gfx942": 0.511}
"""Of the dense bf16 peak, what the best matrix product sustains over minutes: H200 755 of
989 TFLOP/s, B200 1,429 of 2,250, both at their power limit, where clocks fall; a burst reaches 834
and 1,745 (Bekman, Machine Learning Engineering, compute/accelerator, maximum achievable and maximum
sustainable matmul FLOPS; the sustained figures as its training scripts quote them). A100 271 of
312 (same table): no sustained figure of it was found, and none is taken off. MI300X 668 of 1,307
(the same table); it is at its power limit within one product. Others: as the B200."""

FP8_MATMUL_SHARE: Mapping[int | str, float] = {90: 0.665, 100: 0.625}
"""Of the dense fp8 peak, likewise: bursts of H200 reach 1,453 of 1,979 TFLOP/s, of B200 3,433 of
4,500 (Bekman, insights, when is it worth upgrading GPUs). Taken as much below as their bf16
is: 755/834 and 1,429/1,745; no public sustained figure was found. Others: as the B200. Also for fp4
and int8, of which no sustained figure was found."""

BLACKWELL_WATTS = {2250: 1000, 2500: 1200}
"""The power limit at which these shares are taken to hold, by dense bf16 peak: that of B200, and of
GB200 with its higher peak. Blackwell Ultra has the same peaks and more watts (GB300 1,400), and
sustains as many times as much, up to the burst: of Megatron Bridge's recipes those of GB300 ran
1.09 to 1.28 times as fast against GB200's as was predicted without it, 1.16 at the median."""

BLACKWELL_BURST = 1745 / 1429
"""What a B200 reaches before its clocks fall, over what it sustains (the same table)."""

LAYER_SHARE = 0.82
"""Of that, what the products of a layer reach: few shapes are the best one. The only constant that
is calibrated, on ``bench/workloads/published.yaml`` as a whole."""

SCORES_SHARE = {80: 0.60, 90: 0.38}
"""Of the dense peak, what FlashAttention-2 reaches: 50 to 73 % on A100 (Dao 2023, arXiv
2307.08691), 35 to 40 % on H100 (Shah et al. 2024, arXiv 2407.08608). Others: as the H100, since
what was written for an older GPU does not use a newer one well."""

FIRST_RELEASE = 0.33 / 0.60
"""What the first release, or Triton's kernel, reaches of the second: 25 to 40 % of the A100's peak
(Dao 2023, abstract). On other GPUs it is taken to be as much slower."""

SCORES_BACKWARD = 2.5
"""FlashAttention's backward pass has five products for the forward's two (Dao 2023)."""

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

CAST_BYTES = 4
"""Bytes that casting an element of a product's input to fp8 moves: bf16 read, two bytes written, as
it is and transposed, which products of fp8 on Hopper need (NVIDIA/TransformerEngine, cast-transpose
kernels)."""

LOGIT_BYTES = 12
"""Bytes that the loss moves of each logit: bf16 out of the product, fp32 in and out of softmax."""

LAYER_KERNELS = 14
"""Kernels of a layer's forward pass: products, scores, norms, rotation, activation, residuals."""

KERNEL_GAP_S = 0.9e-6
"""Between two kernels of a stream: 3.8 us each for kernels of 2.9 us (NVIDIA developer blog,
Getting Started with CUDA Graphs, 2019; from memory, unverified)."""

SMALL_KERNEL_S = KERNEL_GAP_S + 2.9e-6
"""A kernel that has next to nothing to do, with the gap (the same source)."""

LATENT_KERNELS = 6
"""Small kernels that multi-head latent attention has besides: two norms of what is compressed, the
product that expands queries, those of keys and of values with them, and the rotated part joined
(DeepSeek-V2, arXiv 2405.04434, appendix C)."""

EXPERT_KERNELS = 8
"""Those of experts: the router's product, its scores, the choice, three to count and sort tokens,
to gather them, and to add up what comes back (NVIDIA/Megatron-LM, core/transformer/moe)."""

SHARED_EXPERT_KERNELS = 4
"""Two products, the activation and the sum of experts that every token goes to."""

OVERLAP_SLOWDOWN = 0.189
"""How much longer compute takes while communication runs beside it, on average; up to 0.4 (Lee et
al. 2025, arXiv 2507.03114)."""


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
    flash : bool or int
        Whether scores stay on the chip; 1 is the first release of FlashAttention.
    ep : int
        Ranks that share the experts.
    expert_tp : int, optional
        Ranks that share each of them; those of the other products if not given.
    """

    gpu: Accelerator
    model: Model
    precision: Precision = "bf16"
    flash: Flash = True
    ep: int = 1
    expert_tp: int | None = None

    def _product_rate(self, precision: Precision) -> float:
        shares = MATMUL_SHARE if precision in SIXTEEN_BITS else FP8_MATMUL_SHARE
        share = shares.get(self.gpu.architecture or self.gpu.generation, shares[100])
        peak = round(self.gpu.half_tflops / self.gpu.rate)
        if self.gpu.generation >= BLOCKS_FROM and peak in BLACKWELL_WATTS:
            watts = BLACKWELL_WATTS[peak]
            share *= min(max(1.0, self.gpu.power_w / watts), BLACKWELL_BURST)
        return self.gpu.peak_flops(precision) * share * LAYER_SHARE

    @property
    def matmul_flops(self) -> float:
        """FLOP/s that products of a layer run at where they fill the GPU."""
        return self._product_rate(self.precision)

    @property
    def memory_rate(self) -> float:
        """Bytes/s to and from memory."""
        return self.gpu.memory_TBps * 1e12 * MEMORY_SHARE

    def products_s(self, tokens: float, tp: int = 1) -> float:
        """Forward through the matrices of one layer."""
        known = MULTIPROCESSORS.get(self.gpu.generation)
        flops = full_flops(self.model, tokens, tp, self.ep, known, self.expert_tp)
        return flops / self.matmul_flops

    def scores_s(self, tokens: float, sequence: float, tp: int = 1) -> float:
        """Forward through the attention of one layer; of ``sequence`` tokens each sees half."""
        flops = tokens * self.model.score_flops(sequence) / tp
        if self.flash:
            share = SCORES_SHARE.get(self.gpu.generation, SCORES_SHARE[90])
            if self.flash is not True and self.flash == 1:
                share *= FIRST_RELEASE
            return flops * CAUSAL / (self.gpu.half_tflops * 1e12 * share)
        passed = tokens * sequence * self.model.heads / tp * 2 * SCORE_PASSES
        return flops / self.matmul_flops + passed / self.memory_rate

    def between_s(self, tokens: float, tp: int = 1, *, split: bool = True) -> float:
        """Forward through what stands between the products of one layer: bytes over memory.

        Two norms (in and out), two residuals (two in, one out), rotation of queries and keys, the
        activation (in and out; a gate is one more in), and casts to fp8 of what products take.
        With sequence parallelism all of it is split, without it norms and residuals are not.
        """
        model = self.model
        whole = 2 * 2 * model.hidden + 2 * 3 * model.hidden
        queries = model.head_size * model.heads
        rotated = 2 * (queries + model.head_size * model.key_heads)
        parts = rotated + (3 if model.gated else 2) * model.active_width
        elements = whole / (tp if split else 1) + parts / tp
        moved = tokens * elements * 2
        if self.precision not in SIXTEEN_BITS:
            cast = (1 + self._expert_inputs) * model.hidden / (tp if split else 1)
            cast += (queries + model.active_width) / tp
            moved += tokens * cast * CAST_BYTES
        launched = LAYER_KERNELS * KERNEL_GAP_S + self.small_kernels * SMALL_KERNEL_S
        return moved / self.memory_rate + launched

    @property
    def _expert_inputs(self) -> float:
        """How many feed-forward layers or experts each take a token in, on average over layers."""
        model, moe = self.model, self.model.experts
        if moe is None:
            return 1.0
        share = model.expert_layers / model.all_layers
        return share * (moe.active + moe.shared) + 1 - share

    @property
    def small_kernels(self) -> float:
        """Of latent attention and of experts, in a layer's forward pass on average."""
        model, moe = self.model, self.model.experts
        found = float(LATENT_KERNELS) if model.latent is not None else 0.0
        if moe is not None:
            each = EXPERT_KERNELS + (SHARED_EXPERT_KERNELS if moe.shared else 0)
            found += each * model.expert_layers / model.all_layers
        return found

    def again_s(
        self, modules: AbstractSet[str], tokens: float, sequence: float, split: ParallelSizes
    ) -> float:
        """Forward through some modules of one layer once more, which the backward pass does."""
        model, tp = self.model, split.tp
        width = (3 if model.gated else 2) * model.hidden * model.active_width
        attention = model.attention_parameters / (model.attention_parameters + width)
        products, spent = self.products_s(tokens, tp), 0.0
        if "attention" in modules:
            spent += attention * products + self.scores_s(tokens, sequence, tp)
        if "ffn" in modules:
            spent += (1 - attention) * products + self.sorting_s(tokens, tp)
        halves = 2 if "norm" in modules else len(modules & {"attention", "ffn"})
        moved = halves * 2 * model.hidden / (tp if split.block.sequence_parallel else 1)
        if modules & {"ffn", "activation"}:
            moved += (3 if model.gated else 2) * model.active_width / tp
        return spent + tokens * moved * 2 / self.memory_rate

    def sorting_s(self, tokens: float, tp: int = 1) -> float:
        """Tokens sorted by expert and back, forward through one layer on average.

        Each is read once and written for each of its experts, and the other way round after them.
        With expert parallelism what has come is sorted once more by the experts of the rank, and
        back before it is sent (Megatron-LM, token_dispatcher.py: permute, all-to-all, sort, sort,
        all-to-all, unpermute).
        """
        moe = self.model.experts
        if moe is None:
            return 0.0
        own = tokens * (self.expert_tp or tp) / tp
        passes = 2 * (1 + moe.active)
        if 1 < self.ep < moe.count:
            passes += 4 * moe.active
        share = self.model.expert_layers / self.model.all_layers
        return own * self.model.hidden * 2 * passes * share / self.memory_rate

    def logits_s(self, tokens: float, tp: int = 1) -> float:
        """Forward to the vocabulary, in bf16 with any precision of the layers, and the loss."""
        flops = tokens * self.model.logit_flops / tp
        moved = tokens * self.model.vocabulary / tp * LOGIT_BYTES
        return flops / self._product_rate(self.gpu.sixteen_bits) + moved / self.memory_rate

    def layer_s(self, tokens: float, sequence: float, tp: int) -> float:
        """Forward through one layer."""
        products = self.products_s(tokens, tp) + self.scores_s(tokens, sequence, tp)
        return products + self.between_s(tokens, tp) + self.sorting_s(tokens, tp)

    @property
    def scores_backward(self) -> float:
        """How many times as long as forward the scores take backward."""
        return SCORES_BACKWARD if self.flash else BACKWARD
