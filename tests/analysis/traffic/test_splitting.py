"""What each device sends over which cable where cables are lost or unlike, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.node_hops import carried
from tests.small_designs import CATALOG
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.classes import Arc
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved

TWO_LEAVES = """\
toposmith: 1
axes: {su: 2}
groups:
  leaf: {part: switch, per: [su]}
  node: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 1}}}
  spine: {part: switch, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""

THREE_TIERS = """\
toposmith: 1
axes: {pod: 2}
groups:
  leaf: {part: switch, per: [pod]}
  node: {part: node1, per: [pod], nics: {compute: {part: nic-1x100, count: 1}}}
  spine: {part: switch, per: [pod], count: 2}
  core: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core], cables: 2}
"""

UNLIKE_SPEEDS = """\
toposmith: 1
axes: {su: 2}
groups:
  leaf: {part: switch, per: [su]}
  node: {part: node1, per: [su], nics: {compute: {part: nic-1x100, count: 1}}}
  spine: {part: switch}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
  - {between: [leaf, spine], speed: 50}
"""


def network(text: str, *down: str) -> ComputeNetwork:
    plan = plan_design(parse_design(f"{text}down: {list(down)}\n", "test"), CATALOG)
    assert not plan.findings
    return ComputeNetwork(plan)


def ring(of: ComputeNetwork, *, weighted: bool = True) -> dict[Arc, float]:
    return carried(of, mode="ideal" if weighted else "static")


def between(of: ComputeNetwork, loads: dict[Arc, float], link: int, start: str) -> list[float]:
    """Loads of one direction of a link: a figure for each class of cables, from the least."""
    edges = of.classes.graph.edges
    return sorted(
        load
        for (u, v, key), load in loads.items()
        if edges[u, v, key]["link"] == link and u[1] == start
    )


LOST = "1 of leaf[su=0,leaf=0] - spine[spine=0]"


def test_a_spine_that_lost_one_of_two_cables_gets_half_of_what_the_other_does() -> None:
    # up from leaf 0 there are 1 and 2 cables: a third each. Up from leaf 1 both spines have 2, but
    # spine 0 can pass on only one cable's worth: 1/3 over its 2 cables, 2/3 over those of spine 1
    of = network(TWO_LEAVES, LOST)
    loads = ring(of)
    assert between(of, loads, 1, "leaf") == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 3])
    assert between(of, loads, 1, "spine") == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 3])


def test_equal_shares_send_that_spine_as_much_as_the_other() -> None:
    # leaf 1 splits over its 4 cables; spine 0 has the half of it that it got for one cable
    of = network(TWO_LEAVES, LOST)
    loads = ring(of, weighted=False)
    assert between(of, loads, 1, "leaf") == pytest.approx([1 / 4, 1 / 4, 1 / 3, 1 / 3])
    assert between(of, loads, 1, "spine") == pytest.approx([1 / 6, 1 / 4, 1 / 3, 1 / 2])


def test_a_cable_lost_below_the_core_is_weighed_two_tiers_further_down() -> None:
    # the core is reached with 1 cable by spine 0 of pod 0 and with 2 by spine 1. Leaf 0 has 2 to
    # either, sends 1/3 and 2/3, and so does the core on the way back. Pod 1 sends its halves evenly
    of = network(THREE_TIERS, "1 of spine[pod=0,spine=0] - core[core=0]")
    loads = ring(of)
    assert between(of, loads, 1, "leaf") == pytest.approx([1 / 6, 1 / 4, 1 / 4, 1 / 3])
    assert between(of, loads, 2, "spine") == pytest.approx([1 / 4, 1 / 4, 1 / 3, 1 / 3])
    assert between(of, loads, 2, "core") == pytest.approx([1 / 4, 1 / 4, 1 / 3, 1 / 3])
    # equal shares: the half that spine 0 gets has one cable
    equal = ring(of, weighted=False)
    assert max(between(of, equal, 2, "spine")) == pytest.approx(1 / 2)


MANY_PODS = """\
toposmith: 1
axes: {pod: 2}
groups:
  leaf: {part: switch, per: [pod], count: 4}
  node: {part: node4, per: [pod], nics: {compute: {part: nic-1x100, count: 4}}}
  spine: {part: switch, per: [pod], count: 2}
  core: {part: switch, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
  - {between: [spine, core], cables: 2}
"""


def test_a_cable_lost_below_the_core_costs_one_of_all_that_join_the_pods() -> None:
    # 4 NICs of a node send 1 each to the other pod over 2 spines x 2 cores x 2 cables: 1/2 on each
    # of 8. With one lost, all of 7 carry 4/7, though a spine has but one cable to each leaf
    of = network(MANY_PODS)
    assert between(of, ring(of), 2, "spine") == pytest.approx([1 / 2])
    of = network(MANY_PODS, "1 of spine[pod=0,spine=0] - core[core=0]")
    for direction in ("spine", "core"):
        assert max(between(of, ring(of), 2, direction)) == pytest.approx(4 / 7)


