"""What is kept, moved, taken out and laid is the best: held against trying every assignment.

The best keeps the most cables; of these it touches the fewest; of these it moves the most by one
end.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from tests.as_built.fabrics import compared
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.recabling import joined, moves

Ends = frozenset[tuple[str, ...]]
Counts = tuple[int, int, int]
"""Cables kept, the negative of cables touched, and ends moved: more is better in this order."""


def every_assignment(found: int, wanted: int) -> Iterator[dict[int, int]]:
    """Every way to pair some of so many found cables with some of so many wanted ones."""

    def further(have: int, free: frozenset[int]) -> Iterator[dict[int, int]]:
        if have == found:
            yield {}
            return
        yield from further(have + 1, free)
        for want in free:
            for rest in further(have + 1, free - {want}):
                yield {have: want, **rest}

    return further(0, frozenset(range(wanted)))


def best(found: Sequence[Ends], wanted: Sequence[Ends]) -> Counts:
    """By brute force; a pair without a common end is a cable taken out and another one laid."""

    def counts(pairs: dict[int, int]) -> Counts:
        kept = sum(found[have] == wanted[want] for have, want in pairs.items())
        moved = sum(
            found[have] != wanted[want] and bool(found[have] & wanted[want])
            for have, want in pairs.items()
        )
        return kept, -(len(found) + len(wanted) - 2 * kept - moved), moved

    return max(counts(pairs) for pairs in every_assignment(len(found), len(wanted)))


@pytest.mark.parametrize("seed", range(60))
def test_no_assignment_is_better(seed: int) -> None:
    draw = random.Random(seed)
    devices = [(name,) for name in "abcde"[: draw.randint(3, 5)]]
    found, wanted = (
        [frozenset(draw.sample(devices, 2)) for _ in range(draw.randint(0, 6))] for _ in range(2)
    )
    kept, over, lacking = joined(found, wanted)
    assert all(found[have] == wanted[want] for have, want in kept)
    rest, needed = [found[at] for at in over], [wanted[at] for at in lacking]
    pairs = moves(rest, needed, lambda _have, _want, _stays: draw.randint(0, 3))
    assert all(stays in rest[have] & needed[want] for have, (want, stays) in pairs.items())
    assert len({want for want, _ in pairs.values()}) == len(pairs)
    touched = len(rest) + len(needed) - len(pairs)
    assert (len(kept), -touched, len(pairs)) == best(found, wanted)


def test_a_cheaper_end_stays_where_as_many_can_be_moved() -> None:
    """Either end of a lone cable may stay; a cost decides, and never against a further move."""
    a, b, c, d = ("a",), ("b",), ("c",), ("d",)
    prefer_a = {a: 0, b: 3, c: 3, d: 3}
    pairs = moves(
        [frozenset((a, b))], [frozenset((b, c)), frozenset((a, d))], lambda *at: prefer_a[at[2]]
    )
    assert pairs == {0: (1, a)}
    pairs = moves(
        [frozenset((a, b)), frozenset((d, a))],
        [frozenset((b, c)), frozenset((a, c))],
        lambda *at: prefer_a[at[2]],
    )
    assert len(pairs) == 2


def _listed(cables: Sequence[tuple[ListedEnd, ListedEnd]], name: str) -> Cabling:
    cabling = Cabling(name, name)
    for ends in cables:
        for end in ends:
            cabling.device(end.device, end.device, "host" if end.device[0] == "h" else "switch")
    cabling.cables = [ListedCable(a, z, None, f"{name}:{at}") for at, (a, z) in enumerate(cables)]
    return cabling


def _works_as(cables: Sequence[tuple[ListedEnd, ListedEnd]]) -> list[Ends]:
    """What counts: which port of a host, and which switch."""
    return [
        frozenset((end.device, end.port) if end.device[0] == "h" else (end.device,) for end in ends)
        for ends in cables
    ]


@pytest.mark.parametrize("seed", range(60))
def test_a_comparison_asks_for_the_best_on_small_fabrics(seed: int) -> None:
    """Hosts of two ports on three switches, which are joined: cables moved, removed and added."""
    draw = random.Random(seed)
    hosts = [ListedEnd(f"h{host}", f"eth{port}") for host in range(2) for port in (1, 2)]
    ports = [ListedEnd(f"s{switch}", f"{port}") for switch in range(3) for port in range(1, 7)]
    free = draw.sample(ports, len(ports))
    planned = [(end, free.pop()) for end in hosts]
    while len(planned) < 6:
        a, z = free.pop(), free.pop()
        if a.device != z.device:
            planned.append((a, z))
    found = list(planned)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(found))
        (a, z), act = found[at], draw.choice(["move", "move", "swap", "out", "in"])
        if act == "move":
            found[at] = (a, draw.choice(free or [z]))
        elif act == "swap":
            other = draw.randrange(len(found))
            found[at], found[other] = (a, found[other][1]), (found[other][0], z)
        elif act == "out" and len(found) > 3:
            found.pop(at)
        elif act == "in" and len(free) > 1:
            found.append((free[0], free[-1]))
        used = [end for ends in found for end in ends]
        free = draw.sample([end for end in ports if end not in used], 18 - len({*used} & {*ports}))
    found = [ends for ends in found if ends[0].device != ends[1].device]
    asked = compared(_listed(planned, "plan"), _listed(found, "dump"))
    lists = _works_as(found), _works_as(planned)
    kept = sum(one.cables for one in asked.differences if not one.harmful) + asked.agree
    touched = asked.moves + asked.add + asked.remove
    assert asked.add == sum(one.kind == "missing" for one in asked.differences)
    assert (kept, -touched, asked.moves) == best(*lists)
