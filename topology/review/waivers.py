"""Waivers of a design laid over its findings: what is accepted, since when, and what has lapsed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from topology.design.document import Design, Waiver
from topology.fabric.plan import Finding, Waived
from topology.review.findings.codes import CODES
from topology.review.findings.subject import found


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
    used: set[int] = set()
    shown: list[Finding] = []
    for one in findings:
        number = next((n for n, w in enumerate(design.waivers) if covers(w, one)), None)
        if number is None:
            shown.append(one)
            continue
        holding = [n for n, w in enumerate(design.waivers) if covers(w, one) and holds(w, today)]
        used.update(n for n, w in enumerate(design.waivers) if covers(w, one))
        if not holding:
            shown.append(one)
            continue
        waiver = design.waivers[holding[0]]
        shown.append(replace(one, waived=Waived(waiver.reason, waiver.date, waiver.until)))
    for number, waiver in enumerate(design.waivers):
        shown += _about(number, waiver, number in used, today)
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


def _about(number: int, waiver: Waiver, used: bool, today: date | None) -> list[Finding]:
    where = f"waivers[{number}]"
    if waiver.code not in CODES:
        near = difflib.get_close_matches(waiver.code, CODES, n=1)
        text = f"no finding has the code {waiver.code!r}"
        remedy = f"name {near[0]}" if near else CODES["waiver-unknown-code"].remedy
        return [found("waiver-unknown-code", where, text, waiver.code, remedy)]
    at = f" at {waiver.where}" if waiver.where else ""
    if not used:
        text = f"{waiver.code}{at} does not occur, so that there is nothing to waive"
        return [found("waiver-unused", where, text, waiver.date, "remove the waiver")]
    if today is not None and today < date.fromisoformat(waiver.date):
        text = f"the waiver of {waiver.code}{at} begins on {waiver.date}, which has not come; "
        text += "its finding counts until then"
        return [found("waiver-not-begun", where, text, waiver.date, "correct its date:")]
    if not holds(waiver, today):
        text = (
            f"the waiver of {waiver.code}{at} held until {waiver.until}; its finding counts again"
        )
        return [found("waiver-expired", where, text, waiver.until, "mend it, or waive it anew")]
    return []
