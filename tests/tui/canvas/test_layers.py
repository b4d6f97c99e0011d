"""The fabrics of one node shown alone, and the map of a picture that does not fit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tui.canvas.fabrics import SUPERPOD, plan_of
from tests.tui.canvas.test_layout import designs, overlap
from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.canvas_glyphs import ASCII, UNICODE
from toposmith.tui.canvas.layers import layer_links, layered, layers_of, next_layer
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.minimap import minimap
from toposmith.tui.canvas.scene import Area
from toposmith.tui.canvas.tier_rows import design_edges

TWO_FABRICS = {
    "axes": {"rail": 8},
    "groups": {
        "node": {"part": "dgx", "count": 16, "nics": {"storage": {"part": "nic", "count": 2}}},
        "leaf": {"part": "qm9700", "per": ["rail"]},
        "spine": {"part": "qm9700", "count": 2},
        "filer-leaf": {"part": "qm9700", "count": 2},
        "core": {"part": "qm9700"},
    },
    "links": [
        {"between": ["node.compute", "leaf"]},
        {"between": ["node.storage", "filer-leaf"]},
        {"between": ["leaf", "spine"]},
        {"between": ["core", "filer-leaf"], "cables": 4},
    ],
}


def two_fabrics() -> Plan:
    return plan_of(TWO_FABRICS)


def test_a_layer_is_what_its_slots_reach() -> None:
    plan = two_fabrics()
    assert layers_of(plan) == ["compute", "storage"]
    assert layer_links(plan, "compute") == {0, 2}
    assert layer_links(plan, "storage") == {1, 3}
    assert set(layered(plan, "compute").groups) == {"node", "leaf", "spine"}
    assert set(layered(plan, "storage").groups) == {"node", "filer-leaf", "core"}


def test_the_key_goes_through_all_layers_and_back_to_all() -> None:
    plan = two_fabrics()
    assert next_layer(plan, None) == "compute"
    assert next_layer(plan, "compute") == "storage"
    assert next_layer(plan, "storage") is None
    assert next_layer(plan_of({"groups": {"leaf": {"part": "qm9700"}}}), None) is None


def test_links_keep_their_places_in_a_layer() -> None:
    plan = layered(two_fabrics(), "storage")
    assert design_edges(plan) == {1: ("node", "filer-leaf"), 3: ("core", "filer-leaf")}
    assert [link.index for link in plan.links] == [1, 3]


def test_ports_that_another_fabric_uses_are_not_called_free() -> None:
    shared = {
        **TWO_FABRICS,
        "links": [
            {"between": ["node.compute", "leaf"]},
            {"between": ["node.storage", "filer-leaf"]},
            {"between": ["leaf", "spine"]},
            {"between": ["spine", "filer-leaf"], "cables": 20},
        ],
    }
    whole = lay_out(plan_of(shared), 120, 40)
    alone = lay_out(plan_of(shared), 120, 40, layer="compute")
    for layout in (whole, alone):
        spine = next(box for box in layout.boxes if box.item.name == "spine")
        words = " ".join(text for line in spine.lines for text, _ in line)
        assert "16 free" in words, "64 ports, 8 to leaves and 40 to the filers' leaves"


@settings(deadline=None, max_examples=40)
@given(designs(), st.sampled_from([(78, 22), (120, 36)]))
def test_every_layer_is_drawn_without_overlap(
    data: dict[str, object], size: tuple[int, int]
) -> None:
    plan = plan_of(data)
    for layer in layers_of(plan):
        layout = lay_out(plan, *size, layer=layer)
        areas = [Area(box.x, box.y, box.width, box.height) for box in layout.boxes]
        for at, one in enumerate(areas):
            assert not any(overlap(one, other) for other in areas[:at])
        assert {trunk.item.index for trunk in layout.trunks} <= layer_links(plan, layer)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_map_lies_in_the_view_and_shows_every_box(glyphs: object) -> None:
    plan = plan_of({"groups": {f"leaf{n}": {"part": "qm9700"} for n in range(20)}})
    layout = lay_out(plan, 80, 24)
    for x in (0, layout.width // 2, layout.width - 80):
        found = minimap(layout, Area(x, 0, 80, 24), glyphs)  # type: ignore[arg-type]
        assert found is not None
        area = found.area
        assert 0 <= area.x < area.right <= 80
        assert 0 <= area.y < area.bottom <= 24
        text = ["".join(piece for piece, _ in row) for row in found.rows]
        assert len({len(row) for row in text}) == 1
        assert "[" in "".join(text)
        assert "]" in "".join(text)
        if glyphs is ASCII:
            assert "".join(text).isascii()


def test_a_picture_that_fits_needs_no_map() -> None:
    layout = lay_out(plan_of(SUPERPOD), 120, 40)
    assert minimap(layout, Area(0, 0, 120, 40), UNICODE) is None


def test_the_map_never_lies_on_what_is_selected() -> None:
    plan = plan_of({"groups": {f"leaf{n}": {"part": "qm9700"} for n in range(20)}})
    layout = lay_out(plan, 80, 24)
    for x in range(0, layout.width - 80, 7):
        view = Area(x, 0, 80, 24)
        for box in layout.boxes:
            found = minimap(layout, view, UNICODE, [box.item])
            if found is None:
                continue
            area = Area(view.x + found.area.x, found.area.y, found.area.width, found.area.height)
            assert not overlap(area, Area(box.x, box.y, box.width, box.height))
            assert " map " in found.rows[0][0][0]
