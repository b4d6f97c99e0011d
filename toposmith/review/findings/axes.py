"""Axes that nothing uses, ports that do not divide over them, groups that are wholly absent."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from toposmith.design.selectors import axis_size
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import Place, at_axis, at_group
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject


def unused_axes(subject: Subject) -> Iterator[Finding]:
    """Axes that no group names."""
    design = subject.plan.design
    used = {axis for group in design.groups.values() for axis in group.per}
    for axis, size in design.axes.items():
        if axis not in used and design.groups:
            yield found("axis-unused", at_axis(axis), axis=axis, size=size)


def absent_groups(subject: Subject) -> Iterator[Finding]:
    """Groups of which no device is left."""
    for name, many in subject.devices.items():
        instances = subject.plan.groups[name].instances
        if subject.plan.groups[name].part is not None and not many:
            yield found("group-absent", at_group(name), group=name, devices=instances)


def undealt(subject: Subject, finding: Finding) -> Explained:
    """Ports and peers of a link whose ports cannot be dealt, and counts that work."""
    dealt = _ports_and_peers(subject.plan, finding.place)
    if dealt is None:
        return {}
    end, ports, peers, room = dealt
    fits = [n for n in range(1, ports + 1) if ports % n == 0]
    near = sorted(fits, key=lambda n: abs(n - peers))[:2]
    more = finding.code == "too-few-ports" and room >= peers
    return {
        "written_end": end,
        "all_ports": ports,
        "all_peers": peers,
        "reach": tuple(sorted(near)),
        "in_slots": room if more else None,
    }


def _ports_and_peers(plan: Plan, place: Place) -> tuple[str, int, int, int] | None:
    """A link's node end with its ports, how many peers it has, and how many slots there are."""
    if place.index is None:
        return None
    ends = plan.design.links[place.index].between
    for end, other in (ends, ends[::-1]):
        name, _, slots = end.partition(".")
        group, peer = plan.groups[name], plan.groups[other.partition(".")[0]]
        if group.node is None:
            continue
        fitted = [ports for ports in group.port_groups.values() if ports.ports]
        ports = group.port_groups.get(slots) or (fitted[0] if fitted else None)
        if ports is None:
            continue
        axes = [axis for axis in peer.axes if axis not in group.axes]
        peers = prod(axis_size(plan.design, axis) for axis in axes)
        if peers > 1:
            return end, ports.ports, peers, ports.slots
    return None


FIND: tuple[Find, ...] = (unused_axes, absent_groups)
EXPLAIN: Explainers = {"uneven-ports": undealt, "too-few-ports": undealt}
