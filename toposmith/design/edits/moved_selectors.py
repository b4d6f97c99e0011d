"""Rewriting selectors when their devices get other groups or axis values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from toposmith.design.document import Design
from toposmith.design.job_block import JobBlock
from toposmith.design.placement_block import PlacementBlock
from toposmith.design.selectors import Selection, Selector, axis_size, group_axes, readable_selector
from toposmith.intervals import runs_of

SelectedPlace = tuple[str, tuple[int, ...]]
Ranges = tuple[tuple[str, int, int], ...]
Rewritten = Callable[[tuple[str, ...]], tuple[str, ...]]

UNBOUNDED = -1
"""The size of an axis of which every range is said."""

MOST_NAMED = 3
"""The most faults that a label lists; of more it gives the number."""


@dataclass(frozen=True)
class Move:
    """A change of group or axis values of a group's devices.

    Parameters
    ----------
    group : str
        The name of the group before.
    axes : tuple of str
        Its axes whose values change, the outermost first.
    to : callable
        From values on these axes to the new group and its values.
    sizes : mapping
        For every new group the axes that take their place, the outermost first, with their sizes.
    """

    group: str
    axes: tuple[str, ...]
    to: Callable[[tuple[int, ...]], SelectedPlace]
    sizes: Mapping[str, tuple[tuple[str, int], ...]]


def follow(selectors: Iterable[str], before: Design, move: Move) -> tuple[str, ...]:
    """The selectors of the design before, written for the design after; wrong ones stay."""
    return tuple(text for selector in selectors for text in _followed(selector, before, move))


def carried(
    selectors: Iterable[str], before: Design, after: Design, *, devices: bool = False
) -> tuple[str, ...]:
    """The selectors written for a design in which groups have other counts or axes.

    Ranges are clipped to what there is still. Where a group repeats over other axes, its devices
    are counted through in the order of those that differ, and the one of each number is meant
    again; what is added is not. What named nothing before stays as it is.

    Parameters
    ----------
    selectors : iterable of str
        As the design before writes them.
    before, after : Design
        The designs.
    devices : bool
        Whether single devices are meant, as by faults: what named the only one of a unit does not
        name those that are added to it.
    """
    return tuple(
        new for text in selectors for new in _carried(text, before, after, devices=devices)[0]
    )


def lost(selectors: Iterable[str], before: Design, after: Design) -> tuple[str, ...]:
    """The parts of selectors without a counterpart in the design after, as written before."""
    return tuple(
        gone for text in selectors for gone in _carried(text, before, after, devices=True)[1]
    )


def lost_faults_words(before: Design, after: Design) -> str:
    """The end of a label: which faults are not there after an edit; empty where all are."""
    gone = lost((*before.down, *before.slow), before, after)
    if not gone:
        return ""
    return f"; faults dropped: {', '.join(gone) if len(gone) <= MOST_NAMED else len(gone)}"


def carried_marks(before: Design, after: Design) -> dict[str, Any]:
    """All blocks with selectors, except ``placement:``, rewritten for a design."""

    def devices(texts: tuple[str, ...]) -> tuple[str, ...]:
        return carried(texts, before, after, devices=True)

    return {
        "absent": carried(after.absent, before, after),
        "down": devices(after.down),
        **newer_marks(after, lambda texts: carried(texts, before, after), slow=devices),
    }


def newer_marks(
    design: Design, each: Rewritten, *, slow: Rewritten | None = None
) -> dict[str, Any]:
    """``slow:``, ``sets:``, ``cables:`` and ``jobs:`` with their selectors rewritten.

    A set or job that no longer matches anything is removed, and so is a cable that lost an end.
    Only keys that the design uses are returned. ``slow`` rewrites those of ``slow:`` if given.
    """
    changes: dict[str, Any] = {}
    if design.slow:
        changes["slow"] = {
            new: speed for text, speed in design.slow.items() for new in (slow or each)((text,))
        }
    if design.sets:
        kept = {name: each(texts) for name, texts in design.sets.items()}
        changes["sets"] = {name: kept[name] for name in kept if kept[name] or not design.sets[name]}
    if design.cables:
        moved = ((cable, each((cable.a,)), each((cable.z,))) for cable in design.cables)
        changes["cables"] = tuple(
            cable.model_copy(update={"a": a[0], "z": z[0]})
            for cable, a, z in moved
            if len(a) == len(z) == 1
        )
    if design.jobs:
        changes["jobs"] = tuple(_moved_jobs(design.jobs, each))
    return changes


def _moved_jobs(jobs: Iterable[JobBlock], each: Rewritten) -> Iterator[JobBlock]:
    for job in jobs:
        moved = each(job.selectors)
        if moved == job.selectors:
            yield job
        elif moved:
            yield job.model_copy(update={"nodes": moved if len(moved) > 1 else moved[0]})


def _followed(text: str, before: Design, move: Move) -> list[str]:
    selector = readable_selector(text, before)
    if selector is None:
        return [text]
    ends = [end for end in (selector.first, selector.second) if end is not None]
    if all(end.group != move.group for end in ends):
        return [text]
    sides = [_moved(end, before, move) if end.group == move.group else [_text(end)] for end in ends]
    return [_some_of(selector) + " - ".join(pair) for pair in product(*sides)]


def _some_of(selector: Selector) -> str:
    return f"{selector.cables} of " if selector.cables is not None else ""


def _moved(selection: Selection, before: Design, move: Move) -> list[str]:
    said = {axis: range(low, high + 1) for axis, low, high in selection.ranges}
    rest = tuple(one for one in selection.ranges if one[0] not in move.axes)
    spans = [said.get(axis, range(axis_size(before, axis))) for axis in move.axes]
    places: dict[str, list[tuple[int, ...]]] = {}
    for values in product(*spans):
        group, place = move.to(values)
        places.setdefault(group, []).append(place)
    return [
        _written(selection, group, (*rest, *ranges))
        for group, found in places.items()
        for ranges in _ranges(found, move.sizes[group])
    ]


def _carried(
    text: str, before: Design, after: Design, *, devices: bool
) -> tuple[list[str], list[str]]:
    """What a selector is after an edit, and what of it is lost, as the design before writes it."""
    selector = readable_selector(text, before)
    if selector is None:
        return [text], []
    ends = [end for end in (selector.first, selector.second) if end is not None]
    others = [
        frozenset(group_axes(after, other.group) if other.group in after.groups else ())
        for other in reversed(ends)
    ]
    sides = [
        _side(end, before, after, others[at] if len(ends) > 1 else frozenset(), devices=devices)
        for at, end in enumerate(ends)
    ]
    if all(kept == [end] and not gone for end, (kept, gone) in zip(ends, sides, strict=True)):
        return [text], []
    some = _some_of(selector)
    pairs = list(product(*(kept for kept, _ in sides)))
    joined = [pair for pair in pairs if _meet(pair)]
    if len(joined) < len(pairs) or not pairs:
        gone = [text]  # cables between devices that are no longer joined are lost as they stand
    else:
        gone = [
            some + " - ".join(_text(one) for one in (*ends[:at], piece, *ends[at + 1 :]))
            for at, (_, pieces) in enumerate(sides)
            for piece in pieces
        ]
    return [some + " - ".join(map(_text, pair)) for pair in joined], gone


def _side(
    selection: Selection, before: Design, after: Design, other: Set[str], *, devices: bool
) -> tuple[list[Selection], list[Selection]]:
    """What a selection is after an edit, and what of it is lost.

    ``other`` has the axes of the other end of a cable: of those that are new, its value counts.
    """
    group = selection.group
    if group not in after.groups:
        return [], [selection]
    if not selection.ranges:
        return [selection], []
    was = {axis: axis_size(before, axis) for axis in group_axes(before, group)}
    now = {axis: axis_size(after, axis) for axis in group_axes(after, group)}
    said = {axis: range(low, high + 1) for axis, low, high in selection.ranges}
    if devices:
        said = {**{axis: range(1) for axis in was if was[axis] == 1 < now.get(axis, 1)}, **said}
    place: dict[tuple[str, ...], tuple[str, ...]]
    if was.keys() == now.keys():
        place = {(axis,): (axis,) for axis in said if was[axis] != now[axis]}
    else:
        fixed = {axis for axis in was if was[axis] == now.get(axis)}
        old, new = (tuple(axis for axis in axes if axis not in fixed) for axes in (was, now))
        new = new if old else tuple(axis for axis in new if axis not in other)
        place = {} if old and not said.keys() & set(old) else {old: new}
    kept, gone = [said], []
    for old, new in place.items():
        spans = [said.get(axis, range(was[axis])) for axis in old]
        flat = {values: _flat(values, [was[axis] for axis in old]) for values in product(*spans)}
        room = prod(now[axis] for axis in new)
        sizes = [now[axis] for axis in new]
        there = [_unflat(at, sizes) for at in flat.values() if at < room]
        out = [values for values, at in flat.items() if at >= room]
        kept = [
            {**{axis: span for axis, span in one.items() if axis not in old}, **ranges}
            for one in kept
            for ranges in _spans(there, new)
        ]
        gone += [{**said, **ranges} for ranges in _spans(out, old)]
    return (
        [_selection(selection, one, now) for one in kept],
        [_selection(selection, one, was) for one in gone],
    )


def _meet(pair: tuple[Selection, ...]) -> bool:
    """Whether two ends have the same value of the axes that they share, or there is one only."""
    if len(pair) < 2:
        return True
    first = {axis: (low, high) for axis, low, high in pair[0].ranges}
    return all(
        axis not in first or (first[axis][0] <= high and low <= first[axis][1])
        for axis, low, high in pair[1].ranges
    )


def _selection(like: Selection, said: Mapping[str, range], order: Iterable[str]) -> Selection:
    ranges = tuple((axis, said[axis][0], said[axis][-1]) for axis in order if axis in said)
    return replace(like, ranges=ranges)


def _spans(found: list[tuple[int, ...]], axes: tuple[str, ...]) -> list[dict[str, range]]:
    """Values on some axes as ranges, every axis said."""
    if not found:
        return []
    sizes = tuple((axis, UNBOUNDED) for axis in axes)
    return [
        {axis: range(low, high + 1) for axis, low, high in ranges}
        for ranges in _ranges(found, sizes)
    ]


def _flat(values: Iterable[int], sizes: Iterable[int]) -> int:
    at = 0
    for value, size in zip(values, sizes, strict=True):
        at = at * size + value
    return at


def _unflat(at: int, sizes: Sequence[int]) -> tuple[int, ...]:
    values = []
    for size in reversed(sizes):
        at, value = divmod(at, size)
        values.append(value)
    return tuple(reversed(values))


def _ranges(found: Iterable[tuple[int, ...]], sizes: tuple[tuple[str, int], ...]) -> list[Ranges]:
    """As few ranges as say the same; a whole axis needs none."""
    if not sizes:
        return [()]
    (axis, size), rest = sizes[0], sizes[1:]
    inner: dict[int, list[tuple[int, ...]]] = {}
    for first, *others in found:
        inner.setdefault(first, []).append(tuple(others))
    alike: dict[tuple[Ranges, ...], list[int]] = {}
    for first, places in inner.items():
        alike.setdefault(tuple(_ranges(places, rest)), []).append(first)
    return [
        (*(() if run == (0, size - 1) else ((axis, *run),)), *ranges)
        for ranges_alike, firsts in alike.items()
        for run in runs_of(sorted(firsts))
        for ranges in ranges_alike
    ]


def _text(selection: Selection) -> str:
    return _written(selection, selection.group, selection.ranges)


def _written(selection: Selection, group: str, ranges: Ranges) -> str:
    inside = ",".join(f"{axis}={low}" + f"..{high}" * (high > low) for axis, low, high in ranges)
    ports = f".{selection.ports}" if selection.ports else ""
    port = f"[{selection.port}]" if selection.port is not None else ""
    return f"{group}{f'[{inside}]' if inside else ''}{ports}{port}"


def renamed_placement(design: Design, name: str, new: str | None) -> PlacementBlock | None:
    """The block after a group was renamed, or (None) removed."""
    block = design.placement
    if block is None:
        return None
    pattern = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
    heights = {(new if key == name else key): units for key, units in block.heights.items()}
    devices = {
        (pattern.sub(new, text) if new else text): position
        for text, position in block.devices.items()
        if new or not pattern.search(text)
    }
    kept = {key: units for key, units in heights.items() if key is not None}
    return _with(block, heights=kept, devices=devices)


def copied_placement(design: Design, copies: Mapping[str, str]) -> PlacementBlock | None:
    """The block with the heights of groups for their copies too; None without a block.

    Copies do not get the rack and U of their originals: two devices cannot share a place.
    """
    block = design.placement
    if block is None:
        return None
    own = {copies[name]: units for name, units in block.heights.items() if name in copies}
    return _with(block, heights={**block.heights, **own}, devices=block.devices)


def followed_placement(design: Design, move: Move) -> PlacementBlock | None:
    """The block after devices got other groups or axis values; None without a block.

    Where the devices of one selector are no longer one selector, the first keeps the place and
    the others are left to the default filling: the block cannot say how high they stand above it.
    """
    block = design.placement
    if block is None:
        return None
    heights = dict(block.heights)
    for name in move.sizes:
        if move.group in heights:
            heights.setdefault(name, heights[move.group])
    if move.group not in move.sizes:
        heights.pop(move.group, None)
    return _with(block, heights, _each(block, lambda text: follow([text], design, move)))


def kept_placement(before: Design, after: Design) -> PlacementBlock | None:
    """The block without selectors that matched devices before and match none after."""
    block = after.placement
    if block is None:
        return None
    return _with(block, block.heights, _each(block, lambda one: carried([one], before, after)))


def _each(block: PlacementBlock, written: Callable[[str], Iterable[str]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text, position in block.devices.items():
        first = next(iter(written(text)), None)
        if first is not None:
            found.setdefault(first, position)
    return found


def _with(
    block: PlacementBlock, heights: Mapping[str, int], devices: Mapping[str, object]
) -> PlacementBlock:
    return block.model_copy(update={"heights": dict(heights), "devices": dict(devices)})
