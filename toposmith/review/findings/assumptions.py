"""What a figure assumes and the parts do not have, and heterogeneous nodes."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.analysis.analyse import analyse
from toposmith.analysis.bounds.bisection import may_exceed
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.request import Request
from toposmith.bill.terms import part_digest
from toposmith.cancellation import go_on
from toposmith.catalog import Part, Switch
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import DESIGN, Finding, at_block, at_group, at_groups, found
from toposmith.racks.rack_devices import known_height
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject
from toposmith.units import line_rate_GBps


def weakest(subject: Subject, finding: Finding) -> Explained:
    """What the collective gets with the weakest nodes, and what without them."""
    busbw = subject.analysis.busbw_GBps
    if busbw is None:
        return {}
    name = finding.place.group
    without = analyse(
        _without(subject, name), subject.catalog, Request(subject.analysis.collective)
    )
    return {
        "group": name,
        "with_GBps": busbw,
        "with_kind": subject.analysis.busbw_label.kind,
        "without_GBps": without.busbw_GBps,
        "without_kind": without.busbw_label.kind,
    }


def _without(subject: Subject, name: str) -> Plan:
    """The design without one of its groups; what is absent or down elsewhere stays."""
    design = subject.plan.design
    links = [
        link for link in design.links if name not in (e.partition(".")[0] for e in link.between)
    ]
    kept = {key: group for key, group in design.groups.items() if key != name}
    marks = {
        key: tuple(s.text for s in chosen if name not in _groups_of(s.text))
        for key, chosen in (("absent", subject.plan.absent), ("down", subject.plan.down))
    }
    changed = design.model_copy(update={"groups": kept, "links": tuple(links), **marks})
    return plan_design(changed, subject.catalog)


def _groups_of(selector: str) -> set[str]:
    return {half.partition("[")[0].partition(".")[0].strip() for half in selector.split(" - ")}


def no_sharp(subject: Subject, finding: Finding) -> Explained:
    """The switches that cannot reduce, and one that can in their place."""
    lacking = [
        (name, group.switch)
        for name, group in subject.plan.groups.items()
        if group.switch and name in subject.heights and not group.switch.sharp
    ]
    if not lacking:
        return {}
    like = lacking[0][1]
    able = [
        part
        for part in subject.catalog.of_kind("switch")
        if isinstance(part, Switch)
        and part.sharp
        and part.protocol == like.protocol
        and part.mode_for(like.native.speed_gbit)
    ]
    smallest = min(able, key=lambda part: part.cages.gbit, default=None)
    return {
        "switches": sum(subject.devices[name] for name, _ in lacking),
        "protocol": like.protocol,
        "reducing_switch": smallest.id if smallest else "",
    }


def mixed_speeds(subject: Subject) -> Iterator[Finding]:
    """Node groups whose cabled NICs carry less for each GPU than those of others."""
    rates: dict[str, float] = {}
    for group, ports in subject.node_groups():
        if group.node is not None:
            total = sum(
                link.cables_at(group.name) * line_rate_GBps(link.speed_gbit)
                for link in subject.links_up(group.name)
            )
            if ports.nic is not None:
                total = min(total, ports.nics * line_rate_GBps(ports.nic.together_gbit))
            if total:
                rates[group.name] = total / group.node.gpus
    if len(rates) < 2:
        return
    fastest = max(rates.values())
    for name, rate in rates.items():
        if rate < 0.999 * fastest:
            rates_GBps = {"rate_GBps": rate, "fastest_GBps": fastest}
            percent = 100 * rate / fastest
            yield found("mixed-nic-speeds", at_group(name), percent=percent, **rates_GBps)


def faults(subject: Subject) -> Iterator[Finding]:
    """Marks of what has failed or runs slow; what was never bought is no fault by itself."""
    plan = subject.plan
    down = tuple(one.text for one in plan.down)
    read = {one.selector.text for one in plan.slow} | {one.text for one in plan.slow_gpus}
    slow = tuple(text for text in plan.design.slow if text in read)
    if down or slow:
        yield found(
            "has-faults",
            at_block("down" if down else "slow"),
            down=down,
            slow=slow,
            absent=len(plan.absent),
            count=len(down) + len(slow),
        )


def below_policy(subject: Subject) -> Iterator[Finding]:
    """A predicted busbw below what the policy requires, as a figure or a share of the bound."""
    limits, analysis = subject.policy.limits, subject.analysis
    busbw, share = analysis.busbw_GBps, analysis.share_of_bound
    if busbw is None:
        return
    if limits.busbw_GBps is not None and busbw < limits.busbw_GBps:
        rates = {"busbw_GBps": busbw, "required_GBps": limits.busbw_GBps}
        kind = analysis.busbw_label.kind
        yield found("below-required", DESIGN, busbw_kind=kind, **rates)
    if limits.share_of_bound is not None and share is not None and share < limits.share_of_bound:
        shares = {"percent": 100 * share, "required_percent": 100 * limits.share_of_bound}
        yield found("far-from-bound", DESIGN, **shares)


def exceeding(subject: Subject) -> Iterator[Finding]:
    """Predictions of other collectives that are above their bound, at any request."""
    questions = subject.planned.questions
    if subject.network.world.nodes < 2 or not may_exceed(questions.flows, "all_to_all"):
        return
    job = job_and_findings(subject.plan.design)[0]
    yield from questions.above_bound(Request("all_to_all", job=job))


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


FIND: tuple[Find, ...] = (
    mixed_speeds,
    faults,
    below_policy,
    exceeding,
    unknown_facts,
    unverified_facts,
    changed_since_pinned,
)
EXPLAIN: Explainers = {
    "weakest-node": weakest,
    "no-sharp": no_sharp,
    "unknown-part": unknown_part,
    "unreachable": unreachable,
}
