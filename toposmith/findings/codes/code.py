"""The record of a finding code, and the values that findings measure: severity, meaning, text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from toposmith.labels import SIGNS
from toposmith.text import counted, one_does, plural

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


NOUNS = (
    *("node", "GPU", "NIC", "switch", "port", "cage", "slot", "cable", "link", "uplink", "peer"),
    *(
        "connection",
        "module",
        "rack",
        "rank",
        "leaf",
        "feed",
        "tray",
        "combination",
        "fault",
        "way",
        "sequence",
    ),
)
"""What sentences of findings count."""

Severity = Literal["error", "warning", "info"]

Words = str | Callable[[Values], str | None]
"""A sentence with the names of values in braces, as in :meth:`str.format`, or a function of them.
Where a value that it names is not there, there is no sentence."""


@dataclass(frozen=True)
class Code:
    """One kind of finding.

    Parameters
    ----------
    code : str
        Its stable name.
    severity : str
        Its severity, unless a policy overrides it.
    title, meaning : str
        In a few words, and in a sentence, for every design.
    usual_fix : str
        The usual fix.
    text : Words
        The reason at this place.
    figure : Words, optional
        The figure behind it.
    fix : Words, optional
        The fix at this place, where one was computed.
    measure : Measure, optional
        The value that it measures, if any; waivers and policies compare it.
    lifted_by_fixes : bool
        Whether a change that raises the measured figure fixes it.
    """

    code: str
    severity: Severity
    title: str
    meaning: str
    usual_fix: str
    text: Words = "{reason}"
    figure: Words | None = None
    fix: Words | None = None
    measure: Measure | None = None
    lifted_by_fixes: bool = False


_VERBS = ("have", "are", "find", "send", "do", "lose")
_COUNTED = re.compile(
    r"(?P<value>\{(?P<name>\w+)[^}]*\}) "
    f"(?P<noun>{'|'.join(map(plural, NOUNS))})\\b(?: (?P<verb>{'|'.join(_VERBS)})\\b)?"
)


def _agreeing(values: Values, found: re.Match[str]) -> str:
    """What a sentence counts, in the singular where there is one: ``{many} switch has``."""
    if values.get(found["name"]) != 1:
        return found[0]
    noun = next(noun for noun in NOUNS if plural(noun) == found["noun"])
    verb = f" {one_does(found['verb'])}" if found["verb"] else ""
    return f"{found['value']} {noun}{verb}"


def rendered(words: Words | None, values: Values) -> str | None:
    """A sentence with the values filled in; None where one is not known."""
    if words is None:
        return None
    try:
        if callable(words):
            return words(values)
        return _COUNTED.sub(partial(_agreeing, values), words).format_map(values)
    except KeyError:
        return None


def gpu_links(v: Values) -> str:
    """The kind of links of GPUs that a finding is about."""
    return v.text("gpu_links") if "gpu_links" in v else "nvlink"


def marked(v: Values, name: str, digits: int = 4) -> str:
    """A busbw with the sign of its label, ``≥ 189``; KeyError where it is missing."""
    if f"{name}_GBps" not in v:
        raise KeyError(f"{name}_GBps")
    figure = f"{v.number(f'{name}_GBps'):.{digits}g}"
    sign = next((sign for kind, sign in SIGNS.items() if kind == v[f"{name}_kind"]), "")
    return f"{sign} {figure}" if sign else figure


def whether_adaptive(v: Values) -> str:
    """What is known of a switch's routing."""
    if v["routing_known"]:
        return f"{v['switch']} does not route adaptively"
    return f"whether {v['switch']} routes adaptively is not in this catalog"
