"""Single cables are named where they cross rails or lead where no link leads."""

from __future__ import annotations

from tests.fabric.test_single_cables import CATALOG, SWAP, planned
from toposmith.analysis.analyse import analyse
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.collecting import review_findings

NAMED = {"cable-crosses-rails", "cable-elsewhere"}


def found(plan: Plan) -> list[Finding]:
    every = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    return [one for one in every if one.code in NAMED]


def test_a_swapped_pair_of_a_node_crosses_two_rails() -> None:
    first, second = found(planned(*SWAP))
    assert (first.code, first.where) == ("cable-crosses-rails", "cables[0]")
    assert first.text.startswith(
        "node[node=1].compute[0] goes to leaf[rail=3,leaf=0], not to leaf[rail=0,leaf=0] "
    )
    assert second.where == "cables[1]"


def test_a_host_on_a_spine_and_two_uplinks_on_one_spine_are_named() -> None:
    host, uplink = found(
        planned(
            'a: "spine[spine=1]", z: "node[node=3].compute[6]"',
            'a: "leaf[rail=2].port[5]", z: "spine[spine=1]"',
        )
    )
    assert (host.code, host.where) == ("cable-elsewhere", "cables[0]")
    assert "node[node=3].compute[6] goes to spine[spine=1], not to leaf[rail=6,leaf=0]" in host.text
    assert (
        "leaf[rail=2,leaf=0].port[5] goes to spine[spine=1], not to spine[spine=0]" in uplink.text
    )


def test_a_cable_more_or_at_its_own_place_is_not_named() -> None:
    assert found(planned('a: "leaf[rail=0]", z: "spine[spine=0]"')) == []
    assert found(planned('a: "node[node=0].compute[5]", z: "leaf[rail=5]"')) == []


def test_many_are_named_in_part() -> None:
    cables = [
        f'a: "node[node={node}].compute[{port}]", z: "leaf[rail={(port + 1) % 8}]"'
        for node in range(3)
        for port in range(8)
    ]
    named = found(planned(*cables))
    assert len(named) == 21
    assert named[-1].text == "4 more single cables go elsewhere than links deal them"


def test_more_cables_than_cages_are_an_error_at_the_switch() -> None:
    # a leaf has 64 ports: 4 to nodes, 4 to spines, and 57 are too many; a spine has 16 to leaves
    plan = planned(*['a: "leaf[rail=0]", z: "spine[spine=0]"'] * 57)
    errors = [(one.code, one.where) for one in port_findings(plan)]
    assert errors == [("single-cables-overused", "leaf"), ("single-cables-overused", "spine")]
    assert list(port_findings(planned(*['a: "leaf[rail=0]", z: "spine[spine=0]"'] * 48))) == []
