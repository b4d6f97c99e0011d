"""Cables and modules of a bill that the devices at their ends are not known to accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from toposmith.bill.bill_lines import BillLine
from toposmith.bill.cable_lots import CableLot
from toposmith.bill.quantities import Quantities
from toposmith.bill.recipes import Doubt
from toposmith.catalog import Transceiver
from toposmith.catalog.platforms import Taken
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.finding import Finding, found

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
    return replace(line, notes=(*line.notes, f"not known to be taken by {devices}{order}"))
