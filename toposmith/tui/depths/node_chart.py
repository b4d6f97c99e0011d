"""One node seen from inside: a walk over its GPUs, PCIe switches, NICs and sockets."""

from __future__ import annotations

from toposmith.catalog import Catalog
from toposmith.fabric.inside import Vertex
from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, DepthChart, Direction
from toposmith.tui.depths.device_ports import Port, faults_of, jacks, port_of
from toposmith.tui.depths.node_drawing import CPU, GPU, HUB, LABEL, NIC, NVLINK, NodeDrawing
from toposmith.tui.depths.node_inside import Hub, read_inside
from toposmith.tui.depths.node_words import NodeWords
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import DepthPlace, DeviceInstance, enter_device


class NodeChart(DepthChart):
    """A node with what is inside.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        For the GPUs.
    device : DeviceInstance
        The node.
    loads : Loads
        What is known of loads.
    room : int
        Columns of the view.
    layer : str, optional
        The one slot group that is shown.
    rows : int
        Rows of the view: tiers stand farther apart where there are many.
    ascii_only : bool
        Draw with ASCII signs.
    """

    frozen_columns = LABEL

    def __init__(
        self,
        plan: Plan,
        catalog: Catalog,
        device: DeviceInstance,
        loads: Loads,
        room: int,
        layer: str | None = None,
        *,
        rows: int = 0,
        ascii_only: bool = False,
    ) -> None:
        self._plan = plan
        self._device = device
        self._layer = layer
        inside = read_inside(plan.groups[device.group], catalog)
        assert inside is not None, "only nodes have an inside"
        faults = faults_of(plan)
        ports: dict[tuple[str, int], list[Port]] = {}
        for jack in jacks(plan, device.group):
            slot = plan.groups[device.group].port_groups[jack.ports].nic_of(jack.number)
            port = port_of(plan, faults, device, jack)
            ports.setdefault((jack.ports, slot), []).append(port)
        self._said = NodeWords(plan, catalog, device, loads, inside, ports)
        every = [(hub, self._slots(hub)) for hub in inside.hubs]
        hubs = [(hub, slots) for hub, slots in every if hub.gpus or slots]
        self._drawing = NodeDrawing(self._said, hubs, room, rows=rows, ascii_only=ascii_only)
        self.width, self.height = self._drawing.width, self._drawing.height

    def line(self, y: int) -> StyledLine:
        """A row of the drawing."""
        return self._drawing.line(y)

    def first(self) -> ChartSpot | None:
        """The first GPU."""
        tier = GPU if self._drawing.tiers.get(GPU) else min(self._drawing.tiers, default=None)
        return None if tier is None else (tier, 0)

    def holds(self, spot: ChartSpot) -> bool:
        """Whether there is such a box."""
        return 0 <= spot[1] < len(self._drawing.tiers.get(spot[0], ()))

    def area(self, spot: ChartSpot) -> Area:
        """The box."""
        return self._drawing.tiers[spot[0]][spot[1]].area

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The box at a cell."""
        for tier, boxes in self._drawing.tiers.items():
            for index, box in enumerate(boxes):
                area = box.area
                if area.x <= x < area.right and area.y <= y < area.bottom:
                    return tier, index
        return None

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next box in the tier, or the nearest of the next tier."""
        tier, index = spot
        if direction in ("left", "right"):
            to = index + (by if direction == "right" else -by)
            return tier, min(max(to, 0), len(self._drawing.tiers[tier]) - 1)
        order = sorted(self._drawing.tiers)
        at = order.index(tier) + (by if direction == "down" else -by)
        other = order[min(max(at, 0), len(order) - 1)]
        if other == tier:
            return spot
        here = self._drawing.tiers[tier][index].middle
        boxes = self._drawing.tiers[other]
        return other, min(range(len(boxes)), key=lambda i: abs(boxes[i].middle - here))

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """The part, its links with what they carry, and their loads."""
        tier, vertex = spot[0], self._drawing.tiers[spot[0]][spot[1]].vertex
        said = self._said
        if tier == NVLINK:
            return said.nvlink()
        of = {GPU: said.gpu, HUB: said.hub, NIC: said.nic, CPU: said.cpu}
        return of[tier](vertex)

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """From a NIC to the device at the other end of its first cable."""
        vertex = self._drawing.tiers[spot[0]][spot[1]].vertex
        if spot[0] != NIC:
            return None
        peers = [port.peer for port in self._said.ports_of(vertex) if port.peer is not None]
        return enter_device(self._plan, peers[0]) if peers else None

    def group(self, spot: ChartSpot) -> str:
        """The node's own group."""
        return self._device.group

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """The NIC that has the port, where the node is this one."""
        if device != self._device:
            return None
        for index, box in enumerate(self._drawing.tiers.get(NIC, ())):
            held = self._said.ports_of(box.vertex)
            if any((port.jack.ports, port.jack.number) == (ports, number) for port in held):
                return NIC, index
        return None

    def _slots(self, hub: Hub) -> tuple[Vertex, ...]:
        return tuple(v for v in hub.slots if self._layer is None or v[1] == self._layer)
