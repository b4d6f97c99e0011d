"""Help says what the keys do where one stands; the tour asks for real keys and sees the effect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.design.parser import parse_design
from toposmith.tui.terminal import osc52
from toposmith.tui.tour.panel import TourPanel
from toposmith.tui.tour.steps import STEPS


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), ("in the canvas", "shift+arrows", "dragging from box to box")),
        (("p",), ("in the parts", "Put the part on the canvas")),
        (("M",), ("in what is measured", "Go from field to field")),
        (("v",), ("in the curve", "Read it size by size")),
        (("c",), ("in the question", "Take the answer")),
    ],
)
async def test_help_begins_with_the_keys_of_the_panel_that_has_them(
    open_app: OpenApp, two_tier: Path, keys: tuple[str, ...], words: tuple[str, ...]
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press(*keys, "f1")
        seen = person.seen()
        for word in words:
            assert word in seen
        await person.press("escape")
        assert person.app.screen is person.designer.screen


async def test_letters_look_for_what_they_mean_in_help(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("question_mark", *"price")
        seen = person.seen()
        assert "Bill of materials" in seen
        assert "Go to a group or link" not in seen
        await person.press("escape")
        assert "in the canvas" in person.seen()
        await person.press(*"saving")  # these letters stand in order in almost every sentence
        assert "Save" in person.seen()
        assert "Wire the selected group" not in person.seen()
        await person.press("escape")
        await person.press(*"zzqx")
        assert "nothing here has 'zzqx'" in person.seen()
        await person.press("escape", "escape")
        assert person.app.screen is person.designer.screen


async def tour_at(person: Person, step: int) -> TourPanel:
    panel = person.designer.query_one(TourPanel)
    panel.look_again()
    await person.settle()
    assert panel.at == step
    return panel


async def test_the_tour_builds_breaks_mends_and_writes_out_a_cluster(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app() as person:
        assert "G is a tour" in person.message
        await person.press("G")
        assert "tour.yaml" in person.seen()
        await tour_at(person, 0)  # looking alone is no step
        await person.add("dgx h100", 4)
        await tour_at(person, 1)
        await person.add("qm9700")
        await tour_at(person, 2)
        await person.press("w", "enter", "enter", "enter")
        await tour_at(person, 3)
        design = person.designer.workbench.design
        assert [(group.part, group.count) for group in design.groups.values()] == [
            ("dgx-h100", 4),
            ("qm9700", 1),
        ]
        whole = person.designer.workbench.evaluated.analysis.busbw_GBps
        person.designer.select_link(0)
        await person.press("c")
        await person.answer("2")
        await tour_at(person, 4)
        assert person.designer.workbench.evaluated.analysis.busbw_GBps < whole / 3
        for at, keys in enumerate(
            [
                *[("I",), ("end", "enter", "enter"), ("u",), ("U",), ("F",)],
                *[("escape",), ("E", *"report", "enter", "enter"), ("f1",)],
            ],
            start=5,
        ):
            panel = person.designer.query_one(TourPanel)
            await person.press(*keys)
            panel.look_again()
            if keys == ("f1",):
                await person.press("escape")
            await tour_at(person, at)
            if at == 6:
                assert person.designer.workbench.evaluated.analysis.busbw_GBps == whole
        assert len(STEPS) == at + 1
        assert "busbw" in next(work_dir.glob("tour.*html")).read_text(encoding="utf-8")
        await person.press("G")
        assert not person.designer.query(TourPanel)
        assert "what you built stays" in person.message


async def test_the_tour_is_left_by_esc_and_goes_on_where_it_was_with_what_was_built(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app() as person:
        await person.press("G")
        await person.add("dgx h100", 3)
        await tour_at(person, 1)
        await person.press("c", "escape")  # goes back from the question, not from the tour
        assert person.designer.query(TourPanel)
        await person.press("escape")
        assert not person.designer.query(TourPanel)
        assert "G goes on" in person.message
        assert person.designer.workbench.design.groups["node"].count == 3
        await person.press("G")
        await tour_at(person, 1)
        assert person.designer.workbench.design.groups["node"].count == 3


async def test_the_tour_asks_before_it_takes_unsaved_work(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus", "G")
        assert "has changes that are not saved" in person.seen()
        await person.press("c")
        assert person.designer.session.path == two_tier
        await person.press("u", "G")
        assert person.designer.query(TourPanel)
        assert not person.designer.workbench.design.groups


async def test_copying_sends_the_selected_group_as_a_design_to_the_terminal(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        await person.press("y")
        copied = parse_design(person.app.clipboard, "clipboard")
        assert copied.groups == {"leaf": person.designer.workbench.design.groups["leaf"]}
        person.designer.select_link(1)
        await person.press("y")
        copied = parse_design(person.app.clipboard, "clipboard")
        assert copied.links == (person.designer.workbench.design.links[1],)
        assert set(copied.groups) == {"leaf", "spine"}
        await person.press("escape", "y")
        assert "GB/s per GPU" in person.app.clipboard
        assert "copied the figures" in person.message


def test_inside_tmux_its_buffer_is_filled_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    ran: list[tuple[str, ...]] = []

    def tmux(*words: str, **_: object) -> subprocess.CompletedProcess[bytes]:
        ran.append(words)
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(osc52, "run_program", tmux)
    assert "tmux" in osc52.copy_out("x", sent.append, {"TMUX": "/tmp/x"})
    assert sent == ["x"]
    assert ran == [("tmux", "load-buffer", "-w", "-")]
    assert "tmux" not in osc52.copy_out("y", sent.append, {})
    assert len(ran) == 1


def test_a_tmux_that_does_not_answer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    how = osc52.copy_out("x", lambda text: None, {"TMUX": "/nowhere"})
    assert "OSC 52" in how
