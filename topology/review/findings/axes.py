"""Axes that nothing uses, ports that do not divide over them, groups that are wholly absent."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from toposmith.topology.design.selectors import axis_size
from toposmith.topology.fabric.plan import Finding, Plan
from toposmith.topology.review.findings.subject import (
    Explained,
    Explainers,
    Find,
    Subject,
    found,
    index_of,
)


def unused_axes(subject: Subject) -> Iterator[Finding]:
    """Axes that no group names."""
    design = subject.plan.design
    used = {axis for group in design.groups.values() for axis in group.per}
    for axis, size in design.axes.items():
        if axis not in used and design.groups:
            text = f"no group repeats over {axis}, so that it makes nothing"
            yield found(
                "axis-unused", axis, text, f"size {size:,}", f"name {axis} in per:, or remove it"
            )


def absent_groups(subject: Subject) -> Iterator[Finding]:
    """Groups of which no device is left."""
    for name, many in subject.devices.items():
        instances = subject.plan.groups[name].instances
        if subject.plan.groups[name].part is not None and not many:
            text = f"every device of {name} is marked absent"
            yield found(
                "group-absent", name, text, f"0 of {instances:,}", "remove the group, or the mark"
            )


def undealt(subject: Subject, finding: Finding) -> Explained:
    """Ports and peers of a link whose ports cannot be dealt, and counts that work."""
    dealt = _ports_and_peers(subject.plan, finding.where)
    if dealt is None:
        return None, None
    end, ports, peers, room = dealt
    figure = f"{ports} ports over {peers} peers"
    fits = [n for n in range(1, ports + 1) if ports % n == 0]
    near = sorted(fits, key=lambda n: abs(n - peers))[:2]
    counts = " or ".join(map(str, sorted(near)))
    remedy = f"let {end} reach {counts} peers"
    if finding.code == "too-few-ports" and room >= peers:
        remedy += f", or fit NICs with {peers} ports in its {room} slots"
    return figure, remedy


def _ports_and_peers(plan: Plan, where: str) -> tuple[str, int, int, int] | None:
    """A link's node end with its ports, how many peers it has, and how many slots there are."""
    index = index_of(where)
    if index is None:
        return None
    ends = plan.design.links[index].between
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
