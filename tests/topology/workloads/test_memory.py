"""What a GPU holds, beside the figures of the papers."""

from __future__ import annotations

import pytest

from toposmith.topology.workloads.activations import (
    activations_in_flight,
    layer_activation_bytes,
    stage_layers,
)
from toposmith.topology.workloads.block import LayoutBlock, TrainingBlock
from toposmith.topology.workloads.fitting import nearest_fit
from toposmith.topology.workloads.memory import training_memory
from toposmith.topology.workloads.model import Model
from toposmith.topology.workloads.presets import preset
from toposmith.topology.workloads.splitting import Split

TRAINING = TrainingBlock(batch=64, sequence=2048)


def plain(parameters: float) -> Model:
    """About so many parameters and next to no embedding."""
    layers = round(parameters / (12 * 4096**2))
    return Model(
        layers=layers, hidden=4096, heads=32, ffn=16384, vocabulary=16, gated=False, tied=True
    )


@pytest.mark.parametrize(
    ("zero", "gb"),
    # 7.5e9 parameters on 64 GPUs: 120, 31.4, 16.6, 1.9 GB (arXiv 1910.02054, figure 1)
    [(0, 120), (1, 31.4), (2, 16.6)],
)
def test_model_states_are_those_of_the_zero_paper(zero: int, gb: float) -> None:
    held = training_memory(plain(7.5e9), Split(LayoutBlock(zero=zero), 64), TRAINING)
    assert (held.weights + held.gradients + held.optimiser) / 1e9 == pytest.approx(gb, rel=0.02)


def test_zero_3_keeps_a_share_and_the_two_layers_at_work() -> None:
    model = plain(7.5e9)
    held = training_memory(model, Split(LayoutBlock(zero=3), 64), TRAINING)
    states = (held.weights + held.gradients + held.optimiser) / 1e9
    gathered = 2 * 2 * model.parameters / model.layers / 1e9
    assert states - gathered == pytest.approx(1.9, rel=0.02)


def test_activations_of_gpt_3_are_those_of_korthikanti() -> None:
    # s b h (34 + 5 a s / h) / t with sequence parallelism, 34 without scores (arXiv 2205.05198)
    model = preset("gpt3-175b")
    split = Split(LayoutBlock(tp=8), 1)
    sbh = 2048 * 12288
    unfused = TrainingBlock(batch=64, sequence=2048, flash_attention=False)
    whole = sbh * (34 + 5 * 96 * 2048 / 12288) / 8
    assert layer_activation_bytes(model, split, unfused) == pytest.approx(whole, rel=0.05)
    assert layer_activation_bytes(model, split, TRAINING) == pytest.approx(sbh * 34 / 8, rel=0.15)


def test_without_sequence_parallelism_ten_of_them_stay_whole() -> None:
    model = preset("gpt3-175b")
    split = Split(LayoutBlock(tp=8, sequence_parallel=False), 1)
    expected = 2048 * 12288 * (10 + 24 / 8)
    assert layer_activation_bytes(model, split, TRAINING) == pytest.approx(expected, rel=0.15)


def test_full_recompute_keeps_the_input_of_a_layer() -> None:
    split = Split(LayoutBlock(tp=8, recompute="full", sequence_parallel=False), 1)
    assert layer_activation_bytes(preset("gpt3-175b"), split, TRAINING) == 2 * 2048 * 12288


def test_the_first_stage_keeps_as_many_micro_batches_as_there_are_stages() -> None:
    assert activations_in_flight(Split(LayoutBlock(pp=8), 1), 64) == 8
    assert activations_in_flight(Split(LayoutBlock(pp=8), 1), 4) == 4
    # interleaved: 1 + (p - 1) / (p v) times as many (arXiv 2205.05198, section 4.2.3)
    found = activations_in_flight(Split(LayoutBlock(pp=8, interleave=4), 1), 64)
    assert found == pytest.approx(8 * (1 + 7 / 32))


def test_llama_3_405b_puts_embedding_and_output_in_the_place_of_layers() -> None:
    assert stage_layers(preset("llama3-405b"), 16) == 8


def test_the_nearest_layout_that_fits_does_fit() -> None:
    model = preset("llama3-70b")
    split = Split(LayoutBlock(tp=2), 64)
    assert not training_memory(model, split, TRAINING).fits(80)
    assert nearest_fit(model, split, TRAINING, 80) == "zero=3 works"
    fitting = Split(LayoutBlock(tp=2, zero=3), 64)
    assert training_memory(model, fitting, TRAINING).fits(80)


def test_logits_and_their_gradient_stand_in_fp32_on_the_last_stage() -> None:
    model = Model(layers=2, hidden=64, heads=4, ffn=256, vocabulary=100_000)
    block = LayoutBlock(recompute="full")
    training = TrainingBlock(batch=1, sequence=1024)
    held = training_memory(model, Split(block, 1), training)
    kept = 2 * 2 * 1024 * 64  # the inputs of both layers, bf16
    assert held.activations == pytest.approx(kept + 8 * 1024 * 100_000)


def test_a_layer_that_is_run_again_is_there_whole() -> None:
    model = Model(layers=64, hidden=4096, heads=32, ffn=16384, vocabulary=1000)
    training = TrainingBlock(batch=1, sequence=4096)
    full, none = (
        training_memory(model, Split(LayoutBlock(recompute=what), 1), training).activations
        for what in ("full", "none")
    )
    # the inputs of 64 layers, and one 64th of what all layers keep without recomputation
    logits = 8 * 4096 * 1000
    assert full == pytest.approx(64 * 2 * 4096 * 4096 + (none - logits) / 64, rel=0.001)
