"""What is selected, marked, highlighted or being wired on the canvas, and how that shows."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.design.document import Design
from toposmith.tui.canvas.band import band, knob, tag
from toposmith.tui.canvas.colours import ItemMark
from toposmith.tui.canvas.items import GroupItem, Item, followed
from toposmith.tui.canvas.layout import boxes_by_name
from toposmith.tui.canvas.open_link import OpenLink
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Scene

MARKED_TAG = "marked"
LIT_TAG = "here"


@dataclass
class Attention:
    """What is selected, marked and lit up, and the link that is being drawn.

    Parameters
    ----------
    selected : Item or None
        What keys act on.
    marked : tuple of str
        Groups that are marked, in the order in which they were.
    lit : frozenset of Item
        What a line beside the fabric is about.
    wiring : OpenLink or None
        The link that is being drawn.
    lost : tuple of Item and Design, or None
        What was selected when it was deleted, with the design that had it.
    """

    selected: Item | None = None
    marked: tuple[str, ...] = ()
    lit: frozenset[Item] = frozenset()
    wiring: OpenLink | None = None
    lost: tuple[Item, Design] | None = None

    def follow(self, before: Design | None, after: Design) -> bool:
        """Keep to the same items in an edited design; whether another item is selected now."""
        kept = None
        if self.selected is not None and before is not None:
            kept = followed(self.selected, before, after)
            self.lost = None if kept is not None else (self.selected, before)
        elif self.lost is not None:  # undo brings back what was deleted while it was selected
            kept = followed(*self.lost, after)
        changed = kept != self.selected
        self.selected = kept
        self.marked = tuple(name for name in self.marked if name in after.groups)
        wiring = self.wiring
        if wiring is not None and wiring.target and wiring.target.name not in after.groups:
            wiring.target = None
        return changed

    def marks(self, scene: Scene) -> dict[Item, ItemMark]:
        """What every item is marked as."""
        marked: dict[Item, ItemMark] = dict.fromkeys(self.lit, ItemMark.LIT)
        marked |= {GroupItem(name): ItemMark.MARKED for name in self.marked}
        wiring = self.wiring
        if wiring is not None and not wiring.by_mouse:
            marked |= dict.fromkeys(wiring.candidates(scene), ItemMark.CANDIDATE)
        if self.selected is not None and not self.lit:
            marked[self.selected] = ItemMark.SELECTED
        if wiring is not None:
            marked[GroupItem(wiring.source)] = ItemMark.SELECTED
            if wiring.target is not None:
                marked[wiring.target] = ItemMark.TARGET
        return marked

    def overlay(self, scene: Scene) -> dict[Point, str]:
        """The band to the pointer, and words and knobs that say without colour what is marked."""
        cells: dict[Point, str] = {}
        wiring = self.wiring
        if wiring is None or wiring.by_mouse:
            for trunk in scene.layout.trunks:
                if trunk.item == self.selected or trunk.item in self.lit:
                    cells |= knob(trunk, scene.glyphs, scene.tip(trunk), scene.width)
        boxes = boxes_by_name(scene.layout)
        for item in self.lit:
            if isinstance(item, GroupItem) and item.name in boxes:
                cells |= tag(boxes[item.name], LIT_TAG)
        for name in self.marked:
            if name in boxes:
                cells |= tag(boxes[name], MARKED_TAG)
        if wiring is None or wiring.source not in boxes:
            return cells
        source = boxes[wiring.source]
        if wiring.pointer is not None:
            cells |= band(scene, source, wiring.pointer, scene.glyphs)
        if wiring.pointer is not None or not wiring.by_mouse:
            itself = wiring.target is not None and wiring.target.name == wiring.source
            cells |= tag(source, "wire to itself" if itself else "wire from")
        others = boxes.keys() - {wiring.source}
        if wiring.target is not None and wiring.target.name in others:
            cells |= tag(boxes[wiring.target.name], "to")
        return cells
