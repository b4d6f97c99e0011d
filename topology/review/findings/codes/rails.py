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
        "cable-elsewhere",
        "warning",
        "cable goes elsewhere",
        "a single cable leads to another device than its link deals its port to",
        "move the cable back and take its entry away, or waive it",
    ),
    Code(
        "rails-uneven",
        "warning",
        "rails uneven",
        "nodes of one group have unlike numbers of cabled NICs",
        "cable the missing ports",
    ),
)
