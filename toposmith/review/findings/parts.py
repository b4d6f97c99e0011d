"""Parts that the catalog has not, and facts of parts that it lacks or has from a doubtful place."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.bill.provenance import part_digest
from toposmith.cancellation import go_on
from toposmith.catalog import Part, Switch
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_block, at_groups
from toposmith.findings.values import Fact
from toposmith.racks.heights import known_height
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject

RESTS_ON = (
    *("power_w", "rack_units", "part_number", "cages", "protocol", "latency_ns", "max_ports"),
    *("gpu", "gpus", "sockets", "cpu_vendor", "inter_socket_GBps", "nvlink", "gpu_pcie"),
    *("branches", "slots", "pipelines", "sharp", "adaptive_routing", "power_supplies"),
)
"""Fields of nodes and switches that predictions, counts or totals are made of."""

_STEPS_TO_COMPARE = 20
"""To compare the id of a part with one of the catalog."""

# Slots that collectives do not use.
_BESIDE = ("slots.storage", "slots.management")


def unknown_part(subject: Subject, finding: Finding) -> Explained:
    """What depends on an unknown part, and the ids that look like it."""
    plan = subject.plan
    name, slots = finding.place.group, finding.place.slots
    if name not in plan.groups:
        return {"at_an_end": True}
    spec = plan.design.groups[name]
    part = spec.nics[slots].part if slots in spec.nics else spec.part
    go_on(_STEPS_TO_COMPARE * len(subject.catalog))
    return {
        "devices": plan.groups[name].instances,
        "links": subject.links_at[name],
        "nearest": tuple(subject.catalog.nearest(part)),
    }


def unreachable(subject: Subject, finding: Finding) -> Explained:
    """GPUs that are cut off, and whether it is unknown parts that cut them off."""
    name = finding.place.group
    group = subject.plan.groups.get(name)
    worked_out: dict[str, Fact] = {}
    if group is not None and group.node is not None:
        worked_out |= {"group": name, "gpus": subject.devices[name] * group.node.gpus}
    unknown = [name for name, one in subject.plan.groups.items() if one.part is None]
    return worked_out | ({"unknown": tuple(unknown)} if unknown else {})


def unknown_facts(subject: Subject) -> Iterator[Finding]:
    """Facts without which a total or a latency is incomplete, one finding for each part."""
    for part, groups in _devices(subject):
        lacks: list[str] = []
        if part.power_w is None:
            lacks.append("power_w")
        if any(known_height(subject.plan, name) is None for name in groups):
            lacks.append("rack_units")
        if isinstance(part, Switch) and part.latency_ns is None:
            lacks.append("latency_ns")
        if lacks:
            values: dict[str, Fact] = {"part_id": part.id, "lacks": tuple(lacks)}
            yield found("unknown-fact", at_groups(groups), part=part.name, **values)


def unverified_facts(subject: Subject) -> Iterator[Finding]:
    """Facts that were found only where they may be wrong, or that sources disagree on."""
    for part, groups in _devices(subject):
        doubtful = sorted(
            field
            for field in {*part.unverified, *part.conflicts}
            if field.partition(".")[0] in RESTS_ON and field not in _BESIDE
        )
        if doubtful:
            values: dict[str, Fact] = {"part_id": part.id, "fields": tuple(doubtful)}
            yield found("unverified-fact", at_groups(groups), part=part.name, **values)


def changed_since_pinned(subject: Subject) -> Iterator[Finding]:
    """Parts of which the catalog says something else than when the design was pinned."""
    pins = subject.plan.design.pins
    if pins is None:
        return
    known = {name: subject.catalog.get(name) for name in pins.parts}
    changed = sorted(
        name
        for name, part in known.items()
        if part is None or part_digest(part) != pins.parts[name]
    )
    if changed:
        values: dict[str, Fact] = {"date": pins.date}
        values |= {"by": pins.by} if pins.by else {}
        yield found("pinned-parts-changed", at_block("pins"), parts=tuple(changed), **values)


def _devices(subject: Subject) -> list[tuple[Part, list[str]]]:
    """The parts that are devices, each once, with their groups."""
    by_id: dict[str, tuple[Part, list[str]]] = {}
    for name, group in subject.plan.groups.items():
        if group.part is not None:
            by_id.setdefault(group.part.id, (group.part, []))[1].append(name)
    return list(by_id.values())


FIND: tuple[Find, ...] = (unknown_facts, unverified_facts, changed_since_pinned)
EXPLAIN: Explainers = {"unknown-part": unknown_part, "unreachable": unreachable}
