"""What entries add up to, said one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from toposmith.design.document import Design
from toposmith.review.sidecar.entries import ReviewEntry, Said, said_at
from toposmith.review.sidecar.verdict import Basis, Review, review_of


def in_order(entries: Sequence[ReviewEntry]) -> list[Said]:
    return [said_at(datetime(2026, 11, 21, second=at), each) for at, each in enumerate(entries)]


def review_saying(entries: Sequence[ReviewEntry], design: Design, digest: str) -> Review:
    return review_of(in_order(entries), design, Basis(digest))
