"""Devices matched by the wiring alone, where a dump has the cables of its plan, whatever its names.

Colour refinement with individualisation (McKay, Piperno, J. Symbolic Comput. 60, 2014, section 2),
on both fabrics at once: devices of one colour have equally many cables to each colour. A pair in
question is made one by decision, since what refinement leaves alike is nearly always exchangeable.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set

from toposmith.as_built.cable_list import Cabling, ListedCable, UnreadableError
from toposmith.as_built.regularity import regularity_of
from toposmith.text import natural

Vertex = tuple[bool, str]
"""Whether it is of the dump, and the key of a device."""


def same_fabric(
    plan: Cabling, found: Cabling, known: Mapping[str, str]
) -> tuple[dict[str, str], int] | None:
    """Match all devices so that every cable agrees; None where no such match shows.

    Parameters
    ----------
    plan, found : Cabling
        The cables of both.
    known : mapping of str to str
        Found devices that are matched already.

    Returns
    -------
    tuple or None
        Found device to planned device, and how many other devices each choice could have taken.
        Devices of the dump that no rule holds are left out where
        the plan has none of them.
    """
    many = _hosts_and_switches(plan)
    if any(_hosts_and_switches(found)[kind] < many[kind] for kind in many):
        return None
    labelled = {_host_port(found, one) for one in found.cables} <= {
        _host_port(plan, one) for one in plan.cables
    }
    for out in _left_out(found):
        if _hosts_and_switches(found, out) != many:
            continue
        colours = _Colours()
        for is_found, cabling in ((False, plan), (True, found)):
            left = out if is_found else frozenset()
            for key, device in cabling.devices.items():
                if key not in left:
                    colours.add((is_found, key), device.kind == "host")
            for cable in cabling.cables:
                if cable.a.device not in left and cable.z.device not in left:
                    label = _host_port(cabling, cable) if labelled else ""
                    colours.join((is_found, cable.a.device), (is_found, cable.z.device), label)
        names = {own: planned for own, planned in known.items() if own not in out}
        if all(colours.unite((True, own), (False, one)) for own, one in names.items()):
            settled = colours.settled()
            if settled is not None:
                return settled
    return None


def _hosts_and_switches(cabling: Cabling, out: Set[str] = frozenset()) -> Counter[bool]:
    """How many devices are hosts (True) and how many are not: equal where fabrics are the same."""
    return Counter(one.kind == "host" for key, one in cabling.devices.items() if key not in out)


def _host_port(cabling: Cabling, cable: ListedCable) -> str:
    """The ports of a cable at hosts, which tell rails where plan and dump call them alike."""
    hosts = (end for end in (cable.a, cable.z) if cabling.devices[end.device].kind == "host")
    return " ".join(sorted(end.port.casefold() for end in hosts))


def _left_out(found: Cabling) -> Iterator[Set[str]]:
    """Devices to leave out: none, and if that fails those that no rule holds."""
    yield frozenset()
    yield _irregular(found)


def _irregular(cabling: Cabling) -> set[str]:
    """Devices that no rule holds, such as hosts above the leaves, or with other ports than most."""
    try:
        rule = regularity_of(cabling)
    except UnreadableError:
        return set()
    tiers = (rule.pods, rule.hosts, *rule.units)
    return cabling.devices.keys() - {key for tier in tiers for unit in tier for key in unit}


class _Colours:
    """Devices of two fabrics by colour, each with a sum over the colours of its neighbours."""

    def __init__(self) -> None:
        self._colour: dict[Vertex, int] = {}
        self._members: dict[int, set[Vertex]] = defaultdict(set)
        self._near: dict[Vertex, Counter[tuple[Vertex, str]]] = defaultdict(Counter)
        self._sums: Counter[Vertex] = Counter()
        self._next = 2

    def add(self, vertex: Vertex, is_host: bool) -> None:
        self._colour[vertex] = int(is_host)
        self._members[int(is_host)].add(vertex)

    def join(self, one: Vertex, other: Vertex, label: str) -> None:
        self._near[one][other, label] += 1
        self._near[other][one, label] += 1
        self._sums[one] += _weight(self._colour[other], label)
        self._sums[other] += _weight(self._colour[one], label)

    def unite(self, one: Vertex, other: Vertex) -> bool:
        """Give two devices of one colour a colour of their own; False where they have two."""
        if one not in self._colour or other not in self._colour:
            return False
        if self._colour[one] != self._colour[other]:
            return False
        if len(self._members[self._colour[one]]) > 2:
            self._recolour({one, other})
        return True

    def settled(self) -> tuple[dict[str, str], int] | None:
        """Refine and decide until every colour is one pair; the pairs, and what else fitted."""
        others = 0
        if not self._refined(set(self._colour)):
            return None
        order = sorted((v for v in self._colour if v[0]), key=lambda v: natural(v[1]))
        for vertex in order:
            held = self._members[self._colour[vertex]]
            if len(held) > 2:
                others += len(held) // 2 - 1
                other = min((v for v in held if not v[0]), key=lambda v: natural(v[1]))
                if not self._refined(self._recolour({vertex, other})):
                    return None
        pairs: dict[str, str] = {}
        for held in self._members.values():
            if len(held) == 2:
                (_, planned), (_, own) = sorted(held)
                pairs[own] = planned
        return pairs, others

    def _recolour(self, vertices: set[Vertex]) -> set[Vertex]:
        """Give some devices a new colour; the neighbours, whose sums are others now."""
        changed: set[Vertex] = set()
        for vertex in vertices:
            old = self._colour[vertex]
            self._members[old].discard(vertex)
            self._members[self._next].add(vertex)
            self._colour[vertex] = self._next
            for (other, label), many in self._near[vertex].items():
                self._sums[other] += many * (_weight(self._next, label) - _weight(old, label))
                changed.add(other)
        self._next += 1
        return changed

    def _refined(self, changed: set[Vertex]) -> bool:
        """Split colours until no split follows; False where the two fabrics are not the same."""
        while changed:
            by_colour: dict[int, set[Vertex]] = defaultdict(set)
            for vertex in changed:
                by_colour[self._colour[vertex]].add(vertex)
            changed = set()
            for colour, held in by_colour.items():
                groups: dict[int, set[Vertex]] = defaultdict(set)
                for vertex in held:
                    groups[self._sums[vertex]].add(vertex)
                rest = self._members[colour] - held
                if rest:
                    groups[self._sums[next(iter(rest))]] |= rest
                if any(2 * sum(v[0] for v in group) != len(group) for group in groups.values()):
                    return False
                for _, group in sorted(groups.items(), key=lambda one: -len(one[1]))[1:]:
                    changed |= self._recolour(group)
        return True


def _weight(colour: int, label: str) -> int:
    """A number of 61 bits, such that sums of them are as good as multisets."""
    return hash((colour, label, 0x9E3779B97F4A7C15)) % (2**61 - 1)
