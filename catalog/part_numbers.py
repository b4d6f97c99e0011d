"""What a part is ordered by: its whole number, or the family whose length is still to be chosen."""

from __future__ import annotations

import re

from toposmith.catalog.parts import AnyPart, Cable, Fibre

LENGTH_TO_BE_CHOSEN = "length to be chosen"

# Makers print xxx where a number of the family has the length: MCP4Y10-Nxxx.
_PLACEHOLDER = re.compile(r"x{2,}|X{3,}")


def is_whole(part_number: str) -> bool:
    """Whether something can be ordered by this number: nothing in it stands for a length."""
    return _PLACEHOLDER.search(part_number) is None


def whole_number(part: AnyPart, length_m: float | None = None) -> str | None:
    """The number that a part is ordered by.

    Parameters
    ----------
    part : AnyPart
        The part.
    length_m : float, optional
        The length to order, of a cable or fibre that has a number for each of its lengths.

    Returns
    -------
    str or None
        None where the catalog has none, or none for this length; never one with ``xxx`` in it.
    """
    if isinstance(part, Cable | Fibre) and length_m in part.part_numbers:
        assert length_m is not None
        return part.part_numbers[length_m]
    number = part.part_number
    return number if number is not None and is_whole(number) else None


def family_of(part: AnyPart) -> str | None:
    """What the numbers of all lengths of a part have in common; None where nothing is known."""
    if isinstance(part, Cable | Fibre) and part.family is not None:
        return part.family
    if part.part_number is None or is_whole(part.part_number):
        return None
    before, after = _PLACEHOLDER.split(part.part_number, maxsplit=1)
    return before.rstrip("-") + (f", ending in {after}" if after else "")


def ordered_as(whole: str | None, family: str | None) -> str | None:
    """A line's number in words: the whole one, else the family; None where neither is known."""
    return whole or (f"{family}; {LENGTH_TO_BE_CHOSEN}" if family else None)
