"""What an arranged picture is: boxes and trunks on a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toposmith.tui.canvas.captions import LabelManner, StyledLine
from toposmith.tui.canvas.items import GroupItem, Item, LinkItem


@dataclass(frozen=True)
class Box:
    """A group's box: its outer rectangle, and the lines inside."""

    item: GroupItem
    x: int
    y: int
    width: int
    height: int
    lines: tuple[StyledLine, ...]


@dataclass(frozen=True)
class Trunk:
    """A link's path, corner to corner from its lower box to its upper, and where its label goes.

    The label is beside ``label_x`` from row ``label_y`` on. ``split`` puts cables and ratio
    left of the trunk and the load right of it, ``stacked`` everything right of it; ``marked`` has
    room for a mark only, where trunks are many; ``inside`` is one line below the upper side of a
    loop, ``stacked inside`` two.
    """

    item: LinkItem
    lower: str
    upper: str
    path: tuple[tuple[int, int], ...]
    label_x: int
    label_y: int
    manner: LabelManner
    caption: StyledLine
    sound: bool
    shows_ratio: bool


@dataclass(frozen=True)
class CanvasLayout:
    """Boxes and trunks on a sheet of ``width`` by ``height`` cells.

    ``whole`` where boxes say names and counts alone, so that there is room for all.
    """

    width: int
    height: int
    boxes: tuple[Box, ...]
    trunks: tuple[Trunk, ...]
    whole: bool = False


def item_order(layout: CanvasLayout) -> list[Item]:
    """All items as they are read: top to bottom, left to right."""
    places: dict[Item, tuple[float, float]] = {}
    for box in layout.boxes:
        places[box.item] = (box.y + box.height / 2, box.x)
    for trunk in layout.trunks:
        places[trunk.item] = (trunk.label_y + 1, trunk.label_x)
    return sorted(places, key=lambda item: places[item])


def boxes_by_name(layout: CanvasLayout) -> Mapping[str, Box]:
    """The boxes of a layout by the name of their group."""
    return {box.item.name: box for box in layout.boxes}
