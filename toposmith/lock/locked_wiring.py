"""The lines of a lock as numbered connections, which schedules, bills and exports read."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from toposmith.bill.numbered_connections import NumberedConnections, RecipeNumbers
from toposmith.bill.recipes import Recipe
from toposmith.lock.kept_cables import KeptCables, KeptRows
from toposmith.lock.lock_file import LockedCable
from toposmith.lock.new_cables import NewCables
from toposmith.lock.wanted_connections import ConnectionParts, WantedConnections
from toposmith.racks.connections import Numbers
from toposmith.racks.lengths import lengths_of

NO_PORT = "unbound"
"""The label of a connection for which a device has no port left."""


class LockedWiring:
    """Numbered connections of the lines of a lock.

    Parameters
    ----------
    wanted : WantedConnections
        The design.
    kept : KeptCables
        What stays of its lock.
    new : NewCables
        All other connections.
    """

    def __init__(self, wanted: WantedConnections, kept: KeptCables, new: NewCables) -> None:
        self.wanted, self._kept, self._new = wanted, kept, new
        self._numbers: dict[str, int] = {}
        self._recipes: dict[tuple[object, ...], int] = {}
        self._wiring = NumberedConnections()
        self._dealt = NumberedConnections()
        """Recipes of what is kept, as a fresh plan has them."""
        self._recipe_numbers = RecipeNumbers(wanted.chooser, wanted.placement, self._dealt)

    @property
    def rows(self) -> Numbers:
        """Rows of the lock that stay."""
        return self._kept.rows

    @property
    def new_lines(self) -> list[LockedCable]:
        """The lines of all other connections that have ports."""
        return [line for line in self._new.lines if line is not None]

    def wiring(self) -> NumberedConnections:
        """All connections of the design; one without a line has ports beyond those of its ends."""
        wiring, new = self._wiring, self._new.wiring
        of_link: dict[int, list[int]] = {}
        for at, place in enumerate(new.link):
            of_link.setdefault(place, []).append(at)
        for place in range(len(self.wanted.links)):
            self._append_kept(place, self._kept.rows_of(place))
            for at in of_link.get(place, ()):
                self._append(at, place, self._new.lines[at])
        wiring.cables = len(wiring.labels)
        wiring.findings += [*self._dealt.findings, *new.findings, *self._new.findings]
        return wiring

    # what is kept

    def _append_kept(self, place: int, rows: KeptRows) -> None:
        """Append all that stays of a link."""
        wiring, columns = self._wiring, self._kept.columns
        label = columns.label[rows.row]
        leg = columns.labelled.leg[label]
        for target, values in (
            (wiring.link, np.full(len(rows.row), place)),
            (wiring.a, rows.number[0]),
            (wiring.b, rows.number[1]),
            (wiring.port_a, rows.spot[0]),
            (wiring.port_b, rows.spot[1]),
            (wiring.cable, self._cables(columns.labelled.body[label])),
            (wiring.leg, leg),
            (wiring.recipe, self._kept_recipes(place, rows, leg)),
        ):
            _extend(target, values)

    @cached_property
    def _cable_of(self) -> Numbers:
        """By cable of the lock its number; -1 for none yet."""
        return np.full(len(self._kept.columns.labelled.bodies), -1, dtype=np.int64)

    def _cables(self, bodies: Numbers) -> Numbers:
        """The numbers of cables of the lock; what has none yet gets the next ones."""
        labelled = self._kept.columns.labelled
        new = np.unique(bodies[self._cable_of[bodies] < 0])
        if len(new):
            many = labelled.cables[new]
            self._cable_of[new] = len(self._wiring.labels) + np.cumsum(many) - many
            self._wiring.labels += "+".join(labelled.bodies[at] for at in new.tolist()).split("+")
        return self._cable_of[bodies]

    def _cable(self, body: str) -> int:
        """The number of the cable of a label without its leg."""
        place = self._kept.columns.labelled.place.get(body)
        if place is not None:
            return int(self._cables(np.array([place]))[0])
        if body not in self._numbers:
            self._numbers[body] = len(self._wiring.labels)
            self._wiring.labels += body.split("+")
        return self._numbers[body]

    def _kept_recipes(self, place: int, rows: KeptRows, leg: Numbers) -> Numbers:
        """Numbers of the recipes of what stays of a link."""
        columns, link = self._kept.columns, self.wanted.links[place]
        metres = columns.metres[rows.row]
        fields = (self._dealt_recipes(place, rows), rows.kit, metres, rows.flipped, leg > 0)
        size = tuple(1 + int(field.max(initial=0)) for field in fields)
        kinds, which = np.unique(np.ravel_multi_index(fields, size), return_inverse=True)
        numbers = []
        for kind in zip(*np.unravel_index(kinds, size), strict=True):
            dealt, kit, length, flipped, is_split = (int(one) for one in kind)
            part, _, *plugs = columns.kits[kit]
            ends = (plugs[1], plugs[0]) if flipped else (plugs[0], plugs[1])
            fresh, length_m = self._dealt.recipes[dealt], self._dealt.length_m[dealt]
            line = _LineParts(part, columns.lengths[length], *ends, bool(is_split))
            made = ConnectionParts.of(fresh, length_m, link)
            numbers.append(self._recipe(place, line, made, fresh, length_m))
        return np.array(numbers, dtype=np.int64)[which]

    def _dealt_recipes(self, place: int, rows: KeptRows) -> Numbers:
        """Numbers of the recipes that a fresh plan has in the place of what stays of a link."""
        link, (a, b) = self.wanted.links[place], rows.number
        if not len(a):
            return np.zeros(0, dtype=np.int64)
        known = lengths_of(self.wanted.placement, link, a, b)
        if known is None:
            pairs = zip(a.tolist(), b.tolist(), strict=True)
            singly: Numbers = np.array(
                [self._recipe_numbers.between(link, *pair) for pair in pairs]
            )
            return singly
        lengths, which = known
        numbers = [self._recipe_numbers.of(link, length) for length in lengths]
        dealt: Numbers = np.array(numbers, dtype=np.int64)[which]
        return dealt

    # what is new

    def _append(self, at: int, place: int, line: LockedCable | None) -> None:
        wiring, new = self._wiring, self._new.wiring
        wiring.link.append(place)
        wiring.a.append(new.a[at])
        wiring.b.append(new.b[at])
        ports = self.wanted.ports[place]
        if line is None:
            wiring.port_a.append(len(ports[0].labels))
            wiring.port_b.append(len(ports[1].labels))
            wiring.leg.append(0)
            wiring.cable.append(len(wiring.labels))
            wiring.labels.append(NO_PORT)
            wiring.recipe.append(self._number((place,), None, None))
            return
        link = self.wanted.links[place]
        names, plugs = (line.a_port, line.z_port), (line.a_plug, line.z_plug)
        if line.a != self.wanted.named[link.a.group](new.a[at]):
            names, plugs = names[::-1], plugs[::-1]
        wiring.port_a.append(ports[0].place[names[0]])
        wiring.port_b.append(ports[1].place[names[1]])
        body, _, leg = line.label.partition("-")
        wiring.leg.append(int(leg or 0))
        wiring.cable.append(self._cable(body))
        fresh, length_m = new.recipes[new.recipe[at]], new.length_m[new.recipe[at]]
        made = ConnectionParts.of(fresh, length_m, link)
        parts = _LineParts(line.part, line.metres, *plugs, bool(leg))
        wiring.recipe.append(self._recipe(place, parts, made, fresh, length_m))

    # recipes

    def _recipe(
        self,
        place: int,
        line: _LineParts,
        made: ConnectionParts,
        fresh: Recipe | None,
        length_m: float | None,
    ) -> int:
        """The recipe of a line: that of the fresh plan where it is the same, else by its parts."""
        key = (place, line, made)
        if key in self._recipes:
            return self._recipes[key]
        same = (made.part, made.metres, made.plug_a, made.plug_b)
        if (line.part, line.metres, line.plug_a, line.plug_b) == same:
            return self._number(key, fresh, length_m)
        own = float(line.metres) if line.metres else None
        return self._number(key, self._of_parts(place, line, own), own)

    def _of_parts(self, place: int, line: _LineParts, length_m: float | None) -> Recipe | None:
        """The recipe of these parts; None where the catalog has none that fits."""
        link, plugs = self.wanted.links[place], (line.plug_a, line.plug_b)
        for recipe in self.wanted.recipes[place]:
            own = (recipe.plug_at(link.a.group), recipe.plug_at(link.b.group))
            is_split = recipe.split_at is not None
            if recipe.body.id == line.part and own == plugs and is_split == line.split:
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


@dataclass(frozen=True)
class _LineParts:
    """Part, length and plugs of a line at the ends of a link, and whether it is a leg."""

    part: str
    metres: str
    plug_a: str
    plug_b: str
    split: bool


def _extend(target: array[int], values: Numbers) -> None:
    target.frombytes(values.astype(np.dtype(target.typecode)).tobytes())
