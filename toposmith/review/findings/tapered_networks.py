"""Networks beside the compute network whose leaves carry less upwards than what is below them."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from toposmith.fabric.plan import MANAGEMENT
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group
from toposmith.review.findings.subject import Explainers, Find, Subject
from toposmith.review.other_networks import other_networks


def tapered(subject: Subject) -> Iterator[Finding]:
    """Leaves whose devices run faster together than the uplinks; as drawn, without faults.

    Management networks are left out: their devices never fill a port.
    """
    for network in other_networks(subject.network):
        if not network.is_management:
            for name in network.switches:
                yield from _of_leaf(subject, name)


def _of_leaf(subject: Subject, name: str) -> Iterator[Finding]:
    plan = subject.plan
    switch, use = plan.groups[name].switch, subject.uses[name, ""]
    assert switch is not None  # as all groups of `switches`
    below_gbit = above_gbit = uplinks = 0
    for link in plan.links_of(name):
        if any(end.ports == MANAGEMENT for end in link.ends):
            continue  # nothing of the network runs over it
        other = link.b.group if link.a.group == name else link.a.group
        cables = link.cables_at(name)
        if plan.groups[other].host is not None:
            below_gbit += cables * link.speed_gbit
        elif other != name and plan.groups[other].switch is not None:
            above_gbit += cables * link.speed_gbit
            uplinks += cables
    if not uplinks or below_gbit <= above_gbit:
        return
    ratio, limit = below_gbit / above_gbit, subject.policy.limits.network_taper
    yield found(
        "network-starved" if ratio > limit else "network-tapered",
        at_group(name),
        leaf=name,
        below_gbit=below_gbit,
        above_gbit=above_gbit,
        uplinks=uplinks,
        uplinks_wanted=ceil(below_gbit * uplinks / above_gbit),
        ratio=ratio,
        limit=limit if ratio > limit else None,
        free_cages=max(0, use.cages - use.cages_used),
        cages=use.cages,
    )


FIND: tuple[Find, ...] = (tapered,)
EXPLAIN: Explainers = {}
