"""The ports of a device show where single cables lead, and which ports these left free."""

from __future__ import annotations

from tests.fabric.test_single_cables import SWAP, planned
from toposmith.fabric.plan import Plan
from toposmith.tui.depths.device_ports import Port, faults_of, jacks, port_of
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import DeviceInstance
from toposmith.tui.depths.port_text import peer_label, port_words


def ports(plan: Plan, group: str, *values: int) -> list[Port]:
    device = DeviceInstance(group, values)
    return [port_of(plan, faults_of(plan), device, jack) for jack in jacks(plan, group)]


def test_swapped_ports_show_the_leaves_that_they_go_to() -> None:
    compute = ports(planned(*SWAP), "node", 1)[:8]
    assert [port.peer.values[0] for port in compute if port.peer] == [3, 1, 2, 0, 4, 5, 6, 7]
    assert ports(planned(*SWAP), "node", 0)[0].peer == DeviceInstance("leaf", (0, 0))


def test_the_port_that_lost_its_cable_is_free() -> None:
    plan = planned('a: "node[node=1].compute[0]", z: "spine[spine=0]"')
    lost = ports(plan, "leaf", 0, 0)[1]
    assert (lost.state, lost.why, lost.peer) == ("free", "its cable goes elsewhere", None)
    assert ports(plan, "leaf", 0, 0)[0].state == "cabled"
    assert ports(plan, "node", 1)[0].peer == DeviceInstance("spine", (0,))


def test_a_single_cable_to_what_is_down_is_down() -> None:
    plan = planned(SWAP[0], more='down: ["leaf[rail=3]"]\n')
    assert ports(plan, "node", 1)[0].state == "down"


def test_a_peer_of_another_group_goes_by_its_selector() -> None:
    plan = planned('a: "node[node=1].compute[0]", z: "spine[spine=1]"')
    port = ports(plan, "node", 1)[0]
    assert port.peer is not None
    assert peer_label(plan, port.peer, port.jack.link, "node") == "spine[spine=1]"
    assert peer_label(plan, port.peer, None, "node") == "spine[spine=1]"


def test_a_leaf_that_is_cabled_to_a_leaf_names_it() -> None:
    plan = planned('a: "leaf[rail=4].port[5]", z: "leaf[rail=1].port[6]"')
    for here, there in ((4, 1), (1, 4)):
        (port,) = (
            port for port in ports(plan, "leaf", here, 0) if port.peer and port.peer.group == "leaf"
        )
        assert port.peer == DeviceInstance("leaf", (there, 0))
        assert peer_label(plan, port.peer, port.jack.link, "leaf") == f"leaf[rail={there}]"


def test_every_place_of_a_design_with_single_cables_is_drawn() -> None:
    plan = planned(*SWAP, 'a: "node[node=3].compute[6]", z: "spine[spine=1]"')
    for group in plan.groups:
        for port in ports(plan, group, *(0 for _ in plan.groups[group].axes)):
            if port.peer is not None:
                assert peer_label(plan, port.peer, port.jack.link, group)


def test_a_cable_that_names_no_port_is_in_a_free_one_of_the_switch() -> None:
    plan = planned('a: "node[node=1].compute[0]", z: "spine[spine=0]"')
    found = [port for port in ports(plan, "spine", 0) if port.peer and port.peer.group == "node"]
    assert [(port.jack.link, port.state, port.peer_port) for port in found] == [
        (None, "cabled", ("compute", 0))
    ]
    assert not [p for p in ports(plan, "spine", 1) if p.peer and p.peer.group == "node"]


def test_slow_ports_say_what_they_run() -> None:
    slow = 'slow:\n  "node[node=0].compute[2]": 50 %\n  "leaf[rail=1] - spine[spine=0]": 100\n'
    plan = planned(more=slow)
    compute = ports(plan, "node", 0)[:8]
    speed = compute[2].jack.speed_gbit
    assert [port.slow_gbit for port in compute] == [None, None, speed / 2, *[None] * 5]
    uplinks = [p for p in ports(plan, "leaf", 1, 0) if p.peer and p.peer.group == "spine"]
    assert {p.slow_gbit for p in uplinks if p.peer.values == (0,)} == {100}
    assert {p.slow_gbit for p in uplinks if p.peer.values != (0,)} == {None}
    words = port_words(plan, DeviceInstance("node", (0,)), compute[2], Loads())
    assert words[1].startswith(f"slow: {speed / 2:g} of {speed} Gb/s")
