"""Precisions and the GPUs that have them, against their makers' dense peaks."""

from __future__ import annotations

import pytest

from tests.workloads.designs import parts
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import PRECISION_BYTES, workload_of
from toposmith.workloads.model import WorkloadError

STILL_UNKNOWN = {"a10g", "mi455x", "rubin"}
"""Of the A10G no maker's figure was found, of the MI455X and of Rubin none in bf16."""


def alone(node: str) -> Plan:
    text = f"toposmith: 1\ngroups:\n  node: {{part: {node}, count: 1}}\n"
    return plan_design(parse_design(text, node), parts())


def served(node: str, tp: int, **serving: object) -> Assessment:
    told = workload_of({"model": "llama3-8b", "layout": {"tp": tp}, "serving": serving})
    return assess(alone(node), parts(), told)


@pytest.mark.parametrize("gpu", [gpu.id for gpu in parts().of_kind("gpu")])
def test_a_gpu_of_the_catalog_has_what_a_step_hangs_on(gpu: str) -> None:
    found = parts().gpu(gpu)
    half = found.bf16_dense_tflops or found.fp16_dense_tflops
    known = None not in (half, found.memory_gb, found.memory_TBps)
    assert known != (gpu in STILL_UNKNOWN)


@pytest.mark.parametrize(
    ("node", "precision", "tflops"),
    [
        ("dgx-h100", "fp8", 1979),  # half of the sparse 3,958 of its data sheet
        ("dgx-b200", "nvfp4", 9000),  # 72 PFLOPS of eight, DGX B200 data sheet
        ("dgx-b200", "mxfp8", 4500),
        ("gb300-nvl72-tray", "nvfp4", 15000),
        ("gb300-nvl72-tray", "bf16", 2500),
        ("dgx-h100", "int8", 1979),
        ("dgx-1-v100", "fp16", 125),  # NVIDIA, Programming Tensor Cores in CUDA 9
        ("dgx-a100", "fp16", 312),  # as many as in bf16
    ],
)
def test_peaks_are_dense(node: str, precision: str, tflops: float) -> None:
    gpu = accelerator(alone(node), parts())
    assert gpu.peak_flops(precision) == pytest.approx(tflops * 1e12)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("node", "precision", "works"),
    [
        ("dgx-a100", "fp8", "bf16 works"),
        ("dgx-h100", "nvfp4", "fp8, int8 or bf16 works"),
        ("dgx-h100", "mxfp8", "fp8"),
        ("dgx-b300", "int8", "mxfp8"),
    ],
)
def test_a_precision_that_a_gpu_lacks_is_refused_with_those_it_has(
    node: str, precision: str, works: str
) -> None:
    with pytest.raises(WorkloadError, match=f"has no .*{precision}; .*{works}"):
        accelerator(alone(node), parts()).peak_flops(precision)  # type: ignore[arg-type]


def test_four_bit_weights_take_their_scales_along() -> None:
    # 16 numbers of 4 bits and a scale of 8; 32 of 8 bits and one of 8
    assert PRECISION_BYTES["nvfp4"] == (16 * 4 + 8) / 8 / 16
    assert PRECISION_BYTES["mxfp8"] == (32 * 8 + 8) / 8 / 32


def test_a_b200_serves_quicker_in_four_bits_than_in_eight_than_in_sixteen() -> None:
    rates = []
    for precision in ("bf16", "fp8", "nvfp4"):
        found = served("dgx-b200", 1, precision=precision, decode_batch=32, kv_precision="fp8")
        assert found.service is not None
        rates.append(found.service.tokens_per_s)
    assert rates[0] < rates[1] < rates[2]


def test_int8_is_for_serving() -> None:
    assert served("dgx-h100", 1, precision="int8").service is not None
    with pytest.raises(WorkloadError, match="precision"):
        workload_of(
            {
                "model": "llama3-8b",
                "training": {"batch": 8, "sequence": 2048, "precision": "int8"},
            }
        )


def test_a_gpu_without_bf16_says_so_and_runs_in_fp16() -> None:
    with pytest.raises(WorkloadError, match=r"V100.*has no bf16; fp16 works"):
        served("dgx-1-v100", 8)
    assert served("dgx-1-v100", 8, precision="fp16").service is not None


def test_a_gpu_of_unknown_peak_is_refused_by_the_missing_figure() -> None:
    with pytest.raises(WorkloadError, match=r"A10G.*bf16_dense_tflops is unknown"):
        served("g5-48xlarge", 8)
