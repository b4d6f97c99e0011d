"""Cables that no lock keeps: moved by one end as many as possible, the others laid anew.

New ends take a free port behind the same plug, else an empty cage; labels count on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection

import numpy as np

from toposmith.bill.numbered_connections import NumberedConnections, wired_alone
from toposmith.fabric.plan import LinkEnd
from toposmith.findings.finding import Finding, at_group, found
from toposmith.lock.cable_moves import FreedCable, SharedEnd, SoughtCable, most_moves
from toposmith.lock.kept_cables import KeptCables
from toposmith.lock.lock_file import FabricLock, LockedCable
from toposmith.lock.wanted_connections import (
    ConnectionParts,
    EndPorts,
    WantedConnections,
    parts_of,
)


class NewCables:
    """Ports, labels and parts of what is new.

    Parameters
    ----------
    lock : FabricLock
        The lock of a design.
    wanted : WantedConnections
        The design as it is now.
    kept : KeptCables
        What stays; what it leaves is moved, and what is placed here takes its ports.

    Attributes
    ----------
    wiring : NumberedConnections
        Connections that nothing keeps, with the parts of a fresh plan of these alone.
    lines : list of LockedCable or None
        By connection, its line; None where a device has no port left for it.
    findings : list of Finding
        What has no port.
    """

    def __init__(self, lock: FabricLock, wanted: WantedConnections, kept: KeptCables) -> None:
        self._lock, self._wanted, self._kept, self._ports = lock, wanted, kept, kept.ports
        new = [np.flatnonzero(rows < 0) for rows in kept.row_of]
        joined = {
            place: [tuple(one) for one in wanted.connections[place][:, ats].T.tolist()]
            for place, ats in enumerate(new)
            if len(ats)
        }
        self.wiring = NumberedConnections()
        if joined:
            self.wiring = wired_alone(wanted.plan, wanted.placement, wanted.chooser, joined)
        self._parts = parts_of(self.wiring, wanted.links)
        self._pins = self._typed_ports()
        self.lines: list[LockedCable | None] = [None] * len(self.wiring)
        self._moved: dict[int, tuple[LockedCable, int, int]] = {}
        """By connection: the cable that is moved to it, its end that stays, that of the link."""
        self._chosen: dict[tuple[int, int], int] = {}
        """Places of ports by connection and end."""
        self._other_halves: dict[int, str] = {}
        """Labels of twin cables whose dark half a connection takes."""
        moved, laid = self._move(self._whole_cables(), self._cables())
        self._choose_ports(moved, laid)
        self._write_lines(laid)
        self.findings = self._without_port()

    @property
    def moved(self) -> int:
        """Connections that a cable of the lock is moved to."""
        return sum(self.lines[at] is not None for at in self._moved)

    def _typed_ports(self) -> dict[tuple[int, int], int]:
        """Ports that ``cables:`` types for what is new, by connection and end."""
        alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
        pins: dict[tuple[int, int], int] = {}
        typed = [pin for pin in self._kept.pins if self._kept.row_of[pin[0]][pin[1]] < 0]
        for at in range(len(self.wiring) if typed else 0):
            place = self.wiring.link[at]
            dealt = (self.wiring.port_a[at], self.wiring.port_b[at])
            nodes = (
                -1 if ports.of_switch else port
                for port, ports in zip(dealt, self._wanted.ports[place], strict=True)
            )
            alike[place, *self._numbers(at), *nodes].append(at)
        known: dict[tuple[int, int], int] = {}
        for place, one, side in typed:
            if (place, one) not in known:
                key = (place, *self._wanted.connections[place][:, one].tolist())
                known[place, one] = alike[key].pop(0)
            pins[known[place, one], side] = self._kept.pins[place, one, side]
        return pins

    def _end(self, place: int, side: int) -> tuple[LinkEnd, EndPorts]:
        return self._wanted.end(place, side), self._wanted.ports[place][side]

    # moving

    def _whole_cables(self) -> list[list[LockedCable]]:
        """Cables that are free as a whole; of a splitter each leg by itself."""
        columns, by_label = self._kept.columns, defaultdict[int, list[LockedCable]](list)
        for row in self._kept.left:
            by_label[int(columns.label[row])].append(self._lock.cables[row])
        return [cables for label, cables in by_label.items() if len(cables) == columns.many[label]]

    def _cables(self) -> list[list[int]]:
        """New connections by the cable of a fresh plan that carries them."""
        cables: dict[tuple[int, int], list[int]] = defaultdict(list)
        for at, key in enumerate(zip(self.wiring.cable, self.wiring.leg, strict=True)):
            cables[key].append(at)
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
        return self.wiring.a[at], self.wiring.b[at]

    def _made(self, at: int) -> ConnectionParts:
        return self._parts[self.wiring.recipe[at]]

    def _sought(self, cable: list[int], parts: set[str]) -> SoughtCable:
        """A wanted cable, with the ends at which a freed one may stay."""
        at = cable[0]
        place, made = self.wiring.link[at], self._made(at)
        fitting = (self._wanted.fitting[place] | {made.part, ""}) & parts
        dealt = (self.wiring.port_a[at], self.wiring.port_b[at])
        sides = [
            side
            for side in ((made.split - 1,) if made.split else (0, 1))
            if (at, side) not in self._pins
        ]
        shape = (len(cable), bool(self.wiring.leg[at]))
        ends = tuple(
            self._shared_end(place, side, self._numbers(at)[side], dealt[side], part, shape)
            for part in sorted(fitting)
            for side in sides
        )
        return SoughtCable(ends, made.need_m or 0.0)

    def _ends_of_freed(
        self,
        cables: list[LockedCable],
        links: dict[tuple[str, str], list[tuple[int, int]]],
        hubs: Collection[SharedEnd],
    ) -> dict[SharedEnd, int]:
        """Where a freed cable may stay to be of use, and which of its ends that is."""
        first = cables[0]
        shape = (len(cables), "-" in first.label)
        ends: dict[SharedEnd, int] = {}
        for which, plug in enumerate((first.a_plug, first.z_plug)):
            name, port = first.ends[which]
            key = self._kept.key_of.get(name)
            if key is None:
                continue
            for place, side in links.get((key[0], first.gbit), ()):
                spot = self._wanted.ports[place][side].place.get(port)
                if (*key, spot) in self._kept.typed:
                    continue
                if spot is None:
                    continue
                shared = self._shared_end(place, side, key[1], spot, first.part, shape)
                if shared in hubs and self._ports.is_free(place, side, key[1], spot, plug):
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
        wanted = [self._sought(cable, parts) for cable in sought]
        hubs = {hub for one in wanted for hub in one.hubs}
        ends_of = [self._ends_of_freed(cables, links, hubs) for cables in freed]
        pairs = most_moves(
            [
                FreedCable(tuple(ends), float(cables[0].metres or "inf"))
                for ends, cables in zip(ends_of, freed, strict=True)
            ],
            wanted,
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
        place = self.wiring.link[at]
        assert isinstance(shared, tuple)
        shape = shared[-1]
        first = self._shared_end(
            place, 0, self.wiring.a[at], self.wiring.port_a[at], cable.part, shape
        )
        side = 0 if first == shared else 1
        port = cable.ends[which][1]
        spot = self._wanted.ports[place][side].place[port]
        plug = (cable.a_plug, cable.z_plug)[which]
        if self._ports.occupy(place, side, self._numbers(at)[side], spot, plug):
            self._moved[at] = (cable, which, side)

    def _in_twos(self, cables: list[list[int]], twins: set[str]) -> list[list[int]]:
        """Single connections of two switches side by side, where a freed twin cable serves both.

        A fresh plan may want two fibres where a twin cable of another pair has become free.
        """
        others: list[list[int]] = []
        alike: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for cable in cables:
            at = cable[0]
            place = self.wiring.link[at]
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
        together = len({self.wiring.cable[at] for at in cable}) == 1
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
            link = self.wiring.link[at]
            if pin is not None and self._ports.occupy(
                link, side, self._numbers(at)[side], pin, plug
            ):
                self._chosen[at, side] = pin
        waiting: list[tuple[int, int]] = []
        for at, side in ends:
            place = self.wiring.link[at]
            if self._wanted.ports[place][side].of_switch:
                continue
            dealt = (self.wiring.port_a, self.wiring.port_b)[side][at]
            if self._ports.occupy(place, side, self._numbers(at)[side], dealt, ""):
                self._chosen[at, side] = dealt
            else:
                waiting.append((at, side))
        for at, side in waiting:
            self._choose_socket(at, side)
        whole: dict[int, list[int]] = defaultdict(list)
        for at in (at for cable in laid for at in cable):
            whole[self.wiring.cable[at]].append(at)
        for cable in moved:
            for side in (0, 1):
                self._choose_switch_ports(cable, side, is_moved=True)
        for cable in whole.values():
            if not self._complete(cable):
                for side in (0, 1):
                    self._choose_switch_ports(cable, side, is_moved=False)

    def _choose_socket(self, at: int, side: int) -> None:
        """A free port of a node whose dealt one is taken, of this link first."""
        place, number = self.wiring.link[at], self._numbers(at)[side]
        end, ports = self._end(place, side)
        taken = self._ports.sockets(place, side, number)
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
        place, made = self.wiring.link[cable[0]], self._made(cable[0])
        ports = self._wanted.ports[place][side]
        wanting = [
            at
            for at in cable
            if (not is_moved or self._moved[at][2] != side) and (at, side) not in self._chosen
        ]
        if not ports.of_switch or not wanting:
            return
        mode = self._ports.mode(place, side)
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
            switch = self._ports.switch(place, side, self._numbers(together[0])[side])
            head = switch.first(mode, plug, wide)
            if head is None:
                continue
            for step, at in enumerate(together):
                switch.take(head + step, mode, plug)
                self._chosen[at, side] = head + step

    def _complete(self, cable: list[int]) -> bool:
        """Whether a new connection takes the dark half of a twin cable that lies there."""
        at = cable[0]
        place, made = self.wiring.link[at], self._made(at)
        ports, numbers = self._wanted.ports[place], self._numbers(at)
        straight = made.carried > 1 and not made.split
        if len(cable) > 1 or not straight or not all(end.of_switch for end in ports):
            return False
        names = [self._name(at, side) for side in (0, 1)]
        for line in self._kept.half_used.get(frozenset(names), ()):
            labels = (line.a_port, line.z_port)
            if line.a != names[0]:
                labels = labels[::-1]
            taken = [ports[side].place.get(labels[side], -1) for side in (0, 1)]
            spots = [place_ ^ 1 for place_ in taken]
            free = min(taken) >= 0 and all(
                self._ports.is_free(place, side, numbers[side], spots[side], line.part)
                for side in (0, 1)
            )
            if not free:
                continue
            for side in (0, 1):
                self._ports.occupy(place, side, numbers[side], spots[side], line.part)
                self._chosen[at, side] = spots[side]
            self._other_halves[at] = line.label
            return True
        return False

    # lines

    def _write_lines(self, laid: list[list[int]]) -> None:
        """Lines of what is moved, and of what is new, with the next labels."""
        last = self._kept.columns.last_label if laid else 0
        labels: dict[int, str] = {}
        for at in sorted(self._moved):
            self.lines[at] = self._moved_line(at)
        for at in (at for cable in laid for at in cable):
            made, fresh = self._made(at), self.wiring.cable[at]
            if at in self._other_halves:
                self.lines[at] = self._new_line(at, self._other_halves[at], made)
                continue
            if fresh not in labels:
                labels[fresh] = "+".join(
                    f"C{last + turn:04d}" for turn in range(1, made.bodies + 1)
                )
                last += made.bodies
            leg = f"-{self.wiring.leg[at]}" if self.wiring.leg[at] else ""
            self.lines[at] = self._new_line(at, labels[fresh] + leg, made)

    def _name(self, at: int, side: int) -> str:
        end = self._wanted.end(self.wiring.link[at], side)
        return self._wanted.named[end.group](self._numbers(at)[side])

    def _port(self, at: int, side: int) -> str | None:
        place = self._chosen.get((at, side))
        labels = self._wanted.ports[self.wiring.link[at]][side].labels
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
            str(self._wanted.links[self.wiring.link[at]].speed_gbit),
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

    def _without_port(self) -> list[Finding]:
        """Findings on connections for which a device has no port left."""
        lacking: Counter[str] = Counter()
        for at, line in enumerate(self.lines):
            if line is None:
                sides = [side for side in (0, 1) if self._port(at, side) is None]
                lacking[self._wanted.end(self.wiring.link[at], sides[0] if sides else 0).group] += 1
        return [
            found("lock-no-port", at_group(name), connections=count)
            for name, count in lacking.items()
        ]


def _plug_at_moved_end(moved: tuple[LockedCable, int, int], fresh: str) -> str:
    """The plug at the end that changes: the cable's own, or the module of a fresh plan there."""
    cable, which, _ = moved
    own = (cable.z_plug, cable.a_plug)[which]
    return own if own == cable.part else fresh
