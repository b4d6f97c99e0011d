"""Ports are dealt, speeds settled and parts looked up as one would cable the cluster by hand."""

from __future__ import annotations

import pytest

from tests.small_designs import gpu, nic, node, switch
from toposmith.catalog import Catalog, PortMode, load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding

CATALOG = load_catalog()


def planned(text: str, catalog: Catalog = CATALOG) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), catalog)


def one_link(nic: str, switch: str, *, count: int = 8, leaves: int = 1, link: str = "") -> Plan:
    """Two HGX H100 nodes with these NICs, on so many leaves."""
    return planned(
        "groups:\n  node: {part: hgx-h100-8, count: 2,"
        f" nics: {{compute: {{part: {nic}, count: {count}}}}}}}\n"
        f"  leaf: {{part: {switch}, count: {leaves}}}\n"
        f"links: [{{between: [node, leaf]{link}}}]\n"
    )


def only_link(plan: Plan) -> LinkPlan:
    assert not [f for f in plan.findings if f.severity == "error"]
    (link,) = plan.links
    return link


def only_error(plan: Plan) -> Finding:
    (error,) = [f for f in plan.findings if f.severity == "error"]
    assert plan.links == ()
    return error


# --- dealing ports ---


def test_eight_ports_over_eight_leaves_make_eight_rails() -> None:
    plan = planned(
        "axes: {su: 4, rail: 8}\n"
        "groups:\n  node: {part: dgx-h100, per: [su], count: 32}\n"
        "  leaf: {part: qm9700, per: [su, rail]}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    link = only_link(plan)
    assert (link.shared, link.a_only, link.b_only) == (("su",), ("node",), ("rail", "leaf"))
    assert (link.peers_of_a, link.peers_of_b, link.cables_per_pair) == (8, 32, 1)
    assert (link.cables_at("node"), link.cables_at("leaf")) == (8, 32)
    peers = [port_peer(plan, link, link.a, port) for port in range(9)]
    assert peers == [*({"rail": rail, "leaf": 0} for rail in range(8)), None]


def test_eight_ports_over_one_leaf_are_top_of_rack() -> None:
    link = only_link(one_link("connectx-7-ndr", "qm9700"))
    assert (link.peers_of_a, link.cables_per_pair, link.cables_at("leaf")) == (1, 8, 16)


def test_eight_ports_over_two_planes_go_to_them_in_turn() -> None:
    plan = planned(
        "axes: {plane: 2}\n"
        "groups:\n  node: {part: dgx-h100, count: 4}\n  leaf: {part: qm9700, per: [plane]}\n"
        "links: [{between: [leaf, node.compute]}]\n"
    )
    link = only_link(plan)
    assert (link.peers_of_b, link.cables_per_pair) == (2, 4)
    dealt = [port_peer(plan, link, link.b, port) for port in range(8)]
    assert [peer and peer["plane"] for peer in dealt] == [0, 1, 0, 1, 0, 1, 0, 1]


def test_dual_port_nics_deal_each_of_their_ports() -> None:
    plan = one_link("connectx-7-ndr200-2p", "sn5600", count=4, leaves=2)
    link = only_link(plan)
    assert plan.groups["node"].port_groups["compute"].ports == 8
    assert (link.peers_of_a, link.cables_per_pair) == (2, 4)


def test_a_second_link_goes_on_where_the_first_stopped() -> None:
    plan = planned(
        "groups:\n  node: {part: dgx-h100, count: 4}\n"
        "  a: {part: qm9700, count: 2}\n  b: {part: qm9700, count: 4}\n"
        "links: [{between: [node.compute, a], cables: 2}, {between: [node.compute, b], cables: 1}]"
        "\n"
    )
    first, second = plan.links
    assert (first.a.first_port, second.a.first_port) == (0, 4)
    assert port_peer(plan, second, second.a, 3) is None
    assert port_peer(plan, second, second.a, 4) == {"b": 0}
    assert port_peer(plan, second, second.a, 7) == {"b": 3}


def test_two_switches_get_one_cable_if_nothing_is_said() -> None:
    plan = planned(
        "groups: {leaf: {part: qm9700, count: 8}, spine: {part: qm9700, count: 4}}\n"
        "links: [{between: [leaf, spine]}]\n"
    )
    link = only_link(plan)
    assert (link.cables_per_pair, link.cables_at("leaf"), link.cables_at("spine")) == (1, 4, 8)


@pytest.mark.parametrize(
    ("count", "leaves", "words"),
    [
        (8, 3, "1 or 2 or 4 or 8 peers work, or set `cables: 2`"),
        (6, 4, "1 or 2 or 3 or 6 peers work, or set `cables: 1`"),
        (7, 2, "1 or 7 peers work, or set `cables: 3`"),
    ],
)
def test_an_uneven_deal_names_the_counts_that_work(count: int, leaves: int, words: str) -> None:
    error = only_error(one_link("connectx-7-ndr", "qm9700", count=count, leaves=leaves))
    assert error.code == "uneven-ports"
    assert error.where == "links[0] node - leaf"
    assert error.text == (
        f"{count} ports of node.compute cannot be dealt evenly over {leaves} peers; {words}"
    )


def test_cables_that_are_written_need_not_be_even() -> None:
    plan = one_link("connectx-7-ndr", "qm9700", count=8, leaves=3, link=", cables: 2")
    assert only_link(plan).cables_at("node") == 6


def test_fewer_ports_than_peers_cannot_reach_them_all() -> None:
    error = only_error(one_link("connectx-7-ndr", "qm9700", count=4, leaves=8))
    assert error.code == "too-few-ports"
    assert error.text == (
        "node.compute has 4 ports for 8 peers; fit more NICs or let it reach at most 4"
    )


# --- speeds and protocols ---


@pytest.mark.parametrize(
    ("nic", "switch", "speed", "breakout"),
    [
        ("connectx-6-hdr", "qm8700", 200, 1),  # HDR is 200 Gb/s on a whole QSFP56 cage
        ("connectx-6-hdr100", "qm8700", 100, 2),  # HDR100 takes half of its lanes
        ("connectx-7-ndr", "qm9700", 400, 2),  # NDR: 64 ports on 32 twin-port cages
        ("connectx-7-ndr200", "qm9700", 200, 4),
        ("connectx-6-dx-100gbe", "sn2700", 100, 1),
        ("connectx-6-dx-100gbe", "sn3700", 100, 2),  # 2 x 100 of a 200 cage
        ("connectx-6-dx-100gbe", "sn4700", 100, 4),
        ("connectx-6-200gbe", "sn5600", 200, 2),  # 4 lanes of 50: half of an 8-lane cage
        ("connectx-7-ndr", "sn5600", 400, 2),
    ],
)
def test_a_nic_meets_the_breakout_of_its_speed(
    nic: str, switch: str, speed: int, breakout: int
) -> None:
    plan = one_link(nic, switch)
    link = only_link(plan)
    assert plan.findings == ()
    assert link.speed_gbit == speed
    assert link.line_GBps == speed / 8
    assert link.b.breakout == breakout


@pytest.mark.parametrize(
    ("nic", "switch", "speed", "words"),
    [
        (
            "connectx-7-ndr",
            "qm8700",
            200,
            "ConnectX-7 NDR/400GbE runs at 200 of its 400 Gb/s on this switch",
        ),
        (
            "connectx-6-hdr",
            "sb7800",
            100,
            "ConnectX-6 VPI HDR/200GbE runs at 100 of its 200 Gb/s on this switch",
        ),
    ],
)
def test_a_nic_on_a_slower_switch_runs_slower_and_says_so(
    nic: str, switch: str, speed: int, words: str
) -> None:
    plan = one_link(nic, switch)
    assert only_link(plan).speed_gbit == speed
    (warning,) = plan.findings
    assert (warning.code, warning.severity, warning.text) == ("nic-slowed", "warning", words)


def test_a_400g_nic_does_not_run_on_a_100gbe_switch() -> None:
    error = only_error(one_link("connectx-7-ndr", "sn2700"))
    assert error.code == "speed-mismatch"
    assert error.text == (
        "node.compute (ConnectX-7 NDR/400GbE, 400 Gb/s) and leaf (Spectrum SN2700, 100/50 Gb/s) "
        "have no speed in common in this catalog; take a NIC or a switch of the other's speed"
    )


def test_ethernet_does_not_meet_infiniband() -> None:
    error = only_error(one_link("connectx-6-dx-100gbe", "qm8700"))
    assert error.code == "protocol-mismatch"
    assert error.text == (
        "node.compute (ConnectX-6 Dx 100GbE, 100 Gb/s) cannot be joined to leaf (QM8700 HDR "
        "switch, managed, 200/100 Gb/s): one speaks ethernet, the other infiniband"
    )


def test_a_nic_of_both_protocols_speaks_that_of_its_switch() -> None:
    assert only_link(one_link("connectx-6-hdr", "qm8700")).protocol == "infiniband"
    assert only_link(one_link("connectx-6-hdr", "sn3700")).protocol == "ethernet"


def test_a_written_speed_holds_where_both_ends_run_it() -> None:
    link = only_link(one_link("connectx-7-ndr", "qm9700", link=", speed: 200"))
    assert (link.speed_gbit, link.b.breakout) == (200, 4)


def test_a_written_speed_that_one_end_lacks_is_refused_with_those_that_work() -> None:
    error = only_error(one_link("connectx-7-ndr", "qm9700", link=", speed: 100"))
    assert error.code == "speed-mismatch"
    assert error.text.startswith("100 Gb/s does not run between node.compute (")
    assert error.text.endswith("common speeds: 400 or 200")


@pytest.mark.parametrize(
    ("a", "b", "speed", "breakouts"),
    [
        ("qm9700", "qm9700", 400, (2, 2)),
        ("qm8700", "qm9700", 200, (1, 4)),
        ("sb7800", "qm8700", 100, (1, 2)),
        ("sn3700", "sn5600", 200, (1, 4)),
        ("sn4700", "sn5600", 400, (1, 2)),
        ("sn2700", "sn4700", 100, (1, 4)),
    ],
)
def test_two_switches_run_their_highest_common_speed(
    a: str, b: str, speed: int, breakouts: tuple[int, int]
) -> None:
    plan = planned(
        f"groups: {{a: {{part: {a}}}, b: {{part: {b}}}}}\nlinks: [{{between: [a, b]}}]\n"
    )
    link = only_link(plan)
    assert link.speed_gbit == speed
    assert (link.a.breakout, link.b.breakout) == breakouts


def test_switches_without_a_common_speed_cannot_be_joined() -> None:
    plan = planned("groups: {a: {part: sb7800}, b: {part: qm9700}}\nlinks: [{between: [a, b]}]\n")
    error = only_error(plan)
    assert error.code == "speed-mismatch"
    assert (
        "a (SB7800 EDR switch, 100 Gb/s) and b (QM9700 NDR switch, managed, 400/200" in error.text
    )


def test_a_one_lane_nic_cannot_be_halved() -> None:
    lane = nic().model_copy(update={"id": "lane", "lanes": 1})
    half = switch().model_copy(
        update={
            "cages": switch().cages.model_copy(
                update={"modes": (PortMode(ports=1, speed_gbit=50),)}
            )
        }
    )
    text = (
        "groups: {node: {part: node, nics: {compute: {part: NIC, count: 1}}}, "
        "leaf: {part: switch}}\nlinks: [{between: [node, leaf]}]\n"
    )
    parts = Catalog([gpu(), node(4, 4), nic(), lane, half])
    assert only_link(planned(text.replace("NIC", "nic-1x100"), parts)).speed_gbit == 50
    assert only_error(planned(text.replace("NIC", "lane"), parts)).code == "speed-mismatch"


# --- parts and slots ---


def test_an_unknown_part_is_answered_with_the_nearest() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h10}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    part, link = plan.findings
    assert (part.code, part.where) == ("unknown-part", "node")
    assert part.text.startswith("the catalog has no part 'dgx-h10'; did you mean dgx-h100 or ")
    assert (link.code, link.where) == ("unknown-part", "links[0] node.compute - leaf")
    assert plan.groups["node"].part is None
    assert plan.groups["leaf"].switch is not None


