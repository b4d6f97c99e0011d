"""Loads of a uniform all-to-all, device by device.

The answer is that of :mod:`toposmith.analysis.traffic.all_to_all` by classes, for fabrics
whose leaves meet over one more switch at most and whose NICs have one cable each. Nodes on the
same leaves are of one kind, and so are leaves with the same uplinks, so that the work grows with
pairs of kinds rather than with pairs of nodes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import networkx as nx

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.single_routes import Over, RoutedCable, over_one
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.device import Device


@dataclass(frozen=True)
class _Kind:
    """Nodes of one group whose NICs are cabled alike: by slot the leaf, and the key of the cable.

    None stands for a NIC without a cable.
    """

    group: str
    gpus: int
    slots: tuple[tuple[Device, object] | None, ...]

    @cached_property
    def nics(self) -> Counter[Device]:
        """How many NICs of a node are on each leaf."""
        return Counter(at[0] for at in self.slots if at is not None)


_Arrival = tuple[Device, bool]
"""A leaf that NICs to be sent to are on, and whether the sender reaches them by that leaf."""


class NotSoSimple(Exception):
    """The fabric is not of the kind that this method supports."""


def exchange_loads(
    network: ComputeNetwork, *, weighted: bool, pxn: bool = True
) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    Raises
    ------
    NotSoSimple
        If NICs have more than one cable, or leaves are farther apart.
    Unreachable
        If two nodes are not connected.
    """
    return _Exchange(network, weighted=weighted, pxn=pxn).loads()


