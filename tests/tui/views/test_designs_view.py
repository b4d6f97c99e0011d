"""All designs of a folder in one table: opened, marked, compared side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.tui.screens.folder_designs import DesignsScreen
from toposmith.tui.views.designs_view import DesignsView


@pytest.fixture
def folder(work_dir: Path, two_tier: Path) -> Path:
    text = two_tier.read_text(encoding="utf-8")
    (work_dir / "a.yaml").write_text(text, encoding="utf-8")
    (work_dir / "b.yaml").write_text(text.replace("count: 8", "count: 4"), encoding="utf-8")
    (work_dir / "c.yaml").write_text("groups: [", encoding="utf-8")
    (work_dir / "a.policy.yaml").write_text("toposmith-policy: 1\n", encoding="utf-8")
    return work_dir


def table(person: Person) -> DesignsView:
    screen = person.app.screen
    assert isinstance(screen, DesignsScreen)
    return screen.query_one(DesignsView)


def names(person: Person) -> list[str]:
    return [row.key for row in table(person).shown_rows]


async def test_designs_of_a_folder_are_listed_from_the_start(
    open_app: OpenApp, folder: Path, two_tier: Path
) -> None:
    async with open_app(None) as person:
        await person.press("ampersand")
        assert [name for name in names(person) if name in "a.yaml b.yaml c.yaml"] == [
            "a.yaml",
            "b.yaml",
            "c.yaml",
        ]
        rows = {row.key: row for row in table(person).shown_rows}
        assert (rows["a.yaml"].cells[2].text, rows["b.yaml"].cells[2].text) == ("64", "32")
        assert "cannot be read" in rows["c.yaml"].cells[1].text


async def test_enter_opens_a_design(open_app: OpenApp, folder: Path) -> None:
    async with open_app(None) as person:
        await person.press("ampersand", "home")
        first = names(person)[0]
        await person.press("enter")
        assert person.designer.session.title == first


async def test_two_designs_are_laid_side_by_side(open_app: OpenApp, folder: Path) -> None:
    async with open_app(None) as person:
        await person.press("ampersand")
        at = names(person).index("a.yaml")
        await person.press(*["down"] * at, "space", "down", "space", "equals_sign")
        assert person.designer.session.title == "b.yaml"
        assert "a.yaml -> this design" in person.seen()
        assert "return 4" in person.seen()


async def test_one_design_alone_cannot_stand_side_by_side(open_app: OpenApp, folder: Path) -> None:
    async with open_app(None) as person:
        await person.press("ampersand", "equals_sign")
        assert "marks two designs" in person.seen()


async def test_escape_goes_back_and_an_empty_folder_is_said(
    open_app: OpenApp, work_dir: Path
) -> None:
    async with open_app(None) as person:
        await person.press("ampersand")
        assert "no designs (.yaml) here" in person.seen()
        await person.press("escape")
        assert not isinstance(person.app.screen, DesignsScreen)
