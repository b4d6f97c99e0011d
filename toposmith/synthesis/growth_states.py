"""A cluster on its way from one design to another: which cables are plugged in where.

Both designs are written into one frame that has all devices of both, every pair with as many cables
as it ever has; a state takes away what is not plugged in then. So every state is an ordinary design
and is analysed like one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from math import prod

from toposmith.design.document import Design, Group, Link
from toposmith.design.selectors import axis_size, group_axes, parse_selector
from toposmith.fabric.plan import LinkPlan
from toposmith.planned_design import PlannedDesign

ValueRange = tuple[int, int]
"""First and last value on an axis."""


@dataclass(frozen=True)
class DeviceRange:
    """Devices of one group: those whose values lie in a range on every axis.

    Parameters
    ----------
    group : str
        The group.
    ranges : tuple of (str, (int, int))
        Every axis of the group with the first and the last value.
    """

    group: str
    ranges: tuple[tuple[str, ValueRange], ...]

    @property
    def devices(self) -> int:
        """How many there are."""
        return prod(high - low + 1 for _, (low, high) in self.ranges)

    @property
    def text(self) -> str:
        """As a selector: ``leaf[su=0..1,rail=0..7]``."""
        words = (f"{axis}={_span(low, high)}" for axis, (low, high) in self.ranges)
        return f"{self.group}[{','.join(words)}]"

    def on(self, axis: str) -> ValueRange:
        """The range on an axis."""
        return dict(self.ranges)[axis]

    def cut(self, axis: str, low: int, high: int) -> DeviceRange:
        """The same on a part of one axis."""
        ranges = ((name, (low, high) if name == axis else span) for name, span in self.ranges)
        return replace(self, ranges=tuple(ranges))

    def parts(self, axis: str, many: int) -> list[DeviceRange | None]:
        """As many parts of about one size along an axis; None for one without devices."""
        low, high = self.on(axis)
        ends = [low + at * (high - low + 1) // many for at in range(many + 1)]
        return [
            self.cut(axis, first, after - 1) if after > first else None
            for first, after in pairwise(ends)
        ]

    def without(self, other: DeviceRange | None) -> list[DeviceRange]:
        """The devices that another box of the group has not, in boxes that share none."""
        if other is None:
            return [self]
        rest, found = self, []
        for axis, (low, high) in self.ranges:
            first, last = other.on(axis)
            if low < first:
                found.append(rest.cut(axis, low, first - 1))
            if last < high:
                found.append(rest.cut(axis, last + 1, high))
            low, high = max(low, first), min(high, last)
            if low > high:
                return [self]
            rest = rest.cut(axis, low, high)
        return found


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low}..{high}"


def common(one: DeviceRange | None, other: DeviceRange | None) -> DeviceRange | None:
    """The devices that two boxes of a group share; None where they share none."""
    if one is None or other is None:
        return None
    ranges = []
    for axis, (low, high) in one.ranges:
        first, last = other.on(axis)
        low, high = max(low, first), min(high, last)
        if low > high:
            return None
        ranges.append((axis, (low, high)))
    return DeviceRange(one.group, tuple(ranges))


@dataclass(frozen=True)
class CabledPairs:
    """Pairs of devices with one number of cables: at the lower end, at the upper end."""

    low: DeviceRange
    high: DeviceRange
    cables: int


@dataclass(frozen=True)
class TierLink:
    """A link between two tiers of switches that one design has otherwise than the other.

    Parameters
    ----------
    index : int
        Its place among the links of the frame.
    label : str
        Its name.
    low, high : str
        The groups at its lower and upper end.
    shared : tuple of str
        Axes on which both ends agree.
    before, after : int
        Cables of each pair, in the earlier and the later design; 0 where it has none.
    most : int
        Cables of each pair in the frame.
    """

    index: int
    label: str
    low: str
    high: str
    shared: tuple[str, ...]
    before: int
    after: int

    @property
    def most(self) -> int:
        """Cables of each pair in the frame."""
        return max(self.before, self.after)

    def pairs(self, low: DeviceRange, high: DeviceRange) -> int:
        """Pairs of devices in two boxes that the link joins."""
        spans = dict(low.ranges)
        joined = 1
        for axis, (first, last) in high.ranges:
            if axis in self.shared:
                own = spans.pop(axis)
                joined *= max(0, min(last, own[1]) - max(first, own[0]) + 1)
            else:
                joined *= last - first + 1
        return joined * prod(last - first + 1 for first, last in spans.values())

    def cables(self, cells: Iterable[CabledPairs]) -> int:
        """Cables of some cells."""
        return sum(cell.cables * self.pairs(cell.low, cell.high) for cell in cells)


class GrowthFrame:
    """Two designs in one: every device of either, each matched with itself.

    Devices are matched by the name of their group and their values on its axes; an axis that one
    design lacks has the value 0 there.

    Attributes
    ----------
    problems : tuple of str
        Why the designs cannot be matched device by device; empty where they can.
    links : tuple of TierLink
        What changes between switches.
    """

    def __init__(self, old: PlannedDesign, new: PlannedDesign) -> None:
        self.old, self.new = old, new
        problems = list(_unmatched(old, new))
        self.links: tuple[TierLink, ...] = ()
        if not problems:
            self.design = _framed(old.design, new.design)
            self.links = tuple(self._tier_links(problems))
            self._refuse_moved_nodes(problems)
        self.problems = tuple(dict.fromkeys(problems))

    def box(self, group: str, of: Design) -> DeviceRange | None:
        """The devices of a group that a design has, in the frame; None where it has none."""
        if group not in of.groups:
            return None
        own = group_axes(of, group)
        return DeviceRange(
            group,
            tuple(
                (axis, (0, (axis_size(of, axis) if axis in own else 1) - 1))
                for axis in group_axes(self.design, group)
            ),
        )

    def sides(self, group: str) -> tuple[DeviceRange | None, DeviceRange | None]:
        """The devices of a group in the earlier design, and in the later one."""
        return self.box(group, self.old.design), self.box(group, self.new.design)

    def whole(self, group: str) -> DeviceRange:
        """All devices of a group in the frame."""
        axes = group_axes(self.design, group)
        return DeviceRange(
            group, tuple((axis, (0, axis_size(self.design, axis) - 1)) for axis in axes)
        )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Groups of nodes and storage, of either design."""
        return tuple(
            name
            for name in self.design.groups
            if any(
                name in planned.plan.groups and planned.plan.groups[name].host is not None
                for planned in (self.old, self.new)
            )
        )

    def state(self, cells: Sequence[tuple[TierLink, CabledPairs]], gone: Iterable[str]) -> Design:
        """The design with so many cables of each pair, without what some selectors name."""
        absent = list(gone)
        for link, cell in cells:
            if link.pairs(cell.low, cell.high) and (less := link.most - cell.cables):
                pair = f"{cell.low.text} - {cell.high.text}"
                absent.append(pair if not cell.cables else f"{less} of {pair}")
        return self.design.model_copy(update={"absent": tuple(absent)})

    def within(self, selectors: Iterable[str], design: Design) -> tuple[str, ...]:
        """Selectors of the frame as one of its designs can say them; without what it has not."""
        found = []
        for text in selectors:
            selector = parse_selector(text, self.design)
            words = []
            for end in (selector.first, selector.second):
                if end is None:
                    continue
                if end.group not in design.groups:
                    break
                own = group_axes(design, end.group)
                ranges = []
                for axis, low, high in end.ranges:
                    last = axis_size(design, axis) - 1 if axis in own else 0
                    if low > last:
                        break
                    if axis in own:
                        ranges.append(f"{axis}={_span(low, min(high, last))}")
                else:
                    port = f"[{end.port}]" if end.port is not None else ""
                    ports = f".{end.ports}{port}" if end.ports else ""
                    words.append(f"{end.group}[{','.join(ranges)}]{ports}")
                    continue
                break
            else:
                some = f"{selector.cables} of " if selector.cables else ""
                found.append(some + " - ".join(words))
        return tuple(dict.fromkeys(found))

    def absent_of(self, side: Design) -> tuple[str, ...]:
        """What a design leaves out, in the words of the frame."""
        found = []
        for text in side.absent:
            selector = parse_selector(text, side)
            ends = [selector.first, *([selector.second] if selector.second else [])]
            words = []
            for end in ends:
                box = self.box(end.group, side)
                assert box is not None
                for axis, low, high in end.ranges:
                    box = box.cut(axis, low, high)
                port = f"[{end.port}]" if end.port is not None else ""
                words.append(box.text + (f".{end.ports}{port}" if end.ports else ""))
            some = f"{selector.cables} of " if selector.cables else ""
            found.append(some + " - ".join(words))
        return tuple(found)

    def _tier_links(self, problems: list[str]) -> Iterator[TierLink]:
        sides = [_by_ends(self.old), _by_ends(self.new)]
        heights = self.old.heights | self.new.heights
        for index, link in enumerate(self.design.links):
            ends = tuple(end.partition(".")[0] for end in link.between)
            found = [side.get(frozenset(ends)) for side in sides]
            if any(name in self.hosts for name in ends):
                continue
            counts = [one.cables_per_pair if one is not None else 0 for one in found]
            if all(found) and len({one.speed_gbit for one in found if one}) > 1:
                problems.append(f"{' - '.join(ends)} runs another speed")
            low, high = sorted(ends, key=lambda name: heights.get(name, 0))
            shared = tuple(
                axis for axis in self.design.groups[low].per if axis in self.design.groups[high].per
            )
            made = TierLink(index, f"{low} - {high}", low, high, shared, counts[0], counts[1])
            for planned, one in zip((self.old, self.new), found, strict=True):
                if one is not None and not _pairs_kept(planned.design, one, made):
                    problems.append(f"{made.label} joins other devices")
            yield made

    def _refuse_moved_nodes(self, problems: list[str]) -> None:
        """Nodes keep the ports that they have: where these are dealt otherwise nothing is moved."""
        sides = [_by_ends(self.old), _by_ends(self.new)]
        for ends in dict.fromkeys((*sides[0], *sides[1])):
            if not any(name in self.hosts for name in ends):
                continue
            found = [side.get(ends) for side in sides]
            if found[0] is None or found[1] is None:
                for name in ends & set(self.hosts):
                    if all(name in p.design.groups for p in (self.old, self.new)):
                        problems.append(f"{name} is wired to other switches")
                continue
            for one, planned in zip(found, (self.old, self.new), strict=True):
                assert one is not None
                switch = next((name for name in ends if name not in self.hosts), None)
                if switch is None:
                    continue
                box, whole = self.box(switch, planned.design), self.whole(switch)
                host = next(name for name in ends if name in self.hosts)
                shared = self.design.groups[host].per
                assert box is not None
                if any(box.on(a) != whole.on(a) for a, _ in whole.ranges if a not in shared):
                    problems.append(f"the ports of {host} go to more {switch}, or fewer")
            first, second = found
            assert first is not None
            assert second is not None
            if (first.cables_per_pair, first.speed_gbit) != (
                second.cables_per_pair,
                second.speed_gbit,
            ):
                problems.append(f"{first.label} has other cables, or another speed")


