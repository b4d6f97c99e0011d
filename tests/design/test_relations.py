"""Relations along an axis in a design file: read, refused by line, written, edited."""

from __future__ import annotations

import pytest

from toposmith.design.edits import add_link, duplicate_groups, rename_group
from toposmith.design.edits.groups import copy_groups, paste
from toposmith.design.edits.links import remove_link
from toposmith.design.item_differences import differences
from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError, EditError

TORUS = """\
toposmith: 2
name: torus
axes: {x: 4, z: 3}
groups:
  node: {part: dgx-h100, per: [x, z]}
  sw: {part: qm9700, per: [x, z], count: 2}
  core: {part: qm9700, count: 2}
links:
  - {between: [node.compute, sw]}
  - {between: [sw, sw], along: {x: next}, cables: 2}   # rings
  - {between: [sw, core]}
"""


def _problem(line: str) -> str:
    text = TORUS.replace("{between: [sw, sw], along: {x: next}, cables: 2}", line)
    with pytest.raises(DesignFileError) as caught:
        parse_design(text, "f.yaml")
    (problem,) = str(caught.value).splitlines()
    return problem


def test_a_link_to_itself_is_told_an_axis_with_something_to_join() -> None:
    one_each = TORUS.replace("per: [x, z], count: 2}", "per: [x, z]}")
    with pytest.raises(DesignFileError, match=r"as in along: \{z: next\}"):
        parse_design(one_each.replace(", along: {x: next}, cables: 2", ""), "f.yaml")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{between: [sw, sw], along: {x: nxt}}", "links[1].along.x: found 'nxt'"),
        (
            "{between: [sw, sw], along: {y: next}}",
            "links[1].along.y: sw has no axis 'y'; both have",
        ),
        ("{between: [sw, core], along: {x: any}}", "links[1].along.x: core has no axis 'x'"),
        ("{between: [sw, sw], along: {x: next, x: any}}", "the key 'x' occurs twice"),
        ("{between: [sw, sw]}", "links[1].between: joins the group 'sw' to itself"),
        ("{between: [sw, sw], along: {x: same}}", "links[1].between: joins the group 'sw'"),
        ("{between: [sw, sw], along: {x: dealt}}", "links[1].along: dealt goes with other on one"),
        (
            "{between: [sw, sw], along: {x: other, z: dealt, sw: any}}",
            "links[1].along: dealt goes with other on one axis",
        ),
        ("{between: [sw, sw], along: [x]}", "links[1].along: found a list"),
    ],
)
def test_a_relation_that_cannot_be_is_refused_by_its_line(line: str, problem: str) -> None:
    found = _problem(line)
    assert problem in found
    assert found.startswith("f.yaml:10:")


def test_a_relation_came_with_version_2() -> None:
    with pytest.raises(DesignFileError, match=r"links\[1\].along: came with version 2"):
        parse_design(TORUS.replace("toposmith: 2", "toposmith: 1"), "f.yaml")


def test_the_version_falls_with_the_last_relation() -> None:
    design = parse_design(TORUS, "f.yaml")
    assert remove_link(design, 1).design.toposmith == 1
    again = add_link(remove_link(design, 1).design, "sw", "sw", along={"z": "other"}, cables=1)
    assert again.design.toposmith == 2
    assert again.label == "wire sw to sw other along z, 1 cable"


def test_a_link_that_cannot_be_is_refused_as_an_edit() -> None:
    design = parse_design(TORUS, "f.yaml")
    with pytest.raises(EditError, match="sw has no axis 'y'; both have x, z, sw"):
        add_link(design, "sw", "sw", along={"y": "next"})


def test_relations_follow_a_group_that_is_renamed_and_copied() -> None:
    design = add_link(parse_design(TORUS, "f.yaml"), "sw", "sw", along={"sw": "other"}).design
    renamed = rename_group(design, "sw", "tor").design
    assert [dict(link.along) for link in renamed.links] == [{}, {"x": "next"}, {}, {"tor": "other"}]
    doubled = duplicate_groups(design, ["sw"]).design
    assert {"sw2": "other"} in [dict(link.along) for link in doubled.links]
    pasted = paste(design, copy_groups(design, ["sw"])).design
    assert pasted.links[-1].between == ("sw2", "sw2")
    assert dict(pasted.links[-1].along) == {"sw2": "other"}


def test_links_are_told_by_their_relations_in_differences() -> None:
    before = parse_design(TORUS, "f.yaml")
    after = parse_design(TORUS.replace("cables: 2", "cables: 3"), "f.yaml")
    assert differences(before, after) == ["link sw - sw (x next).cables: 2 becomes 3"]
