"""A scrolling view of a painting that repaints only the cells that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from rich.segment import Segment
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toposmith.tui.canvas import colours
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.colours import ItemMark
from toposmith.tui.canvas.inks import Inks
from toposmith.tui.canvas.items import Item
from toposmith.tui.canvas.minimap import Minimap, minimap
from toposmith.tui.canvas.painter import Painting
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Area, Scene


class Picture(ScrollView):
    """A painting to pan over, with a small map of it in the corner where it is larger."""

    ALLOW_SELECT = False  # selecting text would repaint everything on each move of the mouse
    COMPONENT_CLASSES: ClassVar[set[str]] = colours.COMPONENT_CLASSES

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._inks = Inks(self.get_component_rich_style)
        self._painting = Painting(self._inks)
        self._mapped: tuple[tuple[Region, frozenset[Item]], Minimap | None] | None = None

    @property
    def scene(self) -> Scene:
        """The current picture."""
        return self._painting.scene

    def set_scene(
        self, scene: Scene, marks: Mapping[Item, ItemMark], overlay: Mapping[Point, str]
    ) -> None:
        """Show another picture; where its size is the same, only what differs is repainted."""
        view = self._view
        if scene.layout != self.scene.layout:
            self._mapped = None
        seen = Area(view.x, view.y, view.width, view.height)
        areas = self._painting.change_scene(scene, marks, overlay, seen)
        if areas is not None:
            self._repaint(areas)
            return
        self.virtual_size = Size(scene.width, scene.height)
        self.scroll_to((scene.width - self.size.width) // 2, 0, animate=False, immediate=True)
        self.refresh()

    def set_marks(self, marks: Mapping[Item, ItemMark], overlay: Mapping[Point, str]) -> None:
        """Mark items and draw cells over them; what changes is repainted."""
        changed = self._painting.change_marks(marks)
        self._repaint(changed)
        if changed and (found := self._map) is not None:
            area = found.area
            self.refresh(Region(area.x, area.y, area.width, area.height))
        self._repaint(self._painting.change_overlay(overlay))

    def on_screen(self, area: Area) -> bool:
        """Whether the whole of an area is in view."""
        return self._view.contains_region(Region(area.x, area.y, area.width, area.height))

    def distance_from_middle(self, area: Area) -> int:
        """Cells from the middle of the view to the middle of an area."""
        view = self._view
        across = abs(2 * (area.x - view.x) + area.width - view.width)
        return (across + abs(2 * (area.y - view.y) + area.height - view.height)) // 2

    def bring_into_view(self, area: Area) -> None:
        """Scroll so that an area is in the middle, unless it is in view already."""
        if self.size and not self.on_screen(area):
            region = Region(area.x, area.y, area.width, area.height)
            self.scroll_to_region(region, center=True, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        left, top = self.scroll_offset
        blank = self._inks.style(Ink.BLANK)
        if top + y >= self.scene.height:
            strip = Strip.blank(self.size.width, blank)
        else:
            columns = range(left, left + self.size.width)
            strip = self._painting.strip(top + y, columns)
            strip = strip.adjust_cell_length(self.size.width, blank)
        return self._with_map(strip, y)

    def notify_style_update(self) -> None:
        """Forget the colours when the theme changes."""
        super().notify_style_update()
        self._inks.forget()
        self._painting.forget()

    def _with_map(self, strip: Strip, y: int) -> Strip:
        """The line with its part of the small map, where there is one."""
        found = self._map
        if found is None or not found.y <= y < found.area.bottom:
            return strip
        row = [
            Segment(self.scene.glyphs.text(text), self._inks.style(ink))
            for text, ink in found.rows[y - found.y]
        ]
        parts = [strip.crop(0, found.x), Strip(row, found.area.width), strip.crop(found.area.right)]
        return Strip.join(parts)

    @property
    def _map(self) -> Minimap | None:
        """The small map of the picture, made once for every view on it."""
        view = self._view
        key = (view, self._painting.raised)
        if self._mapped is None or self._mapped[0] != key:
            seen = Area(view.x, view.y, view.width, view.height)
            found = minimap(self.scene.layout, seen, self.scene.glyphs, key[1])
            self._mapped = (key, found)
        return self._mapped[1]

    @property
    def _view(self) -> Region:
        """The part of the sheet in view; scroll bars and a border cover none of it."""
        return Region(*self.scroll_offset, *self.scrollable_content_region.size)

    def _repaint(self, areas: Iterable[Area]) -> None:
        """Repaint areas of the sheet, as far as they are in view."""
        view = self._view
        shift = Offset(-view.x, -view.y)
        seen = (
            Region(each.x, each.y, each.width, each.height).intersection(view) for each in areas
        )
        regions = [region.translate(shift) for region in seen if region]
        if regions:
            self.refresh(*regions)
