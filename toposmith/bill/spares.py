"""The policy on spares, stated on the bill; no spares without one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import get_args

from toposmith.design.document import Design, SpareKind, SpareRate
from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number

SPARE_KINDS: tuple[SpareKind, ...] = get_args(SpareKind)

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,2})?) ?%")
_PIECES = re.compile(r"[0-9]{1,6}")


class SparesError(ToposmithError):
    """An invalid policy of spares; says what is accepted."""


@dataclass(frozen=True)
class SparePolicy:
    """Spares by kind of part.

    Parameters
    ----------
    rates : mapping of str to int or str
        By ``nodes``, ``switches``, ``nics``, ``cables``, ``transceivers`` and ``fibres``: pieces
        for each line of the bill (3), or a share of it (``2 %``), rounded up line by line. A cable
        of another length is no spare, so each length has its own.
    """

    rates: Mapping[SpareKind, SpareRate] = field(default_factory=dict)

    def spares(self, kind: str, quantity: int) -> int:
        """Spares of a line with this quantity of parts of one kind (``cable``)."""
        rate = next((self.rates[name] for name in self.rates if _singular(name) == kind), 0)
        if isinstance(rate, int):
            return rate if quantity else 0
        found = _PERCENT.fullmatch(rate)
        return ceil(quantity * Fraction(found[1]) / 100) if found else 0

    def without_effect(self, kinds: Iterable[str]) -> list[SpareKind]:
        """Kinds with a rate but without a line among these kinds, so that no spares are ordered."""
        there = set(kinds)
        named = [kind for kind in SPARE_KINDS if self.rates.get(kind)]
        return [kind for kind in named if _singular(kind) not in there]

    def stated(self) -> dict[str, SpareRate]:
        """The rates as they are written, in the order of the kinds."""
        return {name: self.rates[name] for name in SPARE_KINDS if name in self.rates}

    def words(self) -> str:
        """The policy in a sentence."""
        each = [
            f"{name} {rate}{'' if isinstance(rate, str) else ' of each'}"
            for name, rate in self.stated().items()
        ]
        return ", ".join(each) if each else "none"


def spares_of(design: Design) -> SparePolicy:
    """The policy of a design's ``bill:`` block; no spares where it says nothing."""
    given = design.bill.spares.model_dump(exclude_none=True) if design.bill else {}
    return SparePolicy({kind: given[kind] for kind in SPARE_KINDS if kind in given})


def read_spares(settings: Iterable[str]) -> SparePolicy:
    """Read a policy from settings such as ``cables=2%`` and ``nodes=1``.

    Raises
    ------
    SparesError
        Where a kind is not known, or a rate is neither a share nor a whole number.
    """
    rates: dict[SpareKind, SpareRate] = {}
    for setting in settings:
        for one in setting.split(","):
            name, equals, text = (word.strip() for word in one.partition("="))
            kind = next((known for known in SPARE_KINDS if known == name), None)
            if kind is None:
                known = ", ".join(SPARE_KINDS)
                raise SparesError(f"spares: found {name!r}, expected one of {known}")
            if not equals or not (_PERCENT.fullmatch(text) or _PIECES.fullmatch(text)):
                raise SparesError(
                    f"spares: {name}: found {text!r}, expected a share such as 2% or pieces such "
                    "as 3"
                )
            if kind in rates:
                raise SparesError(
                    f"spares: {name}: found twice ({rates[kind]} and {text}), expected once"
                )
            rates[kind] = whole_number(text) if text.isdecimal() else text
    return SparePolicy(rates)


def _singular(kind: str) -> str:
    return "switch" if kind == "switches" else kind.removesuffix("s")