def test_an_unknown_nic_is_answered_with_the_nearest() -> None:
    plan = one_link("connectx-7-nrd", "qm9700")
    assert plan.findings[0].where == "node.compute"
    assert plan.findings[0].text.startswith(
        "'connectx-7-nrd' is not in the catalog; did you mean connectx-7-ndr or "
    )


def test_a_switch_is_no_nic_and_a_nic_no_group() -> None:
    assert one_link("qm9700", "qm9700").findings[0].text.startswith("'qm9700' is not a NIC")
    plan = planned("groups: {leaf: {part: connectx-7-ndr}}\n")
    assert [f.code for f in plan.findings] == ["not-a-device"]
    assert plan.findings[0].text == (
        "ConnectX-7 NDR/400GbE is a nic; a group is of nodes, switches or storage"
    )


def test_slots_that_a_node_lacks_are_answered_with_those_it_has() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, nics: {compuet: {part: connectx-7-ndr, count: 8}}}, "
        "leaf: {part: qm9700}}\nlinks: [{between: [node.stroage, leaf]}]\n"
    )
    assert [(f.code, f.where) for f in plan.findings] == [
        ("unknown-slots", "node"),
        ("unknown-slots", "links[0] node.stroage - leaf"),
    ]
    assert plan.findings[0].text == "DGX H100 has no 'compuet' slots (it has: compute, storage)"
    assert plan.findings[1].text == (
        "node has no slots 'stroage' (it has: node.compute, node.storage)"
    )


