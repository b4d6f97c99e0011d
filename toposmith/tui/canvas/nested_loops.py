"""Links of a group to itself, one loop inside the other: the rings of a torus, axis by axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.tui.canvas.box_positions import Span
from toposmith.tui.canvas.trunk_paths import ChannelWire

FIGURE_WIDTH = 9
"""Columns behind the words of a link: how full it is, and a sign where it limits."""

LOAD_WIDTH = 19
"""Columns behind these: the load of one cable, and what it can carry."""

_LEGS = 7
"""Columns of a box beside the words inside its outermost loop."""

_STEP = 2  # columns from the leg of a loop to that of the next one inside


def are_loops(wires: Sequence[ChannelWire]) -> bool:
    """Whether a channel has nothing but two or more links of one group to itself."""
    return len(wires) > 1 and len({end for wire in wires for end in (wire.lower, wire.upper)}) == 1


def rows_of(wires: Sequence[ChannelWire], lines: int) -> int:
    """The rows that loops take above their box, with so many lines of words in each."""
    return (1 + lines) * len(wires)


def width_of(words: Sequence[int], figures: int) -> int:
    """The least width of a box below loops whose words and figures take so many columns."""
    return max(max(wide, figures) + _LEGS + 2 * _STEP * place for place, wide in enumerate(words))


@dataclass(frozen=True)
class Loop:
    """Where a loop lies: the columns of its legs, and the row of its upper side from the top."""

    left: int
    right: int
    row: int


def loops(wires: Sequence[ChannelWire], span: Span, lines: int) -> dict[int, Loop]:
    """The loops above a box, the first link outermost."""
    return {
        wire.index: Loop(
            span.left + _STEP * (place + 1),
            span.right - 1 - _STEP * (place + 1),
            (1 + lines) * place,
        )
        for place, wire in enumerate(wires)
    }
