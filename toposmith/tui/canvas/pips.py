"""A group's devices as rows of small marks, one each, in blocks as the group repeats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import ceil, prod

from rich.cells import cell_len

from toposmith.design.selectors import Selector
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.tui.canvas.canvas_glyphs import UNICODE, Ink, clean

_MOST = 512
_WIDTH = 72
_ROWS = (1, 2, 4)
_GAP = 2
_LISTED_ROWS = 16
_LISTED_WIDTH = 140

PipLine = tuple[tuple[str, Ink], ...]


def pips(plan: Plan, group: GroupPlan) -> tuple[PipLine, ...]:
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


def listed(plan: Plan, group: GroupPlan) -> tuple[PipLine, ...]:
    """The marks under the numbers of their devices; none where that takes too much room.

    The innermost axis runs along the line, with its name and numbers above; the others make the
    lines, each with its place.
    """
    places = [(axis, size) for axis, size in zip(group.axes, group.sizes, strict=True) if size > 1]
    if not places:
        return ()
    *outer, (axis, across) = places
    lines = [
        " ".join(f"{clean(name)} {at}" for (name, _), at in zip(outer, place, strict=True))
        for place in product(*(range(size) for _, size in outer))
    ]
    step = len(str(across - 1)) + 1
    margin = max(map(cell_len, [clean(axis), *lines]))
    if len(lines) > _LISTED_ROWS or margin + across * step > _LISTED_WIDTH:
        return ()
    numbers = "".join(f"{number:>{step}}" for number in range(across))
    head: PipLine = ((clean(axis).rjust(margin), Ink.DETAIL), (numbers, Ink.DETAIL))
    inks = list(_inks(plan, group))
    found = [head]
    for row, line in enumerate(lines):
        mine = inks[row * across : (row + 1) * across]
        signs = (UNICODE.pip if ink is Ink.PIP else UNICODE.gone for ink in mine)
        cells = [(sign.rjust(step), ink) for sign, ink in zip(signs, mine, strict=True)]
        found.append(((line.rjust(margin), Ink.DETAIL), *cells))
    return tuple(found)


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
