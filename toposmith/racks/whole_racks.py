"""Racks that are sold whole: the trays of a design that make one, and its other contents.

The trays that a group has at one place of its ``per`` axes are one rack where so many are there as
the rack is sold with; a rack of fewer is none, however many trays there are in all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from toposmith.catalog import Catalog, RackSystem
from toposmith.catalog.part_power import RackManagement, rack_management, rack_system_of
from toposmith.catalog.pieces import RackContent
from toposmith.fabric.counts import device_counts
from toposmith.fabric.nvlink_domains import is_joined
from toposmith.fabric.plan import MANAGEMENT, GroupPlan, Plan
from toposmith.racks.connections import absent_instances, coordinates


@dataclass(frozen=True)
class SoldWhole:
    """The trays of a group, and the racks that they make.

    Parameters
    ----------
    system : RackSystem
        What the trays are sold in.
    firsts : tuple of int
        The first instance of every whole rack; the others follow it.
    begun : mapping of int to tuple of int
        The trays of every rack that lacks some, by its first instance.
    apart : int
        Trays that the design does not group by rack.
    switches : GroupPlan or None
        The NVLink switches of these racks, where the design draws them.
    switches_within : frozenset of int
        The instances of it that are in whole racks, and come with these.
    management : RackManagement or None
        The management ports in each whole rack, where the rack's own switches take them all.
    """

    system: RackSystem
    firsts: tuple[int, ...]
    begun: Mapping[int, tuple[int, ...]]
    apart: int = 0
    switches: GroupPlan | None = None
    switches_within: frozenset[int] = frozenset()
    management: RackManagement | None = None

    @property
    def racks(self) -> int:
        """How many racks are whole."""
        return len(self.firsts)

    @property
    def trays_left(self) -> int:
        """Trays that are in no whole rack."""
        return self.apart + sum(len(trays) for trays in self.begun.values())

    @property
    def power_known(self) -> bool:
        """Whether all trays are in whole racks of which the catalog has the power."""
        return self.system.power_w is not None and not self.trays_left

    @property
    def is_managed(self) -> bool:
        """Whether all trays are on management switches that their racks are sold with."""
        return self.management is not None and bool(self.racks) and not self.trays_left

    @property
    def left_words(self) -> str:
        """``17 of 18 trays in 1 rack``: what is left beside the whole racks."""
        of = self.system.nodes
        said = [
            f"{trays} of {of} trays in {racks:,} rack{'s' * (racks != 1)}"
            for trays, racks in sorted(Counter(map(len, self.begun.values())).items())
        ]
        if self.apart:
            said.append(f"{self.apart:,} trays that are not drawn rack by rack, {of} to each")
        return ", ".join(said)


@dataclass(frozen=True)
class StandingRack:
    """A rack of trays that are sold in whole ones, where it stands, and the boxes above the trays.

    ``boxes`` have their lowest U, their height and their name; a rack that lacks trays has none.
    ``switches`` is the group of the NVLink switches that are drawn in it, and how many.
    """

    group: str
    system: RackSystem
    whole: bool
    boxes: tuple[tuple[int, int, str], ...] = ()
    switches: tuple[str, int] | None = None


def sold_whole(plan: Plan, catalog: Catalog) -> dict[str, SoldWhole]:
    """The groups of trays that are sold in whole racks, by name."""
    found: dict[str, SoldWhole] = {}
    for name, group in plan.groups.items():
        system = rack_system_of(group.node.id, catalog) if group.node else None
        if system is not None:
            ports = rack_management(system, catalog)
            served = ports if ports.served and MANAGEMENT not in group.port_groups else None
            found[name] = replace(_of_group(plan, group, system), management=served)
    return found


def _of_group(plan: Plan, group: GroupPlan, system: RackSystem) -> SoldWhole:
    if not is_joined(group):
        return SoldWhole(system, (), {}, device_counts(plan)[group.name])
    count = group.sizes[-1]
    gone = absent_instances(plan)[group.name]
    lacking = Counter(number // count for number in gone)
    here = {rack: count - lacking[rack] for rack in range(group.instances // count)}
    switches = plan.groups[group.nvlink.switches] if group.nvlink else None
    drawn = _switches_by_rack(plan, group, switches) if switches else {}
    part = switches.part.id if switches and switches.part else None
    held = sum(one.count for one in system.contents if one.part == part)
    full = {
        rack
        for rack, trays in here.items()
        if trays == system.nodes and (switches is None or len(drawn.get(rack, ())) == held)
    }
    whole = tuple(rack * count for rack in here if rack in full)
    begun = {
        rack * count: tuple(n for n in range(rack * count, (rack + 1) * count) if n not in gone)
        for rack, trays in here.items()
        if trays and rack not in full
    }
    within = frozenset(number for rack in full for number in drawn.get(rack, ()))
    return SoldWhole(system, whole, begun, 0, switches, within)


def _switches_by_rack(
    plan: Plan, group: GroupPlan, switches: GroupPlan
) -> dict[int, tuple[int, ...]]:
    """The instances of NVLink switches that stand in each rack of their nodes, by its number."""
    gone = absent_instances(plan)[switches.name]
    order = [switches.axes.index(axis) for axis in group.axes[:-1]]
    at: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for number in range(switches.instances):
        if number not in gone:
            at[tuple(coordinates(switches, number)[place] for place in order)].append(number)
    count = group.sizes[-1]
    racks = range(group.instances // count)
    return {rack: tuple(at[coordinates(group, rack * count)[:-1]]) for rack in racks}


def standing_racks(
    sold: Mapping[str, SoldWhole],
    rack_of: Mapping[str, list[int]],
    top_of: Mapping[str, list[int]],
    units: int,
) -> dict[int, StandingRack]:
    """The racks in which all trays of one stand that is sold whole, with the boxes above them.

    Parameters
    ----------
    sold : mapping of str to SoldWhole
        The trays, by group.
    rack_of, top_of : mapping of str to list of int
        By group and number of instance: its rack, and the U above it.
    units : int
        Height of a rack; boxes that find no room, or whose height is not known, are left out.
    """
    found: dict[int, StandingRack] = {}
    for name, trays in sold.items():
        nodes = trays.system.nodes
        whole = {first: tuple(range(first, first + nodes)) for first in trays.firsts}
        for own in (*whole.values(), *trays.begun.values()) if name in rack_of else ():
            racks = {rack_of[name][number] for number in own}
            if len(racks) != 1 or -1 in racks:
                continue
            if len(own) < nodes:
                found[racks.pop()] = StandingRack(name, trays.system, whole=False)
                continue
            unit = max(top_of[name][number] for number in own)
            switches = None
            if trays.switches is not None:
                above = trays.switches.name
                here = [n for n in trays.switches_within if rack_of[above][n] in racks]
                unit = max([unit, *(top_of[above][number] for number in here)])
                switches = (above, len(here))
            boxes: list[tuple[int, int, str]] = []
            for one in _boxed(trays):
                for turn in range(one.count if one.rack_units else 0):
                    height = one.rack_units or 0
                    if unit + height - 1 <= units:
                        boxes.append((unit, height, f"{one.name} {turn + 1}"))
                    unit += height
            found[racks.pop()] = StandingRack(name, trays.system, True, tuple(boxes), switches)
    return found


def units_beside(sold: SoldWhole) -> int:
    """U that the contents take whose height is known, beside the trays and what is drawn."""
    return sum(one.count * (one.rack_units or 0) for one in _boxed(sold))


def units_drawn(sold: SoldWhole) -> float:
    """U of the NVLink switches of a whole rack that the design draws.

    One whose height is not in the catalog takes 1 U.
    """
    if sold.switches is None or not sold.racks:
        return 0
    part = sold.switches.part
    height = (part.rack_units if part else None) or 1
    return len(sold.switches_within) // sold.racks * height


def _boxed(sold: SoldWhole) -> list[RackContent]:
    """What stands in a whole rack and is no device of the design."""
    part = sold.switches.part if sold.switches else None
    return [one for one in sold.system.contents if part is None or one.part != part.id]
