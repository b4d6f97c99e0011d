"""GPUs: what they compute, and the links that leave the package."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import number_rows, power_rows
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.node_checks import gpu_faults
from toposmith.catalog.parts import Gpu
from toposmith.text import plain_number


def _line(gpu: Gpu, _catalog: Catalog | None) -> str:
    memory = f"{plain_number(gpu.memory_gb)} GB" if gpu.memory_gb else "memory unknown"
    return f"{memory}, {part_text.nvlinks(gpu)}"


def _rows(gpu: Gpu, _catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(gpu)
    if gpu.compute_capability is not None:
        generation, minor = divmod(gpu.compute_capability, 10)
        yield "compute_capability", "Compute capability", f"{generation}.{minor}"
    if gpu.architecture is not None:
        yield "architecture", "Architecture", gpu.architecture
    yield "memory_gb", "Memory, GB", plain_number(gpu.memory_gb)
    yield "memory_TBps", "Memory bandwidth, TB/s", plain_number(gpu.memory_TBps)
    yield "bf16_dense_tflops", "BF16 dense, TFLOPS", plain_number(gpu.bf16_dense_tflops)
    for key, name in (("fp16", "FP16"), ("fp8", "FP8"), ("fp4", "FP4"), ("int8", "INT8")):
        if (peak := getattr(gpu, f"{key}_dense_tflops")) is not None:
            unit = "OPS" if key == "int8" else "FLOPS"
            yield f"{key}_dense_tflops", f"{name} dense, T{unit}", plain_number(peak)
    links = part_text.GPU_LINK_NAMES[gpu.nvlink.kind if gpu.nvlink else "nvlink"]
    yield "nvlink", f"{links}, one direction", part_text.nvlinks(gpu)
    if gpu.c2c_GBps is not None:
        yield "c2c_GBps", "To its CPU, GB/s", plain_number(gpu.c2c_GBps)
    yield "pcie", "Host link", part_text.pcie(gpu.pcie)
    yield from power_rows(gpu)


GPUS = PartKind(Gpu, "GPUs", _line, _rows, faults=lambda gpu, _catalog: gpu_faults(gpu))
