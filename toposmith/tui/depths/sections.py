"""The groups of a unit below each other in its port matrix: their rows, columns and widths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.canvas_glyphs import clean
from toposmith.tui.canvas.scene import Area
from toposmith.tui.depths.device_ports import Jack, axes_of_peers, jacks
from toposmith.tui.depths.places import DepthPlace, free_axes, groups_in, instances

HEAD_ROWS = 3
SIGN_ONLY = 2
"""Cells of a port of which only the sign has room, with the gap behind it."""

_MOST_DIGITS = 7


@dataclass(frozen=True)
class Section:
    """The devices of one group in the unit.

    Parameters
    ----------
    group : str
        Which group.
    top : int
        Its first row, which is the first of three rows of headings.
    rows : int
        How many devices.
    jacks : tuple of Jack
        The columns.
    label : int
        Columns of the row labels.
    cell : int
        Columns of a port, with the gap behind it; 2 where the sign alone has room.
    """

    group: str
    top: int
    rows: int
    jacks: tuple[Jack, ...]
    label: int
    cell: int

    @property
    def first(self) -> int:
        """The row of its first device."""
        return self.top + HEAD_ROWS

    @property
    def bottom(self) -> int:
        """The first row behind it."""
        return self.first + self.rows


def sections_of(plan: Plan, place: DepthPlace, room: int, layer: str | None) -> tuple[Section, ...]:
    """Arrange the groups of a unit below each other, for so many columns."""
    groups = groups_in(plan, place)
    shown = {name: _layered(jacks(plan, name), layer) for name in groups}
    groups = [name for name in groups if shown[name] or name == place.group]
    label = max(_label_width(plan, place, name) for name in groups)
    sections: list[Section] = []
    top = 0
    for name in groups:
        rows = instances(plan, place, name)
        cell = _cell_width(plan, name, shown[name], room - label - 1)
        sections.append(Section(name, top, rows, shown[name], label, cell))
        top = sections[-1].bottom + 1
    return tuple(sections)


def _layered(found: tuple[Jack, ...], layer: str | None) -> tuple[Jack, ...]:
    """The ports of one layer: those of the slot group, and of links that lead towards it."""
    if layer is None:
        return found
    return tuple(jack for jack in found if not jack.ports or jack.ports == layer)


def _label_width(plan: Plan, place: DepthPlace, group: str) -> int:
    axes = free_axes(plan, place, group)
    return max(sum(len(str(plan.size(axis) - 1)) + 1 for axis in axes) - 1, 2)


def _cell_width(plan: Plan, group: str, columns: Iterable[Jack], room: int) -> int:
    """The sign, the peer's numbers and a gap, where all of that fits or columns are few."""
    digits = 1
    columns = list(columns)
    links = {jack.link.index: jack.link for jack in columns if jack.link is not None}
    for link in links.values():
        own = axes_of_peers(link, group)
        sizes = [plan.size(axis) for axis in own if plan.size(axis) > 1]
        digits = max(digits, sum(len(str(size - 1)) for size in sizes) + max(len(sizes) - 1, 0))
    whole = min(digits, _MOST_DIGITS) + 2
    return whole if whole * len(columns) <= max(room, 40) or len(columns) <= 8 else SIGN_ONLY


def sections_in_view(sections: Sequence[Section], view: Area, labels: int) -> str:
    """Which devices and ports are in view, in words, counted from 0; nothing where all are.

    Parameters
    ----------
    sections : sequence of Section
        All groups of the unit.
    view : Area
        The part of the matrix in view, with its labels that do not scroll.
    labels : int
        Columns of the row labels, which do not scroll.
    """
    words = []
    for section in sections:
        first = max(view.y + HEAD_ROWS, section.first) - section.first
        end = min(view.bottom, section.bottom) - section.first
        if end <= first:
            continue
        left = -(-view.x // section.cell)
        right = min((view.right - labels) // section.cell, len(section.jacks))
        parts = [
            _part("", first, end, section.rows),
            _part("ports ", left, right, len(section.jacks)),
        ]
        if any(parts):
            words.append(f"{clean(section.group)} {', '.join(part for part in parts if part)}")
    return "; ".join(words)


def _part(name: str, first: int, end: int, of: int) -> str:
    whole = first <= 0 and end >= of
    return "" if whole or not of else f"{name}{first}-{max(end - 1, first)} of {of:,}"
