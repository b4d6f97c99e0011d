"""Lines of the bill: one for each part to buy, or for each length of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from toposmith.bill.cable_lots import CableLot, Quantities
from toposmith.bill.link_parts import LENGTH_NOT_GIVEN
from toposmith.bill.terms import SparePolicy
from toposmith.catalog import Catalog, Fibre, NvlinkSwitch, Part, RackSystem, Switch
from toposmith.catalog.kinds import KINDS, kind_of
from toposmith.catalog.part_numbers import (
    family_of,
    is_doubtful,
    ordered_as,
    second_number,
    whole_number,
)
from toposmith.catalog.part_power import power_range, rack_management, units_taken
from toposmith.catalog.prices import Price, PriceList
from toposmith.fabric.counts import device_counts
from toposmith.fabric.line_cards import configured
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.racks.rack_devices import known_height
from toposmith.racks.whole_racks import SoldWhole
from toposmith.text import counted, plain_number, power

_ORDER_FIGURES = ("power_w", "rack_units", "weight_kg", "reach_m")


@dataclass(frozen=True)
class Included:
    """Something included in a line: ``each`` with one piece, ``quantity`` in all; not in totals."""

    name: str
    part: str | None
    each: int | None
    quantity: int | None

    @property
    def words(self) -> str:
        """``144 x GB200 NVL72 compute tray, 18 with each``; of what has no count its name."""
        if self.each is None:
            return self.name
        return f"{self.quantity:,} x {self.name}, {self.each:,} with each"


@dataclass(frozen=True)
class BillLine:
    """One part to buy; figures and prices that are unknown are None.

    Parameters
    ----------
    part, kind, name, manufacturer, description
        What the part is.
    part_number : str or None
        Its order number; None where the catalog has none for this part or length.
    quantity : int
        Pieces that the design needs.
    length_m : float or None
        Length to order, of cables and fibres.
    used_by : tuple of str
        Groups, ends (``node.compute``) or links that use it.
    unit_power_w, unit_rack_units, unit_weight_kg : float or None
        Figures of one piece: W, U, kg.
    spares : int
        Pieces ordered as spares; only in the totals of spares.
    price : Price or None
        Price of one piece, with currency, date and source.
    unverified : tuple of str
        Fields whose figure is unverified.
    notes : tuple of str
        What to know before ordering.
    family : str or None
        The common part of the part numbers of all lengths, where each length has one.
    unit_least_power_w : float
        Least power of one, W: its power where that is known, else that of its GPUs and NICs.
    power_includes_modules : bool or None
        Of a switch: whether its power is that with modules in its cages; None where unknown.
    in_switch_power : int
        Pieces whose power is already included in that of their switches.
    includes : tuple of Included
        What is included and on no other line.
    taken : bool
        Whether the devices are known to take it, or it is coded for them when it is ordered.
    configured : bool
        Whether it is ordered by quote, as its description says, rather than by a number.
    """

    part: str
    kind: str
    name: str
    manufacturer: str
    part_number: str | None
    description: str
    quantity: int
    length_m: float | None
    used_by: tuple[str, ...]
    unit_power_w: float | None
    unit_rack_units: float | None
    unit_weight_kg: float | None
    spares: int = 0
    price: Price | None = None
    unverified: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    family: str | None = None
    unit_least_power_w: float = 0.0
    power_includes_modules: bool | None = None
    in_switch_power: int = 0
    includes: tuple[Included, ...] = ()
    taken: bool = True
    configured: bool = False

    @property
    def numbered(self) -> bool:
        """Whether it has a complete, verified part number."""
        return self.part_number is not None and "part_number" not in self.unverified

    @property
    def orderable(self) -> bool:
        """Whether it can be ordered, by number or by quote, for devices that take it."""
        return (self.numbered or self.configured) and self.taken

    @property
    def ordered_as(self) -> str | None:
        """Its part number, else the family whose length is to be chosen; None without either."""
        return ordered_as(self.part_number, self.family)

    @property
    def power_notes(self) -> tuple[str, ...]:
        """Notes on its power figure; empty where none is needed."""
        if self.within_switches_w:
            many = f"{self.in_switch_power:,} of {self.quantity:,}"
            return (f"the power of {many} is in that of their switches",)
        if self.kind != "switch" or self.unit_power_w is None:
            return ()
        if self.power_includes_modules is None:
            return ("whether its power includes modules is not in this catalog",)
        word = "with" if self.power_includes_modules else "without"
        return (f"power {word} modules in its cages",)

    @property
    def within_switches_w(self) -> float:
        """Power in W that is already included in that of its switches."""
        return _times(self.in_switch_power, self.unit_power_w) or 0.0

    def power_cell(self, within: str = "within the switches", least: str = "at least") -> str:
        """Its power as a cell; power outside totals is marked: ``1,088 (within the switches)``.

        Where it is not known, what counts in totals: ``at least 18,996``.
        """
        if self.power_w is None and self.least_power_w:
            return f"{least} {plain_number(round(self.least_power_w, 3))}"
        words = plain_number(self.power_w)
        if not self.within_switches_w:
            return words
        some = self.in_switch_power < self.quantity
        part = f"{plain_number(round(self.within_switches_w, 3))} " if some else ""
        return f"{words} ({part}{within})"

    @property
    def added_power_w(self) -> float | None:
        """Power of the pieces that no switch's power includes, W; None if unknown."""
        return _times(self.quantity - self.in_switch_power, self.unit_power_w)

    @property
    def least_power_w(self) -> float:
        """The least power that it adds to the total, W."""
        return (self.quantity - self.in_switch_power) * self.unit_least_power_w

    @property
    def power_w(self) -> float | None:
        """Power of all pieces, W; None if unknown."""
        return _times(self.quantity, self.unit_power_w)

    @property
    def rack_units(self) -> float | None:
        """Height of all pieces, U; None for parts without a height of their own."""
        return _times(self.quantity, self.unit_rack_units)

    @property
    def weight_kg(self) -> float | None:
        """Weight of all pieces, kg; None if unknown."""
        return _times(self.quantity, self.unit_weight_kg)

    @property
    def order(self) -> int:
        """Pieces to order: those that the design needs, and spares."""
        return self.quantity + self.spares

    @property
    def paid_pieces(self) -> int:
        """Pieces to pay: those ordered, at least the minimum order quantity."""
        least = self.price.minimum_order if self.price else None
        return max(self.order, least or 0)

    @property
    def total_price(self) -> Decimal | None:
        """Price of the quantity that the design needs, without spares."""
        return None if self.price is None else self.quantity * self.price.amount


