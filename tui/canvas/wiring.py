"""A wire while it is being drawn, by mouse or by picking its target, and how that is shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toposmith.tui.canvas.band import band, knob, tag
from toposmith.tui.canvas.items import GroupItem, Item
from toposmith.tui.canvas.layout import boxes_by_name, item_order
from toposmith.tui.canvas.moves import Direction, nearest
from toposmith.tui.canvas.palette import Mark
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Scene

MARKED_TAG = "marked"
LIT_TAG = "here"
_WAYS: tuple[Direction, ...] = ("up", "down", "right", "left")


@dataclass
class Wiring:
    """A wire from a group to a target that is still open.

    Parameters
    ----------
    source : str
        The group it begins at.
    by_mouse : bool
        Whether a mouse button is held down; else the target is picked with keys or a click.
    target : GroupItem or None
        Where it would end now.
    pointer : Point or None
        Where the mouse is, once it has moved.
    own : bool
        Whether it may end where it begins: at switches that are joined along an axis.
    """

    source: str
    by_mouse: bool
    target: GroupItem | None = None
    pointer: Point | None = None
    own: bool = False

    def candidates(self, scene: Scene) -> list[Item]:
        """The groups that it may end at."""
        return [
            item
            for item in item_order(scene.layout)
            if isinstance(item, GroupItem) and (self.own or item.name != self.source)
        ]

    def aim(self, item: Item | None) -> None:
        """Take an item as the target if it may be one, else none."""
        valid = isinstance(item, GroupItem) and (self.own or item.name != self.source)
        self.target = item if valid and isinstance(item, GroupItem) else None

    def aim_nearest(self, scene: Scene) -> None:
        """Take the nearest group as the target, one above the source if there is one."""
        here = GroupItem(self.source)
        others = [item for item in self.candidates(scene) if item != here]
        found = (nearest(scene, here, way, others) for way in _WAYS)
        self.aim(next((item for item in found if item is not None), here if self.own else None))


def marks(
    scene: Scene,
    selected: Item | None,
    wiring: Wiring | None,
    marked_groups: Collection[str] = (),
    lit: Collection[Item] = (),
) -> dict[Item, Mark]:
    """What every item is marked as; ``lit`` are those that a line beside the fabric is about."""
    marked: dict[Item, Mark] = dict.fromkeys(lit, Mark.LIT)
    marked |= {GroupItem(name): Mark.MARKED for name in marked_groups}
    if wiring is not None and not wiring.by_mouse:
        marked |= dict.fromkeys(wiring.candidates(scene), Mark.CANDIDATE)
    if selected is not None and not lit:
        marked[selected] = Mark.SELECTED
    if wiring is not None:
        marked[GroupItem(wiring.source)] = Mark.SELECTED
        if wiring.target is not None:
            marked[wiring.target] = Mark.TARGET
    return marked


def overlay(
    scene: Scene,
    selected: Item | None,
    wiring: Wiring | None,
    marked_groups: Collection[str] = (),
    lit: Collection[Item] = (),
) -> dict[Point, str]:
    """The band to the pointer, and words and knobs that say without colour what is marked."""
    cells: dict[Point, str] = {}
    if wiring is None or wiring.by_mouse:
        for trunk in scene.layout.trunks:
            if trunk.item == selected or trunk.item in lit:
                cells |= knob(trunk, scene.glyphs, scene.tip(trunk), scene.width)
    boxes = boxes_by_name(scene.layout)
    for item in lit:
        if isinstance(item, GroupItem) and item.name in boxes:
            cells |= tag(boxes[item.name], LIT_TAG)
    for name in marked_groups:
        if name in boxes:
            cells |= tag(boxes[name], MARKED_TAG)
    if wiring is None or wiring.source not in boxes:
        return cells
    source = boxes[wiring.source]
    if wiring.pointer is not None:
        cells |= band(scene, source, wiring.pointer, scene.glyphs)
    if wiring.pointer is not None or not wiring.by_mouse:
        cells |= tag(source, "wire from")
    if wiring.target is not None and wiring.target.name in boxes:
        cells |= tag(boxes[wiring.target.name], "to")
    return cells
