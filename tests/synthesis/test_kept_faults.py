"""No proposal gains by forgetting what is broken; to mend it is one of them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.planned_design import PlannedDesign
from toposmith.saved_designs import saved_designs
from toposmith.synthesis.left_out import reductions, what_can_be_left_out
from toposmith.synthesis.next_change import fixes_as_data
from toposmith.synthesis.raising_moves import raising_moves
from toposmith.synthesis.ranked_fixes import ranked_fixes
from toposmith.synthesis.search_state import SearchState
from toposmith.synthesis.side_effects import Repair, keeping_faults
from toposmith.templates import TEMPLATES, new_design

CATALOG = load_catalog()
MOST_DEVICES = 1200

TWO_SU = """\
toposmith: 2
axes: {su: 2, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 16}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""


@cache
def small_designs() -> dict[str, Design]:
    """Saved designs and templates whose devices can be looked at one by one."""
    found = {one.path.stem: load_file(one.path).design for one in saved_designs()}
    found |= {f"template {name}": new_design(name, {}, catalog=CATALOG) for name in TEMPLATES}
    return {name: design for name, design in found.items() if 0 < devices(design) <= MOST_DEVICES}


def devices(design: Design) -> int:
    return sum(group.instances for group in plan_design(design, CATALOG).groups.values())


def device(design: Design, group: str, *, last: bool) -> str:
    spec = plan_design(design, CATALOG).groups[group]
    places = [size - 1 if last else 0 for size in spec.sizes]
    at = (f"{axis}={place}" for axis, place in zip(spec.axes, places, strict=True))
    return f"{group}[{','.join(at)}]"


def broken(plan: Plan) -> Counter[str]:
    """How many devices of every group are down, or have slow cables, one after the other."""
    found = Counter[str]()
    marks = [*plan.down, *(one.selector for one in plan.slow)]
    for name, group in plan.groups.items():
        for at in product(*map(range, group.sizes)):
            place = dict(zip(group.axes, at, strict=True))
            ends = (end for mark in marks for end in (mark.first, mark.second) if end is not None)
            found[name] += any(end.group == name and end.matches(place) for end in ends)
    return found


@pytest.mark.parametrize("name", small_designs())
def test_no_proposal_has_less_broken_unless_it_mends(name: str) -> None:
    design = small_designs()[name]
    for group, last in product(design.groups, (False, True)):
        hurt = design.model_copy(update={"down": (device(design, group, last=last),)})
        planned = PlannedDesign.of(hurt, CATALOG)
        had = broken(planned.plan)
        assert had[group] == 1
        links = frozenset(link.index for link in planned.plan.links)
        edits = [*raising_moves(SearchState(planned, links))]
        edits += [edit for one in reductions(planned) for edit in one.edits]
        for edit in keeping_faults(hurt, edits, set()):
            has = broken(plan_design(edit.design, CATALOG))
            assert isinstance(edit, Repair) or has == had, edit.label


def spines_down(*down: str, slow: str = "") -> EvaluatedDesign:
    design = parse_design(TWO_SU + slow, "test").model_copy(update={"down": down})
    return EvaluatedDesign(design, CATALOG, Request(collective="all_to_all"))


def raising_at(of: EvaluatedDesign, link: int) -> list[Edit]:
    return list(raising_moves(SearchState(of.planned, frozenset({link}))))


def test_spines_that_are_down_are_mended_not_forgotten() -> None:
    of = spines_down("spine[spine=0..5]")
    found = ranked_fixes(of)
    first = found.fixes[0]
    assert first.label == "mend spine[spine=0..5]"
    assert first.design.down == ()
    assert first.purchase.parts == ()
    assert first.after.value == pytest.approx(spines_down().analysis.busbw_GBps)
    assert all("planes" not in fix.label for fix in found.fixes)
    assert found.mend_first == ("spine",)
    assert fixes_as_data(found, None)["mend_first"] == ["spine"]


def test_without_faults_planes_are_tried_and_nothing_is_to_be_mended_first() -> None:
    of = spines_down()
    assert any("planes" in edit.label for edit in raising_at(of, 1))
    assert ranked_fixes(of).mend_first == ()


def test_where_nothing_runs_what_is_down_is_mended() -> None:
    of = spines_down("spine")
    assert of.analysis.busbw_GBps is None
    assert [fix.label for fix in ranked_fixes(of).fixes] == ["mend spine"]


def test_what_is_down_elsewhere_is_not_mended_for_a_link() -> None:
    of = spines_down("node[su=0,node=3].compute[2]", "leaf[rail=0] - spine[spine=1]")
    labels = [edit.label for edit in raising_at(of, 0) if isinstance(edit, Repair)]
    assert labels == ["mend node[su=0,node=3].compute[2]"]


def test_down_and_slow_are_mended_together() -> None:
    of = spines_down("spine[spine=0]", slow='slow:\n  "leaf - spine[spine=1]": 50 %\n')
    labels = [edit.label for edit in raising_at(of, 1) if isinstance(edit, Repair)]
    assert labels[0] == "mend spine[spine=0] and leaf - spine[spine=1]"


def test_no_spine_goes_that_is_down_and_no_cable_that_is_slow() -> None:
    for one in what_can_be_left_out(spines_down("spine[spine=4..7]")).left_out:
        assert one.design.down == ("spine[spine=4..7]",)
        assert one.design.groups["spine"].count == 8
    slow = spines_down(slow='slow:\n  "2 of leaf[rail=0] - spine[spine=1]": 200\n')
    found = what_can_be_left_out(slow, {"all_to_all": 1.0})
    assert all(one.design.links[1].cables != 1 for one in found.left_out)
    assert set(found.mend_first) >= {"leaf", "spine"}
