"""Examples of `docs/file-format.md`, worked out by hand, hold for oracle and program."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.oracle import compare, labels, program
from tests.oracle.compare import disagreements
from tests.oracle.expansion import CannotExpand, expand

Wires = set[tuple[str, str, str]]
"""Node, port, and what the port is cabled to."""


def _by_oracle(text: str) -> list[program.Row]:
    fabric = expand(text)
    rows = []
    for cable in fabric.cables:
        ends = []
        for device in (cable.a, cable.b):
            port = cable.end(device)
            ends.append(labels.device_name(fabric, device))
            ends.append("" if port is None else labels.port_name(fabric, device, port))
        rows.append(program.Row(ends[0], ends[1], ends[2], ends[3], cable.gbit))
    return rows


def _by_program(text: str) -> list[program.Row]:
    return program.graph(text)[1]


@pytest.fixture(params=[_by_oracle, _by_program], ids=["oracle", "program"])
def rows_of(request: pytest.FixtureRequest):
    return request.param


def wires(rows: list[program.Row], node: str) -> dict[str, str]:
    """What each port of a node is cabled to."""
    ends = [(row.a, row.a_port, row.z) for row in rows]
    ends += [(row.z, row.z_port, row.a) for row in rows]
    return {port: peer for name, port, peer in ends if name == node}


def design(groups: str, links: str, rest: str = "") -> str:
    """A design of one-line groups and links."""
    lines = [f"  {line.strip()}" for line in groups.strip().splitlines()]
    lines += ["links:", *(f"  - {{{line.strip()}}}" for line in links.strip().splitlines())]
    return "\n".join(["toposmith: 1", "name: x", rest, "groups:", *lines]) + "\n"


FOUR_SU = (Path(__file__).parents[2] / "docs" / "file-format.md").read_text().split("```")[1][5:]
"""The design at the top of the page."""


def test_the_example_on_the_page_has_2040_cables(rows_of):
    # 127 nodes x 8 ports; 32 leaves x 16 spines x 2 cables
    rows = rows_of(FOUR_SU)
    kinds = Counter((row.a.split("-")[0], row.z.split("-")[0]) for row in rows)
    assert kinds == {("node", "leaf"): 127 * 8, ("leaf", "spine"): 32 * 16 * 2}


def test_port_n_of_a_dgx_goes_to_rail_n_of_its_su(rows_of):
    # By the manual OSFP4 has slots 3 and 0, OSFP3 2 and 1, OSFP2 6 and 5, OSFP1 7 and 4.
    slots = {"OSFP4 P1": 3, "OSFP4 P2": 0, "OSFP3 P1": 2, "OSFP3 P2": 1}
    slots |= {"OSFP2 P1": 6, "OSFP2 P2": 5, "OSFP1 P1": 7, "OSFP1 P2": 4}
    found = wires(rows_of(FOUR_SU), "node-su2-5")
    assert found == {port: f"leaf-su2-rail{slot}" for port, slot in slots.items()}


EIGHT = "node: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}}}\n"
DUAL = "node: {part: bm-gpu-gb300-4}\n"


@pytest.mark.parametrize(
    ("per", "first_four"),
    [
        ("[rail, plane]", ["rail0-plane0", "rail0-plane1", "rail1-plane0", "rail1-plane1"]),
        ("[plane, rail]", ["plane0-rail0", "plane0-rail1", "plane1-rail0", "plane1-rail1"]),
    ],
)
@pytest.mark.parametrize("axes", ["rail: 2, plane: 2", "plane: 2, rail: 2"])
def test_of_two_peer_axes_the_last_in_per_varies_fastest(rows_of, axes, per, first_four):
    text = design(
        EIGHT + f"leaf: {{part: qm9700, per: {per}}}",
        "between: [node.compute, leaf]",
        f"axes: {{{axes}}}",
    )
    found = wires(rows_of(text), "node-0")
    assert found == {f"compute{port}": f"leaf-{first_four[port % 4]}" for port in range(8)}


@pytest.mark.parametrize(("per", "dead"), [("[rail, plane]", 1), ("[plane, rail]", 2)])
def test_figures_see_the_same_ports_dead_that_the_schedule_shows(per, dead):
    # The leaf of rail 0 and plane 1 is down: ports 1 and 5, or 2 and 6. One node has lost the
    # same ports anyway, so that six NICs are left to both; any other two would leave four.
    text = design(
        EIGHT.replace("8, nics", "8, count: 2, nics") + f"leaf: {{part: qm9700, per: {per}}}\n"
        "spine: {part: qm9700}",
        "between: [node.compute, leaf]\nbetween: [leaf, spine], cables: 8",
        "axes: {rail: 2, plane: 2}",
    )
    gone = ["leaf[rail=0,plane=1]", *(f"node[node=1].compute[{dead + 4 * n}]" for n in range(2))]
    text += f"down: {gone}\n".replace("'", '"')
    found = program.analysis(text, "--collective", "all_gather", "--with", "algorithm=ring")
    at_nics = next(row for row in found["limits"] if row["link"] == "node.compute - leaf")
    assert at_nics["load_GBps"] / found["busbw_GBps"] == pytest.approx(1 / 6)
    assert disagreements(text, compare.rings, compare.exchanges) == []


def test_the_own_count_varies_faster_than_any_axis(rows_of):
    text = design(
        EIGHT + "leaf: {part: qm9700, per: [rail], count: 2}",
        "between: [node.compute, leaf]",
        "axes: {rail: 2}",
    )
    found = wires(rows_of(text), "node-0")
    assert [found[f"compute{port}"] for port in range(4)] == [
        "leaf-rail0-0",
        "leaf-rail0-1",
        "leaf-rail1-0",
        "leaf-rail1-1",
    ]


@pytest.mark.parametrize(
    ("leaves", "cables", "dealt"),
    [
        (4, "", {0: 0, 4: 0, 1: 1, 5: 1, 2: 2, 6: 2, 3: 3, 7: 3}),
        (3, ", cables: 2", {0: 0, 3: 0, 1: 1, 4: 1, 2: 2, 5: 2}),
        (8, ", cables: 1", {port: port for port in range(8)}),
        (1, ", cables: 3", {0: 0, 1: 0, 2: 0}),
    ],
)
@pytest.mark.parametrize("ends", ["node.compute, leaf", "leaf, node.compute", "node, leaf"])
def test_ports_are_dealt_to_leaves_in_turn(rows_of, ends, leaves, cables, dealt):
    text = design(EIGHT + f"leaf: {{part: qm9700, count: {leaves}}}", f"between: [{ends}]{cables}")
    found = wires(rows_of(text), "node-0")
    assert found == {f"compute{port}": f"leaf-{leaf}" for port, leaf in dealt.items()}


@pytest.mark.parametrize("per", ["[rail, plane]", "[plane, rail]"])
def test_both_ports_of_a_nic_are_next_to_each_other(rows_of, per):
    text = design(
        DUAL + f"leaf: {{part: sn5600, per: {per}}}",
        "between: [node.compute, leaf]",
        "axes: {rail: 4, plane: 2}",
    )
    found = wires(rows_of(text), "node-0")
    if per == "[rail, plane]":
        expected = {
            f"compute{nic} P{port + 1}": f"leaf-rail{nic}-plane{port}"
            for nic in range(4)
            for port in range(2)
        }
    else:
        expected = {
            f"compute{nic} P{port + 1}": f"leaf-plane{nic // 2}-rail{nic % 2 * 2 + port}"
            for nic in range(4)
            for port in range(2)
        }
    assert found == expected


def test_the_first_link_in_the_file_takes_the_first_ports(rows_of):
    two = EIGHT + "a: {part: qm9700, count: 2}\nb: {part: qm9700, count: 3}"
    links = ["between: [node, a], cables: 2", "between: [node, b], cables: 1"]
    found = wires(rows_of(design(two, "\n".join(links))), "node-0")
    assert [found[f"compute{port}"] for port in range(7)] == [
        *("a-0", "a-1", "a-0", "a-1"),
        *("b-0", "b-1", "b-2"),
    ]
    found = wires(rows_of(design(two, "\n".join(links[::-1]))), "node-0")
    assert [found[f"compute{port}"] for port in range(7)] == [
        *("b-0", "b-1", "b-2"),
        *("a-0", "a-1", "a-0", "a-1"),
    ]


def test_nodes_in_pairs_are_cabled_port_to_port_from_their_first_free_one(rows_of):
    text = design(
        """a: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}}}
        b: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 4}}}
        leaf: {part: qm9700}""",
        """between: [a, leaf], cables: 2
        between: [b, leaf], cables: 1
        between: [a, b], cables: 3""",
    )
    rows = [row for row in rows_of(text) if {row.a, row.z} == {"a-0", "b-0"}]
    assert {(row.a_port, row.z_port) for row in rows} == {
        ("compute2", "compute1"),
        ("compute3", "compute2"),
        ("compute4", "compute3"),
    }


@pytest.mark.parametrize("ends", ["a, b", "b, a"])
def test_nodes_in_pairs_have_as_many_cables_as_the_end_with_fewer_ports(rows_of, ends):
    text = design(
        """a: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}}}
        b: {part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 4}}}""",
        f"between: [{ends}]",
    )
    expected = {f"compute{port}": "b-0" for port in range(4)}
    assert wires(rows_of(text), "a-0") == expected
    assert expand(text).cables and len(program.graph(text)[1]) == 4


@pytest.mark.parametrize(
    ("nic", "switch", "asked", "gbit"),
    [
        ("connectx-7-ndr", "qm9700", "", 400),
        ("connectx-7-ndr", "qm9700", ", speed: 200", 200),
        ("connectx-7-ndr", "qm8700", "", 200),  # half of 400
        ("connectx-6-hdr", "sb7800", "", 100),
        ("connectx-7-ndr", "sb7800", "", None),  # neither 400 nor 200
        ("connectx-7-ndr200-2p", "qm9700", "", 200),
        ("connectx-7-ndr200", "sb7800", "", 100),  # half of two lanes
        ("connectx-4-lx-25gbe-2p", "sn3700c", "", 25),
        ("connectx-3-40gbe", "sn3700c", "", None),
        ("aws-efa-50g", "sn3700c", "", 50),
        ("aws-efa-50g", "7060cx-32s", ", speed: 25", None),  # one lane has no half
        ("connectx-7-ndr-ib", "sn5600", "", None),  # InfiniBand to Ethernet
        ("connectx-7-ndr", "sn5600", ", speed: 800", None),
        ("connectx-6-dx-100gbe", "sn2201", "", None),  # its 100 Gb/s cages are more_cages
    ],
)
def test_a_link_runs_at_the_fastest_speed_that_both_ends_have(nic, switch, asked, gbit):
    text = design(
        f"node: {{part: hgx-h100-8, nics: {{compute: {{part: {nic}, count: 1}}}}}}\n"
        f"leaf: {{part: {switch}}}",
        f"between: [node, leaf]{asked}",
    )
    assert {row.gbit for row in _by_program(text)} == ({gbit} if gbit else set())
    if gbit:
        assert {row.gbit for row in _by_oracle(text)} == {gbit}
        return
    with pytest.raises(CannotExpand):
        expand(text)
    codes = {one["code"] for one in program.findings(text)}
    assert codes & {"speed-mismatch", "protocol-mismatch"}


TWO_SU = """\
toposmith: 1
name: x
axes: {su: 2}
groups:
  node: {part: hgx-h100-8, per: [su], count: 2, nics: {compute: {part: connectx-7-ndr, count: 4}}}
  leaf: {part: qm9700, per: [su], count: 2}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 3}
