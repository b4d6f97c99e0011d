"""Links in another order cable other ports: a difference where they do, and none where not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.every_design import EVERY
from tests.laid_beside import named
from tests.review.mistakes.seeded import TWO_LEAF_GROUPS, but
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.bill.terms import design_digest
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.differences.changes import Change, dealt_otherwise
from toposmith.review.differences.consequences import Differences, differences
from toposmith.review.differences.differences_table import headline

CATALOG = load_catalog(user=False)
STRAIGHT = parse_design(f"toposmith: 1\n{TWO_LEAF_GROUPS}", "test")
FEW = [name for name, design in EVERY.items() if len(design.links) > 1 and "131072" not in name]


def with_links(design: Design, order: Sequence[int]) -> Design:
    return design.model_copy(update={"links": tuple(design.links[at] for at in order)})


def with_groups(design: Design, *names: str) -> Design:
    return design.model_copy(update={"groups": {name: design.groups[name] for name in names}})


def compared(old: Design, new: Design) -> Differences:
    return differences(named("old", old, CATALOG), named("new", new, CATALOG))


def ports_by_hand(plan: Plan) -> Mapping[tuple[str, str], list[str]]:
    """For every slot group, the far end of each of its ports: a walk over the links of the file."""
    ports: dict[tuple[str, str], list[str]] = {}
    for link in plan.links:
        ends = plan.design.links[link.index].between
        for near, far, peers in (
            (link.a, ends[1], link.peers_of_a),
            (link.b, ends[0], link.peers_of_b),
        ):
            if near.ports:
                dealt = [f"{far} {at % peers}" for at in range(peers * link.cables_per_pair)]
                ports.setdefault((near.group, near.ports), []).extend(dealt)
    return ports


def test_rails_exchanged_over_two_leaf_groups_are_a_change_with_the_ports() -> None:
    thin = parse_design(
        "toposmith: 1\n" + but(TWO_LEAF_GROUPS, ("cables: 8", "cables: 1")),
        "test",
    )
    found = compared(thin, with_links(thin, (0, 1, 3, 2, 4, 5)))
    assert set(found.changes) == {
        Change("changed", "link", "b.compute - left ports of b.compute", "0 to 3", "4 to 7"),
        Change("changed", "link", "b.compute - right ports of b.compute", "4 to 7", "0 to 3"),
    }
    assert headline(found).startswith("2 changes; all-reduce busbw ")
    assert "all-reduce busbw" in found.worse
    assert [one.code for one in found.gained] == ["rails-crossed"]


def test_the_same_ports_written_otherwise_are_no_difference() -> None:
    """The order of links at switches, or of links that share no slots, cables no other port."""
    same = with_links(STRAIGHT, (4, 2, 0, 5, 3, 1))
    assert ports_by_hand(plan_design(same, CATALOG)) == ports_by_hand(
        plan_design(STRAIGHT, CATALOG)
    )
    assert headline(compared(STRAIGHT, same)) == "No differences."
    turned = STRAIGHT.model_copy(
        update={
            "links": tuple(
                link.model_copy(update={"between": link.between[::-1]}) for link in STRAIGHT.links
            )
        }
    )
    assert headline(compared(STRAIGHT, turned)) == "No differences."


def test_groups_in_another_order_are_a_change_where_ranks_go_elsewhere() -> None:
    """Pairs of nodes under one leaf, or over the thin spine, by the order of the groups."""
    text = """toposmith: 1
groups:
  a: {part: dgx-h100}
  b: {part: dgx-h100, count: 2}
  c: {part: dgx-h100}
  near: {part: qm9700}
  far: {part: qm9700}
  spine: {part: qm9700}
links:
  - {between: [a.compute, near]}
  - {between: [b.compute, far]}
  - {between: [c.compute, near]}
  - {between: [near, spine], cables: 1}
  - {between: [far, spine], cables: 1}
communicator: {layout: "tp=16,dp=2", group: tp}
"""
    crossing = parse_design(text, "test")
    beside = with_groups(crossing, "a", "c", "b", "near", "far", "spine")
    found = compared(crossing, beside)
    busbw = next(one for one in found.figures if one.key == "busbw_all_reduce")
    assert busbw.differs and not busbw.worse
    assert found.changes == (
        Change(
            "changed",
            "order",
            "groups",
            "a, b, c, near, far, spine",
            "a, c, b, near, far, spine",
        ),
    )


@pytest.mark.parametrize("name", FEW)
def test_no_design_that_comes_along_says_0_changes_over_a_changed_figure(name: str) -> None:
    design = EVERY[name]
    turned = with_links(design, range(len(design.links) - 1, -1, -1))
    found = compared(design, turned)
    old, new = (ports_by_hand(plan_design(each, CATALOG)) for each in (design, turned))
    assert bool(found.changes) or old == new
    assert bool(found.changes) or not any(figure.differs for figure in found.figures)
    assert "0 changes" not in headline(found)


@settings(max_examples=30)
@given(designs(), st.data())
def test_ports_are_a_change_exactly_where_a_walk_over_the_file_says_so(
    plan: Plan, data: st.DataObject
) -> None:
    links = plan.design.links
    ends = [frozenset(link.between) for link in links]
    assume(len(set(ends)) == len(ends))
    order = data.draw(st.permutations(range(len(links))))
    other = plan_design(with_links(plan.design, order), SMALL)
    moved = bool(list(dealt_otherwise(plan, other)))
    assert moved == (ports_by_hand(plan) != ports_by_hand(other))


def test_groups_of_switches_in_another_order_are_no_difference() -> None:
    text = "toposmith: 1\naxes: {su: 2, rail: 4}\ngroups:\n  node: {part: dgx-h100, per: [su]}\n"
    leaves = ("  odd: {part: qm9700, per: [su]}\n", "  even: {part: qm9700, per: [su]}\n")
    links = (
        "links:\n  - {between: [node.compute, odd], cables: 4}\n"
        "  - {between: [node.compute, even], cables: 4}\n"
    )
    one, other = (
        parse_design(f"{text}{''.join(each)}{links}", "x") for each in (leaves, leaves[::-1])
    )
    found = compared(one, other)
    assert (found.differ, found.gained, found.resolved) == (False, (), ())
    turned = one.model_copy(update={"axes": dict(reversed(one.axes.items()))})
    assert design_digest(turned) == design_digest(one)
