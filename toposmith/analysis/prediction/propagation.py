"""How long a collective waits for signals on long cables, beyond what NCCL's constants contain.

A step of a ring or a tree begins when the step before it has arrived, so that each crossing between
nodes on the way adds its own cables. Before its first message every connection waits for the
receiver's credit, which crosses once, too: NCCL's sender holds a message until the receiver has
posted a buffer for it (NVIDIA/nccl, src/transport/net_ib/p2p.cc, ``ncclIbIsend``, "Wait for the
receiver to have posted the corresponding receive"). Later credits are on their way while data are:
receivers post up to ``NCCL_STEPS`` buffers ahead (src/transport/net.cc, src/include/device.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from toposmith.analysis.jobs.communicator import Groups, Job, NodeOrder, sequences
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.path_latency import (
    CABLE_NS_PER_M,
    PLANNED_NIC_US,
    PathLatency,
    farthest_path,
    switch_us,
)
from toposmith.analysis.traffic.trees import double_tree
from toposmith.cancellation import go_on
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.device import Device

CONTAINED_M = 20.0
"""Metres of cable on a path that NCCL's constants, and those of published runs, are taken to
contain: two cables of ten metres, as between nodes below one leaf. No source gives the lengths of
these systems; 20 m are 0.1 us, and a hop of NCCL's takes 2.7 at least."""

LEAST_HOP_US = 2.7
"""The least that NCCL counts on for a hop between nodes (a ring by LL; NVIDIA/nccl, src/graph/
tuning.cc): what NICs and switches take on it, up to that, is contained."""

_Walked = dict[Device, tuple[float, float]]
"""Devices at equal distance, each with switch and cable latency of the slowest way, us."""


def beyond_constants_us(switches_us: float, cables_us: float) -> float:
    """What a crossing takes beyond NCCL's constants for it, us."""
    hardware = max(0.0, PLANNED_NIC_US + switches_us - LEAST_HOP_US)
    return hardware + max(0.0, cables_us - CONTAINED_M * CABLE_NS_PER_M / 1000)


