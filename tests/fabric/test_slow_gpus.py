"""GPUs that compute below their rate: who is meant, and that the fabric does not feel it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fabric.test_slow_cables import CATALOG, RAILS, planned
from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Collective, Request
from toposmith.bill.bill import make_bill
from toposmith.design.edits.links import slow_down
from toposmith.design.parser import parse_design
from toposmith.errors import EditError
from toposmith.fabric.plan import Plan
from toposmith.fabric.slow_gpus import slow_gpu_counts, slow_gpu_findings, slowest_gpu
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import sweep
from toposmith.review.failures.sweep_in_words import before_line, sweep_as_data
from toposmith.review.findings.collecting import review_findings
from toposmith.synthesis.side_effects import mending_edits


@pytest.mark.parametrize(
    ("slow", "more", "counts"),
    [
        ('"node[node=3].gpu[5]": 50 %', "", {0.5: 1}),
        ('"node[node=3].gpu": 50 %', "", {0.5: 8}),
        ('"node[node=3..5].gpu[0]": 12.5 %', "", {0.125: 3}),
        ('"node.gpu[7]": 80 %', "", {0.8: 16}),
        # of two entries the slower counts, and 100 % is not slow
        ('"node[node=3].gpu": 80 %, "node[node=3].gpu[5]": 50 %', "", {0.5: 1, 0.8: 7}),
        ('"node[node=3].gpu[5]": 50 %, "node.gpu": 100 %', "", {0.5: 1}),
        # a node that is not there has no GPU
        ('"node[node=2..3].gpu[5]": 50 %', 'down: ["node[node=3]"]\n', {0.5: 1}),
        ('"node[node=3].gpu[5]": 50 %', 'absent: ["node[node=3]"]\n', {}),
    ],
)
def test_a_selector_means_these_gpus(slow: str, more: str, counts: dict[float, int]) -> None:
    plan = planned(slow, more)
    assert not plan.findings and not plan.slow
    assert slow_gpu_counts(plan) == ({"node": counts} if counts else {})
    assert slowest_gpu(plan) == min(counts, default=1.0)


@pytest.mark.parametrize("collective", ["all_reduce", "all_gather", "all_to_all", "broadcast"])
def test_a_slow_gpu_changes_no_collective_and_nothing_to_buy(collective: Collective) -> None:
    slow, whole = planned('"node[node=3].gpu[5]": 50 %'), planned()
    ask = Request(collective)
    assert analyse(slow, CATALOG, ask) == analyse(whole, CATALOG, ask)
    assert make_bill(slow, CATALOG).lines == make_bill(whole, CATALOG).lines


def reviewed(plan: Plan) -> list[str]:
    found = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    return [one.text for one in found if one.code == "slow-gpu"]


def test_a_finding_says_that_collectives_are_unchanged_and_a_step_waits() -> None:
    plan = planned('"node[node=0].gpu": 80 %, "node[node=3].gpu[5]": 50 %')
    (one,) = slow_gpu_findings(plan)
    assert (one.where, one.value and one.value.amount) == ("node", 50)
    assert reviewed(plan) == [
        "1 GPU at 50 % and 8 GPUs at 80 % of the rate: collectives are unchanged, since NVLink and "
        "NICs run as before; a synchronous step waits for the slowest GPU, so that its compute "
        "takes 2 times as long"
    ]
    assert reviewed(planned()) == []


@pytest.mark.parametrize(
    ("slow", "words"),
    [
        ('"node[node=3].gpu[8]": 50 %', "node has GPUs 0 to 7"),
        ('"node[node=3].gpu[0]": 200', "the rate of a GPU is a share such as 50 %"),
        ('"node[node=3].gpu[0]": 120 %', "120 % is above the rate of the GPU"),
        ('"leaf[rail=0].gpu[0]": 50 %', "name a switch's cables by their ends"),
    ],
)
def test_an_entry_that_cannot_be_meant_is_named(slow: str, words: str) -> None:
    plan = planned(slow)
    (one,) = plan.findings
    assert one.code == "bad-selector" and words in one.text
    assert not plan.slow and not plan.slow_gpus


def test_a_gpu_cannot_be_absent_or_down_by_itself() -> None:
    (one,) = planned(more='down: ["node[node=3].gpu[5]"]\n').findings
    assert one.code == "bad-selector" and "write node[node=3]" in one.text


def test_mending_a_link_mends_no_gpu() -> None:
    plan = planned('"node[node=3].gpu[5]": 50 %, "node[node=3].compute[2]": 50 %')
    assert [edit.label for edit in mending_edits(plan, [0])] == ["mend node[node=3].compute[2]"]


def test_an_edit_takes_a_share_for_a_gpu_and_no_speed() -> None:
    design = parse_design(RAILS, "test")
    assert slow_down(design, "node[node=3].gpu[5]", "50 %").design.slow == {
        "node[node=3].gpu[5]": "50 %"
    }
    with pytest.raises(EditError, match="a share such as 50 %"):
        slow_down(design, "node[node=3].gpu[5]", 200)


def test_slow_gpus_leave_no_trace_in_a_plan_without_them() -> None:
    slow, whole = planned('"node[node=3].gpu[5]": 50 %'), planned()
    assert replace(slow, slow_gpus=(), design=whole.design) == whole


def test_failures_say_which_gpus_are_slow_before_anything_fails() -> None:
    found = sweep(planned('"node[node=0].gpu": 80 %, "node[node=3].gpu[5]": 50 %'), CATALOG)
    words = "128 GPUs, of which compute slowly already: 1 of node at 50 % and 8 of node at 80 %"
    assert before_line(found).startswith(f"{words} (each step waits); busbw per GPU")
    assert sweep_as_data(found)["slow_gpus"] == [
        {"group": "node", "share_percent": 50, "gpus": 1},
        {"group": "node", "share_percent": 80, "gpus": 8},
    ]
    assert before_line(sweep(planned(), CATALOG)).startswith("128 GPUs; busbw per GPU")