def test_a_switch_has_no_slots() -> None:
    plan = planned(
        "groups: {a: {part: qm9700}, b: {part: qm9700}}\nlinks: [{between: [a.compute, b]}]\n"
    )
    assert only_error(plan).text == "a is a switch; write 'a', not 'a.compute'"


def test_nine_nics_do_not_fit_into_eight_slots() -> None:
    plan = one_link("connectx-7-ndr", "qm9700", count=9)
    (error,) = plan.findings
    assert (error.code, error.where) == ("slots-overfilled", "node.compute")
    assert error.text == "9 NICs for 8 slots; fit at most 8"
    assert plan.groups["node"].port_groups["compute"].ports == 8


def test_a_node_comes_with_the_nics_of_its_maker() -> None:
    ports = planned("groups: {node: {part: dgx-h100}}\n").groups["node"].port_groups
    assert {name: (group.nics, group.ports) for name, group in ports.items()} == {
        "compute": (8, 8),
        "storage": (2, 4),  # two dual-port ConnectX-7
    }


def test_slots_can_be_emptied() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, nics: {compute: {part: connectx-7-ndr, count: 0}}}, "
        "leaf: {part: qm9700}}\nlinks: [{between: [node.compute, leaf]}]\n"
    )
    error = only_error(plan)
    assert (error.code, error.text) == (
        "no-nic",
        "node.compute has no NIC fitted; fit one first",
    )


