"""The picture drawn: a layout with its figures as cells, and what lies where on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from toposmith.tui.canvas import captions
from toposmith.tui.canvas.canvas_glyphs import (
    ASCII,
    BROKEN,
    ERROR,
    HEAVY,
    LIGHT,
    UNICODE,
    CanvasGlyphs,
    Ink,
)
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.items import GroupItem, Item, LinkItem
from toposmith.tui.canvas.layout import Box, CanvasLayout, Trunk
from toposmith.tui.canvas.raster import CellRun, Raster
from toposmith.tui.canvas.trunk_figures import Figures, TrunkFigure

EMPTY_HINT: tuple[StyledLine, ...] = (
    (("This canvas is empty", Ink.TITLE),),
    (),
    (("a", Ink.KEY), ("  add a node or a switch", Ink.HINT)),
    (("T", Ink.KEY), ("  begin with a template", Ink.HINT)),
    (("o", Ink.KEY), ("  open a saved design", Ink.HINT)),
)
CORNER = 10
"""Columns at both ends of a wide box that show that it is raised; every one costs three bytes."""
UNWIRED_HINT: tuple[StyledLine, ...] = ((("w", Ink.KEY), ("  wire a group to another", Ink.HINT)),)


@dataclass(frozen=True)
class Area:
    """A rectangle of the sheet."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column behind it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row below it."""
        return self.y + self.height


@dataclass(frozen=True)
class PlacedText:
    """A line of a trunk's label and where it begins."""

    x: int
    y: int
    line: StyledLine

    @property
    def area(self) -> Area:
        """The cells that it takes."""
        return Area(self.x, self.y, captions.width(self.line), 1)


