"""The record of a kind of part: its model, checks, card, one line and place on the bill.

Code that reads, checks, shows, finds and counts parts uses these records; ``docs/extending.md``
says how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.part_numbers import family_of, is_whole, ordered_as, whole_number
from toposmith.catalog.parts import Cable, Fibre, Nic, Part, Switch, Transceiver
from toposmith.catalog.pieces import Numbering, Slots
from toposmith.catalog.platforms import GENERIC
from toposmith.plain_text import visible
from toposmith.text import UNKNOWN, plain_number

PartT = TypeVar("PartT", bound=Part)

CardRow = tuple[str, str, str | None]
"""A row of a card before its mark: the field that it shows, its label, its value; none for None."""

Speed = tuple[str, int]
"""A protocol and Gb/s of a port."""

Speeds = tuple[Sequence[Speed], Sequence[Speed]]
"""The speeds that a part has by itself, and those that its ports can be split into."""


def _nothing(_part: Part) -> Iterable[str]:
    return ()


def _no_fault(_part: Part, _catalog: Catalog) -> Iterable[str]:
    return ()


@dataclass(frozen=True)
class PartKind(Generic[PartT]):
    """A kind of part.

    Parameters
    ----------
    model : type of Part
        Its fields with their types and ranges; the default of its ``kind`` is what part files,
        commands and bills call it.
    title : str
        The heading above parts of this kind, ``Switches``.
    line : callable
        The part in a few words, ``64 x 400 Gb/s, OSFP``; the catalog, where one is given, supplies
        the names of the parts that it refers to.
    rows : callable
        The rows of its card below name and vendor.
    faults : callable, optional
        What cannot be true of it: one line for each, beginning with the field.
    warnings : callable, optional
        Its doubtful figures: one line for each, beginning with the field.
    names : callable, optional
        Ids of the parts that it refers to, which are read and checked first.
    names_hosts : bool
        Whether these are nodes or others that refer to parts themselves.
    numbers : callable, optional
        What else it is ordered by, besides its part number and ordering number.
    speeds : callable, optional
        Speeds by which a search finds it: ``400``, ``ndr``, ``200gbe``.
    described : callable, optional
        What a bill says it is; without one, its ``line``.
    placed : bool
        Whether a design can have groups of it, which stand in racks and on the bill; nodes, storage
        and switches have ports too, which the fabric is made of.
    bill_rank : int or None
        Its place among the kinds on a bill; None for what is never bought by itself.
    racked : bool
        Whether it stands in a rack, so that a bill sums its height.
    passive : bool
        Whether it draws no power by its nature.
    """

    model: type[PartT]
    title: str
    line: Callable[[PartT, Catalog | None], str]
    rows: Callable[[PartT, Catalog], Iterable[CardRow]]
    faults: Callable[[PartT, Catalog], Iterable[str]] = _no_fault
    warnings: Callable[[PartT, Catalog], Iterable[str]] = _no_fault
    names: Callable[[PartT], Iterable[str]] = _nothing
    names_hosts: bool = False
    numbers: Callable[[PartT], Iterable[str]] = _nothing
    speeds: Callable[[PartT], Speeds] = lambda _part: ((), ())
    described: Callable[[PartT, Catalog], str] | None = None
    placed: bool = False
    bill_rank: int | None = None
    racked: bool = False
    passive: bool = False

    @property
    def id(self) -> str:
        """What part files, commands and bills call it."""
        return str(self.model.model_fields["kind"].default)

    @property
    def names_others(self) -> bool:
        """Whether its parts may name other parts."""
        return self.names is not _nothing


def number_rows(part: Part, more: Iterable[CardRow] = ()) -> list[CardRow]:
    """Numbers that the part is ordered by, ``more`` among them, and whether it is still sold."""
    number = ordered_as(whole_number(part), family_of(part)) or UNKNOWN
    body = part if isinstance(part, Cable | Fibre) else None
    named = body is not None and body.family is not None
    return [
        ("family" if named else "part_number", "Part number", number),
        (
            "part_numbers",
            "Of each length",
            _numbers_by_length(body) if body is not None and body.part_numbers else None,
        ),
        ("ordering_number", "Ordering number", part.ordering_number),
        (
            "ordering_numbers",
            "Ordering numbers",
            _each_length(body.ordering_numbers)
            if body is not None and body.ordering_numbers
            else None,
        ),
        *more,
        (
            "end_of_sale",
            "No longer sold",
            f"as of {part.end_of_sale}" if part.end_of_sale is not None else None,
        ),
    ]


def known_number(value: float | None) -> str | None:
    """A figure of a row that is left out where it is unknown."""
    return None if value is None else plain_number(value)


def optics_rows(device: Switch | Nic) -> list[CardRow]:
    """Its platform in compatibility lists, and whether it takes optics of other makers."""
    return [
        ("platform", "Optics platform", device.platform or UNKNOWN),
        ("optics", "Takes optics of", device.optics),
    ]


def platform_rows(plug: Cable | Transceiver) -> Iterator[CardRow]:
    """The switches and NICs that it is for."""
    yield "platforms", "For platforms", _platforms(plug)
    if isinstance(plug, Cable):
        for name, end in (("a", plug.a), ("b", plug.b)):
            yield f"{name}.platforms", f"End {name} for", ", ".join(end.platforms) or None


def _platforms(plug: Cable | Transceiver) -> str:
    only = {"platforms": ["no others"], "adapters": ["no switches"], None: []}[plug.only_for]
    if plug.vendor == GENERIC or plug.coded_to_order:
        return ", ".join((*plug.platforms, "coded to order"))
    return ", ".join((*plug.platforms, *only)) or UNKNOWN


def weight_row(part: Part) -> CardRow:
    """What it weighs."""
    return "weight_kg", "Weight, kg", plain_number(part.weight_kg)


def body_rows(part: Part) -> list[CardRow]:
    """Height and weight of a rack-mounted device."""
    return [
        ("rack_units", "Height, U", plain_number(part.rack_units)),
        weight_row(part),
    ]


def management_row(ports: int | None) -> CardRow:
    """The number of its RJ45 out-of-band ports; no row where that is unknown."""
    return "management_ports", "Management ports, RJ45", known_number(ports)


def power_rows(part: Part) -> list[CardRow]:
    """Maximum and typical power, W, and what feeds it."""
    return [
        ("power_w", "Power, W", plain_number(part.power_w)),
        ("power_typical_w", "Typical power, W", known_number(part.power_typical_w)),
        (
            "fed_by",
            "Fed by",
            {"AC": "AC", "busbar": "the DC busbar of its rack"}[part.fed_by]
            if part.fed_by is not None
            else None,
        ),
    ]


def slot_rows(groups: dict[str, Slots], catalog: Catalog) -> Iterator[CardRow]:
    """NIC slots, with what they are sold with."""
    for group, slots in groups.items():
        yield f"slots.{group}", f"NIC slots, {group}", _slots(slots, catalog)
        if slots.links:
            slower = part_text.slower_links(slots.links)
            yield f"slots.{group}.links", f"Slower slots, {group}", slower
        if slots.ports_across_nics:
            counted = "the first of every NIC, then the second of every NIC"
            yield f"slots.{group}.ports_across_nics", f"Ports counted, {group}", counted
        if slots.cages:
            shared = (f"{cage} = {part_text.numbers(held)}" for cage, held in slots.cages.items())
            yield f"slots.{group}.cages", f"Cages, {group}", "; ".join(shared)


def lengths(body: Cable | Fibre) -> str:
    """Lengths that are sold, m."""
    if numbering := _numbering(body):
        shortest, longest = min(body.lengths_m), max(body.lengths_m)
        between = f"{plain_number(shortest)} to {plain_number(longest)}"
        return f"{between}, {numbering.every}"
    return ", ".join(plain_number(length) for length in body.lengths_m)


def length_numbers(body: Cable | Fibre) -> Iterator[str]:
    """Every number that a length of it is ordered by, and the family of them."""
    yield body.family or ""
    yield from body.part_numbers.values()
    yield from body.ordering_numbers.values()


def length_number_faults(body: Cable | Fibre) -> list[str]:
    """Part numbers by length have to be complete, and of lengths that are sold."""
    faults = []
    named = (("part_numbers", body.part_numbers), ("ordering_numbers", body.ordering_numbers))
    for field, numbers in named:
        for length, number in numbers.items():
            if not is_whole(number):
                faults.append(
                    f"{field}: {visible(number)!r} is incomplete; family: takes a family's name"
                )
            if body.lengths_m and length not in body.lengths_m:
                faults.append(f"{field}: {length:g} m is not one of lengths_m")
    return faults


def part_name(part_id: str, catalog: Catalog | None) -> str:
    """The name of a part that another one names; its id where the catalog lacks it."""
    part = catalog.get(part_id) if catalog else None
    return part.name if part else part_id


def nic_rate(nic_id: str, catalog: Catalog | None) -> str:
    """The rate by which people call a NIC, ``NDR``; its id where the catalog lacks it."""
    nic = catalog.get(nic_id) if catalog else None
    return part_text.rate_name(nic) if isinstance(nic, Nic) else nic_id


def _numbering(body: Cable | Fibre) -> Numbering | None:
    return body.numbering if isinstance(body, Fibre) else None


def _numbers_by_length(body: Cable | Fibre) -> str:
    if numbering := _numbering(body):
        numbers = body.part_numbers
        return f"{numbers[min(numbers)]} to {numbers[max(numbers)]}, {numbering.every}"
    return _each_length(body.part_numbers)


def _each_length(numbers: dict[float, str]) -> str:
    return ", ".join(f"{length:g} m {number}" for length, number in sorted(numbers.items()))


def _slots(slots: Slots, catalog: Catalog) -> str:
    free = f"{slots.count} x {part_text.pcie(slots.pcie)}"
    if slots.nic is None or not slots.fitted:
        return f"{free}, empty"
    return f"{free}, fitted with {slots.fitted} x {part_name(slots.nic, catalog)}"
