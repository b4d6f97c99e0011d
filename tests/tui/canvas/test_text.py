"""What the picture says, as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tui.canvas.drawn import as_text
from tests.tui.canvas.fabrics import SUPERPOD, TWO_SORTS, analysis_of, plan_of
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import at_group, found
from toposmith.tui.canvas.canvas_glyphs import ASCII, UNICODE, Ink, clean
from toposmith.tui.canvas.items import GroupItem, LinkItem
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.scene import Scene
from toposmith.tui.canvas.trunk_figures import Figures, read_figures


def picture(
    data: dict[str, object],
    used: dict[int, float] | None = None,
    ratios: dict[str, float] | None = None,
    size: tuple[int, int] = (50, 18),
    ascii_only: bool = False,
) -> str:
    plan = plan_of(data)
    figures = read_figures(plan, analysis_of(plan, used, ratios)) if used else Figures()
    layout = lay_out(plan, *size, (), figures.ratios)
    return as_text(Scene(layout, figures, ascii_only=ascii_only))


def test_a_superpod_at_50_columns() -> None:
    shown = picture(SUPERPOD, {0: 0.96, 1: 0.03}, {"leaf": 1.0})
    assert shown.split("\n") == [
        " ┌─────────────────────────────────────────────┐",
        " │              spine  16  QM9700              │",
        " │       64 x 400 Gb/s: 64 below, 0 free       │",
        " └──────────────────────┬──────────────────────┘",
        "       1,024 x 400 Gb/s │ 3 %",
        "                    1:1 │ 1.50 of 50.0 GB/s",
        " ┌──────────────────────┴──────────────────────┐",
        " │      leaf  8 rail x 4 SU = 32  QM9700       │",
        " │  64 x 400 Gb/s: up to 32 below, 32 above,   │",
        " │                   0 free                    │",
        " └──────────────────────┰──────────────────────┘",
        "       1,016 x 400 Gb/s ┃ 96 %  ◀━ limits",
        "                        ┃ 48.0 of 50.0 GB/s",
        " ┌──────────────────────┸──────────────────────┐",
        " │ node  32 x 4 SU = 128  (1 absent)  DGX H100 │",
        " │       compute 8 x ConnectX-7 400 Gb/s       │",
        " │           storage: 2 slots empty            │",
        " └─────────────────────────────────────────────┘",
    ]


DESIGNS = {"SUPERPOD": SUPERPOD, "TWO_SORTS": TWO_SORTS}
PICTURES = yaml.safe_load(Path(__file__).with_name("pictures.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", PICTURES, ids=lambda case: case["says"])
def test_a_picture_says_what_there_is(case: dict[str, Any]) -> None:
    design = case["design"] if isinstance(case["design"], dict) else DESIGNS[case["design"]]
    data = {**design, "down": case.get("faults", [])}
    ascii_only = case.get("ascii", False)
    shown = picture(data, case.get("used"), None, case.get("size", (50, 18)), ascii_only)
    assert not ascii_only or shown.isascii()
    for words in case.get("has", ()):
        assert words in shown, shown
    for words in case.get("lacks", ()):
        assert words not in shown
    for word, times in case.get("times", {}).items():
        assert shown.count(getattr(UNICODE, word, word)) == times


def test_oversubscription_stands_beside_the_uplink() -> None:
    shown = picture(SUPERPOD, {0: 1.0, 1: 1.0}, {"leaf": 2.0})
    uplink, below = shown.split("leaf")
    assert "2:1 oversubscribed" in uplink
    assert "oversubscribed" not in below


def test_loads_are_told_apart_by_ink_and_by_figure() -> None:
    plan = plan_of(TWO_SORTS)
    figures = read_figures(plan, analysis_of(plan, {0: 0.2, 1: 0.7, 2: 0.0}))
    assert [figures.trunks[i].ink for i in range(3)] == [Ink.CALM, Ink.LIMIT, Ink.IDLE]
    assert [figures.trunks[i].percent for i in range(3)] == ["20 %", "70 %", "0 %"]
    figures = read_figures(plan, analysis_of(plan, {0: 0.95, 1: 0.7, 2: 0.001}))
    assert [figures.trunks[i].percent for i in range(3)] == ["95 %", "70 %", "<1 %"]
    assert figures.trunks[1].ink is Ink.BUSY


def test_nothing_limits_where_nothing_flows() -> None:
    plan = plan_of(TWO_SORTS)
    figures = read_figures(plan, analysis_of(plan, {0: 0.0, 1: 0.0}))
    assert not any(trunk.limits for trunk in figures.trunks.values())


def test_ratios_read_both_ways() -> None:
    plan = plan_of(SUPERPOD)
    texts = [
        read_figures(plan, analysis_of(plan, {}, {"leaf": ratio})).ratios["leaf"].text
        for ratio in (1.0, 2.0, 1.5, 4 / 3, 0.5, 1016 / 1024, 1.001)
    ]
    assert texts == [
        "1:1",
        "2:1 oversubscribed",
        "1.5:1 oversubscribed",
        "1.33:1 oversubscribed",
        "0.5:1",
        "0.99:1",
        "1:1",
    ]


def test_figures_of_another_design_are_not_shown() -> None:
    before, after = plan_of(SUPERPOD), plan_of(TWO_SORTS)
    figures = read_figures(after, analysis_of(before, {0: 1.0, 1: 1.0}))
    assert not figures.trunks


def test_a_box_with_room_tells_what_is_wrong_in_a_sentence() -> None:
    data = {
        "groups": {"node": {"part": "dgx", "count": 80}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"], "cables": 8}],
    }
    (said,) = port_findings(plan_of(data))
    shown = picture(data, size=(120, 40))
    words = " ".join(shown.replace("│", " ").split())
    assert f"✗ {' '.join(said.text.split())}" in words


def test_a_warning_has_another_mark_than_an_error() -> None:
    plan = plan_of(SUPERPOD)
    warned = (found("single-spine", at_group("spine")),)
    shown = as_text(Scene(lay_out(plan, 50, 24, warned), Figures()))
    assert "! single spine" in shown


def test_cleaning_keeps_letters_and_shows_what_is_hidden() -> None:
    assert clean("a\tb\u202ec\x7f") == "a�b�c�"
    assert clean("e\u0301") == "é"
    assert clean("光") == "光"


def test_lines_have_ascii_twins_of_one_cell() -> None:
    for number in range(3**4):
        arms = (number // 27, number // 9 % 3, number // 3 % 3, number % 3)
        assert len(UNICODE.line(arms)) == len(ASCII.line(arms)) == 1
        assert ASCII.line(arms).isascii()
        assert (UNICODE.line(arms) == " ") == (ASCII.line(arms) == " ") == (number == 0)
    for name in ("limits", "pip", "gone", "knob", "placeholder"):
        rich, plain = getattr(UNICODE, name), getattr(ASCII, name)
        assert len(rich) == len(plain)
        assert UNICODE.text(rich) == rich
        assert ASCII.text(rich) == plain


def test_wide_letters_take_two_cells() -> None:
    plan = plan_of({"groups": {"node": {"part": "光光"}}})
    for ascii_only in (False, True):
        scene = Scene(lay_out(plan, 40, 12), Figures(), ascii_only=ascii_only)
        text = as_text(scene)
        assert ("????" if ascii_only else "光光") in text
        box = scene.layout.boxes[0]
        assert scene.item_at(box.x + box.width - 1, box.y + 2) == GroupItem("node")


def test_the_corners_of_a_wide_box_and_the_whole_of_a_trunk_are_heavy_when_selected() -> None:
    scene = Scene(lay_out(plan_of(SUPERPOD), 50, 18), Figures())
    box = next(box for box in scene.layout.boxes if box.item.name == "leaf")
    plain = "".join(run.text for run in scene.runs(box.y))
    raised = "".join(run.text for run in scene.runs(box.y, [box.item]))
    wired = "".join(run.text for run in scene.runs(box.y, [LinkItem(1)]))
    assert "┴" in plain
    assert raised.strip() == "┏━━━━━━━━━" + plain.strip()[10:-10] + "━━━━━━━━━┓"
    assert "┸" in wired
