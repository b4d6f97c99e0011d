"""Uplinks that static ECMP would overload, and adaptive routing assumed where it is not known."""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from toposmith.analysis.prediction.path_latency import CABLE_NS_PER_M
from toposmith.analysis.prediction.payload import DEFAULT_RDMA_MTU, ROCE_HEADERS
from toposmith.analysis.traffic.collisions import expected_fullest
from toposmith.catalog import Switch
from toposmith.fabric.plan import GroupPlan, LinkPlan
from toposmith.findings.finding import Finding, at_group, found
from toposmith.review.findings.subject import Explainers, Find, Subject, other_end
from toposmith.units import line_rate_GBps

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


PAUSE_QUANTA = {10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905}
"""What a port may still send after a pause frame came, by Gb/s, in units of 512 bit times (IEEE
802.3, 31B.3.7, as in sonic-net/sonic-swss, cfgmgr/buffer_headroom_barefoot.lua)."""

QUANTUM_BYTES = 64
PAUSE_FRAME_BYTES = 64
FRAME_BYTES = DEFAULT_RDMA_MTU + sum(ROCE_HEADERS.values())

TOO_MUCH = 0.5
"""Of the buffer: beyond it, what is left for traffic is less than what is set aside."""


def headroom_bytes(speed_gbit: int, length_m: float) -> float | None:
    """The least that one lossless priority of one port needs behind its pause threshold, bytes.

    A pause waits for the frame that is being sent, crosses the cable, takes the peer's response
    time, and what is under way on the cable by then still comes; the peer finishes its own frame.
    What the pipelines of both switches hold comes on top and is not public for most. Linux sets
    aside 102.5 kB for 100 Gb/s and 100 m on Spectrum (torvalds/linux, mlxsw/spectrum_buffers.c).

    Parameters
    ----------
    speed_gbit : int
        Of the port; None is returned for speeds whose response time is not known.
    length_m : float
        Of the cable.
    """
    quanta = PAUSE_QUANTA.get(speed_gbit)
    if quanta is None:
        return None
    round_trip_ns = 2 * length_m * CABLE_NS_PER_M
    on_the_cable = round_trip_ns * line_rate_GBps(speed_gbit)  # GB/s are bytes a nanosecond
    return on_the_cable + quanta * QUANTUM_BYTES + 2 * FRAME_BYTES + PAUSE_FRAME_BYTES


def _roce(subject: Subject) -> bool:
    """Whether collectives go over RoCE."""
    for group, ports in subject.node_groups():
        links = subject.plan.links_of(group.name)
        mine = [link for link in links if link.end_of(group.name).ports == ports.name]
        if ports.nic and any(ports.nic.transport(link.protocol) == "roce" for link in mine):
            return True
    return False


def polarised(subject: Subject) -> Iterator[Finding]:
    """Tiers that hash onto uplinks what the tier below has hashed already."""
    if not _roce(subject):
        return
    for name, group in subject.plan.groups.items():
        above = _uplinks(subject, name)
        hashed = [link for link in subject.links_down(name) if _hashes(subject, link, name)]
        if group.switch is None or group.switch.adaptive_routing or above < 2 or not hashed:
            continue
        below = other_end(hashed[0], name).group
        chosen = _uplinks(subject, below)
        # one switch is behind as many of the choices below as it has cables from there
        used = min(above, hashed[0].cables_per_pair * above // gcd(above, chosen))
        if used < above:
            yield found(
                "ecmp-polarised",
                at_group(name),
                group=name,
                below=below,
                used=used,
                uplinks=above,
            )


def _hashes(subject: Subject, link: LinkPlan, name: str) -> bool:
    """Whether a switch at the other end of a link chooses among its uplinks by a hash."""
    other = other_end(link, name).group
    switch = subject.plan.groups[other].switch
    return switch is not None and not switch.adaptive_routing and _uplinks(subject, other) > 1


def _uplinks(subject: Subject, name: str) -> int:
    return sum(link.cables_at(name) for link in subject.links_up(name))


def headroom(subject: Subject) -> Iterator[Finding]:
    """What PFC sets aside of the buffer of every kind of switch whose buffer is known."""
    if subject.too_large or not _roce(subject):
        return
    for name, group in _buffered(subject):
        assert group.switch is not None and group.switch.buffer_mb is not None
        needs = [
            (link, length, each)
            for link in subject.plan.links_of(name)
            if (length := _longest_m(subject, link)) is not None
            and (each := headroom_bytes(int(link.speed_gbit), length)) is not None
        ]
        if not needs:
            continue
        total = sum(each * link.cables_at(name) for link, _, each in needs)
        link, length, most = max(needs, key=lambda need: need[2])
        share = total / (group.switch.buffer_mb * 1e6)
        yield found(
            "pfc-headroom",
            at_group(name),
            "warning" if share > TOO_MUCH else "info",
            port_kB=most / 1e3,
            length_m=length,
            speed_gbit=int(link.speed_gbit),
            total_MB=total / 1e6,
            buffer_MB=group.switch.buffer_mb,
            switch=group.switch.name,
            percent=100 * share,
        )


def _longest_m(subject: Subject, link: LinkPlan) -> float | None:
    if link.length_m is not None:
        return link.length_m
    lengths = [run.length_m for run in subject.runs if run.link == link.index]
    return max(lengths, default=None)


def incast(subject: Subject) -> Iterator[Finding]:
    """How soon all ports of a leaf that send to one of its nodes fill its buffer."""
    if not _roce(subject):
        return
    for name, group in _buffered(subject):
        down = [
            link
            for link in subject.links_down(name)
            if subject.plan.groups[other_end(link, name).group].node is not None
        ]
        # what comes in by a management port goes to the switch itself
        links = [
            link
            for link in subject.plan.links_of(name)
            if not any(end.group == name and end.is_management for end in link.ends)
        ]
        cables = sum(link.cables_at(name) for link in links)
        if not down or cables < 3:
            continue
        assert group.switch is not None and group.switch.buffer_mb is not None
        target = min(link.line_GBps for link in down)
        coming = sum(link.cables_at(name) * link.line_GBps for link in links)
        # all but the one that is sent to, less what it takes away meanwhile
        surplus = coming - target - target
        if surplus <= 0:
            continue
        fills_us = group.switch.buffer_mb * 1e6 / (surplus * 1e3)
        yield found(
            "incast-needs-ecn",
            at_group(name),
            senders=cables - 1,
            buffer_MB=group.switch.buffer_mb,
            switch=group.switch.name,
            fills_us=fills_us,
        )


def _buffered(subject: Subject) -> Iterator[tuple[str, GroupPlan]]:
    for name, group in subject.plan.groups.items():
        if group.switch is not None and group.switch.buffer_mb and subject.heights.get(name):
            yield name, group


FIND: tuple[Find, ...] = (
    hashed,
    assumed,
    polarised,
    headroom,
    incast,
)
EXPLAIN: Explainers = {}
