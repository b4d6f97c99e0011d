"""Ports that are taken; those of one device are looked at once something asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from toposmith.lock.free_ports import FreePorts, Mode, PluggedCage
from toposmith.lock.wanted_connections import DeviceKey, WantedConnections
from toposmith.racks.connections import Numbers

_MANY = 1 << 32
"""More than a group has devices, and a link ends."""


@dataclass(frozen=True)
class KeptEnds:
    """Ends of cables that stay, of whole links: arrays by end.

    Parameters
    ----------
    wanted : WantedConnections
        The design.
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

    wanted: WantedConnections
    row: Numbers
    link: Numbers
    side: Numbers
    number: Numbers
    spot: Numbers
    plug: Numbers
    plugs: list[str]

    @cached_property
    def _sockets(self) -> tuple[Numbers, Numbers]:
        """The link, its end and the device in one number, in order; and their ports."""
        code = (self.link * 2 + self.side) * _MANY + self.number
        order = np.argsort(code, kind="stable")
        return code[order], self.spot[order]

    def sockets_at(self, place: int, side: int, number: int) -> list[int]:
        """Ports at a device that are of one end of a link."""
        codes, spots = self._sockets
        code = (place * 2 + side) * _MANY + number
        first, last = np.searchsorted(codes, (code, code + 1))
        found: list[int] = spots[first:last].tolist()
        return found

    @cached_property
    def cages(self) -> CagesInUse:
        """The cages of switches that they are in."""
        return CagesInUse(self)


class CagesInUse:
    """Cages of switches with a plug, by switch and place.

    Parameters
    ----------
    ends : KeptEnds
        Ends of cables that stay.

    Attributes
    ----------
    clashing : array of int
        Rows of cables whose cage another one before has in another mode or plug: only lines that
        were edited by hand, or that a dump has given, can be at odds so.
    """

    def __init__(self, ends: KeptEnds) -> None:
        wanted = ends.wanted
        self._group = {name: at for at, name in enumerate(wanted.plan.groups)}
        self._plugs = ends.plugs
        modes: dict[Mode, int] = {}
        kinds: list[tuple[int, int, int]] = []
        for place, ports in enumerate(wanted.ports):
            for side in (0, 1):
                mode = (str(wanted.links[place].speed_gbit), ports[side].breakout)
                group = self._group[wanted.end(place, side).group] if ports[side].of_switch else -1
                kinds.append((group, modes.setdefault(mode, len(modes)), ports[side].breakout))
        self._modes = list(modes)
        kind = np.array(kinds, dtype=np.int64).reshape(-1, 3)[2 * ends.link + ends.side]
        group, mode, breakout = kind.T
        cage = ends.spot // breakout
        switch = group * _MANY + ends.number
        turn = np.flatnonzero(group >= 0)
        turn = turn[np.lexsort((ends.row[turn], cage[turn], switch[turn]))]
        begins = np.ones(len(turn), dtype=bool)
        begins[1:] = np.diff(switch[turn]) | np.diff(cage[turn]) != 0
        begun = np.flatnonzero(begins)
        first = turn[begun]
        bits = np.left_shift(1, (ends.spot % breakout)[turn])
        taken = np.bitwise_or.reduceat(bits, begun) if len(begun) else bits
        self._switch = switch[first]
        self._cages = np.stack([cage[first], mode[first], ends.plug[first], taken])
        of_cage = first[np.cumsum(begins) - 1]
        nothing = ends.plugs.index("") if "" in ends.plugs else -1
        plugs = ends.plug[turn], ends.plug[of_cage]
        unlike = (plugs[0] != plugs[1]) & (plugs[0] != nothing) & (plugs[1] != nothing)
        self.clashing: Numbers = ends.row[turn][unlike | (mode[turn] != mode[of_cage])]

    def of(self, group: str, number: int) -> dict[int, PluggedCage]:
        """The cages of a switch that are in use."""
        code = self._group[group] * _MANY + number
        first, last = np.searchsorted(self._switch, (code, code + 1))
        cage, mode, plug, taken = self._cages[:, first:last].tolist()
        modes, plugs = map(self._modes.__getitem__, mode), map(self._plugs.__getitem__, plug)
        return dict(zip(cage, zip(modes, plugs, taken, strict=True), strict=True))


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
            in_use = self._kept.cages.of(group, number)
            self._switches[group, number] = FreePorts(cages.count if cages else 0, in_use)
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
                for spot in self._kept.sockets_at(other, which, number)
            }
        return self._sockets[key]
