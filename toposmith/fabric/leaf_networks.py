"""The switches of one network, and how the ports of its nodes are dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.fabric.plan import Plan


@dataclass(frozen=True)
class LeafNetwork:
    """Leaves with their nodes, and every switch that they reach.

    Parameters
    ----------
    leaf, node : str
        The leaves, and the nodes below them.
    switches : tuple of str
        All switches of the network, the leaves among them.
    ports : int
        Ports of a node in it.
    nodes_of_a_rack : int
        The most nodes of a rack that fill at most half of one leaf and divide the number of nodes.
    """

    leaf: str
    node: str
    switches: tuple[str, ...]
    ports: int
    nodes_of_a_rack: int


def dealt_ports(plan: Plan) -> dict[int, int]:
    """For every link at a node, the ports that one node has on it."""
    found = {}
    for link in plan.links:
        for end in (link.a, link.b):
            if plan.groups[end.group].host is not None:
                found[link.index] = link.cables_at(end.group)
    return found


def dealt_to(plan: Plan, name: str) -> dict[int, int]:
    """For links that deal ports of nodes over a group, the cables of each pair."""
    return {
        link.index: link.cables_per_pair
        for link in plan.links_of(name)
        if plan.design.links[link.index].cables is None and plan.groups[name].switch is not None
    }


def network_of(plan: Plan, chosen: Sequence[str]) -> LeafNetwork | None:
    """The network of some groups, else the first one; None where no node is wired to a switch."""
    found = None
    for link in plan.links:
        for low, high in ((link.a, link.b), (link.b, link.a)):
            node, leaf = plan.groups[low.group], plan.groups[high.group]
            if node.node is None or leaf.switch is None:
                continue
            ports = link.cables_at(low.group)
            network = LeafNetwork(
                high.group,
                low.group,
                _reached(plan, high.group),
                ports,
                _nodes_of_a_rack(node.spec.count, ports, leaf.switch.ports),
            )
            if set(chosen) & {high.group, *network.switches}:
                return network
            if found is None or (low.group in chosen and found.node not in chosen):
                found = network
    return found


def _reached(plan: Plan, leaf: str) -> tuple[str, ...]:
    """The switches that are joined to a leaf by way of switches, in the order of the file."""
    seen, waiting = {leaf}, [leaf]
    while waiting:
        for link in plan.links_of(waiting.pop()):
            for end in (link.a, link.b):
                if end.group not in seen and plan.groups[end.group].switch is not None:
                    seen.add(end.group)
                    waiting.append(end.group)
    return tuple(name for name in plan.groups if name in seen)


def _nodes_of_a_rack(count: int, ports: int, radix: int) -> int:
    fits = [n for n in range(1, count + 1) if count % n == 0 and n * ports <= radix // 2]
    return fits[-1] if fits else 1
