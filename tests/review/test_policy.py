"""A policy sets severities and limits, and says where its own file is wrong."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import OPEN, RAILS, but
from tests.review.reviewing import CATALOG, counting, policy_of, reviewed
from toposmith.design.stored_files import load_file
from toposmith.errors import DesignFileError
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.policy import Policy, parse_policy
from toposmith.saved_designs import saved_path

HALF = but(RAILS, ("cables: 2", "cables: 1"))


def test_an_empty_policy_is_the_built_in_one() -> None:
    assert policy_of("") == Policy()


def test_a_code_can_be_made_worse_milder_or_silent() -> None:
    for level in ("error", "warning", "info"):
        found = reviewed(HALF, f"severities: {{oversubscribed: {level}}}\n")
        assert [f.severity for f in found if f.code == "oversubscribed"] == [level]
    silent = reviewed(HALF, "severities: {oversubscribed: off}\n")
    assert "oversubscribed" not in {f.code for f in silent}


def test_a_tier_may_be_oversubscribed_as_far_as_the_policy_says() -> None:
    assert counting(reviewed(HALF)) == [("oversubscribed", "leaf")]
    assert counting(reviewed(HALF, "limits: {oversubscription: {leaf: 2}}\n")) == []
    assert counting(reviewed(HALF, "limits: {oversubscription: 2}\n")) == []
    tight = reviewed(HALF, "limits: {oversubscription: {leaf: 1.9}}\n")
    assert counting(tight) == [("oversubscribed", "leaf")]


def test_half_a_nic_for_each_gpu_can_be_enough() -> None:
    half = but(OPEN, ("ndr, count: 8", "ndr, count: 4"), ("rail: 8", "rail: 4"))
    codes = {f.code for f in reviewed(half, "limits: {nics_per_gpu: 0.5}\n")}
    assert "fewer-nics-than-gpus" not in codes


@pytest.mark.parametrize("mode", ["ideal", "adaptive", "static", "detour", "dimension-order"])
def test_a_policy_assumes_any_routing_of_designs_that_can_have_it(mode) -> None:  # type: ignore[no-untyped-def]
    policy = policy_of(f"assume: {{routing: {mode}}}\n")
    tree, dragonfly, torus = (
        EvaluatedDesign(load_file(saved_path(name)).design, CATALOG, policy=policy)
        for name in (
            "dgx-h100-superpod-4su",
            "dragonfly-74x32-slingshot",
            "torus-4x4x4-h100",
        )
    )
    assert tree.asked.routing.mode == (mode if mode in ("adaptive", "static") else "ideal")
    assert dragonfly.asked.routing.mode == ("ideal" if mode == "dimension-order" else mode)
    assert torus.asked.routing.mode == ("ideal" if mode == "detour" else mode)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 1, "found nothing"),
        ("- a\n", 1, "expected keys with values"),
        ("name: x\n", 1, "the key 'toposmith-policy' is missing"),
        ("toposmith-policy: 9\n", 1, "needs a newer Toposmith"),
        ("toposmith-policy: one\n", 1, "found 'one', expected 1"),
        ("toposmith-policy: 1\nlimit: {}\n", 2, "did you mean 'limits'?"),
        ("toposmith-policy: 1\nseverities:\n  single-leef: info\n", 3, "mean 'single-leaf'?"),
        ("toposmith-policy: 1\nseverities: {single-leaf: bad}\n", 2, "found 'bad', expected error"),
        ("toposmith-policy: 1\nseverities: {single-leaf: [off]}\n", 2, "expected error, warning"),
        ("toposmith-policy: 1\nlimits:\n  oversubscription: {leef: 2}\n", 3, "mean 'leaf'?"),
        ("toposmith-policy: 1\nlimits: {nics_per_gpu: -1}\n", 2, "expected a number above 0"),
        ("toposmith-policy: 1\nlimits: {power_kw: true}\n", 2, "expected a number above 0"),
        ("toposmith-policy: 1\nlimits: 3\n", 2, "expected limits with numbers"),
        (
            "toposmith-policy: 1\nassume: {routing: magic}\n",
            2,
            "expected ideal, adaptive, static, detour or dimension-order",
        ),
        ("toposmith-policy: 1\nassume: {sharp: 1}\n", 2, "expected true or false"),
        ("toposmith-policy: 1\nname: 3\n", 2, "expected text"),
        ("toposmith-policy: 1\nseverities:\n", 2, "expected codes with error"),
    ],
)
def test_a_wrong_policy_says_line_and_what_would_be_right(text: str, line: int, says: str) -> None:
    with pytest.raises(DesignFileError) as refused:
        parse_policy(text, "p.yaml")
    assert any(at.startswith(f"p.yaml:{line}:") and says in at for at in refused.value.lines()), (
        refused.value.lines()
    )
