"""What a GPU holds, beside the figures of the papers."""

from __future__ import annotations

import pytest

from toposmith.workloads.block import LayoutBlock, TrainingBlock
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.memory import (
    Held,
    MemoryUse,
    activations_in_flight,
    layer_activation_bytes,
    stage_layers,
    training_memory,
)
from toposmith.workloads.model import Model, preset
from toposmith.workloads.workload_findings import nearest_fit

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
    held = training_memory(plain(7.5e9), ParallelSizes(LayoutBlock(zero=zero), 64), TRAINING)
    assert (held.weights + held.gradients + held.optimiser) / 1e9 == pytest.approx(gb, rel=0.02)


def test_zero_3_keeps_a_share_and_the_two_layers_at_work() -> None:
    model = plain(7.5e9)
    held = training_memory(model, ParallelSizes(LayoutBlock(zero=3), 64), TRAINING)
    states = (held.weights + held.gradients + held.optimiser) / 1e9
    gathered = 2 * 2 * model.parameters / model.layers / 1e9
    assert states - gathered == pytest.approx(1.9, rel=0.02)


def test_activations_of_gpt_3_are_those_of_korthikanti() -> None:
    # s b h (34 + 5 a s / h) / t with sequence parallelism, 34 without scores (arXiv 2205.05198)
    model = preset("gpt3-175b")
    split = ParallelSizes(LayoutBlock(tp=8), 1)
    sbh = 2048 * 12288
    unfused = TrainingBlock(batch=64, sequence=2048, flash_attention=False)
    whole = sbh * (34 + 5 * 96 * 2048 / 12288) / 8
    assert layer_activation_bytes(model, split, unfused) == pytest.approx(whole, rel=0.05)
    assert layer_activation_bytes(model, split, TRAINING) == pytest.approx(sbh * 34 / 8, rel=0.15)


def test_without_sequence_parallelism_ten_of_them_stay_whole() -> None:
    model = preset("gpt3-175b")
    split = ParallelSizes(LayoutBlock(tp=8, sequence_parallel=False), 1)
    expected = 2048 * 12288 * (10 + 24 / 8)
    assert layer_activation_bytes(model, split, TRAINING) == pytest.approx(expected, rel=0.15)


def test_full_recompute_keeps_the_input_of_a_layer() -> None:
    split = ParallelSizes(LayoutBlock(tp=8, recompute="full", sequence_parallel=False), 1)
    assert layer_activation_bytes(preset("gpt3-175b"), split, TRAINING) == 2 * 2048 * 12288


def test_the_first_stage_keeps_as_many_micro_batches_as_there_are_stages() -> None:
    assert activations_in_flight(ParallelSizes(LayoutBlock(pp=8), 1), 64) == 8
    assert activations_in_flight(ParallelSizes(LayoutBlock(pp=8), 1), 4) == 4
    # interleaved: 1 + (p - 1) / (p v) times as many (arXiv 2205.05198, section 4.2.3)
    found = activations_in_flight(ParallelSizes(LayoutBlock(pp=8, interleave=4), 1), 64)
    assert found == pytest.approx(8 * (1 + 7 / 32))


def test_llama_3_405b_puts_embedding_and_output_in_the_place_of_layers() -> None:
    assert stage_layers(preset("llama3-405b"), 16) == 8


def test_the_nearest_layout_that_fits_does_fit() -> None:
    model = preset("llama3-70b")
    split = ParallelSizes(LayoutBlock(tp=2), 64)
    assert not training_memory(model, split, TRAINING).fits(80)
    assert nearest_fit(model, split, TRAINING, 80) == "zero=3 works"
    fitting = ParallelSizes(LayoutBlock(tp=2, zero=3), 64)
    assert training_memory(model, fitting, TRAINING).fits(80)


def test_logits_and_their_gradient_stand_in_fp32_on_the_last_stage() -> None:
    model = Model(layers=2, hidden=64, heads=4, ffn=256, vocabulary=100_000)
    block = LayoutBlock(recompute="full")
    training = TrainingBlock(batch=1, sequence=1024)
    held = training_memory(model, ParallelSizes(block, 1), training)
    kept = 2 * 2 * 1024 * 64  # the inputs of both layers, bf16
    assert held.activations == pytest.approx(kept + 8 * 1024 * 100_000)


