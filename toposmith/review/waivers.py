"""Waivers applied to the findings of a design: what is accepted, since when, what has lapsed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from toposmith.design.document import Design, Waiver
from toposmith.findings.codes import RECORDS
from toposmith.findings.finding import Finding, Place, Waived, at_waiver, found


def marked(
    findings: Iterable[Finding], design: Design, today: date | None = None
) -> tuple[Finding, ...]:
    """The findings, waived where the design has a waiver: some of a design's, not all of them."""
    return tuple(_marked(one, design, today) for one in findings)


def with_waivers(
    findings: Iterable[Finding], design: Design, today: date | None = None
) -> list[Finding]:
    """The findings, waived where the design has a waiver, and findings on its waivers.

    Parameters
    ----------
    findings : iterable of Finding
        All findings of the design.
    design : Design
        Its ``waivers:`` block is read; dates in it are right (the reader checks them).
    today : date, optional
        The day on which waivers have to be valid; without it every waiver is.
    """
    covered: dict[int, list[Finding]] = {number: [] for number in range(len(design.waivers))}
    shown: list[Finding] = []
    for one in findings:
        one = _marked(one, design, today)
        shown.append(one)
        for number, waiver in enumerate(design.waivers):
            if covers(waiver, one):
                covered[number].append(one)
    for number, waiver in enumerate(design.waivers):
        shown += _about(number, waiver, covered[number], today)
    return shown


def _marked(finding: Finding, design: Design, today: date | None) -> Finding:
    """The finding, with the first waiver that holds for it."""
    for waiver in design.waivers:
        if covers(waiver, finding) and holds(waiver, today) and allows(waiver, finding):
            why = Waived(waiver.reason, waiver.date, waiver.until, waiver.value, waiver.by)
            return replace(finding, waived=why)
    return finding


def covers(waiver: Waiver, finding: Finding) -> bool:
    """Whether a waiver is about a finding: its code, and its place where the waiver names one."""
    named = waiver.where is None or finding.place.is_called(waiver.where)
    return named and waiver.code == finding.code


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
    place = at_waiver(number)
    if waiver.code not in RECORDS:
        near = difflib.get_close_matches(waiver.code, RECORDS, n=1)
        nearest = near[0] if near else None
        return [found("waiver-unknown-code", place, code=waiver.code, nearest=nearest)]
    about = {"waived": waiver.code, "at": waiver.where or None, "date": waiver.date}
    if not covered:
        return [found("waiver-unused", place, **about)]
    counting = [one for one in covered if one.waived is None]
    if not counting:
        return []  # it is valid, or another one is
    if today is not None and today < date.fromisoformat(waiver.date):
        return [found("waiver-not-begun", place, **about)]
    if not holds(waiver, today):
        return [found("waiver-expired", place, **about, until=waiver.until)]
    beyond = [one for one in counting if not allows(waiver, one)]
    return [_beyond(place, waiver, one) for one in beyond[:1]]


def _beyond(place: Place, waiver: Waiver, finding: Finding) -> Finding:
    """That a finding is worse than when it was accepted, or has no value that could tell."""
    value = finding.value
    return found(
        "waiver-exceeded",
        place,
        waived=waiver.code,
        at=str(finding.place),
        given=waiver.value,
        now=value.amount if value else None,
        unit=value.unit if value else None,
    )
