"""Experts that are split less than the rest: ep inside tp x cp x dp (Megatron Core, folded)."""

from __future__ import annotations

import pytest

from tests.workloads.designs import parts, rails
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import LayoutBlock, TrainingBlock, workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.kernels import layer_products
from toposmith.workloads.memory import stage_parameters
from toposmith.workloads.model import WorkloadError, preset
from toposmith.workloads.training import training_step

FOLDED = {"tp": 2, "ep": 64, "expert_tp": 1}


def trained(layout: dict[str, object], model: str = "qwen3-30b-a3b") -> Assessment:
    training = {"batch": 64, "sequence": 2048}
    told = workload_of({"model": model, "layout": layout, "training": training})
    return assess(rails(8), parts(), told)


def test_experts_take_ranks_of_tensor_parallelism_too() -> None:
    found = trained(FOLDED)
    assert found.split.gpus == 64
    assert found.split.expert_ranks == 64  # 2 x 32
    assert found.split.expert_gradient_ranks == 1
    assert found.step is not None
    exchange = [c for c in found.step.communication if c.dimension == "ep"] if found.step else []
    assert {c.ranks for c in exchange} == {64}


def test_a_gpu_holds_whole_experts() -> None:
    model = preset("qwen3-30b-a3b")
    held = stage_parameters(model, ParallelSizes(LayoutBlock(**FOLDED), 32))
    # 128 experts on 64 ranks: two of 3 x 2048 x 768 in each of 48 layers
    assert held.experts == 48 * 2 * 3 * 2048 * 768


@pytest.mark.parametrize(("tp", "expert_tp"), [(4, 4), (4, 1), (4, 2), (1, 1)])
def test_products_of_experts_are_the_same_work_however_they_are_split(
    tp: int, expert_tp: int
) -> None:
    model = preset("qwen3-30b-a3b")
    found = list(layer_products(model, 4096, tp, 8, expert_tp))
    experts = found[2:]
    # 8 experts a token, three matrices of 2048 x 768, 2 FLOP each, over tp ranks
    assert sum(each.flops for each in experts) == pytest.approx(2 * 4096 * 8 * 3 * 2048 * 768 / tp)


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ({"tp": 2, "ep": 64}, "cp x dp = 32; 32 works, or expert_tp: 1"),
        ({"tp": 4, "ep": 16, "expert_tp": 3}, "divisor of tp=4"),
        ({"tp": 2, "ep": 128, "expert_tp": 1}, "tp x cp x dp / expert_tp = 64; 64 works"),
        (
            {"tp": 2, "ep": 8, "expert_tp": 1, "order": ["tp", "pp", "cp", "dp"]},
            "next to each other",
        ),
    ],
)
def test_what_does_not_spread_evenly_is_refused(layout: dict[str, object], words: str) -> None:
    with pytest.raises(WorkloadError, match=words.replace("(", r"\(")):
        trained(layout)


def test_a_step_of_experts_that_do_not_spread_is_refused_by_itself() -> None:
    plan, model = rails(2), preset("mixtral-8x7b")
    split = ParallelSizes(LayoutBlock(tp=8, ep=8), 2)
    training = TrainingBlock(batch=8, sequence=2048)
    times = CollectiveTimes(plan, parts())
    with pytest.raises(WorkloadError, match=r"layout\.ep: 8 does not divide cp x dp = 2"):
        training_step(model, split, training, accelerator(plan, parts()), times)


def rack() -> str:
    return (
        "toposmith: 1\naxes: {rail: 4}\ngroups:\n"
        "  node: {part: gb300-nvl72-tray, count: 18}\n"
        "  leaf: {part: q3400-ra, per: [rail]}\nlinks: [{between: [node.compute, leaf]}]\n"
    )


@pytest.mark.parametrize("run", ["training", "serving"])
def test_64_experts_ranks_run_on_a_rack_of_72(run: str) -> None:
    block: dict[str, object] = {"model": "deepseek-v3", "layout": {"ep": 64}}
    if run == "training":
        block |= {"model": "qwen3-30b-a3b", "training": {"batch": 64, "sequence": 2048}}
    else:
        block["serving"] = {"precision": "fp8", "decode_batch": 64}
    found = assess(plan_design(parse_design(rack(), "rack"), parts()), parts(), workload_of(block))
    assert (found.step or found.service) is not None
    if found.service is not None:
        assert found.service.copies == 1
