"""The cables of a design that a selector matches, including absent and failed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import prod

from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.faults import joins, one_device
from toposmith.fabric.plan import LinkPlan, Plan, PlannedCable
from toposmith.fabric.relations import related

Ranges = Mapping[str, tuple[int, int]]
"""First and last value on the axes that a selection names."""


def names_a_cable(plan: Plan, selector: Selector) -> bool:
    """Whether some cable of a design is between the devices of a selector of cables.

    Cables are those that links deal, less those that single ones replace, and the single ones.
    """
    second = selector.second
    if second is None:
        return False
    if any(_is_named(plan, selector, cable) for cable in plan.single_cables):
        return True
    return any(_is_dealt(plan, selector, link) for link in plan.links)


def most_of_two(plan: Plan, selector: Selector) -> int:
    """How many cables of one link join two devices of a selector of cables, at most."""
    listed = Counter(
        (cable.link, frozenset((end.group, end.at) for end in (cable.a, cable.b)))
        for cable in plan.single_cables
        if _is_named(plan, selector, cable)
    )
    of_link = Counter[int]()
    for (index, _), many in listed.items():
        of_link[index] = max(of_link[index], many)
    for link in plan.links:
        if _is_dealt(plan, selector, link):
            of_link[link.index] += _dealt_to_two(plan, link)
    return max(of_link.values(), default=0)


def _dealt_to_two(plan: Plan, link: LinkPlan) -> int:
    if not link.bundle:
        return link.cables_per_pair
    members = prod(plan.size(axis) for axis, word in link.along if word == "dealt")
    return -(-link.bundle // members)


def _is_named(plan: Plan, selector: Selector, cable: PlannedCable) -> bool:
    """Whether a single cable is between devices of a selector."""
    instances = (
        (end.group, dict(zip(plan.groups[end.group].axes, end.at, strict=True)))
        for end in (cable.a, cable.b)
    )
    return joins(selector, *instances)


def _is_dealt(plan: Plan, selector: Selector, link: LinkPlan) -> bool:
    """Whether a link deals cables between devices of a selector."""
    second = selector.second
    if second is None:
        return False
    return any(
        (a.group, b.group) == (link.a.group, link.b.group) and _deals(plan, link, a, b)
        for a, b in ((selector.first, second), (second, selector.first))
    )


def _deals(plan: Plan, link: LinkPlan, a: Selection, b: Selection) -> bool:
    """Whether a link deals a cable between devices of two selections, the first at its first end.

    Of cables dealt between sets of switches it is not asked which members have them.
    """
    one, other = _ranges(a), _ranges(b)
    words = dict.fromkeys(link.shared, "same") | dict(link.along)
    if not all(
        word == "dealt" or _related(word, plan.size(axis), one.get(axis), other.get(axis))
        for axis, word in words.items()
    ):
        return False
    places = tuple(one_device(end, plan.groups[end.group]) for end in (a, b))
    if not plan.replaced or None in places:
        return True
    gone = sum(
        cable.link == link.index and {cable.a, cable.b} == set(places) for cable in plan.replaced
    )
    return gone < max(link.cables_per_pair, link.bundle)


def _related(
    word: str, size: int, one: tuple[int, int] | None, other: tuple[int, int] | None
) -> bool:
    """Whether some values of two ranges are related on an axis; None is all of its values."""
    if word == "any":
        return True
    (low, high), (least, most) = one or (0, size - 1), other or (0, size - 1)
    if word == "same":
        return max(low, least) <= min(high, most)
    values = range(low, high + 1)
    return any(least <= w <= most for v in values for w in related(word, v, size))


def _ranges(selection: Selection) -> Ranges:
    return {axis: (low, high) for axis, low, high in selection.ranges}
