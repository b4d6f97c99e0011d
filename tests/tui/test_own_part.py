"""A part of one's own is made in the app: copied, changed, with its source, in a file."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp
from toposmith.catalog import load_catalog


async def test_a_leaf_is_copied_with_its_own_power_and_put_to_use(
    open_app: OpenApp, two_tier: Path, own_home: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        old = person.designer.workbench.design.groups["leaf"].part
        await person.press("7")
        await person.press("ctrl+u", *"acme-64", "enter")
        await person.press(*"power_w", "enter")
        await person.press("ctrl+u", *"1500", "enter")
        assert "1 changed" in person.seen()
        await person.press("enter")
        await person.press(*"quote", "enter")
        assert "wrote acme-64 to" in person.message
        catalog = person.designer.workbench.catalog
        assert catalog["acme-64"].power_w == 1500
        assert catalog["acme-64"].kind == catalog[old].kind
    kept = load_catalog()
    assert kept.own == {"acme-64"}
    assert kept["acme-64"].sources["power_w"] == "quote"


async def test_an_id_that_is_taken_and_a_figure_that_cannot_be_are_refused_in_place(
    open_app: OpenApp, two_tier: Path, own_home: Path
) -> None:
    async with open_app(two_tier) as person:
        person.designer.select_group("leaf")
        await person.press("7")
        await person.press("ctrl+u", *"qm9700", "enter")
        assert "has a part qm9700 already" in person.seen()
        await person.press("ctrl+u", *"acme-64", "enter")
        await person.press(*"power_w", "enter")
        await person.press("ctrl+u", *"much", "enter")
        assert "power_w" in person.seen()
        await person.press("escape", "escape", "escape")
    assert load_catalog().own == frozenset()
