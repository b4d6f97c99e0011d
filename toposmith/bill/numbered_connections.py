"""Every connection of a design with its ports and its cable, as arrays.

Nodes' ports are dealt by the design. Ports of switches are taken in order: link after link as the
design lists them, peer after peer; links of another speed begin with a cage of their own, and the
plugs of a cable that carries several ports find these side by side. A cage holds one plug, so ports
behind unlike modules or cables never share one.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toposmith.bill.link_parts import Chooser
from toposmith.bill.recipes import Recipe, shared_by, splitter_of
from toposmith.bill.terms import Terms
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.findings.finding import Finding, at_group, found
from toposmith.racks.connections import PortPair, connections, missing
from toposmith.racks.lengths import CableLengths, runs
from toposmith.racks.placement import Placement

STRAIGHT = 0
"""The leg of a cable that is no splitter."""


@dataclass
class NumberedConnections:
    """Connections by number, in the order of links.

    Parameters
    ----------
    link, a, b, port_a, port_b : array of int
        Place in ``plan.every_link``, instances of both ends, and their ports: of nodes as dealt, of
        switches by place (cage, then port in the cage).
    recipe : array of int
        Place in ``recipes``.
    length_m : list of float or None
        By place in ``recipes``, along the racks or as the design says; None where unknown.
    cable, leg : array of int
        The cable of each connection, and which of its legs: 0 where it is no splitter.
    cables : int
        Number of cables; one that needs two fibres has two numbers.
    labels : list of str
        By number of a cable, its label without leg; empty where no lock gives them.
    """

    link: array[int] = field(default_factory=lambda: array("i"))
    a: array[int] = field(default_factory=lambda: array("i"))
    b: array[int] = field(default_factory=lambda: array("i"))
    port_a: array[int] = field(default_factory=lambda: array("i"))
    port_b: array[int] = field(default_factory=lambda: array("i"))
    recipe: array[int] = field(default_factory=lambda: array("i"))
    cable: array[int] = field(default_factory=lambda: array("i"))
    leg: array[int] = field(default_factory=lambda: array("i"))
    recipes: list[Recipe | None] = field(default_factory=list)
    length_m: list[float | None] = field(default_factory=list)
    cables: int = 0
    labels: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.link)


def wire(
    plan: Plan, catalog: Catalog, placement: Placement, terms: Terms | None = None
) -> NumberedConnections:
    """Assign ports and a cable to every connection of a design.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; what is absent has no cables.
    catalog : Catalog
        Where cables are chosen from.
    placement : Placement
        Placement of devices; those without one get cables of unknown length.
    terms : Terms, optional
        Prices and policy, which choose the cables as they do on the bill.
    """
    return wired(plan, placement, chooser_of(plan, catalog, placement, terms or Terms()))


def chooser_of(plan: Plan, catalog: Catalog, placement: Placement, terms: Terms) -> Chooser:
    """What chooses the cables of a design on these terms, with lengths along its racks."""
    return Chooser(plan, catalog, terms.policy, terms.prices, runs(plan, placement))


def wired(
    plan: Plan, placement: Placement, chooser: Chooser, links: Container[int] | None = None
) -> NumberedConnections:
    """The same of some links alone, by their index; ``chooser`` chooses the cables."""
    gone = missing(plan)
    joined = {
        place: connections(plan, link, gone)
        for place, link in enumerate(plan.every_link)
        if links is None or link.index in links
    }
    return wired_alone(plan, placement, chooser, joined)


def wired_alone(
    plan: Plan, placement: Placement, chooser: Chooser, joined: Mapping[int, Iterable[PortPair]]
) -> NumberedConnections:
    """The same of some connections alone, by the place of their link in the plan."""
    wiring = NumberedConnections()
    ports = _SwitchPorts(plan)
    parts = RecipeNumbers(chooser, placement, wiring)
    for place, of_link in joined.items():
        link, pairs = plan.every_link[place], list(of_link)
        recipes = [parts.between(link, a, b) for a, b, _, _ in pairs]
        _Bundle(plan, place, link, pairs, recipes, wiring, ports).place()
    ports.settle(wiring)
    return wiring


class RecipeNumbers:
    """The recipe of each connection by its length, each kind chosen once."""

    def __init__(self, chooser: Chooser, placement: Placement, wiring: NumberedConnections) -> None:
        self._chooser, self._wiring = chooser, wiring
        self._measure = CableLengths(placement)
        self._known: dict[tuple[int, tuple[float, bool] | None], int] = {}

    def between(self, link: LinkPlan, a: int, b: int) -> int:
        """The number of the recipe of a cable between two devices."""
        return self.of(link, self._measure.between(link.a.group, a, link.b.group, b))

    def of(self, link: LinkPlan, length: tuple[float, bool] | None) -> int:
        """The number of the recipe at a length: metres, and whether it stays in one rack."""
        key = (link.index, length)
        if key not in self._known:
            self._known[key] = len(self._wiring.recipes)
            length_m, within = length or (None, None)
            own = link.length_m
            recipe, findings = self._chooser.parts(link, None if own else length_m, within)
            self._wiring.recipes.append(recipe)
            self._wiring.length_m.append(own or length_m)
            self._wiring.findings += findings
        return self._known[key]


class _Bundle:
    """The connections of one link, cable by cable."""

    def __init__(
        self,
        plan: Plan,
        place: int,
        link: LinkPlan,
        joined: Sequence[PortPair],
        recipes: Sequence[int],
        wiring: NumberedConnections,
        ports: _SwitchPorts,
    ) -> None:
        self._plan, self._place, self._link = plan, place, link
        self._joined, self._recipes = joined, recipes
        self._wiring, self._ports = wiring, ports

    def place(self) -> None:
        known = self._wiring.recipes
        used = {number: known[number] for number in set(self._recipes)}
        if all(recipe is None or recipe.carried == 1 for recipe in used.values()):
            bodies = {number: one.bodies if one else 1 for number, one in used.items()}
            for connection, number in zip(self._joined, self._recipes, strict=True):
                self._append(connection, number, STRAIGHT, 1)
                self._wiring.cables += bodies[number]
            return
        for number, held, split in self._shared(used):
            carried = max(1, held.carried if held else 1)
            group = split
            begun = self._begun(held, split[0])
            if begun in self._ports.begun:
                legs = self._ports.begun[begun]
                group = split[len(legs.left) :]
                for connection, leg in zip(split, tuple(legs.left), strict=False):
                    self._append(connection, number, leg, 1, legs)
                    legs.left.remove(leg)
                if not legs.left:
                    del self._ports.begun[begun]
            for start in range(0, len(group), carried):
                legs_used = group[start : start + carried]
                for leg, connection in enumerate(legs_used):
                    shown = leg + 1 if held and held.split_at else STRAIGHT
                    self._append(connection, number, shown, carried if leg == 0 else 1)
                if begun is not None and len(legs_used) < carried:
                    left = list(range(len(legs_used) + 1, carried + 1))
                    self._ports.begin(begun, self._link, self._wiring.cables, left, held)
                self._wiring.cables += held.bodies if held else 1

    def _begun(self, recipe: Recipe | None, connection: PortPair) -> tuple[object, ...] | None:
        """What links that may share a splitter have in common, where it splits at a switch."""
        if recipe is None or recipe.split_at is None:
            return None
        at_a = recipe.split_at == self._link.a.group
        return splitter_of(self._plan, self._link, recipe, connection[0 if at_a else 1])

    def _shared(
        self, used: dict[int, Recipe | None]
    ) -> list[tuple[int, Recipe | None, list[PortPair]]]:
        """Connections that may share cables: those of one pair, or of one device where it splits.

        A splitter may lead anywhere with legs of one part and length, so those of one length
        count as one, whichever run they belong to.
        """
        alike: dict[tuple[object, ...], list[PortPair]] = defaultdict(list)
        first: dict[tuple[object, ...], int] = {}
        for connection, number in zip(self._joined, self._recipes, strict=True):
            recipe = used[number]
            key = (
                *shared_by(self._plan, self._link, connection, recipe),
                recipe.key if recipe else (),
            )
            alike[key].append(connection)
            first.setdefault(key, number)
        return [(first[key], used[first[key]], found) for key, found in alike.items()]

    def _append(
        self, connection: PortPair, recipe: int, leg: int, carried: int, of: _Legs | None = None
    ) -> None:
        """Give a connection its ports, and its cable: the next, or legs of one that is begun."""
        go_on()
        a, b, port_a, port_b = connection
        wiring, link, take = self._wiring, self._link, self._ports.take
        parts = wiring.recipes[recipe]
        if of is not None and of.group == link.a.group:
            port_a = of.head + leg - 1
        elif of is not None:
            port_b = of.head + leg - 1
        wiring.link.append(self._place)
        wiring.a.append(a)
        wiring.b.append(b)
        wiring.port_a.append(port_a if port_a >= 0 else take(link, link.a, a, carried, parts))
        wiring.port_b.append(port_b if port_b >= 0 else take(link, link.b, b, carried, parts))
        wiring.recipe.append(recipe)
        wiring.cable.append(wiring.cables if of is None else of.cable)
        wiring.leg.append(leg)


@dataclass
class _Legs:
    """The legs that are left of a splitter: its cable, and where its head is, in its mode."""

    group: str
    cable: int
    head: int
    left: list[int]


class _SwitchPorts:
    """Ports of switches handed out in order, by mode: those of one speed and plug share cages."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._taken: dict[str, dict[tuple[int, int], list[int]]] = defaultdict(dict)
        self._open: dict[tuple[object, ...], int] = {}
        self.begun: dict[tuple[object, ...], _Legs] = {}

    def begin(
        self,
        key: tuple[object, ...],
        link: LinkPlan,
        cable: int,
        left: list[int],
        recipe: Recipe | None,
    ) -> None:
        """Keep the legs of the last splitter for links to come: no other plug fits its cage."""
        group, device = str(key[0]), key[1]
        assert isinstance(device, int)
        end = link.end_of(group)
        if end.breakout == 1:
            return
        cage = self._cage(link, end, device, recipe)
        head = self._open[cage] - left[0] + 1
        self.begun[key] = _Legs(group, cable, head, left)
        self._open[cage] = head + left[-1]

    def take(
        self, link: LinkPlan, end: LinkEnd, number: int, carried: int, recipe: Recipe | None
    ) -> int:
        """The next port of this mode, counted within the mode; aligned for wider plugs.

        It is in the cage that was begun for the same plug, else in the next cage.
        """
        modes = self._taken[end.group]
        mode = (link.speed_gbit, end.breakout)
        if mode not in modes:
            modes[mode] = [0] * self._plan.groups[end.group].instances
        taken = modes[mode]
        if end.breakout == 1:
            taken[number] += 1
            return taken[number] - 1
        cage = self._cage(link, end, number, recipe)
        wide = min(carried, end.breakout)
        port = -(-self._open.get(cage, 0) // wide) * wide
        if port % end.breakout == 0:
            port = taken[number]
            taken[number] += end.breakout
        self._open[cage] = port + 1
        return port

    def _cage(
        self, link: LinkPlan, end: LinkEnd, number: int, recipe: Recipe | None
    ) -> tuple[object, ...]:
        """What ports of one cage have in common: device, mode, and what is plugged in."""
        return (
            end.group,
            number,
            link.speed_gbit,
            end.breakout,
            recipe and recipe.plug_at(end.group),
        )

    def settle(self, wiring: NumberedConnections) -> None:
        """Move each mode behind the cages of those before it, once all are counted."""
        base: dict[tuple[str, tuple[int, int]], list[int]] = {}
        for name, modes in self._taken.items():
            cages = [0] * self._plan.groups[name].instances
            for mode, taken in modes.items():
                base[name, mode] = [before * mode[1] for before in cages]
                cages = [
                    before - (-many // mode[1]) for before, many in zip(cages, taken, strict=True)
                ]
            self._require_cages(name, max(cages, default=0), wiring)
        several = {name for name, modes in self._taken.items() if len(modes) > 1}
        if not several:
            return
        for at, place in enumerate(wiring.link):
            link = self._plan.every_link[place]
            for end, ports, numbers in (
                (link.a, wiring.port_a, wiring.a),
                (link.b, wiring.port_b, wiring.b),
            ):
                if end.group in several and not end.ports:
                    mode = (link.speed_gbit, end.breakout)
                    ports[at] += base[end.group, mode][numbers[at]]

    def _require_cages(self, name: str, cages: int, wiring: NumberedConnections) -> None:
        part, has = self._plan.groups[name].part, self._plan.groups[name].cages
        if part is not None and has is not None and cages > has.count:
            cages_of = {"cages_asked": cages, "cages": has.count}
            short = found("cages-short", at_group(name), part=part.name, **cages_of)
            wiring.findings.append(short)
