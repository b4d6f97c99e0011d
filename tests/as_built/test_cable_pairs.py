"""The moves that are asked for are the fewest: held against trying every assignment."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from toposmith.as_built.cable_pairs import paired

Ends = frozenset[tuple[str, ...]]


def fewest(found: list[Ends], wanted: list[Ends]) -> int:
    """Ends to move, counting a cable taken out and laid anew as two, by brute force."""
    few, many = sorted((found, wanted), key=len)
    return min(
        sum(2 - len(one & other) for one, other in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )


@pytest.mark.parametrize("seed", range(60))
def test_no_assignment_moves_fewer_ends(seed: int) -> None:
    draw = random.Random(seed)
    devices = [(name,) for name in "abcdefg"]
    cables = [frozenset(draw.sample(devices, 2)) for _ in range(draw.randint(2, 11))]
    at = draw.randint(max(0, len(cables) - 6), min(6, len(cables)))
    found, wanted = cables[:at], cables[at:]
    # What is in place already is not among the cables to move.
    for one in list(found):
        if one in wanted:
            found.remove(one)
            wanted.remove(one)
    pairs = paired(found, wanted)
    assert len(pairs) == min(len(found), len(wanted)) == len(set(pairs.values()))
    asked = sum(2 - len(found[have] & wanted[want]) for have, want in pairs.items())
    assert asked == (fewest(found, wanted) if found and wanted else 0)


def test_cables_that_are_right_are_left_where_they_are() -> None:
    """Ring of three: each shares ends with both others, and every one takes one move."""
    a, b, c, d = ("a",), ("b",), ("c",), ("d",)
    found = [frozenset((a, b)), frozenset((b, c))]
    wanted = [frozenset((b, d)), frozenset((a, d))]
    pairs = paired(found, wanted)
    assert sum(2 - len(found[have] & wanted[want]) for have, want in pairs.items()) == 2
