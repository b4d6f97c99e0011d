"""Ports over- or double-used, and breakouts beyond what a switch chip runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import ceil

from toposmith.catalog import Catalog, Switch
from toposmith.catalog.parts import Protocol
from toposmith.topology.fabric.plan import Finding, Value
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject, found


def overused(subject: Subject, finding: Finding) -> Explained:
    """Cages asked for and there, and the smallest switch, or the NICs, that would do."""
    name, _, slots = finding.where.partition(".")
    use = subject.uses[name, slots]
    group = subject.plan.groups[name]
    if group.switch is None:
        ports = group.port_groups[slots]
        each = ports.nic.ports if ports.nic else 1
        wanted = ceil(use.used / each)
        figure = f"{use.used:,} of {use.cages:,} ports"
        if wanted <= ports.slots:
            return figure, f"fit {wanted} NICs, of {ports.slots} slots"
        return figure, f"give its links at most {ports.slots * each} cables, what all slots have"
    figure = f"{use.cages_used:,} of {use.cages:,} cages"
    larger = smallest_switch(
        subject.catalog, group.switch.protocol, use.by_speed, group.switch.vendor
    )
    fewer = f"give its links at most {_most_cables(subject, name)}"
    if larger is not None:
        return figure, f"take {larger.id} ({larger.cages.count} cages), or {fewer}"
    many = ceil(use.cages_used / use.cages)
    return figure, f"spread the cables of each over {many:,} switches, or {fewer}"


def _ports_by_breakout(subject: Subject, name: str) -> Counter[int]:
    """Ports that links ask of a switch, by how many of them a cage gives at their speed."""
    taken: Counter[int] = Counter()
    for link in subject.plan.links_of(name):
        taken[link.end_of(name).breakout] += link.cables_at(name)
    return taken


def _most_cables(subject: Subject, name: str) -> str:
    """How many cables fit the cages of a switch, as its links break them out."""
    group = subject.plan.groups[name]
    assert group.switch is not None
    cages, modes = group.switch.cages.count, _ports_by_breakout(subject, name)
    if len(modes) == 1:
        (each,) = modes
        return f"{cages * each:,} cables"
    words = " and ".join(f"{each} to a cage" for each in sorted(modes))
    return f"what {cages} cages hold, of cables that are {words}"


def smallest_switch(
    catalog: Catalog, protocol: Protocol, by_speed: Mapping[int, int], vendor: str = "NVIDIA"
) -> Switch | None:
    """The smallest switch that runs so many ports of each speed, of a vendor first, or None."""
    fits: list[tuple[bool, int, float, str, Switch]] = []
    for part in catalog.of_kind("switch"):
        if not isinstance(part, Switch) or part.protocol != protocol:
            continue
        modes = {speed: part.mode_for(speed) for speed in by_speed}
        if any(mode is None for mode in modes.values()):
            continue
        cages = sum(
            ceil(many / mode.ports) for speed, many in by_speed.items() if (mode := modes[speed])
        )
        if cages <= part.cages.count:
            capacity = part.cages.gbit
            fits.append(
                (part.vendor != vendor, capacity, part.power_w or float("inf"), part.id, part)
            )
    return min(fits, key=lambda fit: fit[:4])[4] if fits else None


def overfilled(subject: Subject, finding: Finding) -> Explained:
    """NICs asked for, and slots that there are."""
    name, _, slots = finding.where.partition(".")
    group = subject.plan.groups[name]
    asked = group.spec.nics[slots].count
    room = group.port_groups[slots].slots
    return f"{asked} of {room} slots", f"fit {room}"


def most_logical_ports(switch: Switch) -> int | None:
    """Logical ports that a switch chip runs in breakout; None where no limit is known."""
    limits = [switch.max_ports] if switch.max_ports else []
    if switch.pipelines:
        runs = switch.cages.count // switch.pipelines.cages
        limits.append(runs * switch.pipelines.max_ports)
    return min(limits, default=None)


def breakouts(subject: Subject) -> Iterator[Finding]:
    """Switches that links ask for more logical ports than their chip runs."""
    for name, group in subject.plan.groups.items():
        if group.switch is None:
            continue
        switch = group.switch
        use = subject.uses[name, ""]
        most = most_logical_ports(switch)
        if most is not None and use.used > most and use.cages_used <= use.cages:
            text = (
                f"each {switch.name} would run {use.used} logical ports; its chip runs {most} "
                "in breakout"
            )
            remedy = f"give its links at most {most} cables, or fewer and faster ones"
            figure, value = f"{use.used} of {most} ports", Value(use.used - most, "too many")
            yield found("breakout-limit", name, text, figure, remedy, value)


def repeated(subject: Subject) -> Iterator[Finding]:
    """Links that join the same ends twice."""
    same: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for link in subject.plan.links:
        same[tuple(sorted((link.a.label, link.b.label)))].append(link.index)
    by_index = {link.index: link for link in subject.plan.links}
    for indices in same.values():
        links = [by_index[index] for index in indices]
        if len(links) < 2 or len({link.speed_gbit for link in links}) > 1:
            continue
        cables = sum(link.cables_per_pair for link in links)
        numbers = " and ".join(f"links[{index}]" for index in indices)
        text = f"{numbers} join the same ends; each pair gets {cables} cables in all"
        remedy = f"one link with cables: {cables} if it is meant, else remove one"
        figure, value = f"{len(links)} links", Value(len(links), "links")
        yield found("links-repeated", links[0].label, text, figure, remedy, value)


FIND: tuple[Find, ...] = (breakouts, repeated)
EXPLAIN: Explainers = {"ports-overused": overused, "slots-overfilled": overfilled}
