"""A design device by device and cable by cable, for exports to other programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from toposmith.catalog import Part
from toposmith.design.loader import listed, shown
from toposmith.errors import ExportError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Progress
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.racks.connections import absent_instances, connections, missing
from toposmith.racks.locked_devices import device_names, locked_facts
from toposmith.racks.placement import NOWHERE, require_few


@dataclass(frozen=True)
class NameRule:
    """The names that a program accepts.

    Parameters
    ----------
    program : str
        The program.
    signs : str
        The characters that it accepts, as in brackets of a regular expression; each run of others
        becomes a hyphen.
    longest : int
        The most characters of a name.
    same_case : bool
        Whether names are case-insensitive.
    ends : str
        The signs that a name may begin and end with.
    lower : bool
        Whether it accepts lower case only; capitals are converted.
    """

    program: str
    signs: str = "A-Za-z0-9._-"
    longest: int = 64
    same_case: bool = False
    ends: str = "A-Za-z0-9"
    lower: bool = False

    def name(self, own: str) -> str:
        """A name as the program accepts it.

        Raises
        ------
        ExportError
            Where it is too long, or none of its characters is accepted.
        """
        bare = re.sub(f"[^{self.signs}]+", "-", own.lower() if self.lower else own)
        bare = re.sub(f"^[^{self.ends}]+|[^{self.ends}]+$", "", bare)
        if not bare:
            raise ExportError(f"{self.program} takes no sign of the name {shown(own)}")
        if len(bare) > self.longest:
            raise ExportError(
                f"{self.program} takes names of {self.longest} signs, {shown(own)} has {len(bare)};"
                " a map of names (--names) shortens it"
            )
        return bare

    def title(self, text: str) -> str:
        """A free text as a name of its own: cut where it is too long, never refused."""
        try:
            return self.name(text[: self.longest])
        except ExportError:
            return "design"

    def applied(self, names: Iterable[str]) -> tuple[dict[str, str], str]:
        """The converted names, and a note about changes; empty where there are none.

        Raises
        ------
        ExportError
            As of one name, or where two become the same.
        """
        found: dict[str, str] = {}
        owner: dict[str, str] = {}
        for own in names:
            taken = found[own] = self.name(own)
            key = taken.lower() if self.same_case else taken
            other = owner.setdefault(key, own)
            if other != own:
                raise ExportError(
                    f"{shown(other)} and {shown(own)} are both {shown(taken)} to {self.program}; "
                    "a map of names (--names) tells them from each other"
                )
        changed = [f"{own} is {taken}" for own, taken in found.items() if own != taken]
        if not changed:
            return found, ""
        what = "name" if len(changed) == 1 else "names"
        return found, f"{len(changed):,} {what} changed for {self.program}: {listed(changed)}"


class InventoryDevice(NamedTuple):
    """A device that is there: its name, its group and number in it, its place, what is known.

    ``facts`` are those of its lock, such as its ``serial``.
    """

    name: str
    group: GroupPlan
    number: int
    rack: str | None
    unit: int | None
    facts: Mapping[str, str]

    @property
    def part(self) -> Part | None:
        """Its part, or None where the catalog has none."""
        return self.group.part

    @property
    def place(self) -> tuple[str, int]:
        """Its group, and its number in it."""
        return self.group.name, self.number

    @property
    def is_switch(self) -> bool:
        """Whether it is a switch."""
        return self.group.switch is not None

    @property
    def kind(self) -> str:
        """``node``, ``storage`` or ``switch``; ``unknown`` where the catalog lacks the part."""
        return self.group.part.kind if self.group.part else "unknown"


class DeviceInventory:
    """The devices and connections of a design; what is absent is in neither.

    Parameters
    ----------
    design : EvaluatedDesign
        The design; its map of names holds here too.
    progress : callable, optional
        Called with the rows of its cables done, and of all.
    group : str, optional
        The group of nodes that was asked for, for a form that shows one node.

    Attributes
    ----------
    lost : list of str
        What the format could not express, complete when all of it is written.
    """

    def __init__(
        self, design: EvaluatedDesign, progress: Progress | None = None, group: str | None = None
    ) -> None:
        self.design = design
        self.lost: list[str] = []
        self.progress, self.group = progress, group

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up."""
        return self.design.plan

    @property
    def name(self) -> str:
        """What the design is called."""
        return self.design.design.name or "design"

    def lose(self, words: str) -> None:
        """Note what the form does not carry."""
        if words not in self.lost:
            self.lost.append(words)

    @cached_property
    def devices(self) -> list[InventoryDevice]:
        """Every device, in the order of groups and numbers.

        Raises
        ------
        TooManyDevicesError
            Where there are too many to list.
        """
        require_few(self.plan)
        return list(self._devices())

    @property
    def compute_links(self) -> list[LinkPlan]:
        """The links of the compute network."""
        heights, slots = self.design.planned.heights, self.design.network.slots
        return [
            link
            for link in self.plan.every_link
            if all(
                end.group in heights and end.ports == slots.get(end.group, "")
                for end in (link.a, link.b)
            )
        ]

    def of_kind(self, *kinds: str) -> list[InventoryDevice]:
        """The devices of these kinds."""
        return [one for one in self.devices if one.kind in kinds]

    def _devices(self) -> Iterator[InventoryDevice]:
        absent, placement = absent_instances(self.plan), self.design.placement
        for name, group in self.plan.groups.items():
            named, facts = device_names(self.plan, name), locked_facts(self.plan, name)
            for number in range(group.instances):
                if number in absent[name]:
                    continue
                spot = placement.spot(name, number)
                stands = spot is not None and spot.rack != NOWHERE
                rack = placement.label(spot.rack) if spot and stands else None
                unit = spot.unit if spot and stands else None
                yield InventoryDevice(
                    named(number), group, number, rack, unit, facts.get(number, {})
                )

    def connections(self) -> Iterator[CableRow]:
        """Every connection once, in the order of the schedule; further fibres are left out."""
        rows = self.design.schedule.rows(self.progress)
        return (row for row in rows if row.fibre in (None, 1))

    def has_cables(self, protocol: str = "") -> bool:
        """Whether there is any cable, of one protocol or at all."""
        gone = missing(self.plan)
        return any(
            next(connections(self.plan, link, gone), None) is not None
            for link in self.plan.every_link
            if protocol in ("", link.protocol)
        )

    def renamed(self, rule: NameRule, names: Iterable[str]) -> dict[str, str]:
        """Names under a program's rule; changes are noted.

        Raises
        ------
        ExportError
            Where a name is too long, or two become one.
        """
        found, note = rule.applied(names)
        if note:
            self.lose(note)
        return found

    def device_names(self, rule: NameRule) -> dict[str, str]:
        """The names of all devices under a program's rule, as :meth:`renamed` gives them."""
        return self.renamed(rule, (one.name for one in self.devices))

    def names_by_place(self, rule: NameRule) -> dict[tuple[str, int], str]:
        """The same by the place of the device."""
        names = self.device_names(rule)
        return {one.place: names[one.name] for one in self.devices}
