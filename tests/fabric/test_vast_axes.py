"""Switches over axes so large that their number means nothing are refused, not numbered."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.errors import TooMuchWorkError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.fabric.rows import MOST_DEVICES, fabric_rows


def spread_spines(size: int) -> Design:
    """Nodes on rails below eight spines for each pair of values of two axes."""
    return Design.model_validate(
        {
            "toposmith": 1,
            "axes": {"rail": 8, "a": size, "b": size},
            "groups": {
                "node": {"part": "dgx-h100", "count": 8},
                "leaf": {"part": "qm9700", "per": ["rail"]},
                "spine": {"part": "qm9700", "per": ["a", "b"], "count": 8},
            },
            "links": [{"between": ["node.compute", "leaf"]}, {"between": ["leaf", "spine"]}],
        }
    )


def test_more_devices_than_can_be_numbered_are_refused_with_how_many() -> None:
    plan = plan_design(spread_spines(1_000_000), load_catalog())
    with pytest.raises(TooMuchWorkError, match=f"8,000,000,000,016 devices .* {MOST_DEVICES:,}"):
        fabric_rows(plan)
    assert fabric_rows(plan_design(spread_spines(2), load_catalog())).devices == 8 + 8 + 32


def test_the_findings_of_such_a_design_are_found_on_what_stands_for_its_devices() -> None:
    found = EvaluatedDesign(spread_spines(1_000_000), load_catalog()).findings
    # 8 x 10^12 spines at each leaf, two ports to a cage
    (overused,) = (one for one in found if one.code == "ports-overused")
    assert "4,000,000,000,004 cages" in overused.text
