"""The lines of a lock as numbered connections, which schedules, bills and exports read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.bill.recipes import Recipe
from toposmith.lock.lock_file import LockedCable
from toposmith.lock.wanted_connections import WantedConnections

NO_PORT = "unbound"
"""The label of a connection for which a device has no port left."""


class LockedWiring:
    """Numbered connections of the lines of a lock.

    Parameters
    ----------
    wanted : WantedConnections
        The connections of a fresh plan of the design, with parts and ports of their ends.
    lines : sequence of LockedCable or None
        By connection, its line; None where a device has no port left for it.
    """

    def __init__(self, wanted: WantedConnections, lines: Sequence[LockedCable | None]) -> None:
        self._wanted, self._fresh, self._lines = wanted, wanted.wiring, lines
        self._numbers: dict[str, int] = {}
        self._recipes: dict[tuple[object, ...], int] = {}
        self._wiring = NumberedConnections(self._fresh.link, self._fresh.a, self._fresh.b)

    def wiring(self) -> NumberedConnections:
        """All connections of the design; one without a line has ports beyond those of its ends."""
        for at, line in enumerate(self._lines):
            if line is None:
                self._append_without_line(at)
            else:
                self._append(at, line)
        self._wiring.cables = len(self._wiring.labels)
        return self._wiring

    def _append(self, at: int, line: LockedCable) -> None:
        wiring, place = self._wiring, self._fresh.link[at]
        link, ports = self._wanted.links[place], self._wanted.ports[place]
        flipped = line.a != self._wanted.named[link.a.group](self._fresh.a[at])
        labels, plugs = (line.a_port, line.z_port), (line.a_plug, line.z_plug)
        if flipped:
            labels, plugs = labels[::-1], plugs[::-1]
        wiring.port_a.append(ports[0].place[labels[0]])
        wiring.port_b.append(ports[1].place[labels[1]])
        body, _, leg = line.label.partition("-")
        wiring.leg.append(int(leg or 0))
        if body not in self._numbers:
            self._numbers[body] = len(wiring.labels)
            wiring.labels += body.split("+")
        wiring.cable.append(self._numbers[body])
        wiring.recipe.append(self._recipe(at, place, line, plugs, split=bool(leg)))

    def _append_without_line(self, at: int) -> None:
        wiring, place = self._wiring, self._fresh.link[at]
        for dealt, ports in zip(
            (wiring.port_a, wiring.port_b), self._wanted.ports[place], strict=True
        ):
            dealt.append(len(ports.labels))
        wiring.leg.append(0)
        wiring.cable.append(len(wiring.labels))
        wiring.labels.append(NO_PORT)
        wiring.recipe.append(self._number((place,), None, None))

    def _recipe(
        self, at: int, place: int, line: LockedCable, plugs: tuple[str, str], *, split: bool
    ) -> int:
        """The recipe of a line: that of the fresh plan where it is the same, else by its parts."""
        key = (place, self._fresh.recipe[at], line.part, line.metres, plugs, split)
        if key in self._recipes:
            return self._recipes[key]
        made = self._wanted.parts[self._fresh.recipe[at]]
        fresh = self._fresh.recipes[self._fresh.recipe[at]]
        length_m = float(line.metres) if line.metres else None
        if (line.part, line.metres, *plugs) == (made.part, made.metres, made.plug_a, made.plug_b):
            return self._number(key, fresh, self._fresh.length_m[self._fresh.recipe[at]])
        return self._number(key, self._of_parts(place, line.part, length_m, plugs, split), length_m)

    def _of_parts(
        self, place: int, part: str, length_m: float | None, plugs: tuple[str, str], split: bool
    ) -> Recipe | None:
        """The recipe of these parts; None where the catalog has none that fits."""
        link = self._wanted.links[place]
        for recipe in self._wanted.recipes[place]:
            own = (recipe.plug_at(link.a.group), recipe.plug_at(link.b.group))
            if recipe.body.id == part and own == plugs and (recipe.split_at is not None) == split:
                return replace(recipe, length_m=length_m)
        return None

    def _number(
        self, key: tuple[object, ...], recipe: Recipe | None, length_m: float | None
    ) -> int:
        if key not in self._recipes:
            self._recipes[key] = len(self._wiring.recipes)
            self._wiring.recipes.append(recipe)
            self._wiring.length_m.append(length_m)
        return self._recipes[key]
