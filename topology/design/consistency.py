"""Whether a design agrees with itself: names that are used must exist, and exist once.

What the catalog knows (parts, ports, speeds) is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from topology.design.document import Design
from topology.design.wording import Location, shown, suggestion

KEY = "[key]"
"""Last step of a location that means the key itself and not its value."""


def consistency_problems(design: Design, limit: int = 1000) -> list[tuple[Location, str]]:
    """Every place where the design names what it does not have, or has twice.

    Parameters
    ----------
    design : Design
        The design as it was read or built.
    limit : int, optional
        Stop after so many problems.

    Returns
    -------
    list of (location, text)
        In file order; a location that ends in ``KEY`` means the key itself.
    """
    return list(islice(_problems(design), limit))


def _problems(design: Design) -> Iterator[tuple[Location, str]]:
    for name, group in design.groups.items():
        if name in design.axes:
            text = f"{shown(name)} is an axis too; a group needs a name of its own"
            yield ("groups", name, KEY), text
        for position, axis in enumerate(group.per):
            if axis not in design.axes:
                text = f"no axis {shown(axis)}; {suggestion(axis, design.axes)}"
                yield ("groups", name, "per", position), text
            elif axis in group.per[:position]:
                yield ("groups", name, "per", position), f"the axis {shown(axis)} stands twice"
    for number, link in enumerate(design.links):
        ends = [end.partition(".")[0] for end in link.between]
        for position, end in enumerate(ends):
            if end not in design.groups:
                text = f"no group {shown(end)}; {suggestion(end, design.groups)}"
                yield ("links", number, "between", position), text
        if ends[0] == ends[1] and ends[0] in design.groups:
            text = f"joins the group {shown(ends[0])} to itself, expected two different groups"
            yield ("links", number, "between"), text
