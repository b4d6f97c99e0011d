"""Rows of the cable schedule, streamed: by rack, U and port of the A-end."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal, NamedTuple

from toposmith.bill.link_cages import PortLabels, port_labels
from toposmith.bill.numbered_connections import NumberedConnections, wire
from toposmith.bill.recipes import Recipe
from toposmith.bill.terms import Terms
from toposmith.cancellation import go_on
from toposmith.catalog import Cable, Catalog
from toposmith.catalog.part_numbers import family_of, ordered_as, whole_number
from toposmith.fabric.faults import Faults, Instance
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.slow_cables import SlowCables
from toposmith.findings.finding import Finding
from toposmith.racks.connections import coordinates, instance_of
from toposmith.racks.locked_devices import device_names, port_names
from toposmith.racks.placement import NOWHERE, Placement

_MANY = 1_000_000
"""More cables than two devices have, to see how many of them selectors take."""


def running_gbit(plan: Plan, wiring: NumberedConnections) -> list[float | None]:
    """The rate of each connection, Gb/s; None where it is down. Empty where nothing is slow.

    Of the cables between two switches the last are those that are down, before them those that
    are slow, as selectors count them.
    """
    if not plan.slow:
        return []
    pairs: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row, pair in enumerate(zip(wiring.link, wiring.a, wiring.b, strict=True)):
        pairs[pair].append(row)
    found: list[float | None] = [None] * len(wiring)
    running = _Running(plan)
    for (place, a, b), rows in pairs.items():
        link = plan.every_link[place]
        ends = instance_of(plan, link.a.group, a), instance_of(plan, link.b.group, b)
        if link.a.ports or link.b.ports:
            for row in rows:
                found[row] = running.of_port(link, *ends, wiring.port_a[row], wiring.port_b[row])
        else:
            for row, gbit in zip(rows, running.of_pair(link, *ends, len(rows)), strict=False):
                found[row] = gbit
    return found


class _Running:
    """Speeds of live cables of one plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._slow = SlowCables(plan)
        self._gone = Faults(plan, without_down=True)
        self._absent = Faults(plan, without_down=False)

    def of_port(
        self, link: LinkPlan, a: Instance, b: Instance, port_a: int, port_b: int
    ) -> float | None:
        """Gb/s of the cable at a node's port, or at the ports of two; None where it is down."""
        ports = [port if end.ports else None for end, port in _ends(link, port_a, port_b)]
        gone = self._is_gone(a, b) or any(
            port is not None and self._gone.takes_port(device[0], end.ports, port, device[1])
            for device, (end, _), port in zip((a, b), _ends(link, 0, 0), ports, strict=True)
        )
        return None if gone else self._slow.gbit(link, a, b, *ports)

    def of_pair(self, link: LinkPlan, a: Instance, b: Instance, cables: int) -> list[float]:
        """Gb/s of the live ones of so many cables between two switches, in order."""
        if self._is_gone(a, b):
            return []
        dealt = cables + _MANY - self._absent.cables_left(a, b, _MANY)
        live = min(cables, self._gone.cables_left(a, b, dealt))
        speeds = self._slow.between(link, a, b, live, of=dealt) if live else {}
        return [gbit for gbit, many in reversed(speeds.items()) for _ in range(many)]

    def _is_gone(self, a: Instance, b: Instance) -> bool:
        return any(self._gone.takes_device(*each) for each in (a, b)) or self._gone.takes_cables(
            a, b
        )


def _ends(link: LinkPlan, port_a: int, port_b: int) -> tuple[tuple[LinkEnd, int], ...]:
    return (link.a, port_a), (link.b, port_b)


RAIL = "rail"
"""The axis whose values number the rails, where a design has it."""

Progress = Callable[[int, int], object]
"""Called with the number of rows done, and of all."""

_STEP = 10_000


class ScheduledEnd(NamedTuple):
    """One end of a cable; rack and U are None for a device without a rack.

    ``number`` is that of the instance in its group. ``place`` is the port by its place: of a node
    as it is dealt, of a switch by cage, then port in the cage, of which there are ``breakout``.
    """

    rack: str | None
    unit: int | None
    node: str
    kind: Literal["Host", "Switch"]
    port: str
    module: str | None
    number: int
    place: int
    breakout: int


class CableRow(NamedTuple):
    """One cable, or one leg of a splitter.

    ``label`` is that of the cable, with ``-1``, ``-2`` behind it for the legs of a splitter; by
    the lock where the design has one.
    ``medium`` is dac, acc, aec, aoc, multimode or singlemode; with part, part number and length it
    is None where the catalog has no cable. ``link`` is the link of the design that it is one of.
    ``runs_gbit`` is its rate where the design marks some cables as slow; None where it is down.
    """

    label: str
    cable: int
    a: ScheduledEnd
    z: ScheduledEnd
    protocol: str
    speed_gbit: int
    part: str | None
    part_number: str | None
    medium: str | None
    length_m: float | None
    rail: int | None
    fibre: int | None
    link: LinkPlan
    runs_gbit: float | None = None


