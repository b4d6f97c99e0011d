"""Findings of one's own: what looks for them, with the record that says how bad one is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from toposmith.entry_points import refuse_twice
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import Code
from toposmith.findings.finding import Finding


@dataclass(frozen=True)
class AddedFinding:
    """A finding of one's own.

    Parameters
    ----------
    code : Code
        Its record.
    find : callable
        Looks for it: gets a ``toposmith.review.findings.subject.Subject``, the design under review.
    """

    code: Code
    find: Callable[[Any], Iterable[Finding]]


ADDED: list[AddedFinding] = []
"""Findings that were added to those of the program."""


def add_finding(added: AddedFinding) -> None:
    """Have one more finding looked for; policies and waivers know its code.

    Raises
    ------
    ValueError
        Where there is one of its code.
    """
    refuse_twice(RECORDS, added.code.code)
    RECORDS[added.code.code] = added.code
    ADDED.append(added)
