"""The total of cables between two groups, kept while axes and counts change."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from toposmith.design.document import Design
from toposmith.design.edits.edit import altered, changed, ends_of
from toposmith.design.selectors import axis_size, group_axes


def pairs(design: Design, index: int) -> int:
    """The number of pairs of devices that a link joins."""
    a, b = ends_of(design.links[index])
    axes = {*group_axes(design, a), *group_axes(design, b)}
    return prod(axis_size(design, axis) for axis in axes)


def links_at(design: Design, name: str) -> list[int]:
    """The links that end at a group, by their places."""
    return [index for index, link in enumerate(design.links) if name in ends_of(link)]


def other_end(design: Design, index: int, name: str) -> str:
    """The group at the other end of a link."""
    a, b = ends_of(design.links[index])
    return b if a == name else a


def with_cables(design: Design, cables: dict[int, int | None]) -> Design:
    """The design with other cables between each pair of some links."""
    links = tuple(
        altered(link, cables=cables[index]) if index in cables else link
        for index, link in enumerate(design.links)
    )
    return changed(design, links=links)


def with_totals_kept(before: Design, after: Design, links: Iterable[int]) -> Design:
    """The design ``after`` with the total of cables of its links as before, rounded to whole ones.

    So the capacity between two tiers stays, and with it the oversubscription.
    """
    cables: dict[int, int | None] = {}
    for index in links:
        each = before.links[index].cables or 1
        now = max(1, round(each * pairs(before, index) / pairs(after, index)))
        cables[index] = before.links[index].cables if now == each else now
    return with_cables(after, cables)


def without_unused_axes(before: Design, after: Design) -> Design:
    """The design after without the axes that groups used before and none uses now."""
    used_before = {axis for group in before.groups.values() for axis in group.per}
    used = {axis for group in after.groups.values() for axis in group.per}
    axes = {k: size for k, size in after.axes.items() if k in used or k not in used_before}
    return after if axes == after.axes else changed(after, axes=axes)