class _Ordered(NamedTuple):
    """The order data of a recipe for the rows of its cables; modules by group."""

    part: str | None
    part_number: str | None
    medium: str | None
    length_m: float | None
    bodies: int
    modules: Mapping[str, str]


class Schedule:
    """The cable schedule of a design; iterating gives its rows, one after another.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; what is absent has no cables.
    catalog : Catalog
        Where cables are chosen from.
    placement : Placement
        Where its devices stand.
    terms : Terms, optional
        Prices and policy, which choose the cables as they do on the bill.
    wiring : NumberedConnections, optional
        Its connections on these terms, where they are known already.

    Attributes
    ----------
    cables : int
        Number of cables: distinct labels without their legs.
    findings : tuple of Finding
        Links that no part fits, and switches that lack cages for their plugs.
    says_speeds : bool
        Whether the design marks cables as slow, so that rows have ``runs_gbit``.
    """

    def __init__(
        self,
        plan: Plan,
        catalog: Catalog,
        placement: Placement,
        terms: Terms | None = None,
        wiring: NumberedConnections | None = None,
    ) -> None:
        self._plan, self._placement = plan, placement
        self._wiring = wire(plan, catalog, placement, terms) if wiring is None else wiring
        self.cables = self._wiring.cables
        self._runs = running_gbit(plan, self._wiring)
        self.says_speeds = bool(self._runs)
        self.findings: tuple[Finding, ...] = tuple(dict.fromkeys(self._wiring.findings))

    def __len__(self) -> int:
        """Rows: one for each connection, and one more for each further fibre that it takes."""
        wiring = self._wiring
        several = {
            number: recipe.bodies - 1
            for number, recipe in enumerate(wiring.recipes)
            if recipe is not None and recipe.bodies > 1
        }
        return len(wiring) + sum(several.get(number, 0) for number in wiring.recipe if several)

    def __iter__(self) -> Iterator[CableRow]:
        return self.rows()

    def rows(self, progress: Progress | None = None) -> Iterator[CableRow]:
        """Every row; ``progress`` is called periodically, and at the end."""
        wiring, total = self._wiring, len(self)
        width = max(4, len(str(wiring.cables)))
        numbers = array("i", bytes(4 * wiring.cables))
        named = done = 0
        links = [_Link(self._plan, self._placement, link) for link in self._plan.every_link]
        ordered = [
            _ordered(recipe, length)
            for recipe, length in zip(wiring.recipes, wiring.length_m, strict=True)
        ]
        for at in self._order(links):
            link, ordered_as = links[wiring.link[at]], ordered[wiring.recipe[at]]
            a, z = link.ends(wiring, at, ordered_as)
            rail = link.rail(wiring.a[at], wiring.b[at])
            for fibre in range(ordered_as.bodies):
                cable = wiring.cable[at] + fibre
                if not numbers[cable]:
                    named += 1
                    numbers[cable] = named
                label = f"C{numbers[cable]:0{width}d}"
                if wiring.labels:
                    label = wiring.labels[cable]
                if wiring.leg[at]:
                    label += f"-{wiring.leg[at]}"
                yield CableRow(
                    label,
                    numbers[cable],
                    a,
                    z,
                    link.plan.protocol,
                    link.plan.speed_gbit,
                    ordered_as.part,
                    ordered_as.part_number,
                    ordered_as.medium,
                    ordered_as.length_m,
                    rail,
                    fibre + 1 if ordered_as.bodies > 1 else None,
                    link.plan,
                    self._runs[at] if self._runs else None,
                )
                done += 1
                if not done % _STEP:
                    go_on()
                    if progress:
                        progress(done, total)
        if progress:
            progress(done, total)

    def order(self) -> list[int]:
        """The connections in the order of their rows."""
        return self._order(
            [_Link(self._plan, self._placement, link) for link in self._plan.every_link]
        )

    def _order(self, links: list[_Link]) -> list[int]:
        """Connections by rack, U and device of the A-end, then by port; those without a rack last.

        Every device has a rank, so that one number says where a row stands.
        """
        wiring = self._wiring
        placed: list[tuple[int, int, str, int]] = []
        far = len(self._placement.racks)
        for name in dict.fromkeys(link.plan.a.group for link in links):
            for number in range(self._plan.groups[name].instances):
                spot = self._placement.spot(name, number)
                rack, unit = (spot.rack, spot.unit) if spot else (far, 0)
                placed.append((rack, unit, name, number))
        rank: dict[str, list[int]] = {
            name: [0] * self._plan.groups[name].instances for name in self._plan.groups
        }
        racks = self._places()
        placed.sort(key=lambda one: (racks[one[0]], *one[1:]))
        for at, (_, _, name, number) in enumerate(placed):
            rank[name][number] = at
        ranks = [rank[link.plan.a.group] for link in links]
        orders = [link.port_order for link in links]
        wide = 1 + max((max(order, default=0) for order in orders), default=0) + _STEP
        keys = array("q", bytes(8 * len(wiring)))
        for row, (place, a, port) in enumerate(
            zip(wiring.link, wiring.a, wiring.port_a, strict=True)
        ):
            order = orders[place]
            where = order[port] if port < len(order) else port
            keys[row] = ranks[place][a] * wide + min(where, wide - 1)
        return sorted(range(len(wiring)), key=keys.__getitem__)

    def _places(self) -> list[tuple[int, int]]:
        """Row and column by number of the rack; beyond all of them for what stands nowhere."""
        racks = list(self._placement.racks)
        return [*racks, (max((row for row, _ in racks), default=0) + 1, 0)]


