"""Rails that are crossed, rails that some nodes lack, and rails that no switch joins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.cancellation import go_on
from toposmith.fabric.counts import slow_cable_counts
from toposmith.fabric.dealing import port_peer
from toposmith.fabric.plan import DealtCable, LinkEnd, LinkPlan, Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, far_end
from toposmith.fabric.slow_gpus import slow_gpu_findings
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, at_block, at_group, at_link, found
from toposmith.review.findings.subject import Explainers, Find, Subject
from toposmith.text import counted
from toposmith.units import BITS_PER_BYTE

_Leaf = tuple[str, tuple[tuple[str, int], ...]]
"""A leaf's group, and its values on the axes that ports are dealt over."""

_End = tuple[str, str]
"""A group of nodes and its slots."""

_Ports = dict[int, _Leaf]
"""Where the ports of a node go."""


def crossed(subject: Subject) -> Iterator[Finding]:
    """Node groups whose ports of one number end at different leaves, of one leaf group or several.

    Only leaves that both reach count: node groups with leaves of their own meet above them anyway.
    """
    deals: dict[tuple[str, str], dict[int, _Leaf]] = defaultdict(dict)
    for link in subject.plan.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            if end.ports and subject.network.slots.get(end.group) == end.ports:
                deals[end.group, end.ports] |= _dealt(subject, link, end, other.group)
    # of ends that deal equally the first stands for all, beside those with a leaf group in common
    kinds: set[frozenset[tuple[int, _Leaf]]] = set()
    beside: dict[str, list[tuple[int, _End]]] = defaultdict(list)
    for number, (here, ports) in enumerate(deals.items()):
        groups = {group for group, _ in ports.values()}
        for _, first in sorted({one for group in groups for one in beside[group]}):
            go_on()
            if wrong := _apart(deals[first], ports):
                yield _crossed(here, first, deals, wrong)
                break
        kind = frozenset(ports.items())
        if kind not in kinds:
            kinds.add(kind)
            for group in groups:
                beside[group].append((number, here))


def _apart(straight: _Ports, dealt: _Ports) -> list[int]:
    """Ports of one number that end at different leaves of the leaf groups that both reach."""
    shared = {
        group
        for group in {group for group, _ in straight.values()}
        if _leaves(straight, group) == _leaves(dealt, group)
    }
    return sorted(
        port
        for port in straight.keys() & dealt.keys()
        if straight[port] != dealt[port] and {straight[port][0], dealt[port][0]} & shared
    )


def _leaves(dealt: _Ports, group: str) -> set[_Leaf]:
    return {leaf for leaf in dealt.values() if leaf[0] == group}


def _crossed(end: _End, first: _End, deals: Mapping[_End, _Ports], wrong: list[int]) -> Finding:
    dealt, straight = deals[end], deals[first]
    groups = dict.fromkeys(leaf[0] for leaf in straight.values())
    return found(
        "rails-crossed",
        at_group(*end),
        end=".".join(end),
        other=".".join(first),
        leaves=tuple(groups),
        port=wrong[0],
        wrong_ports=len(wrong),
        ports=len(straight.keys() & dealt.keys()),
    )


def _dealt(subject: Subject, link: LinkPlan, end: LinkEnd, leaf: str) -> _Ports:
    """The leaf, by its group and its values, that each port of a node is dealt to by one link."""
    ports = subject.plan.groups[end.group].port_groups[end.ports].ports
    peers = ((port, port_peer(subject.plan, link, end, port)) for port in range(ports))
    return {port: (leaf, tuple(peer.items())) for port, peer in peers if peer is not None}


def uneven(subject: Subject) -> Iterator[Finding]:
    """Nodes of one group with unlike numbers of cabled NICs, as built."""
    graph = subject.built.graph
    live: dict[str, dict[tuple[int, ...], int]] = defaultdict(dict)
    for vertex in subject.built.vertices("node"):
        live[vertex[1]][vertex[2]] = 0
    for vertex in subject.built.vertices("nic"):
        if any(data["link"] is not None for _, _, data in graph.edges(vertex, data=True)):
            live[vertex[1]][vertex[3]] += len(graph.nodes[vertex]["slots"])
    for group, ports in subject.node_groups():
        counts = live[group.name]
        if not counts or len(set(counts.values())) < 2:
            continue
        fewest, most = min(counts.values()), max(counts.values())
        thin = sum(
            graph.nodes["device", group.name, cells]["size"]
            for cells, many in counts.items()
            if many < most
        )
        missing = sum(
            (most - many) * graph.nodes["device", group.name, cells]["size"]
            for cells, many in counts.items()
        )
        nics = {"fewest": fewest, "most": most, "missing": missing}
        yield found("rails-uneven", at_group(group.name, ports.name), nodes=thin, **nics)


