"""The peers of a device over a link with a relation along an axis.

Rings and tori join neighbours on an axis (``next``), full meshes all others (``other``). ``dealt``
deals the cables between two sets of switches over their members in turn: the global cables of a
dragonfly (Kim et al., "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008), in the
relative (circulant) arrangement, which is the same seen from each of its groups.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import product
from math import prod

from toposmith.fabric.device import At
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan


def related(word: str, value: int, size: int) -> tuple[int, ...]:
    """The values on an axis that one value meets, in order."""
    if word == "same":
        return (value,)
    if word == "any":
        return tuple(range(size))
    if word == "other":
        return (*range(value), *range(value + 1, size))
    around = {(value - 1) % size, (value + 1) % size} - {value}
    return tuple(sorted(around))


def many_related(word: str, size: int) -> int:
    """How many values each value of an axis meets."""
    return {"same": 1, "any": size, "other": size - 1, "next": min(2, size - 1)}[word]


def most_dealt(cables: int, sets: int, members: int) -> int:
    """The most cables at a member of a set, for a number of cables between any two sets."""
    return -(-(sets - 1) * cables // members)


def meets_itself(link: LinkPlan) -> bool:
    """Whether the relations of a link of a group to itself hold between a device and itself."""
    return link.is_self and all(word in ("same", "any") for _, word in link.along)


def peers_at(plan: Plan, link: LinkPlan, end: LinkEnd, at: At) -> list[At]:
    """The peers of a device at an end of a link, in the order of instances."""
    if link.bundle:
        return sorted(peer for peer, _ in dealt_at(plan, link, at))
    other = link.b if end is link.a else link.a
    words, values = dict(link.along), dict(zip(plan.groups[end.group].axes, at, strict=True))
    found = product(
        *(
            related(words.get(axis, "same"), values[axis], plan.size(axis))
            if axis in words or axis in link.shared
            else range(plan.size(axis))
            for axis in plan.groups[other.group].axes
        )
    )
    return [peer for peer in found if peer != at] if meets_itself(link) else list(found)


def dealt_at(plan: Plan, link: LinkPlan, at: At) -> Iterator[tuple[At, int]]:
    """The cables that a link deals to a switch: the other end, and which of the link's it is.

    Every set of switches has the positions 0 to (sets - 1) x cables - 1. Position p is a cable to
    the set ``p // cables + 1`` further on, modulo their number, and member ``p mod members`` has
    it. Its other end is the position that is as far from the last as p is from the first, so that
    each set is cabled as every other. Both positions are one kind of cable.
    """
    group = plan.groups[link.a.group]
    values = dict(zip(group.axes, at, strict=True))
    (around,) = (axis for axis, word in link.along if word == "other")
    over = [axis for axis, word in link.along if word == "dealt"]
    sizes = [plan.size(axis) for axis in over]
    sets, members = plan.size(around), prod(sizes)
    own = 0
    for axis, size in zip(over, sizes, strict=True):
        own = own * size + values[axis]
    positions = (sets - 1) * link.bundle
    for position in range(own, positions, members):
        there = {**values, around: (values[around] + position // link.bundle + 1) % sets}
        mirrored = positions - 1 - position
        rank = mirrored % members
        for axis, size in zip(reversed(over), reversed(sizes), strict=True):
            rank, there[axis] = divmod(rank, size)
        yield tuple(there[axis] for axis in group.axes), min(position, mirrored)


RelationKind = tuple[int, ...]
"""What distinguishes cables of a link whose ends are equivalent: how far these lie apart on a ring,
whether they agree where any may meet, or which of the dealt ones it is."""


def distinguishing_axes(link: LinkPlan, rings: Container[str]) -> tuple[tuple[str, bool], ...]:
    """The axes that tell kinds of cables of a link apart, and whether by the distance on a ring.

    Where links say ``next`` along an axis its values are not all alike to each other.
    """
    return tuple(
        (axis, axis in rings)
        for axis, word in link.along
        if word == "any" or (word == "other" and axis in rings)
    )


def distance(one: int, other: int, size: int) -> int:
    """The distance of two values on a ring."""
    apart = abs(one - other)
    return min(apart, size - apart)


def kind_of(
    plan: Plan, link: LinkPlan, rings: Container[str], a: At, b: At, *, end: LinkEnd
) -> RelationKind:
    """Which kind of the link's cables join two devices, the first of them at this end.

    Kinds of dealt cables are those of :func:`dealt_at`.
    """
    told = distinguishing_axes(link, rings)
    if not told:
        return ()
    other = link.b if end is link.a else link.a
    here = dict(zip(plan.groups[end.group].axes, a, strict=True))
    there = dict(zip(plan.groups[other.group].axes, b, strict=True))
    return tuple(
        distance(here[axis], there[axis], plan.size(axis))
        if by_distance
        else int(here[axis] != there[axis])
        for axis, by_distance in told
    )