def test_a_node_without_a_nic_cannot_be_wired() -> None:
    plan = planned(
        "groups: {node: {part: hgx-h100-8}, leaf: {part: qm9700}}\n"
        "links: [{between: [node, leaf]}]\n"
    )
    error = only_error(plan)
    assert (error.code, error.text) == (
        "no-nic",
        "node has no NIC fitted; fit one into its slots first",
    )


def test_of_several_fitted_slot_groups_one_has_to_be_named() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100}, leaf: {part: qm9700}}\nlinks: [{between: [node, leaf]}]\n"
    )
    error = only_error(plan)
    assert (error.code, error.text) == (
        "which-slots",
        "say which ports of node: node.compute or node.storage",
    )


def test_the_only_fitted_slot_group_need_not_be_named() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, nics: {storage: {part: connectx-7-ndr, count: 0}}}, "
        "leaf: {part: qm9700}}\nlinks: [{between: [node, leaf]}]\n"
    )
    assert only_link(plan).label == "node.compute - leaf"


# --- nodes without a switch between ---


def test_two_nodes_can_be_cabled_back_to_back() -> None:
    plan = planned(
        "axes: {pair: 3}\n"
        "groups:\n  a: {part: dgx-h100, per: [pair]}\n  b: {part: dgx-h100, per: [pair]}\n"
        "links: [{between: [a.compute, b.compute]}]\n"
    )
    link = only_link(plan)
    assert (link.peers_of_a, link.peers_of_b, link.cables_per_pair) == (1, 1, 8)
    assert (link.speed_gbit, link.protocol) == (400, "infiniband")


def test_more_than_two_nodes_need_a_switch_between() -> None:
    plan = planned(
        "groups: {a: {part: dgx-h100, count: 2}, b: {part: dgx-h100}}\n"
        "links: [{between: [a.compute, b.compute]}]\n"
    )
    error = only_error(plan)
    assert (error.code, error.text) == (
        "nodes-meshed",
        "nodes are cabled to each other only in pairs; put a switch between",
    )


# --- selectors ---


def test_a_selector_that_means_nothing_is_a_finding_and_the_others_hold() -> None:
    plan = planned(
        'groups: {node: {part: dgx-h100, count: 4}}\nabsent: ["node[node=4]", "node[node=3]"]\n'
        'down: ["leaf[leaf=0]"]\n'
    )
    assert [(f.code, f.where) for f in plan.findings] == [
        ("bad-selector", "absent[0]"),
        ("bad-selector", "down[0]"),
    ]
    assert plan.findings[0].text == "'node[node=4]': node runs from 0 to 3, found 'node=4'"
    assert [selector.text for selector in plan.absent] == ["node[node=3]"]


