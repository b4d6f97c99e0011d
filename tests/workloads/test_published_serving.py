"""Tokens per second of services against what NVIDIA published of TensorRT-LLM.

Output tokens per second offline at full load, models that NVIDIA quantised to fp8:
NVIDIA/TensorRT-LLM (Apache-2.0), docs/source/performance/perf-overview.md at 00f37686. How precise
their cache is, the page does not say. Nothing was fitted to these figures.
"""

from __future__ import annotations

from functools import cache
from statistics import median

import pytest

from bench.workloads.__main__ import runs
from bench.workloads.services import predicted_service
from tests.workloads.designs import assessed, parts, rails
from toposmith.catalog import load_catalog
from toposmith.design.document import Design, Group
from toposmith.errors import ToposmithError
from toposmith.fabric.planner import plan_design
from toposmith.workloads.assess import assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.serving import Service
from toposmith.workloads.workload_assumptions import FP4_UNRELIABLE
from toposmith.workloads.workload_in_words import service_rows
from toposmith.workloads.workload_json import assessment_data

CATALOG = load_catalog(user=False)
LENGTHS = (
    *((128, 128), (128, 2048), (128, 4096), (500, 2000), (1000, 1000)),
    *((1000, 2000), (2048, 128), (2048, 2048), (5000, 500), (20000, 2000)),
)
PUBLISHED = {
    ("llama3-70b", "dgx-h100", 2): (6378, 6651, 4199, 5222, 4205, 4146, 762, 3082, 898, 437),
    ("llama3-70b", "dgx-h200", 1): (3803, 4336, 2872, 3666, 2909, 2994, 442, 2003, 566, 283),
    ("llama3-405b", "dgx-h100", 8): (3627, 4340, 3116, 3994, 2919, 2895, 453, 2296, 610, 345),
    ("llama3-405b", "dgx-h200", 8): (3814, 5348, 4741, 4724, 3330, 3722, 456, 2948, 650, 505),
    ("llama3-8b", "dgx-h100", 1): (
        *(28312, 22714, 14325, 17660, 15220, 13899, 3450, 9305, 3459, 1351),
    ),
    ("llama3-8b", "dgx-h200", 1): (
        *(27911, 26221, 18027, 20770, 17744, 16828, 3538, 12194, 3902, 1804),
    ),
}


@cache
def served(model: str, node: str, tp: int, prompt: int, output: int, **run: str) -> Service:
    # offline: nobody waits for a token
    serving = {"prompt": prompt, "output": output, "tpot_ms": 1e6, **run}
    workload = workload_of({"model": model, "layout": {"tp": tp}, "serving": serving})
    plan = plan_design(Design(groups={"node": Group(part=node)}), CATALOG)
    found = assess(plan, CATALOG, workload).service
    assert found is not None
    return found


def errors(**run: str) -> list[float]:
    """Predicted over published, less one."""
    found = []
    for (model, node, tp), figures in PUBLISHED.items():
        for (prompt, output), published in zip(LENGTHS, figures, strict=True):
            service = served(model, node, tp, prompt, output, **run)
            found.append(service.tokens_per_s / service.copies / published - 1)
    return found


def test_fp8_with_its_cache_lies_around_60_published_figures() -> None:
    found = errors(precision="fp8")
    assert len(found) == 60
    assert median(map(abs, found)) < 0.08
    assert abs(median(found)) < 0.03


def test_a_bf16_cache_would_hold_too_few_sequences_for_them() -> None:
    assert median(errors(precision="fp8", kv_precision="bf16")) < -0.25


@pytest.mark.parametrize("precision", ["bf16", "fp8"])
def test_a_cache_is_as_precise_as_the_weights_unless_it_is_said(precision: str) -> None:
    """80 layers with 8 heads of 128 keys and values each: 163,840 elements a token."""
    each = {"bf16": 2, "fp8": 1}
    kept = served("llama3-70b", "dgx-h200", 4, 2000, 1000, precision=precision)
    assert kept.kv_bytes == 2000 * 163_840 * each[precision]
    assert kept.held.use.kv_cache == pytest.approx(
        kept.batch * 3000 * 163_840 * each[precision] / 4
    )
    for cached in ("bf16", "fp8"):
        told = served(
            "llama3-70b", "dgx-h200", 4, 2000, 1000, precision=precision, kv_precision=cached
        )
        assert told.kv_bytes == 2000 * 163_840 * each[cached]
        assert told.held.use.weights == kept.held.use.weights
        # the same room holds twice the sequences at half the bytes
        ratio = told.largest_batch / kept.largest_batch
        assert ratio == pytest.approx(each[precision] / each[cached], rel=0.02)


def test_what_is_sent_to_those_that_decode_is_as_small_as_it_is_kept() -> None:
    times = {}
    for cached in ("bf16", "fp8"):
        workload = workload_of(
            {
                "model": "llama3-70b",
                "layout": {"tp": 4},
                "serving": {
                    "prompt": 8192,
                    "precision": "fp8",
                    "kv_precision": cached,
                    "disaggregated": True,
                },
            }
        )
        plan = plan_design(Design(groups={"node": Group(part="dgx-h100")}), CATALOG)
        found = assess(plan, CATALOG, workload).service
        assert found is not None
        times[cached] = found.kv_transfer_s
    assert times["bf16"] == pytest.approx(2 * times["fp8"], rel=0.1)


@pytest.mark.parametrize(("precision", "said"), [("nvfp4", True), ("fp8", False)])
def test_a_service_in_fp4_says_beside_its_figures_that_they_are_not_reliable(
    precision: str, said: bool
) -> None:
    serving = {"output": 32, "precision": precision, "decode_batch": 5}
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": serving}
    found = assess(rails(1, node="dgx-b200"), parts(), workload_of(block))
    assert (FP4_UNRELIABLE in assessment_data(found)["serving"]["service_is"]) == said


def test_the_words_of_fp4_are_those_of_the_published_services() -> None:
    ratios = []
    for row in runs("serving_load"):
        if row["load"]["arrivals"] == "closed" or row["gpu"] not in ("b200", "gb200", "gb300"):
            continue
        try:
            predicted = predicted_service(row)["tpot_p50_ms"]
        except ToposmithError:
            continue
        assert row["serving"]["precision"] == "fp4"
        ratios.append(row["figures"]["tpot_p50_ms"] / predicted)
    assert len(ratios) == 10
    assert f"{min(ratios):.1f} to {max(ratios):.1f} times as long" in FP4_UNRELIABLE


def test_a_full_batch_is_as_late_as_services_with_so_many_requests_at_once() -> None:
    errors = []
    for row in runs("serving_load"):
        if row["load"]["arrivals"] != "closed":
            continue
        try:
            errors.append(predicted_service(row)["tpot_ms"] / row["figures"]["tpot_ms"] - 1)
        except ToposmithError:
            continue
    assert len(errors) == 74
    assert median(map(abs, errors)) < 0.09


def test_a_service_says_how_far_published_ones_were_off() -> None:
    told = {
        model: dict(service_rows(found, found.service))["how far off"]
        for model in ("llama3-8b", "mixtral-8x7b")
        if (found := assessed("dgx-h100-superpod-1su", model=model, serving={})).service is not None
    }
    assert "from 19 % too low to 21 % too high" in told["llama3-8b"]
    assert told["mixtral-8x7b"].startswith("unknown")
