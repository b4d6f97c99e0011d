"""What a finding measures: named values, and the one of them that becomes better or worse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from toposmith.text import counted, plural

Fact = str | int | float | bool | None | tuple[str, ...] | tuple[int, ...] | tuple[float, ...]
"""One value of a finding. Its name carries the unit: ``speed_gbit``, ``power_kw``."""


class Values(Mapping[str, Fact]):
    """The values of a finding by name; they never change, and None is left out.

    Parameters
    ----------
    facts : mapping of str to Fact, optional
        In the order in which they are to be read.
    """

    __slots__ = ("_facts",)

    def __init__(self, facts: Mapping[str, Fact] | None = None) -> None:
        self._facts = {name: fact for name, fact in (facts or {}).items() if fact is not None}

    def __getitem__(self, name: str) -> Fact:
        return self._facts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __hash__(self) -> int:
        return hash(frozenset(self._facts.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Values) and self._facts == other._facts

    def __repr__(self) -> str:
        return f"Values({self._facts!r})"

    def number(self, name: str) -> float:
        """A number; 0 where there is none of that name."""
        fact = self._facts.get(name, 0)
        assert isinstance(fact, int | float), name
        return fact

    def count(self, name: str) -> int:
        """A whole number; 0 where there is none of that name."""
        return int(self.number(name))

    def with_noun(self, name: str, noun: str) -> str:
        """A number with its noun: ``1 cage``, ``32 cages``; KeyError where it is not known."""
        fact = self[name]
        return counted(fact, noun) if isinstance(fact, int) else f"{fact} {plural(noun)}"

    def text(self, name: str) -> str:
        """A name or words; empty where there are none."""
        return str(self._facts.get(name, ""))

    def texts(self, name: str) -> tuple[str, ...]:
        """Several names, or numbers as text; none where there are none."""
        facts = self._facts.get(name, ())
        assert isinstance(facts, tuple), name
        return tuple(map(str, facts))

    def counts(self, name: str) -> tuple[int, ...]:
        """Several whole numbers; none where there are none."""
        facts = self._facts.get(name, ())
        assert isinstance(facts, tuple), name
        return tuple(map(int, facts))


Worse = Literal["more", "less"]


@dataclass(frozen=True)
class Value:
    """The one figure that a finding is about, and which way it becomes worse."""

    amount: float
    unit: str
    worse: Worse = "more"

    @property
    def words(self) -> str:
        """``2:1``, ``16 GPUs``."""
        return self.words_of(self.amount)

    def words_of(self, amount: float) -> str:
        """Another amount of the same in words."""
        whole = amount == round(amount) or abs(amount) >= 100
        number = f"{amount:,.0f}" if whole else f"{amount:.3g}"
        return f"{number}{'' if self.unit.startswith(':') else ' '}{self.unit}"

    def beyond(self, amount: float) -> bool:
        """Whether this is worse than another amount by more than a per mille."""
        more = self.amount - amount if self.worse == "more" else amount - self.amount
        return more > 1e-3 * max(abs(self.amount), abs(amount))


@dataclass(frozen=True)
class Measure:
    """Which of its values a finding measures, in which unit, and which way it becomes worse."""

    name: str
    unit: str
    worse: Worse = "more"

    def of(self, values: Values) -> Value | None:
        """What is measured; None where it is not known."""
        return (
            Value(values.number(self.name), self.unit, self.worse) if self.name in values else None
        )
