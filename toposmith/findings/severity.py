"""Severities of findings: sort order, and counts in words."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding
from toposmith.text import counted

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""

_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}


def rank(finding: Finding) -> int:
    """The place of a finding among others: the worst at 0, waived ones behind all that count."""
    waived = len(SEVERITIES) if finding.waived is not None else 0
    return waived + SEVERITIES.index(finding.severity)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, errors first and waived ones last; alike ones stay in their order."""
    return sorted(dict.fromkeys(findings), key=rank)


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many findings there are of each severity, without those that were waived."""
    found = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        found[finding.severity] += finding.waived is None
    return found


def waived_count(findings: Iterable[Finding]) -> int:
    """How many findings were waived."""
    return sum(finding.waived is not None for finding in findings)


def findings_words(findings: Iterable[Finding]) -> str:
    """``1 error, 2 warnings, 3 remarks, 1 waived``: each counts once, however often it is there."""
    unique = worst_first(findings)
    said = [counted(many, _NOUNS[severity]) for severity, many in counts(unique).items() if many]
    waived = waived_count(unique)
    return ", ".join([*said, *([f"{waived:,} waived"] if waived else [])]) or "no findings"


def severity_words(finding: Finding) -> str:
    """The severity of a finding; of one that was waived also since when, until when and why."""
    if finding.waived is None:
        return finding.severity
    return f"{finding.severity}, waived {waiver_words(finding)}: {finding.waived.reason}"


def waiver_words(finding: Finding) -> str:
    """When a finding was waived, at which value, and until when; empty where it was not.

    ``2026-11-21 by Ann at 2:1, until 2027-06-30``; at any value where the waiver names none.
    """
    waived, value = finding.waived, finding.value
    if waived is None:
        return ""
    at = ""
    if value is not None:
        at = " at any value" if waived.value is None else f" at {value.words_of(waived.value)}"
    by = f" by {waived.by}" if waived.by else ""
    return f"{waived.date}{by}{at}{f', until {waived.until}' if waived.until else ''}"