def device_lines(
    plan: Plan, catalog: Catalog, sold: Mapping[str, SoldWhole] | None = None
) -> list[BillLine]:
    """One line for every part that is a device, or a NIC fitted into one.

    Trays that ``sold`` lists as whole racks are only on the lines of these.
    """
    sold = sold or {}
    counts = device_counts(plan)
    wanted: Counter[str] = Counter()
    users: dict[str, list[str]] = defaultdict(list)
    for name, group in plan.groups.items():
        if group.part is None:
            continue
        trays = sold.get(name)
        devices = counts[name] if trays is None else trays.trays_left
        for rack in sold.values():
            if rack.switches is group and rack.switches_within:  # included in their rack
                devices -= len(rack.switches_within)
                users[rack.system.id].append(name)
        if trays is not None and trays.racks:
            wanted[trays.system.id] += trays.racks
            users[trays.system.id].append(name)
        if devices:
            wanted[group.part.id] += devices
            users[group.part.id].append(name)
        for part, each, user in (*_extra_nics(group), *_modules(plan, name, catalog)):
            wanted[part] += each * counts[name]
            users[part].append(user)
    lines = (
        part_line(catalog[part], catalog, quantity, users[part])
        for part, quantity in wanted.items()
        if quantity
    )
    cards = (_with_cards(_with_height(line, plan), plan, catalog) for line in lines)
    return [_in_racks(line, plan, catalog, sold) for line in cards]


def _with_height(line: BillLine, plan: Plan) -> BillLine:
    """The line with the height that the design gives to a part that does not say its own.

    None where its groups differ in height, or one has none: a line has one figure.
    """
    if not KINDS[line.kind].racked or line.unit_rack_units is not None:
        return line
    heights = {known_height(plan, name) for name in line.used_by}
    return replace(line, unit_rack_units=heights.pop()) if len(heights) == 1 else line


