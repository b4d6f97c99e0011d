"""The speed of each cable: that of its link, unless ``slow:`` gives less."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.faults import (
    CablesByEnds,
    Instance,
    faults_of,
    place_of,
    places_of,
    selects,
)
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
        self._groups = plan.groups
        # of hundreds of entries most name one device each, or one pair: these are looked up
        self._at: dict[tuple[str, tuple[int, ...] | None], list[Slow]] = defaultdict(list)
        self._cables = CablesByEnds[tuple[int, Slow]](plan.groups)
        for entry in enumerate(plan.slow):
            slow = entry[1]
            if slow.selector.is_cable:
                self._cables.add(slow.selector, entry)
            else:
                self._at[place_of(plan.groups, slow.selector.first)].append(slow)
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
        slow = [one for _, one in self._cables.between(a, b) if one.selector.cables is None]
        slow += [one for end in ends for one in self._of_end(*end)]
        return min([link.speed_gbit, *(one.gbit_of(link) for one in slow)])

    def _of_end(self, instance: Instance, ports: str, port: int | None) -> Iterator[Slow]:
        """The entries for a device, or a port, that is this end of a cable."""
        for place in places_of(self._groups, instance) if self._at else ():
            for slow in self._at.get(place, ()):
                if _at(slow.selector.first, instance, ports, port):
                    yield slow

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
        for _, slow in sorted(self._cables.between(a, b)):  # as listed: the first take first
            if left and slow.selector.cables is not None:
                many = min(left, slow.selector.cables)
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
