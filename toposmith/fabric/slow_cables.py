"""The speed of each cable: that of its link, unless ``slow:`` gives less."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.faults import Instance, faults_of, joins, one_device, selects
from toposmith.fabric.once import once
from toposmith.fabric.plan import LinkPlan, Plan, Slow


class SlowCables:
    """Queries of a plan's ``slow:`` entries, one cable at a time.

    Attributes
    ----------
    groups : frozenset of str
        Groups at which some cable may be slow; others need no queries.
    """

    def __init__(self, plan: Plan) -> None:
        self._axes = {name: group.axes for name, group in plan.groups.items()}
        # of hundreds of entries most name one device each, or one pair: these are looked up
        self._whole: dict[str, dict[tuple[int, ...] | None, list[Slow]]] = defaultdict(dict)
        for slow in plan.slow:
            if slow.selector.cables is None:
                first = slow.selector.first
                by_place = self._whole[first.group]
                by_place.setdefault(one_device(first, plan.groups[first.group]), []).append(slow)
        self._counted = [slow for slow in plan.slow if slow.selector.cables is not None]
        self._faults = faults_of(plan, without_down=True)
        self.groups = frozenset(end.group for slow in plan.slow for end in ends_of(slow.selector))

    def touches(self, link: LinkPlan) -> bool:
        """Whether some cable of a link may be slow."""
        return link.a.group in self.groups or link.b.group in self.groups

    def gbit(
        self,
        link: LinkPlan,
        a: Instance,
        b: Instance,
        port_a: int | None = None,
        port_b: int | None = None,
    ) -> float:
        """The rate of the cables between two instances, or of the one at these ports, Gb/s.

        Entries for some of several cables are left to :meth:`between`.
        """
        ends = ((a, link.a.ports, port_a), (b, link.b.ports, port_b))
        least: float = link.speed_gbit
        for end in ends:
            for slow in self._of_first(end[0]):
                selector = slow.selector
                if joins(selector, a, b) if selector.is_cable else _at(selector.first, *end):
                    least = min(least, slow.gbit_of(link))
        return least

    def _of_first(self, instance: Instance) -> Iterator[Slow]:
        """The entries whose first end may be at an instance."""
        group, coordinates = instance
        by_place = self._whole.get(group)
        if by_place:
            yield from by_place.get(None, ())
            at = tuple(coordinates[axis] for axis in self._axes[group])
            yield from by_place.get(at, ())

    def between(
        self, link: LinkPlan, a: Instance, b: Instance, cables: int, *, of: int
    ) -> dict[float, int]:
        """How many of the cables between two switches run at each speed (Gb/s).

        There are ``of`` without any fault. Those that entries count stand on the last ports,
        before those that are gone.
        """
        general = self.gbit(link, a, b)
        left = min(cables, self._faults.cables_left(a, b, of))
        found: dict[float, int] = {}
        for slow in self._counted:
            if left and joins(slow.selector, a, b):
                many = min(left, slow.selector.cables or 0)
                speed = min(general, slow.gbit_of(link))
                found[speed] = found.get(speed, 0) + many
                left -= many
        rest = cables - sum(found.values())
        if rest:
            found[general] = found.get(general, 0) + rest
        return found


def ends_of(selector: Selector) -> tuple[Selection, ...]:
    """The one or two ends that a selector names."""
    return (selector.first,) if selector.second is None else (selector.first, selector.second)


def _at(selection: Selection, instance: Instance, ports: str, port: int | None) -> bool:
    """Whether a device or port that is selected is this end of a cable."""
    if selection.ports is not None and (
        selection.ports != ports or selection.port not in (None, port)
    ):
        return False
    return selects(selection, instance)


slow_cables_of = once(SlowCables)
"""The ``slow:`` entries of a plan, worked out once."""
