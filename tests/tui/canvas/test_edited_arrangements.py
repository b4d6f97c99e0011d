"""Where groups stand after edits: nothing overlaps, and no place is kept for what is gone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.canvas.fabrics import CATALOG, SUPERPOD, TWO_SORTS, plan_of
from toposmith.design import edits
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.edits.about import set_position
from toposmith.design.group_positions import read_view
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.tui.canvas.layout import lay_out

SIZES = [(28, 18), (50, 18), (78, 22), (118, 34), (248, 68)]
"""Canvases of terminals from 80x24 to 250x70, with and without panels beside them."""

Change = Callable[[Design, list[str], int], Edit]
CHANGES: list[Change] = [
    lambda design, names, number: set_position(design, names[0], number),
    lambda design, names, number: edits.set_count(design, names[0], abs(number) % 6 + 1),
    lambda design, names, number: edits.split_group(design, names[0], 1),
    lambda design, names, number: edits.merge_groups(design, names[0], names[-1]),
    lambda design, names, number: edits.duplicate_groups(design, names, wired=number > 0),
    lambda design, names, number: edits.remove_groups(design, names),
    lambda design, names, number: edits.rename_group(design, names[0], f"it{abs(number)}"),
    lambda design, names, number: edits.repeat_groups(design, names, "su", abs(number) % 3 + 1),
    lambda design, names, number: edits.paste(design, edits.copy_groups(design, names)),
    lambda design, names, number: edits.add_group(design, "qm9700", name="leaf"),
    lambda design, names, number: edits.add_link(design, names[0], names[-1]),
]


@settings(max_examples=35, deadline=None)
@given(data=st.data())
def test_after_any_edits_no_boxes_overlap_and_every_place_is_of_a_group(
    data: st.DataObject,
) -> None:
    design = plan_of(data.draw(st.sampled_from([SUPERPOD, TWO_SORTS]))).design
    history = [design]
    for _ in range(data.draw(st.integers(1, 8))):
        if not design.groups:
            break
        change = data.draw(st.sampled_from([None, *CHANGES]))
        if change is None:  # any earlier step, as by undo
            design = data.draw(st.sampled_from(history))
            continue
        named = st.lists(st.sampled_from(list(design.groups)), min_size=1, max_size=2, unique=True)
        try:
            design = change(design, data.draw(named), data.draw(st.integers(-150, 150))).design
        except EditError:
            continue
        history.append(design)
    view = read_view(design)
    assert view.faults == ()
    assert parse_design(design_text(design), "test").view == design.view
    plan = plan_design(design, CATALOG)
    for size in SIZES:
        boxes = lay_out(plan, *size, positions=view.positions).boxes
        assert {box.item.name for box in boxes} == set(design.groups)
        for one, other in combinations(boxes, 2):
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
