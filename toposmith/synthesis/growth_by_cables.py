"""Steps of growth where parts stay: devices placed, cables moved tier by tier, nodes joining.

Cables are moved in an order that keeps a floor, where one does: at all lower switches together, to
some of the upper ones after the other, or at some lower switches after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from toposmith.cancellation import Stopped
from toposmith.catalog import Node
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import device_counts
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.growth_cabling import cabled_design
from toposmith.synthesis.growth_moves import MOST_PARTS, Batch, LinkCables, in_order
from toposmith.synthesis.growth_states import (
    CabledPairs,
    DeviceRange,
    GrowthFrame,
    TierLink,
    common,
    every,
)
from toposmith.synthesis.growth_step import (
    FiguresOnTheWay,
    GrowthFigures,
    GrowthStep,
    gpus_of,
)
from toposmith.text import counted, joined

ALIKE = 1.01
"""Orders whose lowest figures are this near are equal: the one with fewer steps is taken."""


@dataclass
class CableSteps:
    """The steps between two designs whose devices can be matched one by one.

    Parameters
    ----------
    old, new : EvaluatedDesign
        The designs.
    figures : FiguresOnTheWay
        The figures that are to be kept.
    """

    old: EvaluatedDesign
    new: EvaluatedDesign
    figures: FiguresOnTheWay

    def __post_init__(self) -> None:
        self.frame = GrowthFrame(self.old.planned, self.new.planned)

    def steps(self) -> Iterator[GrowthStep]:
        """All steps, in order."""
        frame = self.frame
        self._absent = frame.absent_of(self.old.design)
        self._gone = self._gone_hosts("old")
        self._joined = self._bare = False
        self._cells = [cell for link in frame.links for cell in LinkCables(frame, link).before()]
        yield from self._placed()
        yield from self._leaving()
        yield from self._unplugged()
        self._bare = True
        for link in in_order(frame):
            if LinkCables(frame, link).regions:
                yield from self._moved(link)
            yield from self._connected(link)
        yield from self._joining()
        yield from self._removed()

    def _step(self, words: str, **more: object) -> GrowthStep:
        state = self._state()
        planned = PlannedDesign.of(state, self.new.catalog)
        figures = self.figures.of(state)
        made = partial(
            self._design,
            tuple(self._cells),
            self._absent,
            tuple(self._gone),
            joined=self._joined,
            bare=self._bare,
        )
        return GrowthStep(words, gpus_of(planned), figures, made, **more)  # type: ignore[arg-type]

    def _state(self) -> Design:
        gone = (*self._absent, *(box.text for box in self._gone))
        return self.frame.state(self._cells, gone)

    def _design(
        self,
        cells: tuple[tuple[TierLink, CabledPairs], ...],
        absent: tuple[str, ...],
        gone: tuple[DeviceRange, ...],
        *,
        joined: bool,
        bare: bool,
    ) -> Design | None:
        """A state as a design that can be opened."""
        if not joined:
            return cabled_design(self.frame, cells, absent, gone, self.new.catalog, unplugged=bare)
        new = self.new.design
        gone_there = (*absent, *(box.text for box in gone))
        return new.model_copy(update={"absent": self.frame.within(gone_there, new)})

    def _gone_hosts(self, present: str) -> list[DeviceRange]:
        """Nodes that are not there while those of one design, or those of both, are."""
        gone = []
        for name in self.frame.hosts:
            a, b = self.frame.sides(name)
            kept = {"old": a, "both": common(a, b), "new": b}[present]
            gone += self.frame.whole(name).without(kept)
        return gone

    def _placed(self) -> Iterator[GrowthStep]:
        words, groups = [], set()
        before, after = device_counts(self.old.plan), device_counts(self.new.plan)
        for name, many in after.items():
            if many > before.get(name, 0):
                words.append(counted(many - before.get(name, 0), name))
                groups.add(name)
        if words:
            yield self._step(
                f"place and power {joined(words)}, without any cable", groups=frozenset(groups)
            )

    def _leaving(self) -> Iterator[GrowthStep]:
        """Nodes that the later design lacks leave first."""
        leaving = []
        for name in self.frame.hosts:
            a, b = self.frame.sides(name)
            if a is not None and a.without(common(a, b)):
                leaving.append(name)
        if not leaving:
            return
        before = {name: self._devices(name) for name in leaving}
        self._gone = self._gone_hosts("both")
        many = {name: before[name] - self._devices(name) for name in leaving}
        yield self._step(
            f"take out {joined(counted(count, name) for name, count in many.items())}",
            unplugged=sum(count * _cables_of(self.old, name) for name, count in many.items()),
            groups=frozenset(leaving),
        )

    def _devices(self, name: str) -> int:
        """Devices of a group that are there now."""
        return device_counts(PlannedDesign.of(self._state(), self.new.catalog).plan)[name]

    # Cables between switches

    def _moved(self, link: TierLink) -> Iterator[GrowthStep]:
        best: tuple[float, list[GrowthStep]] | None = None
        cables = LinkCables(self.frame, link)
        for batches in cables.orders():
            try:
                steps = self._steps_of(cables, batches, self._better_than(best))
            except Stopped:
                if best is not None:
                    yield from best[1]
                raise
            if steps is None:
                continue
            best = min(self.figures.worth(step.lowest) for step in steps), steps
            if self.figures.floor and best[0] >= 1.0:
                break
        assert best is not None
        kept = [(one, cell) for one, cell in self._cells if one != link]
        self._cells = kept + cables.while_moving(None, set(), out=None)
        yield from best[1]

    def _better_than(self, best: tuple[float, list[GrowthStep]] | None) -> float:
        """What another order has to be worth: with a floor, any more; else enough to be felt."""
        if best is None:
            return -1.0
        return best[0] * (1 + 1e-6 if self.figures.floor else ALIKE)

    def _steps_of(
        self, cables: LinkCables, batches: list[Batch], more_than: float
    ) -> list[GrowthStep] | None:
        """The steps of an order; None as soon as one of them is worth no more than so much."""
        kept, steps = self._cells, list[GrowthStep]()
        others = [(one, cell) for one, cell in kept if one != cables.link]
        for at, batch in enumerate(batches):
            self._cells = others + cables.while_moving(batches, set(range(at)), out=at)
            meanwhile = self.figures.of(self._state())
            self._cells = others + cables.while_moving(batches, set(range(at + 1)), out=None)
            steps.append(self._moving_step(cables.link, batch, meanwhile))
            if self.figures.worth(steps[-1].lowest) <= more_than:
                self._cells = kept
                return None
        self._cells = kept
        return steps

    def _moving_step(self, link: TierLink, batch: Batch, meanwhile: GrowthFigures) -> GrowthStep:
        lost = sum(max(0, x - y) * link.pairs(batch.low, box) for box, x, y in batch.cells)
        gained = sum(max(0, y - x) * link.pairs(batch.low, box) for box, x, y in batch.cells)
        moved = min(lost, gained)
        several = any(dict(box.ranges)[box.group] != (0, 0) for box, _, _ in batch.cells)
        source = " and ".join(_named(box, numbered=several) for box, x, y in batch.cells if x > y)
        target = " and ".join(_named(box, numbered=several) for box, x, y in batch.cells if y > x)
        words = []
        where = f" at {_named(batch.low)}"
        if moved:
            words.append(f"move {counted(moved, 'connection')} from {source} to {target}{where}")
        if gained > moved:
            more = counted(gained - moved, "connection")
            words.append(f"connect {more} to {target}{'' if moved else where}")
        if lost > moved:
            less = counted(lost - moved, "connection")
            words.append(f"take out {less} to {source}{'' if moved else where}")
        return self._step(
            "; ".join(words),
            moved=moved,
            connected=gained - moved,
            unplugged=lost - moved,
            meanwhile=meanwhile,
            groups=frozenset({link.low, link.high}),
        )

    # New switches, new nodes, and what is taken out

    def _connected(self, link: TierLink) -> Iterator[GrowthStep]:
        """Cables of switches that are new at the lower end of a link."""
        a, b = self.frame.sides(link.low)
        _, above = self.frame.sides(link.high)
        new = b.without(common(a, b)) if b is not None and above is not None else []
        cables = sum(link.after * link.pairs(box, high) for box in new for high in every(above))
        if not cables:
            return
        self._cells = [(one, cell) for one, cell in self._cells if one != link]
        self._cells += LinkCables(self.frame, link).after()
        many = counted(sum(box.devices for box in new), f"new {link.low}")
        yield self._step(
            f"connect {many} to {link.high} ({counted(cables, 'connection')})",
            connected=cables,
            groups=frozenset({link.low, link.high}),
        )

    def _joining(self) -> Iterator[GrowthStep]:
        """New nodes, by the outermost axis along which there are more of them."""
        absent = tuple(
            dict.fromkeys(
                (*self.frame.absent_of(self.old.design), *self.frame.absent_of(self.new.design))
            )
        )
        last = gpus_of(PlannedDesign.of(self._state(), self.new.catalog))
        joins: list[tuple[str, DeviceRange]] = []
        for name in self.frame.hosts:
            a, b = self.frame.sides(name)
            for slab in b.without(common(a, b)) if b is not None else []:
                axis = next(
                    axis
                    for axis, (low, high) in slab.ranges
                    if a is None or (low, high) != a.on(axis)
                )
                low, high = slab.on(axis)
                many = min(high - low + 1, MOST_PARTS // 2)
                joins += [(name, box) for box in every(*slab.parts(axis, many))]
        for at, (name, box) in enumerate(joins):
            self._absent = absent
            self._gone = [*self._gone_hosts("new"), *(one for _, one in joins[at + 1 :])]
            self._joined = True
            cables = _cables_of(self.new, name)
            step = self._step("", groups=frozenset({name}))
            more = step.gpus - last
            each = self.new.plan.groups[name].part
            nodes = more // each.gpus if isinstance(each, Node) and each.gpus else box.devices
            last = step.gpus
            words = (
                f"connect {counted(nodes, name)}{',' if nodes == box.devices else ' of'} {box.text}"
            )
            if more:
                words += f": {counted(more, 'GPU', 'join')}"
            yield replace(step, words=words, connected=nodes * cables)
        last_gpus = gpus_of(self.new.planned)
        if set(self._absent) != set(self.frame.absent_of(self.new.design)):
            self._absent, self._gone = (
                self.frame.absent_of(self.new.design),
                self._gone_hosts("new"),
            )
            self._joined = True
            yield from self._filled(last, last_gpus)

    def _filled(self, before: int, after: int) -> Iterator[GrowthStep]:
        """Node slots that were empty and are no more."""
        if after != before:
            words = (
                f"nodes that were absent are there: {counted(after - before, 'GPU', 'join')}"
                if after > before
                else f"nodes become absent: {counted(before - after, 'GPU', 'leave')}"
            )
            name = next(name for name in self.frame.hosts if name in self.new.plan.groups)
            part = self.new.plan.groups[name].part
            nodes = (after - before) // part.gpus if isinstance(part, Node) and part.gpus else 0
            cables = nodes * _cables_of(self.new, name)
            yield self._step(
                words,
                connected=max(0, cables),
                unplugged=max(0, -cables),
                groups=frozenset(self.frame.hosts),
            )

    def _unplugged(self) -> Iterator[GrowthStep]:
        """Switches that the later design lacks at the lower end of a link, with their cables."""
        total, words, groups = 0, [], set()
        for link in self.frame.links:
            a, b = self.frame.sides(link.low)
            above, _ = self.frame.sides(link.high)
            gone = a.without(common(a, b)) if a is not None else []
            cables = sum(
                link.before * link.pairs(box, high) for box in gone for high in every(above)
            )
            if not cables:
                continue
            total += cables
            words.append(
                f"unplug {counted(sum(box.devices for box in gone), link.low)} from {link.high} "
                f"({counted(cables, 'connection')})"
            )
            groups |= {link.low, link.high}
            whole = self.frame.whole(link.high)
            kept = [
                (one, cell)
                for one, cell in self._cells
                if one != link or not any(common(cell.low, box) for box in gone)
            ]
            both = common(a, b)
            kept += [(link, CabledPairs(box, whole, 0)) for box in gone]
            for low in every(both):
                kept += [(link, CabledPairs(low, high, link.before)) for high in every(above)]
                kept += [(link, CabledPairs(low, high, 0)) for high in whole.without(above)]
            self._cells = kept
        if words:
            yield self._step("; ".join(words), unplugged=total, groups=frozenset(groups))

    def _removed(self) -> Iterator[GrowthStep]:
        """Switches without cables are taken out last."""
        before, after = device_counts(self.old.plan), device_counts(self.new.plan)
        gone = {
            name: many - after.get(name, 0)
            for name, many in before.items()
            if name not in self.frame.hosts and many > after.get(name, 0)
        }
        if gone:
            words = joined(counted(many, name) for name, many in gone.items())
            self._joined = True
            yield self._step(f"take out {words}, which have no cables", groups=frozenset(gone))


def _cables_of(of: EvaluatedDesign, host: str) -> int:
    """Cables of one node."""
    return sum(link.cables_at(host) for link in of.plan.links_of(host))


def _named(box: DeviceRange, *, numbered: bool = False) -> str:
    """``spine 0..3``, ``leaf (su 1)``: devices for a person."""
    axes = dict(box.ranges)
    own = axes.pop(box.group)
    words = f"{box.group} {_range(own)}" if numbered or own != (0, 0) else box.group
    rest = ", ".join(f"{axis} {_range(span)}" for axis, span in axes.items())
    return f"{words} ({rest})" if rest else words


def _range(span: tuple[int, int]) -> str:
    return f"{span[0]}" if span[0] == span[1] else f"{span[0]}..{span[1]}"
