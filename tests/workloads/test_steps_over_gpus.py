"""What a step waits for as copies of a model are added."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, RACK, assessed, parts, saved
from toposmith.workloads.divisibility import even_dp, split_of
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.steps_over_gpus import StepsOverGpus, steps_over_gpus


def over(name: str, **block: object) -> StepsOverGpus:
    return steps_over_gpus(saved(name), parts(), assessed(name, **block))


def test_every_size_is_the_run_of_that_size_by_itself() -> None:
    found = over(RACK, model="llama2-7b", layout={"zero": 3}, training={"batch": 512})
    assert [step.split.gpus for step in found.steps] == [8, 16, 32, 64]
    for step in found.steps:
        layout = {"zero": 3, "dp": step.split.gpus}
        alone = assessed(RACK, model="llama2-7b", layout=layout, training={"batch": 512}).step
        assert alone is not None
        assert step.step_s == alone.step_s
    one, *_, last = (step.exposed_share(inside_node=False) for step in found.steps)
    assert one == 0 < 0.1 < last, "from 8 to 64 GPUs the one port of a node comes to dominate"


def test_a_batch_that_is_named_stays_and_another_grows_with_the_copies() -> None:
    named = over(RACK, model="llama3-8b", layout={"tp": 2}, training={"batch": 256})
    assert [step.batch for step in named.steps] == [256] * 4
    grown = over(RACK, model="llama3-8b", layout={"tp": 2}, training={})
    assert [step.batch for step in grown.steps] == [128, 256, 512, 1024]
    # half the GPUs of tp=2 are copies: each computes as many sequences at every size
    assert len({step.micro_batches for step in grown.steps}) == 1


def test_a_copy_of_several_nodes_is_the_least_size() -> None:
    found = over(POD, model="llama3-70b", layout={"tp": 8, "pp": 4, "dp": 8}, training={})
    assert [step.split.gpus for step in found.steps] == [32, 64, 128, 256]


def test_sizes_that_do_not_divide_the_batch_are_left_out() -> None:
    found = over(RACK, model="llama3-8b", layout={"tp": 1, "dp": 48}, training={"batch": 48})
    assert [step.split.gpus for step in found.steps] == [8, 16, 48]


def test_a_service_has_no_step() -> None:
    with pytest.raises(WorkloadError, match="of a model that is trained"):
        over(RACK, model="llama3-8b", serving={})


def test_copies_that_are_left_open_lie_evenly_in_nodes_of_eight() -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 4, "pp": 4}, training={})
    # 63 copies of 16 GPUs would take more of the 1,016, but stages 252 ranks apart straddle nodes
    assert found.split.dp == 62
    split = split_of(found.workload.layout, 1016)
    assert even_dp(split, 1016, 8, 0) == 62
