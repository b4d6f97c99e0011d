"""Of a sheet that is far wider than its view, only what is seen is made, and it is the same."""

from __future__ import annotations

import pytest
from rich.style import Style

from tests.every_design import CATALOG
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.tui.canvas import raster
from toposmith.tui.canvas.canvas_glyphs import UNICODE, Ink
from toposmith.tui.canvas.inks import Inks
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.painter import Painting
from toposmith.tui.canvas.raster import BLOCK, CanvasCell, Raster
from toposmith.tui.canvas.scene import Area, Scene
from toposmith.tui.canvas.trunk_figures import Figures

VIEW = range(300, 380)


def _sheet(nodes: int, *, named: str = "n") -> Scene:
    """Nodes and leaves as groups of one below a spine as wide as all of them."""
    groups = [
        f"  {named}{at}: {{part: dgx-h100}}\n  l{at}: {{part: qm9700}}" for at in range(nodes)
    ]
    links = [f"  - {{between: [{named}{at}.compute, l{at}]}}" for at in range(nodes)]
    links += [f"  - {{between: [l{at}, spine]}}" for at in range(nodes)]
    groups.append("  spine: {part: qm9700, count: 8}")
    text = "\n".join(["toposmith: 2", "groups:", *groups, "links:", *links, ""])
    return Scene(lay_out(plan_design(parse_design(text, "ones"), CATALOG), 80, 36), Figures())


def _painting(scene: Scene) -> Painting:
    painting = Painting(Inks(lambda *_: Style()))
    painting.change_scene(scene, {}, {}, Area(0, 0, 0, 0))
    return painting


def test_pieces_of_a_row_are_the_row() -> None:
    scene = _sheet(24)
    assert scene.width > 3 * BLOCK
    for y in range(scene.height):
        whole = "".join(run.text for run in scene.runs(y))
        for step in (BLOCK, BLOCK + 1, 50):
            pieces = [range(x, min(x + step, scene.width)) for x in range(0, scene.width, step)]
            runs = [run for piece in pieces for run in scene.runs(y, columns=piece)]
            assert "".join(run.text for run in runs) == whole
        painted = _painting(scene).strip(y, range(scene.width + 9))
        assert painted.text == whole


def test_signs_of_two_cells_are_told_apart_by_a_boundary_of_blocks() -> None:
    sheet = Raster(3 * BLOCK, 1)
    text = "節點" * BLOCK  # begins on an odd column: one sign lies on each boundary
    sheet.write(1, 0, ((text, Ink.TITLE),), None, UNICODE)
    blocks = [range(at * BLOCK, (at + 1) * BLOCK) for at in range(3)]
    whole = [run for columns in blocks for run in sheet.runs(0, UNICODE, columns=columns)]
    assert "".join(run.text for run in whole) == f" {text[: (3 * BLOCK - 1) // 2 + 1]}"
    assert sheet.cell(BLOCK - 1, 0) != sheet.cell(BLOCK, 0)
    second = sheet.cell(BLOCK, 0)
    assert second is not None and second.text == ""  # the right half of a sign


def test_a_view_makes_as_few_cells_of_a_wide_sheet_as_of_a_narrow_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = 0

    class Counted(CanvasCell):
        def __init__(self, *args: object, **kwargs: object) -> None:
            nonlocal made
            made += 1
            super().__init__(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(raster, "CanvasCell", Counted)
    for nodes in (24, 96):
        scene = _sheet(nodes)
        made = 0
        for y in range(36):
            assert _painting(scene).strip(y, VIEW).cell_length == len(VIEW)
        assert 0 < made <= 36 * 2 * BLOCK


def test_of_a_changed_scene_only_what_is_seen_is_painted_again() -> None:
    scene, other = _sheet(24), _sheet(24, named="m")
    painting = _painting(scene)
    for y in range(scene.height):
        painting.strip(y, VIEW)
    seen = Area(VIEW.start, 0, len(VIEW), scene.height)
    areas = painting.change_scene(other, {}, {}, seen)
    assert areas
    first, last = VIEW.start // BLOCK * BLOCK, -(-VIEW.stop // BLOCK) * BLOCK
    assert all(first <= area.x and area.right <= last for area in areas)
    for y in range(scene.height):
        assert painting.strip(y, VIEW) == _painting(other).strip(y, VIEW)
