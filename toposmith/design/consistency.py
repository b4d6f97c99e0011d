"""Consistency of a design: names that are used must exist, and exist once.

Checks against the catalog (parts, ports, speeds) are elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice

from toposmith.catalog.currencies import CURRENCIES
from toposmith.design.document import Design, Link
from toposmith.design.loader import KEY, Location, shown, suggestion
from toposmith.design.routing_rules import routing_problems
from toposmith.design.selectors import axis_size, group_axes


def consistency_problems(design: Design, limit: int = 1000) -> list[tuple[Location, str]]:
    """Find every name that the design lacks or defines twice.

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
            text = f"{shown(name)} is an axis too; a group needs a different name"
            yield ("groups", name, KEY), text
        for position, axis in enumerate(group.per):
            if axis not in design.axes:
                text = f"no axis {shown(axis)}; {suggestion(axis, design.axes)}"
                yield ("groups", name, "per", position), text
            elif axis in group.per[:position]:
                yield ("groups", name, "per", position), f"the axis {shown(axis)} is listed twice"
    for number, link in enumerate(design.links):
        ends = [end.partition(".")[0] for end in link.between]
        for position, end in enumerate(ends):
            if end not in design.groups:
                text = f"no group {shown(end)}; {suggestion(end, design.groups)}"
                yield ("links", number, "between", position), text
        if all(end in design.groups for end in ends):
            for steps, text in relation_problems(design, link):
                yield ("links", number, *steps), text
    if design.routing is not None:
        yield from routing_problems(design, design.routing)
    yield from _waiver_problems(design)
    yield from _pin_problems(design)
    currency = design.bill.currency if design.bill else None
    if currency is not None and currency not in CURRENCIES:
        text = f"found {shown(currency)}, expected three capitals of ISO 4217, as in USD"
        yield ("bill", "currency"), text


def relation_problems(design: Design, link: Link) -> Iterator[tuple[Location, str]]:
    """Find invalid relations of a link: the key in the link, and why.

    Parameters
    ----------
    design : Design
        Its groups and axes.
    link : Link
        A link whose two groups exist.
    """
    one, other = (end.partition(".")[0] for end in link.between)
    words = set(link.along.values())
    shared = [axis for axis in group_axes(design, one) if axis in group_axes(design, other)]
    for axis in link.along:
        if axis not in shared:
            lacking = [end for end in (one, other) if axis not in group_axes(design, end)]
            have = f"; both have {', '.join(shared)}" if shared else "; they share no axis"
            text = f"{' and '.join(dict.fromkeys(lacking))} has no axis {shown(axis)}{have}"
            yield ("along", axis, KEY), text
    if one == other and not words - {"same"}:
        wide = [axis for axis in shared if axis_size(design, axis) > 1] or shared
        text = (
            f"joins the group {shown(one)} to itself, expected two different groups, or along: "
            f"an axis of it and how, as in along: {{{wide[-1]}: next}}"
        )
        yield ("between",), text
    if "dealt" not in words:
        return
    others = [axis for axis, word in link.along.items() if word == "other"]
    if one != other:
        yield ("along",), "cables are dealt inside one group only, expected it at both ends"
    elif len(others) != 1 or words - {"dealt", "other", "same"}:
        text = (
            "dealt goes with other on one axis, the sets that cables join, and same on the rest: "
            "along: {group: other, router: dealt}"
        )
        yield ("along",), text


def _waiver_problems(design: Design) -> Iterator[tuple[Location, str]]:
    for number, waiver in enumerate(design.waivers):
        if not waiver.reason.strip():
            text = f"found {shown(waiver.reason)}, expected why the finding is accepted"
            yield ("waivers", number, "reason"), text
        for key, written in (("date", waiver.date), ("until", waiver.until)):
            if written is not None and not is_date(written):
                text = f"found {shown(written)}, expected a date like 2026-01-31"
                yield ("waivers", number, key), text
        both = waiver.until is not None and is_date(waiver.date) and is_date(waiver.until)
        if both and waiver.until is not None and waiver.until < waiver.date:
            text = f"found {shown(waiver.until)}, expected a day from date: ({waiver.date}) on"
            yield ("waivers", number, "until"), text


def _pin_problems(design: Design) -> Iterator[tuple[Location, str]]:
    if design.pins is not None and not is_date(design.pins.date):
        text = f"found {shown(design.pins.date)}, expected a date like 2026-01-31"
        yield ("pins", "date"), text


def is_date(text: str) -> bool:
    """Whether a text is a day as in 2026-01-31."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
