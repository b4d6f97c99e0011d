"""What holds of every picture, whatever the design."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.canvas.drawn import as_text
from tests.tui.canvas.fabrics import MESH, SUPERPOD, TWO_SORTS, analysis_of, plan_of
from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.canvas_glyphs import UNICODE
from toposmith.tui.canvas.items import GroupItem
from toposmith.tui.canvas.layout import CanvasLayout, lay_out
from toposmith.tui.canvas.scene import Area, Scene
from toposmith.tui.canvas.tier_rows import design_edges, tier_rows
from toposmith.tui.canvas.trunk_figures import Figures, read_figures

SIZES = [(50, 18), (78, 22), (120, 36), (200, 50)]


@st.composite
def designs(draw: st.DrawFn) -> dict[str, object]:
    """Designs of up to eight groups, wired at random, sound or not."""
    count = draw(st.integers(1, 8))
    parts = draw(
        st.lists(
            st.sampled_from(["dgx", "qm9700", "qm9700", "ether", "?"]),
            min_size=count,
            max_size=count,
        )
    )
    groups = {
        f"{'node' if part == 'dgx' else 'switch'}{index}": {
            "part": part,
            "count": draw(st.sampled_from([1, 4, 32])),
            "per": draw(st.sampled_from([[], [], ["rail"]])),
        }
        for index, part in enumerate(parts)
    }
    pairs = st.tuples(st.sampled_from(sorted(groups)), st.sampled_from(sorted(groups)))
    links = [
        {"between": [f"{end}.compute" if end.startswith("node") else end for end in pair]}
        for pair in draw(st.lists(pairs, max_size=10))
    ]
    return {"axes": {"rail": 8}, "groups": groups, "links": links}


def full_figures(plan: Plan) -> Figures:
    analysis = analysis_of(
        plan,
        {link.index: 1.0 for link in plan.links},
        dict.fromkeys(plan.groups, 12.5),
    )
    return read_figures(plan, analysis)


def overlap(one: Area, other: Area) -> bool:
    return (
        one.x < other.right
        and other.x < one.right
        and one.y < other.bottom
        and other.y < one.bottom
    )


def cells_of(area: Area) -> list[tuple[int, int]]:
    return [(x, y) for x in range(area.x, area.right) for y in range(area.y, area.bottom)]


def path_cells(path: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    cells = []
    for (x0, y0), (x1, y1) in pairwise(path):
        xs, ys = sorted((x0, x1)), sorted((y0, y1))
        cells += [(x, y) for x in range(xs[0], xs[1] + 1) for y in range(ys[0], ys[1] + 1)]
    return cells


def drawn(plan: Plan, size: tuple[int, int]) -> CanvasLayout:
    return lay_out(plan, *size, (), full_figures(plan).ratios)


def check(plan: Plan, layout: CanvasLayout) -> None:
    scene = Scene(layout, full_figures(plan))
    sheet = Area(0, 0, layout.width, layout.height)
    boxes = {box.item: Area(box.x, box.y, box.width, box.height) for box in layout.boxes}
    assert {item.name for item in boxes} == set(plan.groups)
    assert {trunk.item.index for trunk in layout.trunks} == set(design_edges(plan))
    for one, other in combinations(boxes.values(), 2):
        assert not overlap(one, other)
    for area in boxes.values():
        assert inside(area, sheet)
    labels = [text for texts in scene.labels.values() for text in texts]
    for text in labels:
        assert inside(text.area, sheet)
        assert not any(overlap(text.area, area) for area in boxes.values())
    for one, other in combinations(labels, 2):
        assert not overlap(one.area, other.area)
    boxed = {at: item.name for item, area in boxes.items() for at in cells_of(area)}
    labelled = {at for text in labels for at in cells_of(text.area)}
    taken: dict[tuple[int, int], set[str]] = {}
    for trunk in layout.trunks:
        cells = path_cells(trunk.path)
        assert len(set(trunk.path)) >= 2
        ends = (trunk.path[0], trunk.path[-1])
        assert [boxed.get(end) for end in ends] == [trunk.lower, trunk.upper]
        assert not boxed.keys() & (set(cells) - set(ends))
        assert not labelled & set(cells)
        for ways, place in directions(trunk.path):
            assert not taken.setdefault(place, set()) & ways, "two trunks run over each other"
        for ways, place in directions(trunk.path):
            taken[place] |= ways


def directions(path: tuple[tuple[int, int], ...]) -> list[tuple[set[str], tuple[int, int]]]:
    """Which ways a path runs through each of its cells; a corner runs both."""
    ways: dict[tuple[int, int], set[str]] = {}
    for start, end in pairwise(path):
        way = "along" if start[0] == end[0] else "across"
        for cell in path_cells((start, end)):
            ways.setdefault(cell, set()).add(way)
    return [(way, place) for place, way in ways.items()]


def inside(area: Area, sheet: Area) -> bool:
    return area.x >= 0 and area.y >= 0 and area.right <= sheet.right and area.bottom <= sheet.bottom


@settings(max_examples=60, deadline=None)
@given(design=designs(), size=st.sampled_from(SIZES))
def test_boxes_trunks_and_labels_never_meet(
    design: dict[str, object], size: tuple[int, int]
) -> None:
    plan = plan_of(design)
    check(plan, drawn(plan, size))


@pytest.mark.parametrize("size", SIZES)
def test_several_loops_of_a_box_leave_room_for_the_box_beside_it(size: tuple[int, int]) -> None:
    loops = [{"between": ["a.compute", "a.compute"]}] * 3 + [
        {"between": ["b.compute", "b.compute"]}
    ]
    nodes = {"part": "dgx", "count": 1, "per": []}
    plan = plan_of({"axes": {"rail": 8}, "groups": {"a": nodes, "b": nodes}, "links": loops})
    check(plan, drawn(plan, size))


@settings(max_examples=20, deadline=None)
@given(design=designs(), size=st.sampled_from(SIZES))
def test_ascii_has_the_same_shape(design: dict[str, object], size: tuple[int, int]) -> None:
    plan = plan_of(design)
    layout = drawn(plan, size)
    rich, plain = (
        as_text(Scene(layout, full_figures(plan), ascii_only=only)).split("\n")
        for only in (False, True)
    )
    assert "".join(plain).isascii()
    assert [[c == " " for c in row] for row in rich] == [[c == " " for c in row] for row in plain]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("design", [SUPERPOD, TWO_SORTS, MESH])
def test_known_fabrics_hold_it_too(design: dict[str, object], size: tuple[int, int]) -> None:
    plan = plan_of(design)
    check(plan, drawn(plan, size))


@pytest.mark.parametrize("size", SIZES)
def test_a_superpod_fits_every_view(size: tuple[int, int]) -> None:
    layout = lay_out(plan_of(SUPERPOD), *size)
    assert (layout.width, layout.height) == size


SIX_FABRICS = {
    "groups": {
        "node": {"part": "dgx", "count": 128, "nics": {"storage": {"part": "nic", "count": 2}}},
        **{name: {"part": "qm9700", "count": 4} for name in ("leaf", "store-leaf", "spine")},
        **{name: {"part": "qm9700", "count": 2} for name in ("store-spine", "core", "in-band")},
    },
    "links": [
        {"between": ["node.compute", "leaf"]},
        {"between": ["node.storage", "store-leaf"]},
        {"between": ["node.storage", "in-band"]},
        {"between": ["leaf", "spine"]},
        {"between": ["store-leaf", "store-spine"]},
        {"between": ["spine", "core"]},
    ],
}


def test_a_design_of_many_groups_fits_80_columns_by_names_and_counts() -> None:
    plan = plan_of(SIX_FABRICS)
    room = (51, 19)
    assert lay_out(plan, *room).height > room[1]
    layout = lay_out(plan, *room, whole=True)
    assert (layout.width, layout.height) == room
    check(plan, layout)
    said = as_text(Scene(layout, full_figures(plan)))
    assert all(f"{name}  " in said for name in plan.groups)
    assert "128" in said
    assert lay_out(plan, 200, 50, whole=True) == lay_out(plan, 200, 50), "where there is room"


def test_a_very_wide_view_names_devices_by_their_places_along_the_axes() -> None:
    plan = plan_of(
        {
            "axes": {"su": 2, "rail": 4},
            "groups": {
                "node": {"part": "dgx", "count": 12, "per": ["su"]},
                "leaf": {"part": "qm9700", "per": ["su", "rail"]},
                "spine": {"part": "qm9700", "count": 2},
            },
            "links": [{"between": ["node.compute", "leaf"]}, {"between": ["leaf", "spine"]}],
            "down": ["leaf[su=1,rail=2]"],
        }
    )
    room = (206, 76)
    layout = lay_out(plan, *room)
    check(plan, layout)
    assert (layout.width, layout.height) == room
    lines = as_text(Scene(layout, full_figures(plan))).split("\n")
    words = [" ".join(line.strip(" │┃").split()) for line in lines]
    assert "rail 0 1 2 3" in words
    assert "su 0 ▪ ▪ ▪ ▪" in words
    assert f"su 1 ▪ ▪ {UNICODE.gone} ▪" in words, "the leaf of rail 2 is down"
    assert "node 0 1 2 3 4 5 6 7 8 9 10 11" in words
    assert "rail 0 1 2 3" not in as_text(Scene(lay_out(plan, 106, 46), full_figures(plan)))


def test_two_sorts_of_node_fit_80_columns() -> None:
    assert lay_out(plan_of(TWO_SORTS), 78, 22).width == 78


@settings(max_examples=40, deadline=None)
@given(design=designs())
def test_links_join_neighbouring_tiers_or_one_tier(design: dict[str, object]) -> None:
    plan = plan_of(design)
    tier = {name: level for level, row in enumerate(tier_rows(plan)) for name in row}
    assert all(abs(tier[a] - tier[b]) <= 1 for a, b in design_edges(plan).values())


def test_tiers_stand_nodes_below_leaf_below_spine() -> None:
    assert tier_rows(plan_of(SUPERPOD)) == [["node"], ["leaf"], ["spine"]]


def test_unlinked_switches_stand_on_top_and_unlinked_nodes_with_the_nodes() -> None:
    groups = {**TWO_SORTS["groups"], "loose": {"part": "ether"}, "spare": {"part": "dgx"}}  # type: ignore[dict-item]
    rows = tier_rows(plan_of({**TWO_SORTS, "groups": groups}))
    assert rows[-1] == ["loose"]
    assert "spare" in rows[0]


def test_switches_wired_before_any_node_stand_by_number() -> None:
    groups = {"spine": {"part": "qm9700"}, "leaf": {"part": "qm9700", "count": 4}}
    plan = plan_of({"groups": groups, "links": [{"between": ["leaf", "spine"]}]})
    assert tier_rows(plan) == [["leaf"], ["spine"]]


def test_boxes_stand_still_while_figures_move() -> None:
    plan = plan_of(SUPERPOD)
    assert lay_out(plan, 80, 24) == lay_out(plan, 80, 24, analysis_of(plan, {0: 1.0}).findings)


def test_an_empty_design_says_what_to_press() -> None:
    text = as_text(Scene(lay_out(plan_of({}), 50, 18), read_figures(plan_of({}), None)))
    assert "a  add a node or a switch" in text
    assert "o  open a saved design" in text


def test_groups_without_links_say_what_to_press() -> None:
    plan = plan_of({"groups": {"node": {"part": "dgx"}, "leaf": {"part": "qm9700"}}})
    text = as_text(Scene(lay_out(plan, 50, 18), read_figures(plan, None)))
    assert "w  wire a group to another" in text


def test_every_item_of_the_picture_is_hit_where_it_is_drawn() -> None:
    plan = plan_of(MESH)
    scene = Scene(lay_out(plan, 120, 36), full_figures(plan))
    for box in scene.layout.boxes:
        for place in ((box.x, box.y), (box.x + box.width - 1, box.y + box.height - 1)):
            assert scene.item_at(*place) == GroupItem(box.item.name)
    for trunk in scene.layout.trunks:
        for text in scene.labels[trunk.item]:
            assert scene.item_at(text.x, text.y) == trunk.item
        assert scene.item_at(trunk.label_x, trunk.label_y) == trunk.item
        assert scene.item_at(trunk.label_x + 1, trunk.label_y) == trunk.item
    assert scene.item_at(-1, -1) is None
    assert scene.item_at(0, 10_000) is None


@settings(max_examples=80, deadline=None)
@given(design=designs(), size=st.sampled_from(SIZES), data=st.data())
def test_moved_boxes_make_room_for_each_other(
    design: dict[str, object], size: tuple[int, int], data: st.DataObject
) -> None:
    plan = plan_of(design)
    far = st.integers(-150, 150)
    positions = data.draw(st.dictionaries(st.sampled_from(sorted(plan.groups)), far))
    check(plan, lay_out(plan, *size, (), full_figures(plan).ratios, positions=positions))


def test_a_moved_box_goes_as_far_as_it_was_moved_and_the_others_stay() -> None:
    plan = plan_of(SUPERPOD)
    plain = {box.item.name: box for box in lay_out(plan, 160, 50).boxes}
    moved = {box.item.name: box for box in lay_out(plan, 160, 50, positions={"leaf": 9}).boxes}
    assert moved["leaf"].x == plain["leaf"].x + 9
    assert [moved[name].x for name in ("node", "spine")] == [
        plain[name].x for name in ("node", "spine")
    ]


def test_a_box_moved_past_its_neighbour_stands_behind_it() -> None:
    plan = plan_of(TWO_SORTS)
    plain = {box.item.name: box for box in lay_out(plan, 120, 40).boxes}
    left, right = sorted(("new", "old"), key=lambda name: plain[name].x)
    boxes = {box.item.name: box for box in lay_out(plan, 120, 40, positions={left: 80}).boxes}
    assert boxes[left].x > boxes[right].x
