"""Uplinks that static ECMP would overload, and adaptive routing assumed where it is not known."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.traffic.collisions import expected_fullest
from toposmith.catalog import Switch
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group
from toposmith.review.findings.subject import Explainers, Find, Subject

MOST_QUEUE_PAIRS = 128
"""As many as NCCL opens for one connection (NVIDIA/nccl, src/transport/net_ib.cc)."""


def overload(flows: int, uplinks: int, queue_pairs: int = 1) -> float:
    """Load of the fullest uplink over its fair share, with a flow for each port below.

    The expected fullest of balls in bins (:mod:`toposmith.analysis.traffic.collisions`).
    """
    return expected_fullest(flows, uplinks, queue_pairs) * uplinks / flows


def hashed(subject: Subject) -> Iterator[Finding]:
    """Switches not known to route adaptively whose fullest uplink gets more than the policy."""
    limit = subject.policy.limits.ecmp_overload
    for name, group in subject.plan.groups.items():
        uplinks = sum(link.cables_at(name) for link in subject.links_up(name))
        flows = sum(link.cables_at(name) for link in subject.links_down(name))
        if group.switch is None or group.switch.adaptive_routing or uplinks < 2 or not flows:
            continue
        times = overload(flows, uplinks)
        if times <= limit:
            continue
        enough = next(
            (
                n
                for n in (2**k for k in range(1, MOST_QUEUE_PAIRS.bit_length()))
                if overload(flows, uplinks, n) <= limit
            ),
            None,
        )
        other = adaptive_switch(subject, group.switch)
        yield found(
            "ecmp-overload",
            at_group(name),
            switch=group.switch.name,
            routing_known=group.switch.adaptive_routing is not None,
            times=times,
            limit=limit,
            uplinks=uplinks,
            queue_pairs=enough,
            adaptive_switch=other.id if other else None,
        )


def assumed(subject: Subject) -> Iterator[Finding]:
    """Switches with a choice of paths that are not known to route as the figures assume."""
    if subject.analysis.routing != "adaptive":
        return
    for name, group in subject.plan.groups.items():
        if group.switch is None or group.switch.adaptive_routing or not subject.links_up(name):
            continue
        other = adaptive_switch(subject, group.switch)
        yield found(
            "no-adaptive-routing",
            at_group(name),
            switch=group.switch.name,
            routing_known=group.switch.adaptive_routing is not None,
            adaptive_switch=other.id if other else "",
        )


def adaptive_switch(subject: Subject, like: Switch) -> Switch | None:
    """The smallest adaptive switch that runs another's ports, of its vendor first; or None."""
    fits = [
        part
        for part in subject.catalog.of_kind("switch")
        if isinstance(part, Switch)
        and part.adaptive_routing
        and part.protocol == like.protocol
        and (mode := part.mode_for(like.native.speed_gbit)) is not None
        and mode.ports * part.cages.count >= like.ports
    ]
    return min(
        fits,
        key=lambda part: (part.vendor != like.vendor, part.cages.gbit, part.id),
        default=None,
    )


FIND: tuple[Find, ...] = (hashed, assumed)
EXPLAIN: Explainers = {}
