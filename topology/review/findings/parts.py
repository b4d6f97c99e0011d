"""Parts that the catalog has not, and facts of parts that it lacks or has from a doubtful place."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Node, Storage, Switch
from toposmith.topology.fabric.plan import Finding
from toposmith.topology.racks.heights import known_height
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject, found

# Fields of nodes and switches that predictions, counts or totals are made of.
_FACT_WORDS = {"power_w": "power", "rack_units": "rack units", "latency_ns": "latency"}
_RESTS_ON = (
    *("power_w", "rack_units", "part_number", "cages", "protocol", "latency_ns", "max_ports"),
    *("gpu", "gpus", "sockets", "cpu_vendor", "inter_socket_GBps", "nvlink", "gpu_pcie"),
    *("branches", "slots", "pipelines", "sharp", "adaptive_routing", "power_supplies"),
)
# Slots that collectives do not use.
_BESIDE = ("slots.storage", "slots.management")


def unknown_part(subject: Subject, finding: Finding) -> Explained:
    """What depends on an unknown part, and the ids that look like it."""
    plan = subject.plan
    name = finding.where.partition(".")[0]
    if name not in plan.groups:
        return None, "name a part of the catalog for the group at its end"
    ends = [link.between for link in plan.design.links]
    links = sum(name in (end.partition(".")[0] for end in pair) for pair in ends)
    plural = "" if links == 1 else "s"
    many = plan.groups[name].instances
    devices = f"{many:,} device{'' if many == 1 else 's'}"
    depend = "depends" if many == 1 and not links else "depend"
    figure = f"{devices} and {links} link{plural} {depend} on it"
    spec = plan.design.groups[name]
    _, _, slots = finding.where.partition(".")
    part = spec.nics[slots].part if slots in spec.nics else spec.part
    near = subject.catalog.nearest(part)
    usual = "give its part file with --catalog"
    return figure, f"name {' or '.join(near)}, or {usual}" if near else usual


def unreachable(subject: Subject, finding: Finding) -> Explained:
    """GPUs that are cut off, and whether it is unknown parts that cut them off."""
    group = subject.plan.groups.get(finding.where)
    figure = None
    if group is not None and group.node is not None:
        figure = f"{subject.devices[finding.where] * group.node.gpus:,} GPUs in {finding.where}"
    unknown = [name for name, one in subject.plan.groups.items() if one.part is None]
    if unknown:
        return figure, f"name the part of {', '.join(unknown)} first: this rests on it"
    return figure, None


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
            figure = ", ".join(lacks)
            words = ", ".join(_FACT_WORDS[one] for one in lacks)
            text = f"{part.name}: {words} not in this catalog; what rests on it is incomplete"
            remedy = f"put {figure} of {part.id} into a part file of your own, with its source"
            yield found("unknown-fact", " + ".join(groups), text, figure, remedy)


def unverified_facts(subject: Subject) -> Iterator[Finding]:
    """Facts that were found only where they may be wrong, or that sources disagree on."""
    for part, groups in _devices(subject):
        doubtful = sorted(
            field
            for field in {*part.unverified, *part.conflicts}
            if field.partition(".")[0] in _RESTS_ON and field not in _BESIDE
        )
        if doubtful:
            figure = ", ".join(doubtful)
            text = f"{part.name}: {figure} unverified, or printed differently elsewhere"
            remedy = f"hold it against the data sheet (toposmith catalog show {part.id})"
            yield found("unverified-fact", " + ".join(groups), text, figure, remedy)


def _devices(subject: Subject) -> list[tuple[Node | Storage | Switch, list[str]]]:
    """The parts that are devices, each once, with their groups."""
    by_id: dict[str, tuple[Node | Storage | Switch, list[str]]] = {}
    for name, group in subject.plan.groups.items():
        if group.part is not None:
            by_id.setdefault(group.part.id, (group.part, []))[1].append(name)
    return list(by_id.values())


FIND: tuple[Find, ...] = (unknown_facts, unverified_facts)
EXPLAIN: Explainers = {"unknown-part": unknown_part, "unreachable": unreachable}
