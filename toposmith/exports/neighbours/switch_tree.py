"""The compute network as a tree of node proximity, for programs that support only trees.

A rail-optimised node hangs on several leaves, so that no leaf is its parent. The switches of one
tier that share nodes, or share what is below them, are one unit here: the leaves of a pod, the
spines above it, and so on up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from networkx.utils import UnionFind

from toposmith.analysis.switch_tiers import tier_name
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.fabric.plan import Plan
from toposmith.racks.connections import connections, coordinates, missing
from toposmith.racks.locked_devices import device_names

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
