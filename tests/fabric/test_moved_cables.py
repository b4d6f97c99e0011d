"""Two cables exchanged and one moved, against the leaves that ports go to by hand."""

from __future__ import annotations

import pytest

from tests.fabric.test_single_cables import joined, planned
from toposmith.catalog import load_catalog
from toposmith.design.edits.links import drop_set, name_set, put_back
from toposmith.errors import EditError
from toposmith.fabric.moved_cables import goes_to, move_cable, swap_cables
from toposmith.fabric.planner import plan_design

ONE, OTHER = "node[node=1].compute[0]", "node[node=1].compute[3]"
RAIL_0, RAIL_3 = "leaf[rail=0,leaf=0]", "leaf[rail=3,leaf=0]"


def test_ports_0_and_3_of_a_node_on_rails_exchange_their_leaves() -> None:
    plan = planned()
    assert [goes_to(plan, port) for port in (ONE, OTHER)] == [RAIL_0, RAIL_3]
    after = plan_design(swap_cables(plan, ONE, OTHER).design, load_catalog())
    assert [one.code for one in after.findings if one.severity == "error"] == []
    assert [goes_to(after, port) for port in (ONE, OTHER)] == [RAIL_3, RAIL_0]
    assert after.design.toposmith == 2
    # as many cables as before, and none between other devices
    assert joined(after) == joined(plan)


def test_two_cables_that_are_swapped_twice_are_as_their_link_deals_them() -> None:
    plan = planned()
    after = plan_design(swap_cables(plan, ONE, OTHER).design, load_catalog())
    assert swap_cables(after, ONE, OTHER).design.cables == ()


def test_a_cable_that_is_moved_to_a_spine_leaves_its_leaf_port_free() -> None:
    plan = planned()
    after = plan_design(move_cable(plan, ONE, "spine[spine=1]").design, load_catalog())
    assert joined(after)["node 1", "spine 1"] == 1
    assert joined(after)["leaf 0", "node 1"] == 0
    assert move_cable(after, ONE, "leaf[rail=0]").design.cables == ()
    assert put_back(after.design, 0).design == plan.design.model_copy(update={"toposmith": 1})


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        (ONE, ONE, "are one port; name two"),
        (ONE, "node[node=2].compute[0]", "both cables go to leaf"),
        (ONE, "node[node=9].compute[0]", "node"),
        (ONE, "leaf[rail=0]", "name the port of a node"),
        (ONE, "node[node=1].compute[8]", "ports 0 to 7"),
        (ONE, "node[node=1].storage[0]", "there is no cable at"),
    ],
)
def test_what_cannot_be_swapped_is_refused_with_the_reason(one: str, other: str, why: str) -> None:
    with pytest.raises(EditError, match=why.replace("[", r"\[")):
        swap_cables(planned(), one, other)


def test_a_cable_to_its_own_group_or_to_where_it_goes_is_refused() -> None:
    with pytest.raises(EditError, match="a cable joins two groups"):
        move_cable(planned(), ONE, "node[node=2].compute[1]")
    with pytest.raises(EditError, match=r"goes to leaf.* already"):
        move_cable(planned(), ONE, "leaf[rail=0]")


def test_a_set_is_named_and_its_name_taken_away() -> None:
    design = planned().design
    named = name_set(design, "row-b", ["node[node=0]", "leaf[rail=0]"]).design
    assert named.sets == {"row-b": ("node[node=0]", "leaf[rail=0]")}
    assert drop_set(named, "row-b").design.sets == {}
    for name, selectors in (("row-b", []), ("row-b", ["rack[rack=0]"]), ("row b", ["leaf"])):
        with pytest.raises(EditError):
            name_set(design, name, selectors)
    with pytest.raises(EditError, match="there is no set"):
        drop_set(design, "row-c")


def test_a_port_beyond_those_of_a_switch_is_named_with_what_there_is() -> None:
    plan = planned(f'a: "{ONE}", z: "leaf[rail=1].port[999]"')
    (text,) = [one.text for one in plan.findings if one.code == "bad-cable"]
    assert "'leaf[rail=1].port[999]': " in text
    assert "has ports 0 to " in text
