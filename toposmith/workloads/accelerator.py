"""What the GPUs of a design compute and hold."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from toposmith.analysis.jobs.world import gpus_of, world
from toposmith.catalog import Catalog, Gpu
from toposmith.catalog.part_text import pcie_gbit
from toposmith.fabric.plan import Plan
from toposmith.fabric.slow_gpus import slowest_gpu
from toposmith.labels import Label
from toposmith.text import joined
from toposmith.workloads.block import SIXTEEN_BITS, Precision
from toposmith.workloads.model import WorkloadError

FP8_FACTOR = 2
"""FP8 matrices run at twice the rate of bf16 (NVIDIA H100 and B200 datasheets, both dense)."""

OF_PEAK: dict[Precision, str] = {"fp8": "fp8", "mxfp8": "fp8", "nvfp4": "fp4", "int8": "int8"}
"""Which peak each precision runs at."""

HOST_SHARE = 0.85
"""Of the line rate, what copies to pinned memory of a CPU reach: 26.7 of 31.5 GB/s over PCIe 4.0
(NVIDIA cuda-samples, bandwidthTest, as commonly printed for an A100; from memory, unverified)."""

BLOCKS_FROM = 100
"""Compute capability from which products take blocks with a scale (Blackwell; NVIDIA, PTX ISA,
tcgen05.mma with block scaling)."""

FP8_FROM = 89
"""Compute capability from which there is FP8 (Ada; NVIDIA, CUDA C++ Programming Guide)."""


AS_THE_SLOWEST = Label("at least", why="timed as if all GPUs were as slow as the slowest")
"""The label of a rate where ``slow:`` marks a GPU: others have less to do, or no wait."""


@dataclass(frozen=True)
class GpuShare:
    """GPUs of one kind that take part: their name, how many, and the dense peak of one."""

    name: str
    gpus: int
    half_tflops: float


@dataclass(frozen=True)
class Accelerator:
    """The weakest figures of the GPUs that take part, which hold the others back.

    Parameters
    ----------
    name : str
        Of the GPU, or of several.
    half_tflops : float
        Dense matrix peak in 16 bits: of bf16, and of fp16 on GPUs before it.
    memory_gb, memory_TBps : float
        Memory of one, 10^9 bytes, and its bandwidth, 10^12 bytes/s.
    fp8 : bool
        Whether it has FP8.
    generation : int
        Compute capability; 0 for other makers.
    architecture : str
        As other makers name it, such as gfx942; empty where GPUs differ.
    mix : tuple of GpuShare
        The GPUs by kind, where there are several.
    peaks : tuple of (str, float)
        Dense matrix peaks of fp8, fp4 and int8, 10^12 a second, as far as all of them have one.
    bf16 : bool
        Whether all have bf16; V100 and T4 have fp16 alone.
    host_GBps : float
        That go to the CPU's memory, and as much back, at line rate: NVLink-C2C, else PCIe.
    power_w : float
        Its power limit; 0 where it is unknown.
    rate : float
        The share of its rate that the slowest GPU runs at, which its peaks and the bandwidth of its
        memory are of; MFU is of the full peak.
    """

    name: str
    half_tflops: float
    memory_gb: float
    memory_TBps: float
    fp8: bool
    generation: int
    architecture: str = ""
    mix: tuple[GpuShare, ...] = ()
    peaks: tuple[tuple[str, float], ...] = ()
    bf16: bool = True
    rate: float = 1.0
    host_GBps: float = 32.0
    power_w: float = 0.0

    @property
    def host_rate(self) -> float:
        """Bytes/s to the CPU's memory."""
        return self.host_GBps * 1e9 * HOST_SHARE

    def at_rate(self, rate: float) -> Accelerator:
        """The same GPUs, of which all run at a share of their rate: each kernel takes longer."""
        return replace(
            self,
            half_tflops=self.half_tflops * rate,
            memory_TBps=self.memory_TBps * rate,
            peaks=tuple((kind, peak * rate) for kind, peak in self.peaks),
            rate=self.rate * rate,
        )

    def peak_flops(self, precision: Precision) -> float:
        """Dense peak, FLOP/s; raises WorkloadError where the GPU lacks the precision."""
        if precision in SIXTEEN_BITS and (self.bf16 or precision == "fp16"):
            return self.half_tflops * 1e12
        own = dict(self.peaks).get(OF_PEAK.get(precision, ""))
        if own is not None and self.has(precision):
            return own * 1e12
        if precision == "fp8" and self.fp8:
            return self.half_tflops * 1e12 * FP8_FACTOR
        has = [each for each in OF_PEAK if each != precision and self._knows(each)]
        lacks = precision in ("bf16", "fp8") or not self.has(precision)
        words = f"has no {precision}" if lacks else f"has no known peak in {precision}"
        works = joined([*has, self.sixteen_bits], "or")
        raise WorkloadError([f"precision: {self.name} {words}; {works} works"])

    @property
    def sixteen_bits(self) -> Precision:
        """The precision of 16 bits that all have."""
        return "bf16" if self.bf16 else "fp16"

    def has(self, precision: Precision) -> bool:
        """Whether the GPU computes in blocks, where the precision has them."""
        if precision == "mxfp8":
            return self.generation >= BLOCKS_FROM or self.architecture == "gfx950"
        return precision != "nvfp4" or self.generation >= BLOCKS_FROM

    def _knows(self, precision: Precision) -> bool:
        own = OF_PEAK[precision] in dict(self.peaks)
        return self.has(precision) and (own or (precision == "fp8" and self.fp8))

    def mean_peak_flops(self, precision: Precision) -> float:
        """Dense peak of a GPU of the mix on average, FLOP/s, which MFU is a share of."""
        weakest = self.peak_flops(precision) / self.rate
        gpus = sum(share.gpus for share in self.mix)
        if not gpus:
            return weakest
        mean = sum(share.gpus * share.half_tflops for share in self.mix) / gpus
        return weakest * mean / (self.half_tflops / self.rate)


