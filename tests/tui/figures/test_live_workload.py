"""What the workload gets, beside the figures while one builds."""

from __future__ import annotations

from asyncio import sleep
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.tui.conftest import TWO_TIER
from tests.tui.person import OpenApp
from toposmith.cancellation import go_on
from toposmith.errors import ToposmithError
from toposmith.fabric.plan import Plan
from toposmith.tui.designer import figure_jobs
from toposmith.tui.figures.effects import FigureSet
from toposmith.tui.figures.live_workload import figure_of
from toposmith.workloads import assess as assessing
from toposmith.workloads.assess import Assessment, assess_block

TRAINED = """\
workload:
  model: llama2-7b
  layout: {zero: 3}
  training: {batch: 64, sequence: 1024}
"""


@pytest.fixture
def starved(work_dir: Path) -> Path:
    """Eight nodes with one NIC each: gradients wait for it."""
    path = work_dir / "starved.yaml"
    text = TWO_TIER.replace(
        "node: {part: dgx-h100, count: 8}",
        "node: {part: hgx-h100-8, count: 8, nics: {compute: {part: connectx-6-hdr, count: 2}}}",
    )
    path.write_text(text + TRAINED, encoding="utf-8")
    return path


async def test_panel_review_and_page_work_the_workload_out_once(
    open_app: OpenApp, starved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counted(plan: Plan, *of: Any) -> Assessment:
        asked.append(plan.design)
        return assess_block(plan, *of)

    monkeypatch.setattr(assessing, "assess_block", counted)
    async with open_app(starved) as person:
        await person.press("t")
        bench = person.designer.workbench
        assert asked == [bench.design]
        person.designer.select_group("node")
        await person.press("minus")
        assert asked[1:] == [bench.design]


async def test_the_panel_tells_given_and_needed_and_the_canvas_where_it_waits(
    open_app: OpenApp, starved: Path
) -> None:
    async with open_app(starved, size=(80, 24)) as person:
        live = person.designer._figures.workload
        assert live is not None and live.found is not None and live.found.step is not None
        for size in ((80, 24), (120, 36), (200, 50)):
            await person.resize(size)
            seen = person.seen()
            assert "trains Llama 2 7B" in seen, size
            assert figure_of(live.found).words in seen, size
            assert "✗ waits for dp" in seen, size
        figure = person.designer.canvas.scene
        words = [
            piece for texts in figure.labels.values() for text in texts for piece, _ in text.line
        ]
        assert any("✗" in word for word in words)


async def test_in_ascii_the_marks_are_ascii(open_app: OpenApp, starved: Path) -> None:
    async with open_app(starved, size=(120, 36), ascii_only=True) as person:
        assert person.seen().isascii()
        assert "x waits for dp" in person.seen()


async def test_an_edit_tells_what_it_did_to_the_step(open_app: OpenApp, starved: Path) -> None:
    async with open_app(starved, size=(120, 50)) as person:
        before = person.designer._figures.workload
        assert before is not None and before.figure is not None
        person.designer.select_group("leaf")
        await person.press("D")  # a leaf fails: half of the NICs are left
        after = person.designer._figures.workload
        assert after is not None and after.figure is not None
        assert after.before == before.figure
        assert after.figure != before.figure
        assert f"{before.figure.words} → {after.figure.words}" in person.seen()


async def test_a_preview_tells_the_step_before_an_edit_is_made(
    open_app: OpenApp, starved: Path
) -> None:
    async with open_app(starved, size=(200, 50)) as person:
        person.designer.select_group("node")
        await person.press("c")
        await person.type("4")
        assert "step " in person.seen()
        await person.press("escape")


async def test_a_preview_that_takes_long_says_so_and_an_answer_does_not_wait(
    open_app: OpenApp, starved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = Event()

    def held_up(*_: object) -> FigureSet:
        while not may_end.wait(0.01):
            go_on()  # raises once nobody wants it
        raise ToposmithError("not reached: the answer came first")

    monkeypatch.setattr(figure_jobs, "preview", held_up)
    monkeypatch.setattr(figure_jobs, "PATIENCE_SECONDS", 0.01)
    async with open_app(starved, size=(120, 36)) as person:
        person.designer.select_group("node")
        person._post("c")
        for _ in range(1000):
            if "computing what it gives ..." in person.seen():
                break
            await sleep(0.01)
        assert "computing what it gives ..." in person.seen()
        await person.press_at_once("4", "enter")
        assert person.designer.editing.design.groups["node"].count == 4


async def test_a_workload_that_cannot_run_says_why(open_app: OpenApp, work_dir: Path) -> None:
    path = work_dir / "odd.yaml"
    path.write_text(TWO_TIER + TRAINED.replace("zero: 3", "tp: 3"), encoding="utf-8")
    async with open_app(path, size=(120, 50)) as person:
        seen = " ".join(person.seen().split())
        assert "layout.tp" in seen
        assert "works" in seen


async def test_a_design_without_a_workload_shows_none(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        assert person.designer._figures.workload is None
        assert "(t)" not in person.seen()
