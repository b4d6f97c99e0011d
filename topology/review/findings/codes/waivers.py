"""Codes of findings about waivers."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

WAIVERS: tuple[Code, ...] = (
    Code(
        "waiver-unused",
        "info",
        "waiver without its finding",
        "what was waived does not occur (any more)",
        "remove the waiver",
    ),
    Code(
        "waiver-expired",
        "warning",
        "waiver past its date",
        "its until: has passed; the finding counts again",
        "mend it, or waive anew",
    ),
    Code(
        "waiver-exceeded",
        "warning",
        "waiver of less than there is",
        "the finding is worse than its value: says; it counts again",
        "mend it, or waive anew",
    ),
    Code(
        "waiver-not-begun",
        "warning",
        "waiver of a day to come",
        "its date: has not come yet; the finding counts until then",
        "correct its date:",
    ),
    Code(
        "waiver-unknown-code",
        "warning",
        "waiver of an unknown code",
        "no finding has that code",
        "name a code of docs/findings.md",
    ),
)
