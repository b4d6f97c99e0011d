"""The default filling: nodes by height and power from the floor up, switches near what they serve.

Power is that of a device, else its upper bound, else an assumption; it is never zero.

A block is the nodes of one group that agree on every axis in ``per`` (an SU, a rack); it begins a
rack of its own, and NVLink switches that join its nodes stand above these. Switches that have all
those axes too belong to the block; those that have some of them stand after the last block that
they serve, and those that have none at the end.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count

from toposmith.cancellation import go_on
from toposmith.catalog import RackSystem
from toposmith.design.placement_block import PlacementBlock
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.findings.finding import Finding, at_block, found
from toposmith.racks.connections import coordinates
from toposmith.racks.rack_devices import Floor, RackDevice
from toposmith.racks.whole_racks import SoldWhole, units_beside, units_drawn

Instance = tuple[str, int]
"""A group, and the number of one of its instances."""

RackPlace = tuple[int, int]
"""Row and column of a rack, both from 0."""

Spots = list[tuple[Instance, int]]
"""Instances with the lowest U of each."""

Named = Mapping[str, Mapping[int, tuple[RackPlace, int]]]
"""By group and number, the rack and lowest U of every instance that the design places itself."""


@dataclass
class _Held:
    """The contents of a rack: used U, watts, and nodes."""

    taken: set[int] = field(default_factory=set)
    power_w: float = 0.0
    nodes: int = 0

    def add(self, device: RackDevice, unit: int) -> None:
        self.taken.update(range(unit, unit + device.units))
        self.power_w += device.power.filled_w
        self.nodes += not device.is_switch


def around_reserved_units(
    racks: Iterable[tuple[RackPlace, Spots]],
    named: Named,
    devices: Mapping[str, RackDevice],
    floor: Floor,
    nodes_per_rack: int | None,
) -> list[tuple[RackPlace, Spots]]:
    """The racks of a filling, with devices moved off the U that the design assigns.

    Parameters
    ----------
    racks : iterable
        The place of each rack, and its devices by the filling, in the order of the racks.
    named : mapping
        Devices placed by the design; racks without any are unchanged.
    devices : mapping of str to RackDevice
        By group.
    floor : Floor
        Height and power of a rack.
    nodes_per_rack : int or None
        The design's limit, which counts placed nodes.

    Returns
    -------
    list
        The same racks, then those for devices that did not fit. An empty rack takes any one
        device, regardless of its power.
    """
    held = _held(named, devices)
    filled = list(racks)
    if not held:
        return filled
    found: list[tuple[RackPlace, Spots]] = []
    left: list[Instance] = []
    for place, spots in filled:
        if place in held:
            instances = [instance for instance, _ in spots]
            waiting = Counter(name for name, _ in instances)
            spots, more = _packed(instances, waiting, held[place], devices, floor, nodes_per_rack)
            left += more
        found.append((place, spots))
    last = max((place for place, _ in filled), default=(0, -1))
    waiting = Counter(name for name, _ in left)
    for place in _places_after(last, floor.racks_per_row):
        if not left:
            break
        begun = held.get(place, _Held())
        spots, left = _packed(left, waiting, begun, devices, floor, nodes_per_rack)
        found.append((place, spots))
    return found


def _held(named: Named, devices: Mapping[str, RackDevice]) -> dict[RackPlace, _Held]:
    held: dict[RackPlace, _Held] = defaultdict(_Held)
    for name, spots in named.items():
        for place, unit in spots.values():
            held[place].add(devices[name], unit)
    return dict(held)


def _places_after(last: RackPlace, racks_per_row: int) -> Iterator[RackPlace]:
    row, column = last
    for number in count(row * racks_per_row + column + 1):
        yield divmod(number, racks_per_row)


def _packed(
    instances: list[Instance],
    waiting: Counter[str],
    held: _Held,
    devices: Mapping[str, RackDevice],
    floor: Floor,
    nodes_per_rack: int | None,
) -> tuple[Spots, list[Instance]]:
    """The devices that fit in a rack, in order and from their end of the rack, and the others.

    ``waiting`` are the instances by group; it loses those that are placed.
    """
    spots: Spots = []
    left: list[Instance] = []
    refused: set[str] = set()
    for at, instance in enumerate(instances):
        if refused >= waiting.keys():
            return spots, left + instances[at:]
        if instance[0] in refused:  # a rack that refuses one of a group refuses all after it
            left.append(instance)
            continue
        device = devices[instance[0]]
        too_much = held.power_w + device.power.filled_w > floor.max_power_w and held.taken
        full = not device.is_switch and nodes_per_rack is not None and held.nodes >= nodes_per_rack
        unit = None if too_much or full else _free_unit(device, held.taken, floor.units)
        if unit is None:
            refused.add(instance[0])
            left.append(instance)
            continue
        held.add(device, unit)
        spots.append((instance, unit))
        waiting -= Counter((instance[0],))
    return spots, left


def _free_unit(device: RackDevice, taken: set[int], units: int) -> int | None:
    """The lowest U of the first free run: nodes seek it from the floor, switches from the top."""
    starts = range(1, units - device.units + 2)
    for unit in reversed(starts) if device.is_switch else starts:
        if taken.isdisjoint(range(unit, unit + device.units)):
            return unit
    return None


@dataclass
class _Fill:
    """A rack while it is filled: U taken from the floor and from the top, and watts.

    ``boxes`` of the U at the floor are kept free above all devices, for what is none of the design.
    ``busbar`` says whether it is sold whole and feeds its devices from a DC busbar.
    """

    low: int = 0
    high: int = 0
    power_w: float = 0.0
    spots: list[tuple[Instance, int]] = field(default_factory=list)
    boxes: int = 0
    busbar: bool = False


@dataclass
class _Block:
    """Racks of one block of nodes, and the switches that belong to it or come after it."""

    racks: list[_Fill] = field(default_factory=list)
    own: list[Instance] = field(default_factory=list)
    after: list[Instance] = field(default_factory=list)

    @property
    def busbar(self) -> bool:
        """Whether its racks feed their devices from a DC busbar."""
        return any(fill.busbar for fill in self.racks)


class Filling:
    """Racks in their order, filled.

    Attributes
    ----------
    racks : list of (int, int)
        Row and column of every rack, from 0.
    rack_of, unit_of : dict of str to list of int
        By group and number of instance; a rack of -1 means nowhere.
    """

    def __init__(
        self,
        plan: Plan,
        floor: Floor,
        block: PlacementBlock,
        devices: Mapping[str, RackDevice],
        absent: Mapping[str, frozenset[int]],
        sold: Mapping[str, SoldWhole],
    ) -> None:
        self._plan, self._floor, self._block, self._devices = plan, floor, block, devices
        self._sold = sold
        self._gone = {name: set(numbers) for name, numbers in absent.items()}
        self._named: Named = {}
        self.racks: list[tuple[int, int]] = []
        self.rack_of = {name: [-1] * plan.groups[name].instances for name in devices}
        self.unit_of = {name: [0] * plan.groups[name].instances for name in devices}

    def leave_out(self, named: Named) -> None:
        """Leave these instances, and the U that they take, to the design, which places them."""
        self._named = named
        for name, spots in named.items():
            self._gone[name] |= set(spots)

    def fill(self, findings: list[Finding]) -> None:
        """Fill the racks and note where every device stands."""
        blocks, last = self._blocks()
        if self._block.switches is None:
            last = [*self._off_busbars(blocks), *last]
        if len(blocks) == 1:
            (block,) = blocks
            if block.busbar and self._block.switches is None:
                last = [*block.after, *last]
            else:
                block.own, last = [*block.own, *block.after, *last], []
            block.after = []
        rows = (
            self._at_row_ends(blocks)
            if self._block.switches == "end-of-row"
            else self._between_nodes(blocks, findings)
        )
        for fill in self._packed(last):
            if not rows or len(rows[-1]) == self._floor.racks_per_row:
                rows.append([])
            rows[-1].append(fill)
        filled = (
            ((row, column), fill.spots)
            for row, fills in enumerate(rows)
            for column, fill in enumerate(fills)
        )
        many = self._block.nodes_per_rack
        for place, spots in around_reserved_units(
            filled, self._named, self._devices, self._floor, many
        ):
            for (name, number), unit in spots:
                self.rack_of[name][number] = len(self.racks)
                self.unit_of[name][number] = unit
            self.racks.append(place)

    def _blocks(self) -> tuple[list[_Block], list[Instance]]:
        """Blocks of nodes with their switches, and the switches that belong to none."""
        of_group: dict[str, list[_Block]] = {}
        last: list[Instance] = []
        beside = {link.switches: link.nodes for link in self._plan.nvlinks}
        for name, device in self._devices.items():
            if not device.is_switch and name not in beside:
                of_group[name] = self._node_blocks(name)
        for name in beside.keys() & self._devices.keys():
            self._put_beside(name, beside[name], of_group[beside[name]])
        for name, device in self._devices.items():
            if not device.is_switch:
                continue
            served, whole = self._served(name, list(of_group))
            group = self._plan.groups[name]
            for number in range(group.instances):
                if number in self._gone[name]:
                    continue
                if served is None:
                    last.append((name, number))
                    continue
                block = of_group[served][self._block_number(group, number, served)]
                (block.own if whole else block.after).append((name, number))
        return list(chain.from_iterable(of_group.values())), last

    def _off_busbars(self, blocks: list[_Block]) -> list[Instance]:
        """The switches of racks with a busbar that are not known to take its power."""
        off: list[Instance] = []
        for block in blocks:
            if block.busbar and self._block.switches is None:
                apart = [one for one in block.own if not self._takes_busbar(one[0])]
                block.own = [one for one in block.own if one not in apart]
                off += apart
        return off

    def _takes_busbar(self, name: str) -> bool:
        part = self._plan.groups[name].part
        return part is not None and part.fed_by == "busbar"

    def _put_beside(self, name: str, nodes: str, blocks: list[_Block]) -> None:
        """Put NVLink switches into the racks of the nodes that they join, above these."""
        group, device = self._plan.groups[name], self._devices[name]
        for number in range(group.instances):
            if number in self._gone[name]:
                continue
            block = blocks[self._block_number(group, number, nodes)]
            whole = self._whole_rack(nodes, self._devices[nodes]) is not None
            fill = next(
                (one for one in block.racks if self._has_room(one, name, whole_rack=whole)), None
            )
            if fill is None:
                block.own.append((name, number))
                continue
            fill.spots.append(((name, number), fill.low - fill.boxes + 1))
            fill.low += device.units
            fill.power_w += device.power.filled_w

    def _node_blocks(self, name: str) -> list[_Block]:
        device, count = self._devices[name], self._plan.groups[name].spec.count
        system = self._whole_rack(name, device)
        many = system.nodes if system else self._nodes_per_rack(device)
        beside = units_beside(self._sold[name]) if system else 0
        blocks: list[_Block] = []
        for start in range(0, self._plan.groups[name].instances, count):
            here = [n for n in range(start, start + count) if n not in self._gone[name]]
            racks: list[_Fill] = []
            for first in range(0, len(here), many):
                held = here[first : first + many]
                spots = [((name, n), 1 + i * device.units) for i, n in enumerate(held)]
                power = len(held) * device.power.filled_w
                whole = system is not None and len(held) == system.nodes
                boxes = beside if whole else 0
                fill = _Fill(len(held) * device.units + boxes, 0, power, spots, boxes)
                fill.busbar = whole and system is not None and system.fed_by == "busbar"
                racks.append(fill)
            blocks.append(_Block(racks))
        return blocks

    def _whole_rack(self, name: str, device: RackDevice) -> RackSystem | None:
        """The rack that trays are sold in, at any power; None where it does not fit here."""
        sold = self._sold.get(name)
        if sold is None or sold.apart or self._block.nodes_per_rack is not None:
            return None
        if self._floor.power_is_given and not sold.firsts:
            return None  # fewer trays than a rack is sold with keep to what a rack may draw
        taken = sold.system.nodes * device.units + units_beside(sold) + units_drawn(sold)
        return sold.system if taken <= self._floor.units else None

    def _nodes_per_rack(self, device: RackDevice) -> int:
        by_height = self._floor.units // device.units
        if self._block.nodes_per_rack is not None:
            return min(by_height, self._block.nodes_per_rack)
        if not device.power.filled_w:
            return by_height
        return max(1, min(by_height, int(self._floor.max_power_w // device.power.filled_w)))

    def _served(self, name: str, nodes: list[str]) -> tuple[str | None, bool]:
        """The group of nodes that switches stand with, and whether each belongs to one block."""
        axes = self._plan.groups[name].axes
        some = None
        linked = {end.group for link in self._plan.links_of(name) for end in link.ends} - {name}
        go_on(2 * len(nodes))
        for node in nodes:
            per = self._plan.groups[node].spec.per
            shared = [axis for axis in per if axis in axes]
            if len(shared) == len(per) and (per or node in linked):
                return node, True
            if shared and some is None:
                some = node
        return some, False

    def _block_number(self, group: GroupPlan, number: int, node: str) -> int:
        """The block of an instance; the last that it serves where it serves several."""
        at = dict(zip(group.axes, coordinates(group, number), strict=True))
        block = 0
        for axis in self._plan.groups[node].spec.per:
            size = self._plan.size(axis)
            block = block * size + at.get(axis, size - 1)
        return block

    def _between_nodes(self, blocks: list[_Block], findings: list[Finding]) -> list[list[_Fill]]:
        fills: list[_Fill] = []
        moved = 0
        for block in blocks:
            own = block.own
            if self._block.switches != "in-row":
                own = self._into_node_racks(block)
                moved += len(own)
            half = (len(block.racks) + 1) // 2
            fills += [*block.racks[:half], *self._packed(own), *block.racks[half:]]
            fills += self._packed(block.after)
        if moved and self._block.switches == "top-of-rack":
            place = at_block("placement.switches")
            findings.append(found("rack-switches-moved", place, switches=moved))
        length = self._floor.racks_per_row
        return [fills[start : start + length] for start in range(0, len(fills), length)]

    def _into_node_racks(self, block: _Block) -> list[Instance]:
        """Put a block's switches on top of its racks, one after another; those left over."""
        if not block.racks or (self._block.switches is None and len(block.racks) > 1):
            return block.own
        if self._block.switches is None and not self._has_room_for_all(block):
            return block.own
        left: list[Instance] = []
        for turn, instance in enumerate(block.own):
            start = turn % len(block.racks)
            for fill in (*block.racks[start:], *block.racks[:start]):
                if self._has_room(fill, instance[0]):
                    self._put_on_top(fill, instance)
                    break
            else:
                left.append(instance)
        return left

    def _has_room_for_all(self, block: _Block) -> bool:
        (fill,) = block.racks
        devices = [self._devices[name] for name, _ in block.own]
        units = sum(device.units for device in devices)
        power = sum(device.power.filled_w for device in devices)
        return (
            fill.low + units <= self._floor.units
            and fill.power_w + power <= self._floor.max_power_w
        )

    def _at_row_ends(self, blocks: list[_Block]) -> list[list[_Fill]]:
        """Rows of nodes, closed by racks with the switches of all the blocks that end in them."""
        rows: list[list[_Fill]] = [[]]
        waiting: list[Instance] = []
        for block in blocks:
            coming = [*block.own, *block.after]
            for number, fill in enumerate(block.racks):
                is_last = number + 1 == len(block.racks)
                closing = [*waiting, *coming] if is_last else waiting
                room = self._floor.racks_per_row - len(self._packed(closing))
                if len(rows[-1]) >= max(room, 1):
                    rows[-1] += self._packed(waiting)
                    waiting = []
                    rows.append([])
                rows[-1].append(fill)
            waiting += coming
        rows[-1] += self._packed(waiting)
        length = self._floor.racks_per_row
        return [row[at : at + length] for row in rows for at in range(0, len(row), length)]

    def _packed(self, switches: list[Instance]) -> list[_Fill]:
        """Racks for these switches alone, filled from the top in their order."""
        fills: list[_Fill] = []
        for instance in switches:
            if not fills or not self._has_room(fills[-1], instance[0]):
                fills.append(_Fill())
            self._put_on_top(fills[-1], instance)
        return fills

    def _has_room(self, fill: _Fill, name: str, *, whole_rack: bool = False) -> bool:
        """Whether a device fits, by height and power; in a rack sold whole by height alone."""
        device = self._devices[name]
        power = fill.power_w + device.power.filled_w
        return fill.low + fill.high + device.units <= self._floor.units and (
            whole_rack or power <= self._floor.max_power_w
        )

    def _put_on_top(self, fill: _Fill, instance: Instance) -> None:
        device = self._devices[instance[0]]
        fill.high += device.units
        fill.power_w += device.power.filled_w
        fill.spots.append((instance, self._floor.units - fill.high + 1))
