"""Nodes and leaves that cannot be joined each to each: ways to spread, with their axes."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp

WALL = """\
toposmith: 1
name: sixty-four nodes
groups:
  node: {part: dgx-h100, count: 64}
  leaf: {part: qm9700, count: 16}
"""


async def test_wiring_64_nodes_to_16_leaves_makes_the_axes_in_one_step(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "wall.yaml"
    path.write_text(WALL, encoding="utf-8")
    async with open_app(path) as person:
        before = person.designer.workbench.design
        await person.press("down", "w", "enter", "enter")  # to the leaves, compute ports
        assert "16 racks of 4 nodes" in person.seen()
        await person.press("enter")
        made = person.designer.workbench.design
        assert made.axes == {"su": 2, "rail": 8}
        assert (made.groups["node"].count, made.groups["leaf"].count) == (32, 1)
        assert len(person.designer.workbench.history) == 1
        await person.press("escape", "u")
        assert person.designer.workbench.design == before
