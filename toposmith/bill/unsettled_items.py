"""Open items before a bill can be ordered, each with a label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toposmith.bill.bill_lines import BillLine
from toposmith.bill.cable_lots import CableLot, Quantities
from toposmith.bill.recipes import Doubt
from toposmith.bill.totals import PriceTotal, RackCount, Total
from toposmith.catalog import Transceiver
from toposmith.catalog.part_numbers import LENGTH_TO_BE_CHOSEN
from toposmith.catalog.platforms import GENERIC, Taken
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.finding import Finding, found
from toposmith.text import counted

UnsettledLabel = Literal["missing", "unknown", "unverified", "assumed", "at most"]

What = Literal[
    "parts",
    "part_number",
    "length_m",
    "management_ports",
    "optics",
    "racks",
    "power_w",
    "rack_units",
    "weight_kg",
    "price",
]

TOPICS: dict[What, str] = {
    "parts": "parts",
    "part_number": "part numbers",
    "length_m": "lengths",
    "management_ports": "management ports",
    "optics": "optics",
    "racks": "racks",
    "power_w": "power",
    "rack_units": "height",
    "weight_kg": "weight",
    "price": "prices",
}
"""Topics of open items in words, by their name in the bill's file."""


@dataclass(frozen=True)
class Unsettled:
    """One open item: something that a bill lacks or assumes.

    Parameters
    ----------
    what : str
        Which column or total it is about.
    label : str
        ``missing``: parts that are not listed; ``unknown``: not in catalog or design;
        ``unverified``: only from a source that may be wrong; ``assumed``: a default is used;
        ``at most``: a total that may count something twice.
    text : str
        What it is, in a sentence.
    parts : tuple of str
        Parts that it is about, if it is about parts.
    """

    what: What
    label: UnsettledLabel
    text: str
    parts: tuple[str, ...] = ()

    @property
    def topic(self) -> str:
        """``part numbers``: what it is about, in words."""
        return TOPICS[self.what]

    @property
    def words(self) -> str:
        """``unknown: 6 lines have no part number in this catalog (dgx-h100, ...)``."""
        parts = f" ({', '.join(self.parts)})" if self.parts else ""
        same = self.text.startswith(f"{self.label}: ")
        return f"{self.text}{parts}" if same else f"{self.label}: {self.text}{parts}"


def unsettled(
    lines: Sequence[BillLine],
    *,
    blocking: Iterable[Finding],
    racks: RackCount | None,
    lengths: Iterable[str],
    totals: Sequence[tuple[What, str, Total]],
    price: PriceTotal | None,
    management: Sequence[str] = (),
    untaken: tuple[str, ...] = (),
) -> Iterator[Unsettled]:
    """All open items before a bill can be ordered.

    Parameters
    ----------
    lines : sequence of BillLine
        Lines of the bill.
    blocking : iterable of Finding
        Why parts of the design are not listed.
    racks : RackCount or None
        The number of racks, and its assumptions.
    lengths : iterable of str
        Assumptions of lengths along the racks; empty where lengths are given.
    totals : sequence of (str, str, Total)
        Sums by column, with the word for what they are of.
    price : PriceTotal or None
        Sum of the prices; None where no price list was given.
    management : sequence of str
        Parts cabled with one management port because the catalog has no count.
    untaken : tuple of str
        Cables and modules of other platforms than those that they are plugged into.
    """
    for finding in blocking:
        yield Unsettled("parts", "missing", f"{finding.where}: {finding.text}")
    yield from _numbers(lines)
    open_ = [line for line in lines if line.kind in ("cable", "fibre") and line.length_m is None]
    if open_:
        yield _of(open_, "length_m", "unknown", "have no length", "has no length")
    if assumed := ", ".join(lengths):
        text = f"lengths are measured along racks; assumed: {assumed}"
        yield Unsettled("length_m", "assumed", text)
    if management:
        text = "one management port (RJ45) each; how many there are is not in this catalog"
        yield Unsettled("management_ports", "assumed", text, tuple(management))
    if untaken:
        many = counted(len(untaken), "part")
        text = f"whether the devices take them is not in this catalog: {many} for other platforms"
        yield Unsettled("optics", "unknown", text, untaken)
    if racks is not None and not racks.complete:
        yield Unsettled("racks", "unknown" if racks.unplaced else "assumed", racks.state)
    for name, word, total in totals:
        if not total.complete:
            has = "has" if total.lacking == 1 else "have"
            text = f"{total.lacking} of {total.lines} lines {has} no {word} in this catalog"
            yield Unsettled(name, "unknown", text, total.lines_without)
    if twice := may_count_twice(lines):
        text = "whether their power includes that of modules in their cages is not in this "
        text += "catalog; modules are counted besides"
        yield Unsettled("power_w", "at most", text, twice)
    if price is not None and not price.complete:
        yield Unsettled("price", "unknown", price.state, price.lines_without)
    yield from _offers(lines)


def _offers(lines: Sequence[BillLine]) -> Iterator[Unsettled]:
    """Offers that may no longer hold, or were of other quantities."""
    ended = [line for line in lines if line.price is not None and line.price.ended]
    if ended:
        words = "priced by an offer that has ended; that its price still holds"
        yield _of(ended, "price", "assumed", f"are {words}", f"is {words}")
    # by the offer itself: two of them may say the same
    offered: dict[int, list[BillLine]] = {}
    for line in lines:
        offered.setdefault(id(line.price), []).append(line)
    for priced in offered.values():
        price, many = priced[0].price, sum(line.order for line in priced)
        if price is None or price.pieces in (None, many):
            continue
        text = f"the offer is of {counted(price.pieces or 0, 'piece')}, and {many:,} are ordered; "
        text += "that its price holds for these"
        parts = dict.fromkeys(line.part for line in priced)
        yield Unsettled("price", "assumed", text, tuple(parts))


