"""A workload: block that cannot run is found without its figures."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.designs import parts
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.workloads.assess import assess_block
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import workload_findings

NODES = (
    "toposmith: 1\ngroups:\n  node: {part: dgx-a100, count: 2}\n  leaf: {part: qm8700}\n"
    "links: [{between: [node.compute, leaf]}]\n"
)


def planned(block: str, nodes: str = NODES) -> Plan:
    return plan_design(parse_design(f"{nodes}workload: {block}\n", "test"), parts())


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("{}", "model: is missing"),
        ("{model: llama3-9b, serving: {}}", "did you mean 'llama3-8b'"),
        ("{model: llama3-8b}", "neither training nor serving"),
        # 32 heads and 8 KV heads
        ("{model: llama3-8b, layout: {tp: 3}, serving: {}}", "layout.tp: 3 does not split"),
        ("{model: llama3-8b, layout: {tp: 8, pp: 4}, serving: {}}", "takes 32 GPUs, there are 16"),
        (
            "{model: llama3-8b, layout: {dp: 16}, training: {batch: 24, sequence: 512}}",
            "training.batch: 24 sequences do not divide over dp=16",
        ),
        # the layout alone is named while it does not fit, not the batch that follows from it
        (
            "{model: llama3-8b, layout: {interleave: 2, dp: 16}, "
            "training: {batch: 24, sequence: 512}}",
            "layout.interleave: one stage has nothing to interleave",
        ),
        ("{model: llama3-8b, serving: {precision: fp8}}", "has no fp8; bf16 works"),
    ],
)
def test_a_block_that_cannot_run_is_an_error_with_the_reason(block: str, words: str) -> None:
    (finding,) = workload_findings(planned(block), parts())
    assert (finding.code, finding.severity, finding.where) == ("bad-workload", "error", "workload")
    assert words in finding.text


def test_every_problem_is_a_finding() -> None:
    found = workload_findings(planned("{model: llama3-8b, layout: {tp: 1.5, foo: 3}}"), parts())
    assert [finding.text.partition(":")[0] for finding in found] == ["layout.tp", "layout.foo"]


def test_a_design_without_a_block_or_without_gpus_yet_has_nothing_wrong() -> None:
    plan = plan_design(parse_design(NODES, "test"), parts())
    assert workload_findings(plan, parts()) == ()
    empty = planned("{model: llama3-8b, serving: {}}", "toposmith: 1\n")
    assert workload_findings(empty, parts()) == ()


@given(
    st.sampled_from([1, 2, 3, 8, 16, 32]),
    st.sampled_from([1, 2, 5, 8]),
    st.sampled_from([1, 2, 16]),
    st.sampled_from(["training: {batch: 16, sequence: 512}", "serving: {prompt: 64}"]),
)
@settings(max_examples=30, deadline=None)
def test_what_is_found_wrong_is_what_is_refused(tp: int, pp: int, ep: int, run: str) -> None:
    plan = planned(f"{{model: mixtral-8x7b, layout: {{tp: {tp}, pp: {pp}, ep: {ep}}}, {run}}}")
    found = [finding.text for finding in workload_findings(plan, parts())]
    try:
        assess_block(plan, parts(), plan.design.workload)
    except WorkloadError as refusal:
        # groups that straddle nodes show only where they are timed
        straddles = any("straddle" in problem for problem in refusal.problems)
        assert straddles or found == list(refusal.problems)
    else:
        assert found == []
