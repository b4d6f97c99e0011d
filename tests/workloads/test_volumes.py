"""Bytes and times worked out by hand."""

from __future__ import annotations

import pytest

from tests.workloads.published_formulas import (
    activation_bytes,
    balance_tokens,
    bubble_share,
    gradient_wire_bytes,
    leaving_bytes,
    megatron_flops,
    ring_step_bytes,
    tensor_wire_bytes,
    training_days,
)
from toposmith.workloads.model import preset
from toposmith.workloads.volumes import (
    checkpoint_bytes,
    in_flight,
    textbook_tensor_GBps,
    young_daly_s,
)


def test_gradients_of_7e9_parameters_on_64_ranks() -> None:
    wire = gradient_wire_bytes(7e9, 64)
    assert wire == pytest.approx(27.56e9, rel=1e-3)
    assert wire / 192e9 == pytest.approx(143.6e-3, rel=1e-3)
    assert gradient_wire_bytes(7e9, 64, zero=3) == pytest.approx(41.34e9, rel=1e-3)


@pytest.mark.parametrize("zero", [1, 2])
def test_zero_1_and_2_move_as_much_as_plain_data_parallel(zero: int) -> None:
    assert gradient_wire_bytes(7e9, 64, zero=zero) == gradient_wire_bytes(7e9, 64)


def test_tensor_parallel_traffic_of_gpt_3() -> None:
    message = activation_bytes(1, 2048, 12288)
    assert message == pytest.approx(50.33e6, rel=1e-3)
    layer = tensor_wire_bytes(message, 8)
    assert layer == pytest.approx(352.3e6, rel=1e-3)
    assert 96 * layer == pytest.approx(33.82e9, rel=1e-3)
    assert 96 * layer / 240e9 == pytest.approx(141e-3, rel=2e-3)
    assert tensor_wire_bytes(message, 8, recomputed=True) == pytest.approx(1.5 * layer)


def test_pipeline_traffic_and_bubble_of_gpt_3() -> None:
    boundary = activation_bytes(1, 2048, 12288)
    assert boundary / 8 == pytest.approx(6.29e6, rel=1e-3)
    assert boundary / 8 / 24e9 == pytest.approx(262e-6, rel=1e-3)
    assert boundary / 24e9 == pytest.approx(2.10e-3, rel=2e-3)
    assert bubble_share(8, 64) == pytest.approx(0.109, abs=5e-4)
    assert bubble_share(8, 64, 4) == pytest.approx(0.027, abs=5e-4)


def test_experts_of_deepseek_v3_on_eight_nodes() -> None:
    dispatch = leaving_bytes(4096, 4, 7168, 1, 8)
    assert dispatch == pytest.approx(102.8e6, rel=1e-3)
    assert dispatch / 50e9 == pytest.approx(2.06e-3, abs=5e-6)
    assert leaving_bytes(4096, 4, 7168, 2, 8) == pytest.approx(205.5e6, rel=1e-3)


def test_ring_attention_over_131072_tokens() -> None:
    step = ring_step_bytes(131072, 8, 1024)
    assert step == pytest.approx(67.1e6, rel=1e-3)
    assert 7 * step == pytest.approx(469.8e6, rel=1e-3)
    assert 7 * step / 48e9 == pytest.approx(9.79e-3, rel=1e-3)


def test_decoding_llama_70b_waits_for_160_small_all_reduces() -> None:
    model = preset("llama2-70b")
    assert 2 * model.layers == 160
    assert activation_bytes(1, 1, model.hidden) == 16 * 1024
    assert activation_bytes(64, 1, model.hidden) == 2**20


def test_cache_of_llama_70b() -> None:
    each = preset("llama2-70b").kv_bytes(2)
    assert each == 327_680
    assert 8192 * each == pytest.approx(2.684e9, rel=1e-3)
    assert 8192 * each / 48e9 == pytest.approx(55.9e-3, rel=1e-3)
    assert 8192 * each / 8 / 48e9 == pytest.approx(7.0e-3, rel=2e-3)


def test_days_for_70e9_parameters_and_15e12_tokens() -> None:
    assert training_days(70e9, 15e12, 16_384 * 989e12 * 0.4) == pytest.approx(11.25, rel=1e-3)


@pytest.mark.parametrize(("busbw", "tokens"), [(192, 542), (12, 8667)])
def test_balance_of_gradients_and_compute(busbw: float, tokens: float) -> None:
    assert balance_tokens(156e12, busbw, 10**9) == pytest.approx(tokens, abs=0.5)


def test_megatron_count_of_gpt_3() -> None:
    sizes = (1536, 2048, 96, 12288, 51200)
    assert megatron_flops(*sizes, recomputed=True) == pytest.approx(4.511e18, rel=1e-3)
    assert megatron_flops(*sizes, recomputed=False) == pytest.approx(3.383e18, rel=1e-3)


def test_checkpoints_take_14_bytes_a_parameter() -> None:
    # MLPerf Storage: 105 and 5,290 GB, which are GiB
    assert checkpoint_bytes(8.03e9) / 2**30 == pytest.approx(104.7, rel=1e-3)
    assert checkpoint_bytes(405.9e9) / 2**30 == pytest.approx(5292, rel=1e-3)


def test_checkpoint_times_and_their_interval() -> None:
    times = [5290 / rate for rate in (62, 125, 250)]
    assert times == pytest.approx([85.3, 42.3, 21.2], abs=0.05)
    assert young_daly_s(85, 4 * 3600) == pytest.approx(1565, abs=0.5)


def test_littles_law() -> None:
    assert in_flight(100, 8) == 800
    assert in_flight(50e9, 4e-6) == pytest.approx(200e3)


def test_the_textbook_estimate_is_model_over_ranks_times_throughput() -> None:
    # 140 GB of weights on 8 GPUs, 2 passes a second
    assert textbook_tensor_GBps(140e9, 8, 2) == pytest.approx(35)
