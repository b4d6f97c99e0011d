"""A review shows everything and changes nothing."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Static

from tests.tui.person import OpenApp
from toposmith.tui.actions.every_action import actions_of


async def test_a_review_cannot_change_the_design(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        assert "review, read-only" in person.seen()
        bench = person.designer.workbench
        person.designer.select_group("node")
        for action in actions_of("designer"):
            if not action.changes:
                continue
            await person.press(action.keys[0])
            assert "nothing can be changed here" in person.message, action.id
            assert not person.designer.asking, action.id
        assert not bench.dirty
        assert bench.history == []
    assert two_tier.read_text().count("count: 8") == 1


async def test_a_review_shows_cards_findings_and_collectives(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("m")
        assert "all-gather busbw" in person.seen()
        await person.press("i")
        assert "DGX H100" in person.seen()


async def test_choosing_a_part_in_a_review_is_refused(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("slash", "enter", "enter")
        assert "nothing can be changed here" in person.message


async def test_a_review_ends_without_a_question(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("q")
        assert person.app.return_code == 0


async def test_looking_is_allowed_in_a_review(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        for key in ("f", "m", "i", "p", "slash", "b"):
            await person.press("escape", "escape", key)
            assert "nothing can be changed here" not in person.message, key


async def test_help_of_a_review_leaves_out_what_is_refused(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("f1")
        assert "Help: reviewing" in person.seen()
        words = " ".join(str(person.app.screen.query_one("#help-text", Static).content).split())
        for one in actions_of("designer"):
            assert (" ".join(one.help.split()[:4]) in words) != one.changes
        await person.press("escape")
        offered = {
            command.title for command in person.app.get_system_commands(person.designer.screen)
        }
        assert offered.isdisjoint(
            {one.palette_title for one in actions_of("designer") if one.changes}
        )
