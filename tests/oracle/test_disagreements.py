"""Where the program does not do what its documents say: the smallest design for each.

Each is expected to fail. What passes is mended: its mark goes, and its entry in `known.py`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import pytest

from tests.oracle import compare, cuts, program
from tests.oracle.compare import disagreements
from tests.oracle.expansion import expand

NDR = "nics: {compute: {part: connectx-7-ndr, count: %d}}"

ONE_CABLE_ABSENT = """\
toposmith: 1
name: one cable of three was never bought
groups:
  leaf: {part: qm9700}
  spine: {part: qm9700}
links:
  - {between: [leaf, spine], cables: 3}
absent: ["1 of leaf - spine"]
"""


def test_a_schedule_keeps_the_cables_that_are_not_absent():
    # docs/file-format.md: `1 of leaf - spine` is one of them; the bill has the other two.
    assert len(program.graph(ONE_CABLE_ABSENT)[1]) == 2


def test_the_bill_keeps_the_cables_that_are_not_absent():
    lines = program.bill(ONE_CABLE_ABSENT.replace("cables: 3", "cables: 3, length: 3"))["lines"]
    whole = program.bill(ONE_CABLE_ABSENT.replace("absent:", "down:"))["lines"]
    assert lines != whole
    assert disagreements(ONE_CABLE_ABSENT, compare.billed_devices) == []


ONE_CABLE_OF_A_MESH_ABSENT = """\
toposmith: 2
name: of two cables between any two switches of a mesh one was never bought
axes: {x: 4}
groups:
  sw: {part: qm9700, per: [x]}
links:
  - {between: [sw, sw], along: {x: other}, cables: 2, length: 3}
absent: ["1 of sw[x=0..2] - sw"]
"""


def test_a_schedule_keeps_the_cables_of_a_mesh_that_are_not_absent():
    # six pairs of four switches, each of which has one of the first three
    assert len(program.graph(ONE_CABLE_OF_A_MESH_ABSENT)[1]) == 6
    assert disagreements(ONE_CABLE_OF_A_MESH_ABSENT, compare.cables, compare.billed_cables) == []


SHARED_SPLITTER = """\
toposmith: 1
name: two groups of one node, each on half of a cage
groups:
  a: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr100, count: 1}}}
  b: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr100, count: 1}}}
  leaf: {part: qm8700}
links:
  - {between: [a, leaf], length: 5}
  - {between: [b, leaf], length: 5}
"""


def test_the_bill_has_the_splitters_that_the_schedule_lays():
    # docs/bill-of-materials.md: cables are counted as the cable schedule lists them.
    assert disagreements(SHARED_SPLITTER, compare.billed_cables) == []


NODE_LEAF = "node.compute - leaf"

AROUND_ANOTHER_PLANE = f"""\
toposmith: 2
name: a pod's second plane has lost its uplink, and a crossed cable joins two planes
axes: {{plane: 3, pod: 2}}
groups:
  node: {{part: hgx-h100-8, per: [pod], {NDR % 3}}}
  leaf: {{part: qm9700, per: [pod, plane]}}
  spine: {{part: qm9700, per: [plane]}}
links:
  - {{between: [node, leaf]}}
  - {{between: [leaf, spine], speed: 400}}
absent: ["leaf[pod=1,plane=1] - spine"]
cables:
  - {{a: "leaf[pod=0,plane=0]", z: "spine[plane=1]", speed: 400}}
"""


def test_an_exchange_reaches_a_nic_by_two_spines_where_one_does_not():
    # Of busbw 1 the second node sends the first 8 x 8 / 15, a third for each NIC. NIC 1 of the
    # second has no way, so that NIC 0 sends for NIC 1, too: over spine, leaf and spine.
    found = program.analysis(AROUND_ANOTHER_PLANE, "--collective", "all_to_all")
    fullest = max(one["load_GBps"] for one in found["limits"] if one["link"] == NODE_LEAF)
    assert fullest / found["busbw_GBps"] == pytest.approx(2 * 64 / 15 / 3, rel=1e-5)
    assert disagreements(AROUND_ANOTHER_PLANE, compare.exchanges, compare.rings) == []


ONE_PLUG_FOR_A_DEALT_AND_A_SINGLE_CABLE = """\
toposmith: 2
name: a leaf's single cable shares a plug with a cable that is dealt to the same spine
groups:
  leaf: {part: qm8700}
  spine: {part: qm8700, count: 4}
