"""What can flow out of a set of nodes, over switches taken one by one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf

from toposmith.topology.analysis.bounds.cut_links import PER_GBPS, inside_name
from toposmith.topology.analysis.bounds.min_cut import Arc, min_cut
from toposmith.topology.analysis.jobs.world import gpus_of
from toposmith.topology.analysis.network import ComputeNetwork
from toposmith.topology.analysis.result import CutLink
from toposmith.topology.cancellation import go_on
from toposmith.topology.fabric.class_builder import link_of
from toposmith.topology.fabric.inside import shared_GBps
from toposmith.topology.fabric.once import once
from toposmith.topology.fabric.plan import GroupPlan
from toposmith.topology.fabric.single_devices import Bundle, PortCables
from toposmith.topology.fabric.translations import At, Device

_SOURCE, _SINK = "source", "sink"

_Vertex = tuple[object, ...]
"""A switch; or a NIC that takes less than its ports, by its node and slot."""


@dataclass(frozen=True)
class SingleCuts:
    """Cuts between the nodes of one network, which share what is between its switches."""

    network: ComputeNetwork

    def severed(
        self, inside: Callable[[GroupPlan, At], bool]
    ) -> tuple[int, Fraction, tuple[CutLink, ...]]:
        """GPUs inside, GB/s that can leave them, and the cables where that is limited."""
        cut = _Cut(self._near, self._capacities)
        held = 0
        alike: Counter[tuple[bool, int]] = Counter()
        for group, at in self._nodes:
            go_on()
            within = inside(group, at)
            held += within * gpus_of(group)
            cables = self.network.devices.at_node((group.name, at))
            alike[within, id(cables)] += 1
            most = self._adapters[group.name]
            for slot, of in enumerate(cables) if most < inf else ():
                if most < _rate(of):
                    nic = (group.name, at, slot)
                    cut.add_end(nic, within, (inside_name(group.name, "adapter"), None, 1, most))
                    for switch, bundle in of:
                        cut.add_near(nic, switch, bundle)
        for (within, number), nodes in alike.items():
            for switch, (name, index, many, rate) in self._ends[number]:
                cut.add_end(switch, within, (name, index, many * nodes, rate))
        value, links = cut.solved(self._named)
        return held, Fraction(value, PER_GBPS), links

    def around_values(self, axis: str) -> dict[int, tuple[int, int]]:
        """For each value of an axis its GPUs, and what a cut near its nodes lets out, MB/s.

        A switch stands with these nodes where it takes no less from their side than from elsewhere:
        mostly the narrowest cut, and never less than that.
        """
        held: Counter[int] = Counter()
        of_nodes: dict[int, Counter[_Vertex]] = defaultdict(Counter)
        whole: Counter[_Vertex] = Counter()
        for switch, near in self._near.items():
            for bundles in near.values():
                whole[switch] += sum(round(rate * PER_GBPS) * many for _, many, rate in bundles)
        for group, at in self._nodes:
            value = at[group.axes.index(axis)] if axis in group.axes else None
            if value is not None:
                held[value] += gpus_of(group)
            for cables in self.network.devices.at_node((group.name, at)):
                for switch, (_, many, rate) in cables:
                    whole[switch] += round(rate * PER_GBPS) * many
                    if value is not None:
                        of_nodes[value][switch] += round(rate * PER_GBPS) * many
        return {
            value: (many, self._near_cut(of_nodes[value], whole)) for value, many in held.items()
        }

    def _near_cut(self, of_nodes: Counter[_Vertex], whole: Counter[_Vertex]) -> int:
        inside: set[_Vertex] = set()
        of_side, waiting = Counter(of_nodes), list(of_nodes)
        while waiting:
            switch = waiting.pop()
            if switch in inside or 2 * of_side[switch] < whole[switch]:
                continue
            inside.add(switch)
            for peer, bundles in self._near[switch].items():
                of_side[peer] += sum(round(rate * PER_GBPS) * many for _, many, rate in bundles)
                waiting.append(peer)
        beyond = sum(rate for switch, rate in of_nodes.items() if switch not in inside)
        return beyond + sum(whole[switch] - of_side[switch] for switch in inside)

    @cached_property
    def _labels(self) -> dict[int, str]:
        return {link.index: link.label for link in self.network.plan.every_link}

    def _named(self, bundle: Bundle) -> _Named:
        key, many, rate = bundle
        index = link_of(key)
        return self._labels[index], index, many, rate

    @cached_property
    def _adapters(self) -> dict[str, float]:
        """What a NIC of the nodes of each group takes of all its ports together, GB/s."""
        ports = {group.name: self.network.ports(group) for group in self.network.world.groups}
        return {
            name: shared_GBps(of.nic) if of is not None and of.nic else inf
            for name, of in ports.items()
        }

    @cached_property
    def _ends(self) -> dict[int, list[tuple[Device, _Named]]]:
        """The cables of NICs that take what these carry, by the cables of a node (their id)."""
        kinds = {
            id(cables): (group.name, cables)
            for group, at in self._nodes
            for cables in (self.network.devices.at_node((group.name, at)),)
        }
        return {
            number: [
                (switch, self._named(bundle))
                for of in cables
                if _rate(of) <= self._adapters[name]
                for switch, bundle in of
            ]
            for number, (name, cables) in kinds.items()
        }

    @cached_property
    def _nodes(self) -> list[tuple[GroupPlan, At]]:
        """The nodes of the world that are cabled."""
        return [
            (block.group, (*block.outer, own))
            for block in self.network.world.blocks
            if block.group.name in self.network.slots
            for low, high in block.runs
            for own in range(low, high + 1)
        ]

    @cached_property
    def _near(self) -> dict[_Vertex, dict[_Vertex, tuple[Bundle, ...]]]:
        """The switches that nodes reach, and what joins them."""
        devices = self.network.devices
        waiting: list[Device] = list(
            {
                switch
                for group, at in self._nodes
                for nic in devices.at_node((group.name, at))
                for switch, _ in nic
            }
        )
        found: dict[_Vertex, dict[_Vertex, tuple[Bundle, ...]]] = {}
        while waiting:
            switch = waiting.pop()
            go_on()
            if switch not in found:
                near = devices.beside(switch)
                found[switch] = {peer: bundles for peer, bundles in near.items()}  # noqa: C416
                waiting += [peer for peer in near if peer not in found]
        return found

    @cached_property
    def _capacities(self) -> dict[_Vertex, dict[_Vertex, int]]:
        """What the cables between switches carry, MB/s."""
        return {
            switch: {peer: _carried(bundles) for peer, bundles in peers.items()}
            for switch, peers in self._near.items()
        }


def _rate(cables: PortCables) -> float:
    """What the cables of a NIC carry together, GB/s."""
    return sum(many * rate for _, (_, many, rate) in cables)


def _carried(bundles: tuple[Bundle, ...]) -> int:
    """What some cables carry together, MB/s."""
    return sum(round(rate * PER_GBPS) * many for _, many, rate in bundles)


@once
def single_cuts(network: ComputeNetwork) -> SingleCuts:
    """The cuts of a network."""
    return SingleCuts(network)


_Named = tuple[str, int | None, int, float]
"""Links: name and index, how many, GB/s of one."""


class _Cut:
    """A min-cut, made smaller first.

    A switch that takes in no less from one side than all its other cables carry is on that side of
    some narrowest cut; putting it there may do the same to its neighbours.
    """

    def __init__(
        self,
        near: dict[_Vertex, dict[_Vertex, tuple[Bundle, ...]]],
        carried: dict[_Vertex, dict[_Vertex, int]],
    ) -> None:
        self._near = near
        self._carried = carried
        self._more: dict[_Vertex, dict[_Vertex, tuple[Bundle, ...]]] = defaultdict(dict)
        self._ends: dict[_Vertex, dict[bool, list[_Named]]] = defaultdict(
            lambda: {True: [], False: []}
        )

    def add_end(self, vertex: _Vertex, within: bool, links: _Named) -> None:
        """Links between a vertex and the nodes inside or outside."""
        self._ends[vertex][within].append(links)

    def add_near(self, nic: _Vertex, switch: Device, bundle: Bundle) -> None:
        """Cables between a NIC of its own and a switch."""
        self._more[nic][switch] = (*self._more[nic].get(switch, ()), bundle)
        self._more[switch][nic] = (*self._more[switch].get(nic, ()), bundle)

    def solved(self, named: Callable[[Bundle], _Named]) -> tuple[int, tuple[CutLink, ...]]:
        """The capacity of the narrowest cut, MB/s, and its links."""
        near = self._capacities()
        side = self._sides(near)
        counted: dict[tuple[str, int | None, float], int] = defaultdict(int)
        value = 0
        for vertex, within in side.items():
            crossing = list(self._ends[vertex][not within]) if vertex in self._ends else []
            if within:
                for of in (self._near, self._more):
                    for peer, bundles in of.get(vertex, {}).items():
                        if not side[peer]:
                            crossing += map(named, bundles)
            for name, index, many, rate in crossing:
                counted[name, index, rate] += many
                value += round(rate * PER_GBPS) * many
        links = (CutLink(name, at, many, rate) for (name, at, rate), many in counted.items())
        return value, tuple(links)

    def _capacities(self) -> dict[_Vertex, dict[_Vertex, int]]:
        if not self._more:
            return self._carried
        found: dict[_Vertex, dict[_Vertex, int]] = defaultdict(dict, self._carried)
        for vertex, peers in self._more.items():
            more = {peer: _carried(bundles) for peer, bundles in peers.items()}
            found[vertex] = {**found[vertex], **more}
        return dict(found)

    def _sides(self, near: dict[_Vertex, dict[_Vertex, int]]) -> dict[_Vertex, bool]:
        """Which vertices are on the side of the nodes inside."""
        rest = {vertex: sum(peers.values()) for vertex, peers in near.items()}
        pull: dict[bool, dict[_Vertex, int]] = {
            within: {
                vertex: sum(
                    round(rate * PER_GBPS) * many
                    for _, _, many, rate in (self._ends[vertex][within])
                )
                if vertex in self._ends
                else 0
                for vertex in near
            }
            for within in (True, False)
        }
        side = _met_directly(near, pull)
        if side is not None:
            return side
        side = {}
        waiting = list(near)
        while waiting:
            vertex = waiting.pop()
            go_on()
            if vertex in side:
                continue
            for within in (True, False):
                if pull[within][vertex] >= pull[not within][vertex] + rest[vertex]:
                    side[vertex] = within
                    for peer, capacity in near[vertex].items():
                        if peer not in side:
                            rest[peer] -= capacity
                            pull[within][peer] += capacity
                            waiting.append(peer)
                    break
        if len(side) < len(near):
            rest_of = [vertex for vertex in near if vertex not in side]
            arcs: list[Arc] = []
            for vertex in rest_of:
                arcs.append((_SOURCE, vertex, pull[True][vertex]))
                arcs.append((vertex, _SINK, pull[False][vertex]))
                arcs += [(vertex, at, big) for at, big in near[vertex].items() if at not in side]
            of_source = min_cut(arcs, _SOURCE, _SINK).side
            side |= {vertex: vertex in of_source for vertex in rest_of}
        return side


def _met_directly(
    near: Mapping[_Vertex, Mapping[_Vertex, int]], pull: Mapping[bool, Mapping[_Vertex, int]]
) -> dict[_Vertex, bool] | None:
    """A narrowest cut that a flow over no more than one cable between switches fills; else None.

    What enters at a switch leaves it there, as far as it can, and what is left goes over the cables
    to switches where something can leave, a like part of each cable: it fills all that enters, all
    that can leave, or all cables between, if no switch is in its way.
    """
    enters, leaves = (
        {v: max(0, pull[one][v] - pull[not one][v]) for v in near} for one in (True, False)
    )
    between = [
        (u, v, carried)
        for u, peers in near.items()
        if enters[u]
        for v, carried in peers.items()
        if leaves[v]
    ]
    out: dict[_Vertex, int] = defaultdict(int)
    into: dict[_Vertex, int] = defaultdict(int)
    for u, v, carried in between:
        out[u] += carried
        into[v] += carried
    if all(enters[u] <= out[u] for u in near) and all(
        enters[u] * into[v] <= leaves[v] * out[u] for u, v, _ in between
    ):
        return dict.fromkeys(near, False)
    if all(leaves[v] <= into[v] for v in near) and all(
        leaves[v] * out[u] <= enters[u] * into[v] for u, v, _ in between
    ):
        return dict.fromkeys(near, True)
    of_one_side = all(bool(enters[v]) != bool(leaves[v]) for v in near)
    if of_one_side and all(out[u] <= enters[u] and into[v] <= leaves[v] for u, v, _ in between):
        return {v: enters[v] > 0 for v in near}
    return None
