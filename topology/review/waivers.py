"""Waivers of a design laid over its findings: what is accepted, since when, and what has lapsed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from toposmith.topology.design.document import Design, Waiver
from toposmith.topology.fabric.plan import Finding, Waived
from toposmith.topology.review.findings.codes import CODES
from toposmith.topology.review.findings.subject import found


def with_waivers(
    findings: Iterable[Finding], design: Design, today: date | None = None
) -> list[Finding]:
    """The findings, waived where the design says so, and what there is to say of its waivers.

    Parameters
    ----------
    findings : iterable of Finding
        All findings of the design.
    design : Design
        Its ``waivers:`` block is read; dates in it are right (the reader checks them).
    today : date, optional
        The day on which waivers have to hold; without it every waiver holds.
    """
    covered: dict[int, list[Finding]] = {number: [] for number in range(len(design.waivers))}
    shown: list[Finding] = []
    for one in findings:
        covering = [n for n, waiver in enumerate(design.waivers) if covers(waiver, one)]
        waivers = (design.waivers[number] for number in covering)
        holding = (each for each in waivers if holds(each, today) and allows(each, one))
        if (waiver := next(holding, None)) is not None:
            why = Waived(waiver.reason, waiver.date, waiver.until, waiver.value)
            one = replace(one, waived=why)
        shown.append(one)
        for number in covering:
            covered[number].append(one)
    for number, waiver in enumerate(design.waivers):
        shown += _about(number, waiver, covered[number], today)
    return shown


def covers(waiver: Waiver, finding: Finding) -> bool:
    """Whether a waiver is about a finding: its code, and its place where the waiver names one."""
    return waiver.code == finding.code and waiver.where in (None, finding.where)


def holds(waiver: Waiver, today: date | None) -> bool:
    """Whether a waiver holds on a day; its first and its last day count."""
    if today is None:
        return True
    begun = date.fromisoformat(waiver.date) <= today
    return begun and (waiver.until is None or today <= date.fromisoformat(waiver.until))


def allows(waiver: Waiver, finding: Finding) -> bool:
    """Whether a finding is no worse than when it was accepted; without a value it may be."""
    if waiver.value is None:
        return True
    return finding.value is not None and not finding.value.beyond(waiver.value)


def _about(
    number: int, waiver: Waiver, covered: Sequence[Finding], today: date | None
) -> list[Finding]:
    where = f"waivers[{number}]"
    if waiver.code not in CODES:
        near = difflib.get_close_matches(waiver.code, CODES, n=1)
        text = f"no finding has the code {waiver.code!r}"
        remedy = f"name {near[0]}" if near else CODES["waiver-unknown-code"].remedy
        return [found("waiver-unknown-code", where, text, waiver.code, remedy)]
    at = f" at {waiver.where}" if waiver.where else ""
    if not covered:
        text = f"{waiver.code}{at} does not occur, so that there is nothing to waive"
        return [found("waiver-unused", where, text, waiver.date, "remove the waiver")]
    counting = [one for one in covered if one.waived is None]
    if not counting:
        return []  # it holds, or another one does
    if today is not None and today < date.fromisoformat(waiver.date):
        text = f"the waiver of {waiver.code}{at} begins on {waiver.date}, which has not come; "
        text += "its finding counts until then"
        return [found("waiver-not-begun", where, text, waiver.date, "correct its date:")]
    if not holds(waiver, today):
        text = (
            f"the waiver of {waiver.code}{at} held until {waiver.until}; its finding counts again"
        )
        return [found("waiver-expired", where, text, waiver.until, "mend it, or waive it anew")]
    beyond = [one for one in counting if not allows(waiver, one)]
    return [_beyond(where, waiver, one) for one in beyond[:1]]


def _beyond(where: str, waiver: Waiver, finding: Finding) -> Finding:
    """That a finding is worse than when it was accepted, or has no value that could tell."""
    at, value = f"{waiver.code} at {finding.where}", finding.value
    assert waiver.value is not None
    if value is None:
        text = f"{at} measures nothing that could be held to {waiver.value:g}; its finding counts"
        return found("waiver-exceeded", where, text, None, "remove value:")
    text = (
        f"the waiver of {at} was given at {value.words_of(waiver.value)}, it is {value.words} now; "
        "its finding counts again"
    )
    remedy = f"mend it, or waive it anew with value: {value.amount:.6g}"
    return found("waiver-exceeded", where, text, value.words, remedy)
