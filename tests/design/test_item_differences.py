"""What differs between two designs is said in words, each thing once."""

from __future__ import annotations

from toposmith.design.document import Design, Group, Link
from toposmith.design.edits import (
    add_group,
    add_link,
    remove_group,
    set_cables,
    set_count,
    set_note,
)
from toposmith.design.item_differences import differences

PAIR = Design(
    name="pair",
    axes={"su": 2},
    groups={
        "node": Group(part="dgx-h100", per=("su",), count=8),
        "leaf": Group(part="qm9700", count=2),
    },
    links=(Link(between=("node.compute", "leaf")),),
)


def test_equal_designs_differ_in_nothing() -> None:
    assert differences(PAIR, PAIR) == []


def test_groups_and_links_in_another_order_are_told() -> None:
    turned = PAIR.model_copy(update={"groups": dict(reversed(PAIR.groups.items()))})
    assert differences(PAIR, turned) == ["groups: in another order, leaf, node"]
    spine = {**PAIR.groups, "spine": Group(part="qm9700")}
    links = (*PAIR.links, Link(between=("leaf", "spine")))
    two = PAIR.model_copy(update={"groups": spine, "links": links})
    swapped = two.model_copy(update={"links": two.links[::-1]})
    assert differences(two, swapped) != []


def test_a_count_is_told_with_both_values() -> None:
    assert differences(PAIR, set_count(PAIR, "node", 4).design) == [
        "groups.node.count: 8 becomes 4"
    ]


def test_groups_and_links_that_come_and_go_are_named() -> None:
    more = add_group(PAIR, "qm9700", name="spine", count=4).design
    more = add_link(more, "leaf", "spine", cables=2).design
    assert differences(PAIR, more) == [
        "groups.spine: added, part qm9700, count 4",
        "link leaf - spine: added, between leaf, spine, cables 2",
    ]
    assert differences(more, PAIR) == ["groups.spine: removed", "link leaf - spine: removed"]


def test_a_link_that_moved_up_is_the_same_link() -> None:
    more = add_group(PAIR, "qm9700", name="spine").design
    more = add_link(more, "leaf", "spine", cables=2).design
    fewer = remove_group(set_cables(more, 1, 3).design, "node").design
    assert differences(more, fewer) == [
        "groups.node: removed",
        "link node.compute - leaf: removed",
        "link leaf - spine.cables: 2 becomes 3",
    ]


def test_texts_are_shown_and_not_obeyed_and_long_ones_are_cut() -> None:
    (line,) = differences(PAIR, set_note(PAIR, "\x1b[31m" + "x" * 500).design)
    assert line.startswith("note: added, \\x1b[31mxxx")
    assert len(line) < 100
