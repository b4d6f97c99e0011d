"""What is on the screen at several sizes, with hostile names, and in ASCII."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.geometry import Region
from textual.widget import Widget

from tests.tui.person import OpenApp

SIZES = [(80, 24), (120, 36), (200, 50)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_no_panel_is_clipped_and_the_figure_is_in_sight(
    open_app: OpenApp, two_tier: Path, size: tuple[int, int]
) -> None:
    async with open_app(two_tier, size=size) as person:
        screen = Region(0, 0, *size)
        panels = [person.designer.query_one(f"#{name}") for name in PANELS]
        shown = [panel for panel in panels if panel.region.area]
        assert all(screen.contains_region(panel.region) for panel in shown)
        assert _overlaps(shown) == []
        names = {panel.id for panel in shown}
        assert {"canvas", "live", "header", "keys"} <= names
        assert "parts" not in names
        seen = person.seen()
        for words in ("GB/s per GPU", "all-reduce busbw", "bound", "node-leaf", "? help"):
            assert words in seen
        if size[0] < 120:
            await person.press("p")
            assert person.designer.query_one("#parts").region.width >= 50
            assert person.designer.query_one("#live").region.width >= 26


PANELS = ("header", "parts", "canvas", "live", "message", "keys")


def _overlaps(widgets: list[Widget]) -> list[tuple[str | None, str | None]]:
    return [
        (one.id, other.id)
        for index, one in enumerate(widgets)
        for other in widgets[index + 1 :]
        if one.region.overlaps(other.region)
    ]


async def test_escape_characters_and_markup_are_shown_and_not_obeyed(
    open_app: OpenApp, work_dir: Path
) -> None:
    path = work_dir / "[bold]\x1b[31m.yaml"
    path.write_text(
        'toposmith: 1\nname: "[red]\u202eevil"\n'
        'groups:\n  node: {part: dgx-h100, note: "[link=x]owned[/]"}\n',
        encoding="utf-8",
    )
    async with open_app(path) as person:
        assert "[bold]␛[31m.yaml" in person.seen()
        person.designer.select_group("node")
        await person.press("e")
        seen = person.seen()
        assert "[link=x]owned[/]" in seen
        await person.press("escape", "escape", "e")
        seen = person.seen()
        assert "[red]\ufffdevil" in seen
        assert "\x1b" not in seen
        assert "\u202e" not in seen


async def test_an_ascii_terminal_gets_ascii_only(open_app: OpenApp, work_dir: Path) -> None:
    path = work_dir / "ascii.yaml"
    path.write_text(
        "toposmith: 1\nname: Größe\n"
        "groups:\n  node: {part: dgx-h100, note: é}\n  leaf: {part: qm9700}\n"
        "links:\n  - {between: [node.compute, leaf]}\n",
        encoding="utf-8",
    )
    async with open_app(path, ascii_only=True) as person:
        for keys in ((), ("e",), ("escape", "slash"), ("escape", "question_mark")):
            await person.press(*keys)
            assert person.seen().isascii(), keys


async def test_the_start_in_ascii_is_ascii(open_app: OpenApp) -> None:
    async with open_app(ascii_only=True) as person:
        await person.press("down")
        assert person.seen().isascii()


async def test_parts_are_found_by_speed_and_shown_with_their_source(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, size=(200, 50)) as person:
        await person.press("slash")
        await person.type("hdr switch")
        seen = person.seen()
        assert "QM8700" in seen
        assert "8 x H100" not in seen.partition("Name:")[0]
        assert "Vendor: NVIDIA" in seen
