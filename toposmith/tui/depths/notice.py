"""The notice where nothing is known of the inside: why, and what can be done."""

from __future__ import annotations

from toposmith.plain_text import visible
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, Direction, cells_in_view, fitted, padded
from toposmith.tui.depths.places import DepthPlace, DeviceInstance


class Notice:
    """A place whose part the catalog does not know, or of whose inside it says nothing."""

    frozen_columns = 0

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

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """No row is frozen."""
        return ()

    def first(self) -> ChartSpot | None:
        """There is no spot."""
        return None

    def holds(self, spot: ChartSpot) -> bool:
        """There is no spot."""
        return False

    def area(self, spot: ChartSpot) -> Area:
        """There is no spot."""
        return Area(0, 0, 0, 0)

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """There is no spot."""
        return None

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """There is no other spot."""
        return spot

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """Nothing more is known."""
        return ()

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """There is nothing inside."""
        return None

    def group(self, spot: ChartSpot) -> str:
        """The group whose part is unknown."""
        return self._group

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """There is no spot."""
        return None

    def in_view(self, view: Area) -> str:
        """The rows and columns that are in view."""
        return cells_in_view(self.width, self.height, view)