links:
  - {between: [spine, leaf], cables: 2, speed: 100, length: 30}
cables:
  - {a: "leaf.port[3]", z: "spine[spine=2].port[0]"}
"""


def test_cables_of_one_plug_have_ports_side_by_side():
    # docs/cable-schedule.md: the cage of a plug is that of its first cable in the order of links.
    rows = program.graph(ONE_PLUG_FOR_A_DEALT_AND_A_SINGLE_CABLE)[1]
    at_spine_2 = sorted(row.z_port for row in rows if row.a == "spine-2")
    assert at_spine_2 == ["3/1", "3/2"]
    assert sorted(row.z_port for row in rows if row.a == "spine-3") == ["4/1", "4/2"]
    assert disagreements(ONE_PLUG_FOR_A_DEALT_AND_A_SINGLE_CABLE, compare.switch_ports) == []


HALF_ABSENT = f"""\
toposmith: 1
name: of four places the first two are empty
groups:
  node: {{part: hgx-h100-8, count: 4, {NDR % 1}}}
  leaf: {{part: qm9700}}
links:
  - {{between: [node, leaf]}}
absent: ["node[node=0..1]"]
"""


def test_two_nodes_on_a_switch_have_the_bisection_of_one_port():
    assert program.analysis(HALF_ABSENT)["bisection_GBps"] == 50
    assert disagreements(HALF_ABSENT, compare.bisection) == []


THIN_RACK = f"""\
toposmith: 1
name: one rack of four has one uplink left of eight
axes: {{rack: 4}}
groups:
  node: {{part: hgx-h100-4, per: [rack], count: 2, {NDR % 4}}}
  leaf: {{part: qm9700, per: [rack]}}
  spine: {{part: qm9700}}
links:
  - {{between: [node, leaf]}}
  - {{between: [leaf, spine], cables: 8}}
down: ["7 of leaf[rack=%d] - spine"]
"""


@pytest.mark.parametrize("rack", range(4))
def test_a_thin_rack_bounds_all_to_all_whatever_its_number(rack):
    # 8 of 32 GPUs send 8 x 24 / 31 of busbw out by 50 GB/s.
    found = program.analysis(THIN_RACK % rack, "--collective", "all_to_all")
    assert found["bound_busbw_GBps"] == pytest.approx(50 * 31 / (8 * 24))


UNLIKE_PAIR = """\
toposmith: 1
name: two nodes cabled to each other, one with slower NICs
groups:
  a: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr, count: 1}}}
  b: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr100, count: 1}}}
links:
  - {between: [a, b]}
"""


def test_a_nic_that_another_node_slows_down_is_a_finding():
    (slowed,) = [one for one in program.findings(UNLIKE_PAIR) if one["code"] == "nic-slowed"]
    assert slowed["text"].endswith("runs at 100 of its 200 Gb/s against the NICs of b")


NO_SUCH_CABLE = f"""\
toposmith: 1
name: a selector for cables between two racks, where none are
axes: {{rack: 2}}
groups:
  node: {{part: hgx-h100-8, per: [rack], {NDR % 1}}}
  leaf: {{part: qm9700, per: [rack]}}
  spine: {{part: qm9700}}
links:
  - {{between: [node, leaf]}}
  - {{between: [leaf, spine]}}
absent: ["node[rack=0] - leaf[rack=1]"]
"""


def test_a_selector_that_names_no_cable_is_a_finding():
    # docs/findings.md, bad-selector: it selects what the design has not.
    assert "bad-selector" in {one["code"] for one in program.findings(NO_SUCH_CABLE)}


UNLIKE_RAILS = f"""\
toposmith: 1
name: one NIC of a node is lost, so the others are sent more
groups:
  node: {{part: hgx-h100-4, count: 3, {NDR % 2}}}
  leaf: {{part: qm9700, count: 2}}
  spine: {{part: qm9700}}
