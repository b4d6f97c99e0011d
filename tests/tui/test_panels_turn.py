"""Panels that come and go look as if every widget had been styled anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.person import OpenApp, Person


def looks(person: Person) -> dict[str, tuple[object, ...]]:
    """What decides on the room and the frame of every widget."""
    return {
        str(at): (node, node.styles.display, node.styles.width, node.styles.border, node.size)
        for at, node in enumerate(person.app.screen.walk_children())
    }


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_no_rule_is_left_out_where_panels_turn(
    open_app: OpenApp, two_tier: Path, size: tuple[int, int]
) -> None:
    async with open_app(two_tier, size=size) as person:
        person.designer.select_group("node")
        for key in (
            "v",
            "M",
            "escape",
            "p",
            "p",
            "K",
            "c",
            "escape",
            "b",
            "v",
            "M",
            "p",
            "escape",
            "1",
            "1",
        ):
            await person.press(key)
            seen = looks(person)
            person.app.screen.update_node_styles()
            await person.settle()
            assert looks(person) == seen, key
