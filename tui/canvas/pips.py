"""A group's devices as rows of small marks, one each, in blocks as the group repeats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import ceil, prod

from toposmith.topology.design.selectors import Selector
from toposmith.topology.fabric.plan import GroupPlan, Plan
from toposmith.tui.canvas.glyphs import UNICODE, Ink

_MOST = 512
_WIDTH = 72
_ROWS = (1, 2, 4)
_GAP = 2

Line = tuple[tuple[str, Ink], ...]


def pips(plan: Plan, group: GroupPlan) -> tuple[Line, ...]:
    """Lines with a mark for every device; none where there are too many to distinguish.

    Absent and failed devices have another mark. Devices along the innermost axis stand in one
    block, and the blocks side by side.
    """
    if group.instances > _MOST:
        return ()
    sizes = [size for size in group.sizes if size > 1] or [1]
    inner, blocks = sizes[-1], prod(sizes[:-1])
    for rows in _ROWS:
        across = ceil(inner / rows)
        if blocks * across + (blocks - 1) * _GAP <= _WIDTH and rows <= inner:
            break
    else:
        return ()
    inks = list(_inks(plan, group))
    lines = []
    for row in range(rows):
        pieces: list[tuple[str, Ink]] = []
        for block in range(blocks):
            first = block * inner + row * across
            mine = inks[first : min(first + across, (block + 1) * inner)]
            pieces += [(UNICODE.gone if ink is not Ink.PIP else UNICODE.pip, ink) for ink in mine]
            if block + 1 < blocks:
                pieces.append((" " * (_GAP + across - len(mine)), Ink.PIP))
            elif row and len(mine) < across:
                pieces.append((" " * (across - len(mine)), Ink.PIP))
        lines.append(tuple(pieces))
    return tuple(lines)


def _inks(plan: Plan, group: GroupPlan) -> Iterator[Ink]:
    """The ink of every device, in the order of the axes."""
    for at in product(*map(range, group.sizes)):
        coordinates = dict(zip(group.axes, at, strict=True))
        if any(_takes(selector, group, coordinates) for selector in plan.absent):
            yield Ink.DETAIL
        elif any(_takes(selector, group, coordinates) for selector in plan.down):
            yield Ink.ERROR
        else:
            yield Ink.PIP


def _takes(selector: Selector, group: GroupPlan, coordinates: dict[str, int]) -> bool:
    first = selector.first
    whole = first.group == group.name and first.ports is None and not selector.is_cable
    return whole and first.matches(coordinates)