def accelerator(plan: Plan, catalog: Catalog) -> Accelerator:
    """The GPUs of a design that take part.

    Raises
    ------
    WorkloadError
        If there are none, or the catalog lacks a figure that the time of a step depends on.
    """
    counts: Counter[str] = Counter()
    for block in world(plan).blocks:
        node = block.group.node
        if node is not None and node.gpu:
            counts[node.gpu] += block.nodes * gpus_of(block.group)
    gpus = [catalog.gpu(each) for each in counts]
    if not gpus:
        raise WorkloadError(["design: no node with GPUs, so nothing to run a model on"])
    lacking = [
        f"{gpu.name}: {_lacking_words(key)}"
        for gpu in gpus
        for key in ("bf16_dense_tflops", "memory_gb", "memory_TBps")
        if (_half_tflops(gpu) if "tflops" in key else getattr(gpu, key)) is None
    ]
    if lacking:
        raise WorkloadError(lacking)
    full = Accelerator(
        " and ".join(gpu.name for gpu in gpus),
        min(_half_tflops(gpu) or 0.0 for gpu in gpus),
        min(gpu.memory_gb or 0.0 for gpu in gpus),
        min(gpu.memory_TBps or 0.0 for gpu in gpus),
        all((gpu.compute_capability or FP8_FROM) >= FP8_FROM for gpu in gpus)
        and not any(gpu.architecture in ("gfx908", "gfx90a") for gpu in gpus),
        min(gpu.compute_capability or 0 for gpu in gpus),
        _one({gpu.architecture or "" for gpu in gpus}),
        tuple(GpuShare(g.name, counts[g.id], _half_tflops(g) or 0.0) for g in gpus)
        if len(gpus) > 1
        else (),
        tuple(
            (kind, min(peaks))
            for kind in ("fp8", "fp4", "int8")
            if all(peaks := [getattr(gpu, f"{kind}_dense_tflops") or 0.0 for gpu in gpus])
        ),
        all(gpu.bf16_dense_tflops is not None for gpu in gpus),
        host_GBps=min(gpu.c2c_GBps or pcie_gbit(gpu.pcie) / 8 for gpu in gpus),
        power_w=min(gpu.power_w or 0.0 for gpu in gpus),
    )
    slowest = slowest_gpu(plan)
    return full.at_rate(slowest) if slowest < 1 else full


def _half_tflops(gpu: Gpu) -> float | None:
    """The dense peak in 16 bits; of GPUs without bf16 that of fp16."""
    return gpu.bf16_dense_tflops or gpu.fp16_dense_tflops


def _lacking_words(key: str) -> str:
    """Why a figure that times hang on is not there, and what would be right."""
    return f"{key} is unknown; a part of your own (--catalog) can state it"


def _one(names: set[str]) -> str:
    """The name that all have; empty where they differ."""
    return names.pop() if len(names) == 1 else ""
