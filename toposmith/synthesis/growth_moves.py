"""Moving the cables between tiers of switches, link by link: in which order, and in which parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toposmith.fabric.port_use import port_use
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.growth_states import (
    CabledPairs,
    DeviceRange,
    GrowthFrame,
    TierLink,
    common,
    every,
    values_of,
)

MOST_PARTS = 32
"""Steps that the cables of one link are moved in at most."""


@dataclass
class Batch:
    """Cables of a link that are moved in one step."""

    low: DeviceRange
    cells: list[tuple[DeviceRange, int, int]]  # upper devices, cables of a pair before and after


@dataclass(frozen=True)
class LinkCables:
    """The cables of a link whose switches two designs share.

    Parameters
    ----------
    frame : GrowthFrame
        Both designs.
    link : TierLink
        The link.
    """

    frame: GrowthFrame
    link: TierLink

    @property
    def regions(self) -> list[tuple[DeviceRange, int, int]]:
        """Upper devices by how many cables a pair has before and after, where that changes."""
        low = common(*self.frame.sides(self.link.low))
        a, b = self.frame.sides(self.link.high)
        if low is None:
            return []
        both = common(a, b)
        found = [(box, self.link.before, self.link.after) for box in every(both)]
        found += [(box, self.link.before, 0) for box in (a.without(both) if a else [])]
        found += [(box, 0, self.link.after) for box in (b.without(both) if b else [])]
        return [(box, x, y) for box, x, y in found if x != y and self.link.pairs(low, box)]

    def before(self) -> list[tuple[TierLink, CabledPairs]]:
        """Cables of the earlier design."""
        (low, _), (high, _) = self._ends
        return self._all_with(self.link.before, low, high)

    def after(self) -> list[tuple[TierLink, CabledPairs]]:
        """Cables of the later design."""
        (_, low), (_, high) = self._ends
        return self._all_with(self.link.after, low, high)

    @property
    def _ends(
        self,
    ) -> tuple[
        tuple[DeviceRange | None, DeviceRange | None], tuple[DeviceRange | None, DeviceRange | None]
    ]:
        return self.frame.sides(self.link.low), self.frame.sides(self.link.high)

    def _all_with(
        self, cables: int, below: DeviceRange | None, above: DeviceRange | None
    ) -> list[tuple[TierLink, CabledPairs]]:
        """So many cables of every pair of these devices, and none of any other."""
        whole = self.frame.whole(self.link.high)
        cells = [
            CabledPairs(low, whole, 0) for low in self.frame.whole(self.link.low).without(below)
        ]
        for low in every(below):
            cells += [CabledPairs(low, high, cables) for high in every(above)]
            cells += [CabledPairs(low, high, 0) for high in whole.without(above)]
        return [(self.link, cell) for cell in cells]

    def orders(self) -> Iterator[list[Batch]]:
        """Ways to move the cables of a self.link in steps, the one with the fewest steps first."""
        low = common(*self.frame.sides(self.link.low))
        assert low is not None
        regions = self.regions
        axis = _cut_along(self.link, [box for box, _, _ in regions])
        seen: set[int] = set()
        for parts in (1, 2, 4, 8, 16, MOST_PARTS):
            cut = [box.parts(axis, parts) for box, _, _ in regions]
            batches = []
            for at in range(parts):
                cells = [
                    (boxes[at], x, y)
                    for boxes, (_, x, y) in zip(cut, regions, strict=True)
                    if boxes[at] is not None
                ]
                batches.append(Batch(low, cells))  # type: ignore[arg-type]
            batches = [batch for batch in batches if batch.cells]
            if len(batches) not in seen and self._has_ports(batches):
                seen.add(len(batches))
                yield batches
        axes = [axis for axis, (first, last) in low.ranges if last > first]
        for many in range(1, len(axes) + 1):
            boxes = values_of(low, axes[:many])
            if 1 < len(boxes) <= MOST_PARTS:
                yield [Batch(box, list(regions)) for box in boxes]

    def _has_ports(self, batches: Sequence[Batch]) -> bool:
        """Whether a lower switch has a port for every cable that a step plugs into it."""
        use = port_use(self.frame.old.plan).get((self.link.low, ""))
        plan = next(
            (
                one
                for one in self.frame.old.plan.links
                if {one.a.group, one.b.group} == {self.link.low, self.link.high}
            ),
            None,
        )
        if use is None:
            return True
        breakout = plan.end_of(self.link.low).breakout if plan is not None else 1
        free = (use.cages - use.cages_used) * breakout
        for batch in batches:
            peer = batch.low
            for axis, (first, _) in batch.low.ranges:
                peer = peer.cut(axis, first, first)
            free -= sum((y - x) * self.link.pairs(peer, box) for box, x, y in batch.cells)
            if free < 0:
                return len(batches) == 1
        return True

    def while_moving(
        self, batches: list[Batch] | None, done: set[int], out: int | None
    ) -> list[tuple[TierLink, CabledPairs]]:
        """The cables while some batches are moved and one is out; None: all are moved."""
        both = common(*self.frame.sides(self.link.low))
        assert both is not None
        a, _ = self.frame.sides(self.link.low)
        whole = self.frame.whole(self.link.high)
        cells = [CabledPairs(low, whole, 0) for low in self.frame.whole(self.link.low).without(a)]
        above, later = self.frame.sides(self.link.high)
        cells += [CabledPairs(low, whole, 0) for low in (a.without(both) if a is not None else [])]
        same = common(above, later)
        changed = self.regions
        if self.link.before == self.link.after:
            cells += [CabledPairs(both, high, self.link.before) for high in every(same)]
        nowhere = [
            box for box in whole.without(above) if later is None or common(box, later) is None
        ]
        cells += [CabledPairs(both, high, 0) for high in nowhere]
        if batches is None:
            cells += [CabledPairs(both, box, y) for box, _, y in changed]
        else:
            for number, batch in enumerate(batches):
                for box, x, y in batch.cells:
                    many = y if number in done else min(x, y) if number == out else x
                    cells.append(CabledPairs(batch.low, box, many))
        return [(self.link, cell) for cell in cells]


def _cut_along(link: TierLink, boxes: Sequence[DeviceRange]) -> str:
    """The axis of the upper devices that all boxes have most values on, their own before others."""

    def values(axis: str) -> int:
        return min(high - low + 1 for low, high in (box.on(axis) for box in boxes))

    axes = [axis for axis, _ in boxes[0].ranges]
    return link.high if values(link.high) > 1 else max(axes, key=values)


def in_order(frame: GrowthFrame) -> list[TierLink]:
    """Links from the top down, so that a cable is moved to a switch that has its uplinks.

    From below, where only that leaves ports for each.
    """
    heights = frame.new.heights | frame.old.heights
    links = sorted(frame.links, key=lambda one: -heights.get(one.high, 0))
    return links if _ports_hold(frame, links) else links[::-1]


def _ports_hold(frame: GrowthFrame, links: Sequence[TierLink]) -> bool:
    """Whether no device that stays needs more cages on the way than it has at an end."""
    uses = [port_use(frame.old.plan), port_use(frame.new.plan)]
    done: set[int] = set()
    for link in links[:-1]:
        done.add(link.index)
        for name in (link.low, link.high):
            most = max(u[name, ""].cages_used for u in uses if (name, "") in u)
            part = frame.new.plan.groups.get(name)
            most = part.switch.cages.count if part is not None and part.switch else most
            if (
                sum(
                    _cages(frame.new if one.index in done else frame.old, one, name)
                    for one in links
                )
                > most
            ):
                return False
    return True


def _cages(planned: PlannedDesign, link: TierLink, name: str) -> int:
    for one in planned.plan.links:
        if {one.a.group, one.b.group} == {link.low, link.high} and name in (
            link.low,
            link.high,
        ):
            return -(-one.cables_at(name) // one.end_of(name).breakout)
    return 0
