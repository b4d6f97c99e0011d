"""Changes that would gain by losing sight of what is broken: they are left out of proposals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import prod

from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.edits.edit import ends_of
from toposmith.design.selectors import Selector, axis_size, group_axes, parse_selector
from toposmith.synthesis.repairs import Repair
from toposmith.text import joined


def keeping_faults(design: Design, edits: Iterable[Edit], lost: set[str]) -> Iterator[Edit]:
    """The edits of a design after which as much is down and slow as before, and repairs.

    Left out are those that take away what is broken, and those that give groups with something
    broken other axes: which device is which afterwards is arbitrary, and so would be the gain.

    Parameters
    ----------
    design : Design
        The design before.
    edits : iterable of Edit
        What is to be proposed.
    lost : set of str
        Gets the groups for which edits were left out.
    """
    for edit in edits:
        groups = frozenset() if isinstance(edit, Repair) else mend_first(design, edit.design)
        lost |= groups
        if not groups:
            yield edit


def mend_first(before: Design, after: Design) -> frozenset[str]:
    """The groups of which something is broken that a change loses, or puts in another place."""
    if not (before.down or before.slow):
        return frozenset()
    had, has = _broken(before), _broken(after)
    return frozenset(
        name
        for ends, many in had.items()
        for name in ends[0]
        if name not in after.groups
        or group_axes(before, name) != group_axes(after, name)
        or has[ends] < many
    )


def mend_first_words(groups: Iterable[str]) -> str:
    """Why changes are not among the proposals; empty where there are no such groups."""
    names = sorted(groups)
    if not names:
        return ""
    return (
        f"something of {joined(names)} is down or slow: mend it first; "
        "changes that leave out or regroup what is broken are not among these"
    )


Ends = tuple[tuple[str, ...], str]
"""The groups that a selector names, and the slots of its ports."""


def _broken(design: Design) -> Counter[Ends]:
    """How many devices, ports and cables are down or slow, by what names them."""
    found = Counter[Ends]()
    for text in (*design.down, *design.slow):
        try:
            selector = parse_selector(text, design)
        except ValueError:
            continue  # a finding says so
        ends, many = _counted(selector, design)
        found[ends] += many
    return found


def _counted(selector: Selector, design: Design) -> tuple[Ends, int]:
    ends = [end for end in (selector.first, selector.second) if end is not None]
    sizes: dict[str, int] = {}
    for end in ends:
        for axis in group_axes(design, end.group):
            sizes.setdefault(axis, axis_size(design, axis))
        for axis, low, high in end.ranges:
            sizes[axis] = min(sizes[axis], high - low + 1)
    groups = tuple(sorted({end.group for end in ends}))
    each = 1  # all cables between two count as one: more of them may be added
    if selector.cables is not None:
        links = (link for link in design.links if tuple(sorted(set(ends_of(link)))) == groups)
        each = sum(min(selector.cables, link.cables or selector.cables) for link in links)
    return (groups, selector.first.ports or ""), prod(sizes.values()) * each
