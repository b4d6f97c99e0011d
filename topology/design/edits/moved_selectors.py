"""Selectors that follow the devices they name when these get other groups or axis values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from toposmith.topology.design.document import Design
from toposmith.topology.design.job_block import JobBlock
from toposmith.topology.design.selectors import Selection, axis_size, parse_selector

SelectedPlace = tuple[str, tuple[int, ...]]
Ranges = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Move:
    """Where the devices of a group go.

    Parameters
    ----------
    group : str
        The group as it is called before.
    axes : tuple of str
        Its axes whose values change, the outermost first.
    to : callable
        From values on these axes to the new group and its values.
    sizes : mapping
        For every new group the axes that take their place, at most two, with their sizes.
    """

    group: str
    axes: tuple[str, ...]
    to: Callable[[tuple[int, ...]], SelectedPlace]
    sizes: Mapping[str, tuple[tuple[str, int], ...]]


def follow(selectors: Iterable[str], before: Design, move: Move) -> tuple[str, ...]:
    """The selectors of the design before, written for the design after; wrong ones stay."""
    return tuple(text for selector in selectors for text in _followed(selector, before, move))


def dropped(selectors: Iterable[str], before: Design, after: Design) -> tuple[str, ...]:
    """The selectors without those that named something before and name nothing after."""
    return tuple(
        text
        for text in selectors
        if names_something(text, after) or not names_something(text, before)
    )


def newer_marks(
    design: Design, each: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> dict[str, Any]:
    """What ``slow:``, ``sets:``, ``cables:`` and ``jobs:`` become with their selectors rewritten.

    A set or job that names nothing any more goes, and so does a cable that lost an end. Only keys
    that the design uses are there.
    """
    changes: dict[str, Any] = {}
    if design.slow:
        changes["slow"] = {
            new: speed for text, speed in design.slow.items() for new in each((text,))
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


def _moved_jobs(
    jobs: Iterable[JobBlock], each: Callable[[tuple[str, ...]], tuple[str, ...]]
) -> Iterator[JobBlock]:
    for job in jobs:
        moved = each(job.selectors)
        if moved == job.selectors:
            yield job
        elif moved:
            yield job.model_copy(update={"nodes": moved if len(moved) > 1 else moved[0]})


def names_something(text: str, design: Design) -> bool:
    """Whether a selector names devices, ports or cables of a design."""
    try:
        parse_selector(text, design)
    except ValueError:
        return False
    return True


def _followed(text: str, before: Design, move: Move) -> list[str]:
    try:
        selector = parse_selector(text, before)
    except ValueError:
        return [text]
    ends = [end for end in (selector.first, selector.second) if end is not None]
    if all(end.group != move.group for end in ends):
        return [text]
    as_written = re.split(r"\s-\s", text)
    sides = [
        _moved(end, before, move) if end.group == move.group else [written.strip()]
        for end, written in zip(ends, as_written, strict=True)
    ]
    return [" - ".join(pair) for pair in product(*sides)]


def _moved(selection: Selection, before: Design, move: Move) -> list[str]:
    said = {axis: range(low, high + 1) for axis, low, high in selection.ranges}
    rest = tuple(one for one in selection.ranges if one[0] not in move.axes)
    spans = [said.get(axis, range(axis_size(before, axis))) for axis in move.axes]
    places: dict[str, dict[tuple[int, ...], list[int]]] = {}
    for values in product(*spans):
        group, (*outer, inner) = move.to(values)
        places.setdefault(group, {}).setdefault(tuple(outer), []).append(inner)
    return [
        _written(selection, group, (*rest, *ranges))
        for group, found in places.items()
        for ranges in _ranges(found, move.sizes[group])
    ]


def _ranges(
    found: Mapping[tuple[int, ...], list[int]], sizes: tuple[tuple[str, int], ...]
) -> list[Ranges]:
    """As few ranges as say the same; a whole axis needs none."""
    *outer_axes, (inner_axis, inner_size) = sizes
    ranges: list[Ranges] = []
    alike: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for outer, inner in found.items():
        alike.setdefault(tuple(_runs(inner)), []).extend(outer)
    for runs, outer_values in alike.items():
        outers: list[Ranges] = [()]
        if outer_axes:
            axis, size = outer_axes[0]
            outers = [_range(axis, run, size) for run in _runs(outer_values)]
        ranges += [
            (*outer, *_range(inner_axis, run, inner_size)) for outer in outers for run in runs
        ]
    return ranges


def _range(axis: str, run: tuple[int, int], size: int) -> Ranges:
    return () if run == (0, size - 1) else ((axis, *run),)


def _runs(values: Iterable[int]) -> list[tuple[int, int]]:
    """Neighbouring values as first and last."""
    runs: list[tuple[int, int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], value)
        else:
            runs.append((value, value))
    return runs


def _written(selection: Selection, group: str, ranges: Ranges) -> str:
    inside = ",".join(f"{axis}={low}" + f"..{high}" * (high > low) for axis, low, high in ranges)
    ports = f".{selection.ports}" if selection.ports else ""
    port = f"[{selection.port}]" if selection.port is not None else ""
    return f"{group}{f'[{inside}]' if inside else ''}{ports}{port}"
