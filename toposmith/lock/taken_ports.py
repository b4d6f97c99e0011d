"""Ports that are taken; those of one device are looked at once something asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from toposmith.lock.free_ports import FreePorts, Mode
from toposmith.lock.wanted_connections import DeviceKey, WantedConnections
from toposmith.racks.connection_arrays import Numbers


@dataclass(frozen=True)
class KeptEnds:
    """Ends of cables that stay, of whole links: arrays by end.

    Parameters
    ----------
    row : array of int
        Row of the cable in the lock.
    link, side : array of int
        Place of the link, and which of its ends.
    number, spot : array of int
        Number of the device in its group, and the place of its port.
    plug : array of int
        Place in ``plugs``.
    plugs : list of str
        Plugs by place.
    """

    row: Numbers
    link: Numbers
    side: Numbers
    number: Numbers
    spot: Numbers
    plug: Numbers
    plugs: list[str]

    @cached_property
    def code(self) -> Numbers:
        """The link, its end and the device in one number."""
        return (self.link * 2 + self.side) * (1 << 32) + self.number

    @cached_property
    def order(self) -> Numbers:
        """Rows sorted by that number."""
        return np.argsort(self.code, kind="stable")

    @cached_property
    def sorted_code(self) -> Numbers:
        """That number in order."""
        return self.code[self.order]

    def at(self, place: int, side: int, number: int) -> list[tuple[int, str]]:
        """Ports and plugs at a device that are of one end of a link."""
        code = (place * 2 + side) * (1 << 32) + number
        first, last = np.searchsorted(self.sorted_code, (code, code + 1))
        rows = self.order[first:last]
        plugs = (self.plugs[plug] for plug in self.plug[rows])
        return list(zip(self.spot[rows].tolist(), plugs, strict=True))


class TakenPorts:
    """Which ports of a design are taken.

    Parameters
    ----------
    wanted : WantedConnections
        The design.
    kept : KeptEnds
        Ends of cables that stay, whose ports are taken from the beginning.
    """

    def __init__(self, wanted: WantedConnections, kept: KeptEnds) -> None:
        self._wanted, self._kept = wanted, kept
        self._switches: dict[DeviceKey, FreePorts] = {}
        self._sockets: dict[tuple[str, int, str], set[int]] = {}

    def is_free(self, place: int, side: int, number: int, spot: int, plug: str) -> bool:
        """Whether this plug goes into a port of a device, at this end of a link."""
        if not self._wanted.ports[place][side].of_switch:
            return spot not in self.sockets(place, side, number)
        return self.switch(place, side, number).is_free(spot, self.mode(place, side), plug)

    def occupy(self, place: int, side: int, number: int, spot: int, plug: str) -> bool:
        """Take a port of a device; False where this plug does not go into it."""
        if self._wanted.ports[place][side].of_switch:
            return self.switch(place, side, number).take(spot, self.mode(place, side), plug)
        taken = self.sockets(place, side, number)
        if spot in taken:
            return False
        taken.add(spot)
        return True

    def mode(self, place: int, side: int) -> Mode:
        """The mode of the cages of a switch at this end of a link."""
        return str(self._wanted.links[place].speed_gbit), self._wanted.ports[place][side].breakout

    def switch(self, place: int, side: int, number: int) -> FreePorts:
        """The ports of a switch."""
        group = self._wanted.end(place, side).group
        if (group, number) not in self._switches:
            cages = self._wanted.plan.groups[group].cages
            ports = self._switches[group, number] = FreePorts(cages.count if cages else 0)
            for other, end in self._wanted.ends_of[group]:
                if self._wanted.ports[other][end].of_switch:
                    mode = self.mode(other, end)
                    for spot, plug in self._kept.at(other, end, number):
                        ports.hold(spot, mode, plug)
        return self._switches[group, number]

    def sockets(self, place: int, side: int, number: int) -> set[int]:
        """The ports of a node that are taken, of one kind."""
        end = self._wanted.end(place, side)
        key = (end.group, number, end.ports)
        if key not in self._sockets:
            self._sockets[key] = {
                spot
                for other, which in self._wanted.ends_of[end.group]
                if self._wanted.end(other, which).ports == end.ports
                for spot, _ in self._kept.at(other, which, number)
            }
        return self._sockets[key]