class _Link:
    """What the rows of one link have in common."""

    def __init__(self, plan: Plan, placement: Placement, link: LinkPlan) -> None:
        self.plan = link
        self._ends = [_EndNames(plan, placement, end) for end in (link.a, link.b)]
        self._ports = [_ports(plan, end) for end in (link.a, link.b)]
        self.port_order = self._ports[0].order
        self._rail_at = next(
            (
                (side, plan.groups[end.group], plan.groups[end.group].axes.index(RAIL))
                for side, end in enumerate((link.a, link.b))
                if RAIL in plan.groups[end.group].axes
            ),
            None,
        )
        self._rails: dict[int, int] = {}

    def ends(
        self, wiring: NumberedConnections, at: int, ordered_as: _Ordered
    ) -> tuple[ScheduledEnd, ScheduledEnd]:
        """Both ends of a connection."""
        module_a = ordered_as.modules.get(self.plan.a.group)
        module_z = ordered_as.modules.get(self.plan.b.group)
        first, second = self._ends
        return (
            first.end(wiring.a[at], wiring.port_a[at], self._ports[0], module_a),
            second.end(wiring.b[at], wiring.port_b[at], self._ports[1], module_z),
        )

    def rail(self, a: int, b: int) -> int | None:
        """The rail of a connection, from either end's value on that axis; None without the axis."""
        if self._rail_at is None:
            return None
        side, group, axis = self._rail_at
        number = b if side else a
        if number not in self._rails:
            self._rails[number] = coordinates(group, number)[axis]
        return self._rails[number]


class _EndNames:
    """Rack, U and name of the instances of a group, each computed once."""

    def __init__(self, plan: Plan, placement: Placement, end: LinkEnd) -> None:
        name = end.group
        self._name, self._placement, self._breakout = name, placement, end.breakout
        self._named = device_names(plan, name)
        self._kind: Literal["Host", "Switch"] = "Switch" if plan.groups[name].cages else "Host"
        self._known: dict[int, tuple[str | None, int | None, str]] = {}

    def end(self, number: int, place: int, ports: PortLabels, module: str | None) -> ScheduledEnd:
        if number not in self._known:
            spot = self._placement.spot(self._name, number)
            rack = self._placement.label(spot.rack) if spot and spot.rack != NOWHERE else None
            unit = spot.unit if spot else None
            self._known[number] = (rack, unit, self._named(number))
        rack, unit, node = self._known[number]
        port = _label(ports, place)
        return ScheduledEnd(
            rack, unit, node, self._kind, port, module, number, place, self._breakout
        )


def _ordered(recipe: Recipe | None, length_m: float | None) -> _Ordered:
    """What to order; transceivers by part number, or by id where that is unknown."""
    if recipe is None:
        return _Ordered(None, None, None, length_m, 1, {})
    modules = {group: whole_number(one) or one.id for group, one in recipe.modules}
    body = recipe.body
    number = ordered_as(whole_number(body, recipe.length_m), family_of(body))
    medium = recipe.body.medium if isinstance(recipe.body, Cable) else recipe.body.fibre
    return _Ordered(recipe.body.id, number, medium, recipe.length_m, recipe.bodies, modules)


def _ports(plan: Plan, end: LinkEnd) -> PortLabels:
    """The ports of one end, called as the map of names or the lock has it."""
    own = port_labels(plan.groups[end.group], end)
    given = port_names(plan, end.group)
    if not given:
        return own
    return replace(own, labels=[given.get(label, label) for label in own.labels])


def _label(ports: PortLabels, port: int) -> str:
    """The label of a port; one that the device does not have is marked."""
    return ports.labels[port] if port < len(ports.labels) else f"!{port + 1}"
