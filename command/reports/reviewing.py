"""Comments and decisions of a review, for a person at a terminal without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.catalog.plain_text import visible
from toposmith.command.reports.table import columns
from toposmith.topology.review.report.pages import OF_THE_DESIGN, comment_row, decision_line

if TYPE_CHECKING:
    from toposmith.topology.review.sidecar.entries import Review


def review_report(review: Review) -> str:
    """The verdict, who decided what, and every comment."""
    blocks = [[review.words, *(visible(decision_line(each)) for each in review.decisions)]]
    if any(decision.approved for decision in review.decisions):
        blocks[0].append(OF_THE_DESIGN)
    if review.comments:
        rows = [tuple(map(visible, comment_row(comment))) for comment in review.comments]
        head = ("", "state", "place", "comment", "author", "date")
        blocks.append(list(columns(head, rows, right=(0,))))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
