"""Single cables go where the design says, in the place of what links deal to their ports."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.expansion import expand
from tests.fabric_texts import on_rails
from toposmith.analysis.analyse import analyse
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.classes import base_cuts, class_graph
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.single_cables import dealt_at, end_at
from toposmith.racks.connections import connections, missing

CATALOG = load_catalog()

RAILS = on_rails(4)
"""Node n, port p to leaf p; leaf ports 0 to 3 to the nodes, 4 and 5 to spine 0, 6 and 7 to 1."""


def planned(*cables: str, more: str = "") -> Plan:
    lines = "".join(f"  - {{{one}}}\n" for one in cables)
    text = RAILS + (f"cables:\n{lines}" if cables else "") + more
    return plan_design(parse_design(text, "test"), CATALOG)


def errors(plan: Plan) -> list[tuple[str, str]]:
    return [(one.where, one.text) for one in plan.findings if one.severity == "error"]


Ends = tuple[str, str]


def joined(plan: Plan, *, without_down: bool = True) -> Counter[Ends]:
    """Cables of the expanded fabric by their devices: ``node 0`` and ``leaf 3``."""

    def name(vertex: tuple) -> str:
        at = vertex[3] if vertex[0] == "nic" else vertex[2]
        return f"{vertex[1]} {at[0]}"

    graph = expand(plan, without_down=without_down)
    return Counter(
        tuple(sorted((name(u), name(v))))
        for u, v, data in graph.edges(data=True)
        if data["link"] is not None
    )


def by_classes(plan: Plan) -> Counter[tuple[int, float]]:
    classes = class_graph(plan, base_cuts(plan))
    found: Counter[tuple[int, float]] = Counter()
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] is not None:
            found[data["link"], data["GBps"]] += classes.cables(u, v, key)
        sizes = [classes.graph.nodes[end]["size"] * data["per"][end] for end in (u, v)]
        assert sizes[0] == sizes[1]
    return found


def changed(*cables: str) -> tuple[Counter[Ends], Counter[Ends]]:
    """What is gone and what is new beside the design without single cables."""
    before, after = joined(planned()), joined(planned(*cables))
    return before - after, after - before


SWAP = (
    'a: "node[node=1].compute[0]", z: "leaf[rail=3]"',
    'a: "node[node=1].compute[3]", z: "leaf[rail=0]"',
)


def test_a_port_goes_elsewhere_and_its_dealt_cable_is_gone() -> None:
    gone, new = changed(SWAP[0])
    assert gone == {("leaf 0", "node 1"): 1}
    assert new == {("leaf 3", "node 1"): 1}


def test_two_entries_swap_two_ports_of_a_node() -> None:
    gone, new = changed(*SWAP)
    assert gone == new == Counter()  # the same devices are joined, by the other ports
    plan = planned(*SWAP)
    ports = {(a, p): b for a, b, p, _ in connections(plan, plan.links[0], missing(plan)) if a == 1}
    assert ports == {(1, p): {0: 3, 3: 0}.get(p, p) for p in range(8)}


def test_the_port_of_a_switch_names_the_cable_that_is_dealt_to_it() -> None:
    # port 5 of leaf 2 has the second cable to spine 0
    gone, new = changed('a: "leaf[rail=2].port[5]", z: "spine[spine=1]"')
    assert gone == {("leaf 2", "spine 0"): 1}
    assert new == {("leaf 2", "spine 1"): 1}
    # port 2 of leaf 4 has the cable of node 2: it now comes from node 0, whose own is replaced
    gone, new = changed('a: "node[node=0].compute[7]", z: "leaf[rail=4].port[2]"')
    assert gone == {("leaf 7", "node 0"): 1, ("leaf 4", "node 2"): 1}
    assert new == {("leaf 4", "node 0"): 1}


LAST = "leaf[su=1,leaf=1]"

ALONG_ANY = """\
toposmith: 2
axes: {su: 2}
groups:
  leaf: {part: qm9700, per: [su], count: 2}
  spine: {part: qm9700, per: [su], count: 2}
links:
  - {between: [leaf, spine], along: {su: any}, cables: 2}
"""


@pytest.mark.parametrize("port", range(8))
def test_a_port_on_a_link_along_an_axis_names_the_cable_that_is_dealt_to_it(port: int) -> None:
    # the last leaf meets spines (0, 0), (0, 1), (1, 0), (1, 1) by two ports each, in this order
    end = end_at(plan_design(parse_design(ALONG_ANY, "test"), CATALOG), f"{LAST}.port[{port}]")
    found = dealt_at(plan_design(parse_design(ALONG_ANY, "test"), CATALOG), end)
    assert found is not None
    spine, turn = divmod(port, 2)
    assert (found.a, found.b, found.turn) == ((1, 1), divmod(spine, 2), turn)


NODE_TO_NODE = """\
toposmith: 2
groups:
  one: {part: dgx-h100}
  other: {part: dgx-h100}
