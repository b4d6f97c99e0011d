"""Rails that are crossed, and rails that some nodes lack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from topology.fabric.dealing import port_peer
from topology.fabric.plan import Finding, LinkEnd, LinkPlan
from topology.review.findings.subject import Explainers, Find, Subject, found

_Rail = tuple[tuple[str, int], ...]
"""A leaf's values on the axes that ports are dealt over."""


def crossed(subject: Subject) -> Iterator[Finding]:
    """Node groups whose ports of one number end at different leaves of one leaf group."""
    slots = subject.network.slots
    deals: dict[str, list[tuple[LinkEnd, dict[int, _Rail]]]] = defaultdict(list)
    for link in subject.plan.links:
        for end, other in ((link.a, link.b), (link.b, link.a)):
            if end.ports and slots.get(end.group) == end.ports:
                dealt = _dealt(subject, link, end)
                if len(set(dealt.values())) > 1:
                    deals[other.group].append((end, dealt))
    for leaf, sides in deals.items():
        first, straight = sides[0]
        for end, dealt in sides[1:]:
            if end.group == first.group or len(set(dealt.values())) != len(set(straight.values())):
                continue
            both = straight.keys() & dealt.keys()
            wrong = sorted(port for port in both if straight[port] != dealt[port])
            if wrong:
                text = (
                    f"port {wrong[0]} of {end.label} and of {first.label} end at different {leaf} "
                    f"switches, and so do {len(wrong)} ports in all: their rails meet at the "
                    "spines only"
                )
                remedy = f"deal the ports of both to {leaf} from port 0 on, in the same order"
                figure = f"{len(wrong)} of {len(both)} ports"
                yield found("rails-crossed", end.label, text, figure, remedy)


def _dealt(subject: Subject, link: LinkPlan, end: LinkEnd) -> dict[int, _Rail]:
    """Where each port of a node is dealt to by one link."""
    ports = subject.plan.groups[end.group].port_groups[end.ports].ports
    peers = ((port, port_peer(subject.plan, link, end, port)) for port in range(ports))
    return {port: tuple(peer.items()) for port, peer in peers if peer is not None}


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
        text = (
            f"{thin:,} nodes have fewer cabled NICs than the others ({fewest} instead of {most}); "
            "a collective over all runs with the fewest"
        )
        remedy = f"cable the missing {most - fewest} ports of each, or leave them out of jobs"
        where = f"{group.name}.{ports.name}"
        yield found("rails-uneven", where, text, f"{fewest} of {most} NICs", remedy)


FIND: tuple[Find, ...] = (crossed, uneven)
EXPLAIN: Explainers = {}
