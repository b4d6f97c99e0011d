"""Drawings: everything is on them, nothing runs into anything else, and no text is obeyed."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from tests.racks.fabrics import CATALOG, designs, planned
from toposmith.analysis.analyse import analyse
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.png import png_bytes
from toposmith.exports.drawing.rack_fronts import elevations_sheet
from toposmith.exports.drawing.svg import (
    DrawingSheet,
    Polyline,
    Rect,
    ShapeGroup,
    Text,
    svg_text,
    text_width,
)
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.racks.rack_loads import elevations
from toposmith.saved_designs import saved_designs

SVG = "{http://www.w3.org/2000/svg}"
SAVED = [saved.name for saved in saved_designs()]


def saved_plan(name: str) -> Plan:
    (path,) = (saved.path for saved in saved_designs() if saved.name == name)
    return plan_design(load_file(path).design, CATALOG)


def racks_sheet(plan: Plan) -> DrawingSheet:
    placement = place(plan, CATALOG)
    found = elevations(plan, placement)
    return elevations_sheet(plan.design.name, placement, found, [("power", "feeds")] * len(found))


def boxes_of(sheet: DrawingSheet) -> list[tuple[float, float, float, float]]:
    return [
        (shape.x, shape.y, shape.x + shape.width, shape.y + shape.height)
        for part in sheet.parts
        if part.kind == "node"
        for shape in part.shapes
        if isinstance(shape, Rect)
    ]


def texts_of(sheet: DrawingSheet, kind: str) -> list[tuple[float, float, float, float]]:
    found = []
    for part in sheet.parts:
        for shape in part.shapes:
            if isinstance(shape, Text) and part.kind == kind:
                width = text_width(shape.text, shape.size)
                left = shape.x - width / 2 if shape.anchor == "middle" else shape.x
                found.append((left, shape.y - shape.size * 0.8, left + width, shape.y + 2))
    return found


def meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def links(sheet: DrawingSheet) -> Iterator[ShapeGroup]:
    return (part for part in sheet.parts if part.kind == "link")


@pytest.mark.parametrize("name", SAVED)
def test_every_group_and_link_of_a_design_is_drawn_and_can_be_found(name: str) -> None:
    plan = saved_plan(name)
    root = ElementTree.fromstring(svg_text(fabric_sheet(plan, analyse(plan, CATALOG))))
    groups = {
        part.attrib["data-node"] for part in root.iter(f"{SVG}g") if "data-node" in part.attrib
    }
    drawn = {
        part.attrib["data-link"] for part in root.iter(f"{SVG}g") if "data-link" in part.attrib
    }
    assert groups == set(plan.groups)
    assert drawn == {str(link.index) for link in (*plan.links, *plan.nvlinks)}


@settings(max_examples=30)
@given(designs())
def test_boxes_and_labels_stay_apart_and_on_the_sheet(design: Design) -> None:
    sheet = fabric_sheet(planned(design))
    boxes, labels = boxes_of(sheet), texts_of(sheet, "link")
    for one, other in combinations([*boxes, *labels], 2):
        assert not meet(one, other)
    for left, top, right, bottom in [*boxes, *labels]:
        assert 0 <= left < right <= sheet.width
        assert 0 <= top < bottom <= sheet.height


def test_two_networks_of_a_node_stay_apart() -> None:
    plan = planned(
        {
            "axes": {"rail": 8},
            "groups": {
                "node": {"part": "dgx-h100", "count": 16},
                "leaf": {"part": "qm9700", "per": ("rail",)},
                "storage-leaf": {"part": "qm9700", "count": 2},
                "spine": {"part": "qm9700", "count": 2},
                "spare": {"part": "no-such-part"},
            },
            "links": [
                {"between": ("node.compute", "leaf")},
                {"between": ("node.storage", "storage-leaf")},
                {"between": ("leaf", "spine")},
                {"between": ("storage-leaf", "spine")},
                {"between": ("leaf", "storage-leaf")},
            ],
        }
    )
    sheet = fabric_sheet(plan, analyse(plan, CATALOG))
    for one, other in combinations([*boxes_of(sheet), *texts_of(sheet, "link")], 2):
        assert not meet(one, other)
    ends = [
        shape.points[-1]
        for part in links(sheet)
        for shape in part.shapes
        if isinstance(shape, Polyline)
    ]
    assert len(set(ends)) == len(ends)


@pytest.mark.parametrize("name", SAVED)
def test_devices_of_a_rack_stay_inside_and_apart(name: str) -> None:
    sheet = racks_sheet(saved_plan(name))
    for part in sheet.parts:
        frames = [s for s in part.shapes if isinstance(s, Rect)]
        if part.kind != "rack":
            continue
        rack, *devices = [(r.x, r.y, r.x + r.width, r.y + r.height) for r in frames]
        for one, other in combinations(devices, 2):
            assert not meet(one, other)
        assert all(rack[0] <= d[0] and rack[1] <= d[1] and d[3] <= rack[3] for d in devices)


def test_text_of_a_design_is_shown_and_never_obeyed() -> None:
    plan = planned({"name": '</title><script>alert("x")</script>\x1b[31m & co', "groups": {}})
    text = svg_text(fabric_sheet(plan))
    assert "<script" not in text
    assert "\x1b" not in text
    root = ElementTree.fromstring(text)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == '</title><script>alert("x")</script>\\x1b[31m & co'


@pytest.mark.parametrize("name", SAVED)
def test_pictures_are_twice_as_large_as_the_drawing(name: str) -> None:
    from PIL import Image

    sheet = fabric_sheet(saved_plan(name))
    with Image.open(io.BytesIO(png_bytes(sheet))) as image:
        assert image.size == (round(sheet.width * 2), round(sheet.height * 2))
        assert len(image.getcolors(1 << 20) or ()) > 10


def test_the_same_design_gives_the_same_picture() -> None:
    plan = saved_plan("dgx-h100-superpod-1su")
    assert svg_text(racks_sheet(plan)) == svg_text(racks_sheet(plan))
    assert png_bytes(racks_sheet(plan)) == png_bytes(racks_sheet(plan))


def test_rows_without_trunks_stand_apart_and_over_used_ports_are_said() -> None:
    plan = planned(
        {
            "groups": {
                "node": {"part": "dgx-h100", "count": 9},
                "leaf": {"part": "qm9700"},
                "lonely": {"part": "sn5600"},
            },
            "links": [{"between": ("node.compute", "leaf")}],
        }
    )
    sheet = fabric_sheet(plan)
    for one, other in combinations(boxes_of(sheet), 2):
        assert one[3] + 10 < other[1] or other[3] + 10 < one[1]
    assert any("72 ports used, 8 too many" in part.title for part in sheet.parts)
