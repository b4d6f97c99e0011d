"""Connections that keep a lock: what stays keeps port and label; only what is new is placed.

A cable stays where its devices are still joined at its rate, at the same port of the node, and its
part still fits: what is wanted of a node is its very port, which is on a rail and near some GPUs.
What the design no longer has becomes free; a free cable is moved by one end to where one is wanted
at the other, as many as possible (:mod:`toposmith.lock.cable_moves`). What is left is new: it takes
a free port behind the same plug, else an empty cage, and the next label.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from toposmith.bill.numbered_connections import NumberedConnections, wire
from toposmith.catalog import Catalog
from toposmith.fabric.plan import LinkEnd, Plan
from toposmith.findings.finding import at_group, found
from toposmith.lock.cable_moves import FreedCable, SharedEnd, SoughtCable, most_moves
from toposmith.lock.free_ports import FreePorts
from toposmith.lock.lock_file import FabricLock, LockedCable, LockedDevice, in_order
from toposmith.lock.locked_wiring import LockedWiring
from toposmith.lock.typed_ports import typed_ports
from toposmith.lock.wanted_connections import (
    ConnectionParts,
    DeviceKey,
    EndPorts,
    WantedConnections,
)
from toposmith.racks.locked_devices import coordinates_text, locked_devices
from toposmith.racks.placement import Placement


@dataclass(frozen=True, eq=False)
class KeptFabric:
    """A design that keeps its lock.

    Parameters
    ----------
    lock : FabricLock
        The lock of the design as it is now; connections without a port are left out.
    wiring : NumberedConnections
        The connections with their ports, parts and labels.
    kept, moved, laid, pulled : int
        Connections as they were, at another device or port by one end, new, and no longer wanted.
    """

    lock: FabricLock
    wiring: NumberedConnections
    kept: int
    moved: int
    laid: int
    pulled: int


def keep(
    plan: Plan, catalog: Catalog, placement: Placement, wiring: NumberedConnections
) -> KeptFabric:
    """The connections of a design that has a lock.

    Parameters
    ----------
    plan : Plan
        The design, with its lock; devices are found there by group and coordinates.
    catalog : Catalog
        Its parts.
    placement : Placement
        Where devices stand, those of the lock where they stood.
    wiring : NumberedConnections
        The connections of a fresh plan of it.
    """
    lock = plan.design.lock
    assert lock is not None
    return _Keeping(lock, WantedConnections(plan, catalog, placement, wiring)).kept()


def bound_wiring(plan: Plan, catalog: Catalog, placement: Placement) -> NumberedConnections:
    """Every connection with its ports and its cable, as the lock has them where there is one."""
    wiring = wire(plan, catalog, placement)
    if plan.design.lock is None:
        return wiring
    return keep(plan, catalog, placement, wiring).wiring


def locked_lines(wanted: WantedConnections) -> list[LockedDevice]:
    """Lines of all devices, in the order of the design; of an absent one that which it had."""
    plan, placement = wanted.plan, wanted.placement
    known = locked_devices(plan)
    lines: list[LockedDevice] = []
    for name, group in plan.groups.items():
        for number in range(group.instances):
            was = known[name].get(number)
            if number in wanted.absent[name]:
                lines += [was] if was is not None else []
                continue
            spot = placement.spot(name, number)
            lines.append(
                LockedDevice(
                    wanted.named[name](number),
                    name,
                    coordinates_text(group, number),
                    group.spec.part,
                    placement.label(spot.rack) if spot else "",
                    str(spot.unit) if spot else "",
                    was.facts if was is not None and was.part == group.spec.part else "",
                )
            )
    return lines


class _Keeping:
    """Ports taken so far, and the line of every connection."""

    def __init__(self, lock: FabricLock, wanted: WantedConnections) -> None:
        self._lock, self._wanted = lock, wanted
        self._plan, self._wiring = wanted.plan, wanted.wiring
        self._was: dict[DeviceKey, LockedDevice] = {}
        self._key_of: dict[str, DeviceKey] = {}
        for name, known in locked_devices(self._plan).items():
            for number, device in known.items():
                self._was[name, number] = device
                self._key_of[device.name] = (name, number)
        self._switches: dict[DeviceKey, FreePorts] = {}
        self._sockets: dict[tuple[str, int, str], set[int]] = defaultdict(set)
        self._lines: list[LockedCable | None] = [None] * len(self._wiring)
        self._pins = typed_ports(self._plan, self._wiring)
        self._typed = {
            (self._end(self._wiring.link[at], side)[0].group, self._numbers(at)[side], place)
            for (at, side), place in self._pins.items()
        }
        self._moved: dict[int, tuple[LockedCable, int, int]] = {}
        """By connection: the cable that is moved to it, its end that stays, that of the link."""
        self._chosen: dict[tuple[int, int], int] = {}
        """Places of ports by connection and end."""
        self._other_halves: dict[int, str] = {}
        """Labels of twin cables whose dark half a connection takes."""

    def kept(self) -> KeptFabric:
        """Keep, move, place."""
        left = self._keep_lines()
        new = [at for at, line in enumerate(self._lines) if line is None]
        moved, laid = self._move(self._whole_cables(left), self._cables_of(new))
        self._choose_ports(moved, laid)
        self._write_lines(laid)
        wiring = LockedWiring(self._wanted, self._lines).wiring()
        wiring.findings += self._wiring.findings
        self._say_no_port(wiring)
        lock = in_order(
            locked_lines(self._wanted),
            (line for line in self._lines if line is not None),
            self._lock.kits,
        )
        bound = {at for at in new if self._lines[at] is not None}
        count = len(bound & self._moved.keys())
        kept, fresh = len(self._lines) - len(new), len(bound) - count
        return KeptFabric(lock, wiring, kept, count, fresh, len(left) - count)

    # keeping

    def _keep_lines(self) -> list[LockedCable]:
        """Match cables of the lock to wanted ones of the same two devices; those left over.

        Unknown parts and halves of twin cables come last, so that whole ones keep their pairs.
        """
        wants: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for at, key in enumerate(
            zip(self._wiring.link, self._wiring.a, self._wiring.b, strict=True)
        ):
            wants[key].append(at)
        links: dict[tuple[str, str], list[tuple[int, bool]]] = defaultdict(list)
        for place, link in enumerate(self._wanted.links):
            links[link.a.group, link.b.group].append((place, False))
            links[link.b.group, link.a.group].append((place, True))
        many = self._lock.connections_by_label
        whole: list[LockedCable] = []
        doubtful: list[LockedCable] = []
        for cable in self._lock.cables:
            is_whole = cable.part and many[cable.label] >= self._carried.get(cable.part, 1)
            (whole if is_whole else doubtful).append(cable)
        left: list[LockedCable] = []
        for cable in (*whole, *doubtful):
            first, second = self._key_of.get(cable.a), self._key_of.get(cable.z)
            ways = links.get((first[0], second[0]), ()) if first and second else ()
            for place, flipped in ways:
                assert first is not None
                assert second is not None
                numbers = (second[1], first[1]) if flipped else (first[1], second[1])
                free = wants.get((place, *numbers))
                if free and self._keep(cable, place, flipped, numbers, free):
                    break
            else:
                left.append(cable)
        return left

    @cached_property
    def _carried(self) -> dict[str, int]:
        """Connections of a straight cable by its part, as far as the design buys such."""
        return {made.part: made.carried for made in self._wanted.parts if not made.split}

    def _keep(
        self,
        cable: LockedCable,
        place: int,
        flipped: bool,
        numbers: tuple[int, int],
        free: list[int],
    ) -> bool:
        """Keep a cable as one of those wanted between its devices, at the same ports of nodes."""
        if cable.gbit != str(self._wanted.links[place].speed_gbit):
            return False
        ports = self._wanted.ports[place]
        labels, plugs = (cable.a_port, cable.z_port), (cable.a_plug, cable.z_plug)
        if flipped:
            labels, plugs = labels[::-1], plugs[::-1]
        spots = [ports[side].place.get(labels[side], -1) for side in (0, 1)]
        if min(spots) < 0 or not self._fits(cable, place, numbers):
            return False
        dealt = (self._wiring.port_a, self._wiring.port_b)
        of_nodes = [side for side in (0, 1) if not ports[side].of_switch]
        chosen = next(
            (
                at
                for at in free
                if all(dealt[side][at] == spots[side] for side in of_nodes)
                and self._as_typed(at, spots)
            ),
            -1,
        )
        if chosen < 0:
            return False
        if not all(
            self._is_free(place, side, numbers[side], spots[side], plugs[side]) for side in (0, 1)
        ):
            return False
        for side in (0, 1):
            self._occupy(place, side, numbers[side], spots[side], plugs[side])
        free.remove(chosen)
        self._lines[chosen] = cable
        return True

    def _as_typed(self, at: int, spots: list[int]) -> bool:
        """Whether a connection may be at these ports: those typed for it, or nobody's."""
        for side, spot in enumerate(spots) if self._pins else ():
            end, ports = self._end(self._wiring.link[at], side)
            reserved = (end.group, self._numbers(at)[side], spot) in self._typed
            if ports.of_switch and self._pins.get((at, side), -1 if reserved else spot) != spot:
                return False
        return True

    def _fits(self, cable: LockedCable, place: int, numbers: tuple[int, int]) -> bool:
        """Whether a cable still goes: devices and places as before, or of the link's parts."""
        link = self._wanted.links[place]
        ends = ((link.a.group, numbers[0]), (link.b.group, numbers[1]))
        if ends[0] in self._unchanged and ends[1] in self._unchanged:
            return True
        same = all(self._was[end].part == self._plan.groups[end[0]].spec.part for end in ends)
        if not same and cable.part and cable.part not in self._wanted.fitting[place]:
            return False
        if not cable.metres or all(self._stands(end) for end in ends):
            return True
        need = self._wanted.lengths.between(*ends[0], *ends[1])
        return need is None or need[0] <= float(cable.metres)

    @cached_property
    def _unchanged(self) -> set[DeviceKey]:
        """Devices of the part that they were, where they stood."""
        return {
            key
            for key, device in self._was.items()
            if device.part == self._plan.groups[key[0]].spec.part and self._stands(key)
        }

    def _stands(self, key: DeviceKey) -> bool:
        """Whether a device stands where its line says, or nowhere."""
        device, spot = self._was[key], self._wanted.placement.spot(*key)
        if spot is None or not device.rack:
            return True
        return (device.rack, device.unit) == (
            self._wanted.placement.label(spot.rack),
            str(spot.unit),
        )

    def _end(self, place: int, side: int) -> tuple[LinkEnd, EndPorts]:
        link = self._wanted.links[place]
        return (link.a, link.b)[side], self._wanted.ports[place][side]

    def _is_free(self, place: int, side: int, number: int, spot: int, plug: str) -> bool:
        """Whether this plug goes into a port of a device."""
        end, ports = self._end(place, side)
        if not ports.of_switch:
            return spot not in self._sockets[end.group, number, end.ports]
        mode = (str(self._wanted.links[place].speed_gbit), ports.breakout)
        return self._switch(end.group, number).is_free(spot, mode, plug)

    def _occupy(self, place: int, side: int, number: int, spot: int, plug: str) -> bool:
        """Take a port of a device; False where this plug does not go into it."""
        if not self._is_free(place, side, number, spot, plug):
            return False
        end, ports = self._end(place, side)
        if not ports.of_switch:
            self._sockets[end.group, number, end.ports].add(spot)
            return True
        mode = (str(self._wanted.links[place].speed_gbit), ports.breakout)
        return self._switch(end.group, number).take(spot, mode, plug)

    def _switch(self, name: str, number: int) -> FreePorts:
        if (name, number) not in self._switches:
            cages = self._plan.groups[name].cages
            self._switches[name, number] = FreePorts(cages.count if cages else 0)
        return self._switches[name, number]

    # moving

    def _whole_cables(self, left: Sequence[LockedCable]) -> list[list[LockedCable]]:
        """Cables that are free as a whole; of a splitter each leg by itself."""
        by_label: dict[str, list[LockedCable]] = defaultdict(list)
        for cable in left:
            by_label[cable.label].append(cable)
        many = self._lock.connections_by_label
        return [cables for label, cables in by_label.items() if len(cables) == many[label]]

    def _cables_of(self, new: Sequence[int]) -> list[list[int]]:
        """New connections by the cable of a fresh plan that carries them."""
        cables: dict[tuple[int, int], list[int]] = defaultdict(list)
        for at in new:
            cables[self._wiring.cable[at], self._wiring.leg[at]].append(at)
        return list(cables.values())

    def _shared_end(
        self, place: int, side: int, number: int, port: int, part: str, shape: tuple[int, bool]
    ) -> SharedEnd:
        """Where a freed and a sought cable share an end: any port of a switch, one of a node."""
        end, ports = self._end(place, side)
        own = (ports.breakout, -1) if ports.of_switch else (1, port)
        speed = self._wanted.links[place].speed_gbit
        return end.group, number, end.ports, own, speed, part, shape

    def _numbers(self, at: int) -> tuple[int, int]:
        return self._wiring.a[at], self._wiring.b[at]

    def _made(self, at: int) -> ConnectionParts:
        return self._wanted.parts[self._wiring.recipe[at]]

    def _sought(self, cable: list[int], parts: set[str]) -> SoughtCable:
        """A wanted cable, with the ends at which a freed one may stay."""
        at = cable[0]
        place, made = self._wiring.link[at], self._made(at)
        fitting = (self._wanted.fitting[place] | {made.part, ""}) & parts
        dealt = (self._wiring.port_a[at], self._wiring.port_b[at])
        sides = [
            side
            for side in ((made.split - 1,) if made.split else (0, 1))
            if (at, side) not in self._pins
        ]
        shape = (len(cable), bool(self._wiring.leg[at]))
        ends = tuple(
            self._shared_end(place, side, self._numbers(at)[side], dealt[side], part, shape)
            for part in sorted(fitting)
            for side in sides
        )
        return SoughtCable(ends, made.need_m or 0.0)

    def _ends_of_freed(
        self, cables: list[LockedCable], links: dict[tuple[str, str], list[tuple[int, int]]]
    ) -> dict[SharedEnd, int]:
        """Where a freed cable may stay, and which of its ends that is."""
        first = cables[0]
        shape = (len(cables), "-" in first.label)
        ends: dict[SharedEnd, int] = {}
        for which, plug in enumerate((first.a_plug, first.z_plug)):
            name, port = first.ends[which]
            key = self._key_of.get(name)
            if key is None:
                continue
            for place, side in links.get((key[0], first.gbit), ()):
                spot = self._wanted.ports[place][side].place.get(port)
                if (*key, spot) in self._typed:
                    continue
                if spot is not None and self._is_free(place, side, key[1], spot, plug):
                    shared = self._shared_end(place, side, key[1], spot, first.part, shape)
                    ends.setdefault(shared, which)
        return ends

    def _move(
        self, freed: list[list[LockedCable]], sought: list[list[int]]
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Give freed cables to wanted connections; those that have one, those that are new."""
        parts = {cables[0].part for cables in freed}
        sought = self._in_twos(sought, {cables[0].part for cables in freed if len(cables) == 2})
        links: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        for place, link in enumerate(self._wanted.links):
            for side, end in enumerate((link.a, link.b)):
                links[end.group, str(link.speed_gbit)].append((place, side))
        ends_of = [self._ends_of_freed(cables, links) for cables in freed]
        pairs = most_moves(
            [
                FreedCable(tuple(ends), float(cables[0].metres or "inf"))
                for ends, cables in zip(ends_of, freed, strict=True)
            ],
            [self._sought(cable, parts) for cable in sought],
        )
        for at_freed, at_sought, shared in pairs:
            which = ends_of[at_freed][shared]
            for cable, at in zip(freed[at_freed], sought[at_sought], strict=True):
                self._keep_end(cable, which, at, shared)
        moved = [cable for cable in sought if cable[0] in self._moved]
        others = [cable for cable in sought if cable[0] not in self._moved]
        return moved, [part for cable in others for part in self._as_dealt(cable)]

    def _keep_end(self, cable: LockedCable, which: int, at: int, shared: SharedEnd) -> None:
        """Let a moved cable stay at one end; the other gets its port later."""
        place = self._wiring.link[at]
        assert isinstance(shared, tuple)
        shape = shared[-1]
        first = self._shared_end(
            place, 0, self._wiring.a[at], self._wiring.port_a[at], cable.part, shape
        )
        side = 0 if first == shared else 1
        port = cable.ends[which][1]
        spot = self._wanted.ports[place][side].place[port]
        plug = (cable.a_plug, cable.z_plug)[which]
        if self._occupy(place, side, self._numbers(at)[side], spot, plug):
            self._moved[at] = (cable, which, side)

    def _in_twos(self, cables: list[list[int]], twins: set[str]) -> list[list[int]]:
        """Single connections of two switches side by side, where a freed twin cable serves both.

        A fresh plan may want two fibres where a twin cable of another pair has become free.
        """
        others: list[list[int]] = []
        alike: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for cable in cables:
            at = cable[0]
            place = self._wiring.link[at]
            switches = all(ports.of_switch for ports in self._wanted.ports[place])
            single = len(cable) == 1 and self._made(at).carried == 1
            if single and switches and twins & self._wanted.fitting[place]:
                alike[(place, *self._numbers(at))].append(at)
            else:
                others.append(cable)
        for same in alike.values():
            others += [same[start : start + 2] for start in range(0, len(same), 2)]
        return others

    def _as_dealt(self, cable: list[int]) -> list[list[int]]:
        """A cable as the fresh plan has it: two that were put together for a twin are single."""
        together = len({self._wiring.cable[at] for at in cable}) == 1
        return [cable] if together else [[at] for at in cable]

    # ports

    def _choose_ports(self, moved: list[list[int]], laid: list[list[int]]) -> None:
        """Ports of what is new, and of the other ends of what is moved: nodes first, as dealt."""
        ends = [
            (at, side)
            for cable in (*moved, *laid)
            for at in cable
            for side in (0, 1)
            if at not in self._moved or side != self._moved[at][2]
        ]
        for at, side in ends:
            pin = self._pins.get((at, side))
            plug = (self._made(at).plug_a, self._made(at).plug_b)[side]
            link = self._wiring.link[at]
            if pin is not None and self._occupy(link, side, self._numbers(at)[side], pin, plug):
                self._chosen[at, side] = pin
        waiting: list[tuple[int, int]] = []
        for at, side in ends:
            place = self._wiring.link[at]
            if self._wanted.ports[place][side].of_switch:
                continue
            dealt = (self._wiring.port_a, self._wiring.port_b)[side][at]
            if self._occupy(place, side, self._numbers(at)[side], dealt, ""):
                self._chosen[at, side] = dealt
            else:
                waiting.append((at, side))
        for at, side in waiting:
            self._choose_socket(at, side)
        whole: dict[int, list[int]] = defaultdict(list)
        for at in (at for cable in laid for at in cable):
            whole[self._wiring.cable[at]].append(at)
        for cable in moved:
            for side in (0, 1):
                self._choose_switch_ports(cable, side, is_moved=True)
        for cable in whole.values():
            if not self._complete(cable):
                for side in (0, 1):
                    self._choose_switch_ports(cable, side, is_moved=False)

    def _choose_socket(self, at: int, side: int) -> None:
        """A free port of a node whose dealt one is taken, of this link first."""
        place, number = self._wiring.link[at], self._numbers(at)[side]
        end, ports = self._end(place, side)
        taken = self._sockets[end.group, number, end.ports]
        last = len(ports.labels)
        own = range(
            end.first_port,
            min(last, end.first_port + self._wanted.links[place].cables_at(end.group)),
        )
        free = next((port for port in (*own, *range(last)) if port not in taken), None)
        if free is not None:
            taken.add(free)
            self._chosen[at, side] = free

    def _choose_switch_ports(self, cable: list[int], side: int, *, is_moved: bool) -> None:
        place, made = self._wiring.link[cable[0]], self._made(cable[0])
        end, ports = self._end(place, side)
        wanting = [
            at
            for at in cable
            if (not is_moved or self._moved[at][2] != side) and (at, side) not in self._chosen
        ]
        if not ports.of_switch or not wanting:
            return
        mode = (str(self._wanted.links[place].speed_gbit), ports.breakout)
        legs_apart = made.split and made.split != side + 1
        wide = 1 if legs_apart or made.carried == 1 else made.carried
        if is_moved:
            wide = 1 if made.split else len(cable)
        wide = min(wide, ports.breakout)
        for start in range(0, len(wanting), wide):
            together = wanting[start : start + wide]
            plug = (made.plug_a, made.plug_b)[side]
            if is_moved:
                plug = _plug_at_moved_end(self._moved[together[0]], plug)
            switch = self._switch(end.group, self._numbers(together[0])[side])
            head = switch.first(mode, plug, wide)
            if head is None:
                continue
            for step, at in enumerate(together):
                switch.take(head + step, mode, plug)
                self._chosen[at, side] = head + step

    @cached_property
    def _half_used(self) -> dict[frozenset[str], list[LockedCable]]:
        """Kept connections whose straight cable carries another one that is dark, by devices."""
        kept = [line for line in self._lines if line is not None]
        many = Counter(line.label for line in kept)
        halves: dict[frozenset[str], list[LockedCable]] = defaultdict(list)
        for line in kept:
            if many[line.label] < self._carried.get(line.part, 1):
                halves[frozenset((line.a, line.z))].append(line)
        return halves

    def _complete(self, cable: list[int]) -> bool:
        """Whether a new connection takes the dark half of a twin cable that lies there."""
        at = cable[0]
        place, made = self._wiring.link[at], self._made(at)
        ports, numbers = self._wanted.ports[place], self._numbers(at)
        straight = made.carried > 1 and not made.split
        if len(cable) > 1 or not straight or not all(end.of_switch for end in ports):
            return False
        names = [self._name(at, side) for side in (0, 1)]
        for line in self._half_used.get(frozenset(names), ()):
            labels = (line.a_port, line.z_port)
            if line.a != names[0]:
                labels = labels[::-1]
            taken = [ports[side].place.get(labels[side], -1) for side in (0, 1)]
            spots = [place_ ^ 1 for place_ in taken]
            free = min(taken) >= 0 and all(
                self._is_free(place, side, numbers[side], spots[side], line.part) for side in (0, 1)
            )
            if not free:
                continue
            for side in (0, 1):
                self._occupy(place, side, numbers[side], spots[side], line.part)
                self._chosen[at, side] = spots[side]
            self._other_halves[at] = line.label
            return True
        return False

    # lines

    def _write_lines(self, laid: list[list[int]]) -> None:
        """Lines of what is moved, and of what is new, with the next labels."""
        last = self._lock.last_label
        labels: dict[int, str] = {}
        for at in sorted(self._moved):
            self._lines[at] = self._moved_line(at)
        for at in (at for cable in laid for at in cable):
            made, fresh = self._made(at), self._wiring.cable[at]
            if at in self._other_halves:
                self._lines[at] = self._new_line(at, self._other_halves[at], made)
                continue
            if fresh not in labels:
                labels[fresh] = "+".join(
                    f"C{last + turn:04d}" for turn in range(1, made.bodies + 1)
                )
                last += made.bodies
            leg = f"-{self._wiring.leg[at]}" if self._wiring.leg[at] else ""
            self._lines[at] = self._new_line(at, labels[fresh] + leg, made)

    def _name(self, at: int, side: int) -> str:
        end, _ = self._end(self._wiring.link[at], side)
        return self._wanted.named[end.group](self._numbers(at)[side])

    def _port(self, at: int, side: int) -> str | None:
        place = self._chosen.get((at, side))
        labels = self._wanted.ports[self._wiring.link[at]][side].labels
        return None if place is None or place >= len(labels) else labels[place]

    def _new_line(self, at: int, label: str, made: ConnectionParts) -> LockedCable | None:
        """The line of a new cable; None where a device has no port for it."""
        ports = self._port(at, 0), self._port(at, 1)
        if ports[0] is None or ports[1] is None:
            return None
        return LockedCable(
            self._name(at, 0),
            ports[0],
            self._name(at, 1),
            ports[1],
            label,
            made.metres,
            made.part,
            str(self._wanted.links[self._wiring.link[at]].speed_gbit),
            made.plug_a,
            made.plug_b,
        )

    def _moved_line(self, at: int) -> LockedCable | None:
        """The line of a moved cable, with another device, port and perhaps plug at one end."""
        cable, which, side = self._moved[at]
        made, name, port = self._made(at), self._name(at, 1 - side), self._port(at, 1 - side)
        if port is None:
            return None
        plug = _plug_at_moved_end(self._moved[at], (made.plug_a, made.plug_b)[1 - side])
        if which == 0:
            return cable._replace(z=name, z_port=port, z_plug=plug)
        return cable._replace(a=name, a_port=port, a_plug=plug)

    def _say_no_port(self, wiring: NumberedConnections) -> None:
        """Findings on connections for which a device has no port left."""
        lacking: Counter[str] = Counter()
        for at, line in enumerate(self._lines):
            if line is None:
                sides = [side for side in (0, 1) if self._port(at, side) is None]
                end, _ = self._end(self._wiring.link[at], sides[0] if sides else 0)
                lacking[end.group] += 1
        wiring.findings += [
            found("lock-no-port", at_group(name), connections=count)
            for name, count in lacking.items()
        ]


def _plug_at_moved_end(moved: tuple[LockedCable, int, int], fresh: str) -> str:
    """The plug at the end that changes: the cable's own, or the module of a fresh plan there."""
    cable, which, _ = moved
    own = (cable.z_plug, cable.a_plug)[which]
    return own if own == cable.part else fresh
