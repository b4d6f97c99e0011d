"""The search over layouts beside layouts that are asked for one by one."""

from __future__ import annotations

from itertools import product

import pytest

from tests.workloads.designs import POD, assessed, parts, rails, saved
from toposmith.workloads.assess import assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.divisibility import divisors
from toposmith.workloads.layout_search import Ranking, Variants, search
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import on_first_nodes

ASKED = workload_of({"model": "llama2-13b", "training": {"batch": 128, "sequence": 2048}})


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return search(rails(8), parts(), ASKED)


def test_it_finds_every_layout_that_can_be_asked_for(ranking: Ranking) -> None:
    found = {
        (each.split.tp, each.split.pp, each.split.cp)
        for each in ranking.layouts
        if (each.split.gpus, each.split.block.micro_batch, each.split.block.interleave)
        == (64, 1, 1)
    }
    possible = set()
    for tp, pp, cp in product(divisors(8), range(1, 41), divisors(64)):
        if 64 % (tp * pp * cp):
            continue
        block = {"tp": tp, "pp": pp, "cp": cp, "dp": 64 // (tp * pp * cp)}
        asked = {"model": "llama2-13b", "layout": block}
        try:
            assess(
                rails(8),
                parts(),
                workload_of(asked | {"training": {"batch": 128, "sequence": 2048}}),
            )
        except WorkloadError:
            continue
        possible.add((tp, pp, cp))
    assert found == possible


def test_software_to_2022_shares_no_sequence_unless_it_is_asked_to() -> None:
    training = {"batch": 128, "sequence": 2048, "stack": "older"}
    older = workload_of({"model": "llama2-13b", "training": training})
    assert {each.split.cp for each in search(rails(8), parts(), older).layouts} == {1}
    asked = search(rails(8), parts(), older, only={"cp": 2})
    assert {each.split.cp for each in asked.layouts} == {2}


def test_each_layout_takes_as_long_as_when_it_is_asked_for_alone(ranking: Ranking) -> None:
    for each in ranking.layouts[::10]:
        alone = assess(rails(8), parts(), ASKED.model_copy(update={"layout": each.split.block}))
        assert alone.step is not None
        assert alone.step.held == each.step.held
        assert alone.step.step_s == pytest.approx(each.step.step_s)


def test_those_that_fit_come_first_and_the_quickest_of_them(ranking: Ranking) -> None:
    fits = [each.step.fits for each in ranking.layouts]
    assert fits == sorted(fits, reverse=True)
    times = [each.step.step_s for each in ranking.layouts if each.step.fits]
    assert times == sorted(times)


def test_pareto_marks_what_no_other_beats_in_time_and_memory(ranking: Ranking) -> None:
    fitting = [
        (each.step.step_s, each.step.held.use.total, each.pareto)
        for each in ranking.layouts
        if each.step.fits
    ]
    for time, memory, pareto in fitting:
        beaten = any(
            other[0] <= time and other[1] <= memory and other[:2] != (time, memory)
            for other in fitting
        )
        assert not (pareto and beaten)
    assert fitting[0][2]
    assert min(one[1] for one in fitting) == min(one[1] for one in fitting if one[2])


def test_it_tells_how_far_it_is_and_stops_when_asked() -> None:
    told: list[tuple[int, int]] = []
    found = search(
        rails(8),
        parts(),
        ASKED,
        progress=lambda done, many: told.append((done, many)),
        cancelled=lambda: len(told) >= 5,
    )
    assert (found.complete, found.looked_at) == (False, 5)
    assert [done for done, _ in told] == [1, 2, 3, 4, 5]


def test_picked_layouts_become_the_workload(ranking: Ranking) -> None:
    best = ranking.layouts[0]
    block = best.split.block.model_dump()
    again = workload_of(
        {"model": "llama2-13b", "layout": block, "training": {"batch": 128, "sequence": 2048}}
    )
    assert again.layout == best.split.block


def test_on_an_odd_number_of_nodes_it_uses_as_many_as_divide_the_batch() -> None:
    asked = {"model": "llama3-70b", "training": {"batch": 960, "sequence": 8192}}
    found = search(saved(POD), parts(), workload_of(asked))
    used = {each.split.gpus for each in found.layouts}
    assert 960 in used
    assert all(508 <= gpus <= 1016 and gpus % 8 == 0 for gpus in used)
    best = found.layouts[0]
    same = assessed(POD, **asked, layout=best.split.block.model_dump())
    assert same.step is not None
    assert same.step.step_s == pytest.approx(best.step.step_s)


@pytest.mark.parametrize(
    "only",
    [
        {"tp": 8},
        {"tp": 4, "pp": 2},
        {"cp": 2},
        {"dp": 4},
        {"micro_batch": 2},
        {"pp": 4, "interleave": 2},
        {"tp": 2, "pp": 1, "cp": 1, "dp": 32, "micro_batch": 4},
    ],
)
def test_sizes_that_are_asked_for_leave_the_layouts_that_have_them(
    ranking: Ranking, only: dict[str, int]
) -> None:
    found = search(rails(8), parts(), ASKED, only=only)
    assert found.layouts
    for each in found.layouts:
        has = {name: getattr(each.split.block, name) for name in only}
        assert has == only
    if "dp" not in only:
        # on all GPUs they are the ones of the whole search
        whole = {
            each.split
            for each in ranking.layouts
            if all(getattr(each.split.block, name) == size for name, size in only.items())
        }
        assert {each.split for each in found.layouts if each.split.gpus == 64} == {
            split for split in whole if split.gpus == 64
        }


def test_a_micro_batch_that_no_search_tries_by_itself_is_tried_when_asked_for() -> None:
    found = search(rails(8), parts(), ASKED, only={"micro_batch": 8})
    assert {each.split.block.micro_batch for each in found.layouts} == {8}


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ({"tp": 3}, "layout.tp: 3 does not split 40 heads"),
        ({"pp": 9}, "layout.pp: 40 layers do not divide over 9 stages"),
        ({"dp": 48, "tp": 8}, "none with dp=48, tp=8 on 64 GPUs"),
        ({"ep": 4}, "has no experts"),
    ],
)
def test_sizes_that_nothing_divides_are_refused_with_the_reason(
    only: dict[str, int], words: str
) -> None:
    with pytest.raises(WorkloadError, match=words):
        search(rails(8), parts(), ASKED, only=only)


