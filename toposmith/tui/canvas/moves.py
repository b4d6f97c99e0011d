"""Which item is next in a direction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from toposmith.tui.canvas.items import Item
from toposmith.tui.canvas.scene import Area, Scene

Direction = Literal["up", "down", "left", "right"]


def nearest(scene: Scene, start: Item, direction: Direction, items: Iterable[Item]) -> Item | None:
    """The nearest of the items in a direction, or None where there is none.

    Steps aside cost more than steps ahead, so that the way back is mostly the same.
    """
    here = scene.anchor(start)
    if here is None:
        return None
    best: tuple[float, Item] | None = None
    for item in items:
        there = scene.anchor(item)
        if item == start or there is None:
            continue
        cost = _cost(here, there, direction)
        if cost is not None and (best is None or cost < best[0]):
            best = (cost, item)
    return best[1] if best else None


def _cost(here: Area, there: Area, direction: Direction) -> float | None:
    """How far ``there`` is ahead and aside; None if it is not ahead. A row counts two columns."""
    if direction in ("up", "down"):
        ahead = here.y - there.bottom if direction == "up" else there.y - here.bottom
        if ahead < 0:
            return None
        aside = _apart(here.x, here.right, there.x, there.right)
        drift = abs(here.x + here.right - there.x - there.right) / 2
        return 2 * ahead + aside + drift / 100
    middle, other = (here.x + here.right) / 2, (there.x + there.right) / 2
    step = middle - other if direction == "left" else other - middle
    if step <= 0:
        return None
    aside = 2 * _apart(here.y, here.bottom, there.y, there.bottom)
    ahead = _apart(here.x, here.right, there.x, there.right)
    return ahead + 4 * aside + step / 100


def _apart(low: int, high: int, other_low: int, other_high: int) -> int:
    """The gap between two spans, 0 where they overlap."""
    return max(other_low - high, low - other_high, 0)
