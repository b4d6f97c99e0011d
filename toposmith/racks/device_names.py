"""Device names for labels, valid for hosts, switches and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable

from toposmith.fabric.plan import Plan
from toposmith.racks.instances import coordinates


def device_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The names of the instances of a group, by their number.

    ``leaf-su0-rail3``: the group, then the axes that it repeats over with their values; the
    number of its own count comes last, ``node-su3-31``. Numbers count from 0, as in selectors.
    Where another group's name begins like that, dots stand between, which names cannot have.
    The plan's map of names comes before all of this.
    """
    named = own_names(plan, name)
    if not plan.naming.names_devices:
        return named
    return lambda number: plan.naming.device(named(number))


def own_names(plan: Plan, name: str) -> Callable[[int], str]:
    """The design's own names of the instances of a group, regardless of a map of names."""
    group = plan.groups[name]
    joint = "." if any(other.startswith(f"{name}-") for other in plan.groups) else "-"
    has_own = group.spec.count > 1 or len(group.axes) == 1

    def named(number: int) -> str:
        *outer, own = coordinates(group, number)
        words = [f"{axis}{value}" for axis, value in zip(group.axes, outer, strict=False)]
        return joint.join([name, *words, *([str(own)] if has_own else [])])

    return named
