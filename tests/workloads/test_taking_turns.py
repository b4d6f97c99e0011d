"""Communications beside the same compute: who takes turns with whom."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, parts, rails, saved, step
from toposmith.workloads.assess import assess
from toposmith.workloads.block import LayoutBlock, TrainingBlock, workload_of
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.model import Model, preset
from toposmith.workloads.training import TrainingStep
from toposmith.workloads.workload_findings import fastest_s, needed_speedup

SMALL = Model(layers=8, hidden=4096, heads=32, ffn=16384, vocabulary=32000, gated=False)
LONG = TrainingBlock(batch=16, sequence=8192)


def crossing(overlap: tuple[str, ...]) -> TrainingStep:
    """Rings and gradients that both leave the node, on one NIC a node."""
    layout = LayoutBlock.model_validate(
        {"cp": 2, "tp": 8, "zero": 3, "overlap": overlap, "order": ["tp", "cp", "dp", "pp"]}
    )
    return step(rails(8, 1), SMALL, layout, 4, LONG)


def test_rings_and_gradients_that_leave_the_node_share_one_window() -> None:
    both = crossing(("cp", "dp"))
    window = both.forward_s + both.backward_s
    assert sum(c.hidden_s for c in both.communication if c.overlaps) <= window * (1 + 1e-9)
    alone = crossing(("dp",))
    hidden = {"both": 0.0, "alone": 0.0}
    for name, found in (("both", both), ("alone", alone)):
        hidden[name] = sum(c.hidden_s for c in found.communication if c.dimension == "dp")
    assert hidden["both"] <= hidden["alone"]


def test_what_hides_slows_the_compute_beside_it() -> None:
    found = crossing(("cp", "dp"))
    assert found.hidden_s > 0
    assert found.slowed_s == pytest.approx(0.189 * found.hidden_s)
    assert crossing(()).slowed_s == 0


def test_the_speedup_that_a_target_needs_reaches_it_and_a_little_less_does_not() -> None:
    found = crossing(())  # nothing hides, so the step is compute plus a share of each time
    network = sum(c.exposed_s for c in found.communication if c.dimension != "tp")
    for share in (0.3, 0.6, 0.9):
        target = found.step_s - network * share
        speedup = needed_speedup(found, target)
        assert speedup == pytest.approx(1 / (1 - share), rel=2e-3)
    assert needed_speedup(found, found.compute_s * 0.9) is None


def test_no_network_makes_what_stays_inside_a_node_faster() -> None:
    found = crossing(())
    inside = sum(c.exposed_s for c in found.communication if c.dimension == "tp")
    # tp of 8 fills a node of 8; rings and gradients leave it, and no stage waits for another
    assert inside > 0
    assert {c.dimension for c in found.communication if c.inside_node} == {"tp"}
    assert fastest_s(found) == pytest.approx(found.compute_s + inside)
    assert needed_speedup(found, found.compute_s + 0.5 * inside) is None


def test_a_target_that_waits_for_nvlink_is_not_promised() -> None:
    wanted = workload_of(
        {
            "model": "llama3-70b",
            "layout": {"tp": 8, "pp": 4},
            "training": {"batch": 480, "sequence": 8192, "mfu": 0.45},
        }
    )
    found = assess(saved(POD), parts(), wanted)
    (finding,) = [each for each in found.findings if each.code == "target-missed"]
    assert found.step is not None
    assert found.step.blamed is not None
    assert found.step.blamed.inside_node
    assert "no network between nodes reaches that" in finding.text
    assert "reaches it" not in finding.text


def test_a_search_varies_recompute_and_zero_when_asked() -> None:
    from toposmith.workloads.block import workload_of

    asked = workload_of({"model": "llama2-7b", "training": {"batch": 64, "sequence": 2048}})
    fixed = search(rails(2), parts(), asked)
    varied = search(rails(2), parts(), asked, variants=Variants(recompute=True, zero=True))
    assert {each.split.block.zero for each in fixed.layouts} == {1}
    assert {each.split.block.zero for each in varied.layouts} == {0, 1, 2, 3}
    # FlashAttention recomputes the scores anyway
    assert {each.split.block.recompute for each in varied.layouts} == {"none", "full"}
    assert len(varied.layouts) == 8 * len(fixed.layouts)
    assert varied.layouts[0].step.step_s <= fixed.layouts[0].step.step_s


def test_experts_lie_inside_the_copies_and_multiply_in_a_communicator() -> None:
    from toposmith.workloads.divisibility import ParallelSizes

    split = ParallelSizes(LayoutBlock(tp=2, ep=8, pp=2), 32)
    assert split.gpus == 2 * 2 * 32
    assert str(split) == "tp=2,dp=32,pp=2 (ep=8 inside)"
    exchange = split.communicator("ep")
    assert exchange.ranks == split.gpus
    assert dict(exchange.sizes) == {"tp": 2, "ep": 8, "dp": 4, "pp": 2}
    assert preset("mixtral-8x7b").experts is not None
