"""What can be selected in the picture: a device group, or a link."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.design.document import Design


@dataclass(frozen=True)
class GroupItem:
    """A device group, by its name."""

    name: str


@dataclass(frozen=True)
class LinkItem:
    """A link, by its place in the design's ``links``."""

    index: int


Item = GroupItem | LinkItem


def followed(item: Item, before: Design, after: Design) -> Item | None:
    """The same item in a changed design: a link whose place moved is found by its two ends."""
    if isinstance(item, GroupItem):
        return item if item.name in after.groups else None
    if item.index >= len(before.links):
        return None
    ends = before.links[item.index].between
    places = [index for index, link in enumerate(after.links) if link.between == ends]
    if not places:
        return None
    return LinkItem(min(places, key=lambda index: abs(index - item.index)))
