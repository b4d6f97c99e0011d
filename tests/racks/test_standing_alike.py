"""Edits of cables leave devices where they stand, and lengths are those of a design made anew."""

from __future__ import annotations

import pytest

from tests.every_design import CATALOG, EVERY
from toposmith.design import edits
from toposmith.design.document import Design
from toposmith.errors import ToposmithError
from toposmith.evaluation import RecentDesigns
from toposmith.fabric.planner import plan_design
from toposmith.planned_design import PlannedDesign
from toposmith.racks.placement import stand_alike

LARGE = ("131072", "64su", "too many groups")
SMALL = [name for name in EVERY if not any(word in name for word in LARGE)]


def changed(design: Design) -> list[Design]:
    """The design with other cables, without a link, with more devices, with one gone."""
    found = [design.model_copy(update={"links": design.links[1:]})] if design.links else []
    for index, link in enumerate(design.links):
        found.append(edits.set_cables(design, index, (link.cables or 1) + 1).design)
    for name, group in design.groups.items():
        found.append(edits.set_count(design, name, group.count + 1).design)
        if not group.per:
            axis = next(iter(plan_design(design, CATALOG).groups[name].axes), None)
            if axis is not None:
                found.append(design.model_copy(update={"absent": (f"{name}[{axis}=0]",)}))
    return found


@pytest.mark.parametrize("name", SMALL)
def test_racks_taken_over_are_those_that_would_be_filled_anew(name: str) -> None:
    for design in changed(EVERY[name]):
        recent = RecentDesigns()
        try:
            before = recent.planned(EVERY[name], CATALOG)
            assert before.runs is not None
            after = recent.planned(design, CATALOG)
            anew = PlannedDesign.of(design, CATALOG)
        except ToposmithError:
            continue
        assert (after.placement is before.placement) == stand_alike(before.plan, after.plan)
        assert after.placement == anew.placement
        assert after.runs == anew.runs
        assert after.rack_loads == anew.rack_loads


def test_more_cables_keep_the_racks_and_more_nodes_do_not() -> None:
    pod = EVERY["dgx-h100-superpod-1su"]
    recent = RecentDesigns()
    racks = recent.planned(pod, CATALOG).placement
    thicker = recent.planned(edits.set_cables(pod, 1, 2).design, CATALOG)
    assert thicker.placement is racks
    fewer = recent.planned(edits.set_count(pod, "node", 30).design, CATALOG)
    assert fewer.placement is not racks
