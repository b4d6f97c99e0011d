"""Codes of findings about tiers and uplinks."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

TIERS: tuple[Code, ...] = (
    Code(
        "oversubscribed",
        "warning",
        "oversubscription above policy",
        "a tier has more capacity down than up, beyond what the policy allows",
        "more uplinks",
    ),
    Code(
        "uneven-uplinks",
        "warning",
        "uplinks not a whole number per spine",
        "a switch's uplinks do not divide over the switches above, so that ports stay "
        "idle or some get more",
        "a count of spines that divides the uplinks",
    ),
    Code(
        "uplinks-missing",
        "warning",
        "switches with fewer uplinks than their likes",
        "absent cables or spines leave some switches thinner; traffic over them is slower",
        "cable what is absent",
    ),
    Code(
        "overbuilt-uplinks",
        "info",
        "more uplinks than downlinks",
        "a tier has at least twice the capacity up than down",
        "fewer cables or spines",
    ),
    Code(
        "ecmp-overload",
        "warning",
        "static ECMP overloads uplinks",
        "switches hash connections onto uplinks, and the fullest gets a multiple of its share",
        "adaptive routing, or queue pairs",
    ),
)
