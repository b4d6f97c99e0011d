"""A design device by device and cable by cable, for exports to other programs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from networkx.utils import UnionFind

from toposmith.analysis.switch_tiers import tier_name
from toposmith.catalog import Part
from toposmith.design.loader import listed, shown
from toposmith.errors import ExportError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Progress
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.racks.connections import absent_instances, connections, coordinates, missing
from toposmith.racks.locked_devices import device_names, locked_facts
from toposmith.racks.placement import NOWHERE, require_few


@dataclass(frozen=True)
class NameRule:
    """The names that a program accepts.

    Parameters
    ----------
    program : str
        The program.
    signs : str
        The characters that it accepts, as in brackets of a regular expression; each run of others
        becomes a hyphen.
    longest : int
        The most characters of a name.
    same_case : bool
        Whether names are case-insensitive.
    ends : str
        The signs that a name may begin and end with.
    lower : bool
        Whether it accepts lower case only; capitals are converted.
    """

    program: str
    signs: str = "A-Za-z0-9._-"
    longest: int = 64
    same_case: bool = False
    ends: str = "A-Za-z0-9"
    lower: bool = False

    def name(self, own: str) -> str:
        """A name as the program accepts it.

        Raises
        ------
        ExportError
            Where it is too long, or none of its characters is accepted.
        """
        bare = re.sub(f"[^{self.signs}]+", "-", own.lower() if self.lower else own)
        bare = re.sub(f"^[^{self.ends}]+|[^{self.ends}]+$", "", bare)
        if not bare:
            raise ExportError(f"{self.program} takes no sign of the name {shown(own)}")
        if len(bare) > self.longest:
            raise ExportError(
                f"{self.program} takes names of {self.longest} signs, {shown(own)} has {len(bare)};"
                " a map of names (--names) shortens it"
            )
        return bare

    def title(self, text: str) -> str:
        """A free text as a name of its own: cut where it is too long, never refused."""
        try:
            return self.name(text[: self.longest])
        except ExportError:
            return "design"

    def applied(self, names: Iterable[str]) -> tuple[dict[str, str], str]:
        """The converted names, and a note about changes; empty where there are none.

        Raises
        ------
        ExportError
            As of one name, or where two become the same.
        """
        found: dict[str, str] = {}
        owner: dict[str, str] = {}
        for own in names:
            taken = found[own] = self.name(own)
            key = taken.lower() if self.same_case else taken
            other = owner.setdefault(key, own)
            if other != own:
                raise ExportError(
                    f"{shown(other)} and {shown(own)} are both {shown(taken)} to {self.program}; "
                    "a map of names (--names) tells them from each other"
                )
        changed = [f"{own} is {taken}" for own, taken in found.items() if own != taken]
        if not changed:
            return found, ""
        what = "name" if len(changed) == 1 else "names"
        return found, f"{len(changed):,} {what} changed for {self.program}: {listed(changed)}"


class InventoryDevice(NamedTuple):
    """A device that is there: its name, its group and number in it, its place, what is known.

    ``facts`` are those of its lock, such as its ``serial``.
    """

    name: str
    group: GroupPlan
    number: int
    rack: str | None
    unit: int | None
    facts: Mapping[str, str]

    @property
    def part(self) -> Part | None:
        """Its part, or None where the catalog has none."""
        return self.group.part

    @property
    def place(self) -> tuple[str, int]:
        """Its group, and its number in it."""
        return self.group.name, self.number

    @property
    def is_switch(self) -> bool:
        """Whether it is a switch."""
        return self.group.switch is not None

    @property
    def kind(self) -> str:
        """``node``, ``storage`` or ``switch``; ``unknown`` where the catalog lacks the part."""
        return self.group.part.kind if self.group.part else "unknown"


class DeviceInventory:
    """The devices and connections of a design; what is absent is in neither.

    Parameters
    ----------
    design : EvaluatedDesign
        The design; its map of names holds here too.
    progress : callable, optional
        Called with the rows of its cables done, and of all.
    group : str, optional
        The group of nodes that was asked for, for a form that shows one node.

    Attributes
    ----------
    lost : list of str
        What the format could not express, complete when all of it is written.
    """

    def __init__(
        self, design: EvaluatedDesign, progress: Progress | None = None, group: str | None = None
    ) -> None:
        self.design = design
        self.lost: list[str] = []
        self.progress, self.group = progress, group

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up."""
        return self.design.plan

    @property
    def name(self) -> str:
        """What the design is called."""
        return self.design.design.name or "design"

    def lose(self, words: str) -> None:
        """Note what the form does not carry."""
        if words not in self.lost:
            self.lost.append(words)

    @cached_property
    def devices(self) -> list[InventoryDevice]:
        """Every device, in the order of groups and numbers.

        Raises
        ------
        TooManyDevicesError
            Where there are too many to list.
        """
        require_few(self.plan)
        return list(self._devices())

    @property
    def compute_links(self) -> list[LinkPlan]:
        """The links of the compute network."""
        heights, slots = self.design.planned.heights, self.design.network.slots
        return [
            link
            for link in self.plan.every_link
            if all(
                end.group in heights and end.ports == slots.get(end.group, "")
                for end in (link.a, link.b)
            )
        ]

    def of_kind(self, *kinds: str) -> list[InventoryDevice]:
        """The devices of these kinds."""
        return [one for one in self.devices if one.kind in kinds]

    def _devices(self) -> Iterator[InventoryDevice]:
        absent, placement = absent_instances(self.plan), self.design.placement
        for name, group in self.plan.groups.items():
            named, facts = device_names(self.plan, name), locked_facts(self.plan, name)
            for number in range(group.instances):
                if number in absent[name]:
                    continue
                spot = placement.spot(name, number)
                stands = spot is not None and spot.rack != NOWHERE
                rack = placement.label(spot.rack) if spot and stands else None
                unit = spot.unit if spot and stands else None
                yield InventoryDevice(
                    named(number), group, number, rack, unit, facts.get(number, {})
                )

    def connections(self) -> Iterator[CableRow]:
        """Every connection once, in the order of the schedule; further fibres are left out."""
        rows = self.design.schedule.rows(self.progress)
        return (row for row in rows if row.fibre in (None, 1))

    def has_cables(self, protocol: str = "") -> bool:
        """Whether there is any cable, of one protocol or at all."""
        gone = missing(self.plan)
        return any(
            next(connections(self.plan, link, gone), None) is not None
            for link in self.plan.every_link
            if protocol in ("", link.protocol)
        )

    def renamed(self, rule: NameRule, names: Iterable[str]) -> dict[str, str]:
        """Names under a program's rule; changes are noted.

        Raises
        ------
        ExportError
            Where a name is too long, or two become one.
        """
        found, note = rule.applied(names)
        if note:
            self.lose(note)
        return found

    def device_names(self, rule: NameRule) -> dict[str, str]:
        """The names of all devices under a program's rule, as :meth:`renamed` gives them."""
        return self.renamed(rule, (one.name for one in self.devices))

    def names_by_place(self, rule: NameRule) -> dict[tuple[str, int], str]:
        """The same by the place of the device."""
        names = self.device_names(rule)
        return {one.place: names[one.name] for one in self.devices}


