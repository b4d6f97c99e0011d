"""What is broken stays broken through edits, as many devices as before, or they tell it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from toposmith.catalog import load_catalog
from toposmith.design import edits
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.parser import parse_design
from toposmith.fabric.leaf_networks import dealt_ports
from toposmith.fabric.planner import plan_design

TEXT = """\
toposmith: 2
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""


CATALOG = load_catalog()


def faulty(*down: str, text: str = TEXT) -> Design:
    design = parse_design(text, "test")
    return design.model_copy(update={"down": down})


def planes(design: Design, many: int = 2) -> Edit:
    ports = dealt_ports(plan_design(design, CATALOG))
    return edits.add_planes(design, ["leaf", "spine"], many, ports=ports)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("spine[spine=0..5]", ("spine[spine=0..3]",)),
        ("spine[spine=2]", ("spine[spine=2]",)),
        ("spine[spine=4..5]", ()),
        ("spine", ("spine",)),
        ("leaf[su=1] - spine[spine=3..6]", ("leaf[su=1] - spine[spine=3]",)),
        ("2 of leaf - spine[spine=0..7]", ("2 of leaf - spine[spine=0..3]",)),
        ("node[su=0,node=3].compute[2]", ("node[su=0,node=3].compute[2]",)),
    ],
)
def test_of_fewer_spines_those_that_were_down_are_down(before: str, after: tuple[str, ...]) -> None:
    assert edits.set_count(faulty(before), "spine", 4).design.down == after


def test_whatever_names_devices_is_clipped_alike() -> None:
    span = "spine[spine=2..5]"
    design = faulty().model_copy(
        update={"absent": (span,), "slow": {f"leaf - {span}": 200}, "sets": {"a": (span,)}}
    )
    after = edits.set_count(design, "spine", 4).design
    assert after.absent == after.sets["a"] == ("spine[spine=2..3]",)
    assert after.slow == {"leaf - spine[spine=2..3]": 200}


def test_fewer_units_keep_the_faults_of_those_that_are_left() -> None:
    after = edits.set_axis(faulty("leaf[su=0..1,rail=3]", "node[su=1,node=4]"), "su", 1)
    assert after.design.down == ("leaf[su=0,rail=3]",)
    assert after.label == ("axis su: 1; faults dropped: leaf[su=1,rail=3], node[su=1,node=4]")


def test_switches_that_are_added_are_not_down() -> None:
    assert edits.set_count(faulty("spine[spine=0..5]"), "spine", 16).design.down == (
        "spine[spine=0..5]",
    )
    more_leaves = edits.set_count(faulty("leaf[su=0,rail=3]"), "leaf", 2)
    assert more_leaves.design.down == ("leaf[su=0,rail=3,leaf=0]",)


def boxes(design: Design, group: str) -> int:
    """Devices that are down, one looked at after the other."""
    plan = plan_design(design, CATALOG)
    assert not plan.findings
    spec = plan.groups[group]
    places = (dict(zip(spec.axes, at, strict=True)) for at in product(*map(range, spec.sizes)))
    return sum(
        any(one.first.group == group and one.first.matches(at) for one in plan.down)
        for at in places
    )


def test_leaves_that_are_doubled_for_planes_are_not_down_twice() -> None:
    text = TEXT.replace("rail: 8", "rail: 4").replace("[su, rail]}", "[su, rail], count: 1}")
    after = planes(faulty("leaf[su=0,rail=3]", text=text))
    assert boxes(after.design, "leaf") == 1


def test_a_cable_within_a_plane_stays_down_and_one_across_is_told() -> None:
    # rail 3 becomes the second plane of its two rails, spines 4..7 are those of that plane
    within = planes(faulty("leaf[su=0,rail=3] - spine[spine=5]"))
    assert within.design.down == ("leaf[su=0,rail=1,plane=1] - spine[plane=1,spine=1]",)
    across = planes(faulty("leaf[su=0,rail=3] - spine[spine=2]"))
    assert across.design.down == ()
    assert across.label == (
        "divide leaf, spine into 2 planes; faults dropped: leaf[su=0,rail=3] - spine[spine=2]"
    )


@pytest.mark.parametrize(
    ("edit", "label"),
    [
        (
            lambda design: edits.make_top_of_rack(design, "leaf", "node", dealt=(0,)),
            "make leaf top-of-rack; faults dropped: leaf[su=0,rail=5]",
        ),
        (
            lambda design: edits.set_per(design, "leaf", ("su",)),
            "leaf: repeat per su; faults dropped: leaf[su=0,rail=5]",
        ),
        (
            lambda design: edits.remove_group(design, "leaf"),
            "delete leaf; faults dropped: leaf[su=0,rail=5]",
        ),
        (
            lambda design: edits.remove_groups(design, ["leaf", "spine"]),
            "delete leaf, spine; faults dropped: leaf[su=0,rail=5]",
        ),
    ],
)
def test_a_fault_without_a_counterpart_is_told(edit: Callable[[Design], Edit], label: str) -> None:
    done = edit(faulty("leaf[su=0,rail=5]"))
    assert done.label == label
    assert done.design.down == ()


def test_many_faults_that_go_are_counted() -> None:
    done = edits.set_count(faulty(*(f"spine[spine={at}]" for at in range(4, 8))), "spine", 4)
    assert done.label == "spine: count 4; faults dropped: 4"


def test_a_unit_that_is_repeated_is_broken_once() -> None:
    one = TEXT.replace("su: 2, ", "").replace("per: [su], ", "").replace("[su, rail]", "[rail]")
    before = faulty("leaf[rail=3]", "spine[spine=1]", text=one)
    done = edits.repeat_groups(before, ["node", "leaf"], "su", 2, dealt=(0,))
    assert done.design.down == ("leaf[su=0,rail=3]", "spine[spine=1]")


def test_one_of_several_cables_stays_one_where_its_group_is_split() -> None:
    design = faulty("1 of leaf[su=0,rail=0] - spine[spine=6]")
    after = edits.split_group(design, "spine", 4).design
    assert after.down == ("1 of leaf[su=0,rail=0] - spine2[spine2=2]",)


def test_a_job_on_nodes_of_which_some_go_stays_on_the_others() -> None:
    job = 'jobs:\n  - {name: a, runs: all_reduce, nodes: "node[node=0..15]"}\n'
    design = parse_design(TEXT + job, "test")
    assert edits.set_count(design, "node", 8).design.jobs[0].nodes == "node[node=0..7]"
