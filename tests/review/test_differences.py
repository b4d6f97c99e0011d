"""What changed between two designs, and what follows, each by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from tests.laid_beside import named
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.bill.bill import placed_bill
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.edits import rename_group
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.differences.changes import Change, changes
from toposmith.review.differences.consequences import Differences, cost_label, differences
from toposmith.review.differences.differences_table import (
    change_words,
    differences_as_data,
    differences_table,
    headline,
)

CATALOG = load_catalog()
OLD: dict[str, Any] = {
    "toposmith": 1,
    "name": "pod",
    "axes": {"su": 2, "rail": 8},
    "groups": {
        "node": {"part": "dgx-h100", "per": ["su"], "count": 16},
        "leaf": {"part": "qm9700", "per": ["su", "rail"]},
        "spine": {"part": "qm9700", "count": 4},
    },
    "links": [
        {"between": ["node.compute", "leaf"], "length": 10},
        {"between": ["leaf", "spine"], "cables": 4, "length": 20},
    ],
}


def design(**changed: Any) -> Design:
    return Design.model_validate({**OLD, **changed})


def compared(old: Design, new: Design) -> Differences:
    return differences(named("old", old, CATALOG), named("new", new, CATALOG))


def groups(**changed: Any) -> dict[str, Any]:
    return {name: {**OLD["groups"][name], **changed.get(name, {})} for name in OLD["groups"]}


def test_a_design_does_not_differ_from_itself_or_by_where_it_is_drawn() -> None:
    moved = design(view={"positions": {"leaf": 3}})
    found = compared(design(), moved)
    assert not found.differ
    assert headline(found) == "No differences."


def test_a_renamed_group_is_the_same_group() -> None:
    new = rename_group(design(down=("spine[spine=1]",)), "spine", "top").design
    assert changes(design(down=("spine[spine=1]",)), new) == (
        Change("renamed", "group", "top", "spine", "top"),
    )
    found = compared(design(), rename_group(design(), "spine", "top").design)
    assert not any(figure.differs for figure in found.figures)
    assert found.parts == ()


def test_a_group_that_is_renamed_and_grows_is_still_the_same() -> None:
    new = design(
        groups={**groups(), "spine": {"part": "sn5600", "count": 4}},
    )
    assert {change.where for change in changes(design(), new)} == {"spine part"}
    bigger = rename_group(design(groups=groups(node={"count": 20})), "node", "gpu-node").design
    assert changes(design(), bigger) == (
        Change("renamed", "group", "gpu-node", "node", "gpu-node"),
        Change("changed", "group", "gpu-node count", "16", "20"),
    )


def test_two_groups_that_could_be_meant_are_not_guessed_at() -> None:
    two = {name: {"part": "qm9700", "count": 2} for name in ("a", "b")}
    other = {name: {"part": "qm9700", "count": 2} for name in ("c", "d")}
    found = changes(design(groups=two, links=()), design(groups=other, links=()))
    assert sorted((change.what, change.where) for change in found) == [
        ("added", "c"),
        ("added", "d"),
        ("removed", "a"),
        ("removed", "b"),
    ]


def test_fewer_uplinks_are_a_change_with_consequences() -> None:
    thin = [OLD["links"][0], {**OLD["links"][1], "cables": 2}]
    found = compared(design(), design(links=thin))
    assert found.changes == (Change("changed", "link", "leaf - spine cables", "4", "2"),)
    figures = {figure.key: figure for figure in found.figures}
    ratio = figures["oversubscription_leaf"]
    assert (ratio.before, ratio.after, ratio.worse) == (1.0, 2.0, True)
    assert figures["busbw_all_to_all"].worse
    assert not figures["busbw_all_reduce"].differs
    assert "leaf oversubscription" in found.worse
    gained = [finding.code for finding in found.gained]
    assert gained == ["oversubscribed", "idle-ports"], "half of the spines' ports would do"
    back = compared(design(links=thin), design())
    assert [finding.code for finding in back.resolved] == gained
    assert back.worse == ()


def test_a_node_more_in_each_unit_is_two_nodes_to_buy() -> None:
    found = compared(design(), design(groups=groups(node={"count": 17})))
    parts = {part.part: part.buy for part in found.parts}
    assert parts["dgx-h100"] == 2
    # 8 compute ports each, one fibre a port; twin-port modules at the leaf, two ports a cage
    assert sum(part.buy for part in found.parts if part.length_m == 10) == 16
    less = compared(design(groups=groups(node={"count": 17})), design())
    assert {part.part: part.buy for part in less.parts} == {k: -v for k, v in parts.items()}


def test_an_axis_a_speed_a_length_and_what_is_down_are_changes() -> None:
    new = design(
        axes={"su": 3, "rail": 8},
        links=[OLD["links"][0], {**OLD["links"][1], "speed": 200, "length": 30}],
        down=["node[su=0, node=0]"],
    )
    assert set(changes(design(), new)) == {
        Change("changed", "axis", "su", "2", "3"),
        Change("changed", "link", "leaf - spine speed", "the fastest of both", "200 Gb/s"),
        Change("changed", "link", "leaf - spine length", "20 m", "30 m"),
        Change("added", "down", "node[su=0, node=0]"),
    }
    assert changes(design(down=["leaf[su=0,  rail=1]"]), design(down=["leaf[su=0, rail=1]"])) == ()


def test_what_is_unknown_stays_unknown_and_is_no_zero() -> None:
    found = compared(design(), design(groups=groups(spine={"part": "gone-from-the-catalog"})))
    figures = {figure.key: figure for figure in found.figures}
    assert figures["cost"].before is None
    assert not figures["cost"].differs
    assert figures["busbw_all_to_all"].after is None
    assert figures["busbw_all_to_all"].worse
    assert "unknown-part" in {finding.code for finding in found.gained}


def test_two_designs_without_a_group_in_common_are_compared_all_the_same() -> None:
    other = Design.model_validate(
        {
            "toposmith": 1,
            "groups": {"host": {"part": "dgx-a100", "count": 2}, "tor": {"part": "qm8790"}},
            "links": [{"between": ["host.compute", "tor"]}],
        }
    )
    found = compared(design(), other)
    assert found.nothing_in_common
    assert {(c.what, c.where) for c in found.changes if c.kind == "group"} == {
        *(("removed", name) for name in ("node", "leaf", "spine")),
        *(("added", name) for name in ("host", "tor")),
    }
    assert found.differ
    assert not compared(design(), design()).nothing_in_common


def test_the_tables_and_the_data_say_the_same() -> None:
    found = compared(design(), design(groups=groups(node={"count": 17})))
    data = differences_as_data(found)
    kinds = Counter(row.words[0] for row in differences_table(found).rows)
    assert kinds["change"] == len(data["changes"]) == 1
    assert kinds["part"] == len(data["parts"])
    assert kinds["figure"] == len(data["figures"])
    assert data["differ"] is True


@settings(max_examples=25)
@given(designs(), designs())
def test_changes_back_and_forth_are_each_others_mirror(one: Plan, other: Plan) -> None:
    there, back = changes(one.design, other.design), changes(other.design, one.design)
    assert bool(there) == bool(back) == (one.design != other.design)
    added = [(c.kind, c.after) for c in there if c.what == "added"]
    removed = [(c.kind, c.before) for c in back if c.what == "removed"]
    assert sorted(added) == sorted(removed)


@settings(max_examples=6)
@given(designs(), designs())
def test_what_is_bought_one_way_is_returned_the_other(one: Plan, other: Plan) -> None:
    a, b = (named("", plan.design, SMALL) for plan in (one, other))
    there, back = differences(a, b), differences(b, a)
    assert {p.part: p.buy for p in there.parts} == {p.part: -p.buy for p in back.parts}
    assert [f.code for f in there.gained] == [f.code for f in back.resolved]


@pytest.mark.parametrize("name", ["node", "leaf", "spine"])
def test_any_group_can_be_renamed(name: str) -> None:
    found = changes(design(), rename_group(design(), name, "another").design)
    assert [change.what for change in found] == ["renamed"]


def test_blocks_are_compared_key_by_key_in_the_words_of_the_file() -> None:
    placement = {"rack": "apc-ar3357", "feeds": {"pdu": "apc-ap8886", "count": 3}}
    old = design(placement=placement, bill={"spares": {"nodes": 1, "cables": "2 %"}})
    new = design(placement={**placement, "rack": "apc-ar3300"}, workload={"layout": {"tp": 8}})
    assert changes(old, new) == (
        Change("added", "workload", "layout.tp", "", "8"),
        Change("changed", "placement", "rack", "apc-ar3357", "apc-ar3300"),
        Change("removed", "bill", "spares.nodes", "1"),
        Change("removed", "bill", "spares.cables", "2 %"),
    )


def test_a_waiver_is_named_by_its_code_and_place() -> None:
    waiver = {"code": "oversubscribed", "where": "leaf", "reason": "later", "date": "2026-01-01"}
    new = design(waivers=[{**waiver, "reason": "never"}])
    assert changes(design(waivers=[waiver]), new) == (
        Change("changed", "waivers", "oversubscribed at leaf.reason", "later", "never"),
    )


def test_what_runs_slow_and_what_is_cabled_by_itself_are_changes_of_their_own() -> None:
    cable = {"a": "node[node=0].compute[0]", "z": "leaf[su=0,rail=1]", "length": 3.0}
    other = {**cable, "z": "leaf[su=0,rail=2]"}
    old = design(slow={"leaf - spine": "50 %", "leaf": 200}, cables=[cable])
    new = design(slow={"leaf  -  spine": "25 %", "spine": 100}, cables=[other])
    assert changes(old, new) == (
        Change("changed", "slow", "leaf - spine", "50 %", "25 %"),
        Change("removed", "slow", "leaf", "200 Gb/s"),
        Change("added", "slow", "spine", "", "100 Gb/s"),
        Change(
            "changed",
            "cables",
            "node[node=0].compute[0]",
            "leaf[su=0,rail=1], 3 m",
            "leaf[su=0,rail=2], 3 m",
        ),
    )
    renamed = rename_group(old, "spine", "top").design
    assert changes(old, renamed) == (Change("renamed", "group", "top", "spine", "top"),)


def test_jobs_are_compared_by_their_names_and_follow_renamed_groups() -> None:
    text = (
        "toposmith: 2\ngroups: {node: {part: dgx-h100, count: 8}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
        'jobs: [{name: train, nodes: "node[node=0..3]", runs: all_reduce, size: 1GiB}]\n'
    )
    old = parse_design(text, "test")
    renamed = rename_group(old, "node", "host").design
    assert not [one for one in changes(old, renamed) if one.kind.startswith("job")]
    grown = parse_design(
        text.replace("0..3", "0..5").rstrip("]\n") + ", {nodes: 2, runs: read, seed: 3}]\n", "test"
    )
    found = [one for one in changes(old, grown) if one.kind == "job"]
    assert [(one.what, one.where) for one in found] == [("changed", "train"), ("added", "job 2")]
    assert found[0].after == "node[node=0..5], all_reduce, 1GiB"
    assert found[1].after == "2 nodes, seed=3, read"
    assert len(changes(old, grown)) == 2


def test_every_figure_says_what_kind_it_is() -> None:
    """Counts follow from the design; halves are a bound; without prices no cost is known."""
    data = differences_as_data(compared(design(), design(groups=groups(spine={"count": 2}))))
    kinds = {one["figure"]: (one["before_is"], one["after_is"]) for one in data["figures"]}
    for name in ("gpus", "nodes", "oversubscription_leaf"):
        assert kinds[name] == ("exact", "exact"), name
    assert kinds["bisection"] == ("bound", "bound")
    assert kinds["cost"] == ("unknown", "unknown")
    assert kinds["busbw_all_reduce"] == ("model", "model")
    for one in data["figures"]:
        for when in ("before", "after"):
            floor = one.get(f"{when}_at_least")
            unknown = "unknown" if floor is None else "at least"
            assert (one[when] is None) == (one[f"{when}_is"] == unknown), one


def test_a_cost_that_rests_on_assumed_lengths_is_assumed_and_others_are_exact() -> None:
    plan = plan_design(design(), CATALOG)
    bill = placed_bill(plan, CATALOG)
    assert any(one.label == "assumed" for one in bill.to_settle)
    assert cost_label(bill).kind == "assumed"
    assert cost_label(replace(bill, to_settle=())).kind == "exact"


def test_counts_are_never_rounded_to_the_same() -> None:
    # one node in 1,500 is less than a per mille
    racks = Design.model_validate(
        {
            "toposmith": 1,
            "axes": {"rack": 1500},
            "groups": {
                "node": {"part": "dgx-h100", "per": ["rack"]},
                "leaf": {"part": "qm9700", "per": ["rack"]},
            },
            "links": [{"between": ["node.compute", "leaf"]}],
        }
    )
    fewer = racks.model_copy(update={"down": ("node[rack=0]",)})
    counts = {f.key: f for f in compared(racks, fewer).figures if f.key in ("gpus", "nodes")}
    assert {key: (one.before, one.after) for key, one in counts.items()} == {
        "gpus": (12000, 11992),
        "nodes": (1500, 1499),
    }
    assert {key: change_words(one) for key, one in counts.items()} == {"gpus": "-8", "nodes": "-1"}
    alike = {f.key: f for f in compared(racks, racks).figures}
    assert change_words(alike["gpus"]) == "same"


def test_a_finding_whose_waiver_is_another_is_changed_and_not_gained_and_resolved() -> None:
    thin = [OLD["links"][0], {**OLD["links"][1], "cables": 2}]
    waived = {"code": "oversubscribed", "where": "leaf", "reason": "known", "date": "2026-01-31"}
    old, new = design(links=thin), design(links=thin, waivers=[waived])
    found = compared(old, new)
    assert (found.gained, found.resolved) == ((), ())
    ((was, now),) = found.changed
    assert (was.code, was.waived, now.code) == ("oversubscribed", None, "oversubscribed")
    assert now.waived is not None
    assert found.worse == ()
    assert "0 findings gained, 0 resolved, 1 changed" in headline(found)
    (row,) = (row for row in differences_table(found).rows if row.key == "changed 0")
    assert "waived" in row.words[3]
    data = differences_as_data(found)["findings_changed"]
    assert [(one["before"]["code"], "waived" in one["after"]) for one in data] == [
        ("oversubscribed", True)
    ]
    back = compared(new, old)  # a waiver that is taken away is worse
    assert any(line.startswith("oversubscribed") for line in back.worse)
