"""Part numbers to order by: complete ones, or the family of numbers of all lengths."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toposmith.catalog.parts import Cable, Fibre, Part

OrderedAs = tuple[str, float | None]
"""What a number orders: the id of a part, and metres where the number is that of one length."""

LENGTH_TO_BE_CHOSEN = "length to be chosen"

# Makers print xxx where a number of the family has the length: MCP4Y10-Nxxx.
_PLACEHOLDER = re.compile(r"x{2,}|X{3,}")


def is_whole(part_number: str) -> bool:
    """Whether this number can be ordered: no part of it is a placeholder for a length."""
    return _PLACEHOLDER.search(part_number) is None


def whole_number(part: Part, length_m: float | None = None) -> str | None:
    """The number that a part is ordered by.

    Parameters
    ----------
    part : Part
        The part.
    length_m : float, optional
        The length to order, of a cable or fibre that has a number for each of its lengths.

    Returns
    -------
    str or None
        None where the catalog has none, or none for this length; never one with ``xxx`` in it. Of
        two numbers of its maker the older one, unless only the ordering number is verified.
    """
    return _chosen(part, length_m)[0]


def is_doubtful(part: Part, length_m: float | None = None) -> bool:
    """Whether the number of :func:`whole_number` comes from an unverified source only."""
    return _chosen(part, length_m)[1]


def second_number(part: Part, length_m: float | None = None) -> str | None:
    """The maker's other number for the same thing; None where the catalog has but one."""
    first = whole_number(part, length_m)
    both = [number for number, _ in _candidates(part, length_m) if number != first]
    return both[0] if both else None


def has_numbers(part: Part) -> bool:
    """Whether the catalog has any whole number of the part, at any length."""
    by_length = isinstance(part, Cable | Fibre) and (part.part_numbers or part.ordering_numbers)
    return bool(by_length) or whole_number(part) is not None


def ordered_by(parts: Iterable[Part]) -> dict[str, set[OrderedAs]]:
    """Map every complete number of these parts to what it orders, second numbers included."""
    found: dict[str, set[OrderedAs]] = {}
    for part in parts:
        numbers: list[tuple[str | None, float | None]] = []
        if isinstance(part, Cable | Fibre):
            for by_length in (part.part_numbers, part.ordering_numbers):
                numbers += [(number, length) for length, number in by_length.items()]
        numbers += [(part.part_number, None), (part.ordering_number, None)]
        for number, length in numbers:
            if number is not None and is_whole(number):
                found.setdefault(number, set()).add((part.id, length))
    return found


def _chosen(part: Part, length_m: float | None) -> tuple[str | None, bool]:
    found = _candidates(part, length_m)
    certain = [each for each in found if not each[1]]
    return next(iter(certain or found), (None, False))


def _candidates(part: Part, length_m: float | None) -> list[tuple[str, bool]]:
    """Whole numbers that order the part at this length, each with whether it is in doubt."""
    named: list[tuple[str, str | None]] = []
    if isinstance(part, Cable | Fibre) and length_m is not None:
        named += [
            ("part_numbers", part.part_numbers.get(length_m)),
            ("ordering_numbers", part.ordering_numbers.get(length_m)),
        ]
    if not any(number for _, number in named):
        named += [("part_number", part.part_number), ("ordering_number", part.ordering_number)]
    return [(n, field in part.unverified) for field, n in named if n is not None and is_whole(n)]


def family_of(part: Part) -> str | None:
    """The common part of the numbers of all lengths; None where it is unknown."""
    if isinstance(part, Cable | Fibre) and part.family is not None:
        return part.family
    if part.part_number is None or is_whole(part.part_number):
        return None
    before, after = _PLACEHOLDER.split(part.part_number, maxsplit=1)
    return before.rstrip("-") + (f", ending in {after}" if after else "")


def ordered_as(whole: str | None, family: str | None) -> str | None:
    """The number that a bill line shows: complete, else the family; None where both are unknown."""
    return whole or (f"{family}; {LENGTH_TO_BE_CHOSEN}" if family else None)