# The compute network as a tree of node proximity, for programs that support only trees.
#
# A rail-optimised node hangs on several leaves, so that no leaf is its parent. The switches of one
# tier that share nodes, or share what is below them, are one unit here: the leaves of a pod, the
# spines above it, and so on up.

TreeDevice = tuple[str, int]
"""A device: its group and its number in it."""


@dataclass
class Unit:
    """Switches of one tier that are one place to the nodes below.

    Parameters
    ----------
    height : int
        Its tier: 1 for leaves.
    switches : list of TreeDevice
        Its switches; none where units are joined by links inside a tier only.
    nodes : list of TreeDevice
        The nodes that hang on it, for leaves.
    below : list of Unit
        The units of the tier below, for all others.
    name : str
        Its name.
    """

    height: int
    switches: list[TreeDevice] = field(default_factory=list)
    nodes: list[TreeDevice] = field(default_factory=list)
    below: list[Unit] = field(default_factory=list)
    name: str = ""

    def every_node(self) -> Iterator[TreeDevice]:
        """All nodes under it."""
        yield from self.nodes
        for unit in self.below:
            yield from unit.every_node()

    def units(self) -> Iterator[Unit]:
        """Itself and every unit under it, from the top."""
        yield self
        for unit in self.below:
            yield from unit.units()


@dataclass(frozen=True)
class SwitchTree:
    """The units of a compute network.

    Parameters
    ----------
    roots : list of Unit
        One for each fabric; fabrics that share no node stand side by side.
    tiers : list of int
        Tiers that there are, from 1.
    loose : list of TreeDevice
        Nodes that no cable joins to a switch.
    """

    roots: list[Unit]
    tiers: list[int]
    loose: list[TreeDevice]


def switch_tree(cluster: DeviceInventory) -> SwitchTree:
    """The tree of a design's compute network.

    Raises
    ------
    ExportError
        Where there are no nodes with a switch, or where nodes share switches in a way that is no
        tree: one shares a leaf with two others that share none.
    """
    plan, heights = cluster.plan, cluster.design.planned.heights
    if cluster.design.network.along:
        cluster.lose("how switches are joined along an axis: a tree has them all equally near")
    pairs = list(_pairs(cluster, heights))
    nodes = [one.place for one in cluster.of_kind("node")]
    leaves_of: dict[TreeDevice, set[TreeDevice]] = defaultdict(set)
    for low, high, low_height, high_height in pairs:
        if low_height == 0 and high_height == 1:
            leaves_of[low].add(high)
    if not leaves_of:
        raise ExportError("no node has a cable to a switch; there is no tree to write")
    joined = UnionFind()
    for leaves in leaves_of.values():
        joined.union(*sorted(leaves))
    current = _leaf_units(joined, leaves_of, nodes)
    unit_of = {switch: unit for unit in current for switch in unit.switches}
    for unit in current:
        _require_tree(cluster, unit, leaves_of)
    for height in range(2, max(heights.values(), default=0) + 2):
        current = _next_units(height, current, unit_of, pairs)
    loose = [node for node in nodes if node not in leaves_of]
    _name(plan, current)
    tiers = {one.height for top in current for one in top.units()}
    return SwitchTree(current, sorted(tiers), loose)