def may_count_twice(lines: Sequence[BillLine]) -> tuple[str, ...]:
    """Switches whose power may include modules that the bill adds besides."""
    modules = any(line.kind in ("cable", "transceiver") and line.added_power_w for line in lines)
    if not modules:
        return ()
    return tuple(
        line.part
        for line in lines
        if line.kind == "switch" and line.power_w and line.power_includes_modules is None
    )


def _numbers(lines: Sequence[BillLine]) -> Iterator[Unsettled]:
    """Lines that cannot be ordered yet."""
    bare = [line for line in lines if line.ordered_as is None and not line.configured]
    any_makers = [
        line
        for line in bare
        if line.manufacturer == GENERIC and line.kind in ("cable", "fibre", "transceiver")
    ]
    if any_makers:
        words = "of any maker that meets the standard; your maker's numbering settles it"
        yield _of(any_makers, "part_number", "unknown", f"are {words}", f"is {words}")
    none = [line for line in bare if line not in any_makers]
    if none:
        words = "no part number in this catalog"
        yield _of(none, "part_number", "unknown", f"have {words}", f"has {words}")
    families = [line for line in lines if line.part_number is None and line.family is not None]
    if families:
        words = f"only a family; {LENGTH_TO_BE_CHOSEN}"
        yield _of(families, "part_number", "unknown", f"have {words}", f"has {words}")
    doubtful = [line for line in lines if line.part_number is not None and not line.numbered]
    if doubtful:
        words = "an unverified part number"
        yield _of(doubtful, "part_number", "unverified", f"have {words}", f"has {words}")


def _of(
    lines: Sequence[BillLine], what: What, label: UnsettledLabel, several: str, one: str
) -> Unsettled:
    count = len(lines)
    words = f"{counted(count, 'line')} {one if count == 1 else several}"
    return Unsettled(what, label, words, tuple(dict.fromkeys(line.part for line in lines)))


_CODES = {"to be coded": "optics-generic", "not listed": "optics-not-listed"}


@dataclass(frozen=True)
class Untaken:
    """A part of one link that a device at an end is not known to accept.

    Parameters
    ----------
    link : LinkPlan
        The link.
    doubts : tuple of Doubt
        The ends, all of one part and for one reason.
    pieces : int
        How many of the part; 0 where another link's line counts them.
    """

    link: LinkPlan
    doubts: tuple[Doubt, ...]
    pieces: int

    @property
    def part(self) -> str:
        """What is plugged in."""
        return self.doubts[0].plug.id

    @property
    def coded(self) -> bool:
        """Whether it can be ordered coded for its devices."""
        return self.doubts[0].why == "to be coded"

    @property
    def devices(self) -> tuple[str, ...]:
        """What it is plugged into."""
        return tuple(dict.fromkeys(doubt.device.id for doubt in self.doubts))

    @property
    def finding(self) -> Finding:
        """It as a finding at its link."""
        unnamed = tuple(d.device.id for d in self.doubts if d.device.platform is None)
        return found(
            _CODES[self.doubts[0].why],
            self.link.place,
            part=self.part,
            pieces=self.pieces,
            ends=tuple(doubt.end for doubt in self.doubts),
            devices=tuple(doubt.device.id for doubt in self.doubts),
            platforms=tuple(dict.fromkeys(d.device.platform or "" for d in self.doubts)),
            listed=self.doubts[0].plug.platforms,
            unnamed=tuple(dict.fromkeys(unnamed)),
        )


def untaken_parts(
    plan: Plan, lots: Mapping[int, tuple[CableLot, ...]], counted: Quantities
) -> Iterator[Untaken]:
    """Parts that an end is not known to accept, link by link; modules of an end once."""
    modules: set[tuple[str, str]] = set()
    for link in plan.every_link:
        doubts: dict[tuple[str, Taken], dict[str, Doubt]] = {}
        pieces: dict[tuple[str, Taken], int] = {}
        for number, lot in enumerate(lots[link.index]):
            cables: set[tuple[str, Taken]] = set()
            for doubt in lot.recipe.doubts if lot.recipe else ():
                key, at = (doubt.plug.id, doubt.why), (doubt.end, doubt.plug.id)
                if isinstance(doubt.plug, Transceiver):
                    if at in modules:
                        continue
                    modules.add(at)
                    pieces[key] = pieces.get(key, 0) + counted.modules[at]
                elif key not in cables:
                    cables.add(key)
                    pieces[key] = pieces.get(key, 0) + counted.bodies[link.index, number]
                doubts.setdefault(key, {})[doubt.end] = doubt
        for key, at_ends in doubts.items():
            yield Untaken(link, tuple(at_ends.values()), pieces[key])


def noted(line: BillLine, untaken: Iterable[Untaken]) -> BillLine:
    """The line with a note on devices that are not known to accept it."""
    mine = [one for one in untaken if one.part == line.part]
    if not mine:
        return line
    devices = ", ".join(dict.fromkeys(device for one in mine for device in one.devices))
    order = "; order it coded for these" if all(one.coded for one in mine) else ""
    notes = (*line.notes, f"not known to be taken by {devices}{order}")
    return replace(line, notes=notes, taken=all(one.coded for one in mine))
