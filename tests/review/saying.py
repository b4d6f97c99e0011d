"""What entries add up to, said one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.sidecar.approval import approval
from toposmith.review.sidecar.entries import ReviewEntry, Said, said_at
from toposmith.review.sidecar.verdict import Basis, Review, review_of


def in_order(entries: Sequence[ReviewEntry]) -> list[Said]:
    return [said_at(datetime(2026, 11, 21, second=at), each) for at, each in enumerate(entries)]


def approving(evaluated: EvaluatedDesign, author: str, date: str = "2026-11-21") -> ReviewEntry:
    """An approval as it is written today."""
    holds = approval(evaluated, Review())
    return ReviewEntry.model_validate({**holds, "author": author, "date": date})


def review_saying(entries: Sequence[ReviewEntry], design: Design, digest: str) -> Review:
    return review_of(in_order(entries), design, Basis(digest))
