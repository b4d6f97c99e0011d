"""One switch inside: its ports in the order of its links, each with where it goes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from toposmith.fabric.plan import Plan
from toposmith.text import counted
from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.captions import StyledLine, width
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, DepthChart, Direction, fitted, padded
from toposmith.tui.depths.device_ports import Port, faults_of, jacks, port_of
from toposmith.tui.depths.place_loads import Loads, load_words
from toposmith.tui.depths.places import DepthPlace, DeviceInstance, enter_device
from toposmith.tui.depths.port_text import heading, peer_label, port_sign, port_words, purpose

_MARGIN = 2
_MOST_IN_A_ROW = 16


@dataclass(frozen=True)
class _Row:
    """Ports side by side: from which to which, and how wide each is."""

    first: int
    ports: tuple[Port, ...]
    cell: int


class Faceplate(DepthChart):
    """A switch with its ports, those that serve one link together.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    device : DeviceInstance
        The switch.
    loads : Loads
        What is known of loads.
    room : int
        Columns of the view.
    """

    def __init__(self, plan: Plan, device: DeviceInstance, loads: Loads, room: int) -> None:
        self._plan = plan
        self._device = device
        self._loads = loads
        faults = faults_of(plan)
        ports = [port_of(plan, faults, device, jack) for jack in jacks(plan, device.group)]
        self.ports = tuple(ports)
        self._heads: dict[int, StyledLine] = {}
        self._rows: dict[int, _Row] = {}
        self.height = 0
        self.width = room
        for _, run in groupby(ports, key=lambda port: purpose(port.jack)):
            self._lay(list(run), room)

    def line(self, y: int) -> StyledLine:
        """A heading, or ports side by side."""
        if y in self._heads:
            return padded(self._heads[y], self.width)
        row = self._rows.get(y)
        if row is None:
            return padded((), self.width)
        line: list[tuple[str, Ink]] = [(" " * _MARGIN, Ink.BLANK)]
        for port in row.ports:
            sign, ink = port_sign(port, self._loads)
            line.append((fitted(sign + self._label(port), row.cell - 1) + " ", ink))
        return padded(tuple(line), self.width)

    def first(self) -> ChartSpot | None:
        """The first port."""
        return (min(self._rows), 0) if self._rows else None

    def holds(self, spot: ChartSpot) -> bool:
        """Whether there is such a port."""
        row = self._rows.get(spot[0])
        return row is not None and 0 <= spot[1] < len(row.ports)

    def area(self, spot: ChartSpot) -> Area:
        """The cells of a port."""
        cell = self._rows[spot[0]].cell
        return Area(_MARGIN + spot[1] * cell, spot[0], max(cell - 1, 1), 1)

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The port at a cell."""
        row = self._rows.get(y)
        if row is None or x < _MARGIN:
            return None
        spot = (y, (x - _MARGIN) // row.cell)
        return spot if self.holds(spot) else None

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next port in a direction."""
        y, column = spot
        if direction in ("left", "right"):
            to = column + (by if direction == "right" else -by)
            return y, min(max(to, 0), len(self._rows[y].ports) - 1)
        rows = sorted(self._rows)
        at = rows.index(y) + (by if direction == "down" else -by)
        y = rows[min(max(at, 0), len(rows) - 1)]
        return y, min(column, len(self._rows[y].ports) - 1)

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """The port, where it leads, at what speed and load."""
        port = self._port(spot)
        first, *rest = port_words(self._plan, self._device, port, self._loads)
        return (f"{first}, cage {port.jack.cage}", *rest)

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """The device at the other end of the cable."""
        peer = self._port(spot).peer
        return enter_device(self._plan, peer) if peer is not None else None

    def group(self, spot: ChartSpot) -> str:
        """The switch's own group."""
        return self._device.group

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """The port of this number, where the switch is this one."""
        if device != self._device:
            return None
        for y, row in self._rows.items():
            for column, port in enumerate(row.ports):
                if port.jack.number == number:
                    return y, column
        return None

    def _port(self, spot: ChartSpot) -> Port:
        return self._rows[spot[0]].ports[spot[1]]

    def _label(self, port: Port) -> str:
        if port.peer is None or port.jack.link is None:
            return ""
        label = peer_label(self._plan, port.peer, port.jack.link, self._device.group)
        return label or str(port.jack.number)

    def _lay(self, ports: list[Port], room: int) -> None:
        if self.height:
            self.height += 1
        title, *load = self._head(ports)
        self._heads[self.height] = (*title, *((("  ", Ink.BLANK), *load[0]) if load else ()))
        if width(self._heads[self.height]) > room and load:
            self._heads[self.height] = title
            self.height += 1
            self._heads[self.height] = (("  ", Ink.BLANK), *load[0])
        cell = max(len(self._label(port)) for port in ports) + 2
        many = min(max((room - _MARGIN) // cell, 1), _MOST_IN_A_ROW)
        if many >= 8:
            many -= many % 8
        self.height += 1
        for start in range(0, len(ports), many):
            self._rows[self.height] = _Row(start, tuple(ports[start : start + many]), cell)
            self.width = max(self.width, _MARGIN + cell * many)
            self.height += 1

    def _head(self, ports: list[Port]) -> tuple[StyledLine, ...]:
        """What ports serve, and their load."""
        jack = ports[0].jack
        if jack.beyond:
            return (
                (("beyond its cages", Ink.ERROR), (f"  {counted(len(ports), 'port')}", Ink.DETAIL)),
            )
        if jack.link is None:
            return ((("free", Ink.TITLE), (f"  {counted(len(ports), 'port')}", Ink.DETAIL)),)
        figure = self._loads.of_link(jack.link.index)
        title = heading(self._plan, self._device.group, jack)
        rate = f"  {len(ports)} x {jack.speed_gbit} Gb/s"
        load = (load_words(figure), figure.ink if figure else Ink.DETAIL)
        return (((title, Ink.TITLE), (rate, Ink.CABLES)), (load,))
