"""A training step: its parts by hand, and what must hold for any layout."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.designs import POD, RACK, assessed, parts, rails, step
from tests.workloads.published_formulas import (
    balance_tokens,
    bubble_share,
    gradient_wire_bytes,
    tensor_wire_bytes,
)
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import LayoutBlock, TrainingBlock
from toposmith.workloads.communications import communications
from toposmith.workloads.divisibility import ParallelSizes, model_problems
from toposmith.workloads.kernels import Kernels
from toposmith.workloads.model import Model, preset
from toposmith.workloads.training import timeline

SMALL = Model(layers=8, hidden=1024, heads=16, ffn=4096, vocabulary=32_000, gated=False, tied=True)


def wire(step_found: object, dimension: str) -> float:
    found = step_found.communication  # type: ignore[attr-defined]
    return sum(each.wire_bytes for each in found if each.dimension == dimension)


@pytest.mark.parametrize("zero", [0, 1, 2, 3])
def test_gradients_move_as_many_bytes_as_zero_says(zero: int) -> None:
    layout = LayoutBlock(zero=zero)
    found = step(rails(2), SMALL, layout, 16, TrainingBlock(batch=16, sequence=512))
    expected = gradient_wire_bytes(SMALL.parameters, 16, zero=zero)
    assert wire(found, "dp") == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("recompute", ["none", "full"])
@pytest.mark.parametrize("sequence_parallel", [False, True])
def test_tensor_parallelism_moves_what_megatron_says(
    recompute: str, sequence_parallel: bool
) -> None:
    layout = LayoutBlock(tp=8, recompute=recompute, sequence_parallel=sequence_parallel)  # type: ignore[arg-type]
    found = step(rails(2), SMALL, layout, 2, TrainingBlock(batch=8, sequence=512))
    message = 512 * 1024 * 2
    each = tensor_wire_bytes(message, 8, recomputed=recompute == "full")
    assert wire(found, "tp") == pytest.approx(each * 8 * 4)


def test_the_bubble_is_the_textbooks_where_nothing_is_exposed() -> None:
    layout = LayoutBlock(pp=4, interleave=2)
    found = step(rails(2), SMALL, layout, 4, TrainingBlock(batch=64, sequence=512))
    busy = found.forward_s + found.backward_s
    assert found.bubble_s == pytest.approx(bubble_share(4, 16, 2) * busy)


def test_a_step_on_one_gpu_of_each_node_only_computes() -> None:
    found = step(rails(1), SMALL, LayoutBlock(pp=8), 1, TrainingBlock(batch=32, sequence=512))
    assert {each.dimension for each in found.communication} == {"pp"}
    assert found.mfu < found.mfu_with_scores < 0.87  # A100: the best product reaches 86.9 %


@pytest.mark.parametrize(("nics", "bound"), [(1, "communication"), (8, "compute")])
def test_gradients_bind_below_the_balance_of_tokens_and_bandwidth(nics: int, bound: str) -> None:
    # one rank a node and rail: gradients only, 2 micro-batches of 1,024 tokens
    model, ranks = preset("llama2-7b"), 16
    training = TrainingBlock(batch=4 * ranks, sequence=1024)
    found = step(rails(2, nics), model, LayoutBlock(zero=1), ranks, training)
    busbw = min(each.busbw_GBps for each in found.communication)
    flops = Kernels(accelerator(rails(2), parts()), model).matmul_flops
    tokens = balance_tokens(flops, busbw, ranks)
    assert found.bound_by == bound
    assert (tokens > 4 * 1024) == (bound == "communication")


def test_the_rack_with_one_nic_waits_for_it() -> None:
    found = assessed(
        RACK, model="llama2-7b", layout={"zero": 3}, training={"batch": 64, "sequence": 2048}
    ).step
    assert found is not None
    assert found.bound_by == "communication"
    assert found.blamed is not None
    assert found.blamed.link == "node.compute - leaf"
    assert not found.blamed.satisfied


def test_what_is_needed_is_the_wire_bytes_over_the_window() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 8, "pp": 4},
        training={"batch": 480, "sequence": 8192},
    ).step
    assert found is not None
    for each in found.communication:
        assert each.needed_GBps == pytest.approx(each.wire_bytes / each.window_s / 1e9)
        assert each.satisfied == (each.margin >= 0)
        assert each.hidden_s + each.exposed_s == pytest.approx(each.total_s)
        # what takes less than its window could hide, what takes more could not
        assert each.satisfied == (each.total_s <= each.window_s)


LAYOUTS = st.builds(
    LayoutBlock,
    tp=st.sampled_from([1, 2, 4, 8]),
    cp=st.sampled_from([1, 2]),
    pp=st.sampled_from([1, 2, 4]),
    zero=st.sampled_from([0, 1, 2, 3]),
    sequence_parallel=st.booleans(),
    recompute=st.sampled_from(["none", "selective", "full"]),
    overlap=st.sets(st.sampled_from(["tp", "cp", "dp", "pp", "ep"])).map(tuple),
)


@given(LAYOUTS, st.sampled_from([1, 2, 4, 8]))
@settings(max_examples=40, deadline=None)
def test_the_parts_of_any_step_add_up(layout: LayoutBlock, nics: int) -> None:
    dp = 64 // (layout.tp * layout.cp * layout.pp)
    training = TrainingBlock(batch=dp * 8, sequence=2048)
    found = step(rails(8, nics), SMALL, layout, dp, training)
    drawn = [s.end_s - s.start_s for s in timeline(found) if s.lane == "gpu"]
    assert sum(drawn) == pytest.approx(found.step_s)
    exposed = sum(c.exposed_s for c in found.communication)
    slowed = 0.189 * sum(c.hidden_s for c in found.communication)
    assert found.step_s == pytest.approx(found.compute_s + found.bubble_s + exposed + slowed)
    assert all(c.exposed_s >= 0 and c.hidden_s >= -1e-12 for c in found.communication)
    assert 0 < found.mfu < 1


@given(LAYOUTS)
@settings(max_examples=20, deadline=None)
def test_overlap_only_ever_helps(layout: LayoutBlock) -> None:
    dp = 64 // (layout.tp * layout.cp * layout.pp)
    training = TrainingBlock(batch=dp * 8, sequence=2048)
    none = step(rails(8), SMALL, layout.model_copy(update={"overlap": ()}), dp, training)
    some = step(rails(8), SMALL, layout, dp, training)
    assert some.step_s <= none.step_s * (1 + 1e-9)


def test_experts_exchange_what_deepseek_counts() -> None:
    model = preset("deepseek-v3")
    layout = LayoutBlock(ep=64, pp=16)
    training = TrainingBlock(batch=128, sequence=4096, precision="fp8")
    found = communications(model, ParallelSizes(layout, 64), training)
    dispatch, combine = (each for each in found if each.dimension == "ep")
    # 4,096 tokens to at most 4 nodes of 7,168 fp8; combined in bf16
    assert dispatch.message_bytes == 4096 * 4 * 7168
    assert combine.message_bytes == 2 * dispatch.message_bytes
    assert str(dispatch.layout) == "tp=1,ep=64,dp=1,pp=16"


def test_days_follow_from_tokens_per_second() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 8, "pp": 4},
        training={"batch": 480, "sequence": 8192, "tokens": 1e12},
    ).step
    assert found is not None
    flops = found.mfu * 960 * 989.4e12
    assert found.days(1e12) == pytest.approx(
        6 * preset("llama3-70b").active_parameters * 1e12 / flops / 86400
    )


def test_a_larger_cluster_leaves_the_rest_idle() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 8, "pp": 4},
        training={"batch": 480, "sequence": 4096},
    )
    assert found.split.gpus == 960
    assert "gpus-idle" in {finding.code for finding in found.findings}


def test_uneven_stages_take_as_long_as_the_fullest() -> None:
    # 10 layers over 4 stages: the fullest has 3, as all four of 12 layers have
    def forward_s(layers: int, *, uneven: bool) -> float:
        model = Model(layers=layers, hidden=4096, heads=32, ffn=16384, vocabulary=256)
        block = LayoutBlock(tp=8, pp=4, uneven_stages=uneven)
        assert not model_problems(model, block)
        return step(rails(4), model, block, 1, TrainingBlock(batch=8)).forward_s

    # but for the output, which stands with a stage that has fewer
    assert forward_s(10, uneven=True) == pytest.approx(forward_s(12, uneven=False), rel=0.01)
    few = Model(layers=2, hidden=4096, heads=32, ffn=16384, vocabulary=256)
    (words,) = model_problems(few, LayoutBlock(pp=4, uneven_stages=True))
    assert "more than the 2 layers" in words


def test_a_bubble_is_as_long_as_the_micro_batches_that_it_waits_for() -> None:
    # with pp stages and m micro-batches, pp - 1 of them pass before a stage has its first: each
    # takes its share of compute, and of the all-reduces that nothing hides
    layout = LayoutBlock(tp=8, pp=2, sequence_parallel=False)
    found = step(rails(2), SMALL, layout, 1, TrainingBlock(batch=8, sequence=512))
    exposed = sum(each.exposed_s for each in found.communication if each.dimension == "tp")
    assert exposed > 0.1 * found.forward_s
    busy = found.forward_s + found.backward_s + exposed
    assert found.bubble_s == pytest.approx((2 - 1) / 8 * busy)


@pytest.mark.parametrize(("layout", "often"), [({}, 4), ({"pp": 2}, 1)])
def test_zero_2_reduces_the_gradients_of_each_micro_batch_unless_stages_add_them_up(
    layout: dict[str, int], often: int
) -> None:
    def gradients(zero: int) -> float:
        pp = layout.get("pp", 1)
        found = assessed(
            POD,
            model="llama2-7b",
            layout={"zero": zero, "tp": 8, "dp": 16, **layout},
            training={"batch": 16 * 4, "sequence": 2048},
        ).step
        assert found is not None
        assert found.micro_batches == 4
        assert found.split.pp == pp
        reduced = [each for each in found.communication if each.collective == "reduce_scatter"]
        return sum(each.wire_bytes for each in reduced if each.dimension == "dp")

    assert gradients(2) == pytest.approx(often * gradients(1))


def test_sets_of_shards_gather_inside_and_add_up_over_their_copies_once_a_step() -> None:
    # HSDP: 64 ranks in sets of 8; the ranks that hold the same shard are 8 apart
    split = ParallelSizes(LayoutBlock(zero=3, shard=8), 64)
    training = TrainingBlock(batch=128, sequence=4096)
    model = preset("llama3-8b")
    over, *inside = communications(model, split, training)
    assert (over.collective, over.count) == ("all_reduce", 1)
    assert (over.layout.size("dp"), over.layout.stride("dp")) == (8, 8)
    assert over.message_bytes == pytest.approx(2 * model.parameters / 8, rel=0.01)
    for each in inside:
        assert (each.layout.size("dp"), each.layout.stride("dp")) == (8, 1)
        # a layer's weights or gradients, for each of two micro-batches
        assert each.message_bytes * each.count == pytest.approx(2 * 2 * model.parameters, rel=0.01)


def test_one_set_of_all_ranks_is_the_same_as_none() -> None:
    training, model = TrainingBlock(batch=128, sequence=4096), preset("llama3-8b")
    whole, named = (
        communications(model, ParallelSizes(LayoutBlock(zero=3, shard=shard), 64), training)
        for shard in (None, 64)
    )
    assert whole == named


def test_more_that_runs_again_takes_longer_and_both_halves_nearly_all() -> None:
    def backward_s(**keys: object) -> float:
        layout = LayoutBlock.model_validate({"tp": 8, **keys})
        training = TrainingBlock(batch=16, sequence=2048)
        return step(rails(2), preset("gpt3-175b"), layout, 2, training).backward_s

    none, full = backward_s(), backward_s(recompute="full")
    norm, ffn = backward_s(recompute="norm"), backward_s(recompute="ffn")
    both = backward_s(recompute="attention+ffn")
    assert none < norm < ffn < both < full
    # products of a layer of 12 h^2 parameters: 8 of them in the feed-forward layer
    assert (ffn - none) / (full - none) == pytest.approx(8 / 12, abs=0.1)
    assert both - none > 0.9 * (full - none)
    half = backward_s(recompute="full", recompute_layers=48)
    assert half - none == pytest.approx((full - none) / 2, rel=0.01)


def test_an_optimiser_on_the_cpu_waits_for_gradients_and_weights_over_pcie() -> None:
    layout = LayoutBlock(tp=8, zero=0, offload=("optimiser",))
    model, training = preset("llama3-8b"), TrainingBlock(batch=16, sequence=2048)
    found = step(rails(2), model, layout, 2, training)
    # two bytes each way at 0.85 of PCIe 4.0's 31.5 GB/s
    assert found.optimiser_s == pytest.approx(model.parameters / 8 * 4 / (0.85 * 31.5e9), rel=0.01)
