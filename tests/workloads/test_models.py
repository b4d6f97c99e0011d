"""Presets beside the parameter counts that their makers publish."""

from __future__ import annotations

import pytest

from toposmith.workloads.model import Model, WorkloadError, preset, preset_names

PUBLISHED = {
    "gpt3-175b": (175e9, None),
    "llama2-7b": (6.74e9, None),
    "llama2-13b": (13.02e9, None),
    "llama2-70b": (68.98e9, None),
    "llama3-8b": (8.03e9, None),
    "llama3-70b": (70.55e9, None),
    "llama3-405b": (405.9e9, None),
    "mixtral-8x7b": (46.7e9, 12.9e9),
    "mixtral-8x22b": (141e9, 39e9),
    "deepseek-v3": (671e9, 37e9),
    "qwen2.5-7b": (7.61e9, None),
    "qwen2.5-72b": (72.7e9, None),
    "qwen3-235b-a22b": (235e9, 22e9),
}


ADVERTISED = {
    "qwen3-0.6b": 0.6,
    "qwen3-1.7b": 1.7,
    "qwen3-8b": 8.2,
    "qwen3-32b": 32.8,
    "qwen3-30b-a3b": 30.5,
    "qwen3-coder-480b-a35b": 480,
    "qwen2.5-14b": 14.7,
    "qwen2.5-32b": 32.5,
    "minimax-m2.5": 230,
    "deepseek-r1": 671,
    "deepseek-v3.2": 671,
    "llama4-maverick": 400,
    "llama4-scout": 109,
    "kimi-k2": 1_000,
    "kimi-k2.5": 1_000,
    "gpt-oss-120b": 117,
    "gpt-oss-20b": 21,
    "glm-5": 744,
    "glm-5.1": 744,
    "gemma2-2b": 2.6,
    "gemma2-9b": 9.2,
    "gemma2-27b": 27.2,
    "gemma3-1b": 1,
    "gemma3-4b": 4,
    "gemma3-12b": 12,
    "gemma3-27b": 27,
    "mistral-7b": 7.25,
    "mistral-large-2411": 123,
}
"""Billions, as the name or the model card has them; those of Llama 4 and Gemma 3 see pictures with
parameters that are not in the block."""


def test_every_preset_is_held_against_a_published_size() -> None:
    assert set(preset_names()) == set(PUBLISHED) | set(ADVERTISED)


@pytest.mark.parametrize("name", ADVERTISED)
def test_dimensions_of_a_config_file_give_the_size_that_is_advertised(name: str) -> None:
    assert preset(name).parameters / 1e9 == pytest.approx(ADVERTISED[name], rel=0.035)


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_that_the_maker_publishes(name: str) -> None:
    everything, active = PUBLISHED[name]
    model = preset(name)
    assert model.parameters == pytest.approx(everything, rel=0.005)
    assert model.active_parameters == pytest.approx(active or everything, rel=0.016)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_names_its_source(name: str) -> None:
    assert "arXiv" in preset(name).source or "config.json" in preset(name).source


def test_a_layer_without_gate_has_twelve_h_squared_parameters() -> None:
    model = Model(layers=3, hidden=64, heads=4, ffn=256, vocabulary=100, gated=False, tied=True)
    # Megatron-LM: 12 l h^2 (1 + 13/(12h) + V/(12 l h)), arXiv 2104.04473, without positions
    assert model.parameters == 12 * 3 * 64**2 + 13 * 3 * 64 + 100 * 64


def test_flops_of_a_forward_pass_are_two_a_parameter_of_the_layers() -> None:
    model = preset("llama3-70b")
    matrices = model.parameters - 2 * model.embedding_parameters - 80 * 2 * 8192
    assert model.layer_flops * model.layers == pytest.approx(2 * matrices)


def test_scores_of_megatrons_count() -> None:
    # forward 4 s h a token and layer: s/(6h) of 24 h^2 (arXiv 2104.04473, appendix)
    model = preset("gpt3-175b")
    h = model.hidden
    assert model.score_flops(2048) == pytest.approx(24 * h**2 * 2048 / (6 * h))


def test_deepseek_caches_its_latent_only() -> None:
    # 576 elements of bf16 a token and layer: 70 kB over 61 layers (arXiv 2412.19437)
    assert preset("deepseek-v3").kv_bytes(2) == 61 * (512 + 64) * 2


def test_an_unknown_model_is_told_with_the_nearest() -> None:
    with pytest.raises(WorkloadError, match="did you mean 'llama3-70b'"):
        preset("llama-3-70b")
