"""Whether a design agrees with itself: names that are used must exist, and exist once.

What the catalog knows (parts, ports, speeds) is judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import islice

from toposmith.catalog.currencies import CURRENCIES
from toposmith.topology.design.document import Design
from toposmith.topology.design.safe_text import Location, shown, suggestion

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
    yield from _waiver_problems(design)
    currency = design.bill.currency if design.bill else None
    if currency is not None and currency not in CURRENCIES:
        text = f"found {shown(currency)}, expected three capitals of ISO 4217, as in USD"
        yield ("bill", "currency"), text


def _waiver_problems(design: Design) -> Iterator[tuple[Location, str]]:
    for number, waiver in enumerate(design.waivers):
        if not waiver.reason.strip():
            text = f"found {shown(waiver.reason)}, expected why the finding is accepted"
            yield ("waivers", number, "reason"), text
        for key, written in (("date", waiver.date), ("until", waiver.until)):
            if written is not None and not _is_date(written):
                text = f"found {shown(written)}, expected a date like 2026-01-31"
                yield ("waivers", number, key), text
        both = waiver.until is not None and _is_date(waiver.date) and _is_date(waiver.until)
        if both and waiver.until is not None and waiver.until < waiver.date:
            text = f"found {shown(waiver.until)}, expected a day from date: ({waiver.date}) on"
            yield ("waivers", number, "until"), text


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
