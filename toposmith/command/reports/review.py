"""Comments and decisions of a review, as plain text and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.documents.aligned_text import columns
from toposmith.plain_text import visible
from toposmith.review.report.pages import comment_rows, review_lines, unproven_words
from toposmith.review.sidecar.approval import figures_of, moved_words, signed_figures
from toposmith.review.sidecar.verdict import moved_figures

if TYPE_CHECKING:
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.review.sidecar.verdict import Comment, Decision, Pinned, Review


def review_report(review: Review, evaluated: EvaluatedDesign) -> str:
    """The verdict, who decided what, which figures changed since, and every comment."""
    blocks = [[review.words]]
    blocks[0] += [visible(line) for line in review_lines(review, evaluated)]
    moved = moved_words(review.pinned, evaluated)
    blocks[0] += [visible(moved)] if moved else []
    blocks[0] += [unproven_words(review)] if review.decisions else []
    if review.comments:
        rows = [
            tuple(map(visible, row)) for comment in review.comments for row in comment_rows(comment)
        ]
        head = ("id", "state", "place", "comment", "author", "date")
        blocks.append(list(columns(head, rows)))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def review_data(review: Review, evaluated: EvaluatedDesign) -> dict[str, Any]:
    """The state of a review under stable keys."""
    return {
        "toposmith": 1,
        "design": evaluated.source,
        "design_sha256": evaluated.digest,
        "state": review.verdict,
        "settled": review.settled,
        "approvals": review.approvals,
        "approvals_needed": review.needed,
        "faults": list(review.faults),
        "pinned": _pinned_data(review.pinned, evaluated),
        "decisions": [_decision_data(each, evaluated) for each in review.decisions],
        "comments": [_comment_data(each) for each in review.comments],
    }


def _pinned_data(pinned: Pinned | None, evaluated: EvaluatedDesign) -> dict[str, Any] | None:
    if pinned is None:
        return None
    return {
        "author": pinned.author,
        "date": pinned.date,
        "changed_since": list(pinned.changed),
        "figures": dict(pinned.figures),
        "figures_now": figures_of(evaluated),
    }


def _decision_data(one: Decision, evaluated: EvaluatedDesign) -> dict[str, Any]:
    said = one.entry
    now = signed_figures(evaluated) if said.figures else {}
    moved = tuple(moved_figures(said.figures, now))
    return {
        "decision": "approve" if one.approved else "request_changes",
        "author": said.author,
        "email": said.email or None,
        "date": said.date,
        "text": said.text or None,
        "changed_since": list(one.changed),
        "figures_moved": list(moved),
        "notes": list(one.notes),
        "counts": one.counts,
        "signed_with": one.proof.key or None,
        "why_void": one.void or None,
        "own": one.own,
        "program": said.program or None,
        "despite": said.despite or None,
        "not_looked_at": list(said.not_looked_at),
        "figures": dict(said.figures),
        "figures_now": now,
    }


def _comment_data(one: Comment) -> dict[str, Any]:
    answers = [{"author": r.author, "date": r.date, "text": r.text} for r in one.replies]
    return {
        "id": one.id,
        "place": one.place,
        "was": one.was or None,
        "in_design": not one.gone,
        "open": one.open,
        "author": one.author,
        "date": one.date,
        "text": one.text,
        "replies": answers,
    }