TWO_LEAVES = """\
groups:
  leaf: {part: qm9700, count: 2}
  spine: {part: qm9700, count: 2}
links: [{between: [leaf, spine], cables: 3}]
"""
TORUS_AND_ONE = """\
axes: {x: 4}
groups: {sw: {part: qm9700, per: [x]}}
links: [{between: [sw, sw], along: {x: next}, cables: 2}]
"""
DRAGONFLY = """\
axes: {group: 5, router: 2}
groups: {sw: {part: qm9700, per: [group, router]}}
links: [{between: [sw, sw], along: {group: other, router: dealt}, cables: 2}]
"""
LISTED = """\
cables: [{a: "leaf[leaf=0]", z: "spine[spine=0]"}]
"""


@pytest.mark.parametrize(
    ("design", "key", "where", "says"),
    [
        (TWO_LEAVES, "down: ['3 of leaf - spine']", None, ""),
        (TWO_LEAVES, "down: ['999 of leaf - spine']", "down[0]", "at most 3 cables between two"),
        (TWO_LEAVES, "absent: ['4 of spine[spine=1] - leaf']", "absent[0]", "at most 3 cables"),
        (
            TWO_LEAVES,
            "absent: ['2 of leaf - spine']\ndown: ['leaf[leaf=9]', '2 of spine - leaf']",
            "down[1]",
            "at most 3 cables between two of these, 2 of which entries before it take",
        ),
        (TWO_LEAVES, "slow: {'4 of leaf - spine': 50 %}", "slow[0]", "at most 3 cables"),
        (TWO_LEAVES, "sets: {one: ['2 of leaf - spine'], two: ['2 of leaf - spine']}", None, ""),
        (TWO_LEAVES, "sets: {one: ['4 of leaf - spine']}", "sets.one[0]", "at most 3 cables"),
        (TORUS_AND_ONE, "down: ['2 of sw[x=0] - sw[x=1]']", None, ""),
        (TORUS_AND_ONE, "down: ['3 of sw[x=0] - sw[x=1]']", "down[0]", "at most 2 cables"),
        (DRAGONFLY, "down: ['1 of sw - sw']", None, ""),
        (DRAGONFLY, "down: ['2 of sw - sw']", "down[0]", "at most 1 cable between"),
        (TWO_LEAVES + LISTED, "down: ['4 of leaf - spine']", None, ""),
        (TWO_LEAVES + LISTED, "down: ['5 of leaf - spine']", "down[0]", "at most 4 cables"),
    ],
)
def test_a_selector_of_more_cables_than_join_two_devices_says_how_many_do(
    design: str, key: str, where: str | None, says: str
) -> None:
    text = f"toposmith: 2\n{design}{key}\n"
    plan = plan_design(parse_design(text, "test"), CATALOG)
    found = [one for one in plan.findings if one.code == "too-many-cables"]
    assert [one.where for one in found] == [where] * bool(where)
    assert all(one.severity == "warning" and says in one.text for one in found)


def test_one_bad_link_leaves_the_others_standing() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: sn2700}, spine: {part: sn5600},"
        " other: {part: sn4700}}\n"
        "links: [{between: [node.compute, leaf]}, {between: [spine, other]}]\n"
    )
    assert [f.where for f in plan.findings] == ["links[0] node.compute - leaf"]
    assert [(link.index, link.label) for link in plan.links] == [(1, "spine - other")]


def test_an_hdr_nic_takes_half_of_an_ndr_cage_so_a_qm9700_has_64_of_them() -> None:
    # HDR is 4 lanes of 50 Gb/s, an OSFP cage has 8 lanes: 2 ports a cage, 64 on 32 cages
    link = only_link(one_link("connectx-6-hdr", "qm9700"))
    assert (link.speed_gbit, link.b.breakout) == (200, 2)


@pytest.mark.parametrize("along", [{}, {"y": "next"}])
def test_a_group_is_joined_to_itself_only_along_an_axis_that_it_has(along: dict[str, str]) -> None:
    design = Design.model_validate(
        {
            "axes": {"x": 4, "y": 2},
            "groups": {"switch": {"part": "qm9700", "per": ["x"]}},
            "links": [{"between": ["switch", "switch"], "along": along}],
        }
    )
    (found,) = plan_design(design, load_catalog()).findings
    assert (found.code, found.severity) == ("relation-without-axis", "error")
