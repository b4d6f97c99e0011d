"""What is typed is shown as it was typed, and said where it is no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp


async def test_a_text_that_is_no_whole_number_is_kept_and_said(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        before = person.designer.workbench.design
        person.designer.select_group("node")
        for text in ("4.5", "1e3", "-4", "4x", "9" * 30):
            await person.press("c")
            await person.type(text)
            seen = person.seen()
            assert f"each: {text}" in seen or f"nodes: {text}" in seen
            assert "a whole number" in seen, text
            await person.press("up", "enter")
            assert person.designer.asking, text
            assert person.designer.workbench.design is before, text
            await person.press("escape")
            assert not person.designer.asking


async def test_an_axis_that_is_not_there_stays_to_be_mended(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("e", "o")
        assert "write su=2 for a new one" in person.seen()
        await person.answer("su")
        assert person.designer.asking
        assert "su" in person.seen()
        await person.answer("su=1")
        assert person.designer.workbench.design.axes == {"su": 1}


async def test_an_axis_proposed_as_new_is_none_that_is_there(
    open_app: OpenApp, two_tier: Path
) -> None:
    two_tier.write_text(two_tier.read_text().replace("groups:", "axes: {su: 4, rail: 8}\ngroups:"))
    async with open_app(two_tier) as person:
        person.designer.select_group("node")
        await person.press("e", "o")
        assert "write pod=2 for a new one" in person.seen()


async def test_a_template_that_is_not_finished_leaves_the_design_as_it_was(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        before = person.designer.workbench.design
        await person.press("T")
        assert "begin with" in person.seen()
        await person.press("enter")
        await person.press("escape", "escape")
        assert not person.designer.asking
        assert person.designer.workbench.design is before
        assert person.designer.session.path == two_tier


async def test_a_template_that_is_finished_takes_the_place_of_the_design(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier) as person:
        await person.press("T", "enter")
        for _ in range(12):
            if not person.designer.asking:
                break
            await person.press("enter")
        assert person.designer.session.path is None
        assert set(person.designer.workbench.design.groups) == {"node", "switch"}
    assert "Two tiers" in two_tier.read_text()


async def test_a_node_without_nics_is_offered_with_what_comes_next(open_app: OpenApp) -> None:
    async with open_app() as person:
        await person.press("N", "T", "down", "enter")
        await person.type("hgx h100")
        seen = person.seen()
        assert "without NICs, which are asked next" in seen
        assert "nic=PART" not in seen


@pytest.mark.parametrize(("what", "keys"), [("link", "x"), ("group", "x")])
async def test_undo_brings_back_what_was_selected_when_it_was_deleted(
    open_app: OpenApp, two_tier: Path, what: str, keys: str
) -> None:
    async with open_app(two_tier) as person:
        if what == "link":
            person.designer.select_link(1)
        else:
            person.designer.select_group("leaf")
        selected = person.designer.canvas.selected
        await person.press(keys)
        assert person.designer.canvas.selected is None
        await person.press("u")
        assert person.designer.canvas.selected == selected
