"""Ports and cages are counted as one would plug them in."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import PortUse, port_findings, port_use

CATALOG = load_catalog()


def planned(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)


def on_one_switch(switch: str, **nics: int) -> Plan:
    """One switch with this many single-NIC nodes for every kind of NIC."""
    groups, links = "", ""
    for number, (nic, nodes) in enumerate(nics.items()):
        part = nic.replace("_", "-")
        groups += (
            f"  n{number}: {{part: hgx-h100-8, count: {nodes},"
            f" nics: {{compute: {{part: {part}, count: 1}}}}}}\n"
        )
        links += f"  - {{between: [n{number}, leaf]}}\n"
    return planned(f"groups:\n{groups}  leaf: {{part: {switch}}}\nlinks:\n{links}")


def leaf(plan: Plan) -> PortUse:
    return port_use(plan)["leaf", ""]


@pytest.mark.parametrize(
    ("nodes", "cages", "free"),
    [(1, 1, 63), (2, 1, 62), (3, 2, 61), (63, 32, 1), (64, 32, 0)],
)
def test_a_qm9700_has_64_ndr_ports_on_32_cages(nodes: int, cages: int, free: int) -> None:
    use = leaf(on_one_switch("qm9700", connectx_7_ndr=nodes))
    assert (use.used, use.cages_used, use.cages, use.free) == (nodes, cages, 32, free)
    assert use.by_speed == {400: nodes}


@pytest.mark.parametrize(
    # four NDR200 ports take one cage; what is left are whole cages of 2 x 400 and the rest of one
    ("nodes", "cages", "free"),
    [(1, 1, 31 * 2 + 3), (3, 1, 31 * 2 + 1), (4, 1, 31 * 2), (5, 2, 30 * 2 + 3), (128, 32, 0)],
)
def test_a_qm9700_cage_splits_into_four_ndr200_ports(nodes: int, cages: int, free: int) -> None:
    use = leaf(on_one_switch("qm9700", connectx_7_ndr200=nodes))
    assert (use.used, use.cages_used, use.free) == (nodes, cages, free)
    assert use.by_speed == {200: nodes}


def test_a_qm8700_splits_into_80_hdr100_ports() -> None:
    use = leaf(on_one_switch("qm8700", connectx_6_hdr100=80))
    assert (use.used, use.cages_used, use.free) == (80, 40, 0)
    assert not port_findings(on_one_switch("qm8700", connectx_6_hdr100=80))
    assert port_findings(on_one_switch("qm8700", connectx_6_hdr100=81))


def test_ports_of_two_speeds_do_not_share_a_cage() -> None:
    use = leaf(on_one_switch("qm9700", connectx_7_ndr=1, connectx_7_ndr200=1))
    assert (use.used, use.cages_used) == (2, 2)
    assert use.free == 30 * 2 + 1 + 3
    assert use.by_speed == {400: 1, 200: 1}
    full = on_one_switch("qm9700", connectx_7_ndr=63, connectx_7_ndr200=1)
    assert leaf(full).cages_used == 33
    assert [finding.code for finding in port_findings(full)] == ["ports-overused"]


def test_ports_of_one_speed_share_cages_whatever_link_they_belong_to() -> None:
    use = leaf(on_one_switch("qm9700", connectx_7_ndr=1, connectx_7_400_qsfp112=1))
    assert (use.used, use.cages_used, use.free) == (2, 1, 62)


def test_an_over_used_switch_says_what_it_has_and_who_asks() -> None:
    plan = planned(
        "groups:\n  node: {part: dgx-h100, count: 7}\n  leaf: {part: qm9700}\n"
        "  spine: {part: qm9700, count: 2}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 5}]\n"
    )
    (finding,) = port_findings(plan)
    assert (finding.code, finding.severity, finding.where) == ("ports-overused", "error", "leaf")
    # 7 x 8 + 2 x 5 = 66 ports are 33 cages
    assert finding.text == (
        "each QM9700 NDR switch, managed has 32 cages (64 ports of 400 Gb/s), links ask for "
        "33 cages for their connections (node.compute - leaf 56, leaf - spine 10); "
        "give the links fewer cables, or take more switches or larger ones"
    )
    assert leaf(plan).free < 0


def test_an_over_used_node_says_what_it_has_and_who_asks() -> None:
    plan = planned(
        "groups:\n  node: {part: dgx-h100, count: 4}\n  a: {part: qm9700}\n  b: {part: qm9700}\n"
        "links: [{between: [node.compute, a]}, {between: [node.compute, b], cables: 1}]\n"
    )
    (finding,) = port_findings(plan)
    assert finding.where == "node.compute"
    assert finding.text == (
        "8 ports, links ask for 9 (node.compute - a 8, node.compute - b 1); "
        "give the links fewer cables, or fit more NICs"
    )
    assert port_use(plan)["node", "compute"].free == -1


def test_a_node_s_ports_are_counted_by_slot_group() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf], cables: 6}]\n"
    )
    use = port_use(plan)
    assert (use["node", "compute"].used, use["node", "compute"].free) == (6, 2)
    assert (use["node", "storage"].used, use["node", "storage"].free) == (0, 4)
    assert (use["leaf", ""].used, use["leaf", ""].free) == (24, 40)


def test_a_superpod_leaf_is_full_and_its_spine_too() -> None:
    # DGX H100 SuperPOD, 4 SU: 32 ports down and 32 up; 32 leaves x 2 cables on each spine
    plan = planned(
        "axes: {su: 4, rail: 8}\n"
        "groups:\n  node: {part: dgx-h100, per: [su], count: 32}\n"
        "  leaf: {part: qm9700, per: [su, rail]}\n  spine: {part: qm9700, count: 16}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 2}]\n"
    )
    assert leaf(plan).free == 0
    assert port_use(plan)["spine", ""].free == 0
    assert port_findings(plan) == ()


def test_an_unwired_switch_has_all_ports_free() -> None:
    use = leaf(planned("groups: {leaf: {part: sn5600}}\n"))
    assert (use.used, use.free, use.cages) == (0, 64, 64)
    assert use.by_speed == {}