links:
  - {between: [one.compute, other.compute]}
cables:
  - {a: "one.compute[0]", z: "other.compute[1]"}
  - {a: "one.compute[1]", z: "other.compute[0]"}
"""


def test_two_crossed_cables_between_nodes_are_two_cables() -> None:
    plan = plan_design(parse_design(NODE_TO_NODE, "test"), CATALOG)
    assert cable_counts(plan) == {0: 8}
    assert by_classes(plan) == {(0, 50.0): 8}  # 400 Gb/s


def test_a_free_port_takes_nothing_away() -> None:
    gone, new = changed('a: "leaf[rail=0].port[40]", z: "spine[spine=0].port[41]"')
    assert gone == Counter()
    assert new == {("leaf 0", "spine 0"): 1}


def test_a_host_may_stand_on_a_spine() -> None:
    gone, new = changed('a: "spine[spine=1]", z: "node[node=3].compute[6]"')
    assert gone == {("leaf 6", "node 3"): 1}
    assert new == {("node 3", "spine 1"): 1}
    plan = planned('a: "spine[spine=1]", z: "node[node=3].compute[6]"')
    (own,) = plan.own_links
    assert (own.label, own.index, own.speed_gbit) == ("spine - node.compute", 2, 400)


@pytest.mark.parametrize(
    "cables",
    [
        SWAP[:1],
        SWAP,
        ('a: "leaf[rail=2].port[5]", z: "spine[spine=1]"',),
        ('a: "spine[spine=1]", z: "node[node=3].compute[6]"',),
        ('a: "spine[spine=1]", z: "node[node=3].compute[6]", speed: 200',),
        ('a: "leaf[rail=0]", z: "spine[spine=0]", length: 7', *SWAP),
        ('a: "leaf[rail=4]", z: "leaf[rail=1]"',),
        ('a: "leaf[rail=4].port[5]", z: "leaf[rail=1].port[6]"', *SWAP),
        ('a: "leaf[rail=4]", z: "leaf[rail=1]"', 'a: "leaf[rail=1]", z: "leaf[rail=4]"'),
        ('a: "spine[spine=0].port[3]", z: "spine[spine=1]", speed: 200',),
    ],
)
def test_the_class_graph_has_every_cable_of_the_expansion(cables: tuple[str, ...]) -> None:
    for more in ("", 'down: ["node[node=1]"]\n', 'down: ["1 of leaf - spine"]\n',
                 'slow: {"leaf[rail=3]": 50 %, "1 of leaf[rail=2] - spine[spine=1]": 100}\n',
                 'down: ["node[node=1].compute[0]", "leaf[rail=3] - node[node=1]"]\n'):  # fmt: skip
        plan = planned(*cables, more=more)
        assert not errors(plan)
        expanded = Counter(
            (data["link"], data["GBps"])
            for _, _, data in expand(plan).edges(data=True)
            if data["link"] is not None
        )
        assert by_classes(plan) == expanded


def test_two_leaves_are_cabled_to_each_other_in_the_place_of_their_uplinks() -> None:
    gone, new = changed('a: "leaf[rail=4].port[5]", z: "leaf[rail=1].port[6]"')
    assert gone == {("leaf 4", "spine 0"): 1, ("leaf 1", "spine 1"): 1}
    assert new == {("leaf 1", "leaf 4"): 1}
    plan = planned('a: "leaf[rail=4].port[5]", z: "leaf[rail=1].port[6]"')
    whole = planned()
    assert [(one.label, one.speed_gbit) for one in plan.own_links] == [
        ("leaf - leaf (rail any)", 400)
    ]
    assert sum(cable_counts(plan).values()) == sum(cable_counts(whole).values()) - 1


RING = """\
toposmith: 2
axes: {rank: 6}
groups:
  node: {part: dgx-h100, per: [rank]}
  sw: {part: qm9700, per: [rank]}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {rank: next}, cables: 2}
