"""Oversubscription of tiers against the policy, and the cables that would mend it."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from topology.analysis.result import Tier
from topology.fabric.plan import Finding
from topology.review.findings.ports import free_ports
from topology.review.findings.subject import (
    Explained,
    Explainers,
    Find,
    Subject,
    found,
    other_end,
)
from topology.review.policy import Policy

OVERBUILT = 0.5
"""Capacity down over capacity up from which on a tier has twice the uplinks that it can fill."""


def oversubscribed(subject: Subject, finding: Finding) -> Explained:
    """The ratio against the policy's, and the cables per pair that keep it."""
    tier = _tier(subject, finding.where)
    if tier is None or tier.oversubscription is None:
        return None, None
    limit = subject.policy.limits.oversubscription_of(tier.tier)
    figure = f"{tier.oversubscription:.3g}:1 at the {tier.tier} tier, policy {limit:.3g}:1"
    more = ceil(tier.ports_up * (tier.oversubscription / limit - 1) - 1e-9)
    remedies: list[str] = []
    for name in tier.groups:
        for link in subject.links_up(name):
            above = other_end(link, name).group
            wanted = ceil(link.cables_per_pair * tier.oversubscription / limit - 1e-9)
            free = free_ports(subject, name, link)
            extra = (wanted - link.cables_per_pair) * link.cables_at(name) // link.cables_per_pair
            words = f"{name} - {above} with cables: {wanted} instead of {link.cables_per_pair}"
            lacking = f", on switches with {extra - free:,} ports more"
            remedies.append(words if extra <= free else f"{words}{lacking}")
    words = f"; {' and '.join(remedies)}" if remedies else ""
    return figure, f"{more:,} uplinks more{words}"


def within_policy(finding: Finding, policy: Policy) -> bool:
    """Whether an oversubscription is one that the policy allows."""
    if finding.code != "oversubscribed":
        return False
    ratio, _, rest = (finding.figure or "").partition(":1 at the ")
    tier = rest.partition(" tier")[0]
    return bool(rest) and float(ratio) <= policy.limits.oversubscription_of(tier) * 1.001


def overbuilt(subject: Subject) -> Iterator[Finding]:
    """Tiers with at least twice the capacity up that they have down."""
    for tier in subject.analysis.tiers:
        if tier.oversubscription is not None and tier.oversubscription <= OVERBUILT:
            spare = tier.ports_up - ceil(tier.ports_up * tier.oversubscription)
            text = f"{tier.ports_up:,} cables up for {tier.ports_down:,} down: half of them idle"
            figure = f"{tier.oversubscription:.2g}:1"
            where = " + ".join(tier.groups)
            yield found(
                "overbuilt-uplinks", where, text, figure, f"{spare:,} cables fewer would do"
            )


def _tier(subject: Subject, where: str) -> Tier | None:
    return next((t for t in subject.analysis.tiers if " + ".join(t.groups) == where), None)


FIND: tuple[Find, ...] = (overbuilt,)
EXPLAIN: Explainers = {"oversubscribed": oversubscribed}
