"""What figures are to be read with: NVLink racks, mixes of GPUs, designs with errors."""

from __future__ import annotations

import pytest

from tests.workloads.designs import parts
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import search

RACK = """\
toposmith: 1
axes: {rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, count: 18}
  leaf: {part: qm9700, per: [rail]}
links: [{between: [tray.compute, leaf]}]
"""
MIXED = """\
toposmith: 1
axes: {rail: 8}
groups:
  old: {part: dgx-a100, count: 8}
  new: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, per: [rail]}
links:
  - {between: [old.compute, leaf]}
  - {between: [new.compute, leaf]}
"""
OVERFULL = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 9}
  leaf: {part: qm9700}
links: [{between: [node.compute, leaf]}]
"""


SIDE_BY_SIDE = RACK.replace("count: 18", "count: 36")


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), parts())


def assessed(text: str, **block: object) -> Assessment:
    return assess(planned(text), parts(), workload_of(block))


def codes(found: Assessment) -> dict[str, str]:
    return {finding.code: finding.severity for finding in found.findings}


def test_a_service_over_trays_of_two_racks_side_by_side_is_warned_of() -> None:
    found = assessed(
        SIDE_BY_SIDE, model="llama3-70b", layout={"tp": 8}, serving={"decode_batch": 8}
    )
    assert codes(found) == {"wider-nvlink-domain": "warning"}


def test_a_service_inside_each_tray_is_not() -> None:
    found = assessed(
        SIDE_BY_SIDE, model="llama3-70b", layout={"tp": 4}, serving={"decode_batch": 8}
    )
    assert found.findings == ()


def test_a_service_inside_one_rack_is_not() -> None:
    found = assessed(RACK, model="llama3-70b", layout={"tp": 8}, serving={"decode_batch": 8})
    assert found.findings == ()


def test_training_over_trays_of_two_racks_side_by_side_is_warned_of() -> None:
    training = {"batch": 288, "sequence": 4096}
    found = assessed(SIDE_BY_SIDE, model="llama3-70b", layout={"tp": 4}, training=training)
    assert codes(found)["wider-nvlink-domain"] == "warning"
    ranked = search(planned(SIDE_BY_SIDE), parts(), found.workload)
    assert "wider-nvlink-domain" in {finding.code for finding in ranked.findings}


def test_mfu_of_unlike_gpus_is_of_the_peak_of_all_of_them() -> None:
    training = {"batch": 256, "sequence": 4096}
    found = assessed(MIXED, model="llama3-70b", layout={"tp": 8}, training=training)
    assert found.step is not None
    # 64 A100 of 312 and 64 H100 of 989.4 TFLOP/s, 70.55 billion parameters
    peak = 64 * 312e12 + 64 * 989.4e12
    assert found.step.mfu == pytest.approx(6 * 70.55e9 * found.step.tokens_per_s / peak, rel=1e-3)
    (finding,) = [each for each in found.findings if each.code == "mixed-gpus"]
    assert finding.severity == "warning"
    assert "64 x A100 SXM4 80GB (312 TFLOP/s) and 64 x H100 SXM5 80GB" in finding.text


def test_unlike_gpus_take_as_long_as_if_all_were_the_slowest() -> None:
    training = {"batch": 256, "sequence": 4096}
    block: dict[str, object] = {"model": "llama3-70b", "layout": {"tp": 8}, "training": training}
    mixed = assessed(MIXED, **block).step
    slow = assessed(MIXED.replace("dgx-h100", "dgx-a100"), **block).step
    assert mixed is not None
    assert slow is not None
    assert mixed.compute_s == pytest.approx(slow.compute_s)


def test_a_job_that_takes_the_first_nodes_only_is_of_their_gpus() -> None:
    training = {"batch": 64, "sequence": 4096}
    layout = {"tp": 8, "pp": 8, "dp": 1}
    found = assessed(MIXED, model="llama3-70b", layout=layout, training=training)
    assert found.gpu.name == "A100 SXM4 80GB"
    assert "mixed-gpus" not in codes(found)


def test_the_mean_peak_of_one_a100_node_and_three_h100_nodes_lies_between() -> None:
    text = MIXED.replace("dgx-a100, count: 8", "dgx-a100, count: 1").replace(
        "dgx-h100, count: 8", "dgx-h100, count: 3"
    )
    gpu = accelerator(planned(text), parts())
    # (8 x 312 + 24 x 989.4) / 32 = 820.05
    assert gpu.mean_peak_flops("bf16") == pytest.approx(820.05e12)
    assert gpu.peak_flops("bf16") == pytest.approx(312e12)


def test_a_design_with_errors_has_figures_that_say_so() -> None:
    # 9 nodes of 4 OSFP cages on a switch of 32
    training = {"batch": 72, "sequence": 4096}
    found = assessed(OVERFULL, model="llama3-8b", training=training)
    assert found.step is not None
    assert codes(found)["ports-overused"] == "error"
    assert not found.ok
    ranked = search(planned(OVERFULL), parts(), found.workload)
    assert ranked.fitting
    assert not ranked.ok


@pytest.mark.parametrize(("model", "warned"), [("deepseek-v3", True), ("mixtral-8x7b", False)])
def test_mixtures_of_narrow_experts_are_said_to_run_slower(model: str, warned: bool) -> None:
    # DeepSeek-V3: experts of 2,048 in a model of 7,168; Mixtral 8x7B: 14,336 in 4,096.
    text = RACK.replace("gb200-nvl72-tray, count: 18", "dgx-h100, count: 32").replace("4}", "8}")
    training = {"batch": 1024, "sequence": 4096}
    found = assessed(text, model=model, layout={"pp": 4, "ep": 8}, training=training)
    assert ("small-experts" in codes(found)) == warned


SLOW = """\
toposmith: 2
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
links: [{between: [node.compute, leaf]}]
"""
TRAINED = {"model": "llama2-13b", "training": {"batch": 64, "sequence": 2048}}


def test_a_step_waits_for_the_slowest_gpu_among_the_nodes_that_it_takes() -> None:
    block = {**TRAINED, "layout": {"tp": 8, "dp": 2}}
    whole = assessed(SLOW, **block)
    far, near = (
        assessed(f'{SLOW}slow: {{"node[node={n}].gpu[5]": 50 %}}\n', **block) for n in (3, 1)
    )
    assert whole.step and far.step and near.step
    # the job runs on nodes 0 and 1
    assert far.step.step_s == whole.step.step_s and "slow-gpu" not in codes(far)
    assert codes(near)["slow-gpu"] == "warning"
    # kernels take twice as long; the gaps between them do not, nor do the wires
    for part in ("forward_s", "backward_s", "optimiser_s"):
        ratio = getattr(near.step, part) / getattr(whole.step, part)
        assert 1.9 < ratio <= 2 + 1e-9
    assert near.step.optimiser_s == pytest.approx(2 * whole.step.optimiser_s)
    total = [
        sum(c.exposed_s + c.hidden_s for c in s.communication) for s in (near.step, whole.step)
    ]
    assert total[0] == pytest.approx(total[1])
    # MFU is of the peak that the GPUs have
    tokens = near.step.tokens_per_s / whole.step.tokens_per_s
    assert near.step.mfu == pytest.approx(whole.step.mfu * tokens)


def test_a_service_is_timed_as_if_every_gpu_were_as_slow_as_the_slowest() -> None:
    block = {"model": "llama3-70b", "layout": {"tp": 8}, "serving": {"decode_batch": 8}}
    whole, slow = (
        assessed(SLOW + more, **block) for more in ("", 'slow: {"node[node=1].gpu[5]": 50 %}\n')
    )
    assert whole.service and slow.service
    ratio = slow.service.prefill.compute_s / whole.service.prefill.compute_s
    assert 1.9 < ratio <= 2
    assert codes(slow)["slow-gpu"] == "warning"
