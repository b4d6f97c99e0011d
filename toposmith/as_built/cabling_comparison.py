"""Cables of a dump against those of a plan: an outer join, and the fewest moves for what is left.

What counts is which switch a port of a host is on, and how many cables join two switches: cables
crossed inside a bundle, or on one switch between equivalent hosts, work as planned and are
distinguished from those that do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from toposmith.as_built import cabling_difference
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cabling_difference import (
    CableDetail,
    CablingDifference,
    Met,
    PlanWords,
    slow_cables,
)
from toposmith.as_built.device_matches import Match, Wires
from toposmith.as_built.neighbour_match import FEWEST
from toposmith.as_built.placed_cables import (
    CablePlacement,
    PlacedCable,
    PlacedEnd,
    circles_of,
)
from toposmith.as_built.recabling import Recabling, joined
from toposmith.text import counted, natural

_NUMBERED_ALIKE = 0.5
"""At a switch with fewer cables on their ports, the dump counts ports otherwise than the plan."""


@dataclass
class CablingComparison:
    """A dump against its plan.

    Parameters
    ----------
    planned, found, agree : int
        Cables of the plan (those that the dump could show), of the dump, and those that are the
        same port by port.
    missing, extra, unnamed : list of str
        Devices of the plan that are not seen, of the dump that are not planned, and those of the
        dump whose names say nothing.
    differences : list of CablingDifference
        Harmful ones first, by rack.
    notes : list of str
        Remarks on the method.
    other_ports : list of CableDetail
        Cables of the planned devices, at switches whose ports the dump counts otherwise.
    """

    plan: Cabling
    dump: Cabling
    match: Match
    planned: int
    found: int
    agree: int
    missing: list[str]
    extra: list[str]
    unnamed: list[str]
    differences: list[CablingDifference]
    notes: list[str]
    other_ports: list[CableDetail] = field(default_factory=list)

    @property
    def moves(self) -> int:
        """Ends of cables to move."""
        return sum(one.moves for one in self.differences)

    @property
    def add(self) -> int:
        """Cables to lay."""
        return sum(one.add for one in self.differences)

    @property
    def remove(self) -> int:
        """Cables to take out."""
        return sum(one.remove for one in self.differences)

    @property
    def same(self) -> bool:
        """Whether the fabric works as planned: nothing differs that does harm."""
        return not any(one.harmful for one in self.differences)


@dataclass
class _Joined:
    """An outer join of found and planned cables.

    Parameters
    ----------
    met, slips : list of tuple
        Found cables with the planned ones that they are: between the same switches and ports of
        hosts, or at an adapter of the host that the plan does not know.
    over : list of PlacedCable
        Cables that are not planned.
    lacking : list of ListedCable
        Planned cables that were not found.
    """

    met: list[Met]
    slips: list[Met]
    over: list[PlacedCable]
    lacking: list[ListedCable]


def compare(
    match: Match, wires: Wires, counted_anew: AbstractSet[str] = frozenset()
) -> CablingComparison:
    """Find all differences between a plan and a dump that was matched to it.

    Parameters
    ----------
    match, wires : Match, Wires
        Which device is which, and the cables of both.
    counted_anew : set of str
        Planned devices whose port numbers say nothing, by key.
    """
    plan, dump = wires.plan, wires.found
    notes = list(match.notes)
    placement = CablePlacement(match, wires)
    placed = placement.cables()
    renamed = {own: match.pairs.get(key, own) for key, own in match.named.items()}
    circles = circles_of({own: other for own, other in renamed.items() if own != other})
    words = PlanWords(plan, dump, match)
    planned = _visible(wires, match, notes)
    inside = sorted((one for one in placed if not one.outside), key=_order_of_ends)
    result = _join(placement, inside, planned, counted_anew)
    uncounted = _numbered_otherwise(plan, result.met, counted_anew)
    if uncounted:
        result = _join(placement, inside, planned, counted_anew | uncounted)
        many = counted(len(uncounted), "switch", "count")
        notes.append(f"{many} ports otherwise than the plan: only where a cable goes was compared")
    elsewhere = [pair for pair in result.met if not _on_its_ports(*pair)]
    counts = [pair for pair in elsewhere if not _on_its_ports(*pair, counted_anew)]
    crossed = [pair for pair in counts if not _on_its_ports(*pair, counted_anew | uncounted)]
    other_ports = [pair for pair in counts if _on_its_ports(*pair, counted_anew | uncounted)]
    renumbered = len(elsewhere) - len(counts)
    if renumbered:
        notes.append(
            f"{counted(renumbered, 'cable')} at switch ports that the schedule renumbers around "
            "absent: and cables: join the planned devices, and are correct"
        )
    recabling = Recabling(wires, placement, words, placed, result.over, result.lacking)
    differences = [
        *recabling.differences(),
        *cabling_difference.exchanged(words, plan, circles),
        *cabling_difference.crossed(words, crossed, placed),
        *cabling_difference.slips(words, result.slips),
        *cabling_difference.outside(words, dump, placed, notes),
        *slow_cables(words, [*result.met, *result.slips], notes),
    ]
    notes += recabling.notes()
    seen = {end.vertex[0] for one in placed for end in one.ends}
    gone = (key for key in plan.devices if key not in seen)
    if dump.observed is not None:
        gone = (one.device for one in differences if one.device)
    extra = [
        device.name
        for key, device in dump.devices.items()
        if key not in match.pairs and not device.unnamed
    ]
    return CablingComparison(
        plan, dump, match, len(planned), len(dump.cables), len(result.met) - len(crossed),
        sorted((plan.devices[key].name for key in gone), key=natural), sorted(extra, key=natural),
        sorted((one.name for one in dump.devices.values() if one.unnamed), key=natural),
        _ordered(differences), notes, [cabling_difference.detail(*pair) for pair in other_ports],
    )  # fmt: skip


def _ordered(differences: list[CablingDifference]) -> list[CablingDifference]:
    """Harmful ones first, rack by rack; those put right together stay together, in their order."""
    first: dict[str, str] = {}
    for one in differences:
        first.setdefault(one.group, one.spot)
    kinds = ("missing", "swapped", "moved", "extra", "degraded", "outside")
    return sorted(
        differences,
        key=lambda one: (
            not one.harmful, one.kind == "outside",
            natural(first[one.group] if one.group else one.spot),
            kinds.index(one.kind), natural(one.group),
        ),
    )  # fmt: skip


def _visible(wires: Wires, match: Match, notes: list[str]) -> list[ListedCable]:
    """Planned cables that the dump could show: all, or those of the devices that tell of theirs."""
    plan, observed = wires.plan, wires.found.observed
    if observed is None:
        return plan.cables
    told = {match.pairs[key] for key in observed if key in match.pairs}
    seen = [one for one in plan.cables if one.a.device in told or one.z.device in told]
    if len(seen) < len(plan.cables):
        notes.append(
            f"the dump is of {counted(len(told), 'device')}, and "
            f"{counted(len(plan.cables) - len(seen), 'planned cable', 'join')} others: not "
            "looked at"
        )
    return seen


def _join(
    placement: CablePlacement,
    found: Sequence[PlacedCable],
    planned: Sequence[ListedCable],
    uncounted: AbstractSet[str],
) -> _Joined:
    """Join by port, then with one end on its port, then by where a cable goes, then by device.

    At the devices ``uncounted`` any port is as good as another.
    """
    whole = {id(cable): _planned_ends(placement, cable) for cable in planned}

    def ends(one: PlacedCable | ListedCable) -> list[PlacedEnd]:
        return whole[id(one)] if isinstance(one, ListedCable) else sorted(one.ends, key=_where)

    def port(one: PlacedCable | ListedCable, end: PlacedEnd) -> Hashable:
        return "" if end.vertex[0] in uncounted else end.port or one

    def ports(one: PlacedCable | ListedCable) -> Hashable:
        return tuple((end.vertex, port(one, end)) for end in ends(one))

    def first(one: PlacedCable | ListedCable) -> Hashable:
        a, z = ends(one)
        return a.vertex, z.vertex, port(one, a)

    def second(one: PlacedCable | ListedCable) -> Hashable:
        a, z = ends(one)
        return a.vertex, z.vertex, port(one, z)

    def vertices(one: PlacedCable | ListedCable) -> Hashable:
        return tuple(end.vertex for end in ends(one))

    def switch_port(one: PlacedCable | ListedCable) -> Hashable:
        return tuple(sorted((end.vertex[0], _switch_port(end)) for end in ends(one)))

    def devices(one: PlacedCable | ListedCable) -> Hashable:
        return tuple(sorted(end.vertex[0] for end in ends(one)))

    met: list[Met] = []
    over, lacking = list(found), list(planned)
    for key in (ports, first, second, vertices):
        pairs, over, lacking = _by(key, over, lacking)
        met += pairs
    slips: list[Met] = []
    unknown = [one for one in over if any(len(end.vertex) > 2 for end in one.ends)]
    over = [one for one in over if all(len(end.vertex) < 3 for end in one.ends)]
    for key in (switch_port, devices):
        pairs, unknown, lacking = _by(key, unknown, lacking)
        slips += pairs
    return _Joined(met, slips, over + unknown, lacking)


def _by(
    key: Callable[[PlacedCable | ListedCable], Hashable],
    found: list[PlacedCable],
    planned: list[ListedCable],
) -> tuple[list[Met], list[PlacedCable], list[ListedCable]]:
    pairs, over, lacking = joined([key(one) for one in found], [key(one) for one in planned])
    return (
        [(found[have], planned[want]) for have, want in pairs],
        [found[have] for have in over],
        [planned[want] for want in lacking],
    )


def _planned_ends(placement: CablePlacement, cable: ListedCable) -> list[PlacedEnd]:
    ends = (PlacedEnd(end, placement.vertex(end), end.port) for end in (cable.a, cable.z))
    return sorted(ends, key=_where)


def _switch_port(end: PlacedEnd) -> str:
    return end.port or "" if len(end.vertex) == 1 else ""


def _where(end: PlacedEnd) -> tuple[tuple[str, ...], str]:
    return end.vertex, end.port or ""


def _order_of_ends(one: PlacedCable) -> list[tuple[object, ...]]:
    """An order of cables that does not depend on that of the dump."""
    return sorted((end.vertex, natural(end.found.port)) for end in one.ends)


def _wrong(one: PlacedCable, meant: ListedCable) -> list[str]:
    """The planned devices at which a cable is on another port than planned."""
    planned: Counter[ListedEnd] = Counter((meant.a, meant.z))
    own = Counter(end.end for end in one.ends if end.port is not None)
    known = {end.vertex[0] for end in one.ends if end.port is not None}
    return [end.device for end in (planned - own) if end.device in known]


def _on_its_ports(
    one: PlacedCable, meant: ListedCable, uncounted: AbstractSet[str] = frozenset()
) -> bool:
    """Whether a cable is on its planned ports, where the numbers of ports say anything."""
    known = all(end.port is not None for end in one.ends)
    return not known or all(device in uncounted for device in _wrong(one, meant))


def _numbered_otherwise(
    plan: Cabling, met: Sequence[Met], counted_anew: AbstractSet[str]
) -> set[str]:
    """Switches at which most cables of the right devices are on other ports than planned."""
    many: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for one, meant in met:
        if all(end.port is not None for end in one.ends):
            many.update(end.vertex[0] for end in one.ends)
            wrong.update(_wrong(one, meant))
    return {
        key for key, times in wrong.items()
        if key not in counted_anew and plan.devices[key].kind != "host" and times >= FEWEST
        and times > (1 - _NUMBERED_ALIKE) * many[key]
    }  # fmt: skip
