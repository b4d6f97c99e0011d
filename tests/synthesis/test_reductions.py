"""What a network may have less of: NICs that one fits, and not those of a provider's machine."""

from __future__ import annotations

import pytest

from tests.review.reviewing import CATALOG
from toposmith.design.parser import parse_design
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.left_out import reductions

FITTED = "hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}}"


@pytest.mark.parametrize(
    ("part", "leaf", "may_be_fewer"), [("p5-48xlarge", "sn5600", False), (FITTED, "qm9700", True)]
)
def test_nobody_leaves_out_nics_of_a_cloud_s_machine(
    part: str, leaf: str, may_be_fewer: bool
) -> None:
    text = (
        f"toposmith: 1\ngroups:\n  node: {{part: {part}, count: 4}}\n  leaf: {{part: {leaf}}}\n"
        "links:\n  - {between: [node.compute, leaf]}\n"
    )
    tried = reductions(PlannedDesign.of(parse_design(text, "test"), CATALOG))
    assert any(one.what.startswith("NICs") for one in tried) == may_be_fewer