"""


@pytest.mark.parametrize(
    ("cable", "ends", "own"),
    [
        ('a: "sw[rank=3]", z: "sw[rank=0]"', ("sw 0", "sw 3"), 1),
        ('a: "sw[rank=3]", z: "sw[rank=2]"', ("sw 2", "sw 3"), 0),
    ],
)
def test_a_chord_of_a_ring_is_a_cable_of_its_own(
    cable: str, ends: tuple[str, str], own: int
) -> None:
    whole, plan = (
        plan_design(parse_design(text, "test"), CATALOG)
        for text in (RING, f"{RING}cables:\n  - {{{cable}}}\n")
    )
    assert not errors(plan) and len(plan.own_links) == own
    assert joined(plan) - joined(whole) == {ends: 1}
    assert joined(whole) - joined(plan) == Counter()
    expanded = Counter(
        (data["link"], data["GBps"])
        for _, _, data in expand(plan).edges(data=True)
        if data["link"] is not None
    )
    assert by_classes(plan) == expanded


def test_a_cable_down_or_absent_by_port_is_the_single_one() -> None:
    for key in ("down", "absent"):
        plan = planned(SWAP[0], more=f'{key}: ["node[node=1].compute[0]"]\n')
        assert joined(planned(SWAP[0])) - joined(plan) == {("leaf 3", "node 1"): 1}


def test_a_cable_at_the_speed_of_a_link_counts_as_one_of_it() -> None:
    plan = planned(*SWAP, 'a: "spine[spine=0]", z: "leaf[rail=0]"')
    assert plan.own_links == ()
    assert cable_counts(plan) == {0: 32, 1: 33}


@pytest.mark.parametrize(
    ("cable", "text"),
    [
        ('a: "node[node=9].compute[0]", z: "leaf[rail=0]"', "node runs from 0 to 3"),
        ('a: "node[node=0].compute[8]", z: "leaf[rail=0]"', "node.compute has ports 0 to 7"),
        ('a: "node[node=0]", z: "leaf[rail=0]"', "name the port of the device"),
        ('a: "node[node=0].fast[0]", z: "leaf[rail=0]"', "name the port of the device"),
        ('a: "node[node=0].compute[0]", z: "leaf"', "is several devices; give rail one value"),
        ('a: "tor[tor=0]", z: "leaf[rail=0]"', "there is no group 'tor'"),
        ('a: "leaf[rail=0]", z: "leaf[rail=0]"', "both ends are at one device"),
        ('a: "node[node=0].compute[0]", z: "node[node=1].compute[0]"', "at nodes of node"),
        ('a: "leaf[rail=0].port[500]", z: "spine[spine=0]"', "has ports 0 to"),
        ('a: "leaf[rail=0].swp[6]", z: "spine[spine=0]"', "write a port of a switch as .port[12]"),
        ('a: "node[node=0].compute[5]", z: "leaf[rail=0]"', "has a cable already"),
        ('a: "leaf - spine", z: "leaf[rail=0]"', "name one device"),
        ('a: "leaf[rail=1]", z: "spine[spine=0]", speed: 300', "300 Gb/s does not run between"),
    ],
)
def test_an_entry_that_cannot_be_is_named_and_left_out(cable: str, text: str) -> None:
    good = 'a: "node[node=0].compute[5]", z: "leaf[rail=1]"'
    plan = planned(good, cable)
    ((where, said),) = errors(plan)
    assert where == "cables[1]"
    assert text in said
    assert [one.code for one in plan.findings if one.severity == "error"] == ["bad-cable"]
    assert len(plan.single_cables) == 1
    assert joined(plan) == joined(planned(good))


def test_figures_and_bound_follow_a_crossed_pair() -> None:
    # one NIC moved to another rail: its old rail's leaf reaches node 1 only over the spines
    whole, crossed = analyse(planned(), CATALOG), analyse(planned(*SWAP), CATALOG)
    assert crossed.gpus == whole.gpus
    assert crossed.bound_busbw_GBps <= whole.bound_busbw_GBps * (1 + 1e-9)
    assert crossed.busbw_GBps <= whole.busbw_GBps * (1 + 1e-9)
    assert crossed.bound_label.kind == "bound"


def test_cables_of_no_link_from_two_groups_to_one_are_two_links() -> None:
    text = (
        "toposmith: 2\ngroups:\n  a: {part: qm9700}\n  b: {part: qm9700}\n  spine: {part: qm9700}\n"
        "cables:\n  - {a: a, z: spine}\n  - {a: b, z: spine}\n"
    )
    plan = plan_design(parse_design(text, "test"), CATALOG)
    assert [link.label for link in plan.own_links] == ["a - spine", "b - spine"]
    assert [cable_counts(plan)[link.index] for link in plan.own_links] == [1, 1]
