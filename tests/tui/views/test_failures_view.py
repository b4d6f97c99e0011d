"""Failures in the middle of the screen: worst first, each can be tried."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import sleep as wait
from typing import Any

import pytest

from tests.below_the_model import read_less
from tests.said import texts
from tests.tui.person import OpenApp
from toposmith.cancellation import go_on
from toposmith.catalog import load_catalog
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.review.failures import sweep as failures_sweep
from toposmith.review.failures.sweep import Survival, sweep
from toposmith.review.failures.sweep_in_words import read_alike
from toposmith.review.failures.without import DegradedDesign
from toposmith.saved_designs import FOLDER, find_saved
from toposmith.text import number
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.views import table_view
from toposmith.tui.views.failures_view import failure_table

SIZES = [(80, 24), (120, 36), (200, 50)]


async def test_failures_are_listed_worst_first_with_what_is_kept(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("F")
        view = person.designer.view_of("failures")
        bench = person.designer.workbench
        expected = sweep(bench.plan, bench.catalog, bench.request)
        assert len(view.shown_rows) == len(expected.singles)
        assert [row.cells[1].text for row in view.shown_rows] == [
            outcome.failures[0].what for outcome in expected.singles
        ]
        for size in SIZES:
            await person.resize(size)
            assert "kept" in person.seen(), size


async def test_a_leaf_that_is_tried_to_fail_changes_every_figure_and_comes_back(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        designer = person.designer
        before = designer._figures.analysis
        designer.select_group("leaf")
        await person.press("D")
        assert "what fails?" in person.seen()  # the switch, or a module in it
        await person.press("enter")
        assert "without leaf[leaf=0]" in person.seen()
        after = designer._figures.analysis
        # eight ports of a node over two leaves: four NICs are left
        assert after is not None and before is not None
        assert after.busbw_GBps is not None and before.busbw_GBps is not None
        assert after.busbw_GBps < 0.6 * before.busbw_GBps
        assert number(after.busbw_GBps) in person.seen()
        assert designer.workbench.design.down == ()
        await person.press("escape", "escape")
        assert designer.selected_group is None
        await person.press("D")  # what fails comes back whatever is selected
        assert "without leaf" not in person.seen().splitlines()[0]
        assert designer._figures.analysis == before


async def test_an_edit_brings_back_what_was_tried_to_fail(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("spine")
        await person.press("D")
        assert person.designer.workbench.failing == ("spine[spine=0]",)
        person.designer.select_group("node")
        await person.press("minus")
        assert person.designer.workbench.failing == ()


async def test_undo_takes_back_what_was_done_last_also_where_that_is_a_failure_tried(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        person.designer.select_group("node")
        await person.press("minus")
        edited = bench.design
        person.designer.select_group("spine")
        await person.press("D")
        assert bench.failing == ("spine[spine=0]",)
        await person.press("u")
        assert (bench.failing, bench.design) == ((), edited)
        assert person.message.startswith("spine[spine=0] works again")
        await person.press("u")
        assert bench.design.groups["node"].count == 8
        assert person.message.startswith("undone: ")
        # a step that is gone to knows nothing of it either
        person.designer.select_group("spine")
        await person.press("D", "H", "down", "enter")
        assert bench.failing == ()


async def test_in_review_a_failure_can_be_tried_from_the_table(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("F", "D")
        first = person.designer.view_of("failures").shown_rows[0]
        assert first.key.split("\n")[1:] == list(person.designer.workbench.failing)
        await person.press("D")
        assert person.designer.workbench.failing == ()


async def test_a_group_without_links_has_nothing_that_fails_alone(open_app: OpenApp) -> None:
    async with open_app(None) as person:
        await person.press("N")
        await person.press("D")
        assert "select a group or a link" in person.message


def test_pairs_stand_among_single_failures_worst_first_with_places_named_once(
    two_tier: Path,
) -> None:
    catalog = load_catalog(user=False)
    design = load_file(two_tier).design
    found = sweep(plan_design(design, catalog), catalog, every_pair=True)
    table = failure_table(found, design)
    assert len(table.rows) == len(read_alike(found.worst_first))
    assert len(table.rows) >= len(found.doubles) > 0  # pairs stay as they are
    singles = [one for one in found.worst_first if len(one.failures) == 1]
    assert singles == list(found.singles)
    assert len(found.worst_first[0].failures) == 2  # two failures leave less than one
    places = {row.cells[0].text: row.cells[1].text for row in table.rows}
    assert places["NIC and NIC"] == "node.compute"
    assert places["leaf and spine"] == ""  # their kinds are their names


def test_no_sentence_above_the_table_repeats_it(two_tier: Path) -> None:
    catalog = load_catalog(user=False)
    design = load_file(two_tier).design
    found = sweep(plan_design(design, catalog), catalog)
    said = " ".join(note.text for note in failure_table(found, design).head)
    assert "any one" not in said
    # two racks stand the loss of a feed, which takes nothing down and has no row
    harmless = (Survival("feed", "feed", 4, 1.0, 0),)
    head = failure_table(replace(found, harmless=harmless), design).head
    assert "survives any one feed at 100 %" in texts(head)


async def test_a_small_screen_shows_the_table_first_and_all_that_is_said_of_it_by_pages(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(80, 24)) as person:
        await person.press("F")
        view = person.designer.view_of("failures")
        first = person.seen()
        assert "more (.)" in first
        assert all(row.cells[0].text in first for row in view.shown_rows[:6])
        seen = ""
        for _page in range(6):
            await person.press("full_stop")
            if person.seen() == first:
                break
            assert "more (.)" not in person.seen()
            seen += " ".join(line[1:51] for line in person.seen().splitlines())
        assert person.seen() == first, "the table comes back behind the last page"
        read = " ".join(seen.replace("│", " ").split())
        for text, _ in view.table.head:
            assert UNICODE.shown(text.split(";")[0]) in read
        await person.press("full_stop", "escape")
        assert person.seen() == first, "Escape goes back to the table, not out of it"


async def test_where_the_rest_of_an_all_reduce_is_unknown_that_of_an_exchange_is_shown(
    open_app: OpenApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_less(monkeypatch)
    rack = find_saved("gb200-nvl72-8-racks-ndr")
    assert rack is not None
    file = tmp_path / "rack.yaml"
    file.write_text(rack.path.read_text(encoding="utf-8"), encoding="utf-8")
    async with open_app(file) as person:
        await person.press("F")
        for size in SIZES:
            await person.resize(size)
            assert "all-to-all kept" in person.seen(), size
        shown = person.designer.view_of("failures").shown_rows
        assert all(row.cells[3].text.endswith("%") for row in shown)


@pytest.mark.parametrize("looked_at", [0, 2])
async def test_escape_ends_a_failure_that_takes_long_with_those_before_and_says_so_at_once(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch, looked_at: int
) -> None:
    done, under_way, may_end = [0], Event(), Event()

    def endless(*args: Any) -> DegradedDesign:
        done[0] += 1
        for _ in range(2000 if done[0] > looked_at else 0):  # an end, also where this fails
            under_way.set()
            if may_end.is_set():
                go_on()
            wait(0.01)
        return real(*args)

    real = failures_sweep.without
    monkeypatch.setattr(failures_sweep, "without", endless)
    async with open_app(two_tier, size=(120, 36)) as person:
        person._post("F")
        await _soon(under_way.is_set)
        view = person.designer.view_of("failures")
        person._post("escape")
        await _soon(lambda: "stopping" in person.seen())
        assert view.busy
        may_end.set()
        await person.until(lambda: not view.busy)
        assert len(view.shown_rows) == looked_at
        assert "ended early: not all failures were looked at" in person.seen()
        assert ("none was looked at until then" in person.seen()) == (not looked_at)
        assert "can fail yet" not in person.seen()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=str)
async def test_failures_stand_in_the_table_as_they_are_found_while_others_are_looked_at(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    done, may_end = [0], Event()
    catalog = load_catalog()
    total = len(sweep(plan_design(load_file(two_tier).design, catalog), catalog).singles)

    def held_up(*args: Any) -> DegradedDesign:
        done[0] += 1
        for _ in range(2000 if done[0] == 3 else 0):  # an end, also where this fails
            if may_end.is_set():
                break
            wait(0.01)
        return real(*args)

    real = failures_sweep.without
    monkeypatch.setattr(failures_sweep, "without", held_up)
    monkeypatch.setattr(table_view, "SECONDS_BETWEEN_TABLES", 0.05)
    async with open_app(two_tier, size=size) as person:
        person._post("F")
        await _soon(lambda: done[0] == 3)
        view = person.designer.view_of("failures")
        await _soon(lambda: bool(view.shown_rows))
        assert view.busy
        left = total - len(view.shown_rows)
        title = str(view.border_title)
        assert title == f"Failures, worst first; {left} still to be looked at"
        await _soon(lambda: "still to be looked at; Escape" in person.seen())
        assert "ended early" not in person.seen()
        cable = ("cable", "node.compute - leaf")
        assert cable not in {row.words[:2] for row in view.shown_rows}, "it is still to come"
        may_end.set()
        await person.until(lambda: not view.busy)
        assert view.border_title == "Failures, worst first"
        assert "still" not in person.seen()
        assert cable in {row.words[:2] for row in view.shown_rows}
        assert len(view.shown_rows) == total


async def _soon(holds: Callable[[], bool]) -> None:
    """Wait without letting what is computed end first."""
    for _ in range(1000):
        if holds():
            return
        await sleep(0.01)
    raise AssertionError


def test_what_was_not_looked_at_takes_one_line_before_the_baseline(two_tier: Path) -> None:
    catalog = load_catalog(user=False)
    design = load_file(two_tier).design
    found = sweep(plan_design(design, catalog), catalog)
    networks = ("storage network (a, b)", "management network (c, d)")
    table = failure_table(replace(found, other_networks=networks), design)
    said = [note.text for note in table.head]
    assert said[0] == "not looked at: storage network (a, b); management network (c, d)"
    assert said[1].startswith("64 GPUs; busbw per GPU with nothing failed")


@pytest.mark.parametrize("answer", ["80", "80%", " 80 % "])
async def test_a_share_may_be_written_with_its_sign(
    open_app: OpenApp, two_tier: Path, answer: str
) -> None:
    async with open_app(two_tier) as person:
        await person.press("F")
        await person.press("percent_sign")
        await person.answer(answer)
        view = person.designer.view_of("failures")
        assert "at least 80 % kept" in str(view.border_title)


async def test_where_nothing_can_be_taken_out_that_is_said(open_app: OpenApp) -> None:
    async with open_app(FOLDER / "a100-rack-1x100gbe.yaml") as person:
        await person.press("F")
        await person.press("percent_sign")
        await person.answer("80")  # one leaf is all there is, and a node takes its GPUs along
        assert "nothing can be taken out with 80 % kept" in person.seen()
