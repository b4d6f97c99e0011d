"""What is told to mend NICs mends them: no fix leads to the next finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

import pytest

from tests.review.mistakes.seeded import MISTAKES
from tests.review.reviewing import reviewed
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.catalog.parts import Node
from toposmith.design.document import Design, FittedNics, Group
from toposmith.fabric.plan import GroupPlan, PortGroup
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.protocols import far_socket, uneven
from toposmith.review.findings.subject import Subject
from toposmith.review.policy import Policy

CATALOG = load_catalog(user=False)
NODES = [
    node
    for node in CATALOG.of_kind("node")
    if isinstance(node, Node) and "compute" in node.slots and node.gpus > 1
]


class Fitted(Subject):
    """Nodes whose compute slots count as cabled, whatever switch there may be for them."""

    def node_groups(self) -> Iterator[tuple[GroupPlan, PortGroup]]:
        for group in self.network.world.groups:
            yield group, group.port_groups["compute"]


def about_nics(node: Node, nics: int) -> list[Finding]:
    """Findings about the number and the sockets of a node's NICs; no figure is looked at."""
    fitted = FittedNics(part=node.slots["compute"].nic or "connectx-6-hdr", count=nics)
    group = Group(part=node.id, count=2, nics={"compute": fitted})
    plan = plan_design(Design(groups={"node": group}), CATALOG)
    subject = Fitted(PlannedDesign(plan, CATALOG), cast(Analysis, None), Policy())
    return [*uneven(subject), *far_socket(subject)]


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.id)
def test_a_number_of_nics_that_is_proposed_has_neither_fault(node: Node) -> None:
    for nics in range(1, node.slots["compute"].count + 1):
        for finding in about_nics(node, nics):
            proposed = re.match(r"fit (\d+)", finding.fix or "")
            if proposed:
                assert about_nics(node, int(proposed[1])) == [], (nics, finding)
            else:
                assert "take a node" in str(finding.fix)


IDLE = """\
groups:
  node: {part: hgx-a100-8, count: 4, nics: {compute: {part: %s, count: %d}}}
  leaf: {part: sn4600c}
links:
  - {between: [node.compute, leaf], cables: %d, length: 3}
"""


@pytest.mark.parametrize(
    ("nic", "nics", "cables", "fix"),
    [
        ("connectx-4-100gbe-2p", 1, 1, "cable it, or fit a single-port NIC"),
        ("connectx-6-dx-100gbe-2p", 2, 2, "cable them, or fit 1 NIC"),
        ("connectx-6-dx-100gbe-2p", 4, 5, "cable them, or fit 3 NICs"),
        ("connectx-6-dx-100gbe-2p", 2, 3, "cable it"),
        ("connectx-6-dx-100gbe", 4, 2, "cable them, or fit 2 NICs"),
        ("connectx-6-dx-100gbe", 2, 1, "cable it, or fit 1 NIC"),
    ],
)
def test_idle_ports_are_cabled_or_not_bought(nic: str, nics: int, cables: int, fix: str) -> None:
    """Never as many NICs as there are: 3 cables need both cards of two ports."""
    found = [one for one in reviewed(IDLE % (nic, nics, cables)) if one.code == "nics-idle"]
    assert [one.fix for one in found] == [fix]


def test_nics_of_the_board_can_only_be_cabled() -> None:
    wrong = next(one.wrong for one in MISTAKES if one.name == "NICs without cables")
    assert [one.fix for one in reviewed(wrong) if one.code == "nics-idle"] == ["cable them"]
