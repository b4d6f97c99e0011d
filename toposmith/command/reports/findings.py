"""Findings as text and JSON: place, reason, figure, fix, and who waived them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from toposmith.findings.severity import waiver_words
from toposmith.plain_text import visible
from toposmith.review.findings.collecting import finding_json
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.findings.finding import Finding


def checked_lines(
    file: str,
    findings: Iterable[Finding],
    *,
    remarks: bool = True,
    in_full: bool = False,
    at: Mapping[str, int] | None = None,
) -> list[str]:
    """The lines of one design; waived findings in short, or ``in_full``.

    Remarks are listed where ``remarks`` asks for them, and counted else.

    ``at`` maps the place of a finding to the line of its entry in the file.
    """
    lines: list[str] = []
    counted_only = 0
    for one in findings:
        if one.severity == "info" and not remarks and not (in_full and one.waived):
            counted_only += 1
            continue
        line = (at or {}).get(one.where.partition("]")[0] + "]")
        start = f"{visible(file)}:{line}: " if line else f"{visible(file)}: "
        said = f"{visible(one.where)}: {visible(one.text)} [{one.code}]"
        word = one.severity if one.waived is None else f"waived {one.severity}"
        lines.append(f"{start}{word}: {said}")
        if one.waived is not None:
            lines.append(f"    waived: {visible(one.waived.reason)} ({waiver_words(one)})")
        if one.waived is not None and not in_full:
            continue
        if one.figure:
            lines.append(f"    figure: {visible(one.figure)}")
        lines.append(f"    fix: {visible(one.fix)}")
    if not counted_only:
        return lines or [f"{visible(file)}: no findings"]
    rest = f"{counted(counted_only, 'remark')} (--remarks)"
    return [*lines, f"{visible(file)}: {rest if lines else f'no warnings, {rest}'}"]


def checked_json(file: str, design: str, findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings of one design as data."""
    return {"file": file, "design": design, "findings": [finding_json(one) for one in findings]}
