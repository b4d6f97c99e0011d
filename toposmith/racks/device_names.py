"""Device names for labels, valid for hosts, switches and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable

from toposmith.fabric.plan import Plan
from toposmith.racks.connections import coordinates
from toposmith.racks.locked_devices import locked_devices


def device_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The names of the instances of a group, by their number.

    ``leaf-su0-rail3``: the group, then the axes that it repeats over with their values; the
    number of its own count comes last, ``node-su3-31``. Numbers count from 0, as in selectors.
    Where another group's name begins like that, dots stand between, which names cannot have.
    A device of the lock has its name there. The plan's map of names comes before all of this.
    """
    named, own = locked_names(plan, name), own_names(plan, name)
    if not plan.naming.names_devices:
        return named
    return lambda number: plan.naming.given(own(number)) or named(number)


def locked_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The names of the instances of a group by the lock, regardless of a map of names.

    A new device has its own name; where another device of the lock has that, a number follows.
    """
    own, known = own_names(plan, name), locked_devices(plan)[name]
    lock = plan.design.lock
    if lock is None:
        return own

    def named(number: int) -> str:
        if number in known:
            return known[number].name
        free, turn = own(number), 1
        while free in lock.by_name:
            turn += 1
            free = f"{own(number)}.{turn}"
        return free

    return named


def own_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The design's own names of the instances of a group, regardless of lock and map of names."""
    group = plan.groups[name]
    joint = "." if any(other.startswith(f"{name}-") for other in plan.groups) else "-"
    has_own = group.spec.count > 1 or len(group.axes) == 1

    def named(number: int) -> str:
        *outer, own = coordinates(group, number)
        words = [f"{axis}{value}" for axis, value in zip(group.axes, outer, strict=False)]
        return joint.join([name, *words, *([str(own)] if has_own else [])])

    return named