def test_what_a_core_has_lost_to_the_only_spine_of_a_pod_is_known_beyond_it() -> None:
    # one spine a pod, two cables to each core: the core that keeps one of them gets a third of what
    # the other pod sends, so that all three cables down carry 4/3 of the 4 NICs' load
    of = network(
        MANY_PODS.replace("per: [pod], count: 2}", "per: [pod]}"),
        "1 of spine[pod=0,spine=0] - core[core=0]",
    )
    assert max(between(of, ring(of), 2, "core")) == pytest.approx(4 / 3)


def test_cables_of_one_bundle_bear_by_their_line_rates() -> None:
    of = network(UNLIKE_SPEEDS)
    loads = ring(of)
    assert between(of, loads, 1, "leaf") == pytest.approx([2 / 3])
    assert between(of, loads, 2, "leaf") == pytest.approx([1 / 3])


def superpod(*down: str) -> ComputeNetwork:
    """The DGX H100 SuperPOD of 127 nodes, with something down."""
    saved = find_saved("dgx-h100-superpod-4su")
    assert saved is not None
    design = load_file(saved.path).design.model_copy(update={"down": down})
    return ComputeNetwork(plan_design(design, load_catalog()))


@pytest.mark.parametrize(
    ("down", "cables"),
    [
        ((), 32),
        (("1 of leaf[su=0,rail=0,leaf=0] - spine[spine=0]",), 31),
        (("leaf[su=0,rail=0,leaf=0] - spine[spine=0]",), 30),
        (("spine[spine=0]",), 30),
    ],
)
def test_a_superpod_leaf_spreads_over_the_uplinks_that_it_has_left(
    down: tuple[str, ...], cables: int
) -> None:
    # a leaf has 32 NICs; each takes one rank's share, 1/1016, of each of the 8 ranks on each of the
    # 95 nodes in other SUs
    of = superpod(*down)
    loads = all_to_all_loads(of)
    expected = 32 * 95 * 8 / 1016 / cables
    assert max(between(of, loads, 1, "spine")) == pytest.approx(expected)
    assert max(between(of, loads, 1, "leaf")) == pytest.approx(expected)


def worst(of: ComputeNetwork) -> tuple[float, float] | None:
    """The fullest cable between switches of a ring and of an all-to-all; None where cut off."""
    if not all(of.live_slots.values()):
        return None
    edges = of.classes.graph.edges
    try:
        both = ring(of), all_to_all_loads(of)
    except Unreachable:
        return None
    fullest = [
        max(
            (
                load / edges[arc]["GBps"]
                for arc, load in loads.items()
                if edges[arc]["link"] is not None and all(end[0] == "device" for end in arc[:2])
            ),
            default=0.0,
        )
        for loads in both
    ]
    return fullest[0], fullest[1]


@st.composite
def clos(draw: st.DrawFn) -> tuple[str, str, int]:
    """A Clos fabric of two or three tiers, a pair of its switches, and the pair's cables."""
    pods, leaves = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    spines, cables = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    nodes = draw(st.integers(1, 3))
    three = draw(st.booleans())
    lines = [
        "toposmith: 1",
        f"axes: {{pod: {pods}}}",
        "groups:",
        f"  leaf: {{part: switch, per: [pod], count: {leaves}}}",
        f"  node: {{part: node2, per: [pod], count: {nodes}, "
        f"nics: {{compute: {{part: nic-1x100, count: {leaves}}}}}}}",
        f"  spine: {{part: switch, {'per: [pod], ' if three else ''}count: {spines}}}",
        *(["  core: {part: switch, count: 2}"] if three else []),
        "links:",
        "  - {between: [node.compute, leaf]}",
        f"  - {{between: [leaf, spine], cables: {cables}}}",
        *(["  - {between: [spine, core], cables: 3}"] if three else []),
    ]
    spine = "spine[pod=0,spine=0]" if three else "spine[spine=0]"
    if three and draw(st.booleans()):
        return "\n".join(lines) + "\n", f"{spine} - core[core=0]", 3
    return "\n".join(lines) + "\n", f"leaf[pod=0,leaf=0] - {spine}", cables


@settings(max_examples=30)
@given(clos())
def test_each_cable_of_a_bundle_that_a_clos_loses_leaves_less_or_the_same(
    drawn: tuple[str, str, int],
) -> None:
    # from nothing lost to the last cable but one, then the pair as a whole, in that order
    text, pair, cables = drawn
    steps = [(f"{lost} of {pair}",) if lost else () for lost in range(cables)]
    found = [worst(network(text, *down)) for down in (*steps, (pair,))]
    assume(found[-1] is not None)
    for fewer, more in zip(found[1:], found, strict=False):
        assert fewer is not None and more is not None
        assert all(less >= before - 1e-9 for less, before in zip(fewer, more, strict=True))


@settings(max_examples=30)
@given(clos())
def test_weighing_never_fills_a_clos_with_a_lost_cable_more_than_equal_shares_do(
    drawn: tuple[str, str, int],
) -> None:
    text, pair, cables = drawn
    assume(cables > 1)
    of = network(text, f"1 of {pair}")
    edges = of.classes.graph.edges
    for weighed, equal in (
        (ring(of), ring(of, weighted=False)),
        (all_to_all_loads(of), all_to_all_loads(of, weighted=False)),
    ):
        wired = [arc for arc in equal if edges[arc]["link"] is not None]
        assert max(weighed[arc] for arc in wired) <= max(equal[arc] for arc in wired) + 1e-9
