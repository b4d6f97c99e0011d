"""The peer of each port of a node: ports are dealt over peers round-robin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan

Coordinates = Mapping[str, int]
"""The values of an instance on its axes."""


def peer_axes(link: LinkPlan, end: LinkEnd) -> tuple[str, ...]:
    """The axes along which the device at this end meets many peers."""
    return link.b_only if end is link.a else link.a_only


def dealt_over(plan: Plan, groups: Iterable[str]) -> set[str]:
    """The axes along which the NICs of these groups meet their peers."""
    return {
        axis
        for name in groups
        for link in plan.links_of(name)
        for axis in peer_axes(link, link.end_of(name))
    }


def port_peer(plan: Plan, link: LinkPlan, end: LinkEnd, port: int) -> Coordinates | None:
    """The peer of a node's port: its values on the axes that the two do not share.

    The first port goes to the first peer, the next to the next, and around again, so that the
    j-th port is on rail j. None where the port is not one of the link's.
    """
    peers = link.peers_of_a if end is link.a else link.peers_of_b
    card = port - end.first_port
    if not 0 <= card < peers * link.cables_per_pair:
        return None
    index = card % peers
    values: dict[str, int] = {}
    for axis in reversed(peer_axes(link, end)):
        index, values[axis] = divmod(index, plan.size(axis))
    return values