"""
"""16 cables below the leaves, 24 above."""

NODE_PORTS = {
    (f"node-su{su}-{node}", f"compute{port}", f"leaf-su{su}-{port % 2}")
    for su in range(2)
    for node in range(2)
    for port in range(4)
}
UPLINKS = {
    (f"leaf-su{su}-{leaf}", f"spine-{spine}")
    for su in range(2)
    for leaf in range(2)
    for spine in range(2)
}


def _gone(rows: list[program.Row]) -> tuple[Wires, Counter[tuple[str, str]]]:
    here = {(row.a, row.a_port, row.z) for row in rows if row.a.startswith("node")}
    up = Counter((row.a, row.z) for row in rows if row.a.startswith("leaf"))
    return NODE_PORTS - here, Counter(dict.fromkeys(UPLINKS, 3)) - up


def _ports(pattern: str) -> Wires:
    return {wire for wire in NODE_PORTS if re.fullmatch(pattern, " ".join(wire))}


def _ups(pattern: str, count: int = 3) -> Counter[tuple[str, str]]:
    return Counter({pair: count for pair in UPLINKS if re.fullmatch(pattern, " ".join(pair))})


@pytest.mark.parametrize(
    ("selector", "ports", "uplinks"),
    [
        ("node[su=1,node=0]", "node-su1-0 .*", ""),
        ("node[node=0, su=1]", "node-su1-0 .*", ""),
        (" node[ su = 1 , node = 0 ] ", "node-su1-0 .*", ""),
        ("node[su=1]", "node-su1-. .*", ""),
        ("node[su=0..1,node=1]", "node-su.-1 .*", ""),
        ("node[su=0 .. 1,node=1..1]", "node-su.-1 .*", ""),
        ("node", ".*", ""),
        ("node[]", ".*", ""),
        ("spine[spine=1]", "", ".* spine-1"),
        ("leaf[su=0,leaf=1]", ".*leaf-su0-1", "leaf-su0-1 .*"),
        ("node[su=0,node=1].compute[2]", "node-su0-1 compute2 .*", ""),
        ("node[su=0,node=1].compute", "node-su0-1 .*", ""),
        ("node.compute[2]", ".* compute2 .*", ""),
        ("node.compute", ".*", ""),
        ("node[su=1] - leaf[leaf=0]", "node-su1.*leaf-su1-0", ""),
        ("leaf[leaf=0] - node[su=1]", "node-su1.*leaf-su1-0", ""),
        ("leaf[su=0,leaf=1] - spine[spine=0]", "", "leaf-su0-1 spine-0"),
        ("spine[spine=0] - leaf[su=0,leaf=1]", "", "leaf-su0-1 spine-0"),
        ("leaf[su=0] - spine", "", "leaf-su0-. .*"),
        ("leaf - spine", "", ".*"),
    ],
)
def test_a_selector_takes_away_what_the_page_says(rows_of, selector, ports, uplinks):
    rows = rows_of(TWO_SU + f'absent: ["{selector}"]\n')
    assert _gone(rows) == (_ports(ports), _ups(uplinks))
    down = rows_of(TWO_SU + f'down: ["{selector}"]\n')
    assert _gone(down) == (set(), Counter())  # what is down stays where it is


@pytest.mark.parametrize("selector", ["node[su=1,node=0].compute", "node.compute"])
def test_all_ports_of_a_node_down_leave_no_figure(selector):
    assert program.analysis(TWO_SU)["busbw_GBps"] is not None
    assert program.analysis(TWO_SU + f'down: ["{selector}"]\n')["busbw_GBps"] is None


def test_absent_devices_are_not_exported_and_those_down_are():
    for key, nodes in (("absent", 3), ("down", 4)):
        text = TWO_SU + f'{key}: ["node[su=1,node=0]"]\n'
        names, _ = program.graph(text)
        assert sum(name.startswith("node") for name in names) == nodes
        assert len([one for one in expand(text).devices if one.group == "node"]) == nodes
        assert program.analysis(text)["nodes"] == len(expand(text).ranked_nodes()) == 3


def test_other_ports_stay_where_they_are_when_a_leaf_is_absent(rows_of):
    found = wires(rows_of(TWO_SU + 'absent: ["leaf[su=0,leaf=0]"]\n'), "node-su0-0")
    assert found == {"compute1": "leaf-su0-1", "compute3": "leaf-su0-1"}


@pytest.mark.parametrize(
    ("selectors", "left"),
    [
        (["1 of leaf[su=0,leaf=0] - spine[spine=0]"], 23),
        (["2 of spine[spine=0] - leaf[su=0,leaf=0]"], 22),
        (["5 of leaf[su=0,leaf=0] - spine[spine=0]"], 21),  # at most all of them
        (["1 of leaf[su=0] - spine"], 20),  # of each of four pairs
        (["1 of leaf - spine", "1 of leaf[su=0,leaf=0] - spine[spine=0]"], 15),  # they add up
    ],
)
def test_counted_cables_are_taken_of_every_pair(selectors, left):
    text = TWO_SU + f"absent: {selectors}\n".replace("'", '"')
    cables = {row["link"]: row["cables"] for row in program.analysis(text)["limits"]}
    assert cables["leaf - spine"] == left
    assert sum(cable.a.group == "leaf" for cable in expand(text).cables) == left
    down = expand(text.replace("absent", "down"))
    assert len(down.cables) == 40
    assert sum(down.is_live(cable) for cable in down.cables) == 16 + left


@pytest.mark.parametrize(
    ("nic", "labels_of_four"),
    [
        ("connectx-7-ndr200", ["1/1/1", "1/1/2", "1/2/1", "1/2/2"]),  # 2 of 8 lanes each
        ("connectx-6-hdr", ["1/1", "1/2", "2/1", "2/2"]),  # 4 of 8 lanes each
        ("connectx-7-ndr", ["1/1", "1/2", "2/1", "2/2"]),  # 400 Gb/s over 4 lanes
    ],
)
def test_a_nic_of_more_lanes_leaves_room_for_fewer_in_a_cage(nic, labels_of_four):
    text = design(
        f"node: {{part: hgx-h100-8, count: 4, nics: {{compute: {{part: {nic}, count: 1}}}}}}\n"
        "leaf: {part: qm9700}",
        "between: [node, leaf], length: 30",
    )
    assert [row.z_port for row in program.graph(text)[1]] == labels_of_four
    assert disagreements(text, compare.switch_ports) == []


@pytest.mark.parametrize(
    ("ports", "fits"),
    [(62, True), (63, False)],
    ids=["31 cages of 400 and one of 200", "32 cages of 400 and one of 200"],
)
def test_a_cage_runs_one_speed(ports, fits):
    # 32 cages: two ports of 400 Gb/s each, or four of 200; three ports of 200 take a cage.
    one = "nics: {compute: {part: %s, count: 1}}"
    text = design(
        f"""a: {{part: hgx-h100-8, count: {ports}, {one % "connectx-7-ndr"}}}
        b: {{part: hgx-h100-8, count: 3, {one % "connectx-7-ndr200"}}}
        leaf: {{part: qm9700}}""",
        """between: [a, leaf]
        between: [b, leaf]""",
    )
    codes = {one["code"] for one in program.findings(text)}
    assert ("ports-overused" not in codes) is fits


def test_a_collective_uses_compute_and_else_the_slots_of_the_first_link():
    group = "a: {part: dgx-a100, count: 2, nics: {compute: {part: connectx-6-hdr, count: 8}}}\n"
    group += "leaf: {part: qm8700, count: 2}"
    storage, compute = "between: [a.storage, leaf]", "between: [a.compute, leaf]"
    for links, used in (
        ([storage, compute], "a.compute - leaf"),
        ([compute, storage], "a.compute - leaf"),
        ([storage], "a.storage - leaf"),
    ):
        found = program.analysis(design(group, "\n".join(links)), "--collective", "all_to_all")
        loaded = {
            row["link"] for row in found["limits"] if " - " in row["link"] and row["load_GBps"]
        }
        assert loaded == {used}


def test_devices_are_called_by_group_axes_and_number():
    text = design(
        """store: {part: ddn-ai400x2, per: [su], count: 2}
        store-leaf: {part: qm8700, per: [su]}
        spine: {part: qm8700}""",
        """between: [store, store-leaf]
        between: [store-leaf, spine]""",
        "axes: {su: 2}",
    )
    names = {"store.su0.0", "store.su0.1", "store.su1.0", "store.su1.1"}
    names |= {"store-leaf-su0", "store-leaf-su1", "spine-0"}
    assert set(program.graph(text)[0]) == names
    fabric = expand(text)
    assert {labels.device_name(fabric, device) for device in fabric.devices} == names


SINGLE = """\
toposmith: 2
axes: {rail: 4}
groups:
  node: {part: hgx-h100-4, count: 2, nics: {compute: {part: connectx-7-ndr, count: 4}}}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
