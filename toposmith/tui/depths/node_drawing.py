"""The drawing of a node inside: NVLink, GPUs, PCIe switches, NICs and sockets with their loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.fabric.inside import Vertex
from toposmith.tui.canvas.canvas_glyphs import ASCII, HEAVY, LIGHT, UNICODE, Ink
from toposmith.tui.canvas.captions import StyledLine
from toposmith.tui.canvas.items import GroupItem
from toposmith.tui.canvas.raster import Raster
from toposmith.tui.canvas.scene import Area
from toposmith.tui.canvas.trunk_figures import TrunkFigure
from toposmith.tui.depths.chart import fitted
from toposmith.tui.depths.node_inside import NOWHERE, Hub
from toposmith.tui.depths.node_words import NodeWords
from toposmith.tui.depths.port_text import peer_label, port_sign

LABEL = 7  # "NVLink" fits
_WIDE = 13
_BETWEEN_SOCKETS = 2
_MOST_BETWEEN = 5
"""Rows between two tiers at most."""
NVLINK, GPU, HUB, NIC, CPU = range(5)
"""The tiers from top to bottom."""

_TITLES = {GPU: "GPU", HUB: "PCIe", NIC: "NIC", CPU: "CPU"}


@dataclass(frozen=True)
class NodeBox:
    """A thing in the node where it is drawn.

    Parameters
    ----------
    area : Area
        Its cells.
    vertex : Vertex
        What it is in the graph of the node's inside.
    """

    area: Area
    vertex: Vertex

    @property
    def middle(self) -> int:
        """The column that wires end at."""
        return self.area.x + (self.area.width - 1) // 2


class NodeDrawing:
    """Boxes in tiers, wires between them, and a label at the left of every tier.

    Parameters
    ----------
    said : NodeWords
        The node, with its ports and loads.
    hubs : sequence of (Hub, tuple of Vertex)
        What is drawn side by side, with the NICs shown on each.
    room : int
        Columns of the view.
    rows : int
        Rows of the view: tiers stand farther apart where there are many.
    ascii_only : bool
        Draw with ASCII signs.

    Attributes
    ----------
    tiers : dict of int to list of NodeBox
        The boxes of every tier from left to right.
    width, height : int
        Size of the whole drawing in cells.
    """

    def __init__(
        self,
        said: NodeWords,
        hubs: Sequence[tuple[Hub, tuple[Vertex, ...]]],
        room: int,
        *,
        rows: int = 0,
        ascii_only: bool = False,
    ) -> None:
        self._said = said
        self._hubs = hubs
        self._rows = rows
        self._group = said.device.group
        self._owner = GroupItem(self._group)
        self._glyphs = ASCII if ascii_only else UNICODE
        columns = sum(max(len(hub.gpus), len(slots), 1) for hub, slots in hubs)
        sockets = {hub.socket for hub, _ in hubs}
        around = LABEL + _BETWEEN_SOCKETS * max(len(sockets) - 1, 0) + 1
        fits = (room - around) // max(columns, 1)
        digits = max((len(str(v[-1])) for hub, slots in hubs for v in hub.gpus + slots), default=1)
        self._pitch = min(max(fits, digits + 3), _WIDE)
        self._peers = {
            port.peer.group for each in said.ports.values() for port in each if port.peer
        }
        self.tiers: dict[int, list[NodeBox]] = {}
        self._tops: dict[int, int] = {}
        self._raster = self._draw(max(room, around + self._pitch * columns))

    def line(self, y: int) -> StyledLine:
        """A row of the drawing."""
        return tuple((run.text, run.ink) for run in self._raster.runs(y, self._glyphs))

    def _draw(self, width: int) -> Raster:
        has_nvlink = bool(self._said.inside.nvlink)
        pitch, y = self._pitch, 0
        tiers = [tier for tier in (NVLINK, GPU, HUB, NIC, CPU) if tier or has_nvlink]
        least = 4 * len(tiers) + 1
        more = max(min((self._rows - least) // (len(tiers) - 1), _MOST_BETWEEN - 1), 0)
        for tier in tiers:
            self._tops[tier] = y
            y += 4 + more + (2 if tier == NIC else 0)
        self.width, self.height = width, y - 1 - more
        raster = Raster(self.width, self.height)
        x = LABEL
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
        top = self._tops[HUB]
        is_switch = hub.vertex[0] == "pcie"
        for tier, vertices in ((GPU, hub.gpus), (NIC, slots)):
            for index, vertex in enumerate(vertices):
                text = str(vertex[-1])
                box = self._box(
                    raster, tier, vertex, left + index * self._pitch, self._pitch - 1, text
                )
                if hub.vertex == NOWHERE:
                    self._draw_port(raster, box)
                    continue
                if tier == GPU:
                    figure = self._said.loads.of_inside(self._group, "GPU PCIe")
                    ends = (box.area.bottom - 1, top if is_switch else top + 1)
                else:
                    figure = self._said.nic_pcie(vertex)
                    ends = (top + 2 if is_switch else top + 1, box.area.y)
                self._wire(raster, box.middle, ends[0], box.middle, ends[1], figure)
                if tier == NIC:
                    self._draw_port(raster, box)
        if hub.vertex == NOWHERE:
            return
        if is_switch:
            self._box(raster, HUB, hub.vertex, left, right - left + 1, str(hub.vertex[1]))
        else:
            self._wire(raster, left + (self._pitch - 2) // 2, top + 1, right + 1, top + 1, None)
        bottom = self._tops[CPU]
        if hub.above is None or hub.above[0] == "cpu":
            self._wire(raster, right + 1, top + 1, right + 1, bottom, None)
        else:
            self._wire(raster, right + 1, top + 1, right + 1, bottom - 2, None)
        if is_switch:
            self._wire(raster, right, top + 1, right + 1, top + 1, None)

    def _draw_port(self, raster: Raster, box: NodeBox) -> None:
        """Below a NIC: the load sign of its first port, and where it goes."""
        ports = self._said.ports_of(box.vertex)
        if not ports:
            return
        sign, ink = port_sign(ports[0], self._said.loads)
        y = box.area.bottom
        more = f"+{len(ports) - 1}" if len(ports) > 1 else ""
        raster.write(box.middle, y, ((sign + more, ink),), None, self._glyphs)
        link, peer = ports[0].jack.link, ports[0].peer
        if link is None or peer is None:
            return
        room = self._pitch - 1
        label = peer_label(self._said.plan, peer, link, self._group)
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
                y = self._tops[CPU] - 2
                self._wire(raster, uplinks[hub.vertex], y, uplinks[above], y, None)
        top = self._tops[CPU]
        before: NodeBox | None = None
        for socket in self._said.inside.sockets:
            if socket not in spans:
                continue
            low, high = spans[socket]
            box = self._box(raster, CPU, ("cpu", socket), low, high - low + 2, str(socket))
            if before is not None and box.area.x > before.area.right:
                figure = self._said.loads.of_inside(self._group, "sockets", "NIC sockets")
                self._wire(raster, before.area.right - 1, top + 1, box.area.x, top + 1, figure)
            before = box

    def _draw_nvlink(self, raster: Raster) -> None:
        gpus = self.tiers.get(GPU, [])
        if NVLINK not in self._tops or not gpus:
            return
        left, right = gpus[0].area.x, gpus[-1].area.right
        self._box(raster, NVLINK, ("nvswitch",), left, right - left, self._said.nvlink_name())
        figure = self._said.loads.of_inside(self._group, "NVLink")
        joined = {end for edge in self._said.inside.nvlink for end in (edge.a, edge.b)}
        for box in gpus:
            if box.vertex in joined:
                y = self._tops[NVLINK] + 2
                self._wire(raster, box.middle, y, box.middle, box.area.y, figure)

    def _label(self, raster: Raster) -> None:
        """At the left: what stands in a row, and the load of the links below it."""
        figures = {
            NVLINK: self._said.loads.of_inside(self._group, "NVLink"),
            GPU: self._said.loads.of_inside(self._group, "GPU PCIe"),
            HUB: self._fullest_nic(),
        }
        for tier, top in self._tops.items():
            title = _TITLES.get(tier, "NVLink")
            raster.write(0, top + 1, ((title, Ink.TITLE),), None, self._glyphs)
            if tier in figures:
                figure = figures[tier]
                text, ink = (figure.percent, figure.ink) if figure else ("?", Ink.DETAIL)
                raster.write(0, top + 3, ((text, ink),), None, self._glyphs)
        raster.write(0, self._tops[NIC] + 3, (("port", Ink.DETAIL),), None, self._glyphs)
        to = next(iter(self._peers)) if len(self._peers) == 1 else "to"
        raster.write(
            0, self._tops[NIC] + 4, ((fitted(to, LABEL - 1), Ink.DETAIL),), None, self._glyphs
        )

    def _fullest_nic(self) -> TrunkFigure | None:
        """The load of the PCIe links of NICs, of the fullest."""
        found = [self._said.nic_pcie(box.vertex) for box in self.tiers.get(NIC, ())]
        known = [figure for figure in found if figure is not None]
        return max(known, key=lambda figure: figure.GBps or 0.0, default=None)

    def _box(
        self, raster: Raster, tier: int, vertex: Vertex, x: int, width: int, text: str
    ) -> NodeBox:
        top = self._tops[tier]
        area = Area(x, top, width, 3)
        raster.frame(x, top, width, 3, Ink.BOX, self._owner)
        if tier == NIC and width - 3 - len(text) >= len(str(vertex[1])):
            text = f"{vertex[1]} {text}"
        short = fitted(text, width - 2).rstrip()
        left = x + 1 + (width - 2 - len(short)) // 2
        ink = Ink.PART if tier in (NVLINK, HUB, CPU) else Ink.COUNT
        raster.write(left, top + 1, ((short, ink),), None, self._glyphs)
        box = NodeBox(area, vertex)
        self.tiers.setdefault(tier, []).append(box)
        return box

    def _wire(
        self, raster: Raster, x0: int, y0: int, x1: int, y1: int, figure: TrunkFigure | None
    ) -> None:
        weight = HEAVY if figure is not None and figure.limits else LIGHT
        ink = figure.ink if figure is not None else Ink.IDLE
        raster.path([(x0, y0), (x1, y1)], weight, ink, self._owner)