def apart(subject: Subject) -> Iterator[Finding]:
    """Nodes with NICs between which no way leads over switches alone; where meant, a remark."""
    severity: Severity = "info" if subject.plan.design.rails == "apart" else "warning"
    for group, missed, nics in rails_apart(subject.network):
        ports = subject.network.ports(group)
        if ports is not None:
            place = at_group(group.name, ports.name)
            yield found("rails-apart", place, severity, met=nics - missed, nics=nics, missed=missed)


MOST_NAMED = 20
"""Single cables that are named one by one; of more there is one finding for the rest."""


def elsewhere(subject: Subject) -> Iterator[Finding]:
    """Every single cable that takes the place of a dealt one and leads to another device."""
    plan = subject.plan
    named = 0
    for cable in plan.single_cables:
        for end, far in ((cable.a, cable.b), (cable.b, cable.a)):
            dealt = dealt_at(plan, end)
            if dealt is None or far_end(plan, dealt, end) == (far.group, far.at):
                continue
            named += 1
            if named <= MOST_NAMED:
                yield _found(subject, cable.entry, end, far, dealt)
            break
    if named > MOST_NAMED:
        yield found("cable-elsewhere", at_block("cables"), more=named - MOST_NAMED)


def _found(
    subject: Subject, entry: int, end: PlannedEnd, far: PlannedEnd, dealt: DealtCable
) -> Finding:
    plan = subject.plan
    group, at = far_end(plan, dealt, end)
    here = _device(plan, end.group, end.at)
    port = f"{here}.{end.ports or 'port'}[{end.port}]"
    there, instead = _device(plan, group, at), _device(plan, far.group, far.at)
    crossed = (
        group == far.group
        and end.ports == subject.network.slots.get(end.group)
        and plan.groups[group].switch is not None
    )
    code = "cable-crosses-rails" if crossed else "cable-elsewhere"
    return found(code, at_block(f"cables[{entry}]"), port=port, goes_to=instead, dealt_to=there)


def _device(plan: Plan, group: str, at: tuple[int, ...]) -> str:
    axes = zip(plan.groups[group].axes, at, strict=True)
    return f"{group}[{','.join(f'{axis}={value}' for axis, value in axes)}]"


def slow_links(subject: Subject) -> Iterator[Finding]:
    """Every link with slow cables: how many at which speed, and the figure with and without."""
    plan = subject.plan
    slow = slow_cable_counts(plan)
    cost = _cost(subject) if slow else None
    if cost and len(slow) > 1:
        cost += " (of all slow links together)"
    for link in plan.every_link:
        rates = slow.get(link.index)
        if not rates:
            continue
        speeds = [
            f"{counted(many, 'cable')} at {rate * BITS_PER_BYTE:g}" for rate, many in rates.items()
        ]
        yield found(
            "slow-link",
            at_link(link.index, (link.a.label, link.b.label)),
            slow=tuple(speeds),
            speed_gbit=link.speed_gbit,
            slowest_percent=100 * min(rates) * BITS_PER_BYTE / link.speed_gbit,
            cost=cost or "unknown",
        )


def slow_gpus(subject: Subject) -> Iterator[Finding]:
    """GPUs below their rate, which change no collective."""
    return slow_gpu_findings(subject.plan)


def _cost(subject: Subject) -> str | None:
    """What the collective gets as it is, and with every cable at the speed of its link."""
    asked = Request(subject.analysis.collective)
    with_slow, without = (
        analyse(plan, subject.catalog, asked)
        for plan in (subject.plan, replace(subject.plan, slow=()))
    )
    if with_slow.busbw_GBps is None or without.busbw_GBps is None:
        return None
    words = [
        one.busbw_label.marked(f"{one.busbw_GBps:.4g}")
        for one in (with_slow, without)
        if one.busbw_GBps is not None
    ]
    kind = asked.collective.replace("_", "-")
    return f"{kind} {words[0]} GB/s per GPU, {words[1]} GB/s with every cable at full speed"


FIND: tuple[Find, ...] = (
    crossed,
    uneven,
    apart,
    elsewhere,
    slow_links,
    slow_gpus,
)
EXPLAIN: Explainers = {}
