"""Random small fabrics with faults: each is judged in full, and counts are those of its devices."""

from __future__ import annotations

from hypothesis import assume, given, settings

from tests.small_designs import CATALOG, designs
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.codes import RECORDS
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings.collecting import review_findings


@settings(max_examples=20)
@given(designs())
def test_every_finding_has_a_registered_code_and_a_way_out(plan: Plan) -> None:
    for finding in review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG)):
        assert finding.code in RECORDS
        assert finding.fix
        assert finding.text


@settings(max_examples=20)
@given(designs(faults=False))
def test_nodes_on_one_leaf_are_those_whose_every_port_is_dealt_to_it(plan: Plan) -> None:
    assume(not port_findings(plan))  # links then ask for ports that are not there
    found = review_findings(PlannedDesign(plan, CATALOG), analyse(plan, CATALOG))
    claimed = {f.where for f in found if f.code == "single-leaf"}
    network = ComputeNetwork(plan)
    expected = set()
    for group in network.world.groups:
        ports = network.ports(group)
        if ports is None or network.world.nodes < 2:
            continue
        met = set()
        for link in plan.links_of(group.name):
            end = link.end_of(group.name)
            other = link.b if end is link.a else link.a
            for port in range(ports.ports):
                peer = port_peer(plan, link, end, port)
                if end.ports == ports.name and peer is not None:
                    met.add((other.group, *peer.items()))
        if len(met) == 1:
            expected.add(f"{group.name}.{ports.name}")
    assert claimed == expected
