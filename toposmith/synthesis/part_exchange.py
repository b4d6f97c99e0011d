"""Parts exchanged for others: which devices and links change, and a cluster with some of each.

A cluster that has exchanged some of its parts is an ordinary design: an axis along which they are
exchanged is divided in two, and so are the groups that repeat over it. What is exchanged stands in
groups of their own, with the links that it has in the later design.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toposmith.catalog import Catalog
from toposmith.design.document import Design, Group, Link
from toposmith.design.selectors import Selection, axis_size, group_axes, parse_selector
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings

_OF_THE_WHOLE: Mapping[str, object] = {
    "sets": {},
    "jobs": (),
    "placement": None,
    "waivers": (),
    "view": None,
    "pins": None,
}
"""What a design says of its devices that one with some of each could not."""


def ends_of_link(link: Link) -> frozenset[str]:
    """The groups that a link joins."""
    return frozenset(end.partition(".")[0] for end in link.between)


def same_shape(old: Design, new: Design) -> bool:
    """Whether two designs have the same groups on the same axes, joined by one link each."""

    def shape(of: Design) -> object:
        groups = {name: (group.per, group.count) for name, group in of.groups.items()}
        used = {axis for per, _ in groups.values() for axis in per}
        return groups, {axis: size for axis, size in of.axes.items() if axis in used}

    ends = [[ends_of_link(link) for link in of.links] for of in (old, new)]
    paired = all(len(set(each)) == len(each) for each in ends) and set(ends[0]) == set(ends[1])
    plain = not any(link.along for of in (old, new) for link in of.links)
    alike = old.absent == new.absent and not old.cables and not new.cables
    return shape(old) == shape(new) and paired and plain and alike


def with_parts_of(design: Design, other: Design) -> Design:
    """A design with the parts that groups of the same name have in another, and NICs."""
    groups, changed = {}, set()
    for name, group in design.groups.items():
        there = other.groups.get(name)
        if there is not None and (there.part, there.nics) != (group.part, group.nics):
            group = group.model_copy(update={"part": there.part, "nics": there.nics})
            changed.add(name)
        groups[name] = group
    theirs = {ends_of_link(link): link for link in other.links}
    links = []
    for link in design.links:
        there_link = theirs.get(ends_of_link(link))
        if there_link is not None and ends_of_link(link) & changed:
            link = link.model_copy(
                update={"between": there_link.between, "speed": there_link.speed}
            )
        links.append(link)
    return design.model_copy(update={"groups": groups, "links": tuple(links)})


def sound_plan(design: Design, catalog: Catalog) -> Plan | None:
    """The planned design; None where it has an error."""
    plan = plan_design(design, catalog)
    found = (*plan.findings, *port_findings(plan))
    return None if any(one.severity == "error" for one in found) else plan


@dataclass(frozen=True)
class PartiallyExchanged:
    """A design of which some devices are exchanged.

    Parameters
    ----------
    design : Design
        The design.
    links : tuple of int
        For each of its links the one of the whole design that it is a part of.
    later : mapping of str to str
        What groups with devices that are exchanged are called here.
    """

    design: Design
    links: tuple[int, ...]
    later: Mapping[str, str]


@dataclass(frozen=True)
class PartSwap:
    """What is exchanged between two designs of one shape.

    Parameters
    ----------
    before, after : EvaluatedDesign
        The designs, with their links in one order.
    groups : tuple of str
        Groups whose devices are exchanged.
    links : tuple of int
        Links whose cables are exchanged, while the devices at their ends stay.
    renewed : frozenset of int
        Those of them whose cables are of another kind then.
    """

    before: EvaluatedDesign
    after: EvaluatedDesign
    groups: tuple[str, ...]
    links: tuple[int, ...] = ()
    renewed: frozenset[int] = frozenset()

    @property
    def axes(self) -> tuple[str, ...]:
        """Axes along which it can be done, the outermost first."""
        design = self.before.design
        ways = [group_axes(design, name) for name in self.groups]
        for index in self.links:
            ends = [end.partition(".")[0] for end in design.links[index].between]
            ways.append(tuple(axis for name in ends for axis in group_axes(design, name)))
        common = [axis for axis in ways[0] if all(axis in way for way in ways)]
        return tuple(axis for axis in dict.fromkeys(common) if axis_size(design, axis) > 1)

    def hosts_on(self, axis: str) -> tuple[str, ...]:
        """Groups of nodes and storage along an axis that are not exchanged themselves."""
        plan = self.before.plan
        return tuple(
            name
            for name, group in plan.groups.items()
            if group.host is not None and axis in group.axes and name not in self.groups
        )

    @cached_property
    def touched(self) -> dict[int, bool]:
        """Links whose cables are unplugged, and whether the same are plugged in again."""
        found = {}
        for index in range(len(self.before.design.links)):
            if self._is_touched(index):
                found[index] = (
                    index not in self.renewed
                    if index in self.links
                    else cables_of(self.before, index) == cables_of(self.after, index)
                )
        return found

    def _is_touched(self, index: int) -> bool:
        if index in self.links or not _same_entry(self.before.design, self.after.design, index):
            return True
        plans = (self.before.plan, self.after.plan)
        for end in plans[0].link(index).ends:
            one, other = (plan.groups[end.group] for plan in plans)
            if one.part is not other.part:
                return True
            if end.group in self.groups and _nics(one, end.ports) != _nics(other, end.ports):
                return True
        return False

    def partial(self, axis: str | None, done: int, out: int = 0, also: Sequence[str] = ()) -> (
        PartiallyExchanged
    ):  # fmt: skip
        """The cluster with the first values on an axis exchanged, and some after these out.

        Parameters
        ----------
        axis : str or None
            The axis; None where all is exchanged at once.
        done : int
            How many values on it are exchanged.
        out : int
            How many more stop, with their devices taken out.
        also : sequence of str
            Groups whose devices there stop, too.
        """
        before = self.before.design
        size = axis_size(before, axis) if axis is not None else 1
        if done == size:
            whole = dict.fromkeys(self.groups, "")
            return PartiallyExchanged(
                self.after.design,
                tuple(range(len(before.links))),
                {name: name for name in whole},
            )
        zones = _Zones(self, axis, done, size)
        absent = [text for each in before.absent for text in zones.selectors(each)]
        if out:
            span = "" if axis is None else f"[{axis}=0..{out - 1}]"
            absent += [f"{name}{span}" for name in dict.fromkeys((*self.groups, *also))]
            for index in self.links:
                low, high = (end.partition(".")[0] for end in before.links[index].between)
                if axis is not None and axis not in group_axes(before, low):
                    low, high = high, low
                absent.append(f"{low}{span} - {high}")
        links = list(zones.links())
        design = before.model_copy(
            update={
                **_OF_THE_WHOLE,
                "axes": zones.axes,
                "groups": zones.groups,
                "links": tuple(link for _, link in links),
                "absent": tuple(dict.fromkeys(absent)),
            }
        )
        return PartiallyExchanged(design, tuple(index for index, _ in links), zones.later)


def _nics(group: GroupPlan, ports: str) -> object:
    held = group.port_groups.get(ports)
    return None if held is None else (held.nic, held.nics)


def _same_entry(before: Design, after: Design, index: int) -> bool:
    one, other = before.links[index], after.links[index]
    return (one.between, one.cables, one.speed) == (other.between, other.cables, other.speed)


def cables_of(of: EvaluatedDesign, index: int) -> tuple[int, frozenset[str]]:
    """How fast the cables of a link run, Gb/s, and which parts they are; fewer where unknown."""
    link = of.plan.link(index)
    runs = [one.runs for one in of.bill.links if one.link == link.label]
    return link.speed_gbit, frozenset(run.part for each in runs for run in each if run.part)


class _Zones:
    """A design with an axis divided: its first values as exchanged, the others as before."""

    def __init__(self, exchange: PartSwap, axis: str | None, done: int, size: int) -> None:
        self._exchange = exchange
        self._before, self._after = exchange.before.design, exchange.after.design
        self._axis, self._done, self._size = axis, done, size
        members = [
            name
            for name in self._before.groups
            if axis is not None and axis in group_axes(self._before, name)
        ]
        taken = {*self._before.axes, *self._before.groups}
        self.later = {name: _free(f"{name}_later", taken) for name in members} if done else {}
        self._members = set(members)
        self._later_axis = "" if axis is None else self.later.get(axis) or _free(
            f"{axis}_later", taken | set(self.later.values())
        )  # fmt: skip
        self.axes = dict(self._before.axes)
        if axis in self.axes and done:
            self.axes[axis] = size - done
            self.axes[self._later_axis] = done
        self.groups = self._divided_groups()

    def _divided_groups(self) -> dict[str, Group]:
        found: dict[str, Group] = {}
        for name, group in self._before.groups.items():
            if name not in self.later:
                found[name] = group
                continue
            exchanged = self._after.groups[name]
            if name == self._axis:
                found[self.later[name]] = exchanged.model_copy(update={"count": self._done})
                group = group.model_copy(update={"count": self._size - self._done})
            else:
                per = tuple(self._later_axis if one == self._axis else one for one in group.per)
                found[self.later[name]] = exchanged.model_copy(update={"per": per})
            found[name] = group
        return found

    def links(self) -> Iterator[tuple[int, Link]]:
        """Links with the place of the one that each is a part of."""
        for index, link in enumerate(self._before.links):
            if not self.later or not ends_of_link(link) & self._members:
                yield index, link
                continue
            yield index, self._link(self._exchange.after, index, self.later)
            yield index, self._link(self._exchange.before, index, {})

    def _link(self, of: EvaluatedDesign, index: int, names: Mapping[str, str]) -> Link:
        link = of.design.links[index]
        between, dealt = [], False
        for end in link.between:
            group, dot, ports = end.partition(".")
            between.append(f"{names.get(group, group)}{dot}{ports}")
            host = of.plan.groups[group].host is not None
            dealt |= host and group not in self._members
        cables = of.plan.link(index).cables_per_pair if dealt else link.cables
        return link.model_copy(update={"between": tuple(between), "cables": cables})

    def selectors(self, text: str) -> Iterator[str]:
        """A selector of the design before as ones of this design."""
        selector = parse_selector(text, self._before)
        ends = [end for end in (selector.first, selector.second) if end is not None]
        some = f"{selector.cables} of " if selector.cables else ""
        for later in (True, False) if self.later else (False,):
            words = [self._end(end, later=later) for end in ends]
            if all(words):
                yield some + " - ".join(word for word in words if word)
            if not any(end.group in self._members for end in ends):
                break

    def _end(self, end: Selection, *, later: bool) -> str | None:
        """One end in one of the two parts; None where it names nothing there."""
        said = {axis: (low, high) for axis, low, high in end.ranges}
        name, ranges, names = end.group, list[str](), dict[str, str]()
        if self.later and name in self._members:
            assert self._axis is not None
            low, high = said.get(self._axis, (0, self._size - 1))
            if later:
                name, axis, high = self.later[name], self._later_axis, min(high, self._done - 1)
            else:
                axis, low, high = self._axis, max(low, self._done) - self._done, high - self._done
            if low > high:
                return None
            said[self._axis] = (low, high)
            names = {self._axis: axis}
        for each in group_axes(self._before, end.group):
            if each in said:
                low, high = said[each]
                span = f"{low}" if low == high else f"{low}..{high}"
                ranges.append(f"{names.get(each, each)}={span}")
        inside = ",".join(ranges)
        port = f"[{end.port}]" if end.port is not None else ""
        return f"{name}[{inside}]" + (f".{end.ports}{port}" if end.ports else "")


def _free(name: str, taken: set[str]) -> str:
    number, found = 2, name
    while found in taken:
        found = f"{name}_{number}"
        number += 1
    return found
