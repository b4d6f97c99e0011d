"""One node drawn inside: GPUs, NVLink, PCIe switches, NICs and sockets, with the loads on each."""

from __future__ import annotations

from dataclasses import dataclass

from catalog import Catalog
from topology.fabric.inside import Vertex
from topology.fabric.plan import Plan
from tui.canvas.captions import Line
from tui.canvas.figures import TrunkFigure
from tui.canvas.glyphs import ASCII, HEAVY, LIGHT, UNICODE, Ink
from tui.canvas.items import GroupItem
from tui.canvas.raster import Raster
from tui.canvas.scene import Area
from tui.depths.chart import Direction, Spot, fitted
from tui.depths.loads import Loads
from tui.depths.node_inside import NOWHERE, Hub, Inside, read_inside
from tui.depths.node_words import NodeWords
from tui.depths.places import Device, Place, enter_device
from tui.depths.port_text import peer_label, port_sign
from tui.depths.ports import Port, faults_of, jacks, port_of

_LABEL = 7  # "NVLink" fits
_WIDE = 13
_BETWEEN_SOCKETS = 2
_MOST_BETWEEN = 5
"""Rows between two tiers at most."""
_NVLINK, _GPU, _HUB, _NIC, _CPU = range(5)
_TITLES = {_GPU: "GPU", _HUB: "PCIe", _NIC: "NIC", _CPU: "CPU"}


@dataclass(frozen=True)
class _Box:
    area: Area
    vertex: Vertex
    lines: tuple[str, ...]

    @property
    def middle(self) -> int:
        return self.area.x + (self.area.width - 1) // 2