class _Exchange:
    """An all-to-all over one network."""

    def __init__(self, network: ComputeNetwork, *, weighted: bool, pxn: bool) -> None:
        if network.world.joined:
            raise NotSoSimple
        self._network = network
        self._devices = network.devices
        self._weighted = weighted
        self._pxn = pxn
        self._nodes = {
            (block.group.name, (*block.outer, own)): gpus_of(block.group)
            for block in network.world.blocks
            for low, high in block.runs
            for own in range(low, high + 1)
        }
        self._kind_of = {node: self._kind(node, gpus) for node, gpus in self._nodes.items()}
        self._many = Counter(self._kind_of.values())
        self._over: dict[tuple[int, int], Over | None] = {}
        # by the identity of a kind: all of them live as long as this, and hashing one is slow
        self._by_starts: dict[tuple[int, Device | int], dict[Device, int]] = {}

    def loads(self) -> dict[Arc, float]:
        """The worst cable of every class."""
        sent, taken = self._demands()
        worst: dict[Arc, float] = defaultdict(float)
        between: dict[Device, dict[Device, float]] = defaultdict(lambda: defaultdict(float))
        leaving: dict[tuple[_Kind, Device], float] = defaultdict(float)
        for kind, demands in sent.items():
            for (end, on_leaf), amount in demands.items():
                starts = self._starts(kind, end, on_leaf=on_leaf)
                nics = sum(starts.values())
                for start, many in starts.items():
                    leaving[kind, start] += amount / nics
                    between[start][end] += amount / nics * many * self._many[kind]
        seen: set[object] = set()
        for node, kind in self._kind_of.items():
            vertex = self._devices.vertex(node)
            if vertex in seen:
                continue
            seen.add(vertex)
            for slot, at in enumerate(kind.slots):
                if at is not None:
                    leaf, key = at
                    nic, beside = self._nic_of[vertex[1], vertex[2], slot], self._leaf[leaf]
                    for arc, load in (
                        ((nic, beside, key), leaving[kind, leaf]),
                        ((beside, nic, key), taken[kind, leaf]),
                    ):
                        worst[arc] = max(worst[arc], load)
        for cable, load in self._above_leaves(between):
            arc = (self._devices.vertex(cable[0]), self._devices.vertex(cable[1]), cable[2])
            worst[arc] = max(worst[arc], load)
        return {arc: load for arc, load in worst.items() if load}

    @cached_property
    def _nic_of(self) -> dict[tuple[object, ...], tuple[object, ...]]:
        graph = self._network.classes.graph
        return {
            (*nic[1:4:2], slot): nic
            for nic in self._network.classes.vertices("nic")
            for slot in graph.nodes[nic]["slots"]
        }

    @cached_property
    def _leaf(self) -> dict[Device, tuple[object, ...]]:
        """The class of every leaf."""
        leaves = {leaf for kind in self._many for leaf in kind.nics}
        return {leaf: self._devices.vertex(leaf) for leaf in leaves}

    @cached_property
    def _leaf_kind(self) -> dict[Device, int]:
        """A number for each leaf, equal where all uplinks are."""
        found: dict[Device, int] = {}
        for leaf in self._leaf:
            if not self._devices.beside(leaf).keys().isdisjoint(self._leaf):
                raise NotSoSimple
            found[leaf] = self._devices.kind_beside(leaf)
        return found

    def _kind(self, node: Device, gpus: int) -> _Kind:
        if node[0] not in self._network.slots:
            return _Kind(node[0], gpus, ())
        slots: list[tuple[Device, object] | None] = []
        for cables in self._devices.at_node(node):
            if len(cables) > 1 or any(many > 1 for _, (_, many, _) in cables):
                raise NotSoSimple
            slots += [(leaf, key) for leaf, (key, _, _) in cables] or [None]
        return _Kind(node[0], gpus, tuple(slots))

    @cached_property
    def _part_of(self) -> dict[Device, int]:
        """By leaf with uplinks, and switch above, the number of the part of the fabric it is in."""
        beside = {leaf: self._devices.beside(leaf) for leaf in self._leaf}
        graph, leaves = self._network.classes.graph, set(self._leaf.values())
        kinds = graph.nodes.data("kind")
        above = {one for one, kind in kinds if kind == "switch" and one not in leaves}
        joined = nx.Graph((leaf, over) for leaf, near in beside.items() for over in near)
        if any(not above.isdisjoint(graph[one]) for one in above):
            # switches above leaves are joined to each other, too
            waiting = [over for over in joined if over not in beside]
            while waiting:
                over = waiting.pop()
                near = self._devices.beside(over)
                waiting += [one for one in near if one not in joined]
                joined.add_edges_from((over, one) for one in near)
        parts = enumerate(nx.connected_components(joined))
        return {switch: number for number, part in parts for switch in part}

    def _shares(self, start: Device, end: Device) -> Over | None:
        """The spread of traffic from one leaf to another; None where nothing joins them.

        Raises
        ------
        NotSoSimple
            If they are joined over more than one switch only.
        """
        kinds = self._leaf_kind[start], self._leaf_kind[end]
        if kinds not in self._over:
            near = self._devices.beside(start), self._devices.beside(end)
            if any(len(bundles) > 1 for one in near for bundles in one.values()):
                raise NotSoSimple
            dealt = self._devices.dealt_GBps(start[0])
            over = over_one(*near, dealt, weighted=self._weighted)
            if over is None and all(near) and self._part_of[start] == self._part_of[end]:
                raise NotSoSimple
            self._over[kinds] = over
        return self._over[kinds]

    def _starts(self, kind: _Kind, end: Device, *, on_leaf: bool) -> dict[Device, int]:
        """The leaves by which a node sends to a NIC on a leaf, with its NICs on each."""
        if on_leaf:
            return {end: kind.nics[end]}
        # of the other end only its uplinks count, unless the node is on that leaf itself
        place = (id(kind), end if end in kind.nics else self._leaf_kind[end])
        known = self._by_starts.get(place)
        if known is None:
            known = self._by_starts[place] = {
                start: many
                for start, many in kind.nics.items()
                if (not self._pxn if start == end else self._shares(start, end) is not None)
            }
        return known

    def _stays(self, kind: _Kind, end: Device, slot: int, nics: int) -> bool | None:
        """Whether a node sends to a NIC on a leaf by that leaf; None where it cannot reach it.

        The NIC in the slot of the same number says; the nearest where that one does not reach, or
        the other node has not as many NICs. Without PXN each GPU sends by its own NIC.
        """
        if not self._pxn:
            if len(self._starts(kind, end, on_leaf=False)) < len(kind.nics):
                raise NotSoSimple  # unreachable, or farther apart: left to the search by classes
            return False if kind.nics else None
        at = kind.slots[slot] if len(kind.slots) == nics else None
        if at is not None and at[0] == end:
            return True
        if at is not None and self._shares(at[0], end) is not None:
            return False
        if end in kind.nics:
            return True
        return False if self._starts(kind, end, on_leaf=False) else None

    def _demands(
        self,
    ) -> tuple[dict[_Kind, dict[_Arrival, float]], dict[tuple[_Kind, Device], float]]:
        """Traffic of one node of a kind to NICs on each leaf, and the intake of a NIC of a kind."""
        world = self._network.world
        sent: dict[_Kind, dict[_Arrival, float]] = {}
        taken: dict[tuple[_Kind, Device], float] = defaultdict(float)
        arriving = {
            kind: [
                (at[0], slot, len(kind.slots))
                for slot, at in enumerate(kind.slots)
                if at is not None
            ]
            for kind in self._many
        }
        ends = {end for of_kind in arriving.values() for end in of_kind}
        for sender, many in self._many.items():
            go_on(6 * (len(self._many) + len(ends)))
            stays = {end: self._stays(sender, *end) for end in ends}
            demands: dict[_Arrival, float] = defaultdict(float)
            for receiver, others in self._many.items():
                pairs = others - (sender == receiver)
                if not pairs:
                    continue
                reached = [end for end in arriving[receiver] if stays[end] is not None]
                if not reached:
                    # leaves that are farther apart are left to the search by classes
                    if sender.nics and receiver.nics:
                        raise NotSoSimple
                    raise Unreachable(sender.group, receiver.group)
                each = sender.gpus * receiver.gpus / (len(reached) * world.gpus)
                for end in reached:
                    demands[end[0], bool(stays[end])] += each * pairs
                for leaf in {leaf for leaf, _, _ in reached}:
                    taken[receiver, leaf] += each * (many - (sender == receiver))
            sent[sender] = demands
        return sent, taken

    def _above_leaves(
        self, between: dict[Device, dict[Device, float]]
    ) -> Iterator[tuple[RoutedCable, float]]:
        """The loads of cables above leaves, from what goes from leaf to leaf."""
        up: dict[Device, dict[Device, float]] = defaultdict(lambda: defaultdict(float))
        down: dict[Device, dict[Device, float]] = defaultdict(lambda: defaultdict(float))
        example: dict[int, Device] = {kind: leaf for leaf, kind in self._leaf_kind.items()}
        for start, ends in between.items():
            go_on(2 * len(ends))
            for end, load in ends.items():
                if start != end:
                    up[start][example[self._leaf_kind[end]]] += load
                    down[end][example[self._leaf_kind[start]]] += load
        for start, ends in up.items():
            added: dict[RoutedCable, float] = defaultdict(float)
            for end, load in ends.items():
                go_on(20)
                for over, (key, share), _ in self._shares(start, end) or ():
                    added[start, over, key] += load * share
            yield from added.items()
        for end, starts in down.items():
            added = defaultdict(float)
            for start, load in starts.items():
                go_on(20)
                for over, _, (key, share) in self._shares(start, end) or ():
                    added[over, end, key] += load * share
            yield from added.items()