@dataclass(frozen=True)
class Propagation:
    """What the crossings of one job's collectives take beyond NCCL's constants, us.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    job : Job
        For the order of ranks.
    groups : Groups
        Who takes part.
    """

    network: ComputeNetwork
    job: Job
    groups: Groups

    @cached_property
    def farthest_us(self) -> float:
        """The crossing between the two nodes that are farthest apart, us."""
        path = self._path
        return 0.0 if path is None else beyond_constants_us(path.switches_us, path.cables_us)

    def ring_us(self, crossings: int) -> float:
        """So many crossings around the ring, and the wait for the first credit, us."""
        if self._all_short:
            return 0.0
        around = self._hops_us(self._slowest_ring)
        return crossings * sum(around) / len(around) + max(around)

    def trees_us(self) -> float:
        """From the deepest leaf of a tree to its root and back, and the first credit, us."""
        return 0.0 if self._all_short else self._along_trees_us

    @cached_property
    def _along_trees_us(self) -> float:
        edges = double_tree(self.groups.nodes)
        half, most, longest = len(edges) // 2, 0.0, 0.0
        self._hops_us([(one[a], one[b]) for one in self._sets for a, b in edges])  # all at once
        for members in self._sets:
            for tree in (edges[:half], edges[half:]):
                each = self._hops_us([(members[one], members[other]) for one, other in tree])
                hops = {child: (parent, us) for (child, parent), us in zip(tree, each, strict=True)}
                most = max(most, _deepest(hops))
                longest = max(longest, *(us for _, us in hops.values()))
        return 2 * most + longest

    def farthest_crossings_us(self, crossings: int) -> float:
        """So many crossings between nodes that are farthest apart, and the first credit, us."""
        return (crossings + 1) * self.farthest_us

    @cached_property
    def _path(self) -> PathLatency | None:
        return farthest_path(self._whole)

    @property
    def _whole(self) -> ComputeNetwork:
        """The network with its own devices: after some failures only the intact one has them."""
        return self.network.before or self.network

    @cached_property
    def _all_short(self) -> bool:
        """Whether no way is longer than what NCCL's constants contain."""
        return self._path is not None and self.farthest_us == 0.0

    @cached_property
    def _sets(self) -> list[range]:
        """The nodes of every set of groups, as positions in the order of ranks."""
        return list(sequences(self.groups, self.network.world.nccl_nodes))

    @cached_property
    def _slowest_ring(self) -> list[tuple[int, int]]:
        rings = [[*pairwise(members), (members[-1], members[0])] for members in self._sets]
        self._hops_us([pair for ring in rings for pair in ring])  # all at once
        return max(rings, key=lambda ring: sum(self._hops_us(ring)))

    @cached_property
    def _order(self) -> NodeOrder:
        return NodeOrder(self.network.world, self.job.placement, self.job.seed)

    @cached_property
    def _known(self) -> dict[object, float]:
        return {}

    def _hop_us(self, pair: tuple[int, int]) -> float:
        """The crossing between two nodes, given by their positions, us."""
        return self._hops_us([pair])[0]

    def _hops_us(self, pairs: Sequence[tuple[int, int]]) -> list[float]:
        """The same of many."""
        ends = [(self._node(one), self._node(other)) for one, other in pairs]
        kinds = [self._kind(start, end) for start, end in ends]
        new = dict(zip(kinds, ends, strict=True))
        new = {kind: both for kind, both in new.items() if kind not in self._known}
        if new and self._whole.all_on_switches:
            # imported here: it needs numpy, which fabrics with short cables do not
            from toposmith.analysis.prediction.row_ways import slowest_us

            found = slowest_us(self._whole, list(new.values()), self._cable_us, self._group_us)
            us = [self.farthest_us if of is None else beyond_constants_us(*of) for of in found]
            self._known.update(zip(new, us, strict=True))
        elif new:
            self._known.update({kind: self._between_us(*both) for kind, both in new.items()})
        return [self._known[kind] for kind in kinds]

    def _node(self, at: int) -> Device:
        """The node at a position in the order of ranks."""
        block, own = self._order.nodes[self._order.firsts[at]]
        return block.group.name, (*block.outer, own)

    def _kind(self, start: Device, end: Device) -> object:
        """What the way between two nodes depends on: how they lie to each other, and faults."""
        network = self._whole
        faults = network.plan.down or network.plan.absent or network.plan.single_cables
        if network.along or faults or start[0] != end[0]:
            return start, end
        return start[0], tuple(a == b for a, b in zip(start[1], end[1], strict=True))

    def _between_us(self, start: Device, end: Device) -> float:
        """The slowest of the shortest ways between two nodes, met from both ends, us."""
        go_on()
        # from a node on, ways go over switches alone
        seen = {start}, {end}
        near, far = (
            self._further({at: (0.0, 0.0)}, reached)
            for at, reached in zip((start, end), seen, strict=True)
        )
        if end in near:
            return beyond_constants_us(*near[end])
        while near and far:
            met = near.keys() & far.keys()
            if met:
                return max(
                    beyond_constants_us(
                        near[at][0] + far[at][0] - self._switch_us(at), near[at][1] + far[at][1]
                    )
                    for at in met
                )
            if len(near) <= len(far):
                near = self._further(near, seen[0])
            else:
                far = self._further(far, seen[1])
        return self.farthest_us

    def _further(self, layer: _Walked, seen: set[Device]) -> _Walked:
        """The devices one cable further, each by its slowest way."""
        found: _Walked = {}
        for device, (switches_us, cables_us) in layer.items():
            for peer, link in self._cables_of(device):
                if peer in seen:
                    continue
                way = switches_us + self._switch_us(peer), cables_us + self._cable_us(link)
                found[peer] = max(found.get(peer, way), way, key=sum)
        seen.update(found)
        return found

    def _cables_of(self, device: Device) -> Iterable[tuple[Device, int]]:
        devices = self._whole.devices
        if self._whole.plan.groups[device[0]].switch is not None:
            near = devices.beside(device).items()
            return ((peer, link_of(key)) for peer, bundles in near for key, _, _ in bundles)
        return ((peer, link_of(cable[0])) for nic in devices.at_node(device) for peer, cable in nic)

    def _switch_us(self, device: Device) -> float:
        return self._group_us(device[0])

    def _group_us(self, group: str) -> float:
        return switch_us(self._whole.plan.groups[group].switch) or 0.0

    def _cable_us(self, link: int) -> float:
        return (self._whole.plan.link(link).length_m or 0.0) * CABLE_NS_PER_M / 1000


def _deepest(hops: dict[int, tuple[int, float]]) -> float:
    """The longest way from a leaf of a tree to its root, by the parent of each node, us."""
    depth: dict[int, float] = {}
    for leaf in hops:
        way = [leaf]
        while way[-1] in hops and way[-1] not in depth:
            way.append(hops[way[-1]][0])
        for child, parent in zip(way[-2::-1], way[:0:-1], strict=True):
            depth[child] = depth.get(parent, 0.0) + hops[child][1]
    return max(depth.values(), default=0.0)
