"""Oversubscription of tiers against the policy, and the uplinks that would fix it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import ceil

from toposmith.analysis.result import Tier
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import Place, at_groups
from toposmith.findings.values import Fact
from toposmith.review.findings.rewiring import AS_IS, Rewiring, growing, lacking
from toposmith.review.findings.subject import (
    Explained,
    Explainers,
    Find,
    Subject,
    other_end,
)

OVERBUILT = 0.5
"""Capacity down over capacity up from which on a tier has twice the uplinks that it can fill."""

TierUplinks = Mapping[int, tuple[str, LinkPlan]]
"""The links up from a tier, by index, each with the group of the tier that it leaves."""


def oversubscribed(subject: Subject, finding: Finding) -> Explained:
    """The ratio against the policy's, and the cables, or switches above, that keep it."""
    tier = _tier(subject, finding.place)
    if tier is None or tier.oversubscription is None:
        return {}
    limit = subject.policy.limits.oversubscription_of(tier.tier)
    # what is down or slow is to be repaired, not compensated
    cabled = tier.oversubscription if tier.as_cabled is None else tier.as_cabled
    more = max(0, ceil(tier.ports_up * (cabled / limit - 1) - 1e-9))
    if not more:
        return {"limit": limit, "more_uplinks": 0}
    links = {link.index: (name, link) for name in tier.groups for link in subject.links_up(name)}
    rewired = _more_uplinks(subject.plan, links, cabled / limit)
    return {"limit": limit, "more_uplinks": more, **rewired}


def _more_uplinks(plan: Plan, links: TierUplinks, factor: float) -> dict[str, Fact]:
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
    return {
        "switches": tuple(rewiring.counts),
        "switches_wanted": tuple(rewiring.counts.values()),
        "switches_now": tuple(plan.size(above) for above in rewiring.counts),
        **_cables(links, rewiring),
    }


def _with_larger_switches(plan: Plan, links: TierUplinks, factor: float) -> dict[str, Fact]:
    """The cables that as many switches would want, and the ports that these lack."""
    wanted = {
        index: ceil(link.cables_per_pair * factor - 1e-9) for index, (_, link) in links.items()
    }
    rewiring = Rewiring(cables=wanted)
    lacks = lacking(plan, rewiring)
    ports: dict[str, Fact] = {"lacking": tuple(lacks), "ports_lacking": tuple(lacks.values())}
    return {**_cables(links, rewiring), **ports}


def _cables(links: TierUplinks, rewiring: Rewiring) -> dict[str, Fact]:
    """Each link with its new cables, and with those that it has."""
    return {
        "links": tuple(f"{name} - {other_end(link, name).group}" for name, link in links.values()),
        "cables_wanted": tuple(rewiring.cables[index] for index in links),
        "cables_now": tuple(link.cables_per_pair for _, link in links.values()),
    }


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether an oversubscription is one that the policy allows."""
    if finding.code != "oversubscribed" or finding.value is None:
        return False
    most = subject.policy.limits.oversubscription_of(finding.values.text("tier"))
    return not finding.value.beyond(most)


def overbuilt(subject: Subject) -> Iterator[Finding]:
    """Tiers with at least twice the capacity up that they have down."""
    for tier in subject.analysis.tiers:
        cabled = tier.oversubscription if tier.as_cabled is None else tier.as_cabled
        if cabled is not None and cabled <= OVERBUILT:
            spare = tier.ports_up - ceil(tier.ports_up * cabled)
            yield found(
                "overbuilt-uplinks",
                at_groups(tier.groups),
                ports_up=tier.ports_up,
                ports_down=tier.ports_down,
                ratio=cabled,
                spare=spare,
            )


def _tier(subject: Subject, place: Place) -> Tier | None:
    return next((t for t in subject.analysis.tiers if at_groups(t.groups) == place), None)


FIND: tuple[Find, ...] = (overbuilt,)
EXPLAIN: Explainers = {"oversubscribed": oversubscribed}
