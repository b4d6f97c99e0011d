"""The curve takes the place of the fabric: it is read by keys, and follows the design."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.analysis.analyse import Questions
from toposmith.analysis.prediction.size_curve import Curve
from toposmith.analysis.request import Request
from toposmith.exports.text_plot.curves import what_runs
from toposmith.exports.text_plot.plot import ASCII, BRAILLE
from toposmith.text import bandwidth, duration_us, message_size
from toposmith.tui.views.curve_view import CurveView
from toposmith.tui.widgets.key_bar import KeyBar

SIZES = [(80, 24), (120, 36), (200, 50)]


def engine(person: Person, request: Request | None = None) -> Curve:
    """What the engine says about the design on the screen."""
    bench = person.designer.workbench
    found = Questions(bench.plan, bench.catalog).curve(request or bench.request)
    assert found is not None
    return found


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
async def test_the_curve_fits_every_screen_with_its_axes_and_switches(
    open_app: OpenApp, two_tier: Path, ascii_only: bool
) -> None:
    async with open_app(two_tier, size=SIZES[0], ascii_only=ascii_only) as person:
        await person.press("v")
        view = person.designer.query_one(CurveView)
        expected = engine(person)
        at = next(point for point in expected.points if point.message_bytes == 8 * 2**30)
        for size in SIZES:
            await person.resize(size)
            assert view.has_focus
            assert view.region.area
            assert not person.designer.canvas.region.area
            seen = person.seen()
            for words in ("all-reduce busbw per GPU, model", "100 GB/s", "1 MiB", "GB/s per GPU"):
                assert words in seen, size
            for point in expected.switches:
                assert what_runs(point) in seen, size
            assert bandwidth(at.busbw_GBps) in seen.rpartition("8 GiB: ")[2], size
            assert seen.isascii() or not ascii_only


async def test_the_arrows_read_the_curve_size_by_size(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("v", "home")
        points = engine(person).points
        for point in points[:3]:
            assert f"{message_size(point.message_bytes)}: " in person.seen()
            assert duration_us(point.time_us) in person.seen()
            await person.press("right")
        await person.press("end", "right")
        assert f"{message_size(points[-1].message_bytes)}: " in person.seen()
        await person.press("left")
        assert f"{message_size(points[-2].message_bytes)}: " in person.seen()


async def test_t_shows_time_in_place_of_busbw(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("v", "t")
        assert "all-reduce time, model" in person.seen()
        assert "10 ms" in person.seen()
        await person.press("t")
        assert "all-reduce busbw per GPU, model" in person.seen()


async def test_the_curve_follows_the_collective_and_the_settings(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("v", "m")
        assert "all-gather busbw per GPU, model" in person.seen()
        await person.press("M", "down")
        await person.type("2MiB")
        assert "2 MiB: " in person.seen(), "it is read at the size that is measured"


@pytest.mark.parametrize("ascii_only", [False, True], ids=["unicode", "ascii"])
async def test_the_saved_version_lies_below_where_it_differs(
    open_app: OpenApp, two_tier: Path, ascii_only: bool
) -> None:
    async with open_app(two_tier, size=(200, 50), ascii_only=ascii_only) as person:
        series = (ASCII if ascii_only else BRAILLE).series
        saved = engine(person).points[-1]
        await person.press("v", "end")
        assert f"{series[1]} saved" not in person.seen()
        person.designer.select_link(0)
        await person.press("c")
        await person.type("1")
        await person.press("enter", "v", "end")
        seen = person.seen()
        assert f"{series[0]} now" in seen
        assert f"{series[1]} saved" in seen
        now = engine(person).points[-1]
        assert now.busbw_GBps < saved.busbw_GBps
        assert f"busbw {bandwidth(now.busbw_GBps)}" in seen
        assert f"saved: busbw {bandwidth(saved.busbw_GBps)}" in seen


async def test_a_name_that_changes_nothing_lays_nothing_below(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        await person.press("r")
        await person.type("tor")
        await person.press("enter", "v")
        assert person.designer.workbench.dirty
        assert f"{BRAILLE.series[1]} saved" not in person.seen()


async def test_escape_and_v_go_back_to_the_fabric_and_its_selection(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        for key in ("escape", "v"):
            await person.press("v")
            assert isinstance(person.designer.view, CurveView)
            await person.press(key)
            assert person.designer.view is None
            assert person.designer.focused is person.designer.canvas
            assert person.designer.selected_group == "leaf"


async def test_a_click_reads_the_curve_there(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, size=(200, 50)) as person:
        await person.press("v", "end")
        view = person.designer.query_one(CurveView)
        await person.pilot.click(CurveView, offset=(view.gutter.left + 14, 8))
        await person.settle()
        read = next(line for line in person.seen().splitlines() if ": busbw" in line)
        assert " B: busbw" in read, "the smallest sizes stand on the left"


async def test_the_keys_of_the_curve_can_be_clicked(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("v")
        for key, words in (
            ("t", "all-reduce time"),
            ("M", "message size"),
            ("Esc", "t time or busbw"),
        ):
            bar = person.designer.query_one(KeyBar)
            line = person.seen().splitlines()[-1]
            column = line.index(f" {key} ") + 1
            await person.pilot.click(KeyBar, offset=(column - bar.region.x, 0))
            await person.settle()
            assert words in person.seen()


async def test_building_goes_on_under_the_curve_and_wiring_shows_the_fabric(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("v", "minus")
        assert person.designer.workbench.design.groups["node"].count == 7
        assert isinstance(person.designer.view, CurveView)
        await person.press("w")
        assert person.designer.view is None
        assert person.designer.canvas.picking


async def test_no_curve_says_why(open_app: OpenApp, work_dir: Path) -> None:
    path = work_dir / "one.yaml"
    path.write_text("toposmith: 1\ngroups:\n  leaf: {part: qm9700}\n", encoding="utf-8")
    async with open_app(path) as person:
        await person.press("v", "right", "t")
        assert "no node yet, so no collective to run" in person.seen()


async def test_on_a_narrow_screen_panels_take_turns(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, size=(80, 24)) as person:
        screen = person.designer
        view = screen.view_of("curve")
        await person.press("v", "M")
        assert not view.region.area
        await person.press("escape")
        assert view.region.area
        assert view.has_focus
        await person.press("p")
        assert not view.region.area
        await person.press("escape")
        assert view.region.area
        await person.press("M", "v")
        assert view.region.area
        assert not screen.measuring
