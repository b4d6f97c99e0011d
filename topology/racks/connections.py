"""The connections of a link one by one: which instance meets which, and by which port of a node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toposmith.topology.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.topology.racks.instances import absent_instances, blocks, selected

Connection = tuple[int, int, int, int]
"""Instances of both ends by number, then the port of each; the port of a switch is -1."""


@dataclass(frozen=True)
class Missing:
    """What was never there, by the numbers of instances.

    Parameters
    ----------
    devices : mapping
        Instances of every group.
    cables : mapping
        By the index of a link, pairs of sets: no cable joins one of the first to one of the second.
    ports : mapping
        By group, slot group and port (None for all of them), the instances that lack the port.
    """

    devices: dict[str, frozenset[int]]
    cables: dict[int, list[tuple[frozenset[int], frozenset[int]]]]
    ports: dict[tuple[str, str], list[tuple[int | None, frozenset[int]]]]

    def spares(self, link: LinkPlan) -> bool:
        """Whether all cables and ports of a link are there, whatever devices are."""
        ends = ((link.a.group, link.a.ports), (link.b.group, link.b.ports))
        return link.index not in self.cables and not any(end in self.ports for end in ends)


def missing(plan: Plan) -> Missing:
    """What ``absent:`` takes away from a design; what is down stays, since it was bought."""
    cables: dict[int, list[tuple[frozenset[int], frozenset[int]]]] = {}
    ports: dict[tuple[str, str], list[tuple[int | None, frozenset[int]]]] = {}
    for selector in plan.absent:
        first, second = selector.first, selector.second
        if second is not None:
            for link in plan.links:
                for one, other in ((first, second), (second, first)):
                    if (one.group, other.group) == (link.a.group, link.b.group):
                        pair = (
                            selected(plan.groups[one.group], one),
                            selected(plan.groups[other.group], other),
                        )
                        cables.setdefault(link.index, []).append(pair)
        elif first.ports is not None:
            gone = (first.port, selected(plan.groups[first.group], first))
            ports.setdefault((first.group, first.ports), []).append(gone)
    return Missing(absent_instances(plan), cables, ports)


def connections(plan: Plan, link: LinkPlan, gone: Missing) -> Iterator[Connection]:
    """Every connection of a link that is there, instances of ``a`` slowest.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    link : LinkPlan
        One of its sound links.
    gone : Missing
        What was never there.

    Yields
    ------
    tuple of int
        Number of the instance at each end, and the port of each where it is a node, else -1.
    """
    absent_a, absent_b = gone.devices[link.a.group], gone.devices[link.b.group]
    cut = gone.cables.get(link.index, [])
    lost_a = gone.ports.get((link.a.group, link.a.ports), [])
    lost_b = gone.ports.get((link.b.group, link.b.ports), [])
    turns = range(link.cables_per_pair)
    for of_a, of_b in blocks(plan, link):
        for rank_a, a in enumerate(of_a):
            if a in absent_a:
                continue
            for rank_b, b in enumerate(of_b):
                if b in absent_b or (cut and _cut(cut, a, b)):
                    continue
                for turn in turns:
                    port_a = _port(link.a, turn * link.peers_of_a + rank_b)
                    port_b = _port(link.b, turn * link.peers_of_b + rank_a)
                    if lost_a and _lost(lost_a, a, port_a):
                        continue
                    if lost_b and _lost(lost_b, b, port_b):
                        continue
                    yield a, b, port_a, port_b


def _port(end: LinkEnd, card: int) -> int:
    return end.first_port + card if end.ports else -1


def _cut(cut: list[tuple[frozenset[int], frozenset[int]]], a: int, b: int) -> bool:
    return any(a in one and b in other for one, other in cut)


def _lost(lost: list[tuple[int | None, frozenset[int]]], number: int, port: int) -> bool:
    return any(which in (None, port) and number in numbers for which, numbers in lost)
