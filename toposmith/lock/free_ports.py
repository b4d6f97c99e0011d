"""Free ports of a switch: a cage holds one plug, in one mode; ports of unlike plugs never share."""

from __future__ import annotations

Mode = tuple[str, int]
"""Gb/s of a port, and ports of the cage."""

PluggedCage = tuple[Mode, str, int]
"""A cage in use: its mode, its plug (empty where unknown), and a bit for each taken port."""


class FreePorts:
    """The cages of one switch, and which of their ports are free.

    A port is known by its place: that of its cage times the ports of the mode, then its own.

    Parameters
    ----------
    cages : int
        Cages of the switch.
    in_use : dict of int to PluggedCage, optional
        Those in use from the beginning, by number.
    """

    def __init__(self, cages: int, in_use: dict[int, PluggedCage] | None = None) -> None:
        self._count = cages
        self._cages = in_use or {}

    def is_free(self, place: int, mode: Mode, plug: str) -> bool:
        """Whether a plug goes into this port; an unknown plug fits any."""
        number, port = divmod(place, mode[1])
        if number >= self._count or number not in self._cages:
            return number < self._count
        own_mode, own_plug, taken = self._cages[number]
        unlike = plug and own_plug and own_plug != plug
        return own_mode == mode and not unlike and not taken >> port & 1

    def take(self, place: int, mode: Mode, plug: str) -> bool:
        """Take a port; False where a plug does not go into it."""
        if not self.is_free(place, mode, plug):
            return False
        number, port = divmod(place, mode[1])
        own_mode, own_plug, taken = self._cages.get(number, (mode, plug, 0))
        self._cages[number] = own_mode, own_plug, taken | 1 << port
        return True

    def first(self, mode: Mode, plug: str, side_by_side: int) -> int | None:
        """The first of some free ports side by side, in a begun cage first; None without.

        A cage of the same plug comes first, then one of which either plug is unknown.
        """
        full, of_unknown = (1 << mode[1]) - 1, None
        for number in sorted(self._cages):
            own_mode, own_plug, taken = self._cages[number]
            is_same = own_plug == plug
            if taken == full or own_mode != mode:
                continue
            if not is_same and (of_unknown is not None or (plug and own_plug)):
                continue
            for port in range(0, mode[1] - side_by_side + 1, side_by_side):
                if not taken >> port & ((1 << side_by_side) - 1):
                    if is_same:
                        return number * mode[1] + port
                    of_unknown = number * mode[1] + port
                    break
        if of_unknown is not None:
            return of_unknown
        empty = (number for number in range(self._count) if number not in self._cages)
        return next((number * mode[1] for number in empty), None)
