"""What the picture says, as text."""

from __future__ import annotations

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
        " │   compute 8 x ConnectX-7 400 Gb/s, 0 free   │",
        " │           storage: 2 slots empty            │",
        " └─────────────────────────────────────────────┘",
    ]


def test_ascii_draws_the_limit_too() -> None:
    shown = picture(SUPERPOD, {0: 0.96, 1: 0.03}, ascii_only=True)
    assert shown.isascii()
    assert "1,016 x 400 Gb/s # 96 %  <- limits" in shown


def test_only_limiting_trunks_carry_the_mark_and_the_heavy_line() -> None:
    shown = picture(TWO_SORTS, {0: 0.5, 1: 1.0, 2: 0.97}, size=(120, 36))
    assert shown.count(UNICODE.limits) == 1
    row = next(line for line in shown.split("\n") if "%" in line and "limits" in line)
    assert "┃ 100 %  ◀━ limits" in row
    assert "│ 50 %" in row


def test_trunks_without_figures_still_tell_their_cables() -> None:
    shown = picture(SUPERPOD)
    assert "1,016 x 400 Gb/s │" in shown
    assert "%" not in shown


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


def test_empty_slots_and_free_ports_are_told() -> None:
    shown = picture(SUPERPOD, size=(120, 36))
    assert "compute 8 x ConnectX-7 400 Gb/s, 0 free" in shown
    assert "storage: 2 slots empty" in shown
    assert "32 below, 32 above," in shown
    assert "0 free, 8 at absent" in shown


def test_over_used_ports_are_marked_with_a_word() -> None:
    data = {
        "groups": {"node": {"part": "dgx", "count": 80}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"], "cables": 8}],
    }
    shown = picture(data, size=(96, 36))
    assert "576 too many" in shown
    assert "✗ ports over-used" in shown


def test_a_box_with_room_tells_what_is_wrong_in_a_sentence() -> None:
    data = {
        "groups": {"node": {"part": "dgx", "count": 80}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"], "cables": 8}],
    }
    (said,) = port_findings(plan_of(data))
    shown = picture(data, size=(120, 40))
    words = " ".join(shown.replace("│", " ").split())
    assert f"✗ {' '.join(said.text.split())}" in words


def test_a_link_that_cannot_be_built_is_drawn_and_says_why() -> None:
    data = {
        "groups": {"node": {"part": "dgx"}, "leaf": {"part": "ether"}},
        "links": [{"between": ["node.compute", "leaf"]}],
    }
    shown = picture(data)
    assert "✗ protocol mismatch ┆" in shown
    assert "x protocol mismatch :" in picture(data, ascii_only=True)


def test_a_warning_has_another_mark_than_an_error() -> None:
    plan = plan_of(SUPERPOD)
    warned = (found("single-spine", at_group("spine")),)
    shown = as_text(Scene(lay_out(plan, 50, 24, warned), Figures()))
    assert "! single spine" in shown


def test_every_device_has_a_pip_where_there_is_room() -> None:
    shown = picture(SUPERPOD, size=(120, 40))
    assert shown.count(UNICODE.pip) == 127 + 32 + 16
    assert shown.count(UNICODE.gone) == 1


def test_what_is_down_is_counted_once() -> None:
    data = {**SUPERPOD, "down": ["leaf[su=0]", "leaf[su=0,rail=1]", "spine[spine=2]"]}
    shown = picture(data, size=(120, 40))
    assert "(8 down)" in shown
    assert "(1 down)" in shown


def test_text_from_files_cannot_steer_the_terminal() -> None:
    shown = picture({"groups": {"node": {"part": "evil"}}}, size=(120, 36))
    assert "\x1b" not in shown
    assert "[red]Evil\N{REPLACEMENT CHARACTER}[31m[/red]" in shown
    assert "[red]Evil?[31m[/red]" in picture(
        {"groups": {"node": {"part": "evil"}}}, ascii_only=True
    )


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


def test_down_is_said_of_what_has_failed_alone() -> None:
    shown = picture({**SUPERPOD, "down": ["spine[spine=0..3]"]}, size=(120, 40))
    assert "(4 down)" in shown
    assert "64 below, 0 free" in shown
    assert "64 down" not in shown
