"""A link while it is being drawn, by mouse or by picking its target."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from toposmith.tui.canvas.items import GroupItem, Item
from toposmith.tui.canvas.layout import item_order
from toposmith.tui.canvas.moves import Direction, nearest
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Scene

_WAYS: tuple[Direction, ...] = ("up", "down", "right", "left")


@dataclass
class OpenLink:
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

    def aim_nearest(self, scene: Scene, likely: Collection[str] = ()) -> None:
        """Take the nearest of the likely groups as the target, one above the source if any is."""
        here = GroupItem(self.source)
        every = [item for item in self.candidates(scene) if item != here]
        others = [item for item in every if item in {GroupItem(name) for name in likely}] or every
        found = (nearest(scene, here, way, others) for way in _WAYS)
        self.aim(next((item for item in found if item is not None), here if self.own else None))
