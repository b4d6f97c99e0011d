"""Serving: what memory and latency leave, by hand."""

from __future__ import annotations

import pytest

from tests.topology.workloads.designs import POD, assessed
from topology.workloads.serving import Service


def served(layout: dict[str, object], **serving: object) -> Service:
    found = assessed(POD, model="llama3-70b", layout=layout, serving=serving).service
    assert found is not None
    return found


def test_decoding_reads_all_weights_and_waits_for_160_all_reduces() -> None:
    found = served({"tp": 8}, decode_batch=1, prompt=1, output=1)
    decode = found.decode
    assert decode.collectives == 160
    assert decode.message_bytes == 8192 * 2
    assert decode.limited_by == "latency"
    # 141 GB over 8 x 3.35 TB/s, of which kernels get 80 %
    assert decode.compute_s == pytest.approx(141.1e9 / 8 / 3.35e12 / 0.8, rel=0.01)
    assert decode.tensor_s == pytest.approx(160 * decode.collective_us * 1e-6)


def test_a_prompt_takes_two_flop_a_parameter_and_token() -> None:
    found = served({"tp": 8}, decode_batch=1, prompt=8192)
    at_peak = 2 * 68.4e9 * 8192 / 8 / 989.4e12
    assert at_peak / 0.789 < found.prefill.compute_s < at_peak / 0.45


def test_the_cache_of_a_prompt_travels_over_as_many_nics_as_gpus() -> None:
    found = served({"tp": 8}, prompt=8192, disaggregated=True)
    # 2.684 GB over eight 400G NICs at 48 GB/s: 7.0 ms
    assert found.kv_bytes == pytest.approx(2.684e9, rel=1e-3)
    assert found.kv_transfer_s == pytest.approx(7.0e-3, rel=0.05)


def test_a_target_per_token_takes_the_largest_batch_that_meets_it() -> None:
    free, held = served({"tp": 8}), served({"tp": 8}, tpot_ms=20)
    assert held.tpot_s <= 20e-3 < free.tpot_s
    assert held.batch < free.batch == free.largest_batch
    assert held.tokens_per_s < free.tokens_per_s


def test_little_holds_between_rate_time_and_requests() -> None:
    found = served({"tp": 8})
    assert found.requests_in_flight == pytest.approx(found.requests_per_s * found.request_s)
    # all copies full: every sequence of every copy is a request under way
    assert found.requests_in_flight == pytest.approx(found.copies * found.batch, rel=0.1)


def test_a_larger_batch_gives_more_tokens_and_makes_each_wait() -> None:
    services = [served({"tp": 8}, decode_batch=batch) for batch in (1, 8, 64, 512)]
    assert sorted(services, key=lambda each: each.tokens_per_s) == services
    assert sorted(services, key=lambda each: each.tpot_s) == services


def test_a_latent_cache_lets_deepseek_decode_large_batches() -> None:
    found = assessed(
        POD, model="deepseek-v3", layout={"ep": 64}, serving={"precision": "fp8", "prompt": 4096}
    ).service
    assert found is not None
    # experts 10.2 GB of 654 on each GPU, and all the rest
    assert found.memory.weights == pytest.approx(27.5e9, rel=0.05)
    assert found.decode.expert_s > 0
    assert found.largest_batch > 1000
