"""The design against another, in the app."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.tui.person import OpenApp
from toposmith.planned_design import PlannedDesign


async def test_a_saved_design_differs_in_nothing_until_it_is_changed(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("vertical_line")
        assert "No differences" in person.seen()
        await person.press("escape")
        person.designer.select_group("node")
        await person.press("minus", "vertical_line")
        rows = person.designer.view_of("differences").shown_rows
        whats = [row.cells[1].text for row in rows]
        assert "group node count" in whats
        assert "GPUs" in whats
        gpus = next(row for row in rows if row.cells[1].text == "GPUs")
        assert (gpus.cells[2].order, gpus.cells[3].order) == (64.0, 56.0)
        assert any(row.cells[4].text == "return 1" for row in rows)


async def test_a_design_that_is_as_it_was_saved_is_not_understood_anew(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier) as person:
        understood: list[object] = []
        of = PlannedDesign.of

        def counted(*args: object) -> PlannedDesign:
            understood.append(args)
            return of(*args)

        monkeypatch.setattr(PlannedDesign, "of", counted)
        await person.press("vertical_line")
        assert "No differences" in person.seen()
        assert not understood


async def test_enter_goes_to_what_changed(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("minus")
        person.designer.select_group("spine")
        await person.press("vertical_line", "enter")
        assert person.designer.selected_group == "node"


async def test_another_file_is_compared_with(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    other = work_dir / "other.yaml"
    text = two_tier.read_text(encoding="utf-8").replace("count: 8", "count: 4")
    other.write_text(text, encoding="utf-8")
    async with open_app(two_tier) as person:
        await person.press("vertical_line", "o", "f")
        await person.answer(str(other))
        assert "other.yaml -> this design" in person.seen()
        assert "buy 4" in person.seen()


@pytest.mark.parametrize("words", ["HEAD:nothing.yaml", "nobody:x.yaml"])
async def test_a_revision_that_git_does_not_know_is_said(
    open_app: OpenApp, two_tier: Path, work_dir: Path, words: str
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=work_dir, check=True)
    async with open_app(two_tier) as person:
        await person.press("vertical_line", "o", "r")
        await person.answer(words)
        assert "git knows no revision" in person.message


async def test_a_revision_of_git_is_compared_with(
    open_app: OpenApp, two_tier: Path, work_dir: Path
) -> None:
    path = work_dir / "pod.yaml"
    path.write_bytes(two_tier.read_bytes())
    run = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "pod.yaml"], ["commit", "-qm", "pod"]):
        subprocess.run([*run, *words], cwd=work_dir, check=True)
    text = path.read_text(encoding="utf-8").replace("count: 8", "count: 4")
    path.write_text(text, encoding="utf-8")
    async with open_app(path) as person:
        await person.press("vertical_line", "o", "r", "enter")
        assert "HEAD:pod.yaml -> this design" in person.seen()
        assert "return 4" in person.seen()
