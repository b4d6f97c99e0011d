"""The findings in the middle of the screen: figure, fix, waiver."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person
from toposmith.tui.views.table_view import TableView

HALF = """toposmith: 1
name: half
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""


@pytest.fixture
def half(work_dir: Path) -> Path:
    path = work_dir / "half.yaml"
    path.write_text(HALF, encoding="utf-8")
    return path


def view_of(person: Person) -> TableView:
    return person.designer.view_of("findings")


async def to(person: Person, code: str) -> None:
    rows = view_of(person).shown_rows
    at = next(n for n, row in enumerate(rows) if f" {code} " in f" {row.key} ")
    await person.press("home", *["down"] * at)
    selected = view_of(person).selected
    assert selected is not None and code in selected.key


async def test_every_finding_has_a_row_and_its_way_out_below(open_app: OpenApp, half: Path) -> None:
    async with open_app(half) as person:
        await person.press("f")
        findings = person.designer.findings
        assert len(view_of(person).shown_rows) == len(findings) > 0
        await to(person, "oversubscribed")
        for size in ((80, 24), (120, 36), (200, 50)):
            await person.resize(size)
            assert "fix: " in person.seen() and "2:1" in person.seen(), size


async def test_enter_goes_to_the_place_of_a_finding(open_app: OpenApp, half: Path) -> None:
    async with open_app(half) as person:
        await person.press("f")
        await to(person, "oversubscribed")
        await person.press("enter")
        assert person.designer.selected_group == "leaf"
        assert person.designer.view is None


async def test_a_finding_is_waived_with_a_reason_and_comes_last_and_undo_takes_it_back(
    open_app: OpenApp, half: Path
) -> None:
    async with open_app(half) as person:
        await person.press("f")
        await to(person, "oversubscribed")
        await person.press("w")
        await person.type("jobs stay below one leaf")
        await person.press("enter", "enter")
        (waiver,) = person.designer.workbench.design.waivers
        assert (waiver.code, waiver.where) == ("oversubscribed", "leaf")
        assert (waiver.reason, waiver.until) == ("jobs stay below one leaf", None)
        assert waiver.value == 2
        assert waiver.date == date.today().isoformat()
        assert person.designer.findings[-1].code == "oversubscribed"
        assert "1 waived" in person.seen()
        await person.press("u")
        assert person.designer.workbench.design.waivers == ()
        assert "1 waived" not in person.seen()


async def test_what_is_waived_can_count_again(open_app: OpenApp, half: Path) -> None:
    line = 'waivers: [{code: oversubscribed, where: leaf, reason: meant, date: "2026-01-31"}]\n'
    half.write_text(HALF + line, encoding="utf-8")
    async with open_app(half) as person:
        assert "oversubscribed" not in [f.code for f in person.designer.findings if not f.waived]
        await person.press("f")
        await to(person, "oversubscribed")
        assert "meant" in person.seen()
        await person.press("w")
        assert person.designer.workbench.design.waivers == ()


async def test_an_end_that_has_passed_is_refused_where_it_is_typed(
    open_app: OpenApp, half: Path
) -> None:
    async with open_app(half) as person:
        await person.press("f")
        await to(person, "oversubscribed")
        await person.press("w")
        await person.answer("meant")
        await person.type("2020-01-01")
        assert "that day has passed" in person.seen()


async def test_in_review_nothing_can_be_waived(open_app: OpenApp, half: Path) -> None:
    async with open_app(half, review=True) as person:
        await person.press("f", "w")
        assert "nothing can be changed here" in person.message
        assert not person.designer.asking
    assert half.read_text() == HALF
