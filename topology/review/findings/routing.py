"""Uplinks that static ECMP would overload, and adaptive routing assumed where it is not known."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Switch
from toposmith.topology.analysis.traffic.collisions import expected_fullest
from toposmith.topology.fabric.plan import Finding, Value
from toposmith.topology.review.findings.subject import Explainers, Find, Subject, found

MOST_QUEUE_PAIRS = 128
"""As many as NCCL opens for one connection (NVIDIA/nccl, src/transport/net_ib.cc)."""


def overload(flows: int, uplinks: int, queue_pairs: int = 1) -> float:
    """Load of the fullest uplink over its fair share, with a flow for each port below.

    The expected fullest of balls in bins (:mod:`toposmith.topology.analysis.traffic.collisions`).
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
        text = (
            f"{_whether(group.switch)}; static ECMP puts {times:.2g} times its fair share on the "
            f"fullest of {uplinks} uplinks, and a collective waits for it"
        )
        enough = next(
            (
                n
                for n in (2**k for k in range(1, MOST_QUEUE_PAIRS.bit_length()))
                if overload(flows, uplinks, n) <= limit
            ),
            None,
        )
        pairs = f"NCCL_IB_QPS_PER_CONNECTION={enough} keeps it to {limit:g}" if enough else ""
        other = adaptive_switch(subject, group.switch)
        take = f"take {other.id}, which routes adaptively" if other else ""
        remedy = ", or ".join(words for words in (pairs, take) if words) or None
        figure = f"{times:.2g} times, policy {limit:g}"
        value = Value(times, "times the fair share")
        yield found("ecmp-overload", name, text, figure, remedy, value)


def assumed(subject: Subject) -> Iterator[Finding]:
    """Switches with a choice of paths that are not known to route as the figures assume."""
    if subject.analysis.routing != "adaptive":
        return
    for name, group in subject.plan.groups.items():
        if group.switch is None or group.switch.adaptive_routing or not subject.links_up(name):
            continue
        other = adaptive_switch(subject, group.switch)
        text = f"the figures assume adaptive routing; {_whether(group.switch)}"
        remedy = f"take {other.id}" if other else "analyse with --routing static"
        yield found("no-adaptive-routing", name, text, "adaptive routing", remedy)


def adaptive_switch(subject: Subject, like: Switch) -> Switch | None:
    """The smallest switch that routes adaptively and runs another's ports, of its vendor first."""
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


def _whether(switch: Switch) -> str:
    if switch.adaptive_routing is None:
        return f"whether {switch.name} routes adaptively is not in this catalog"
    return f"{switch.name} does not route adaptively"


FIND: tuple[Find, ...] = (hashed, assumed)
EXPLAIN: Explainers = {}
