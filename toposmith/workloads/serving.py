"""Serving a model on a design: time to the first token, time per token, tokens per second.

A copy of the model takes tp x pp GPUs (ep of them share its experts); copies fill the cluster and
all run at once. Decoding reads all weights and the cache for every token, so it is bound by memory
until the batch is large; its all-reduces are small, so they are bound by latency (Pope et al. 2022,
arXiv 2211.05102).

Where prompts are read on the GPUs that decode, a place in the batch that becomes free is filled at
once by the next request, whose prompt stops the others while it is read (continuous batching: Yu et
al. 2022, Orca, OSDI; Agrawal et al. 2023, Sarathi, arXiv 2308.16369). A batch of B with answers of
n tokens therefore reads B prompts in the time of n - 1 tokens: a request takes B prompts, of which
its own gives the first token, and n - 1 decode passes, and a token its share of both.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.text import counted
from toposmith.workloads.accelerator import Accelerator
from toposmith.workloads.block import PRECISION_BYTES, Precision, ServingBlock
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.kernels import KERNEL_GAP_S, LAYER_KERNELS, SMALL_KERNEL_S, Kernels
from toposmith.workloads.memory import RESERVED_BYTES, Held, MemoryUse
from toposmith.workloads.model import Model, WorkloadError
from toposmith.workloads.volumes import BF16_BYTES, in_flight


@dataclass(frozen=True)
class Pass:
    """One pass through the model: of all prompts of a batch, or of a token of each sequence.

    Parameters
    ----------
    compute_s : float
        Products, scores and memory on all stages one after the other.
    tensor_s, expert_s, pipeline_s : float
        Collectives; none overlaps.
    collectives : int
        All-reduces that each token waits for.
    message_bytes : float
        Of one.
    collective_us : float
        Time of one.
    limited_by : str
        What limits an all-reduce: ``latency``, ``channels`` or ``links``; empty without any.
    """

    compute_s: float
    tensor_s: float
    expert_s: float
    pipeline_s: float
    collectives: int
    message_bytes: float
    collective_us: float
    limited_by: str

    @property
    def communication_s(self) -> float:
        """All collectives."""
        return self.tensor_s + self.expert_s + self.pipeline_s

    @property
    def total_s(self) -> float:
        """The whole pass."""
        return self.compute_s + self.communication_s


@dataclass(frozen=True)
class Service:
    """What a cluster of equal copies delivers.

    Parameters
    ----------
    copies : int
        Of the model, that decode.
    prefill_copies : int
        That read prompts; the same ones where that is not parted.
    batch : int
        Sequences that a copy decodes together.
    largest_batch : int
        That memory allows.
    decode, prefill : Pass
        The passes.
    kv_bytes : float
        Cache of a prompt, over all GPUs of a copy.
    kv_precision : str
        That it is kept in.
    kv_transfer_s : float
        To send it from where it was made to where it is used; 0 where that is one place.
    held : Held
        What each GPU holds.
    output : int
        Tokens of an answer.
    reading_s : float
        That each output token waits while prompts of others are read on the same GPUs; 0 where
        they are read on others.
    requests_per_s : float
        Of the whole cluster.
    """

    copies: int
    prefill_copies: int
    batch: int
    largest_batch: int
    decode: Pass
    prefill: Pass
    kv_bytes: float
    kv_precision: Precision
    kv_transfer_s: float
    held: Held
    output: int
    reading_s: float
    requests_per_s: float

    @property
    def tpot_s(self) -> float:
        """Time per output token as users see it: a decode pass, and prompts read in between."""
        return self.decode.total_s + self.reading_s

    @property
    def ttft_s(self) -> float:
        """Time to the first token, which reading the prompt gives, without a queue."""
        return self.prefill.total_s + self.kv_transfer_s

    @property
    def request_s(self) -> float:
        """From prompt to last token: the first one, and all others after it."""
        return self.ttft_s + (self.output - 1) * self.tpot_s

    @property
    def tokens_per_s(self) -> float:
        """Output of the whole cluster."""
        return self.requests_per_s * self.output

    @property
    def requests_in_flight(self) -> float:
        """Requests under way at full rate (Little's law)."""
        return in_flight(self.requests_per_s, self.request_s)

    @property
    def unfilled(self) -> bool:
        """Whether copies that only decode get prompts too slowly for their batch."""
        if not self.kv_transfer_s:
            return False
        decoding = in_flight(self.requests_per_s, (self.output - 1) * self.decode.total_s)
        return decoding < self.copies * self.batch * (1 - 1e-9)

    @property
    def fits(self) -> bool:
        """Whether a GPU holds its share."""
        return self.held.fits


MOST_SEQUENCES = 65_536
"""Largest decode batch that is tried."""


@dataclass(frozen=True)
class Server:
    """A model on a design, to be asked about any batch.

    Parameters
    ----------
    model, split, serving, gpu
        What runs where; of the layout tp, pp and ep count.
    times : CollectiveTimes
        Of the nodes that take part.
    """

    model: Model
    split: ParallelSizes
    serving: ServingBlock
    gpu: Accelerator
    times: CollectiveTimes

    @property
    def copy_gpus(self) -> int:
        """GPUs of one copy."""
        return max(self.split.tp * self.split.pp, self.split.ep)

    @property
    def _each(self) -> float:
        return PRECISION_BYTES[self.serving.precision]

    @property
    def _kv_bytes(self) -> float:
        """Bytes that all layers cache of a token."""
        return self.model.kv_bytes(PRECISION_BYTES[self.serving.cached_in])

    @property
    def weights_bytes(self) -> float:
        """Weights on each GPU; what experts do not share is whole on every tp x pp GPUs."""
        experts = self.model.expert_parameters * self.model.served_expert_layers
        dense = self.model.parameters - experts
        ranks = self.split.tp * self.split.pp
        return self._each * (dense / ranks + experts / max(ranks, self.split.ep))

    @property
    def _attending(self) -> int:
        """Parts of a copy that attend to sequences of their own (attention data parallel)."""
        return self.copy_gpus // (self.split.tp * self.split.pp)

    def cache_bytes(self, sequences: float, tokens: float) -> float:
        """KV cache on each GPU; a latent is not split by tensor parallelism."""
        tp = self.split.tp
        heads = 1 if self.model.latent is not None else min(tp, self.model.key_heads)
        ranks = heads * self.split.pp * self._attending
        return sequences * tokens * self._kv_bytes / ranks

    @property
    def largest_batch(self) -> int:
        """Sequences of full length that fit beside the weights; 0 where not even one does."""
        room = self.gpu.memory_gb * 1e9 - RESERVED_BYTES - self.weights_bytes
        each = self.cache_bytes(1, self.serving.prompt + self.serving.output)
        return min(MOST_SEQUENCES, max(0, int(room / each)))

    def decode(self, batch: int) -> Pass:
        """One token for each sequence of a copy; on average half of its output is there.

        There are gaps between the kernels of a layer, as in training; they count at small batches.
        """
        model, kernels = self.model, self._kernels
        here = batch / self.split.pp / self._attending
        tokens = max(1.0, here)
        flops = tokens * (model.layer_flops * model.layers + model.logit_flops) / self.split.tp
        read = self._weights_read(batch / self.split.pp) * self.split.pp
        compute = max(flops / kernels.matmul_flops, read / kernels.memory_rate)
        context = self.serving.prompt + self.serving.output / 2
        flops = tokens * model.decode_score_flops(context) * model.layers / self.split.tp
        cached = self.cache_bytes(tokens * self._attending, context) * self.split.pp
        compute += max(flops / kernels.matmul_flops, cached / kernels.memory_rate)
        gaps = LAYER_KERNELS * KERNEL_GAP_S + kernels.small_kernels * SMALL_KERNEL_S
        compute += model.layers * gaps
        # low-latency dispatch sends a token to each of its experts (DeepEP, low_latency_dispatch)
        sent = 0 if self.model.experts is None else self.model.experts.active
        return self._with_collectives(compute, tokens, sent)

    def prefill(self, prompts: int) -> Pass:
        """All tokens of so many prompts through each part of a copy that attends by itself."""
        tokens = float(prompts * self.serving.prompt)
        kernels, layers, tp = self._kernels, self.model.layers, self.split.tp
        products = kernels.products_s(tokens, tp) * layers
        compute = kernels.layer_s(tokens, self.serving.prompt, tp) * layers - products
        compute += max(products, self._weights_read(tokens) * self.split.pp / kernels.memory_rate)
        moe = self.model.experts
        # high-throughput dispatch sends a token once to each node that has experts of it
        sent = 0 if moe is None else min(moe.active, moe.nodes or moe.active)
        return self._with_collectives(compute + kernels.logits_s(prompts, tp), tokens, sent)

    def service(self, batch: int) -> Service:
        """The cluster with this decode batch on every copy.

        Raises
        ------
        WorkloadError
            If prefill and decode are apart and the GPUs hold fewer than two copies.
        """
        serving, gpus = self.serving, self.times.network.world.gpus
        places = gpus // self.copy_gpus
        reading = max(1, round(places * serving.prefill_share)) if serving.disaggregated else places
        copies = places - reading if serving.disaggregated else places
        if copies < 1:
            raise WorkloadError(
                [
                    f"serving.disaggregated: {counted(gpus, 'GPU', 'hold')} "
                    f"{counted(places, 'copy')} of "
                    f"{self.copy_gpus}; reading apart from writing takes two"
                ]
            )
        together = min(serving.prefill_batch * self._attending, batch)
        decode, prefill = self.decode(batch), self.prefill(-(-together // self._attending))
        transfer = self._transfer_s() if serving.disaggregated else 0.0
        passes = serving.output - 1
        reads_s, writes_s = self._reads_s(together, batch), passes * decode.total_s / batch
        if serving.disaggregated:
            rate, waits = reading / reads_s, 0.0
            rate = min(rate, copies / writes_s) if passes else rate
        else:
            rate = copies / (writes_s + reads_s)
            waits = (batch * reads_s - prefill.total_s) / passes if passes else 0.0
        tokens = serving.prompt + serving.output
        return Service(
            copies,
            reading,
            batch,
            self.largest_batch,
            decode,
            prefill,
            float(serving.prompt * self._kv_bytes),
            serving.cached_in,
            transfer,
            Held(
                MemoryUse(self.weights_bytes, kv_cache=self.cache_bytes(batch, tokens)),
                self.gpu.memory_gb,
            ),
            serving.output,
            waits,
            rate,
        )

    def _reads_s(self, together: int, batch: int) -> float:
        """Time of a prompt in a full batch.

        A pass reads as many as have come since the last, one for each answer that has ended, as far
        as it takes so many tokens.
        """
        ended = batch // (self._attending * max(1, self.serving.output - 1))
        each = min(ended, self.serving.chunk_tokens // self.serving.prompt)
        full = max(together, self._attending * each)
        return self.prefill(-(-full // self._attending)).total_s / full

    @property
    def _kernels(self) -> Kernels:
        return Kernels(self.gpu, self.model, self.serving.precision, ep=self.split.ep)

    def _weights_read(self, tokens: float) -> float:
        """Weights that a pass reads of a GPU's: of experts only those that some token goes to."""
        moe = self.model.experts
        if moe is None:
            return self.weights_bytes
        experts = self.model.expert_parameters * self.model.served_expert_layers
        ranks = self.split.tp * self.split.pp
        here = self._each * experts / max(ranks, self.split.ep)
        touched: float = 1 - (1 - moe.active / moe.count) ** max(1.0, tokens)
        return self.weights_bytes - here * (1 - touched)

    def _with_collectives(self, compute_s: float, tokens: float, sent: int) -> Pass:
        """A pass with its communication; experts take so many copies of a token."""
        model, split, times = self.model, self.split, self.times
        layout = Layout((("tp", split.tp), ("pp", split.pp)))
        size = tokens * model.hidden * BF16_BYTES
        count, each_us, limited = 0, 0.0, ""
        if split.tp > 1:
            count = 2 * model.layers
            outcome = times.outcome("all_reduce", layout, "tp", size)
            each_us, limited = outcome.time_us, outcome.limited_by
        expert_s = pipeline_s = 0.0
        moe = model.experts
        if moe is not None and split.ep > 1:
            split_tokens = max(1.0, tokens / split.tp)
            exchanged = split_tokens * sent * model.hidden
            experts = Layout((("ep", split.ep),))
            for each in (self._each, BF16_BYTES):
                outcome = times.outcome("all_to_all", experts, "ep", exchanged * each)
                expert_s += outcome.time_us * 1e-6 * (model.layers - moe.dense_layers)
        if split.pp > 1:
            outcome = times.outcome("send_recv", layout, "pp", size / split.tp)
            pipeline_s = (split.pp - 1) * outcome.time_us * 1e-6
        tensor_s = count * each_us * 1e-6
        return Pass(compute_s, tensor_s, expert_s, pipeline_s, count, size, each_us, limited)

    def _transfer_s(self) -> float:
        """A prompt's cache from the first half of the cluster to the second, all GPUs at once."""
        gpus = self.times.network.world.gpus
        size = self.serving.prompt * self._kv_bytes / self.copy_gpus
        halves = Layout((("dp", gpus // 2), ("pp", 2)))
        return self.times.outcome("send_recv", halves, "pp", size).time_us * 1e-6
