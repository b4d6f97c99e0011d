"""A unit as a port matrix: a row for every device, a column for every port."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from toposmith.catalog import NvlinkSwitch
from toposmith.catalog.part_text import link_noun
from toposmith.fabric.faults import Faults
from toposmith.fabric.plan import Plan
from toposmith.text import counted
from toposmith.tui.canvas.canvas_glyphs import Ink, clean
from toposmith.tui.canvas.captions import StyledLine, short_name
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.chart import ChartSpot, DepthChart, Direction, fitted, padded
from toposmith.tui.depths.device_ports import Jack, Port, alike, faults_of, port_of
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import (
    DepthPlace,
    DeviceInstance,
    coordinates,
    device_of_row,
    enter_device,
    free_axes,
    row_of_device,
    selector,
)
from toposmith.tui.depths.port_text import heading, peer_label, port_sign, port_words, purpose
from toposmith.tui.depths.sections import SIGN_ONLY, Section, sections_in_view, sections_of


class Matrix(DepthChart):
    """A unit with its devices and their ports.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    place : DepthPlace
        The unit.
    loads : Loads
        What is known of loads.
    room : int
        Columns of the view; where ports with their peers do not fit, signs alone are shown.
    layer : str, optional
        The one slot group of nodes that is shown.
    """

    def __init__(
        self, plan: Plan, place: DepthPlace, loads: Loads, room: int, layer: str | None = None
    ) -> None:
        self._plan = plan
        self._place = place
        self._loads = loads
        self._faults: tuple[Faults, Faults] = faults_of(plan)
        self.sections = sections_of(plan, place, room, layer)
        self.frozen_columns = max(section.label for section in self.sections) + 1
        self.width = max(
            self.frozen_columns + section.cell * len(section.jacks) for section in self.sections
        )
        self.width = max(self.width, room)
        self.height = self.sections[-1].bottom
        self._alike: dict[tuple[str, int], tuple[str, Ink]] = {}
        for section in self.sections:
            for column, jack in enumerate(section.jacks if section.cell == SIGN_ONLY else ()):
                port = alike(plan, self._faults, section.group, jack)
                if port is not None:
                    sign, ink = port_sign(port, loads)
                    self._alike[section.group, column] = (sign + " ", ink)
        self._line = lru_cache(maxsize=512)(self._make_line)

    def line(self, y: int) -> StyledLine:
        """A row: a heading, or a device with its ports."""
        return self._line(y)

    def frozen_rows(self, top: int) -> tuple[int, ...]:
        """The headings of the devices that are seen first."""
        section = self._section(top)
        return tuple(range(section.top, section.first))

    def first(self) -> ChartSpot | None:
        """The first port of the first device."""
        return (self.sections[0].first, 0)

    def holds(self, spot: ChartSpot) -> bool:
        """Whether a device stands in this row, and has such a port."""
        y, column = spot
        if not 0 <= y < self.height:
            return False
        section = self._section(y)
        return y >= section.first and 0 <= column < max(len(section.jacks), 1)

    def area(self, spot: ChartSpot) -> Area:
        """The cell of a port."""
        section = self._section(spot[0])
        x = self.frozen_columns + spot[1] * section.cell
        return Area(x, spot[0], max(section.cell - 1, 1), 1)

    def spot_at(self, x: int, y: int) -> ChartSpot | None:
        """The port at a cell; the label of a row stands for its first port."""
        if not 0 <= y < self.height:
            return None
        section = self._section(y)
        spot = (y, max(x - self.frozen_columns, 0) // section.cell)
        return spot if self.holds(spot) else None

    def moved(self, spot: ChartSpot, direction: Direction, by: int = 1) -> ChartSpot:
        """The next port, or the next device, over headings to the next group."""
        y, column = spot
        if direction in ("left", "right"):
            last = max(len(self._section(y).jacks) - 1, 0)
            return y, min(max(column + (by if direction == "right" else -by), 0), last)
        index = self._index(y) + (by if direction == "down" else -by)
        y = self._row_of_index(index)
        return y, min(column, max(len(self._section(y).jacks) - 1, 0))

    def words(self, spot: ChartSpot) -> tuple[str, ...]:
        """The port, where it leads, at what speed and load."""
        section = self._section(spot[0])
        device = self._device(spot[0])
        name = selector(self._plan, device)
        if not section.jacks:
            part = self._plan.groups[section.group].part
            if isinstance(part, NvlinkSwitch):
                return (f"{name}: {counted(part.ports, link_noun(part.protocol))}",)
            return (f"{name}: no ports",)
        return port_words(
            self._plan, device, self._port(device, section.jacks[spot[1]]), self._loads
        )

    def inner(self, spot: ChartSpot) -> DepthPlace | None:
        """The device of the row."""
        return enter_device(self._plan, self._device(spot[0]))

    def group(self, spot: ChartSpot) -> str:
        """The group of the row's device."""
        return self._section(spot[0]).group

    def in_view(self, view: Area) -> str:
        """The devices and the ports that are in view."""
        return sections_in_view(self.sections, view, self.frozen_columns)

    def spot_of_port(
        self, device: DeviceInstance, ports: str, number: int | None
    ) -> ChartSpot | None:
        """A port of a device, if it is in the unit; its first where none is named."""
        for section in self.sections:
            if section.group == device.group:
                row = row_of_device(self._plan, self._place, device)
                if not 0 <= row < section.rows or self._device(section.first + row) != device:
                    return None
                columns = (at for at, jack in enumerate(section.jacks)
                           if (jack.ports, jack.number) == (ports, number))  # fmt: skip
                return section.first + row, next(columns, 0)
        return None

    def _section(self, y: int) -> Section:
        return next((s for s in self.sections if y < s.bottom), self.sections[-1])

    def _device(self, y: int) -> DeviceInstance:
        section = self._section(y)
        return device_of_row(self._plan, self._place, section.group, y - section.first)

    def _port(self, device: DeviceInstance, jack: Jack) -> Port:
        return port_of(self._plan, self._faults, device, jack)

    def _index(self, y: int) -> int:
        """The number of a device's row when headings do not count."""
        before = 0
        for section in self.sections:
            if y < section.bottom:
                return before + max(y - section.first, 0)
            before += section.rows
        return before - 1

    def _row_of_index(self, index: int) -> int:
        index = max(index, 0)
        for section in self.sections:
            if index < section.rows:
                return section.first + index
            index -= section.rows
        return self.sections[-1].bottom - 1

    def _make_line(self, y: int) -> StyledLine:
        section = self._section(y)
        if y < section.top:
            return padded((), self.width)
        if y == section.top:
            return padded(self._title(section), self.width)
        if y < section.first:
            second = y == section.top + 1
            return padded(self._peers(section) if second else _numbers(section), self.width)
        return padded(self._row(section, y), self.width)

    def _title(self, section: Section) -> StyledLine:
        group = self._plan.groups[section.group]
        part = short_name(group.part.name) if group.part else clean(group.spec.part)
        name = clean(section.group)
        return ((name, Ink.TITLE), (f"  {section.rows:,}", Ink.COUNT), (f"  {part}", Ink.PART))

    def _peers(self, section: Section) -> StyledLine:
        """Over every run of ports of one link: to whom it goes; the last may run on to the edge."""
        line: list[tuple[str, Ink]] = [(" " * (self.frozen_columns), Ink.BLANK)]
        used = self.frozen_columns
        runs = [list(run) for _, run in groupby(section.jacks, key=purpose)]
        for at, ports in enumerate(runs):
            text = heading(self._plan, section.group, ports[0])
            cells = section.cell * len(ports)
            if at == len(runs) - 1:
                cells = max(cells, min(len(text) + 1, self.width - used))
            line.append((fitted(text, cells - 1) + " ", Ink.DETAIL))
            used += cells
        return tuple(line)

    def _row(self, section: Section, y: int) -> StyledLine:
        device = self._device(y)
        at = coordinates(self._plan, device)
        label = ".".join(str(at[a]) for a in free_axes(self._plan, self._place, section.group))
        line: list[tuple[str, Ink]] = [
            (label.rjust(section.label).ljust(self.frozen_columns), Ink.COUNT)
        ]
        for column, jack in enumerate(section.jacks):
            sign = self._alike.get((section.group, column))
            line.append(sign or self._cell(section, self._port(device, jack)))
        return tuple(line)

    def _cell(self, section: Section, port: Port) -> tuple[str, Ink]:
        sign, ink = port_sign(port, self._loads)
        peer = ""
        if section.cell > SIGN_ONLY and port.peer is not None and port.jack.link is not None:
            peer = peer_label(self._plan, port.peer, port.jack.link, section.group)
        return (fitted(sign + peer, section.cell - 1) + " ", ink)


def _numbers(section: Section) -> StyledLine:
    """The numbers of the ports, each over its column; every fourth where columns are narrow."""
    if not section.jacks:
        return (("   no ports that are cabled", Ink.DETAIL),)
    words = []
    every = 1 if section.cell > max(len(str(jack.number)) for jack in section.jacks) else 4
    at = 0
    for column, jack in enumerate(section.jacks):
        if column * section.cell < at or (every > 1 and jack.number % every):
            continue
        words.append(" " * (column * section.cell - at) + str(jack.number))
        at = column * section.cell + len(str(jack.number))
    return ((" " * (section.label + 1) + "".join(words), Ink.DETAIL),) if words else ()
