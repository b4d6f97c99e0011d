"""The findings in the middle of the screen: each with its figure, its fix and its waiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.synthesis.next_change import fix_of_finding
from toposmith.tui.asking import Asking, Outcome
from toposmith.tui.flows.review_flow import waive
from toposmith.tui.flows.search_results import take_found
from toposmith.tui.tables.finding_rows import findings_table
from toposmith.tui.views.listing import Key, Listing, On

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.sidecar.verdict import Review


def _said(
    review: Review, findings: tuple[Finding, ...] | None, design: Design, trouble: str
) -> object | None:
    """The findings, which are computed behind the figures, for the panels too."""
    return None if findings is None else (findings, design)


def _enter(on: On) -> Asking | Outcome:
    """Preview the change that raises the figure of a finding; other findings have a place."""
    if on.of is None or "change" not in on.of.computed_values:
        return on.there
    found = on.here.figures.next
    fix = fix_of_finding(on.of, found.fixes.fixes) if found is not None else None
    if fix is None or on.here.bench.read_only:
        return None
    return take_found(on.here, fix)


FINDINGS = Listing(
    "findings",
    "Findings",
    about="the findings",
    said=_said,
    table=lambda found, asked, glyphs: findings_table(found[0], found[1], glyphs),
    keys=(
        Key("enter", "go there", "Go to the place that the line is about", _enter),
        Key(
            "w", "waive", "Waive the finding, with a reason; on a waived one take that back",
            lambda on: waive(on.here, on.of) if on.of else None,
            changes=True,
        ),
    ),
)  # fmt: skip
