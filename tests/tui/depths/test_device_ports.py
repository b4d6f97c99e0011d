"""Ports of one device, against the fabric expanded device by device."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given, settings

from tests.expansion import expand
from tests.small_designs import designs
from tests.tui.canvas.fabrics import SUPERPOD, plan_of
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_use
from toposmith.tui.depths.device_ports import Port, alike, faults_of, jacks, port_of
from toposmith.tui.depths.places import DeviceInstance


def ports(plan: Plan, group: str, *values: int) -> list[Port]:
    faults = faults_of(plan)
    return [
        port_of(plan, faults, DeviceInstance(group, values), jack) for jack in jacks(plan, group)
    ]


def device_of(vertex: tuple[object, ...]) -> tuple[object, object]:
    """The device that a vertex of the expansion is, or belongs to."""
    return (vertex[1], vertex[2]) if vertex[0] == "device" else (vertex[1], vertex[3])


def cabled_pairs(plan: Plan, without_down: bool) -> Counter[tuple[object, ...]]:
    """How many cables of each link there are from a device to each other, both ways."""
    graph = expand(plan, without_down=without_down)
    found: Counter[tuple[object, ...]] = Counter()
    for u, v, link in graph.edges(data="link"):
        if link is not None:
            found[device_of(u), device_of(v), link] += 1
            found[device_of(v), device_of(u), link] += 1
    return found


@settings(deadline=None, max_examples=50)
@given(designs())
def test_ports_lead_where_the_cables_of_the_expansion_lead(plan: Plan) -> None:
    found: dict[str, Counter[tuple[object, ...]]] = {"cabled": Counter(), "down": Counter()}
    for name, group in plan.groups.items():
        for values in product(*map(range, group.sizes)):
            for port in ports(plan, name, *values):
                if port.peer is None or port.jack.link is None or port.state == "absent":
                    continue
                peer = (port.peer.group, port.peer.values)
                found[port.state][(name, values), peer, port.jack.link.index] += 1
    assert found["cabled"] == cabled_pairs(plan, without_down=True)
    assert found["cabled"] + found["down"] == cabled_pairs(plan, without_down=False)


@settings(deadline=None, max_examples=40)
@given(designs(faults=False))
def test_the_two_ends_of_a_cable_name_each_other(plan: Plan) -> None:
    for name, group in plan.groups.items():
        for port in ports(plan, name, *(0 for _ in group.axes)):
            if port.peer is None or port.peer_port is None:
                continue
            far = ports(plan, port.peer.group, *port.peer.values)
            here = next(p for p in far if (p.jack.ports, p.jack.number) == port.peer_port)
            assert here.peer == DeviceInstance(name, (0,) * len(group.axes))


@settings(deadline=None, max_examples=40)
@given(designs(faults=False))
def test_as_many_ports_are_free_as_the_accounts_say(plan: Plan) -> None:
    for (name, slots), use in port_use(plan).items():
        mine = [jack for jack in jacks(plan, name) if jack.ports == slots]
        assert sum(jack.link is not None for jack in mine) == use.used
        assert sum(jack.beyond for jack in mine) == 0 or use.free < 0
        if use.free >= 0:
            assert sum(jack.link is None for jack in mine) == use.free


def test_rails_go_to_leaves_one_by_one() -> None:
    found = ports(plan_of(SUPERPOD), "node", 1, 4)
    compute = [port for port in found if port.jack.ports == "compute"]
    assert [port.peer for port in compute] == [
        DeviceInstance("leaf", (1, rail, 0)) for rail in range(8)
    ]


def test_what_is_absent_and_what_is_down_is_told_apart() -> None:
    plan = plan_of({**SUPERPOD, "down": ["leaf[su=3,rail=2]"]})
    absent = ports(plan, "node", 3, 31)
    assert {(port.state, port.why) for port in absent} == {("absent", "the device is absent")}
    beside = ports(plan, "node", 3, 30)
    assert [port.state for port in beside[:4]] == ["cabled", "cabled", "down", "cabled"]
    assert beside[2].why == "its peer is down"
    leaf = ports(plan, "leaf", 3, 1, 0)
    assert (leaf[31].state, leaf[31].why) == ("absent", "its peer is absent")


def test_a_port_and_a_cable_that_are_down_are_found_at_both_ends() -> None:
    plan = plan_of(
        {**SUPERPOD, "down": ["node[su=0,node=2].compute[1]", "leaf[su=0,rail=0] - spine[spine=3]"]}
    )
    assert ports(plan, "node", 0, 2)[1].why == "the port is down"
    assert ports(plan, "leaf", 0, 1, 0)[2].why == "its peer's port is down"
    cables = [p for p in ports(plan, "spine", 3) if p.state == "down"]
    assert [(p.peer, p.why) for p in cables] == [
        (DeviceInstance("leaf", (0, 0, 0)), "the cable is down")
    ] * 2


def test_links_that_ask_for_too_much_show_the_ports_that_are_not_there() -> None:
    plan = plan_of(
        {
            "groups": {"leaf": {"part": "qm9700"}, "spine": {"part": "qm9700"}},
            "links": [{"between": ["leaf", "spine"], "cables": 70}],
        }
    )
    assert [jack.beyond for jack in jacks(plan, "leaf")] == [False] * 64 + [True] * 6


@settings(deadline=None, max_examples=40)
@given(designs())
def test_what_is_said_of_all_devices_at_once_holds_of_each(plan: Plan) -> None:
    faults = faults_of(plan)
    for name, group in plan.groups.items():
        for jack in jacks(plan, name):
            every = alike(plan, faults, name, jack)
            if every is None:
                continue
            for values in product(*map(range, group.sizes)):
                assert (
                    port_of(plan, faults, DeviceInstance(name, values), jack).state == every.state
                )
