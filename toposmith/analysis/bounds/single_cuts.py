"""The capacity out of a set of nodes, computed over single switches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING

from toposmith.analysis.bounds.cut_links import PER_GBPS, inside_name
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.cancellation import go_on
from toposmith.fabric.class_builder import link_of
from toposmith.fabric.device import At, Device
from toposmith.fabric.inside import shared_GBps
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan
from toposmith.fabric.single_devices import Bundle, PortCables

if TYPE_CHECKING:
    from toposmith.analysis.bounds.array_cuts import NodesJoined

_Vertex = tuple[object, ...]
"""A switch."""

_Name = tuple[str, int | None, float]
"""A kind of cable: name and index of the link, GB/s of one."""


@dataclass(frozen=True)
class SingleCuts:
    """Cuts between the nodes of one network, with the links between switches shared."""

    network: ComputeNetwork

    def severed(
        self, inside: Callable[[GroupPlan, At], bool]
    ) -> tuple[int, Fraction, tuple[CutLink, ...]]:
        """GPUs inside, GB/s that can leave them, and the cables where that is limited."""
        go_on(4 * len(self._nodes))
        within = [inside(group, at) for group, at in self._nodes]
        of = zip(self._nodes, within, strict=True)
        held = sum(gpus_of(group) for (group, _), own in of if own)
        names, joined = self._all_cables
        value, crossing = joined.crossing(within)
        links = ((*names[kind], many) for kind, many in crossing)
        cut = (CutLink(name, index, many, rate) for name, index, rate, many in links)
        return held, Fraction(value, PER_GBPS), tuple(cut)

    @cached_property
    def _adapters(self) -> dict[str, float]:
        """GB/s that a NIC of each node group takes over all its ports together."""
        ports = {group.name: self.network.ports(group) for group in self.network.world.groups}
        return {
            name: shared_GBps(of.nic) if of is not None and of.nic else inf
            for name, of in ports.items()
        }

    @cached_property
    def _all_cables(self) -> tuple[list[_Name], NodesJoined]:
        """The kinds of cables between nodes, and all bundles by numbers of nodes and vertices.

        A NIC that takes less than its ports carry is a vertex beside the switches.
        """
        # imported here: it needs numpy, which other fabrics do not
        from toposmith.analysis.bounds.array_cuts import NodesJoined

        labels = {link.index: link.label for link in self.network.plan.every_link}
        names: dict[_Name, int] = {}
        known: dict[Bundle, tuple[int, int, int]] = {}

        def numbered(bundle: Bundle) -> tuple[int, int, int]:
            """Which name, how many, MB/s of all."""
            found = known.get(bundle)
            if found is None:
                key, many, rate = bundle
                name = (labels[link_of(key)], link_of(key), rate)
                carried = round(rate * PER_GBPS) * many
                found = known[bundle] = names.setdefault(name, len(names)), many, carried
            return found

        vertex: dict[object, int] = {switch: at for at, switch in enumerate(self._near)}
        between, ends = [], []
        for switch, peers in self._near.items():
            here = vertex[switch]
            for peer, bundles in peers.items():
                between += [(here, vertex[peer], *numbered(bundle)) for bundle in bundles]
        alike: dict[int, list[tuple[int, int, int, int]]] = {}
        for node, (group, at) in enumerate(self._nodes):
            cables = self.network.devices.at_node((group.name, at))
            most = self._adapters[group.name]
            if id(cables) not in alike:
                wide = Counter(end for of in cables if _rate(of) <= most for end in of)
                alike[id(cables)] = [
                    (vertex[switch], name, many * times, carried * times)
                    for (switch, bundle), times in wide.items()
                    for name, many, carried in (numbered(bundle),)
                ]
            ends += [(node, *end) for end in alike[id(cables)]]
            for of in cables if most < inf else ():
                if most < _rate(of):
                    nic = len(vertex)
                    vertex[nic] = nic
                    adapter = (inside_name(group.name, "adapter"), None, most)
                    name = names.setdefault(adapter, len(names))
                    ends.append((node, nic, name, 1, round(most * PER_GBPS)))
                    for switch, bundle in of:
                        between.append((nic, vertex[switch], *numbered(bundle)))
                        between.append((vertex[switch], nic, *numbered(bundle)))
        return list(names), NodesJoined.of(len(vertex), between, ends)

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
            if switch not in found:
                near = devices.beside(switch)
                go_on(len(near))
                found[switch] = {peer: bundles for peer, bundles in near.items()}  # noqa: C416
                waiting += [peer for peer in near if peer not in found]
        return found


def _rate(cables: PortCables) -> float:
    """What the cables of a NIC carry together, GB/s."""
    return sum(many * rate for _, (_, many, rate) in cables)


@once
def single_cuts(network: ComputeNetwork) -> SingleCuts:
    """The cuts of a network."""
    return SingleCuts(network)