class Scene:
    """A drawn picture.

    Parameters
    ----------
    layout : CanvasLayout
        The positions of everything.
    figures : Figures
        The figures at the trunks.
    ascii_only : bool
        Draw with ASCII signs.

    Attributes
    ----------
    traced : set of LinkItem
        The trunks that are marked along their whole path when selected, for it has corners; a
        straight one is marked at its label only, which costs far fewer bytes.
    """

    def __init__(self, layout: CanvasLayout, figures: Figures, *, ascii_only: bool = False) -> None:
        self.layout = layout
        self.glyphs: CanvasGlyphs = ASCII if ascii_only else UNICODE
        self.width = layout.width
        self.height = layout.height
        self._figures = figures
        self.labels = {trunk.item: trunk_label(trunk, figures) for trunk in layout.trunks}
        self.traced = {trunk.item for trunk in layout.trunks if len(trunk.path) > 2}
        self._raster = Raster(layout.width, layout.height)
        self._areas: dict[Item, list[Area]] = {}
        for box in layout.boxes:
            self._draw_box(box)
        for trunk in layout.trunks:
            self._draw_trunk(trunk, figures)
        if not layout.boxes:
            self._draw_hint(EMPTY_HINT, (self.height - len(EMPTY_HINT)) // 2)
        elif len(layout.boxes) > 1 and not layout.trunks:
            under = max(box.y + box.height for box in layout.boxes) + 1
            self._draw_hint(UNWIRED_HINT, under)

    def runs(
        self, y: int, raised: Collection[Item] = (), columns: range | None = None
    ) -> list[CellRun]:
        """A row, or some columns of it, as runs of like cells.

        Lines of raised items are heavy, wide boxes at corners.
        """
        spared: dict[Item, range] = {
            box.item: range(box.x + CORNER, box.x + box.width - CORNER)
            for box in self.layout.boxes
            if box.item in raised and box.width > 3 * CORNER
        }
        return self._raster.runs(y, self.glyphs, raised, spared, columns)

    def same_row(self, other: Scene, y: int) -> bool:
        """Whether a row of another picture looks the same, as long as the same is marked."""
        return (
            self.glyphs is other.glyphs
            and self.traced == other.traced
            and self._raster.same_row(other._raster, y)
        )

    def item_at(self, x: int, y: int) -> Item | None:
        """The item at a cell; a trunk is also hit from the column beside it."""
        cell = self._raster.cell(x, y)
        if cell is not None:
            return cell.owner
        for beside in (x - 1, x + 1):
            cell = self._raster.cell(beside, y)
            if cell is not None and isinstance(cell.owner, LinkItem):
                return cell.owner
        return None

    def tip(self, trunk: Trunk) -> str:
        """What the label of a trunk would say, for one that has room for a mark only."""
        if trunk.manner != "marked":
            return ""
        figure = self._figures.trunks.get(trunk.item.index)
        words = [text for text, _ in trunk.caption]
        words += [figure.percent, figure.load] if figure and trunk.sound else []
        return self.glyphs.text("  ".join(words))

    def areas(self, item: Item) -> list[Area]:
        """The rectangles that show an item's mark: what to repaint when it changes."""
        return self._areas.get(item, [])

    def anchor(self, item: Item) -> Area | None:
        """The rectangle that stands for an item when moving between items: its box or its label."""
        areas = self.areas(item)
        if not areas:
            return None
        if isinstance(item, GroupItem):
            return areas[0]
        trunk = next(trunk for trunk in self.layout.trunks if trunk.item == item)
        rows = [text.y for text in self.labels[trunk.item]] or [trunk.label_y]
        return Area(trunk.label_x, min(rows), 1, max(rows) - min(rows) + 1)

    def _draw_box(self, box: Box) -> None:
        self._raster.fill(box.x, box.y, box.width, box.height, Ink.BOX, box.item)
        self._raster.frame(box.x, box.y, box.width, box.height, Ink.BOX, box.item)
        for row, line in enumerate(box.lines):
            left = box.x + (box.width - captions.width(line)) // 2
            self._raster.write(left, box.y + 1 + row, line, box.item, self.glyphs)
        self._areas[box.item] = [Area(box.x, box.y, box.width, box.height)]

    def _draw_trunk(self, trunk: Trunk, figures: Figures) -> None:
        figure = figures.trunks.get(trunk.item.index)
        ink, weight = Ink.IDLE, LIGHT
        if not trunk.sound:
            ink, weight = Ink.BROKEN, BROKEN
        elif figure is not None:
            ink, weight = figure.ink, HEAVY if figure.limits else LIGHT
        self._raster.path(trunk.path, weight, ink, trunk.item)
        labels = self.labels[trunk.item]
        for text in labels:
            self._raster.write(text.x, text.y, text.line, trunk.item, self.glyphs)
        areas = [text.area for text in labels]
        if trunk.item in self.traced:
            areas += _path_areas(trunk)
        self._areas[trunk.item] = [*areas, Area(trunk.label_x, trunk.label_y, 1, 1)]

    def _draw_hint(self, lines: Sequence[StyledLine], top: int) -> None:
        """Say what to do next, where there is room to say it."""
        wide = max(map(captions.width, lines))
        if wide <= self.width and top >= 0 and top + len(lines) <= self.height:
            for row, line in enumerate(lines):
                left = (self.width - wide) // 2
                self._raster.write(left, top + row, line, None, self.glyphs)


def trunk_label(trunk: Trunk, figures: Figures) -> list[PlacedText]:
    """The lines of a trunk's label, placed beside it."""
    figure = figures.trunks.get(trunk.item.index)
    if trunk.manner == "marked":
        return _mark(trunk, figure)
    if trunk.manner in ("inside", "stacked inside"):
        return _inside(trunk, figure)
    left: list[StyledLine] = [trunk.caption]
    right: list[StyledLine] = []
    if figure is not None and trunk.sound:
        percent: StyledLine = ((figure.percent, figure.ink),)
        if figure.limits and figure.missed:
            percent = (*percent, (f" {UNICODE.limits}", figure.ink), (f" {ERROR}", Ink.ERROR))
        elif figure.limits:
            percent = (*percent, (f"  {UNICODE.limits}", figure.ink))
        elif figure.missed:
            percent = (*percent, (f"  {ERROR} {figure.missed} waits", Ink.ERROR))
        right += [percent, ((figure.load, Ink.CABLES),)]
    ratio = figures.ratios.get(trunk.lower) if trunk.shows_ratio else None
    if ratio is not None:
        left.append(((ratio.text, Ink.OVER if ratio.over else Ink.RATIO),))
    if trunk.manner == "stacked":
        left, right = [], left[:1] + right + left[1:]
    texts = []
    for row, line in enumerate(left):
        x = trunk.label_x - 2 - captions.width(line)
        texts.append(PlacedText(x + 1, trunk.label_y + row, line))
    for row, line in enumerate(right):
        texts.append(PlacedText(trunk.label_x + 2, trunk.label_y + row, line))
    return texts


def _inside(trunk: Trunk, figure: TrunkFigure | None) -> list[PlacedText]:
    """What is said below the upper side of a loop, as much of it as there is room for."""
    x, room = trunk.label_x + 2, trunk.path[-1][0] - trunk.path[0][0] - 3
    said = PlacedText(x, trunk.label_y, trunk.caption)
    if figure is None or not trunk.sound:
        return [said]
    stacked = trunk.manner == "stacked inside"
    sign = ERROR if figure.missed else UNICODE.limits[:1] if figure.limits else ""
    signed: StyledLine = ((f" {sign}", Ink.ERROR if figure.missed else figure.ink),) if sign else ()
    load: StyledLine = ((f"  {figure.load}", Ink.CABLES),)
    line: StyledLine = ((figure.percent if stacked else f"  {figure.percent}", figure.ink),)
    line = line if stacked else (*trunk.caption, *line)
    fits = captions.width((*line, *load, *signed)) <= room
    line = (*line, *(load if fits else ()), *signed)
    return [said, PlacedText(x, trunk.label_y + 1, line)] if stacked else [replace(said, line=line)]


def _mark(trunk: Trunk, figure: TrunkFigure | None) -> list[PlacedText]:
    """The one sign at a trunk that has no room for a label."""
    if not trunk.sound:
        line: StyledLine = (("!", Ink.ERROR),)
    elif figure is not None and figure.limits:
        line = ((UNICODE.limits[0], figure.ink),)
    elif figure is not None and figure.missed:
        line = ((ERROR, Ink.ERROR),)
    else:
        return []
    return [PlacedText(trunk.label_x + 1, trunk.label_y, line)]


def _path_areas(trunk: Trunk) -> list[Area]:
    areas = []
    for (x0, y0), (x1, y1) in pairwise(trunk.path):
        areas.append(Area(min(x0, x1), min(y0, y1), abs(x1 - x0) + 1, abs(y1 - y0) + 1))
    return areas