def test_a_layer_that_is_run_again_is_there_whole() -> None:
    model = Model(layers=64, hidden=4096, heads=32, ffn=16384, vocabulary=1000)
    training = TrainingBlock(batch=1, sequence=4096)
    full, none = (
        training_memory(model, ParallelSizes(LayoutBlock(recompute=what), 1), training).activations
        for what in ("full", "none")
    )
    # the inputs of 64 layers, one 64th of what all layers keep without recomputation, and the
    # gradients of its gate and of what it multiplies
    logits = 8 * 4096 * 1000
    gradients = 2 * 2 * 4096 * 16384
    expected = 64 * 2 * 4096 * 4096 + (none - logits) / 64 + gradients
    assert full == pytest.approx(expected, rel=0.001)


@pytest.mark.parametrize(
    ("gradient_bytes", "expected"),
    # Megatron Core User Guide, Distributed Optimizer: 4 + 16/d in fp16; DeepSpeed's optimiser for
    # bf16 keeps gradients of 16 bits beside those in fp32: 2 + 2 + 4 + 12/d
    [(2, 4 + 16 / 8), (4, 8 + 12 / 8)],
)
def test_older_stacks_keep_gradients_twice(gradient_bytes: int, expected: float) -> None:
    model = plain(7.5e9)
    training = TrainingBlock(batch=64, sequence=2048, stack="older", gradient_bytes=gradient_bytes)
    held = training_memory(model, ParallelSizes(LayoutBlock(zero=1), 8), training)
    states = held.weights + held.gradients + held.optimiser
    assert states == pytest.approx(expected * model.parameters, rel=0.001)


def test_fsdp_runs_every_second_product_again() -> None:
    # Llama 3 8B, bytes a token: input and output of the layer 8,192 each, what attention gives
    # 8,192, queries 8,192, values 2,048 and one product into the feed-forward layer 28,672
    split = ParallelSizes(LayoutBlock(zero=3, recompute="selective"), 8)
    training = TrainingBlock(batch=8, sequence=1000, stack="fsdp")
    assert layer_activation_bytes(preset("llama3-8b"), split, training) == 1000 * 63_488


def test_pytorch_works_the_loss_out_in_14_bytes_a_logit_unless_it_is_compiled() -> None:
    model = Model(layers=2, hidden=64, heads=4, ffn=256, vocabulary=100_000)
    split = ParallelSizes(LayoutBlock(), 1)
    eager, compiled = (
        TrainingBlock(batch=1, sequence=1024, stack="fsdp", logit_bytes=size) for size in (None, 4)
    )
    more = (
        training_memory(model, split, eager).activations
        - training_memory(model, split, compiled).activations
    )
    assert more == 10 * 1024 * 100_000


def test_logits_that_are_gathered_are_whole_on_every_rank() -> None:
    model = Model(layers=8, hidden=64, heads=8, ffn=256, vocabulary=80_000)
    training = TrainingBlock(batch=1, sequence=1000)
    split, whole = (
        training_memory(
            model, ParallelSizes(LayoutBlock(tp=8, whole=kept), 1), training
        ).activations
        for kept in ((), ("logits",))
    )
    # 8 bytes of all 80,000 in the place of those of 10,000, and 4 bytes of the own 10,000
    assert whole - split == 1000 * (8 * 70_000 + 4 * 10_000)


def test_gradients_that_add_up_unsharded_take_4_bytes_a_parameter() -> None:
    model = preset("llama3-8b")
    block = LayoutBlock(zero=3, whole=("gradients",))
    several = TrainingBlock(batch=64, sequence=2048, stack="fsdp")
    one = several.model_copy(update={"batch": 8})
    held = training_memory(model, ParallelSizes(block, 8), several)
    assert held.gradients == pytest.approx(4 * model.parameters, rel=0.01)
    assert training_memory(model, ParallelSizes(block, 8), one).gradients < 0.1 * held.gradients
    alone = training_memory(model, ParallelSizes(block, 1), several)
    assert alone.gradients == pytest.approx(2 * model.parameters, rel=0.01)


def test_fsdp_with_stages_keeps_its_weights_gathered() -> None:
    model = preset("llama3-8b")
    training = TrainingBlock(batch=64, sequence=2048, stack="fsdp")
    held = training_memory(model, ParallelSizes(LayoutBlock(zero=3, pp=4), 8), training)
    stage = model.parameters / 4  # and one embedding more than a quarter of both
    stage += model.embedding_parameters / 2
    assert held.weights == pytest.approx(2 * stage, rel=0.01)
    assert held.gradients == pytest.approx(4 * stage, rel=0.01)


