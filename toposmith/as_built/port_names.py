"""Ports of switches under the names of several systems: which cage a name means, and which part.

Systems count ports from 1 (``Ethernet5/1``, ``swp5``, ``etp17``) or from 0 (``et-0/0/4``), behind a
slot, through all ports of all cages (subnet managers), or by lanes (SONiC: ``Ethernet32`` is the
port whose first lane is 32). The parts of a split port are letters (``etp17a``), numbers from 0
(``swp5s1``, ``et-0/0/4:1``) or from 1, or the first of their lanes (EOS: ``Ethernet5/5``). Which of
these it is shows in the names of a whole dump and plan: the way that names most ports is taken.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

_NAME = re.compile(r"^(\D*)(.*?)(?:(?:s|:)(\d+)|(?<=\d)([a-h]))?$")
_DIGITS = re.compile(r"\d+")
_LANES = (1, 2, 4, 8)

PortNumbers = tuple[int, ...]
Places = dict[PortNumbers, dict[int, str]]
"""Names by port, and by the first lane or the number of the part, from 0."""


class _Name(NamedTuple):
    """A port's name: the word before it, its numbers, and its part where that counts from 0."""

    style: str
    numbers: PortNumbers
    part: int | None


class _Reading(NamedTuple):
    """A way to read numbers.

    Parameters
    ----------
    skip : int
        Numbers in front that say nothing, such as a slot.
    depth : int
        Numbers of the port; what follows is its part.
    lanes : int
        Ports that the last number counts through in each cage.
    first : int
        The number of the first port.
    """

    skip: int
    depth: int
    lanes: int
    first: int


_READINGS = tuple(
    _Reading(skip, depth, lanes, first)
    for skip in range(3)
    for depth in range(1, 4)
    for lanes, first in ((1, 1), *((many, 0) for many in _LANES), (2, 1), (4, 1), (8, 1))
)


def style_of(label: str) -> str:
    """The word before the first number, which names of one system share."""
    return _named(label).style


@lru_cache(maxsize=65536)
def _named(label: str) -> _Name:
    found = _NAME.match(label.strip().casefold())
    assert found is not None  # every text matches
    style, middle, part, letter = found.groups()
    numbers = tuple(int(digits) for digits in _DIGITS.findall(middle))
    if letter is not None:
        return _Name(style, numbers, ord(letter) - ord("a"))
    return _Name(style, numbers, None if part is None else int(part))


@lru_cache(maxsize=16384)
def _places(labels: frozenset[str], reading: _Reading) -> Places | None:
    """Labels by port and part; None where a reading fails for one, or gives two the same."""
    skip, depth, lanes, first = reading
    parts = [_named(label).numbers[skip + depth :] for label in labels]
    each = max((held[1] for held in parts if len(held) == 2), default=1)
    from_0 = any(0 in held for held in parts)
    places: Places = defaultdict(dict)
    for label in labels:
        _, numbers, part = _named(label)
        port, rest = numbers[skip : skip + depth], numbers[skip + depth :]
        if len(port) < depth or len(rest) > 2 or (part is not None and rest):
            return None
        lane = part or 0
        if rest:
            lane = (rest[0] - (not from_0)) * each + (rest[1] - 1 if len(rest) > 1 else 0)
        count = port[-1] - first
        if count < 0 or (lanes > 1 and (rest or part is not None)):
            return None
        if lanes > 1:
            count, lane = divmod(count, lanes)
        held = places[(*port[:-1], count + 1)]
        if lane in held:
            return None
        held[lane] = label
    return dict(places)


@lru_cache(maxsize=4096)
def _readings(labels: frozenset[str]) -> tuple[tuple[_Reading, Places], ...]:
    """Every way to read some labels, one for each outcome."""
    known: list[Places] = []
    kept: list[tuple[_Reading, Places]] = []
    for reading in _READINGS:
        places = _places(labels, reading)
        if places and places not in known:
            known.append(places)
            kept.append((reading, places))
    return tuple(kept)


def _lanes_of(places: Places) -> int:
    """How many lanes, or parts, the ports have, as far as labels show."""
    most = max((lane for held in places.values() for lane in held), default=0)
    return next((many for many in _LANES if many > most), most + 1)