def _pairs(
    cluster: DeviceInventory, heights: dict[str, int]
) -> Iterator[tuple[TreeDevice, TreeDevice, int, int]]:
    """Devices of the compute network that a cable joins, the lower one first, each pair once."""
    gone = missing(cluster.plan)
    for link in cluster.compute_links:
        low, high = heights[link.a.group], heights[link.b.group]
        names = (link.a.group, link.b.group)
        for a, b in dict.fromkeys((a, b) for a, b, _, _ in connections(cluster.plan, link, gone)):
            ends = ((names[0], a), (names[1], b))
            if low <= high:
                yield ends[0], ends[1], low, high
            else:
                yield ends[1], ends[0], high, low


def _leaf_units(
    joined: UnionFind, leaves_of: dict[TreeDevice, set[TreeDevice]], nodes: Iterable[TreeDevice]
) -> list[Unit]:
    units: dict[TreeDevice, Unit] = {}
    for leaf in joined:
        units.setdefault(joined[leaf], Unit(1)).switches.append(leaf)
    for node in nodes:
        if node in leaves_of:
            units[joined[min(leaves_of[node])]].nodes.append(node)
    return list(units.values())


def _next_units(
    height: int,
    current: list[Unit],
    unit_of: dict[TreeDevice, Unit],
    pairs: list[tuple[TreeDevice, TreeDevice, int, int]],
) -> list[Unit]:
    """The units of a tier above those found so far; one that joins nothing is left as it is."""
    place_of = {id(unit): place for place, unit in enumerate(current)}
    joined = UnionFind(range(len(current)))
    first: dict[TreeDevice, int] = {}
    for low, high, low_height, high_height in pairs:
        if low not in unit_of or place_of.get(id(unit_of[low])) is None:
            continue
        here = place_of[id(unit_of[low])]
        if high_height == height and low_height < height:
            joined.union(here, first.setdefault(high, here))
        elif low_height == high_height == height - 1 and high in unit_of:
            joined.union(here, place_of[id(unit_of[high])])
    members: dict[int, list[Unit]] = {}
    for place, unit in enumerate(current):
        members.setdefault(joined[place], []).append(unit)
    switches: dict[int, list[TreeDevice]] = defaultdict(list)
    for switch, place in first.items():
        switches[joined[place]].append(switch)
    found: list[Unit] = []
    for key, below in members.items():
        own = sorted(switches[key])
        unit = Unit(height, own, below=below) if len(below) > 1 or own else below[0]
        for one in unit.units():
            unit_of |= dict.fromkeys(one.switches, unit)
        found.append(unit)
    return found


def _require_tree(
    cluster: DeviceInventory, unit: Unit, leaves_of: dict[TreeDevice, set[TreeDevice]]
) -> None:
    kinds: dict[frozenset[TreeDevice], TreeDevice] = {}
    for node in unit.nodes:
        kinds.setdefault(frozenset(leaves_of[node]), node)
    held = list(kinds.items())
    for at, (leaves, node) in enumerate(held):
        for others, other in held[at + 1 :]:
            if not leaves & others:
                ends = (node, other)
                names = [device_names(cluster.plan, name)(number) for name, number in ends]
                raise ExportError(
                    f"{names[0]} and {names[1]} share no leaf, yet both share one with the same "
                    "third node; no tree says that"
                )


def _name(plan: Plan, roots: list[Unit]) -> None:
    """Name every unit by its switches: a single one by its own name, several by what they share."""
    taken: set[str] = set()
    for root in roots:
        for unit in root.units():
            name = wanted = _shared_name(plan, unit)
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}-{number}"
            taken.add(name)
            unit.name = name


def _shared_name(plan: Plan, unit: Unit) -> str:
    if len(unit.switches) == 1:
        ((group, number),) = unit.switches
        return device_names(plan, group)(number)
    groups = list(dict.fromkeys(group for group, _ in unit.switches))
    values: dict[str, set[int]] = defaultdict(set)
    held: dict[str, set[str]] = defaultdict(set)
    for name, number in unit.switches:
        plans = plan.groups[name]
        for axis, value in zip(plans.axes, coordinates(plans, number), strict=True):
            if axis in plan.design.axes:
                values[axis].add(value)
                held[axis].add(name)
    words = [groups[0] if len(groups) == 1 else tier_name(unit.height)]
    words += [
        f"{axis}{min(found)}"
        for axis, found in values.items()
        if len(found) == 1 and len(held[axis]) == len(groups) and plan.size(axis) > 1
    ]
    return "-".join(word.replace(" ", "") for word in words)
