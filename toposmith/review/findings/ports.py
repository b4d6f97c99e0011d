"""Ports over- or double-used, and breakouts beyond what a switch chip runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from math import ceil

from toposmith.catalog import Catalog, Switch
from toposmith.catalog.parts import Protocol
from toposmith.findings.finding import Finding, found
from toposmith.findings.values import Fact
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
    larger = smallest_switch(
        subject.catalog, group.switch.protocol, use.by_speed, group.switch.vendor
    )
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


def smallest_switch(
    catalog: Catalog, protocol: Protocol, by_speed: Mapping[int, int], vendor: str = "NVIDIA"
) -> Switch | None:
    """The smallest switch that runs so many ports of each speed, of a vendor first, or None."""
    fits: list[tuple[bool, int, str, Switch]] = []
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
            fits.append((part.vendor != vendor, capacity, part.id, part))
    return min(fits, key=lambda fit: fit[:3])[3] if fits else None


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


FIND: tuple[Find, ...] = (repeated,)
EXPLAIN: Explainers = {"ports-overused": overused}
