"""Undo has no end, and redo brings back what undo took."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.analysis.analyse import analyse
from toposmith.fabric.planner import plan_design
from toposmith.labels import MODEL, Labelled
from toposmith.text import bandwidth
from toposmith.tui.figures.step_figures import NOT_YET, StepFigures


async def test_every_step_is_undone_and_redone(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        opened = bench.design
        person.designer.select_group("node")
        await person.press("minus", "minus", "minus")
        changed = bench.design
        assert changed.groups["node"].count == 5
        await person.press("u", "ctrl+z", "u")
        assert bench.design == opened
        assert person.message == "undone: node: count 7"
        assert "unsaved" not in person.seen()
        await person.press("U", "ctrl+y", "U")
        assert bench.design == changed
        await person.press("U")
        assert "nothing to redo" in person.message


async def test_the_live_panel_tells_the_difference_that_the_last_change_made(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("x")
        seen = person.seen()
        assert "no GPUs yet" in seen
        await person.press("u")
        assert "GB/s per GPU" in person.seen()
        person.designer.select_link(0)
        await person.press("c")
        await person.answer("1")
        seen = person.seen()
        assert "last change" in seen
        await person.press("plus")
        seen = person.seen()
        assert "last change" in seen
        assert "since saved" in seen
        assert "→" in seen


async def test_every_step_gets_its_figure_also_those_of_a_run_before(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_link(0)
        await person.press("c")
        await person.type("1")
        await person.press("enter", "plus", "plus", "u")
    async with open_app() as person:
        await person.press("enter")  # the unsaved work, first in the list
        bench = person.designer.workbench
        assert len(bench.steps) == 4
        line = next(row for row in person.seen().splitlines() if "last 2 edits" in row)
        assert "?" not in line, "what led here is computed when nothing else is"
        await person.press("H")
        listed = person.seen()
        assert "..." not in listed.replace("fixes ...", "")
        for position, step in enumerate(bench.steps):
            figure = analyse(plan_design(step.design, bench.catalog), bench.catalog).busbw_GBps
            label = step.label if position else "as it was opened"
            assert f" {position}  {bandwidth(figure):>9}  {label}" in listed
        await person.press("escape", "m", "H")  # of another collective, all anew
        other = person.seen()
        assert "..." not in other.replace("fixes ...", "")
        assert other.count(" GB/s  ") == listed.count(" GB/s  ")
        assert other != listed


async def test_figures_of_steps_that_are_still_computed_are_told_to_be_so(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "minus")
        bench = person.designer.workbench
        figures = StepFigures()
        figures.keep(bench.request, bench.steps[1], Labelled(12.0, MODEL))
        words = [figures.words(bench.request, step) for step in bench.steps]
        assert words == [NOT_YET, "12.0 GB/s", NOT_YET]
        assert figures.missing(bench.request, bench.steps) == (bench.steps[2], bench.steps[0])
        assert figures.values(bench.request, bench.steps) == (None, 12.0, None)


async def test_counts_names_axes_and_links_change_by_keys(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        person.designer.select_group("leaf")
        await person.press("r")
        await person.answer("tor")
        assert "tor" in bench.design.groups
        assert person.designer.selected_group == "tor"
        person.designer.select_link(1)
        await person.press("x")
        assert len(bench.design.links) == 1
        person.designer.select_group("tor")
        await person.press("e", "o")
        await person.answer("su=2")
        assert bench.design.axes == {"su": 2}
        assert bench.design.groups["tor"].per == ("su",)
