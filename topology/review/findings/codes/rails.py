"""Codes of findings about rails."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

RAILS: tuple[Code, ...] = (
    Code(
        "rails-crossed",
        "warning",
        "rails crossed",
        "NICs of one number of two node groups end at different leaves",
        "cable the same ports of both groups, in the same order",
    ),
    Code(
        "rails-uneven",
        "warning",
        "rails uneven",
        "nodes of one group have unlike numbers of cabled NICs",
        "cable the missing ports",
    ),
)
