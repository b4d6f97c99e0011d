"""The world communicator holds every GPU that is there and works, packed in rank order."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.expansion import expand
from tests.small_designs import designs
from toposmith.analysis.jobs.world import World, gpus_of, world
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()

UNITS = (
    "axes: {su: 4, rail: 8}\n"
    "groups:\n  node: {part: dgx-h100, per: [su], count: 32}\n"
    "  leaf: {part: qm9700, per: [su, rail]}\n  spine: {part: qm9700, count: 16}\n"
    "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 2}]\n"
)


def world_of(text: str) -> World:
    return world(plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG))


def test_a_superpod_without_its_128th_node_has_1016_ranks() -> None:
    ranks = world_of(UNITS + 'absent: ["node[su=3,node=31]"]\n')
    assert (ranks.nodes, ranks.gpus) == (127, 1016)
    assert [block.nodes for block in ranks.blocks] == [32, 32, 32, 31]
    assert ranks.blocks[0].first == {"su": 0, "node": 0}
    assert ranks.blocks[3].last == {"su": 3, "node": 30}
    assert [group.name for group in ranks.groups] == ["node"]


@pytest.mark.parametrize("key", ["absent", "down"])
@pytest.mark.parametrize(
    ("selector", "nodes"),
    [
        ("node[su=1]", 96),
        ("node[su=1..2]", 64),
        ("node[node=0]", 124),
        ("node[node=30..31]", 120),
        ("node[su=0..1,node=0..15]", 96),
        ("node", 0),
        ("leaf[rail=0]", 128),
        ("node[su=0,node=0].compute[0]", 128),
        ("leaf[su=0,rail=1] - spine[spine=3]", 128),
    ],
)
def test_only_nodes_that_are_gone_leave_the_world(key: str, selector: str, nodes: int) -> None:
    ranks = world_of(UNITS + f'{key}: ["{selector}"]\n')
    assert (ranks.nodes, ranks.gpus) == (nodes, 8 * nodes)


def test_a_hole_in_the_middle_splits_a_unit_into_runs() -> None:
    ranks = world_of(
        "groups: {node: {part: dgx-h100, count: 10}}\n"
        'absent: ["node[node=3]"]\ndown: ["node[node=4..5]", "node[node=9]"]\n'
    )
    (block,) = ranks.blocks
    assert block.runs == ((0, 2), (6, 8))
    assert (block.nodes, block.first, block.last) == (6, {"node": 0}, {"node": 8})


def test_overlapping_selectors_count_a_node_once() -> None:
    ranks = world_of(
        "groups: {node: {part: dgx-h100, count: 10}}\n"
        'absent: ["node[node=2..6]", "node[node=4]", "node[node=6..7]"]\n'
    )
    assert ranks.blocks[0].runs == ((0, 1), (8, 9))


def test_ranks_fill_one_unit_after_the_other_and_groups_in_their_order() -> None:
    ranks = world_of(
        "axes: {pod: 2, su: 2}\n"
        "groups:\n  new: {part: dgx-b200, count: 2}\n"
        "  old: {part: dgx-a100, per: [pod, su], count: 4}\n"
    )
    assert [(b.group.name, b.outer, b.nodes) for b in ranks.blocks] == [
        ("new", (), 2),
        ("old", (0, 0), 4),
        ("old", (0, 1), 4),
        ("old", (1, 0), 4),
        ("old", (1, 1), 4),
    ]
    assert (ranks.nodes, ranks.gpus) == (18, 144)


def test_nodes_with_fewer_gpus_bring_fewer_ranks() -> None:
    ranks = world_of("groups: {a: {part: dgx-a100, count: 2}, b: {part: a100-pcie-4, count: 3}}\n")
    assert ranks.gpus == 2 * 8 + 3 * 4
    assert [gpus_of(group) for group in ranks.groups] == [8, 4]


def test_switches_and_unknown_parts_bring_no_ranks() -> None:
    ranks = world_of("groups: {leaf: {part: qm9700}, node: {part: dgx-x100}}\n")
    assert (ranks.nodes, ranks.gpus, ranks.blocks) == (0, 0, ())


@settings(max_examples=30)
@given(designs())
def test_there_are_as_many_ranks_as_gpus_in_the_expansion(plan: Plan) -> None:
    there = [v for v in expand(plan) if v[0] == "device" and gpus_of(plan.groups[v[1]])]
    ranks = world(plan)
    assert ranks.nodes == len(there)
    assert ranks.gpus == sum(gpus_of(plan.groups[v[1]]) for v in there)
    listed = [
        (block.group.name, *block.at(own).values())
        for block in ranks.blocks
        for low, high in block.runs
        for own in range(low, high + 1)
    ]
    assert sorted(listed) == sorted((v[1], *v[2]) for v in there)
