"""Single devices with their cables: switches by the rows of a fabric, nodes by their classes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from toposmith.cancellation import go_on
from toposmith.fabric.class_builder import edge_key
from toposmith.fabric.classes import ClassGraph
from toposmith.fabric.cuts import Cells
from toposmith.fabric.dealing import peer_axes
from toposmith.fabric.dealt_ports import DealtPort, dealt_ports
from toposmith.fabric.device import At, Device
from toposmith.fabric.faults import Faults
from toposmith.fabric.node_cables import NodeCables
from toposmith.fabric.node_classes import ClassVertex
from toposmith.fabric.plan import Plan
from toposmith.fabric.relations import RelationKind, kind_of
from toposmith.fabric.rewired import Rewired
from toposmith.fabric.slow_cables import SlowCables
from toposmith.units import line_rate_GBps

if TYPE_CHECKING:
    from toposmith.fabric.rows import Cables, FabricRows, RowsAt

Bundle = tuple[object, int, float]
"""Equal cables between two devices: key of the edge in the class graph, how many, GB/s of one."""

PortCables = tuple[tuple[Device, Bundle], ...]
"""The cables of one NIC: the switch at the other end, and what joins the two."""


class SingleDevices:
    """The switches and nodes of one network of a plan.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    classes : ClassGraph
        Its class graph, without the insides of nodes.
    slots : mapping of str to str
        The slot group of each node group that is meant.
    """

    def __init__(self, plan: Plan, classes: ClassGraph, slots: Mapping[str, str]) -> None:
        self._plan = plan
        self._classes = classes
        self._slots = slots
        self._links = {link.index: link for link in plan.every_link}
        self._near: dict[Device, dict[Device, tuple[Bundle, ...]]] = {}
        self._vertex: dict[Device, ClassVertex] = {}
        go_on(sum(classes.cuts.sizes.values()) // 10)
        self._cell: dict[str, dict[int, int]] = {
            axis: {
                value: number
                for number, cell in enumerate(classes.cuts.cells(axis))
                for value in cell.values()
            }
            for axis in classes.cuts.sizes
        }

    def vertex(self, device: Device) -> ClassVertex:
        """The class of a device."""
        known = self._vertex.get(device)
        if known is None:
            axes = self._classes.axes_of[device[0]]
            cells = zip(axes, device[1], strict=True)
            known = ("device", device[0], tuple(self._cell[axis][value] for axis, value in cells))
            self._vertex[device] = known
        return known

    def beside(self, switch: Device) -> Mapping[Device, tuple[Bundle, ...]]:
        """The neighbours of a switch, and the cables to each."""
        near = self._near.get(switch)
        if near is None:
            near = self._near[switch] = self._read(switch)
        return near

    @cached_property
    def _between(self) -> tuple[FabricRows, Cables, RowsAt]:
        """The devices by number, the cables between switches both ways round, by device."""
        # imported here: it needs numpy, which clean designs do not
        from toposmith.fabric.rows import RowsAt, cables_between_switches, fabric_rows

        rows = fabric_rows(self._plan, tuple(sorted(self._slots.items())))
        between = cables_between_switches(rows)
        return rows, between, RowsAt(between.a, rows.devices)

    def _read(self, switch: Device) -> dict[Device, tuple[Bundle, ...]]:
        rows, between, at_device = self._between
        mine = between[at_device.of_one(rows.number(*switch))]
        go_on(10 + 4 * len(mine))
        many: dict[tuple[Device, object, float], int] = defaultdict(int)
        columns = (mine.b, mine.link, mine.gbit, mine.kind, mine.count)
        for other, index, gbit, kind, count in zip(*(c.tolist() for c in columns), strict=True):
            link, peer = self._links[index], rows.device(other)
            key = edge_key(link, gbit, (kind,) if link.bundle else self._kind(index, switch, peer))
            many[peer, key, line_rate_GBps(gbit)] += count
        near: dict[Device, tuple[Bundle, ...]] = {}
        for (peer, key, rate), count in many.items():
            near[peer] = (*near.get(peer, ()), (key, count, rate))
        return near

    def _kind(self, index: int, switch: Device, peer: Device) -> RelationKind:
        link, rings = self._links[index], self._classes.cuts.rings
        return kind_of(self._plan, link, rings, switch[1], peer[1], end=link.end_of(switch[0]))

    @cached_property
    def _there(self) -> dict[str, set[Cells]]:
        """The classes of devices of every group."""
        there: dict[str, set[Cells]] = {name: set() for name in self._plan.groups}
        for vertex in self._classes.graph:
            if vertex[0] == "device":
                there[vertex[1]].add(vertex[2])
        return there

    @cached_property
    def _cables(self) -> NodeCables:
        faults, plan = Faults(self._plan, without_down=True), self._plan
        return NodeCables(plan, self._classes.cuts, faults, SlowCables(plan), Rewired(plan))

    def at_node(self, node: Device) -> list[PortCables]:
        """The cables of every NIC of a node, in order; equal ones to one switch together."""
        go_on(20)
        group, cells = self._plan.groups[node[0]], self.vertex(node)[2]
        name = self._slots[group.name]
        dealt = dealt_ports(self._plan, self._classes.cuts, group, name)
        at = self._classes.coordinates(group, cells)
        found: list[PortCables] = []
        for of_nic in self._cables.cards(group, name, at, dealt):
            live = self._cables.live(group, name, cells, at, of_nic, self._there)
            found.append(tuple(self._counted(node, live)))
        return found

    def _counted(
        self, node: Device, live: Iterable[tuple[DealtPort, At, float]]
    ) -> Iterator[tuple[Device, Bundle]]:
        many: dict[tuple[Device, object, float], int] = defaultdict(int)
        for card, _, gbit in live:
            many[self._peer(node, card), edge_key(card.link, gbit), line_rate_GBps(gbit)] += 1
        for (peer, key, rate), count in many.items():
            yield peer, (key, count, rate)

    def _peer(self, node: Device, card: DealtPort) -> Device:
        """The device at the other end of a cable of a node."""
        if card.values[:1] == (-1,):
            return card.peer, card.values[1:]
        axes = peer_axes(card.link, card.link.end_of(node[0]))
        dealt = dict(zip(axes, card.values, strict=True))
        cells = zip(self._classes.axes_of[card.peer], card.cells, strict=True)
        return card.peer, tuple(
            dealt[axis] if own is None else node[1][own] for axis, (own, _) in cells
        )
