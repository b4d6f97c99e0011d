"""What was found while part files were read, as findings."""

from __future__ import annotations

from toposmith.catalog import Catalog
from toposmith.findings.finding import Finding, at_file, found

MOST_LISTED = 20
"""Faults that are listed singly: a wrong folder can have thousands."""


def catalog_findings(catalog: Catalog) -> list[Finding]:
    """What was found in part files, as findings: what was left out, and what replaces what."""
    findings: list[Finding] = []
    for line in catalog.faults[:MOST_LISTED]:
        where, _, reason = line.partition(": ")
        findings.append(found("part-file", at_file(where), reason=reason))
    more = len(catalog.faults) - MOST_LISTED
    if more > 0:
        findings.append(found("part-file", at_file("part files"), more=more))
    for line in catalog.notes[:MOST_LISTED]:
        where, _, reason = line.partition(": ")
        findings.append(found("part-note", at_file(where), reason=reason))
    return findings
