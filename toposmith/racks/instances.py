"""Instances of a group by number: their coordinates written as one figure, last axis fastest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from toposmith.cancellation import go_on
from toposmith.design.selectors import Selection
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.relations import peers_at


def coordinates(group: GroupPlan, number: int) -> tuple[int, ...]:
    """The values of an instance on the axes of its group."""
    values: list[int] = []
    for size in reversed(group.sizes):
        number, value = divmod(number, size)
        values.append(value)
    return tuple(reversed(values))


def number_of(group: GroupPlan, at: tuple[int, ...]) -> int:
    """The number of the instance with these values on the axes of its group."""
    number = 0
    for value, size in zip(at, group.sizes, strict=True):
        number = number * size + value
    return number


def offsets(plan: Plan, group: GroupPlan, axes: tuple[str, ...]) -> list[int]:
    """What each combination of values on these axes adds to a number, first axis slowest."""
    strides = _strides(group)
    found = [0]
    for axis in axes:
        steps = [value * strides[axis] for value in range(plan.size(axis))]
        found = [offset + step for offset in found for step in steps]
    return found


def selected(group: GroupPlan, selection: Selection) -> frozenset[int]:
    """The numbers of the instances that a selection of this group means."""
    strides = _strides(group)
    limits = {axis: (low, high) for axis, low, high in selection.ranges}
    ranges = (
        range(limits[axis][0], limits[axis][1] + 1) if axis in limits else range(size)
        for axis, size in zip(group.axes, group.sizes, strict=True)
    )
    steps = [strides[axis] for axis in group.axes]
    return frozenset(
        sum(value * step for value, step in zip(values, steps, strict=True))
        for values in product(*ranges)
    )


def absent_instances(plan: Plan) -> dict[str, frozenset[int]]:
    """The instances that were never there, for every group; what is down stands in its rack."""
    gone: dict[str, frozenset[int]] = dict.fromkeys(plan.groups, frozenset())
    for selector in plan.absent:
        name = selector.first.group
        if not selector.is_cable and selector.first.ports is None:
            gone[name] |= selected(plan.groups[name], selector.first)
    return gone


def blocks(plan: Plan, link: LinkPlan) -> Iterator[tuple[list[int], list[int]]]:
    """Instances of both ends that meet: within a block every one of ``a`` meets every one of ``b``.

    Both lists run in the order in which ports are dealt over them.
    """
    a, b = plan.groups[link.a.group], plan.groups[link.b.group]
    if link.along:
        for number in range(a.instances):
            go_on()
            met = [number_of(b, at) for at in peers_at(plan, link, link.a, coordinates(a, number))]
            yield [number], [one for one in met if one > number] if link.is_self else met
        return
    of_a, of_b = offsets(plan, a, link.a_only), offsets(plan, b, link.b_only)
    for base_a, base_b in zip(
        offsets(plan, a, link.shared), offsets(plan, b, link.shared), strict=True
    ):
        yield [base_a + offset for offset in of_a], [base_b + offset for offset in of_b]


def _strides(group: GroupPlan) -> dict[str, int]:
    strides: dict[str, int] = {}
    stride = 1
    for axis, size in zip(reversed(group.axes), reversed(group.sizes), strict=True):
        strides[axis] = stride
        stride *= size
    return strides
