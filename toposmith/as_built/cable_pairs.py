"""Pairing of found with planned cables such that the fewest ends have to move."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

Point = TypeVar("Point", bound=tuple[str, ...])


def paired(
    found: Sequence[frozenset[Point]],
    wanted: Sequence[frozenset[Point]],
    preferred: Sequence[Callable[[int, int, Point], bool]] = (),
) -> dict[int, int]:
    """Pair cables that are in the wrong place with places that lack one.

    A cable that shares an end with a place takes one move, any other two; as many as can be share
    one. Moving those that are right already never saves a move, by the triangle inequality.

    Parameters
    ----------
    found, wanted : sequence of frozenset
        Both ends of each.
    preferred : sequence of callable
        Which pairs to prefer among equally many, the most wanted first: given the places in
        ``found`` and ``wanted``, and the end that they share.

    Returns
    -------
    dict of int to int
        Place in ``found`` to place in ``wanted``; what is over on one side is left out.
    """
    at: dict[Point, list[int]] = defaultdict(list)
    for place, ends in enumerate(wanted):
        for end in sorted(ends):
            at[end].append(place)
    held: dict[int, int] = {}
    holder: dict[int, int] = {}
    for fits in (*preferred, _any):
        for start in range(len(found)):
            if start not in held:
                _augment(start, found, at, holder, held, fits)
    over = [place for place in range(len(wanted)) if place not in holder]
    for have in range(len(found)):
        if have not in held and over:
            held[have] = over.pop(0)
    return held


def _any(_have: int, _want: int, _end: object) -> bool:
    return True


def _augment(
    start: int,
    found: Sequence[frozenset[Point]],
    at: dict[Point, list[int]],
    holder: dict[int, int],
    held: dict[int, int],
    fits: Callable[[int, int, Point], bool],
) -> None:
    """Give one more cable a place, moving others to other places where that helps."""
    came: dict[int, int] = {}
    pending = [start]
    while pending:
        have = pending.pop()
        for end in sorted(found[have]):
            for want in at.get(end, ()):
                if want in came or not fits(have, want, end):
                    continue
                came[want] = have
                if want in holder:
                    pending.append(holder[want])
                    continue
                place: int | None = want
                while place is not None:
                    giver = came[place]
                    before = held.get(giver)
                    holder[place], held[giver] = giver, place
                    place = before
                return
