"""Places that can be commented on, and where they are after groups got other names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from toposmith.design.document import Design, Group

DESIGN = "design"
"""The place of a comment on the whole design."""


def places_of(design: Design) -> tuple[str, ...]:
    """Everything that can be commented on: the design, its groups, its links."""
    links = (" - ".join(link.between) for link in design.links)
    return (DESIGN, *design.groups, *dict.fromkeys(links))


def group_shapes(design: Design) -> dict[str, str]:
    """For each group what it is, names aside: ``qm9700 per rail``."""
    return {name: _shape(group)[:200] for name, group in design.groups.items()}


def place_now(place: str, then: Mapping[str, str], design: Design) -> str | None:
    """A place of the design as it was, in the design as it is; None where it is gone.

    A group that went is the one that came where both are of one part over the same axes, or else
    of one part, and no second group could be meant.

    Parameters
    ----------
    place : str
        The place as it was called.
    then : mapping of str
        :func:`group_shapes` of the design as it was.
    design : Design
        As it is now.
    """
    places = places_of(design)
    if place in places:
        return place
    names = _renamed(then, group_shapes(design))
    if place in names:
        return names[place]
    ends = [_end(end, names) for end in place.split(" - ")]
    labels = (" - ".join(ends), " - ".join(reversed(ends)))
    return next((label for label in labels if label in places), None)


def _end(end: str, names: Mapping[str, str]) -> str:
    """The end of a link, such as ``node[su=0].compute``, with the new name of its group."""
    cut = min((at for at in (end.find("."), end.find("[")) if at >= 0), default=len(end))
    return names.get(end[:cut], end[:cut]) + end[cut:]


def _renamed(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """New names of groups by their old ones."""
    found: dict[str, str] = {}
    for alike in (str, lambda shape: shape.partition(" per ")[0]):
        gone = {name: alike(shape) for name, shape in then.items() if name not in {*now, *found}}
        come = {n: alike(s) for n, s in now.items() if n not in {*then, *found.values()}}
        before, after = Counter(gone.values()), Counter(come.values())
        for old, shape in gone.items():
            if before[shape] == after[shape] == 1:
                found[old] = next(name for name, each in come.items() if each == shape)
    return found


def _shape(group: Group) -> str:
    return f"{group.part} per {', '.join(group.per)}" if group.per else group.part
