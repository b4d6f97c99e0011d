"""The drawing of fabrics by what they cost and give, beside their table or in its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from toposmith.synthesis.analysed_fabrics import front_plot

if TYPE_CHECKING:
    from toposmith.synthesis.analysed_fabrics import Proposal

BESIDE_FROM = 130
"""Columns of a view from which the drawing is beside its table."""
LEAST_COLUMNS, MOST_COLUMNS = 44, 64
GAP = 2


def columns_beside(width: int) -> int:
    """Columns that the drawing takes beside a table; 0 where there is no room for both."""
    return min(MOST_COLUMNS, max(LEAST_COLUMNS, width // 3)) if width >= BESIDE_FROM else 0


class FrontDrawing(Static):
    """Each fabric as its number, the chosen one in brackets."""

    def __init__(self) -> None:
        super().__init__("", classes="front-drawing")

    def draw(
        self,
        proposals: Sequence[Proposal],
        chosen: int | None,
        size: tuple[int, int],
        *,
        beside: bool,
        ascii_only: bool,
    ) -> bool:
        """Draw fabrics in so many columns and rows; whether there was anything to draw."""
        lines = front_plot(proposals, *size, chosen=chosen, ascii_only=ascii_only)
        self.update(Content("\n").join(map(Content, lines)))
        self.display = bool(lines)
        self.set_class(beside, "-beside")
        self.styles.width = size[0] + GAP if beside else "100%"
        return self.display