cables:
  - {a: "node[node=1].compute[0]", z: "leaf[rail=2]"}
  - {a: "node[node=1].compute[2]", z: "leaf[rail=0]"}
  - {a: "leaf[rail=3].port[3]", z: "spine[spine=1]"}
"""


def test_single_cables_take_the_place_of_those_dealt_to_their_ports(rows_of):
    rows = rows_of(SINGLE)
    first, second = wires(rows, "node-0"), wires(rows, "node-1")
    names = sorted(first)
    assert [first[name] for name in names] == [f"leaf-rail{rail}" for rail in range(4)]
    assert [second[name] for name in names] == [f"leaf-rail{rail}" for rail in (2, 1, 0, 3)]
    # leaf 3: ports 0 and 1 to nodes, 2 and 3 to spine 0, 4 and 5 to spine 1
    uplinks = Counter((row.a, row.z) for row in rows if row.z.startswith("spine"))
    assert (uplinks["leaf-rail3", "spine-0"], uplinks["leaf-rail3", "spine-1"]) == (1, 3)
    assert uplinks["leaf-rail2", "spine-0"] == 2


def test_slow_cables_that_are_counted_lie_before_those_that_are_gone():
    text = SINGLE.partition("cables:\n  - {a")[0]
    pair = "leaf[rail=0] - spine[spine=0]"
    fabric = expand(text + f'slow:\n  "2 of {pair}": 100\n  "leaf[rail=1]": 50 %\n')
    runs = Counter((cable.link, int(fabric.runs_gbit(cable))) for cable in fabric.cables)
    assert runs == {(0, 400): 6, (0, 200): 2, (1, 100): 2, (1, 200): 4, (1, 400): 10}
    down = expand(text + f'down: ["1 of {pair}"]\nslow:\n  "2 of {pair}": 100\n')
    assert Counter(int(gbit) for gbit in down.slow.values()) == {100: 1}
    assert not set(down.slow) & down.down_cables
