"""Ports over- or double-used, and breakouts beyond what a switch chip runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import ceil, prod

from toposmith.catalog import Catalog, Switch
from toposmith.catalog.parts import Protocol
from toposmith.design.document import Design
from toposmith.design.edits import set_part
from toposmith.design.selectors import axis_size
from toposmith.fabric.breakout_limits import breakout_findings
from toposmith.fabric.plan import MANAGEMENT, Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, Place, at_axis, at_group, found
from toposmith.review.failures.networks_beside import other_networks
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject


def overused(subject: Subject, finding: Finding) -> Explained:
    """Cages asked for and there, and the smallest switch, or the NICs, that would do."""
    name, slots = finding.place.group, finding.place.slots
    use = subject.uses[name, slots]
    group = subject.plan.groups[name]
    if group.switch is None:
        ports = group.port_groups[slots]
        each = ports.nic.ports if ports.nic else 1
        wanted = ceil(use.used / each)
        return {"nics": wanted, "slots": ports.slots, "most_cables": ports.slots * each}
    larger = switch_that_fits(subject, name, subject.plan.design)
    modes = sorted(_ports_by_breakout(subject, name))
    return {
        "larger": larger.id if larger else None,
        "larger_cages": larger.cages.count if larger else None,
        "switches": ceil(use.cages_used / use.cages),
        "most_cables": use.cages * modes[0] if len(modes) == 1 else None,
        "cables_of_a_cage": tuple(modes),
    }


def _ports_by_breakout(subject: Subject, name: str) -> Counter[int]:
    """Ports that links ask of a switch, by how many of them a cage gives at their speed."""
    taken: Counter[int] = Counter()
    for link in subject.plan.links_of(name):
        taken[link.end_of(name).breakout] += link.cables_at(name)
    return taken


def switch_that_fits(subject: Subject, name: str, design: Design) -> Switch | None:
    """The smallest other switch on sale with the ports that a design asks of a group, or None.

    The design is planned with it, so that its cages are broken out as links to it would be. Of the
    group's maker where one has it; links run no slower, and no other group comes to lack ports.
    """
    now = plan_design(design, subject.catalog)
    own, lacking = now.groups[name].switch, _lacking_ports(now) - {name}
    speeds = {link.index: link.speed_gbit for link in now.links_of(name)}
    parts = (part for part in subject.catalog.of_kind("switch") if isinstance(part, Switch))
    for part in sorted(
        (one for one in parts if own and one.protocol == own.protocol and one.id != own.id),
        key=lambda one: (own is None or one.vendor != own.vendor, one.cages.gbit, one.name),
    ):
        least = _cages_at_least(part, port_use(now)[name, ""].by_speed)
        if part.end_of_sale is not None or least is None or least > part.cages.count:
            continue
        then = plan_design(set_part(design, name, part.id).design, subject.catalog)
        slower = any(one.speed_gbit < speeds[one.index] for one in then.links_of(name))
        if not slower and _lacking_ports(then) <= lacking:
            return part
    return None


def _lacking_ports(plan: Plan) -> set[str]:
    return {one.place.group for one in (*port_findings(plan), *breakout_findings(plan))}


def smallest_switch(
    catalog: Catalog, protocol: Protocol, by_speed: Mapping[int, int], vendor: str = "NVIDIA"
) -> Switch | None:
    """The smallest switch that runs so many ports of each speed, of a vendor first, or None."""
    fits: list[tuple[bool, int, str, Switch]] = []
    for part in catalog.of_kind("switch"):
        if not isinstance(part, Switch) or part.protocol != protocol:
            continue
        cages = _cages_at_least(part, by_speed)
        if cages is not None and cages <= part.cages.count:
            capacity = part.cages.gbit
            fits.append((part.vendor != vendor, capacity, part.id, part))
    return min(fits, key=lambda fit: fit[:3])[3] if fits else None


def _cages_at_least(part: Switch, by_speed: Mapping[int, int]) -> int | None:
    """Cages for so many ports of each speed, each broken out fully; None where one cannot run."""
    cages = 0
    for speed, many in by_speed.items():
        mode = part.mode_for(speed)
        if mode is None:
            return None
        cages += ceil(many / mode.ports)
    return cages


def repeated(subject: Subject) -> Iterator[Finding]:
    """Links that join the same ends twice."""
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for link in subject.plan.links:
        along = tuple(f"{axis} {word}" for axis, word in link.along)
        same[(*sorted((link.a.label, link.b.label)), *along)].append(link.index)
    by_index = {link.index: link for link in subject.plan.links}
    for indices in same.values():
        links = [by_index[index] for index in indices]
        if len(links) < 2 or len({link.speed_gbit for link in links}) > 1:
            continue
        cables = sum(link.cables_per_pair for link in links)
        values: dict[str, Fact] = {"links": tuple(indices), "count": len(links), "cables": cables}
        yield found("links-repeated", links[0].place, **values)


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


def idle(subject: Subject) -> Iterator[Finding]:
    """Groups of switches of which half and more could go, by the cages that are cabled.

    Which can depends on who may share a switch: rails that are to stay apart may not. Switches
    that are joined to their like, as in a torus, are as many as it has places.
    """
    meshed = {link.a.group for link in subject.plan.links if link.is_self}
    for name in sorted(subject.standing_switches - meshed):
        if subject.plan.groups[name].switch is None:  # NVLink switches come with their rack
            continue
        use, devices = subject.uses[name, ""], subject.devices[name]
        enough = ceil(devices * use.cages_used / use.cages) if use.cages else devices
        if use.cages_used and 2 * max(2, enough) <= devices:  # one alone may fail
            yield found(
                "idle-ports",
                at_group(name),
                devices=devices,
                cages_used=use.cages_used,
                cages=use.cages,
                enough=max(2, enough),
            )


FIND: tuple[Find, ...] = (
    repeated,
    idle,
    unused_axes,
    absent_groups,
    tapered,
)
EXPLAIN: Explainers = {
    "ports-overused": overused,
    "uneven-ports": undealt,
    "too-few-ports": undealt,
}
