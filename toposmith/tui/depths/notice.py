"""The notice where nothing is known of the inside: why, and what can be done."""

from __future__ import annotations

from toposmith.plain_text import visible
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.depths.chart import ChartSpot, DepthChart, fitted, padded


class Notice(DepthChart):
    """A place whose part the catalog does not know, or of whose inside it says nothing."""

    def __init__(self, group: str, part: str, room: int, *, known: bool = False) -> None:
        self._group = group
        self.width = room
        said = "the catalog does not have its ports one by one"
        lines: tuple[StyledLine, ...] = (
            ((fitted(f"The inside of {group} is unknown", room), Ink.TITLE),),
            (
                (
                    fitted(said if known else f"no part {visible(part)} in the catalog", room),
                    Ink.DETAIL,
                ),
            ),
            ((fitted("e chooses another part", room), Ink.HINT),),
        )
        self._lines = lines[:2] if known else lines
        self.height = len(self._lines)

    def line(self, y: int) -> StyledLine:
        """A row."""
        return padded(self._lines[y], self.width)

    def group(self, spot: ChartSpot) -> str:
        """The group whose part is unknown."""
        return self._group
