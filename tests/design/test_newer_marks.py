"""What is slow, in sets or cabled by itself follows the devices that it names through edits."""

from __future__ import annotations

import pytest

from toposmith.design.document import Design, SingleCable
from toposmith.design.edits.groups import (
    merge_groups,
    remove_group,
    rename_group,
    set_count,
    split_group,
)
from toposmith.design.edits.links import restore_speed, slow_down
from toposmith.design.parser import parse_design
from toposmith.errors import EditError

DESIGN = parse_design(
    """\
toposmith: 2
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, count: 2}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 16}
slow:
  "node[node=6].compute[1]": 200
  "1 of leaf[leaf=1] - spine[spine=0]": 50 %
sets:
  pair: ["node[node=6]", "leaf[leaf=1]"]
  spines: [spine]
cables:
  - {a: "node[node=6].compute[0]", z: "leaf[leaf=1]"}
""",
    "test",
)


def marks(design: Design) -> tuple[list[str], dict[str, tuple[str, ...]], list[tuple[str, str]]]:
    return list(design.slow), design.sets, [(cable.a, cable.z) for cable in design.cables]


def test_a_renamed_group_is_renamed_everywhere() -> None:
    assert marks(rename_group(DESIGN, "leaf", "tor").design) == (
        ["node[node=6].compute[1]", "1 of tor[leaf=1] - spine[spine=0]".replace("leaf=", "tor=")],
        {"pair": ("node[node=6]", "tor[tor=1]"), "spines": ("spine",)},
        [("node[node=6].compute[0]", "tor[tor=1]")],
    )


def test_what_names_a_group_goes_with_it() -> None:
    after = remove_group(DESIGN, "spine").design
    assert marks(after) == (
        ["node[node=6].compute[1]"],
        {"pair": ("node[node=6]", "leaf[leaf=1]")},
        [("node[node=6].compute[0]", "leaf[leaf=1]")],
    )
    bare = remove_group(remove_group(after, "leaf").design, "node").design
    assert (bare.slow, bare.sets, bare.cables, bare.toposmith) == ({}, {}, (), 1)


def test_what_names_devices_that_go_goes_along() -> None:
    after = set_count(DESIGN, "node", 6).design
    assert marks(after) == (
        ["1 of leaf[leaf=1] - spine[spine=0]"],
        {"pair": ("leaf[leaf=1]",), "spines": ("spine",)},
        [],
    )


def test_halves_keep_the_marks_of_their_devices_and_merge_again() -> None:
    halved = split_group(DESIGN, "node", 4).design
    assert marks(halved)[0][0] == "node2[node2=2].compute[1]"
    assert halved.cables == (SingleCable(a="node2[node2=2].compute[0]", z="leaf[leaf=1]"),)
    assert marks(merge_groups(halved, "node", "node2").design) == marks(DESIGN)


def test_an_edit_marks_and_unmarks_what_is_slow() -> None:
    edit = slow_down(DESIGN, "spine[spine=1]", "25 %")
    assert edit.label == "spine[spine=1]: slow, 25 %"
    assert edit.design.slow["spine[spine=1]"] == "25 %"
    assert restore_speed(edit.design, "spine[spine=1]").design == DESIGN


@pytest.mark.parametrize(
    ("selector", "speed", "words"),
    [
        ("spine[spine=2]", 100, "spine runs from 0 to 1"),
        ("spine", -1, "slow"),
        ("spine", "x", "slow"),
    ],
)
def test_a_mark_that_cannot_be_is_refused(selector: str, speed: int | str, words: str) -> None:
    with pytest.raises(EditError, match=words):
        slow_down(DESIGN, selector, speed)


def test_what_is_not_slow_cannot_be_made_fast() -> None:
    with pytest.raises(EditError, match="nothing is slow at 'leaf'"):
        restore_speed(DESIGN, "leaf")