links:
  - {{between: [node, leaf]}}
  - {{between: [leaf, spine]}}
down: ["node[node=0].compute[1]"]
"""


def test_what_a_nic_sends_comes_over_its_pcie_link():
    groups = ["n0", "n1", "n2"]
    text = UNLIKE_RAILS.replace("node[node=0]", "n0").replace(
        "  - {between: [node, leaf]}\n",
        "".join(f"  - {{between: [{name}, leaf]}}\n" for name in groups),
    )
    line = next(line for line in text.splitlines(keepends=True) if line.startswith("  node:"))
    one = line.replace(", count: 3,", ",")
    text = text.replace(line, "".join(one.replace("node", name) for name in groups))
    loads = {
        row["link"]: row["load_GBps"]
        for row in program.analysis(text, "--collective", "all_to_all")["limits"]
    }
    for name in groups:
        assert loads[f"{name} NIC through CPU"] >= loads[f"{name}.compute - leaf"] - 1e-6


BY_WAY_OF_A_NODE = f"""\
toposmith: 1
name: two nodes have no rail in common, a third has both
groups:
  a: {{part: hgx-h100-8, {NDR % 1}}}
  b: {{part: hgx-h100-8, {NDR % 2}}}
  c: {{part: hgx-h100-8, {NDR % 1}}}
  left: {{part: qm9700}}
  right: {{part: qm9700}}
links:
  - {{between: [a, left]}}
  - {{between: [b, left], cables: 1}}
  - {{between: [b, right], cables: 1}}
  - {{between: [c, right]}}
"""


def test_a_bound_counts_ways_over_the_gpus_of_other_nodes():
    found = program.analysis(BY_WAY_OF_A_NODE, "--collective", "all_gather")
    expected = cuts.all_gather_busbw(cuts.cluster(expand(BY_WAY_OF_A_NODE)))
    assert found["bound_busbw_GBps"] == pytest.approx(float(expected))


def _islands(*lengths: int) -> str:
    """Rings of leaves, two cables from one to the next, each with a node and a cable to one hub."""
    groups, links = ["hub: {part: qm9700}"], []
    for island, length in enumerate(lengths):
        ring = [f"{island}x{place}" for place in range(length)]
        groups += [f"n{one}: {{part: hgx-h100-4, {NDR % 4}}}" for one in ring]
        groups += [f"l{one}: {{part: qm9700}}" for one in ring]
        links += [f"n{one}, l{one}]" for one in ring]
        links += [f"l{one}, hub], cables: 1" for one in ring]
        links += [f"l{one}, l{other}], cables: 2" for one, other in pairwise([*ring, ring[0]])]
    return "\n".join(
        [
            "toposmith: 1",
            "name: islands",
            "groups:",
            *(f"  {one}" for one in groups),
            "links:",
            *(f"  - {{between: [{one}}}" for one in links),
        ]
    )


@pytest.mark.parametrize("lengths", [(3, 3, 6), (6, 3, 3), (3, 6, 3), (5, 3), (3, 5), (4, 6, 3)])
def test_the_optimum_does_not_depend_on_the_order_of_groups(lengths):
    found = program.analysis(_islands(*lengths), "--collective", "all_gather")
    expected = cuts.all_gather_busbw(cuts.cluster(expand(_islands(*lengths))))
    assert found["bound_is"] == "bound"
    assert found["bound_busbw_GBps"] == pytest.approx(float(expected))


@pytest.mark.parametrize("lengths", [(6, 3, 3), (3, 6, 3)])
def test_halves_of_groups_do_not_depend_on_their_order(lengths):
    text = _islands(*lengths)
    lines = text.splitlines()
    at = [lines.index("groups:") + 1, lines.index("links:")]
    groups = lines[slice(*at)]
    # not backwards: then the first half of them is the other half, which has the same cut
    other = "\n".join(
        [*lines[: at[0]], *groups[1::3], *groups[::3], *groups[2::3], *lines[at[1] :]]
    )
    found = [program.analysis(one, "--collective", "all_to_all") for one in (text, other)]
    for key in ("bisection_GBps", "bound_busbw_GBps"):
        assert found[0][key] == found[1][key]


TWO_LEAVES = f"""\
toposmith: 1
name: a node of two NICs on each of two leaves, two cables wherever there is a choice
groups:
  a: {{part: hgx-h100-8, {NDR % 2}}}
  b: {{part: hgx-h100-8, {NDR % 2}}}
  left: {{part: qm9700}}
  right: {{part: qm9700}}
  spine: {{part: qm9700}}