class NodeChart:
    """A node with what is inside.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    catalog : Catalog
        For the GPUs.
    device : Device
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

    frozen_columns = _LABEL

    def __init__(
        self,
        plan: Plan,
        catalog: Catalog,
        device: Device,
        loads: Loads,
        room: int,
        layer: str | None = None,
        *,
        rows: int = 0,
        ascii_only: bool = False,
    ) -> None:
        self._plan = plan
        self._rows = rows
        self._device = device
        self._loads = loads
        self._layer = layer
        self._owner = GroupItem(device.group)
        self._glyphs = ASCII if ascii_only else UNICODE
        inside = read_inside(plan.groups[device.group], catalog)
        assert inside is not None, "only nodes have an inside"
        self.inside: Inside = inside
        faults = faults_of(plan)
        ports: dict[tuple[str, int], list[Port]] = {}
        for jack in jacks(plan, device.group):
            nic = plan.groups[device.group].port_groups[jack.ports].nic
            slot = jack.number // (nic.ports if nic else 1)
            port = port_of(plan, faults, device, jack)
            ports.setdefault((jack.ports, slot), []).append(port)
        self._said = NodeWords(plan, catalog, device, loads, inside, ports)
        hubs = [(hub, self._slots(hub)) for hub in inside.hubs]
        self._hubs = [(hub, slots) for hub, slots in hubs if hub.gpus or slots]
        columns = sum(max(len(hub.gpus), len(slots), 1) for hub, slots in self._hubs)
        sockets = {hub.socket for hub, _ in self._hubs}
        around = _LABEL + _BETWEEN_SOCKETS * max(len(sockets) - 1, 0) + 1
        fits = (room - around) // max(columns, 1)
        digits = max(
            (len(str(v[-1])) for hub, slots in self._hubs for v in hub.gpus + slots), default=1
        )
        self._pitch = min(max(fits, digits + 3), _WIDE)
        self._peers = {port.peer.group for each in ports.values() for port in each if port.peer}
        self.tiers: dict[int, list[_Box]] = {}
        self._tops: dict[int, int] = {}
        self._raster = self._draw(max(room, around + self._pitch * columns))

    def line(self, y: int) -> Line:
        """A row of the drawing."""
        return tuple((run.text, run.ink) for run in self._raster.runs(y, self._glyphs))

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """Nothing stands still."""
        return ()

    def first(self) -> Spot | None:
        """The first GPU."""
        tier = _GPU if self.tiers.get(_GPU) else min(self.tiers, default=None)
        return None if tier is None else (tier, 0)

    def holds(self, spot: Spot) -> bool:
        """Whether there is such a box."""
        return 0 <= spot[1] < len(self.tiers.get(spot[0], ()))

    def area(self, spot: Spot) -> Area:
        """The box."""
        return self.tiers[spot[0]][spot[1]].area

    def spot_at(self, x: int, y: int) -> Spot | None:
        """The box at a cell."""
        for tier, boxes in self.tiers.items():
            for index, box in enumerate(boxes):
                area = box.area
                if area.x <= x < area.right and area.y <= y < area.bottom:
                    return tier, index
        return None

    def moved(self, spot: Spot, direction: Direction, by: int = 1) -> Spot:
        """The next box in the tier, or the nearest of the next tier."""
        tier, index = spot
        if direction in ("left", "right"):
            to = index + (by if direction == "right" else -by)
            return tier, min(max(to, 0), len(self.tiers[tier]) - 1)
        order = sorted(self.tiers)
        at = order.index(tier) + (by if direction == "down" else -by)
        other = order[min(max(at, 0), len(order) - 1)]
        if other == tier:
            return spot
        here = self.tiers[tier][index].middle
        boxes = self.tiers[other]
        return other, min(range(len(boxes)), key=lambda i: abs(boxes[i].middle - here))

    def words(self, spot: Spot) -> tuple[str, ...]:
        """The part, its links with what they carry, and their loads."""
        tier, vertex = spot[0], self.tiers[spot[0]][spot[1]].vertex
        said = self._said
        if tier == _NVLINK:
            return said.nvlink()
        of = {_GPU: said.gpu, _HUB: said.hub, _NIC: said.nic, _CPU: said.cpu}
        return of[tier](vertex)

    def inner(self, spot: Spot) -> Place | None:
        """From a NIC to the device at the other end of its first cable."""
        vertex = self.tiers[spot[0]][spot[1]].vertex
        if spot[0] != _NIC:
            return None
        peers = [port.peer for port in self._said.ports_of(vertex) if port.peer is not None]
        return enter_device(self._plan, peers[0]) if peers else None

    def group(self, spot: Spot) -> str:
        """The node's own group."""
        return self._device.group

    def _slots(self, hub: Hub) -> tuple[Vertex, ...]:
        return tuple(v for v in hub.slots if self._layer is None or v[1] == self._layer)

    # What is drawn

    def _draw(self, width: int) -> Raster:
        has_nvlink = bool(self.inside.nvlink)
        pitch, y = self._pitch, 0
        tiers = [tier for tier in (_NVLINK, _GPU, _HUB, _NIC, _CPU) if tier or has_nvlink]
        least = 4 * len(tiers) + 1
        more = max(min((self._rows - least) // (len(tiers) - 1), _MOST_BETWEEN - 1), 0)
        for tier in tiers:
            self._tops[tier] = y
            y += 4 + more + (2 if tier == _NIC else 0)
        self.width, self.height = width, y - 1 - more
        raster = Raster(self.width, self.height)
        x = _LABEL
        uplinks: dict[Vertex, int] = {}
        spans: dict[int, tuple[int, int]] = {}
        before = None
        for hub, slots in self._hubs:
            if before not in (None, hub.socket):
                x += _BETWEEN_SOCKETS
            before = hub.socket
            columns = max(len(hub.gpus), len(slots), 1)
            right = x + columns * pitch - 2
            uplinks[hub.vertex] = right + 1
            low, _ = spans.get(hub.socket, (x, right))
            spans[hub.socket] = (low, right + 1)
            self._draw_hub(raster, hub, slots, x, right)
            x = right + 2
        self._draw_sockets(raster, spans, uplinks, x)
        self._draw_nvlink(raster)
        self._label(raster)
        return raster

    def _draw_hub(
        self, raster: Raster, hub: Hub, slots: tuple[Vertex, ...], left: int, right: int
    ) -> None:
        top = self._tops[_HUB]
        is_switch = hub.vertex[0] == "pcie"
        group = self._device.group
        for tier, vertices in ((_GPU, hub.gpus), (_NIC, slots)):
            for index, vertex in enumerate(vertices):
                text = str(vertex[-1])
                box = self._box(
                    raster, tier, vertex, left + index * self._pitch, self._pitch - 1, text
                )
                if hub.vertex == NOWHERE:
                    self._draw_port(raster, box)
                    continue
                if tier == _GPU:
                    figure = self._loads.of_inside(group, "GPU PCIe")
                    ends = (box.area.bottom - 1, top if is_switch else top + 1)
                else:
                    figure = self._said.nic_pcie(vertex)
                    ends = (top + 2 if is_switch else top + 1, box.area.y)
                self._wire(raster, box.middle, ends[0], box.middle, ends[1], figure)
                if tier == _NIC:
                    self._draw_port(raster, box)
        if hub.vertex == NOWHERE:
            return
        if is_switch:
            self._box(raster, _HUB, hub.vertex, left, right - left + 1, str(hub.vertex[1]))
        else:
            self._wire(raster, left + (self._pitch - 2) // 2, top + 1, right + 1, top + 1, None)
        bottom = self._tops[_CPU]
        if hub.above is None or hub.above[0] == "cpu":
            self._wire(raster, right + 1, top + 1, right + 1, bottom, None)
        else:
            self._wire(raster, right + 1, top + 1, right + 1, bottom - 2, None)
        if is_switch:
            self._wire(raster, right, top + 1, right + 1, top + 1, None)

    def _draw_port(self, raster: Raster, box: _Box) -> None:
        """Below a NIC: the load sign of its first port, and where it goes."""
        ports = self._said.ports_of(box.vertex)
        if not ports:
            return
        sign, ink = port_sign(ports[0], self._loads)
        y = box.area.bottom
        more = f"+{len(ports) - 1}" if len(ports) > 1 else ""
        raster.write(box.middle, y, ((sign + more, ink),), None, self._glyphs)
        link, peer = ports[0].jack.link, ports[0].peer
        if link is None or peer is None:
            return
        room = self._pitch - 1
        label = peer_label(self._plan, peer, link, self._device.group)
        named = f"{peer.group} {label}".strip()
        text = named if len(self._peers) > 1 and len(named) <= room else label
        short = fitted(text, room).rstrip()
        left = box.area.x + (room - len(short)) // 2
        raster.write(left, y + 1, ((short, Ink.DETAIL),), None, self._glyphs)

    def _draw_sockets(
        self,
        raster: Raster,
        spans: dict[int, tuple[int, int]],
        uplinks: dict[Vertex, int],
        free: int,
    ) -> None:
        for hub, _ in self._hubs:
            above = hub.above
            if above is not None and above[0] == "pcie" and above in uplinks:
                y = self._tops[_CPU] - 2
                self._wire(raster, uplinks[hub.vertex], y, uplinks[above], y, None)
        top = self._tops[_CPU]
        before: _Box | None = None
        for socket in self.inside.sockets:
            if socket not in spans:
                continue
            low, high = spans[socket]
            box = self._box(raster, _CPU, ("cpu", socket), low, high - low + 2, str(socket))
            if before is not None and box.area.x > before.area.right:
                figure = self._loads.of_inside(self._device.group, "sockets", "NIC sockets")
                self._wire(raster, before.area.right - 1, top + 1, box.area.x, top + 1, figure)
            before = box

    def _draw_nvlink(self, raster: Raster) -> None:
        gpus = self.tiers.get(_GPU, [])
        if _NVLINK not in self._tops or not gpus:
            return
        left, right = gpus[0].area.x, gpus[-1].area.right
        self._box(raster, _NVLINK, ("nvswitch",), left, right - left, self._said.nvlink_name())
        figure = self._loads.of_inside(self._device.group, "NVLink")
        joined = {end for edge in self.inside.nvlink for end in (edge.a, edge.b)}
        for box in gpus:
            if box.vertex in joined:
                y = self._tops[_NVLINK] + 2
                self._wire(raster, box.middle, y, box.middle, box.area.y, figure)

    def _label(self, raster: Raster) -> None:
        """At the left: what stands in a row, and the load of the links below it."""
        group = self._device.group
        figures = {
            _NVLINK: self._loads.of_inside(group, "NVLink"),
            _GPU: self._loads.of_inside(group, "GPU PCIe"),
            _HUB: self._fullest_nic(),
        }
        for tier, top in self._tops.items():
            title = _TITLES.get(tier, "NVLink")
            raster.write(0, top + 1, ((title, Ink.TITLE),), None, self._glyphs)
            if tier in figures:
                figure = figures[tier]
                text, ink = (figure.percent, figure.ink) if figure else ("?", Ink.DETAIL)
                raster.write(0, top + 3, ((text, ink),), None, self._glyphs)
        raster.write(0, self._tops[_NIC] + 3, (("port", Ink.DETAIL),), None, self._glyphs)
        to = next(iter(self._peers)) if len(self._peers) == 1 else "to"
        raster.write(
            0, self._tops[_NIC] + 4, ((fitted(to, _LABEL - 1), Ink.DETAIL),), None, self._glyphs
        )

    def _fullest_nic(self) -> TrunkFigure | None:
        """The load of the PCIe links of NICs, of the fullest."""
        found = [self._said.nic_pcie(box.vertex) for box in self.tiers.get(_NIC, ())]
        known = [figure for figure in found if figure is not None]
        return max(known, key=lambda figure: figure.GBps or 0.0, default=None)

    def _box(
        self, raster: Raster, tier: int, vertex: Vertex, x: int, width: int, text: str
    ) -> _Box:
        top = self._tops[tier]
        area = Area(x, top, width, 3)
        raster.frame(x, top, width, 3, Ink.BOX, self._owner)
        if tier == _NIC and width - 3 - len(text) >= len(str(vertex[1])):
            text = f"{vertex[1]} {text}"
        short = fitted(text, width - 2).rstrip()
        left = x + 1 + (width - 2 - len(short)) // 2
        ink = Ink.PART if tier in (_NVLINK, _HUB, _CPU) else Ink.COUNT
        raster.write(left, top + 1, ((short, ink),), None, self._glyphs)
        box = _Box(area, vertex, (short,))
        self.tiers.setdefault(tier, []).append(box)
        return box

    def _wire(
        self, raster: Raster, x0: int, y0: int, x1: int, y1: int, figure: TrunkFigure | None
    ) -> None:
        weight = HEAVY if figure is not None and figure.limits else LIGHT
        ink = figure.ink if figure is not None else Ink.IDLE
        raster.path([(x0, y0), (x1, y1)], weight, ink, self._owner)