def _in_racks(
    line: BillLine, plan: Plan, catalog: Catalog, sold: Mapping[str, SoldWhole]
) -> BillLine:
    """A whole rack with its contents and power; remaining trays with what they lack."""
    part = catalog[line.part]
    if isinstance(part, RackSystem):
        return replace(
            line,
            unit_rack_units=units_taken(part, catalog),
            includes=tuple(_included(part, line.quantity, catalog)),
            notes=(*line.notes, *_rack_notes(part, plan, catalog)),
        )
    left = [sold[name] for name in line.used_by if name in sold]
    if not left:
        return line
    held = ", ".join(one.left_words for one in left)
    note = f"sold in racks {left[0].system.name} ({left[0].system.id}); in no whole one: {held}"
    return replace(line, notes=(*line.notes, note))


def _included(system: RackSystem, racks: int, catalog: Catalog) -> Iterable[Included]:
    node = catalog[system.node]
    yield Included(node.name, node.id, system.nodes, system.nodes * racks)
    for one in system.contents:
        yield Included(one.name, one.part, one.count, one.count * racks)
    for name in system.also:
        yield Included(name, None, None, None)


def _rack_notes(system: RackSystem, plan: Plan, catalog: Catalog) -> Iterable[str]:
    """Notes on the power of its trays against that of the whole, and on parts drawn as well."""
    node = catalog[system.node]
    drawn = power_range(node, catalog)
    if drawn.least_w:
        least = "" if drawn.known_w is not None else "at least "
        trays = f"{system.nodes} trays draw {least}{power(system.nodes * drawn.least_w)}"
        whole = power(system.power_w) if system.power_w else "not in this catalog"
        yield f"{trays}; the power of the rack as a whole is {whole}"
    parts = {group.part.id: name for name, group in plan.groups.items() if group.part}
    for one in system.contents:
        if one.part in parts and not isinstance(catalog.get(one.part), NvlinkSwitch):
            yield (
                f"each holds {one.count} x {one.name}; those that {parts[one.part]} draws are "
                "listed besides"
            )
    yield from _management_notes(system, catalog)


def _management_notes(system: RackSystem, catalog: Catalog) -> Iterable[str]:
    """Notes on the management switches included in a rack, and on their uplinks."""
    held = rack_management(system, catalog)
    if not held.switches:
        return
    least = "" if held.known else "at least "
    doubtful = "management_ports" in catalog[system.node].unverified
    yield (
        f"{least}{counted(held.ports, 'management port')} of each"
        f"{' (those of a tray are unverified)' if doubtful else ''} are for its "
        f"{counted(held.switches, 'management switch')}, which have {held.sockets}; their uplinks, "
        f"{counted(held.uplinks, 'cage')}, lead out of it"
    )


def _modules(plan: Plan, name: str, catalog: Catalog) -> Iterable[tuple[str, int, str]]:
    """Components of a modular switch: part, number for each switch, and the group."""
    order = configured(plan, name, catalog)
    for module, count in order.modules.items() if order else ():
        yield module, count, name


def _with_cards(line: BillLine, plan: Plan, catalog: Catalog) -> BillLine:
    """A chassis with a note on its line cards, group by group."""
    if line.kind != "switch":
        return line
    orders = {name: configured(plan, name, catalog) for name in line.used_by if name in plan.groups}
    several = len(orders) > 1
    words = [
        f"{name}: {order.words}" if several else order.words
        for name, order in orders.items()
        if order
    ]
    return replace(line, notes=(*line.notes, *words)) if words else line


def _extra_nics(group: GroupPlan) -> Iterable[tuple[str, int, str]]:
    """NICs beyond those that the node is sold with: part, how many per node, and where."""
    node = group.host
    if node is None:
        return
    for slots, ports in group.port_groups.items():
        if ports.nic is None or slots not in node.slots:
            continue  # a management port is part of the device
        room = node.slots[slots]
        built_in = room.fitted if room.nic == ports.nic.id else 0
        if ports.nics > built_in:
            yield ports.nic.id, ports.nics - built_in, f"{group.name}.{slots}"