@pytest.mark.parametrize(("precision", "within"), [("bf16", 1.03), ("fp8", 1.04)])
def test_the_layout_that_nvidia_runs_is_among_the_best_where_overlap_varies(
    precision: str, within: float
) -> None:
    # 64 H100: NVIDIA/dgxc-benchmarking, Llama 3 70B, tp 4, cp 2, pp 4, 5 chunks, tp hidden
    training = {"batch": 128, "sequence": 8192, "precision": precision}
    told = workload_of({"model": "llama3-70b", "training": training})
    plan = saved("dgx-h100-superpod-1su")
    part = on_first_nodes(plan, 8)
    found = search(part, parts(), told, variants=Variants(overlap=True))
    sizes = {
        (s.tp, s.cp, s.pp, s.block.micro_batch, s.block.interleave, "tp" in s.block.overlap): each
        for each in found.layouts
        if (s := each.split)
    }
    run = sizes[4, 2, 4, 1, 5, True].step
    best = found.layouts[0].step
    assert run is not None
    assert best is not None
    assert run.step_s <= within * best.step_s


def test_every_number_of_chunks_that_divides_the_stages_is_tried() -> None:
    told = workload_of({"model": "llama3-70b", "training": {"batch": 64, "sequence": 2048}})
    only = {"tp": 8, "pp": 4, "dp": 2, "micro_batch": 1, "cp": 1}
    part = on_first_nodes(saved("dgx-h100-superpod-1su"), 8)
    found = search(part, parts(), told, only=only)
    # 80 layers over 4 stages: the divisors of 20
    tried = sorted(each.split.block.interleave for each in found.layouts)
    assert tried == [1, 2, 4, 5, 10, 20]


def test_without_a_pipeline_a_published_micro_batch_of_twelve_is_tried() -> None:
    # llm-foundry runs MPT by FSDP with 3, 6, 12 ... sequences a GPU.
    asked = workload_of({"model": "llama2-7b", "training": {"batch": 768, "sequence": 2048}})
    found = search(rails(8), parts(), asked, only={"tp": 1, "pp": 1, "cp": 1})
    assert {3, 6, 12} <= {each.split.block.micro_batch for each in found.layouts}


def test_tensor_parallelism_divides_the_gpus_of_a_node_and_the_heads() -> None:
    # 24 heads are divided by 3 and 6 as well, which 8 GPUs are not
    model = {"layers": 4, "hidden": 1536, "heads": 24, "ffn": 6144, "vocabulary": 32_000}
    asked = workload_of({"model": model, "training": {"batch": 32, "sequence": 512}})
    found = search(rails(3), parts(), asked)
    assert {each.split.tp for each in found.layouts} == {1, 2, 4, 8}
