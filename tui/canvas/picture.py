"""A scrolling view of a scene that repaints only the cells that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from toposmith.tui.canvas import palette
from toposmith.tui.canvas.figures import Figures
from toposmith.tui.canvas.glyphs import Ink
from toposmith.tui.canvas.items import GroupItem, Item
from toposmith.tui.canvas.layout import Layout
from toposmith.tui.canvas.minimap import Minimap, minimap
from toposmith.tui.canvas.palette import Mark
from toposmith.tui.canvas.raster import Point, Run
from toposmith.tui.canvas.scene import Area, Scene

_RAISED = (Mark.SELECTED, Mark.TARGET)
_BORDERED = (Mark.CANDIDATE, Mark.MARKED, Mark.LIT)


class Picture(ScrollView):
    """A scene with marks on its items and a few cells drawn over it."""

    ALLOW_SELECT = False  # selecting text would repaint everything on each move of the mouse
    COMPONENT_CLASSES: ClassVar[set[str]] = palette.COMPONENT_CLASSES

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._scene = Scene(Layout(0, 0, (), ()), Figures())
        self._marks: dict[Item, Mark] = {}
        self._overlay: dict[Point, str] = {}
        self._strips: dict[int, Strip] = {}
        self._inks: dict[tuple[Ink, Mark, bool], Style] = {}
        self._mapped: tuple[tuple[Region, frozenset[Item]], Minimap | None] | None = None

    @property
    def scene(self) -> Scene:
        """The picture as it stands."""
        return self._scene

    def set_scene(
        self, scene: Scene, marks: Mapping[Item, Mark], overlay: Mapping[Point, str]
    ) -> None:
        """Show another picture; where its size is the same, only what differs is repainted."""
        before, old = self._strips, self._scene
        alike = self._marks == marks and self._overlay == overlay
        if scene.layout != self._scene.layout:
            self._mapped = None
        same = (scene.width, scene.height) == (self._scene.width, self._scene.height)
        self._scene = scene
        self._marks = dict(marks)
        self._strips = {}
        self._overlay = dict(overlay)
        if not same:
            self.virtual_size = Size(scene.width, scene.height)
            self.scroll_to((scene.width - self.size.width) // 2, 0, animate=False, immediate=True)
            self.refresh()
            return
        regions = []
        for y in range(self._view.y, self._view.bottom):
            if y not in before or y >= scene.height:
                continue  # never painted, so it is still to be painted anyway
            if alike and scene.same_row(old, y):
                self._strips[y] = before[y]
                continue
            columns = _changed_columns(before[y], self._strip(y))
            if columns is not None:
                regions.append(Area(columns[0], y, columns[1] - columns[0], 1))
        self._repaint(regions)

    def set_marks(self, marks: Mapping[Item, Mark]) -> None:
        """Mark items; those whose mark changes are repainted."""
        changed = [
            item
            for item in {**self._marks, **marks}
            if self._marks.get(item, Mark.NONE) != marks.get(item, Mark.NONE)
        ]
        self._marks = dict(marks)
        self._repaint(area for item in changed for area in self._scene.areas(item))
        if changed and (found := self._map) is not None:
            area = found.area
            self.refresh(Region(area.x, area.y, area.width, area.height))

    def set_overlay(self, cells: Mapping[Point, str]) -> None:
        """Draw cells over the picture, instead of those drawn before."""
        old, self._overlay = self._overlay, dict(cells)
        changed = [at for at in {**old, **self._overlay} if old.get(at) != self._overlay.get(at)]
        self._repaint(Area(x, y, 1, 1) for x, y in changed)

    def on_screen(self, area: Area) -> bool:
        """Whether the whole of an area is in view."""
        return self._view.contains_region(Region(area.x, area.y, area.width, area.height))

    def bring_into_view(self, area: Area) -> None:
        """Scroll so that an area is in the middle, unless it is in view already."""
        if self.size and not self.on_screen(area):
            region = Region(area.x, area.y, area.width, area.height)
            self.scroll_to_region(region, center=True, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        left, top = self.scroll_offset
        blank = self._style(Ink.BLANK, Mark.NONE)
        if top + y >= self._scene.height:
            strip = Strip.blank(self.size.width, blank)
        else:
            strip = self._strip(top + y).crop_extend(left, left + self.size.width, blank)
        return self._with_map(strip, y)

    def _with_map(self, strip: Strip, y: int) -> Strip:
        """The line with its part of the small map, where there is one."""
        found = self._map
        if found is None or not found.y <= y < found.area.bottom:
            return strip
        row = [
            Segment(self._scene.glyphs.text(text), self._style(ink, Mark.NONE))
            for text, ink in found.rows[y - found.y]
        ]
        right = found.area.right
        parts = [strip.crop(0, found.x), Strip(row, found.area.width), strip.crop(right)]
        return Strip.join(parts)

    @property
    def _map(self) -> Minimap | None:
        """The small map of the picture, made once for every view on it."""
        view = self._view
        raised = frozenset(item for item, mark in self._marks.items() if mark in _RAISED)
        key = (view, raised)
        if self._mapped is None or self._mapped[0] != key:
            seen = Area(view.x, view.y, view.width, view.height)
            found = minimap(self._scene.layout, seen, self._scene.glyphs, raised)
            self._mapped = (key, found)
        return self._mapped[1]

    def notify_style_update(self) -> None:
        """Forget the colours when the theme changes."""
        super().notify_style_update()
        self._inks.clear()
        self._strips.clear()

    @property
    def _view(self) -> Region:
        """The part of the sheet in view; scroll bars and a border cover none of it."""
        return Region(*self.scroll_offset, *self.scrollable_content_region.size)

    def _repaint(self, areas: Iterable[Area]) -> None:
        """Repaint areas of the sheet, as far as they are in view."""
        view = self._view
        shift = Offset(-view.x, -view.y)
        regions = []
        for area in areas:
            for y in range(area.y, area.bottom):
                self._strips.pop(y, None)
            seen = Region(area.x, area.y, area.width, area.height).intersection(view)
            if seen:
                regions.append(seen.translate(shift))
        if regions:
            self.refresh(*regions)

    def _strip(self, y: int) -> Strip:
        strip = self._strips.get(y)
        if strip is None:
            raised = [item for item, mark in self._marks.items() if self._raises(item, mark)]
            segments: list[Segment] = []
            for run in self._scene.runs(y, raised):
                segments.append(self._segment(run, segments[-1].style if segments else None))
            strip = Strip(segments, self._scene.width)
            for x, row in sorted(self._overlay):
                if row == y:
                    sign = Segment(self._overlay[x, y], self._style(Ink.BAND, Mark.NONE))
                    parts = [strip.crop(0, x), Strip([sign], 1), strip.crop(x + 1)]
                    strip = Strip.join(parts)
            strip = strip.simplify()
            self._strips[y] = strip
        return strip

    def _raises(self, item: Item, mark: Mark) -> bool:
        """Whether the lines of an item are heavy and in the colours of its mark."""
        return mark in _RAISED and (isinstance(item, GroupItem) or item in self._scene.traced)

    def _segment(self, run: Run, before: Style | None) -> Segment:
        """A run in its style; blanks keep the style before them, as each change costs bytes."""
        mark = Mark.NONE if run.owner is None else self._marks.get(run.owner, Mark.NONE)
        if run.lines and run.owner is not None and not self._raises(run.owner, mark):
            mark = mark if mark in _BORDERED else Mark.NONE
        if run.spared:
            mark = Mark.NONE
        style = self._style(run.ink, mark, isinstance(run.owner, GroupItem))
        if (
            before is not None
            and run.owner
            and run.text.isspace()
            and before.bgcolor == style.bgcolor
        ):
            style = before
        return Segment(run.text, style)

    def _style(self, ink: Ink, mark: Mark, boxed: bool = False) -> Style:
        style = self._inks.get((ink, mark, boxed))
        if style is None:
            style = self.get_component_rich_style(palette.INK_CLASSES[ink])
            if mark is not Mark.NONE and boxed and ink is Ink.BOX:
                style = self.get_component_rich_style(palette.BOX_CLASSES[mark])
            elif mark is not Mark.NONE:
                ground = self.get_component_rich_style(palette.TEXT_CLASSES[mark])
                style += Style(bgcolor=ground.bgcolor)
            self._inks[ink, mark, boxed] = style
        return style


def _changed_columns(old: Strip, new: Strip) -> tuple[int, int] | None:
    """The first column of a segment that differs, and the first from which all agree again."""
    if old.cell_length != new.cell_length:
        return 0, max(old.cell_length, new.cell_length)
    if old == new:
        return None
    start = _alike(list(old), list(new), 1)
    return start, new.cell_length - _alike(list(old)[::-1], list(new)[::-1], -1)


def _alike(before: list[Segment], after: list[Segment], step: int) -> int:
    """How many cells are the same: whole segments, and of the next one those from its near end."""
    cells = 0
    for old, new in zip(before, after, strict=False):
        if old == new:
            cells += new.cell_length
            continue
        if old.style == new.style and old.text.isascii() and new.text.isascii():
            pairs = zip(old.text[::step], new.text[::step], strict=False)
            cells += sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        break
    return cells
