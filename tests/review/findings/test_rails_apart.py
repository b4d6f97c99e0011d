"""Rails that no switch joins are told, and only these: held against the fabric device by device."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings

from tests.expanded import Expanded, Vertex
from tests.review.mistakes.seeded import OPEN, RAILS, TWO_KINDS, but
from tests.review.reviewing import reviewed
from tests.small_designs import CATALOG, designs
from toposmith.analysis.analyse import analyse
from toposmith.catalog import load_catalog
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.collecting import review_findings
from toposmith.templates import TEMPLATES, new_design

PARTS = load_catalog()
SPINES = ("  spine: {part: qm9700, count: 2}\n", "")
UPLINKS = ("  - {between: [leaf, spine], cables: 2, length: 20}\n", "")


def apart(text: str, policy: str = "") -> list[Finding]:
    return [one for one in reviewed(text, policy) if one.code == "rails-apart"]


def test_eight_rails_without_spines_meet_inside_nodes_only() -> None:
    (finding,) = apart(but(RAILS, SPINES, UPLINKS))
    assert (finding.where, finding.severity) == ("node.compute", "warning")
    assert finding.figure == "1 of 8 NICs reached"
    assert "PXN" in finding.text
    assert "storage" in finding.text
    assert apart(RAILS) == []


def test_where_the_file_says_that_it_is_meant_it_is_a_remark() -> None:
    meant = "toposmith: 2\n" + but(RAILS, SPINES, UPLINKS) + "rails: apart\n"
    (finding,) = apart(meant)
    assert finding.severity == "info"


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_says_that_rails_are_apart_where_and_only_where_they_are(template: str) -> None:
    design = new_design(template, {}, catalog=PARTS)
    plan = plan_design(design, PARTS)
    assert (design.rails == "apart") == bool(apart_by_hand(plan))


def test_each_group_of_nodes_on_such_rails_is_named() -> None:
    assert [one.where for one in apart(but(TWO_KINDS, SPINES, UPLINKS))] == [
        "a.compute",
        "b.compute",
    ]


def test_spines_for_each_rail_keep_rails_apart_as_well() -> None:
    rail_only = but(
        RAILS, ("spine: {part: qm9700, count: 2}", "spine: {part: qm9700, per: [rail]}")
    )
    assert [one.figure for one in apart(rail_only)] == ["1 of 8 NICs reached"]


def test_spines_that_are_all_down_join_nothing() -> None:
    assert apart(RAILS + 'down: ["spine[spine=0]"]\n') == []
    assert apart(RAILS + 'down: ["spine"]\n') != []


@pytest.mark.parametrize("nics", [1, 4])
def test_a_leaf_for_all_ports_and_planes_that_every_nic_reaches_are_not_apart(nics: int) -> None:
    """NICs of two ports with one in each of two planes reach each other in either."""
    one = but(OPEN, SPINES, UPLINKS, ("per: [rail]", "count: 1"))
    assert apart(one) == []
    two_ports = but(
        OPEN,
        SPINES,
        UPLINKS,
        ("hgx-h100-8", "hgx-a100-8"),
        ("connectx-7-ndr, count: 8", f"connectx-6-dx-100gbe-2p, count: {nics}"),
        ("rail: 8", "rail: 2"),
        ("qm9700", "sn3700"),
    )
    assert apart(two_ports) == []


def test_a_policy_may_raise_it() -> None:
    text = but(RAILS, SPINES, UPLINKS)
    assert apart(text, "severities: {rails-apart: error}\n")[0].severity == "error"


def apart_by_hand(plan: Plan) -> set[str]:
    """Groups of nodes with two NICs between which no way leads over switches alone."""
    fabric = Expanded(plan)
    graph: nx.MultiGraph[Vertex] = fabric.graph
    switches = graph.subgraph(v for v in graph if plan.groups[v[1]].switch is not None)
    of = {v: n for n, part in enumerate(nx.connected_components(switches)) for v in part}
    found = set()
    for node in fabric.nodes:
        ends = [{of[v] for v in graph[nic] if v in of} for nic in fabric.nics(node)]
        if fabric.gpus[node] > 1 and any(not a & b for a in ends for b in ends):
            found.add(node[1])
    return found if len(fabric.nodes) > 1 else set()


@given(designs(unlike=True))
@settings(max_examples=30)
def test_random_fabrics_with_faults_are_judged_as_device_by_device(plan: Plan) -> None:
    found = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    claimed = {one.place.group for one in found if one.code == "rails-apart"}
    assert claimed == apart_by_hand(plan)
