"""Layouts of ranks: which groups run at once, where their ranks sit, and what does not fit."""

from __future__ import annotations

import pytest

from toposmith.analysis.jobs.communicator import (
    Groups,
    Job,
    NodeOrder,
    groups_of,
    job_of,
    sequences,
)
from toposmith.analysis.jobs.parallel_layout import Layout, parse_layout
from toposmith.analysis.jobs.world import World, world
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.findings.finding import Finding

CATALOG = load_catalog()


def nodes(count: int, part: str = "dgx-h100", more: str = "") -> World:
    text = f"toposmith: 1\ngroups: {{node: {{part: {part}, count: {count}}}{more}}}\n"
    return world(plan_design(parse_design(text, "test"), CATALOG))


def groups(layout: str, kind: str = "", count: int = 16) -> Groups:
    found = groups_of(nodes(count), Job(parse_layout(layout), kind))
    assert isinstance(found, Groups), found
    return found


def refusal(layout: str, kind: str = "", count: int = 16) -> str:
    found = groups_of(nodes(count), Job(parse_layout(layout), kind))
    assert isinstance(found, Finding)
    assert (found.code, found.severity) == ("communicator-does-not-fit", "error")
    return found.text


def test_without_a_layout_all_gpus_are_one_group() -> None:
    assert groups("world") == Groups("world", 128, 1, 0, 1, 16)


def test_tensor_parallel_groups_of_eight_stay_inside_their_nodes() -> None:
    assert groups("tp=8") == Groups("tp", 8, 16, 8, 1, 1)
    assert groups("tp=4") == Groups("tp", 4, 32, 4, 2, 1)


def test_data_parallel_groups_behind_tp_8_have_one_gpu_of_every_node() -> None:
    # eight groups share each node, and each has a rank in all sixteen
    assert groups("tp=8,dp=16") == Groups("dp", 16, 8, 1, 8, 16)


def test_data_parallel_groups_behind_pipelines_skip_the_nodes_of_other_stages() -> None:
    found = groups("tp=8,pp=4,dp=4")
    assert found == Groups("dp", 4, 32, 1, 8, 4, stride=4)
    assert list(sequences(found, 16))[:2] == [range(0, 16, 4), range(1, 16, 4)]
    assert groups("tp=8,pp=4,dp=4", "pp") == Groups("pp", 4, 32, 1, 8, 4, stride=1)


def test_groups_behind_tp_2_have_a_slice_of_every_node() -> None:
    # ranks 0, 2, 4, 6 of a node and the same of the next: two groups in every pair of nodes
    assert groups("tp=2,dp=8") == Groups("dp", 8, 16, 4, 2, 2, gpu_stride=2)


def test_every_node_is_in_as_many_sequences_as_it_has_groups() -> None:
    found = groups("tp=8,pp=2,dp=4")
    assert sorted(node for members in sequences(found, 16) for node in members) == list(range(16))


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("tp=5", "5 GPUs at a time, which does not divide the 128"),
        ("tp=8,dp=10", "80 GPUs at a time, which does not divide the 128"),
    ],
)
def test_sizes_that_do_not_divide_the_gpus_are_refused(layout: str, words: str) -> None:
    assert words in refusal(layout)


def test_groups_that_straddle_nodes_unevenly_are_refused() -> None:
    assert "straddle nodes of 8 GPUs" in refusal("tp=3", count=3)


def test_a_group_that_the_layout_lacks_is_refused() -> None:
    assert "has no pp groups" in refusal("tp=8,dp=16", "pp")


def test_unlike_nodes_take_no_layout() -> None:
    mixed = nodes(2, more=", small: {part: hgx-a100-4, count: 2}")
    found = groups_of(mixed, Job(parse_layout("tp=4")))
    assert isinstance(found, Finding)
    assert "nodes have 4 and 8 GPUs" in found.text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tp", "'tp': the size of tp is a whole number, as in tp=8"),
        ("tp=eight", "the size of tp is a whole number"),
        ("xx=4", "'xx=4' is no parallel dimension"),
        ("tp=8,tp=2", "tp is given twice"),
        ("tp=0", "a group has at least one rank"),
        ("tp=-1", "the size of tp is a whole number"),
        ("tp=8;dp=2", "the size of tp is a whole number"),
    ],
)
def test_a_layout_that_cannot_be_read_says_what_would_be_right(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_layout(text)


def test_a_layout_reads_back_as_it_is_written() -> None:
    for text in ("world", "tp=8", "tp=8,pp=4,dp=32"):
        assert str(parse_layout(text)) == text
    assert parse_layout(" tp=8 , dp=2 ") == Layout((("tp", 8), ("dp", 2)))


@pytest.mark.parametrize(
    ("layout", "collective", "kind"),
    [
        ("tp=8,dp=4,pp=2", "all_reduce", "dp"),
        ("tp=8,dp=4,pp=2", "send_recv", "pp"),
        ("tp=8,ep=4,dp=2", "all_to_all", "ep"),
        ("tp=8,dp=4", "all_to_all", "dp"),
        ("tp=8,pp=2", "all_reduce", "pp"),
        ("world", "all_to_all", "world"),
    ],
)
def test_the_groups_that_usually_run_a_collective_are_looked_at(
    layout: str, collective: str, kind: str
) -> None:
    assert Job(parse_layout(layout)).group_for(collective) == kind


def test_another_kind_of_group_can_be_named() -> None:
    assert Job(parse_layout("tp=8,dp=4"), "tp").group_for("all_reduce") == "tp"


def in_racks() -> World:
    text = (
        "toposmith: 1\naxes: {rack: 3}\ngroups: {node: {part: dgx-h100, per: [rack], count: 4}}\n"
    )
    return world(plan_design(parse_design(text, "test"), CATALOG))


def places(order: NodeOrder) -> list[tuple[int, int]]:
    return [(block.outer[0], own) for block, own in order.nodes]


def test_packed_ranks_fill_rack_after_rack() -> None:
    expected = [(rack, node) for rack in range(3) for node in range(4)]
    assert places(NodeOrder(in_racks())) == expected


def test_striped_ranks_take_one_node_of_every_rack_in_turn() -> None:
    expected = [(rack, node) for node in range(4) for rack in range(3)]
    assert places(NodeOrder(in_racks(), "striped")) == expected


def test_scattered_ranks_are_the_same_nodes_in_an_order_that_the_seed_gives() -> None:
    once, again = (places(NodeOrder(in_racks(), "scattered", 7)) for _ in range(2))
    assert once == again
    assert sorted(once) == sorted(places(NodeOrder(in_racks())))
    assert once != places(NodeOrder(in_racks(), "scattered", 8))


def test_a_design_may_say_its_layout() -> None:
    job = job_of({"layout": "tp=8,dp=4", "group": "tp", "placement": "scattered", "seed": 3})
    assert job == Job(parse_layout("tp=8,dp=4"), "tp", "scattered", 3)
    assert job_of(None) == Job()


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"layuot": "tp=8"}, "unknown key 'layuot'; known are layout, group, placement, seed"),
        ({"layout": 8}, "'8' is no parallel dimension"),
        ({"layout": "tp=8", "group": "dp"}, "has no group 'dp'"),
        ({"placement": "random"}, "'random' is not one of packed, striped, scattered"),
        ({"seed": "x"}, "seed 'x' is not a whole number"),
        ({"seed": True}, "seed True is not a whole number"),
    ],
)
def test_a_block_that_is_wrong_says_what_would_be_right(
    block: dict[str, object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        job_of(block)
