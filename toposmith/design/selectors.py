"""Selectors, by which ``absent:`` and ``down:`` name instances, ports and cables.

node[su=3,node=31]                          one instance
node[su=0..1]                               every instance with su 0 or 1
node[su=0,node=2].compute[1]                the second port of its compute slots
leaf[su=0,rail=1] - spine[spine=3]          the cables between the two
1 of leaf[su=0,rail=1] - spine[spine=3]     one of them
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from toposmith.design.document import Design
from toposmith.design.loader import listed, shown

_NAME = r"[A-Za-z][A-Za-z0-9_-]*"
_INSTANCE = re.compile(
    rf"\s*(?P<group>{_NAME})\s*(?:\[(?P<axes>[^\]]*)\])?"
    rf"(?:\s*\.\s*(?P<ports>{_NAME})\s*(?:\[\s*(?P<port>\d{{1,4}})\s*\])?)?\s*"
)
_AXIS = re.compile(
    rf"\s*(?P<axis>{_NAME})\s*=\s*(?P<low>\d{{1,7}})(?:\s*\.\.\s*(?P<high>\d{{1,7}}))?\s*"
)
MOST_REMEMBERED = 65_536
"""Of the selectors read last: those of three designs with as many as a file may have."""

_SOME_OF = re.compile(r"\s*(?P<cables>\d{1,4})\s+of\s+(?P<ends>.*)", re.DOTALL)


@dataclass(frozen=True)
class Selection:
    """The instances of one group whose axis values lie in the given ranges (ends included)."""

    group: str
    ranges: tuple[tuple[str, int, int], ...] = ()
    ports: str | None = None
    port: int | None = None

    def matches(self, coordinates: Mapping[str, int]) -> bool:
        """Whether the instance at these coordinates is one of the selected."""
        return all(low <= coordinates[axis] <= high for axis, low, high in self.ranges)


@dataclass(frozen=True)
class Selector:
    """One line of ``absent:`` or ``down:``: instances, a port, or cables.

    ``cables`` is how many of those between each two devices; None for all of them.
    """

    text: str
    first: Selection
    second: Selection | None = None
    cables: int | None = None

    @property
    def is_cable(self) -> bool:
        """Whether cables between two instances are meant, not the instances themselves."""
        return self.second is not None


def parse_selector(text: str, design: Design) -> Selector:
    """Read one selector and check it against the groups and axes of the design.

    Each is read once for a design and those that an edit makes of it with the same groups and axes.

    Raises
    ------
    ValueError
        With a sentence that says what was found and what is accepted.
    """
    selector = _read(text, _Named(design))
    if isinstance(selector, str):
        raise ValueError(selector)
    return selector


def readable_selector(text: str, design: Design) -> Selector | None:
    """The selector, or None where it names nothing of the design: a finding says so."""
    selector = _read(text, _Named(design))
    return selector if isinstance(selector, Selector) else None


class _Named:
    """What the selectors of a design can name: equal where groups and axes are the same objects."""

    def __init__(self, design: Design) -> None:
        self.design = design

    def __hash__(self) -> int:
        return id(self.design.groups)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and (
            self.design.groups is other.design.groups and self.design.axes is other.design.axes
        )


@lru_cache(MOST_REMEMBERED)
def _read(text: str, named: _Named) -> Selector | str:
    """A selector, or the sentence that refuses it: what is raised is not remembered."""
    try:
        return _selector(text, named.design)
    except ValueError as error:
        return str(error)


def _selector(text: str, design: Design) -> Selector:
    some = _SOME_OF.fullmatch(text)
    sides = re.split(r"\s-\s", some["ends"] if some else text)
    if len(sides) > 2:
        raise ValueError(f"{shown(text)} names more than two ends; a cable has two")
    ends = [_parse_selection(side, text, design) for side in sides]
    if len(ends) == 2 and any(end.ports is not None for end in ends):
        raise ValueError(f"{shown(text)}: name the two devices of a cable, without their ports")
    if some and (len(ends) != 2 or not int(some["cables"])):
        raise ValueError(
            f"{shown(text)}: write how many of the cables between two, 1 of leaf - spine"
        )
    cables = int(some["cables"]) if some else None
    return Selector(text, ends[0], ends[1] if len(ends) == 2 else None, cables)


def group_axes(design: Design, name: str) -> tuple[str, ...]:
    """The axes of a group's instances, outermost first: those in ``per``, then its own."""
    return (*design.groups[name].per, name)


def axis_size(design: Design, axis: str) -> int:
    """The size of an axis: from ``axes:``, or the count of its group."""
    return design.axes[axis] if axis in design.axes else design.groups[axis].count


def _parse_selection(text: str, whole: str, design: Design) -> Selection:
    match = _INSTANCE.fullmatch(text)
    if match is None:
        raise ValueError(f"{shown(whole)} is not a selector; write it like node[su=3,node=31]")
    group = match["group"]
    if group not in design.groups:
        known = listed(design.groups) or "none"
        raise ValueError(f"{shown(whole)}: there is no group {group!r} (groups: {known})")
    ranges = tuple(
        _parse_range(item, group, whole, design)
        for item in (match["axes"] or "").split(",")
        if item.strip()
    )
    axes = Counter(axis for axis, _, _ in ranges)
    if len(axes) < len(ranges):
        twice = axes.most_common(1)[0][0]
        raise ValueError(f"{shown(whole)}: {twice} is named twice; write a range, 0..3")
    port = int(match["port"]) if match["port"] is not None else None
    return Selection(group, ranges, match["ports"], port)


def _parse_range(item: str, group: str, whole: str, design: Design) -> tuple[str, int, int]:
    match = _AXIS.fullmatch(item)
    if match is None:
        raise ValueError(f"{shown(whole)}: {item.strip()!r} is not axis=number or axis=first..last")
    axis = match["axis"]
    axes = group_axes(design, group)
    if axis not in axes:
        raise ValueError(
            f"{shown(whole)}: {group} has no axis {axis!r} (its axes: {', '.join(axes)})"
        )
    low = int(match["low"])
    high = int(match["high"]) if match["high"] is not None else low
    size = axis_size(design, axis)
    if not low <= high < size:
        raise ValueError(
            f"{shown(whole)}: {axis} runs from 0 to {size - 1}, found {item.strip()!r}"
        )
    return axis, low, high