def test_pipelines_of_others_keep_what_stages_sent_on() -> None:
    model = preset("gpt3-175b")
    block = LayoutBlock(tp=8, pp=8, recompute="full")
    kept = [
        training_memory(
            model, ParallelSizes(block, 1), TrainingBlock(batch=64, sequence=2048, stack=stack)
        ).activations
        for stack in ("nvidia", "older")
    ]
    # eight micro-batches, 2 bytes of 2,048 tokens x 12,288, split by sequence parallelism
    assert kept[1] - kept[0] == pytest.approx(8 * 2 * 2048 * 12288 / 8)


def test_the_driver_shows_more_than_tensors_need_and_never_more_than_there_is() -> None:
    use = MemoryUse(weights=40e9, allocator_share=0.155)
    assert use.total == pytest.approx(44e9)
    assert use.taken == pytest.approx(40e9 * 1.155 + 2e9)
    assert Held(use, 80).taken == use.taken
    assert Held(use, 45).fits
    assert Held(use, 45).taken == 45e9


def test_stages_add_up_whole_gradients_so_that_zero_2_shards_none() -> None:
    def gradients(zero: int, pp: int) -> float:
        split = ParallelSizes(LayoutBlock(zero=zero, pp=pp), 8)
        return training_memory(preset("llama2-7b"), split, TRAINING).gradients

    assert gradients(2, 1) == pytest.approx(gradients(1, 1) / 8)
    assert gradients(2, 4) == gradients(1, 4)


@pytest.mark.parametrize(
    ("zero", "gb"),
    # the same over sets of 8 of the 64: what the paper divides by 64 is divided by 8
    [(1, 2 * 7.5 + 2 * 7.5 + 12 * 7.5 / 8), (2, 2 * 7.5 + 14 * 7.5 / 8), (3, 16 * 7.5 / 8)],
)
def test_states_sharded_over_some_ranks_are_divided_by_these(zero: int, gb: float) -> None:
    model = plain(7.5e9)
    split = ParallelSizes(LayoutBlock(zero=zero, shard=8), 64)
    held = training_memory(model, split, TRAINING)
    gathered = 2 * 2 * model.parameters / model.layers / 1e9 if zero == 3 else 0.0
    states = (held.weights + held.gradients + held.optimiser) / 1e9
    assert states - gathered == pytest.approx(gb, rel=0.02)


@pytest.mark.parametrize(
    ("recompute", "left"),
    # of 34 s b h (Korthikanti et al., section 4.1): two norms give 2 s b h each, the activation 8;
    # attention keeps 8 besides its norm, the feed-forward layer 16
    [("norm", 30), ("activation", 26), ("norm+activation", 22), ("ffn", 16), ("attention", 24)],
)
def test_modules_that_run_again_keep_their_inputs_alone(recompute: str, left: int) -> None:
    split = ParallelSizes(LayoutBlock(tp=8, recompute=recompute), 1)
    kept = layer_activation_bytes(preset("gpt3-175b"), split, TRAINING)
    assert kept == pytest.approx(2048 * 12288 * left / 8)


def test_some_layers_that_run_again_keep_less_and_the_others_all() -> None:
    def activations(**keys: object) -> float:
        split = ParallelSizes(LayoutBlock.model_validate({"tp": 8, "pp": 8, **keys}), 8)
        return training_memory(preset("gpt3-175b"), split, TRAINING).activations

    # 12 layers a stage, 8 micro-batches in flight; 3 of them keep 2 s b h / t, the others 34
    none, some = activations(), activations(recompute="full", recompute_layers=3)
    every = activations(recompute="full")
    assert every < some < none
    sbh = 2048 * 12288 / 8
    assert none - some == pytest.approx(8 * 3 * 32 * sbh, rel=0.1)


def test_what_the_cpu_holds_no_gpu_does() -> None:
    model = plain(7.5e9)
    alone = training_memory(model, ParallelSizes(LayoutBlock(zero=0), 1), TRAINING)
    block = LayoutBlock(zero=0, offload=("optimiser", "activations"))
    held = training_memory(model, ParallelSizes(block, 1), TRAINING)
    assert (held.weights, held.gradients) == (alone.weights, alone.gradients)
    assert held.optimiser == 0
    # two of its layers stay
    assert held.activations <= alone.activations * 2 / model.layers * 1.05


@pytest.mark.parametrize("each", [1, 2, 4])
def test_weights_take_the_bytes_that_they_are_kept_in(each: int) -> None:
    model = plain(7.5e9)
    training = TRAINING.model_copy(update={"weight_bytes": each})
    held = training_memory(model, ParallelSizes(LayoutBlock(zero=0), 1), training)
    assert held.weights == pytest.approx(each * model.parameters, rel=0.01)