def cabling_lines(
    plan: Plan,
    catalog: Catalog,
    lots: Mapping[int, tuple[CableLot, ...]],
    counted: Quantities,
) -> Iterable[BillLine]:
    """One line for every cable, fibre and transceiver, and for every length of it."""
    labels = {link.index: link.label for link in plan.every_link}
    ends_of = {link.index: (link.a.group, link.b.group) for link in plan.every_link}
    bodies: Counter[tuple[str, float | None]] = Counter()
    included: Counter[tuple[str, float | None]] = Counter()
    users: dict[tuple[str, float | None], list[str]] = defaultdict(list)
    reach: dict[tuple[str, float | None], float] = {}
    for index, built in lots.items():
        for number, lot in enumerate(built):
            if (recipe := lot.recipe) is None:
                continue
            key = (recipe.body.id, recipe.length_m)
            many = counted.bodies[index, number]
            bodies[key] += many
            if all(_includes_modules(plan, group) for group in ends_of[index]):
                included[key] += many
            users[key].append(labels[index])
            reach[key] = min(recipe.reach_m, reach.get(key, recipe.reach_m))
    for key, quantity in bodies.items():
        part, length = key
        note = f"{LENGTH_NOT_GIVEN}; reaches {plain_number(reach[key])} m"
        notes = [note] if length is None else []
        if quantity:
            line = part_line(catalog[part], catalog, quantity, users[key], length, notes)
            yield replace(line, in_switch_power=included[key])
    modules: Counter[str] = Counter()
    within: Counter[str] = Counter()
    ends: dict[str, list[str]] = defaultdict(list)
    for (end, part), quantity in counted.modules.items():
        modules[part] += quantity
        ends[part].append(end)
        if _includes_modules(plan, end):
            within[part] += quantity
    for part, quantity in modules.items():
        line = part_line(catalog[part], catalog, quantity, ends[part])
        yield replace(line, in_switch_power=within[part])


def _includes_modules(plan: Plan, name: str) -> bool:
    """Whether the power of the switches of a group is known, and to be that with modules."""
    group = plan.groups.get(name)
    switch = group.switch if group else None
    known = switch is not None and switch.power_w is not None
    return known and switch is not None and switch.power_includes_modules is True


def ordered(line: BillLine, prices: PriceList, spares: SparePolicy) -> BillLine:
    """The line with its price, where a list has one, and its spares."""
    price = prices.price(line.part, line.length_m)
    return replace(line, price=price, spares=spares.spares(line.kind, line.quantity))


OWN_PART = "a part of your own files"
"""The note on the line of a part that is not built in."""


def part_line(
    part: Part,
    catalog: Catalog,
    quantity: int,
    used_by: Iterable[str],
    length_m: float | None = None,
    notes: Iterable[str] = (),
) -> BillLine:
    """A line for a quantity of a part; passive parts have no power."""
    kind = kind_of(part)
    passive = kind.passive and part.power_w is None
    # The power of a chassis's modules is on their own lines.
    is_chassis = isinstance(part, Switch) and bool(part.modules)
    return BillLine(
        part=part.id,
        kind=part.kind,
        name=part.name,
        manufacturer=part.vendor,
        part_number=whole_number(part, length_m),
        description=(kind.described or kind.line)(part, catalog),
        quantity=quantity,
        length_m=length_m,
        used_by=tuple(dict.fromkeys(used_by)),
        unit_power_w=0.0 if passive else part.power_w,
        unit_rack_units=part.rack_units,
        unit_weight_kg=part.weight_kg,
        unverified=_unverified(part, length_m),
        notes=(*notes, *_to_know(part, length_m), *([OWN_PART] if part.id in catalog.own else ())),
        family=family_of(part),
        unit_least_power_w=0.0 if is_chassis else power_range(part, catalog).least_w,
        power_includes_modules=part.power_includes_modules if isinstance(part, Switch) else None,
        configured=isinstance(part, Fibre) and part.configured and not part.lacking,
    )


def _unverified(part: Part, length_m: float | None) -> tuple[str, ...]:
    """Doubtful figures of a line; its number is one, whichever of the part's it is."""
    unnumbered = whole_number(part, length_m) is None
    doubtful = is_doubtful(part, length_m) or (
        unnumbered and any(field in part.unverified for field in ("family", "part_numbers"))
    )
    numbers = ("part_number",) if doubtful else ()
    return (*numbers, *(field for field in part.unverified if field in _ORDER_FIGURES))


def _to_know(part: Part, length_m: float | None) -> Iterable[str]:
    """Notes for a buyer: the second number of a part, and its end of sale."""
    if (number := second_number(part, length_m)) is not None:
        yield f"also ordered as {number}"
    if isinstance(part, Fibre) and part.configured and part.lacking:
        yield f"made to measure, but not orderable: its part lacks {', '.join(part.lacking)}"
    if part.end_of_sale is not None:
        yield f"no longer sold by its maker as of {part.end_of_sale}"


def _times(quantity: int, unit: float | None) -> float | None:
    return None if unit is None else round(quantity * unit, 3)
