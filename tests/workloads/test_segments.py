"""Experts over NVLink racks: groups on some of a rack's trays, and over several racks."""

from __future__ import annotations

import pytest

from tests.workloads.designs import assessed, parts, saved
from toposmith.analysis.jobs.world import world
from toposmith.workloads.assess import Assessment
from toposmith.workloads.block import workload_of
from toposmith.workloads.model import WorkloadError, preset
from toposmith.workloads.runnable import segmented
from toposmith.workloads.service_targets import server_of

RACKS = "gb200-nvl72-8-racks-ndr"


def served(ep: int, **serving: object) -> Assessment:
    layout = {"ep": ep}
    return assessed(RACKS, model="deepseek-v3", layout=layout, serving={"prompt": 512, **serving})


@pytest.mark.parametrize(
    ("ep", "redundant", "copies"),
    # 8 racks of 72 GPUs: 64 of each, all of each, 48 of two racks each, 64 of two, 64 of four
    [(64, 0, 8), (72, 32, 8), (96, 32, 4), (128, 0, 4), (256, 0, 2)],
)
def test_experts_lie_on_as_many_gpus_of_each_rack_as_fill_most(
    ep: int, redundant: int, copies: int
) -> None:
    found = served(ep, redundant_experts=redundant, decode_batch=256)
    assert found.service is not None
    assert found.service.copies == copies
    assert found.gpus == 576
    idle = [one for one in found.findings if one.code == "gpus-idle"]
    assert [one.values["used"] for one in idle] == ([] if copies * ep == 576 else [copies * ep])
    # 64 idle of 576 are more than a tenth
    assert all(one.severity == "warning" for one in idle)


def test_the_trays_that_stay_out_are_the_last_of_every_rack() -> None:
    workload = workload_of({"model": "deepseek-v3", "layout": {"ep": 64}, "serving": {}})
    part = segmented(saved(RACKS), workload)
    assert world(part).nccl_node_gpus == (64,)
    assert world(part).nccl_nodes == 8
    idle = {f"tray[rack={rack}..{rack},tray=16..17]" for rack in range(8)}
    assert {one.text for one in part.absent} == idle


def test_a_group_that_leaves_its_rack_waits_for_the_network() -> None:
    inside, over = (served(ep, decode_batch=ep).service for ep in (64, 128))
    assert inside is not None and over is not None
    # the same tokens on each GPU; half of the experts of each token are behind the NICs
    assert over.decode.compute_s <= inside.decode.compute_s
    assert over.decode.expert_s > inside.decode.expert_s


def test_redundant_experts_take_memory_and_let_other_sizes_divide() -> None:
    with pytest.raises(WorkloadError, match="or of a service 32 more redundant_experts"):
        served(72)
    model = preset("deepseek-v3")
    workload = workload_of(
        {
            "model": "deepseek-v3",
            "layout": {"ep": 72},
            "serving": {"redundant_experts": 32, "precision": "fp8"},
        }
    )
    server = server_of(saved(RACKS), parts(), workload, None, 576, 4)
    assert model.experts is not None
    each = model.expert_parameters / model.experts.count
    dense = model.parameters - model.served_expert_layers * model.expert_parameters
    # 288 experts on 72 GPUs are four on each, in each of 58 layers
    experts = 4 * each * model.served_expert_layers
    assert server.weights_bytes == pytest.approx(dense + experts, rel=0.001)


def test_training_takes_segments_too() -> None:
    found = assessed(RACKS, model="deepseek-v3", layout={"ep": 64}, training={})
    assert found.split.gpus == 512
    assert found.step is not None
    exchange = [each for each in found.step.communication if each.dimension == "ep"]
    assert {each.nodes for each in exchange} == {1}  # each in its rack
    forced = assessed(RACKS, model="deepseek-v3", layout={"ep": 64, "segment": 32}, training={})
    assert forced.split.gpus == 256
    assert forced.step is not None
    assert {each.nodes for each in forced.step.communication if each.dimension == "ep"} == {2}


@pytest.mark.parametrize("segment", [70, 76])
def test_a_segment_is_some_whole_trays_of_a_rack(segment: int) -> None:
    with pytest.raises(WorkloadError, match="no whole trays of 4 in a rack of 72; 72 works"):
        assessed(RACKS, model="deepseek-v3", layout={"ep": 64, "segment": segment}, serving={})
