"""The record of a code: how bad it is, what it means, and the words of its findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from toposmith.topology.findings.values import Measure, Values

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
        How bad it is, where a policy does not say otherwise.
    title, meaning : str
        In a few words, and in a sentence, for every design.
    usual_fix : str
        What usually mends it.
    text : Words
        Why it is said of this place.
    figure : Words, optional
        The figure behind it.
    fix : Words, optional
        What mends it here, where that was worked out.
    measure : Measure, optional
        Which value it measures, where that is one: what waivers and policies are held to.
    reviewed : bool
        Whether a review of a design can say it; else only a workload or an export does.
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
    reviewed: bool = True


def rendered(words: Words | None, values: Values) -> str | None:
    """A sentence with the values filled in; None where one is not known."""
    if words is None:
        return None
    try:
        return words(values) if callable(words) else words.format_map(values)
    except KeyError:
        return None
