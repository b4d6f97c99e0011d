"""The view: block: read with precise faults, changed by edits, kept through renames."""

from __future__ import annotations

import pytest

from tests.tui.canvas.fabrics import plan_of
from toposmith.design.document import Design
from toposmith.design.edits import (
    copy_groups,
    duplicate_groups,
    merge_groups,
    paste,
    remove_group,
    rename_group,
    repeat_groups,
    set_count,
    split_group,
)
from toposmith.design.edits.about import reset_positions, set_position
from toposmith.design.group_positions import FARTHEST, read_view
from toposmith.design.writer import design_text
from toposmith.errors import EditError

EXPECTED = "expected a whole number from -10000 to 10000"
GROUPS = {"leaf": {"part": "qm9700"}, "spine": {"part": "qm9700"}}


def design(view: object = None) -> Design:
    return Design.model_validate({"groups": GROUPS, "view": view})


def test_positions_are_columns_from_the_place_that_the_layout_gives() -> None:
    view = read_view(design({"positions": {"leaf": -4, "spine": 12}}))
    assert view.positions == {"leaf": -4, "spine": 12}
    assert view.faults == ()
    assert read_view(design()).positions == {}


@pytest.mark.parametrize(
    ("view", "where", "text"),
    [
        (
            {"positons": {}},
            "view.positons",
            "unknown key 'positons'; did you mean 'positions'? (known: positions)",
        ),
        (
            {"positions": [1, 2]},
            "view.positions",
            "found a list of 2, expected groups with columns, as in {spine: 12}",
        ),
        (
            {"positions": {"leef": 1}},
            "view.positions.leef",
            "no group 'leef'; did you mean 'leaf'? (known: leaf, spine)",
        ),
        ({"positions": {"leaf": "far"}}, "view.positions.leaf", f"found 'far', {EXPECTED}"),
        ({"positions": {"leaf": True}}, "view.positions.leaf", f"found true, {EXPECTED}"),
        ({"positions": {"leaf": 99999}}, "view.positions.leaf", f"found 99999, {EXPECTED}"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(view: object, where: str, text: str) -> None:
    assert read_view(design(view)).faults == ((where, text),)


def test_the_rest_of_a_faulty_block_is_read() -> None:
    view = read_view(design({"positions": {"leaf": 3, "nobody": 1}, "theme": "dark"}))
    assert view.positions == {"leaf": 3}
    assert [where for where, _ in view.faults] == ["view.theme", "view.positions.nobody"]


def test_a_faulty_block_is_a_warning_and_the_design_stays_sound() -> None:
    plan = plan_of({"groups": GROUPS, "view": {"positions": {"leaf": 0.5}}})
    assert [(f.code, f.severity, f.where) for f in plan.findings] == [
        ("bad-view", "warning", "view.positions.leaf")
    ]


def test_a_group_is_moved_back_and_nothing_is_left_in_the_file() -> None:
    moved = set_position(design(), "leaf", 7)
    assert moved.label == "leaf moved 7 columns right of its default"
    assert "view:" in design_text(moved.design)
    back = set_position(moved.design, "leaf", 0).design
    assert back == design()
    assert "view:" not in design_text(back)
    assert reset_positions(moved.design).design == design()


def test_what_else_the_block_holds_stays() -> None:
    given = design({"folded": ["leaf"], "positions": {"spine": 2}})
    assert reset_positions(given).design.view == {"folded": ["leaf"]}
    assert set_position(given, "leaf", -1).design.view == {
        "folded": ["leaf"],
        "positions": {"spine": 2, "leaf": -1},
    }


def test_a_place_follows_its_group_through_a_new_name_and_goes_with_it() -> None:
    moved = set_position(design(), "leaf", 7).design
    assert rename_group(moved, "leaf", "tor").design.view == {"positions": {"tor": 7}}
    assert remove_group(moved, "leaf").design.view is None


def test_halves_and_copies_of_a_group_stand_where_it_was_put() -> None:
    moved = set_position(set_count(design(), "leaf", 4).design, "leaf", 7).design
    assert split_group(moved, "leaf", 1).design.view == {"positions": {"leaf": 7, "leaf2": 7}}
    copied = duplicate_groups(moved, ["leaf", "spine"]).design
    assert copied.view == {"positions": {"leaf": 7, "leaf2": 7}}
    halves = split_group(moved, "leaf", 1).design
    assert merge_groups(halves, "leaf", "leaf2").design.view == moved.view
    assert repeat_groups(moved, ["leaf"], "su", 2).design.view == moved.view


def test_what_is_pasted_stands_as_it_stood_where_it_was_copied() -> None:
    moved = set_position(design(), "leaf", 7).design
    assert paste(moved, copy_groups(moved, ["spine", "leaf"])).design.view == {
        "positions": {"leaf": 7, "leaf2": 7}
    }
    assert paste(design(), copy_groups(moved, ["leaf"])).design.view == {"positions": {"leaf2": 7}}
    assert copy_groups(moved, ["spine"]).view is None
    assert paste(moved, copy_groups(design(), ["leaf"])).design.view == moved.view


@pytest.mark.parametrize(("group", "columns"), [("nobody", 1), ("leaf", FARTHEST + 1)])
def test_what_cannot_be_moved_is_refused(group: str, columns: int) -> None:
    with pytest.raises(EditError):
        set_position(design(), group, columns)
