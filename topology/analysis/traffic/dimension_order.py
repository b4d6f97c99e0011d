"""Dimension-order routing: traffic takes one axis after the other, the shorter way around.

The classical deterministic routing of tori and meshes (Dally and Towles, *Principles and Practices
of Interconnection Networks*, 2004, section 8.4). Halfway around an even ring both ways are as long,
and each takes half.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.traffic.single_routes import Beside, Cable, Route, loads_towards
from toposmith.topology.design.document import Design
from toposmith.topology.design.routing_rules import dimensions
from toposmith.topology.fabric.class_builder import link_of
from toposmith.topology.fabric.classes import ClassGraph, ClassVertex
from toposmith.topology.fabric.single_devices import Bundle, Device, PortCables


@dataclass(frozen=True)
class DimensionOrder:
    """The axes of a torus, in the order in which traffic takes them, and which links go along each.

    Parameters
    ----------
    axes : tuple of str
        The first one first.
    axis_of : mapping of int to str
        The axis along which a link between switches goes, by the index of the link.
    """

    axes: tuple[str, ...]
    axis_of: Mapping[int, str]

    @classmethod
    def of(cls, design: Design) -> DimensionOrder:
        """The order of a design's dimensions, as its switches repeat over them."""
        return cls(*dimensions(design))

    def hops_between_switches(
        self, classes: ClassGraph, nearest: Mapping[ClassVertex, int]
    ) -> tuple[dict[ClassVertex, int], dict[ClassVertex, str]]:
        """Hops to a target from all switches, and the axis along which each sends next.

        ``nearest`` has the switches beside the target with their hops. What is cut off in a
        dimension is not there.
        """
        hops, axis_of = dict(nearest), dict[ClassVertex, str]()
        for axis in reversed(self.axes):
            queue: list[tuple[int, int, ClassVertex]] = []
            for number, (vertex, many) in enumerate(hops.items()):
                heappush(queue, (many, number, vertex))
            number = len(queue)
            while queue:
                many, _, vertex = heappop(queue)
                if many > hops[vertex]:
                    continue
                for peer, edges in classes.graph.adj[vertex].items():
                    if peer in hops or not any(self._along(axis, edge) for edge in edges.values()):
                        continue
                    number += 1
                    hops[peer], axis_of[peer] = many + 1, axis
                    heappush(queue, (many + 1, number, peer))
        return hops, axis_of

    def links_along(self, axis: str) -> frozenset[int]:
        """The links that go along an axis, by index."""
        return frozenset(number for number, of in self.axis_of.items() if of == axis)

    def _along(self, axis: str, edge: Mapping[str, object]) -> bool:
        return self.axis_of.get(edge["link"]) == axis  # type: ignore[call-overload,no-any-return]

    def route(self, network: Network, start: PortCables, end: PortCables) -> Route | None:
        """Where a flow of 1 between two NICs goes; None where a dimension is cut off."""
        out, into = _one_switch(start), _one_switch(end)
        here, there = out[0][0], into[0][0]
        leaving = _at_port(out)
        arriving = _at_port(into)
        between: dict[Cable, float] = {}
        axes = network.plan.groups[here[0]].axes
        if here[0] != there[0]:
            return None
        for axis in self.axes:
            at = axes.index(axis) if axis in axes else None
            if at is None or here[1][at] == there[1][at]:
                continue
            corner = (here[0], (*here[1][:at], there[1][at], *here[1][at + 1 :]))
            loads, missing = loads_towards(
                network.devices, self._line(network, axis), corner, {here: 1.0}, weighted=False
            )
            if missing:
                return None
            between |= loads
            here = corner
        return Route(leaving, arriving, between) if here == there else None

    def _line(self, network: Network, axis: str) -> Beside:
        """What lies beside a switch along an axis."""

        def near(switch: Device) -> dict[Device, tuple[Bundle, ...]]:
            found: dict[Device, tuple[Bundle, ...]] = {}
            for peer, bundles in network.devices.beside(switch).items():
                along = tuple(
                    each for each in bundles if self.axis_of.get(link_of(each[0])) == axis
                )
                if along:
                    found[peer] = along
            return found

        return near


def _one_switch(cables: PortCables) -> PortCables:
    if len({switch for switch, _ in cables}) != 1:
        raise ValueError(
            "with dimension-order routing all cables of a NIC lead to one switch; "
            "here a NIC has several"
        )
    return cables


def _at_port(cables: PortCables) -> dict[tuple[Device, object], float]:
    many = sum(bundle[1] for _, bundle in cables)
    found: dict[tuple[Device, object], float] = defaultdict(float)
    for switch, (key, _, _) in cables:
        found[switch, key] = 1 / many
    return dict(found)
