"""Products by their shape, beside tiles counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.workloads.designs import parts
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.workloads.accelerator import Accelerator, accelerator
from toposmith.workloads.block import Precision
from toposmith.workloads.kernels import Kernels, full_flops, full_share, layer_products
from toposmith.workloads.model import preset, preset_names

A100 = Accelerator("A100", 312, 80, 2.039, fp8=False, generation=80)
B200 = Accelerator("B200", 2250, 180, 8.0, fp8=True, generation=100)
H100 = Accelerator("H100", 989.4, 80, 3.35, fp8=True, generation=90)


def test_one_tile_more_than_a_wave_takes_two_waves() -> None:
    # 108 multiprocessors, tiles of 256 x 128: 12 x 9 fill a wave, 12 x 10 leave 96 of 216 empty
    assert full_share(12 * 256, 9 * 128, 1, 108) == 1
    # 109 large tiles would fill half of two waves, 218 small ones two thirds of three
    assert full_share(109 * 256, 128, 1, 108) == pytest.approx(2 * 109 / (3 * 108))


def test_a_row_more_than_a_tile_takes_a_tile_more() -> None:
    assert full_share(256, 128, 1, None) == 1
    assert full_share(257, 128, 1, None) == pytest.approx(257 / 384)


@given(
    st.integers(1, 20_000),
    st.integers(1, 20_000),
    st.integers(1, 64),
    st.sampled_from([None, 80, 108, 132]),
)
def test_no_product_fills_more_than_all_tiles(
    rows: int, columns: int, many: int, multiprocessors: int | None
) -> None:
    assert 0 < full_share(rows, columns, many, multiprocessors) <= 1


@pytest.mark.parametrize("name", preset_names())
def test_the_products_of_a_layer_are_those_of_its_parameters(name: str) -> None:
    model = preset(name)
    found = sum(each.flops for each in layer_products(model, 4096, 1))
    moe = model.experts
    width = model.ffn if moe is None else (moe.active + moe.shared) * moe.ffn
    expected = 2 * 4096 * (model.attention_parameters + model.ffn_parameters(1) * width)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("name", ["llama3-8b", "mixtral-8x7b", "deepseek-v3"])
def test_tiles_that_are_not_full_only_ever_cost(name: str) -> None:
    model = preset(name)
    for tokens in (1, 64, 1000, 4096):
        assert full_flops(model, tokens, 1, 1, 132) >= tokens * model.layer_flops * 0.999


def test_few_tokens_use_a_gpu_badly() -> None:
    kernels = Kernels(H100, preset("llama3-8b"))
    assert kernels.products_s(64) > 0.4 * kernels.products_s(256)
    assert kernels.products_s(8192) == pytest.approx(2 * kernels.products_s(4096), rel=0.1)


def test_experts_of_few_tokens_use_it_worse_than_one_dense_layer() -> None:
    model = preset("mixtral-8x7b")
    assert model.experts is not None
    # 16 tokens to 2 of 8 experts: 4 tokens each, of a tile of 128 rows
    many = full_flops(model, 16, 1, 1, None) / (16 * model.layer_flops)
    assert many > 128 / 16


def test_flash_attention_is_slower_backward_and_long_sequences_are_scores() -> None:
    kernels = Kernels(H100, preset("llama3-405b"))
    # 4 x 131,072 x 16,384 FLOP a token, half of it causal, at 38 % of 989.4
    by_hand = 4 * 131_072 * 16_384 / 2 / (0.38 * 989.4e12)
    assert kernels.scores_s(1, 131_072) == pytest.approx(by_hand)
    assert kernels.scores_backward == 2.5
    assert Kernels(H100, preset("llama3-405b"), flash=False).scores_backward == 2


def test_the_first_flash_attention_reaches_a_third_of_an_a100() -> None:
    model = preset("gpt3-175b")
    first, second = Kernels(A100, model, flash=1), Kernels(A100, model, flash=2)
    # 4 x 8,192 x 12,288 FLOP a token, half of it causal; 25 to 40 % of 312 (Dao 2023), 50 to 73 %
    work = 4 * 8192 * 12288 / 2
    assert 0.25 < work / first.scores_s(1, 8192) / 312e12 < 0.40
    assert 0.50 < work / second.scores_s(1, 8192) / 312e12 < 0.73
    assert second.scores_s(1, 8192) == Kernels(A100, model, flash=True).scores_s(1, 8192)
    assert first.scores_backward == second.scores_backward == 2.5


@pytest.mark.parametrize(
    ("gpu", "precision", "published"),
    [(A100, "bf16", 271), (H100, "bf16", 755), (H100, "fp8", 1453), (B200, "bf16", 1429)],
)
def test_products_stay_below_what_the_best_product_keeps_up(
    gpu: Accelerator, precision: Precision, published: float
) -> None:
    # Bekman, Machine Learning Engineering: sustained bf16 products, the best of fp8; H200 for H100.
    reached = Kernels(gpu, preset("llama3-70b"), precision).matmul_flops / 1e12
    assert 0.7 * published < reached < published


def blackwell(power_w: float, peak: float = 2500, generation: int = 103) -> Accelerator:
    return Accelerator("one", peak, 180, 8.0, fp8=True, generation=generation, power_w=power_w)


@pytest.mark.parametrize(
    ("gpu", "times"),
    [
        # GB200 as the B200; GB300 has 1,400 W where the same peak has 1,200
        (blackwell(1200, generation=100), 2500 / 2250),
        (blackwell(1400), 2500 / 2250 * 1400 / 1200),
        (blackwell(1000, peak=2250), 1),
        # no more than a burst's 1,745 of 1,429, and no less where watts are fewer or unknown
        (blackwell(2000), 2500 / 2250 * 1745 / 1429),
        (blackwell(0), 2500 / 2250),
        # MI355X has the same peak, and no watts of Blackwell's
        (replace(blackwell(1400, generation=0), architecture="gfx950"), 2500 / 2250),
    ],
)
def test_blackwell_sustains_by_its_watts(gpu: Accelerator, times: float) -> None:
    model = preset("llama3-70b")
    as_b200 = Kernels(B200, model).matmul_flops
    assert Kernels(gpu, model).matmul_flops == pytest.approx(times * as_b200)
    slow = Kernels(gpu.at_rate(0.5), model).matmul_flops
    assert slow == pytest.approx(times * as_b200 / 2)


def test_each_gpu_has_its_own_watts() -> None:
    tray = "toposmith: 1\ngroups: {tray: {part: %s, count: 18}}\n"
    watts = {
        name: accelerator(plan_design(parse_design(tray % name, "t"), parts()), parts()).power_w
        for name in ("gb200-nvl72-tray", "gb300-nvl72-tray")
    }
    assert watts == {"gb200-nvl72-tray": 1200, "gb300-nvl72-tray": 1400}


def test_fp8_casts_what_products_take_and_leaves_the_logits_in_bf16() -> None:
    model = preset("llama3-8b")
    bf16, fp8 = Kernels(H100, model), Kernels(H100, model, "fp8")
    # two inputs of 4,096, one of 4,096 heads, one of 14,336: 4 bytes each at 80 % of 3.35 TB/s
    casts = 1000 * (3 * 4096 + 14336) * 4 / (0.8 * 3.35e12)
    assert fp8.between_s(1000) - bf16.between_s(1000) == pytest.approx(casts)
    assert fp8.logits_s(1000) == bf16.logits_s(1000)