links:
  - {{between: [a, left]}}
  - {{between: [b, right]}}
"""
TRUNK = "  - {between: [left, right], cables: 2}\n"
BY_A_SPINE = "".join(f"  - {{between: [{leaf}, spine], cables: 2}}\n" for leaf in ("left", "right"))


def _mean_of_fullest(choices: int) -> Fraction:
    """Connections on the fullest cable, where so many switches hash two onto two cables each."""
    fullest = [
        max(max(Counter(pair).values()) for pair in zip(hashed[::2], hashed[1::2], strict=True))
        for hashed in product(range(2), repeat=2 * choices)
    ]
    return Fraction(sum(fullest), len(fullest))


@pytest.mark.parametrize(
    ("links", "choices", "mean"),
    # Each way: at the leaf, and where there is a spine on its way down, too.
    [(TRUNK, 2, Fraction(7, 4)), (BY_A_SPINE, 4, Fraction(31, 16))],
    ids=["from leaf to leaf", "over a spine"],
)
def test_a_ring_under_static_routing_waits_for_the_fullest_cable(links, choices, mean):
    assert _mean_of_fullest(choices) == mean
    options = ("--collective", "all_gather", "--with", "algorithm=ring", "--routing", "static")
    found = program.analysis(TWO_LEAVES + links, *options)
    loads = [row["load_GBps"] for row in found["limits"] if row["link"].startswith("left - ")]
    assert max(loads) / found["busbw_GBps"] == pytest.approx(float(mean / 2))


SOCKETS_UNKNOWN = """\
toposmith: 1
name: the part does not say what its sockets exchange
groups:
  node: {part: rtx-pro-6000-8, count: 2, nics: {compute: {part: connectx-7-ndr, count: 1}}}
  leaf: {part: qm9700}
links:
  - {between: [node, leaf]}
"""


def test_a_bound_that_rests_on_an_assumed_link_is_not_called_exact():
    found = program.analysis(SOCKETS_UNKNOWN, "--collective", "all_gather")
    assert [cut["link"] for cut in found["bound_cut"]] == ["node sockets"]
    assert found["bound_is"] == "assumed"


@pytest.mark.parametrize("part", ["gb200-nvl72-tray", "dgx-b300", "rtx-pro-6000-8"])
def test_what_holds_with_nothing_between_sockets_rests_on_no_assumption(part):
    # the rate between sockets changes nothing where NVLink joins the GPUs beside them
    text = f"toposmith: 2\nname: one node\ngroups:\n  node: {{part: {part}}}\nlinks: []\n"
    found = program.analysis(text, "--collective", "all_gather")
    # the number of NVLinks of a B300 is in doubt, which is another reason
    doubtful = {"rtx-pro-6000-8", "dgx-b300"}
    assert found["bound_is"] == ("assumed" if part in doubtful else "exact")
    assert ("sockets" in str(found["labels"])) == (part == "rtx-pro-6000-8")


STORAGE_ON_A_LEAF = """\
toposmith: 1
name: storage on the leaf of the nodes
groups:
  node: {part: dgx-a100, count: 2}
  store: {part: ddn-ai400x2, count: 3}
  leaf: {part: qm8790}
links:
  - {between: [node.compute, leaf]}
  - {between: [store, leaf]}
"""


def test_storage_is_no_tier():
    found = program.analysis(STORAGE_ON_A_LEAF)["tiers"]
    assert [(tier["tier"], tier["devices"]) for tier in found] == [("leaf", 1)]
