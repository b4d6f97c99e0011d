"""Storage, in-band and out-of-band networks beside the compute network of a template."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.expansion import expand
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.as_built.planned import planned_cabling
from toposmith.bill.bill import Bill, make_bill
from toposmith.catalog import Node, load_catalog
from toposmith.design.document import Design, Group
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.racks.placement import place
from toposmith.review.failures.networks_beside import losses_beside, other_networks
from toposmith.templates import TEMPLATES, SettingValue, new_design
from toposmith.templates.storage_and_management import with_networks

CATALOG = load_catalog()
ALL: dict[str, SettingValue] = {"storage": 4, "in_band": "sn4700", "out_of_band": "sn2201"}
WITH_NODES = [name for name, template in TEMPLATES.items() if template.asks]
# Small enough to draw device by device, large enough for leaves of several SUs or racks.
SMALL: dict[str, dict[str, SettingValue]] = {
    "single-switch": {"nodes": 4},
    "leaf-spine": {"su": 2, "nodes": 16},
    "three-tier": {"su": 4, "su_per_pod": 2, "nodes": 8},
    "rail-only": {"su": 2, "nodes": 16},
    "dual-plane": {"su": 2, "nodes": 16},
    "top-of-rack": {"racks": 4},
    "nvlink-racks": {"racks": 2},
    "torus": {"x": 3, "y": 2},
    "dragonfly": {"groups": 3, "routers": 4},
}


def make(template: str, **values: SettingValue) -> Design:
    return new_design(template, values, catalog=CATALOG)


def bill_of(design: Design) -> Bill:
    return make_bill(plan_design(design, CATALOG), CATALOG)


def cables(design: Design) -> dict[tuple[str, str], int]:
    """Cables of every link, by its two ends as written; NVLinks are none."""
    counted = cable_counts(plan_design(design, CATALOG))
    links = enumerate(design.links)
    return {link.between: counted[number] for number, link in links if number in counted}


def at_nodes(design: Design) -> tuple[int, int, int]:
    """Cables from nodes to storage leaves, to in-band leaves and to management switches."""
    by_leaf = {
        b: many
        for (a, b), many in cables(design).items()
        if a in ("node.storage", "node.management")
    }
    return by_leaf["store-leaf"], by_leaf["in-band"], by_leaf["out-of-band"]


@pytest.mark.parametrize(("node", "in_band"), [("dgx-h100", "sn4700"), ("dgx-b200", "sn5600")])
@pytest.mark.parametrize(("su", "nodes"), [(1, 31), (2, 63), (3, 95), (4, 127)])
def test_superpods_have_two_storage_two_in_band_and_one_bmc_cable_a_node(
    node: str, in_band: str, su: int, nodes: int
) -> None:
    # NVIDIA DGX SuperPOD reference architectures, H100 (RA-11333-001) and B200, network fabrics:
    # nodes of table 4; a pair of in-band and a pair of storage ports each; the OOB port is the
    # BMC's, and the LAN port beside it is not used.
    design = make("leaf-spine", su=su, node=node, empty_slots=1, **{**ALL, "in_band": in_band})
    assert at_nodes(design) == (2 * nodes, 2 * nodes, nodes)
    bill = bill_of(design)
    assert bill.listed
    assert not bill.scope.uncabled
    # NVIDIA's list for 4 SU has 304 in-band and 333 out-of-band cables: those of servers, PDUs and
    # uplinks besides, which are not drawn
    assert at_nodes(design)[1] <= 304
    assert at_nodes(design)[2] <= 333


@pytest.mark.parametrize("template", WITH_NODES)
def test_networks_beside_leave_the_compute_network_as_it_is(template: str) -> None:
    alone = make(template, **SMALL[template])
    whole = make(template, **SMALL[template], **ALL)
    assert list(whole.groups)[: len(alone.groups)] == list(alone.groups)
    assert all(whole.groups[name] == group for name, group in alone.groups.items())
    assert whole.links[: len(alone.links)] == alone.links
    assert (whole.axes, whole.absent) == (alone.axes, alone.absent)
    before, after = (analyse(plan_design(design, CATALOG), CATALOG) for design in (alone, whole))
    for figure in ("busbw_GBps", "time_us", "algorithm", "bound_busbw_GBps", "bound_label"):
        assert getattr(after, figure) == getattr(before, figure)
    assert [one for one in after.limits if one.load_GBps] == [
        one for one in before.limits if one.load_GBps
    ]


@pytest.mark.parametrize("template", WITH_NODES)
def test_every_device_has_its_ports_cabled_once(template: str) -> None:
    design = make(template, **SMALL[template], **ALL)
    plan = plan_design(design, CATALOG)
    assert not [one for one in (*plan.findings, *port_findings(plan)) if one.severity == "error"]
    devices = device_counts(plan)
    managed = Counter(
        {a.partition(".")[0]: many for (a, b), many in cables(design).items() if ".management" in a}
    )
    # a rack of NVLink switches brings switches of its own for its trays and theirs
    without = {name for link in plan.nvlinks for name in (link.switches, link.nodes)}
    expected = {
        name: many
        for name, many in devices.items()
        if "out-of-band" not in name and name not in without
    }
    assert managed == expected
    bill = bill_of(design)
    pairs = sum(line.quantity for line in bill.lines if line.part == "cat6-rj45")
    assert pairs == sum(expected.values())


def test_the_schedule_names_the_sockets_of_management_cables() -> None:
    plan = plan_design(make("single-switch", nodes=2, **ALL), CATALOG)
    rows = [row for row in Schedule(plan, CATALOG, place(plan, CATALOG)) if row.part == "cat6-rj45"]
    assert {(row.a.port, row.z.port) for row in rows} >= {("BMC", "swp1"), ("MGMT", "swp3")}
    assert {row.medium for row in rows} == {"twisted pair"}
    assert len({row.z.port for row in rows}) == len(rows)


@pytest.mark.parametrize("node", ["dgx-h100", "dgx-h200", "dgx-b200"])
def test_storage_takes_the_first_and_in_band_the_second_port_of_both_cards(node: str) -> None:
    # NVIDIA DGX BasePOD deployment guide, Network Overview: in-band is the bond of port 2 of slot 1
    # and port 2 of slot 2, InfiniBand storage is on port 1 of both. DGX B200 User Guide: each of
    # the two cards has one InfiniBand port and one Ethernet port.
    design = make("single-switch", node=node, nodes=2, storage=2, in_band="sn5600")
    plan = plan_design(design, CATALOG)
    taken = {
        (row.a.node, row.a.port, row.z.node)
        for row in Schedule(plan, CATALOG, place(plan, CATALOG))
        if row.link.a.label == "node.storage"
    }
    for name in {one for one, _, _ in taken}:
        ports = {port: far for one, port, far in taken if one == name}
        leaves = {port: far.rpartition("-")[0] for port, far in ports.items()}
        assert {port: far for port, far in leaves.items() if port.endswith("P1")} == {
            "storage0 P1": "store-leaf",
            "storage1 P1": "store-leaf",
        }
        assert {port: far for port, far in leaves.items() if port.endswith("P2")} == {
            "storage0 P2": "in-band",
            "storage1 P2": "in-band",
        }
        assert len(set(ports.values())) == 4


def test_the_loss_of_one_card_leaves_a_node_storage_and_in_band() -> None:
    design = make("single-switch", node="dgx-h100", nodes=2, storage=2, in_band="sn4700")
    lost = design.model_copy(
        update={"down": ("node[node=0].storage[0]", "node[node=0].storage[2]")}
    )
    graph = expand(plan_design(lost, CATALOG))
    near = [
        {end[1] for end in graph[("nic", "node", "storage", (0,), card)]} - {"node"}
        for card in (0, 1)
    ]
    assert near == [set(), {"store-leaf", "in-band"}]


@pytest.mark.parametrize("node", ["dgx-h100", "dgx-b200"])
@pytest.mark.parametrize("su", [3, 4, 6])
def test_uplinks_of_storage_leaves_carry_what_is_below_and_no_more(node: str, su: int) -> None:
    """By hand: a leaf has one port of each of 32 nodes, or half of the 8 ports of 4 appliances.

    Where cages are left: 32 cages of two ports, 4 of them for splitters that end at a rack.
    """
    design = make("leaf-spine", su=su, node=node, storage=4)
    plan = plan_design(design, CATALOG)
    speeds = {link.label: link.speed_gbit for link in plan.links}
    below = {
        "store-leaf": 32 * speeds["node.storage - store-leaf"],
        "store-leaf-2": 16 * speeds["store.storage - store-leaf-2"],
    }
    spines = design.groups["store-spine"].count
    assert spines is not None and spines >= 2
    for link in plan.links:
        if link.b.group == "store-spine":
            up = spines * link.cables_per_pair * link.speed_gbit
            below_gbit = min(below[link.a.group], 2 * (32 - 4 - 16) * link.speed_gbit)
            assert below_gbit <= up < below_gbit + spines * link.speed_gbit


def test_open_storage_slots_ask_for_a_nic() -> None:
    xe9680: dict[str, SettingValue] = {
        "node": "xe9680-h100",
        "nic": "connectx-7-ndr",
        "nics": 8,
        "nodes": 8,
    }
    with pytest.raises(EditError, match=r"without NICs in its storage slots.*storage_nic=PART"):
        make("leaf-spine", su=1, storage=2, **xe9680)
    design = make("leaf-spine", su=1, storage=2, storage_nic="connectx-7-ndr200-2p", **xe9680)
    assert cables(design)["node.storage", "store-leaf"] == 16


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"node": "hgx-h100-8", "nic": "connectx-7-ndr", "nics": 8, "storage": 2},
            "no storage slots",
        ),
        ({"out_of_band": "qm9700"}, "no RJ45 ports"),
        ({"storage_nic": "connectx-6-hdr"}, "goes with storage or in_band"),
        ({"in_band": "sn2201"}, "in_band: "),
        ({"in_band": "qm97"}, "in_band: 'qm97' is not in the catalog"),
        ({"storage": -1}, "from 0 to 4,096"),
        ({"storage": 2, "storage_part": "qm9700"}, "is a switch, not a storage"),
        ({"node": "dgx-b200", "in_band": "sn4700"}, "none for uplinks; take a larger switch"),
    ],
)
def test_what_cannot_be_had_names_the_setting(values: dict[str, SettingValue], words: str) -> None:
    with pytest.raises(EditError) as refused:
        make("leaf-spine", su=2, **values)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "beside", [{"storage": 3}, {"in_band": "sn3700"}, {"out_of_band": "sn2201"}, {}]
)
def test_nodes_that_are_too_many_for_their_switch_are_no_fault_of_a_network_beside(
    beside: dict[str, SettingValue],
) -> None:
    with pytest.raises(EditError) as refused:
        make("single-switch", nodes=20, node="dgx-h100", **beside)
    assert str(refused.value).startswith("switch: each QM9700 NDR switch, managed has 32 cages")


def test_appliances_that_are_too_many_are_the_fault_of_storage() -> None:
    with pytest.raises(EditError, match=r"^storage: store-leaf: "):
        make("single-switch", nodes=2, node="dgx-h100", storage=300)


def test_a_device_of_unknown_management_ports_is_cabled_once_and_said_to_be_assumed() -> None:
    values: dict[str, SettingValue] = {"node": "hgx-h100-8", "nic": "connectx-7-ndr", "nics": 8}
    node = CATALOG["hgx-h100-8"]
    assert isinstance(node, Node) and node.management_ports is None
    bill = bill_of(make("single-switch", nodes=2, out_of_band="sn2201", **values))
    (assumed,) = (one for one in bill.to_settle if one.what == "management_ports")
    assert (assumed.label, assumed.parts) == ("assumed", ("hgx-h100-8",))


def test_many_appliances_get_leaves_of_their_own_and_no_more_than_half_of_their_ports() -> None:
    # 32 x 8 ports: four leaves of 64 ports take 64 each, eight take 32 and have 32 uplinks
    design = make("leaf-spine", su=4, storage=32)
    assert design.groups["store-leaf-2"].count == 8
    assert cables(design)["store.storage", "store-leaf-2"] == 256
    with pytest.raises(EditError, match="at most 32 of them"):
        make("leaf-spine", su=4, storage=33)


def test_devices_that_one_management_switch_does_not_hold_are_dealt_over_several() -> None:
    # 60 switches of one kind and 48 ports of a management switch: two of them, of 30 each
    alone = make("single-switch", nodes=4)
    groups = {**alone.groups, "other": Group(part="qm9700", count=60)}
    drawn = with_networks(
        alone.model_copy(update={"groups": groups}), {"out_of_band": "sn2201"}, CATALOG
    )
    assert drawn.groups["out-of-band-2"].count == 2
    dealt = Counter(cable.z for cable in drawn.cables)
    assert dealt == {f"out-of-band-2[out-of-band-2={one}]": 30 for one in (0, 1)}
    assert "other.management" not in {one.end for one in bill_of(drawn).scope.uncabled}


@pytest.mark.parametrize(("nodes", "switches"), [(48, 1), (49, 2), (72, 2)])
def test_an_su_of_more_nodes_than_ports_has_more_management_switches(
    nodes: int, switches: int
) -> None:
    values: dict[str, SettingValue] = {
        "su": 2,
        "node": "dgx-b300",
        "nodes": nodes,
        "leaf": "q3400-ra",
    }
    alone = make("leaf-spine", **values)
    whole = make("leaf-spine", **values, out_of_band="sn2201", out_of_band_core="sn4600c")
    assert whole.groups["out-of-band"].count == switches
    plan = plan_design(whole, CATALOG)
    assert not [one for one in (*plan.findings, *port_findings(plan)) if one.severity == "error"]
    by_switch: Counter[str] = Counter()
    for row in Schedule(plan, CATALOG, place(plan, CATALOG)):
        if row.z.port.startswith("swp") and row.a.port == "BMC":
            by_switch[row.z.node] += 1
    assert len(by_switch) == 2 * switches and sum(by_switch.values()) == 2 * nodes
    assert max(by_switch.values()) <= 48
    before, after = (analyse(plan_design(design, CATALOG), CATALOG) for design in (alone, whole))
    assert after.busbw_GBps == before.busbw_GBps
    bill = bill_of(whole)
    assert bill.listed and not any("management" in one.end for one in bill.scope.uncabled)


def test_management_switches_have_an_uplink_to_each_of_two_cores() -> None:
    # By hand: 4 switches of an SU (40 devices) and 1 of the spines, each with two uplinks
    design = make("leaf-spine", su=4, nodes=32, out_of_band="sn2201", out_of_band_core="sn4600c")
    plan = plan_design(design, CATALOG)
    rows = [
        (row.a.node, row.a.port, row.z.node, row.speed_gbit)
        for row in Schedule(plan, CATALOG, place(plan, CATALOG))
        if row.link.a.ports == "uplink"
    ]
    assert len(rows) == 10
    assert {port for _, port, _, _ in rows} == {"swp49", "swp50"}
    assert Counter(far for _, _, far, _ in rows) == {
        "out-of-band-core-0": 5,
        "out-of-band-core-1": 5,
    }
    bill = bill_of(design)
    assert bill.listed and "out-of-band-core.management" not in {
        one.end for one in bill.scope.uncabled
    }
    (beside,) = other_networks(ComputeNetwork(plan))
    assert beside.uses == ("management",) and beside.is_management
    again = parse_design(design_text(design), "pod.yaml")
    assert again == design


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"out_of_band_core": "sn4600c"}, "goes with out_of_band"),
        ({"out_of_band": "sn2201", "out_of_band_core": "sn2201"}, "out_of_band_core: "),
        ({"out_of_band": "sn2201", "out_of_band_core": "qm9700"}, "out_of_band_core: "),
        ({"out_of_band": "sn2201", "out_of_band_core": "dgx-h100"}, "is a node, not a switch"),
    ],
)
def test_a_core_that_management_switches_cannot_meet_at_is_refused(
    values: dict[str, SettingValue], words: str
) -> None:
    with pytest.raises(EditError) as refused:
        make("leaf-spine", su=2, nodes=8, **values)
    assert words in str(refused.value)


def test_management_links_that_cannot_be_are_errors_of_their_own() -> None:
    links = [
        ("node.compute", "switch"),
        ("node.management", "switch"),
        ("switch.management", "other.management"),
        ("switch.mgmt", "other"),
    ]
    design = Design.model_validate(
        {
            "groups": {
                "node": {"part": "dgx-h100", "count": 4},
                "switch": {"part": "qm9700"},
                "other": {"part": "sn2201"},
            },
            "links": [{"between": ends} for ends in links],
        }
    )
    judged = EvaluatedDesign(design, CATALOG).findings
    assert [one.code for one in judged if one.severity == "error"] == [
        "protocol-mismatch",
        "nodes-meshed",
        "unknown-slots",
    ]


@pytest.mark.parametrize("su", [2, 3])
def test_splitters_that_end_at_a_rack_find_a_cage(su: int) -> None:
    """Of the 31 or 32 nodes of an SU, a splitter joins two of one rack only."""
    design = make("leaf-spine", su=su, **ALL)
    schedule = EvaluatedDesign(design, CATALOG).schedule
    assert [one.code for one in schedule.findings] == []


def test_a_torus_with_a_network_beside_it_is_routed_axis_by_axis() -> None:
    alone, beside = (
        make("torus", x=4, y=4, **more).model_copy(update={"routing": "dimension-order"})
        for more in ({}, {"in_band": "sn4700"})
    )
    again = parse_design(design_text(beside), "torus.yaml")
    assert again.routing == "dimension-order"
    assert analyse(plan_design(again, CATALOG), CATALOG).busbw_GBps == pytest.approx(
        analyse(plan_design(alone, CATALOG), CATALOG).busbw_GBps
    )


def test_a_sheet_of_all_cables_agrees_with_its_plan_but_for_management() -> None:
    evaluated = EvaluatedDesign(make("leaf-spine", su=2, nodes=8, **ALL), CATALOG)
    planned = planned_cabling(evaluated, "plan")
    of_management = sum(
        count
        for index, count in cable_counts(evaluated.plan).items()
        if "management" in evaluated.design.links[index].words
    )
    assert of_management > 0
    assert len(planned.cables) == sum(cable_counts(evaluated.plan).values()) - of_management


def test_switches_on_a_network_by_their_management_port_are_none_of_its_switches() -> None:
    design = make("leaf-spine", su=2, nodes=8, out_of_band="sn2201")
    beside = other_networks(ComputeNetwork(plan_design(design, CATALOG)))
    own = {name for name in design.groups if name.startswith("out-of-band")}
    assert {name for one in beside for name in one.switches} == own
    assert {one.uses for one in beside} == {("management",)}
    assert not any(one.shared for one in beside)


def but_one_core(design: Design) -> Design:
    core = design.groups["out-of-band-core"].model_copy(update={"count": 1})
    return design.model_copy(update={"groups": {**design.groups, "out-of-band-core": core}})


def test_two_cores_join_management_switches_so_that_the_loss_of_one_cuts_nobody_off() -> None:
    # by hand: 64 nodes in two SUs, each with a switch; who manages them is behind the cores, and
    # the spines' switch, with the appliances on it, is on no node's way there
    values: dict[str, SettingValue] = {"su": 2, "nodes": 32, "storage": 2, "out_of_band": "sn2201"}
    design = make("leaf-spine", **values, out_of_band_core="sn4600c")
    network = ComputeNetwork(plan_design(design, CATALOG))
    (beside,) = (one for one in losses_beside(network, CATALOG) if one.network.is_management)
    assert beside.nodes == 64
    lost = {
        (loss.failure.what, loss.nodes) for loss in beside.losses if loss.failure.kind == "switch"
    }
    assert lost == {("out-of-band", 32), ("out-of-band-2", 0), ("out-of-band-core", 0)}
    one = but_one_core(design)
    (beside,) = losses_beside(ComputeNetwork(plan_design(one, CATALOG)), CATALOG)[-1:]
    assert beside.losses[0].failure.what == "out-of-band-core"
    assert beside.losses[0].nodes == 64


def test_a_management_switch_is_filled_to_its_last_port() -> None:
    # 40 nodes and 8 leaves of an SU are the 48 ports of an SN2201
    made = new_design(
        "leaf-spine",
        {"su": 2, "nodes": 40, "oversubscription": 2, "out_of_band": "sn2201"},
        catalog=CATALOG,
    )
    beside = {name: group for name, group in made.groups.items() if name.startswith("out-of-band")}
    of_units = [(group.per, group.count) for group in beside.values() if group.per]
    assert of_units == [(("su",), 1)]