def _by_ends(planned: PlannedDesign) -> dict[frozenset[str], LinkPlan]:
    return {frozenset((link.a.group, link.b.group)): link for link in planned.plan.links}


def _unmatched(old: PlannedDesign, new: PlannedDesign) -> Iterator[str]:
    """Why two designs cannot be matched device by device."""
    for planned in (old, new):
        design = planned.design
        if design.cables:
            yield "single cables are listed"
        if any(link.along for link in design.links):
            yield "links along an axis are not planned in steps"
        elif len(planned.plan.links) < len(design.links):
            yield "a link cannot be built"
        elif len(_by_ends(planned)) < len(design.links):
            yield "two groups are joined by several links"
    for name, group in old.design.groups.items():
        other = new.design.groups.get(name)
        if other is None:
            continue
        if group.part != other.part:
            yield f"{name} is another part ({group.part}, then {other.part})"
        if group.nics != other.nics:
            yield f"{name} has other NICs"
        if not (set(group.per) <= set(other.per) or set(other.per) <= set(group.per)):
            yield f"{name} repeats over other axes"


def _framed(old: Design, new: Design) -> Design:
    """All groups, axes and links of two designs, each as large as in either."""
    axes = {
        axis: max(old.axes.get(axis, 1), new.axes.get(axis, 1))
        for axis in dict.fromkeys((*new.axes, *old.axes))
    }
    groups: dict[str, Group] = {}
    for name in dict.fromkeys((*new.groups, *old.groups)):
        a, b = old.groups.get(name), new.groups.get(name)
        if a is None or b is None:
            only = b or a
            assert only is not None
            groups[name] = only
            continue
        per = b.per if set(a.per) <= set(b.per) else a.per
        groups[name] = b.model_copy(update={"per": per, "count": max(a.count, b.count)})
    links: dict[frozenset[str], Link] = {}
    for link in (*new.links, *old.links):
        ends = frozenset(end.partition(".")[0] for end in link.between)
        known = links.get(ends)
        if known is None:
            links[ends] = link
        elif known.cables is not None or link.cables is not None:
            most = max(known.cables or 1, link.cables or 1)
            links[ends] = known.model_copy(update={"cables": most})
    kept = {"axes": axes, "groups": groups, "links": tuple(links.values()), "view": None}
    kept |= {"absent": (), "down": (), "slow": {}, "sets": {}, "jobs": ()}
    kept |= {"placement": None, "waivers": ()}
    return new.model_copy(update=kept)


def _pairs_kept(design: Design, link: LinkPlan, made: TierLink) -> bool:
    """Whether the frame has all pairs of devices that a link joins in one of the designs."""
    for axis in made.shared:
        if axis in link.shared:
            continue
        sizes = [
            axis_size(design, axis)
            for name in (link.a.group, link.b.group)
            if axis in group_axes(design, name)
        ]
        if max(sizes, default=1) > 1:
            return False
    return True


def every(*boxes: DeviceRange | None) -> list[DeviceRange]:
    """The boxes that have devices."""
    return [box for box in boxes if box is not None]


def values_of(box: DeviceRange, axes: Sequence[str]) -> list[DeviceRange]:
    """A box of its own for every combination of values on some axes."""
    spans = [range(box.on(axis)[0], box.on(axis)[1] + 1) for axis in axes]
    found = []
    for values in product(*spans):
        cut = box
        for axis, value in zip(axes, values, strict=True):
            cut = cut.cut(axis, value, value)
        found.append(cut)
    return found
