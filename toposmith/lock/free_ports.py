"""Free ports of a switch: a cage holds one plug, in one mode; ports of unlike plugs never share."""

from __future__ import annotations

from dataclasses import dataclass, field

Mode = tuple[str, int]
"""Gb/s of a port, and ports of the cage."""


@dataclass
class PluggedCage:
    """A cage in use: its mode, its plug (empty where unknown), and its ports that are taken."""

    mode: Mode
    plug: str
    taken: set[int] = field(default_factory=set)


class FreePorts:
    """The cages of one switch, and which of their ports are free.

    A port is known by its place: that of its cage times the ports of the mode, then its own.
    """

    def __init__(self, cages: int) -> None:
        self._count = cages
        self._cages: dict[int, PluggedCage] = {}
        self._by_plug: dict[tuple[Mode, str], list[int]] = {}

    def is_free(self, place: int, mode: Mode, plug: str) -> bool:
        """Whether a plug goes into this port; an unknown plug fits any."""
        number, port = divmod(place, mode[1])
        cage = self._cages.get(number)
        if number >= self._count or cage is None:
            return number < self._count
        unlike = plug and cage.plug and cage.plug != plug
        return cage.mode == mode and not unlike and port not in cage.taken

    def take(self, place: int, mode: Mode, plug: str) -> bool:
        """Take a port; False where a plug does not go into it."""
        if not self.is_free(place, mode, plug):
            return False
        self.hold(place, mode, plug)
        return True

    def hold(self, place: int, mode: Mode, plug: str) -> None:
        """Take a port that is known to be free."""
        number, port = divmod(place, mode[1])
        if number not in self._cages:
            self._cages[number] = PluggedCage(mode, plug)
            self._by_plug.setdefault((mode, plug), []).append(number)
        self._cages[number].taken.add(port)

    def first(self, mode: Mode, plug: str, side_by_side: int) -> int | None:
        """The first of some free ports side by side, in a begun cage first; None without.

        A cage of the same plug comes first, then one of which either plug is unknown.
        """
        for number in (*self._begun(mode, plug), *self._of_unknown(mode, plug)):
            taken = self._cages[number].taken
            for port in range(0, mode[1] - side_by_side + 1, side_by_side):
                if taken.isdisjoint(range(port, port + side_by_side)):
                    return number * mode[1] + port
        empty = (number for number in range(self._count) if number not in self._cages)
        return next((number * mode[1] for number in empty), None)

    def _begun(self, mode: Mode, plug: str) -> list[int]:
        return sorted(self._by_plug.get((mode, plug), ()))

    def _of_unknown(self, mode: Mode, plug: str) -> list[int]:
        """Cages of this mode whose plug, or the plug that comes, is not known."""
        others = {known for kind, known in self._by_plug if kind == mode and known != plug}
        return sorted(
            number
            for known in (others if not plug else others & {""})
            for number in self._by_plug[mode, known]
        )