def _same_ports(
    planned: Places, found: Places, planned_lanes: int, found_lanes: int
) -> dict[str, str]:
    """Found labels with the planned ones at their place.

    Parts of one side may be counted by lanes on the other: of a port of eight lanes split in two
    the second part begins with lane 4.
    """
    pairs: dict[str, str] = {}
    for port, held in found.items():
        meant = planned.get(port)
        if meant is None:
            continue
        if len(held) == len(meant) == 1 and 0 in held and 0 in meant:
            pairs[held[0]] = meant[0]
            continue
        best: dict[str, str] = {}
        for of_found, of_planned in _scales(max(meant), max(held), planned_lanes, found_lanes):
            same = {
                label: meant[lane // of_found * of_planned]
                for lane, label in held.items()
                if lane % of_found == 0 and lane // of_found * of_planned in meant
            }
            if len(same) > len(best):
                best = same
        pairs |= best
    return pairs


def _scales(
    most_planned: int, most_found: int, planned_lanes: int, found_lanes: int
) -> Iterator[tuple[int, int]]:
    """Lanes that a part may have, on either side; never more than the port."""
    yield 1, 1
    for many in _LANES[:0:-1]:
        if many * most_planned < found_lanes:
            yield many, 1
        if many * most_found < planned_lanes:
            yield 1, many


@lru_cache(maxsize=16384)
def port_map(
    planned: frozenset[str],
    found: frozenset[str],
    all_planned: frozenset[str] = frozenset(),
    all_found: frozenset[str] = frozenset(),
) -> Mapping[str, str]:
    """Map found port labels of a switch to planned ports.

    Labels that are the same text are the same port. Else those of each style are read in the way
    that names most ports of this switch, among equal ones most of the whole plan and dump.

    Parameters
    ----------
    planned, found : frozenset of str
        The labels of one switch.
    all_planned, all_found : frozenset of str
        Those of all switches of its kind.
    """
    by_text = {label.casefold(): label for label in planned}
    pairs: dict[str, str] = {}
    for labels in by_style(found).values():
        same = {label: by_text[label.casefold()] for label in labels if label.casefold() in by_text}
        if len(same) < len(labels):
            whole = by_style(all_found).get(style_of(next(iter(labels))), labels) | labels
            same = _best(planned, labels, all_planned | planned, whole, same)
        pairs |= same
    return MappingProxyType(pairs)


@lru_cache(maxsize=4096)
def by_style(labels: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Labels by the word before their first number."""
    styles: dict[str, set[str]] = defaultdict(set)
    for label in labels:
        styles[style_of(label)].add(label)
    return {style: frozenset(held) for style, held in styles.items()}


@lru_cache(maxsize=8192)
def _chosen(
    planned: frozenset[str],
    found: frozenset[str],
    all_planned: frozenset[str],
    all_found: frozenset[str],
) -> dict[str, str]:
    best: dict[str, str] = {}
    equal: list[tuple[_Reading, _Reading, dict[str, str]]] = []
    for found_reading, found_places in _readings(found):
        whole = _places(all_found, found_reading)
        found_lanes = _lanes_of(whole or found_places)
        if found_reading.lanes > 1:
            found_lanes = found_reading.lanes
        for planned_reading, planned_places in _readings(planned):
            if len(found_places.keys() & planned_places.keys()) == 0:
                continue
            planned_lanes = max(planned_reading.lanes, _lanes_of(planned_places))
            pairs = _same_ports(planned_places, found_places, planned_lanes, found_lanes)
            if len(pairs) > len(best):
                best, equal = pairs, []
            if len(pairs) == len(best) > 0 and all(pairs != other for *_, other in equal):
                equal.append((found_reading, planned_reading, pairs))
    if len(equal) < 2 or (all_planned == planned and all_found == found):
        return best

    def of_all(one: tuple[_Reading, _Reading, dict[str, str]]) -> int:
        whole, plan = _places(all_found, one[0]), _places(all_planned, one[1])
        if whole is None or plan is None:
            return 0
        return len(_same_ports(plan, whole, _lanes_of(plan), max(one[0].lanes, _lanes_of(whole))))

    return max(equal, key=of_all)[2]


def _best(
    planned: frozenset[str],
    found: frozenset[str],
    all_planned: frozenset[str],
    all_found: frozenset[str],
    same: dict[str, str],
) -> dict[str, str]:
    """The most ports that any reading names; of planned labels in several styles, each alone."""
    best = same
    styles = by_style(planned)
    for held in (planned, *(styles.values() if len(styles) > 1 else ())):
        pairs = _chosen(held, found, all_planned if held is planned else held, all_found)
        if len(pairs) > len(best):
            best = pairs
    return best
