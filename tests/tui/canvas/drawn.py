"""A picture as the text that a person sees."""

from __future__ import annotations

from toposmith.tui.canvas.scene import Scene


def as_text(scene: Scene) -> str:
    """The picture as lines of text, without trailing blanks."""
    rows = ("".join(run.text for run in scene.runs(y)).rstrip() for y in range(scene.height))
    return "\n".join(rows)
