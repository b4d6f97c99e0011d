"""A scene as rows of styled text; a piece of a row is painted once, until something there changes.

Only what is seen is painted: a sheet may be a hundred times as wide as the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product, takewhile

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.colours import ItemMark
from toposmith.tui.canvas.inks import Inks
from toposmith.tui.canvas.items import GroupItem, Item
from toposmith.tui.canvas.layout import CanvasLayout
from toposmith.tui.canvas.raster import BLOCK, CellRun, Point
from toposmith.tui.canvas.scene import Area, Scene
from toposmith.tui.canvas.trunk_figures import Figures

_RAISED = (ItemMark.SELECTED, ItemMark.TARGET)
_BORDERED = (ItemMark.CANDIDATE, ItemMark.MARKED, ItemMark.LIT)


class Painting:
    """A scene with marks on its items and a few cells drawn over it.

    Each change answers with the areas of the sheet that differ from before, so that a screen
    repaints only those.
    """

    def __init__(self, inks: Inks) -> None:
        self.scene = Scene(CanvasLayout(0, 0, (), ()), Figures())
        self._inks = inks
        self._marks: dict[Item, ItemMark] = {}
        self._overlay: dict[Point, str] = {}
        self._strips: dict[tuple[int, int], Strip] = {}

    @property
    def raised(self) -> frozenset[Item]:
        """The items that are selected, or that a link would end at."""
        return frozenset(item for item, mark in self._marks.items() if mark in _RAISED)

    def forget(self) -> None:
        """Paint everything again."""
        self._strips.clear()

    def change_scene(
        self,
        scene: Scene,
        marks: Mapping[Item, ItemMark],
        overlay: Mapping[Point, str],
        seen: Area,
    ) -> list[Area] | None:
        """Show another scene; the areas seen that differ, or None where its size does."""
        before, old = self._strips, self.scene
        alike = self._marks == marks and self._overlay == overlay
        self.scene, self._strips = scene, {}
        self._marks, self._overlay = dict(marks), dict(overlay)
        if (scene.width, scene.height) != (old.width, old.height):
            return None
        areas = []
        for y, block in _blocks(seen):
            if (y, block) not in before or y >= scene.height:
                continue  # never painted, so it is still to be painted anyway
            if alike and scene.same_row(old, y):
                self._strips[y, block] = before[y, block]
                continue
            columns = _changed_columns(before[y, block], self._strip(y, block))
            if columns is not None:
                areas.append(Area(block * BLOCK + columns[0], y, columns[1] - columns[0], 1))
        return areas

    def change_marks(self, marks: Mapping[Item, ItemMark]) -> list[Area]:
        """Mark items; the areas of those whose mark changes."""
        changed = [
            item
            for item in {**self._marks, **marks}
            if self._marks.get(item, ItemMark.NONE) != marks.get(item, ItemMark.NONE)
        ]
        self._marks = dict(marks)
        return self._unpainted(area for item in changed for area in self.scene.areas(item))

    def change_overlay(self, cells: Mapping[Point, str]) -> list[Area]:
        """Draw cells over the scene, instead of those drawn before; the cells that differ."""
        old, self._overlay = self._overlay, dict(cells)
        changed = [at for at in {**old, **self._overlay} if old.get(at) != self._overlay.get(at)]
        return self._unpainted(Area(x, y, 1, 1) for x, y in changed)

    def strip(self, y: int, columns: range) -> Strip:
        """Some columns of a row of the sheet, as far as it goes."""
        first, last = columns.start // BLOCK, -(-min(columns.stop, self.scene.width) // BLOCK)
        strip = Strip.join([self._strip(y, block) for block in range(first, last)])
        return strip.crop(columns.start - first * BLOCK, columns.stop - first * BLOCK).simplify()

    def _strip(self, y: int, block: int) -> Strip:
        strip = self._strips.get((y, block))
        if strip is None:
            strip = self._strips[y, block] = self._painted(y, block).simplify()
        return strip

    def _unpainted(self, areas: Iterable[Area]) -> list[Area]:
        """The areas, which are to be painted again."""
        found = list(areas)
        for area in found:
            for place in _blocks(area):
                self._strips.pop(place, None)
        return found

    def _painted(self, y: int, block: int) -> Strip:
        raised = [item for item, mark in self._marks.items() if self._raises(item, mark)]
        columns = range(block * BLOCK, min((block + 1) * BLOCK, self.scene.width))
        segments: list[Segment] = []
        for run in self.scene.runs(y, raised, columns):
            segments.append(self._segment(run, segments[-1].style if segments else None))
        strip = Strip(segments, len(columns))
        for x, row in sorted(self._overlay):
            if row == y and x in columns:
                sign = Segment(self._overlay[x, y], self._inks.style(Ink.BAND))
                left = x - columns.start
                strip = Strip.join([strip.crop(0, left), Strip([sign], 1), strip.crop(left + 1)])
        return strip

    def _raises(self, item: Item, mark: ItemMark) -> bool:
        """Whether the lines of an item are heavy and in the colours of its mark."""
        return mark in _RAISED and (isinstance(item, GroupItem) or item in self.scene.traced)

    def _segment(self, run: CellRun, before: Style | None) -> Segment:
        """A run in its style; blanks keep the style before them, as each change costs bytes."""
        mark = ItemMark.NONE if run.owner is None else self._marks.get(run.owner, ItemMark.NONE)
        if run.lines and run.owner is not None and not self._raises(run.owner, mark):
            mark = mark if mark in _BORDERED else ItemMark.NONE
        if run.spared:
            mark = ItemMark.NONE
        style = self._inks.style(run.ink, mark, boxed=isinstance(run.owner, GroupItem))
        if (
            before is not None
            and run.owner
            and run.text.isspace()
            and before.bgcolor == style.bgcolor
        ):
            style = before
        return Segment(run.text, style)


def _blocks(area: Area) -> Iterator[tuple[int, int]]:
    """The rows of an area, and the blocks of columns that it touches."""
    return product(range(area.y, area.bottom), range(area.x // BLOCK, -(-area.right // BLOCK)))


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
