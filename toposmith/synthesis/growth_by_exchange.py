"""Steps of growth where parts change: some devices after the other, in an order that can be built.

A NIC and the leaf that it is cabled to may be exchanged one after the other or together; every
order is tried whose designs on the way have no errors, the one that touches the fewest cables
first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import inf

from toposmith.cancellation import Stopped
from toposmith.design.document import Design, Link
from toposmith.design.selectors import axis_size
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import GroupPlan, LinkPlan
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.growth_moves import MOST_PARTS
from toposmith.synthesis.growth_step import FiguresOnTheWay, GrowthStep, gpus_of
from toposmith.synthesis.part_exchange import (
    PartiallyExchanged,
    PartSwap,
    cables_of,
    ends_of_link,
    sound_plan,
)
from toposmith.text import counted, joined

FEW_THINGS = 3
"""Up to so many kinds of devices and links, every order of exchanging them is tried."""

MOST_ORDERS = 4
"""Orders of which all steps are computed at most."""

FELT = 1.05
"""Smaller steps have to leave so many times more of GPUs and figures while they are done."""

Thing = str | int
"""What is exchanged: the devices of a group, or the cables of a link by its place."""


def exchange_steps(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    figures: FiguresOnTheWay,
    found: list[GrowthStep],
) -> bool:
    """Add the steps by which parts are exchanged between two designs of one shape.

    Of the orders that keep the floor the one that touches the fewest cables is taken; where none
    does, the one that leaves most. Where the work is stopped, what is added first is the best
    order until then, or as much of the first as there is.

    Parameters
    ----------
    old, new : EvaluatedDesign
        The designs: the same groups, axes and pairs of groups that are joined.
    figures : FiguresOnTheWay
        The figures that are to be kept.
    found : list of GrowthStep
        To which they are added.

    Returns
    -------
    bool
        False where no design on the way could be built.
    """
    ways = _Ways(old, new)
    orders = sorted(ways.orders(), key=lambda order: (ways.touched(order), -len(order)))
    best: tuple[float, list[GrowthStep]] | None = None
    for order in orders[:MOST_ORDERS]:
        steps: list[GrowthStep] = []
        for exchange in order:
            try:
                built = _Stepping(exchange, figures, new).add_best(steps)
            except Stopped:
                found += steps if best is None else best[1]
                raise
            if not built:
                break
        else:
            worth = min((_held(figures, step) for step in steps), default=1.0)
            if best is None or worth > best[0] * FELT:
                best = worth, steps
            if worth >= 1.0 and (figures.floor or figures.least_gpus):
                break
    if best is not None:
        found += best[1]
    return best is not None


def _held(figures: FiguresOnTheWay, step: GrowthStep) -> float:
    """How much of what is to hold does in a step: the least of its figures and of its GPUs."""
    return min(figures.worth(step.lowest), _gpus_share(figures, step.fewest_gpus))


def _gpus_share(figures: FiguresOnTheWay, gpus: int) -> float:
    there = gpus_of(figures.old.planned)
    if figures.least_gpus:
        return min(1.0, gpus / min(there, figures.least_gpus))
    return 1.0 if figures.floor else gpus / there


@dataclass
class _Ways:
    """The things that change, and the designs where some of them have."""

    old: EvaluatedDesign
    new: EvaluatedDesign
    renewed: frozenset[int] = frozenset()
    _made: dict[frozenset[Thing], EvaluatedDesign | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        old, new = self.old.design, self.new.design
        theirs = {ends_of_link(link): link for link in new.links}
        self._later = [theirs[ends_of_link(link)] for link in old.links]
        groups = [
            name
            for name, group in old.groups.items()
            if (group.part, group.nics) != (new.groups[name].part, new.groups[name].nics)
        ]
        stays = [at for at, one in enumerate(old.links) if not ends_of_link(one) & set(groups)]
        places = {ends_of_link(link): at for at, link in enumerate(new.links)}
        self.renewed = frozenset(
            at
            for at in stays
            if cables_of(self.old, at) != cables_of(self.new, places[ends_of_link(old.links[at])])
        )
        links = [
            at
            for at in stays
            if at in self.renewed or _wiring(old.links[at]) != _wiring(self._later[at])
        ]
        heights = self.old.planned.heights
        self.things: list[Thing] = [*sorted(groups, key=lambda one: heights.get(one, -1)), *links]

    def orders(self) -> Iterator[list[PartSwap]]:
        """Orders in which every design can be built."""
        for order in _partitions(self.things):
            done: frozenset[Thing] = frozenset()
            exchanges, at = [], self.old
            for together in order:
                after = self._with(done | together)
                if after is None:
                    break
                groups = [one for one in self.things if one in together and isinstance(one, str)]
                links = [one for one in together if isinstance(one, int)]
                exchanges.append(PartSwap(at, after, tuple(groups), tuple(links), self.renewed))
                done, at = done | together, after
            else:
                yield exchanges

    def _with(self, done: frozenset[Thing]) -> EvaluatedDesign | None:
        """The design where some things are exchanged; None where it has errors."""
        if done not in self._made:
            design = self._design(done)
            sound = sound_plan(design, self.old.catalog) is not None
            made = replace(self.old, design=design, shared=None)
            self._made[done] = made if sound else None
        return self._made[done]

    def _design(self, done: frozenset[Thing]) -> Design:
        old, new = self.old.design, self.new.design
        links: list[Link] = []
        waiting = {one for one in self.things if one not in done}
        for index, (link, later) in enumerate(zip(old.links, self._later, strict=True)):
            links.append(link if {*ends_of_link(link), index} & waiting else later)
        base = old if waiting else new
        groups = {name: new.groups[name] if name in done else g for name, g in old.groups.items()}
        return base.model_copy(update={"groups": groups, "links": tuple(links)})

    def touched(self, order: list[PartSwap]) -> int:
        """Cables that are unplugged or plugged in, in all."""
        total = 0
        for exchange in order:
            before, after = (cable_counts(one.plan) for one in (exchange.before, exchange.after))
            total += sum(max(before[one], after[one]) for one in exchange.touched)
        return total


def _wiring(link: Link) -> object:
    return frozenset(link.between), link.cables, link.speed


def _partitions(things: list[Thing]) -> Iterator[list[frozenset[Thing]]]:
    """Ways to take things one after the other, some of them together."""
    if len(things) > FEW_THINGS:
        for order in (things, things[::-1]):
            yield [frozenset({one}) for one in order]
        yield [frozenset(things)]
        return
    if not things:
        yield []
        return
    for chosen in range(1, 2 ** len(things)):
        first = [one for at, one in enumerate(things) if chosen >> at & 1]
        for rest in _partitions([one for one in things if one not in first]):
            yield [frozenset(first), *rest]


@dataclass
class _Stepping:
    """The steps of one exchange."""

    exchange: PartSwap
    figures: FiguresOnTheWay
    last: EvaluatedDesign

    def add_best(self, found: list[GrowthStep]) -> bool:
        """Add the steps that hold what is to hold; else those that leave most meanwhile."""
        best: tuple[float, list[GrowthStep]] | None = None
        try:
            for axis, ends in self._divisions():
                made = self._steps(axis, ends, -1.0 if best is None else best[0] * FELT)
                if made is not None:
                    best = made
        finally:  # stopped or not
            if best is not None:
                found += best[1]
        return best is not None

    @cached_property
    def _unmeasured(self) -> list[str]:
        """Switches of networks beside the compute network, which no figure is of."""
        plan, heights = self.exchange.before.plan, self.exchange.before.planned.heights
        return [
            name
            for name in self.exchange.groups
            if plan.groups[name].switch is not None and name not in heights
        ]

    @cached_property
    def _for_a_time(self) -> list[str]:
        """Links with new cables that a later step takes out again: no bill of either has them."""
        there = {ends_of_link(link): at for at, link in enumerate(self.last.design.links)}
        found, after = [], self.exchange.after
        for at, again in self.exchange.touched.items():
            last = there[ends_of_link(after.design.links[at])]
            if not again and cables_of(after, at) != cables_of(self.last, last):
                found.append(after.plan.link(at).label)
        return found

    def _worth(self, step: GrowthStep, done: int, then: int, size: int) -> float:
        """What is left while a step is done, of figures and of GPUs, for all that has to hold."""
        share = step.fewest_gpus / gpus_of(self.figures.old.planned)
        if self._unmeasured:
            share *= 1 - (then - done) / size
        held = _held(self.figures, step)
        return held * share if held >= 1.0 or not self.figures.floor else held * share / 2

    def _divisions(self) -> Iterator[tuple[str | None, list[int]]]:
        """Axes, and how many values on them are exchanged after each step; the fewest first."""
        yield None, [0, 1]
        design = self.exchange.before.design
        found = []
        for place, axis in enumerate(self.exchange.axes):
            size = axis_size(design, axis)
            for parts in sorted({2, 4, 8, 16, MOST_PARTS, size}):
                if parts <= min(size, MOST_PARTS):
                    ends = [at * size // parts for at in range(parts + 1)]
                    found.append((parts, place, axis, ends))
        for _, _, axis, ends in sorted(found):
            yield axis, ends

    def _steps(
        self, axis: str | None, ends: list[int], more_than: float
    ) -> tuple[float, list[GrowthStep]] | None:
        """The steps along an axis, and what the worst is worth; None where that is no more."""
        steps, least = [], inf
        for done, then in pairwise(ends):
            step = self._step(axis, done, then)
            if step is None:
                return None
            least = min(least, self._worth(step, done, then, ends[-1]))
            if least <= more_than:
                return None
            steps.append(step)
        return least, steps

    def _step(self, axis: str | None, done: int, then: int) -> GrowthStep | None:
        """Devices with some values on an axis exchanged; None where that cannot be built."""
        exchange, catalog = self.exchange, self.exchange.before.catalog
        after = exchange.partial(axis, then)
        if sound_plan(after.design, catalog) is None:
            return None
        planned = PlannedDesign.of(after.design, catalog)
        out = exchange.partial(axis, done, then - done)
        meanwhile = PlannedDesign.of(out.design, catalog)
        figures = self.figures.of(out.design)
        hosts = exchange.hosts_on(axis) if axis is not None else ()
        if hosts and all(one.value is None for one in figures.values()):
            # nodes that reach no other switch stop with those that are exchanged
            out_with_nodes = exchange.partial(axis, done, then - done, also=hosts).design
            meanwhile = PlannedDesign.of(out_with_nodes, catalog)
            figures = self.figures.of(out_with_nodes)
        runs = any(one.value is not None for one in figures.values())
        gpus, left = gpus_of(planned), gpus_of(meanwhile) if runs else 0
        before = exchange.partial(axis, done)
        moved, connected, unplugged = self._cables(before, out, after)
        words = [self._words(axis, done, then, before, after)]
        if left < gpus:
            words.append(
                f"{gpus - left:,} GPUs stand still meanwhile" if left else "nothing runs meanwhile"
            )
        if self._for_a_time:
            words.append(f"new cables of {joined(self._for_a_time)} only until a later step")
        if self._unmeasured:
            words.append(f"no figure is of the network of {joined(self._unmeasured)}")
        return GrowthStep(
            "; ".join(words),
            gpus,
            self.figures.of(after.design),
            lambda: after.design,
            moved=moved,
            connected=connected,
            unplugged=unplugged,
            meanwhile=figures,
            gpus_meanwhile=left,
            groups=frozenset({*exchange.groups, *self._link_ends()}),
        )

    def _link_ends(self) -> set[str]:
        links = self.exchange.before.design.links
        return {end for index in self.exchange.links for end in ends_of_link(links[index])}

    def _cables(
        self, before: PartiallyExchanged, out: PartiallyExchanged, after: PartiallyExchanged
    ) -> tuple[int, int, int]:
        """Cables that are plugged in again, plugged in new, and taken out."""
        had, has, kept = (self._by_link(one) for one in (before, after, out))
        moved = connected = unplugged = 0
        for index, again in self.exchange.touched.items():
            lost, gained = had[index] - kept[index], has[index] - kept[index]
            same = min(lost, gained) if again else 0
            moved += same
            connected += gained - same
            unplugged += lost - same
        return moved, connected, unplugged

    def _by_link(self, of: PartiallyExchanged) -> dict[int, int]:
        counts = cable_counts(PlannedDesign.of(of.design, self.exchange.before.catalog).plan)
        found = dict.fromkeys(of.links, 0)
        for here, whole in enumerate(of.links):
            found[whole] += counts.get(here, 0)
        return found

    # Words

    def _words(
        self,
        axis: str | None,
        done: int,
        then: int,
        before: PartiallyExchanged,
        after: PartiallyExchanged,
    ) -> str:
        plans = self.exchange.before.plan, self.exchange.after.plan
        words = []
        for name in reversed(self.exchange.groups):  # switches before nodes
            many = self._devices(after, name) - (self._devices(before, name) if done else 0)
            one, other = (plan.groups[name] for plan in plans)
            words.append(_exchanged(one, other, counted(many, name)))
        for index in self.exchange.links:
            links = [plan.link(index) for plan in plans]
            speeds, pairs = ([f(link) for link in links] for f in (_speed_gbit, _cables))
            if speeds[0] != speeds[1]:
                how = f" ({speeds[0]} for {speeds[1]} Gb/s)"
            else:
                how = f" ({pairs[0]} a pair for {pairs[1]})" if pairs[0] != pairs[1] else ""
            words.append(f"cables of {links[0].label}{how}")
        where = f"{done}" if then == done + 1 else f"{done}..{then - 1}"
        place = f"{axis} {where}: " if axis is not None else ""
        return f"{place}exchange {joined(words)}"

    def _devices(self, of: PartiallyExchanged, name: str) -> int:
        """Devices of a group that are exchanged already."""
        if name not in of.later:
            return 0
        counts = device_counts(PlannedDesign.of(of.design, self.exchange.before.catalog).plan)
        return counts[of.later[name]]


def _speed_gbit(link: LinkPlan) -> int:
    return link.speed_gbit


def _cables(link: LinkPlan) -> int:
    return link.cables_per_pair


def _exchanged(one: GroupPlan, other: GroupPlan, many: str) -> str:
    """What becomes of devices: ``1 leaf (sn3700 for sn4700)``, ``NICs of 2 nodes (...)``."""
    if one.spec.part != other.spec.part:
        return f"{many} ({one.spec.part} for {other.spec.part})"
    changed = []
    for slots in dict.fromkeys((*one.port_groups, *other.port_groups)):
        held, then = (_fitted(group, slots) for group in (one, other))
        if held != then:
            changed.append(f"{slots}: {held} for {then}")
    return f"NICs of {many} ({joined(changed)})"


def _fitted(group: GroupPlan, slots: str) -> str:
    """The NICs of some slots: ``8 x connectx-7-ndr``."""
    ports = group.port_groups.get(slots)
    return f"{ports.nics} x {ports.nic.id}" if ports is not None and ports.nic else "none"
