"""The record of a finding code: its severity, its meaning, and the text of its findings."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from toposmith.findings.values import Measure, Values
from toposmith.labels import SIGNS
from toposmith.text import one_does, plural

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
