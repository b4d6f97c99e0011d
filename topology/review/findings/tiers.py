"""Oversubscription of tiers against the policy, and the uplinks that would mend it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import ceil

from toposmith.topology.analysis.result import Tier
from toposmith.topology.fabric.plan import Finding, LinkPlan, Plan, Value
from toposmith.topology.review.findings.rewiring import AS_IS, Rewiring, growing, lacking
from toposmith.topology.review.findings.subject import (
    Explained,
    Explainers,
    Find,
    Subject,
    found,
    other_end,
)

OVERBUILT = 0.5
"""Capacity down over capacity up from which on a tier has twice the uplinks that it can fill."""

Uplinks = Mapping[int, tuple[str, LinkPlan]]
"""The links up from a tier, by index, each with the group of the tier that it leaves."""


def oversubscribed(subject: Subject, finding: Finding) -> Explained:
    """The ratio against the policy's, and the cables, or switches above, that keep it."""
    tier = _tier(subject, finding.where)
    if tier is None or tier.oversubscription is None:
        return None, None
    limit = subject.policy.limits.oversubscription_of(tier.tier)
    figure = f"{tier.oversubscription:.3g}:1 at the {tier.tier} tier, policy {limit:.3g}:1"
    more = ceil(tier.ports_up * (tier.oversubscription / limit - 1) - 1e-9)
    links = {link.index: (name, link) for name in tier.groups for link in subject.links_up(name)}
    words = _more_uplinks(subject.plan, links, tier.oversubscription / limit)
    return figure, f"{more:,} uplinks more{words}"


def _more_uplinks(plan: Plan, links: Uplinks, factor: float) -> str:
    """What to write into the design for so many times the uplinks, with ports for all of them."""
    by_above: dict[str, dict[int, float]] = defaultdict(dict)
    for index, (name, link) in links.items():
        by_above[other_end(link, name).group][index] = factor
    rewiring = AS_IS
    try:
        for above, factors in by_above.items():
            rewiring = growing(plan, rewiring, above, factors)
    except ValueError:
        return _with_larger_switches(plan, links, factor)
    counts = [
        f"{above} with count: {count:,} instead of {plan.size(above):,}"
        for above, count in rewiring.counts.items()
    ]
    words = " and ".join([*counts, *_cables(links, rewiring)])
    return f"; {words}" if words else ""


def _with_larger_switches(plan: Plan, links: Uplinks, factor: float) -> str:
    """The cables that as many switches would want, and the ports that these lack."""
    wanted = {
        index: ceil(link.cables_per_pair * factor - 1e-9) for index, (_, link) in links.items()
    }
    rewiring = Rewiring(cables=wanted)
    lacks = [
        f"{where} with {ports:,} ports more" for where, ports in lacking(plan, rewiring).items()
    ]
    return f"; {' and '.join(_cables(links, rewiring))}, on {' and '.join(lacks)}"


def _cables(links: Uplinks, rewiring: Rewiring) -> list[str]:
    """Each link with its new cables, and with those that it has if they change."""
    words: list[str] = []
    for index, (name, link) in links.items():
        cables, now = rewiring.cables[index], link.cables_per_pair
        instead = f"instead of {now}" if cables != now else "as now"
        words.append(f"{name} - {other_end(link, name).group} with cables: {cables} {instead}")
    return words


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether an oversubscription is one that the policy allows."""
    if finding.code != "oversubscribed" or finding.value is None:
        return False
    tier = _tier(subject, finding.where)
    most = subject.policy.limits.oversubscription_of(tier.tier if tier else "")
    return not finding.value.beyond(most)


def overbuilt(subject: Subject) -> Iterator[Finding]:
    """Tiers with at least twice the capacity up that they have down."""
    for tier in subject.analysis.tiers:
        if tier.oversubscription is not None and tier.oversubscription <= OVERBUILT:
            spare = tier.ports_up - ceil(tier.ports_up * tier.oversubscription)
            text = f"{tier.ports_up:,} cables up for {tier.ports_down:,} down: half of them idle"
            figure = f"{tier.oversubscription:.2g}:1"
            where = " + ".join(tier.groups)
            remedy = f"{spare:,} cables fewer would do"
            value = Value(tier.oversubscription, ":1", "less")
            yield found("overbuilt-uplinks", where, text, figure, remedy, value)


def _tier(subject: Subject, where: str) -> Tier | None:
    return next((t for t in subject.analysis.tiers if " + ".join(t.groups) == where), None)


FIND: tuple[Find, ...] = (overbuilt,)
EXPLAIN: Explainers = {"oversubscribed": oversubscribed}
