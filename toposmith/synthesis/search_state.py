"""A design on the way of a search: single edits that may be refused, parts that could fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ParamSpec

from toposmith.catalog import Catalog, Nic, Switch
from toposmith.catalog.part_text import built_in_nics, pcie_gbit, slot_refusal
from toposmith.catalog.parts import Protocol
from toposmith.design.document import Design
from toposmith.design.edits import Edit, set_part
from toposmith.errors import EditError
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.planned_design import PlannedDesign

MOST_PARTS = 2
"""Parts that are tried in place of one, of each speed."""


def switches_for(
    catalog: Catalog,
    protocol: Protocol,
    *,
    ports: int,
    vendor: str = "",
    faster_than: int = 0,
    speed_gbit: int | None = None,
) -> list[Switch]:
    """Switches with so many ports at a speed: the smallest of each speed, the maker's own first.

    Parameters
    ----------
    catalog : Catalog
        Where they are.
    protocol : str
        What they speak.
    ports : int
        Ports that one needs at least, in the mode that is asked for.
    vendor : str
        Whose are taken before others.
    faster_than : int
        Modes of which a port runs faster, Gb/s.
    speed_gbit : int, optional
        The mode that has to be there; else the fastest.
    """
    found: dict[int, list[tuple[tuple[bool, int], Switch]]] = {}
    for part in catalog.of_kind("switch"):
        if not isinstance(part, Switch) or part.protocol != protocol:
            continue
        for mode in part.cages.modes:
            if mode.speed_gbit <= faster_than or speed_gbit not in (None, mode.speed_gbit):
                continue
            offered = part.cages.count * mode.ports
            if offered >= ports:
                order = (part.vendor != vendor, offered)
                found.setdefault(mode.speed_gbit, []).append((order, part))
    chosen = (sorted(parts, key=lambda one: one[0])[:MOST_PARTS] for parts in found.values())
    return list({part.id: part for parts in chosen for _, part in parts}.values())


def nics_for(
    catalog: Catalog, slots: str, rooms: object, held: Nic | None, protocol: Protocol
) -> list[Nic]:
    """NICs that go into some slots, one of each speed from that of the present one on.

    Of equal ones the present one comes first, then those of its maker. Beside the present one NICs
    whose own PCIe link carries more or less of their ports are not equal.
    """
    assert isinstance(rooms, dict)
    built_in = built_in_nics(catalog)
    vendor = held.vendor if held else ""
    best: dict[tuple[int, float, float], tuple[tuple[bool, bool, bool, int], Nic]] = {}
    for place, part in enumerate(catalog.of_kind("nic")):
        if not isinstance(part, Nic) or protocol not in part.protocols:
            continue
        if slot_refusal(part, rooms[slots], built_in):
            continue
        if held is not None and part.together_gbit < held.together_gbit:
            continue
        other = held is not None and part.id != held.id
        order = (other, part.vendor != vendor, held is not None and part.cage != held.cage, place)
        carries = min(part.together_gbit, pcie_gbit(part.pcie)) if held is not None else 0.0
        kind = (part.ports, part.together_gbit, carries)
        if kind not in best or order < best[kind][0]:
            best[kind] = (order, part)
    return [part for _, part in best.values()]


Given = ParamSpec("Given")


@dataclass(frozen=True)
class SearchState:
    """A design, and where moves begin.

    Parameters
    ----------
    planned : PlannedDesign
        The design.
    full : frozenset of int
        The places of the links that limit a figure.
    failing : bool
        Whether the figure is what the worst failure leaves.
    """

    planned: PlannedDesign
    full: frozenset[int] = frozenset()
    failing: bool = False

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.planned.plan

    @property
    def design(self) -> Design:
        """Its document."""
        return self.planned.design

    @cached_property
    def overrun(self) -> frozenset[str]:
        """Groups whose devices have too few ports."""
        return frozenset(one.place.group for one in port_findings(self.plan) if one.place.group)

    @cached_property
    def leaves(self) -> dict[str, int]:
        """How many switches there are in every group that nodes or storage are cabled to."""
        return {
            end.group: self.plan.groups[end.group].instances
            for link in self.plan.links
            for end in link.ends
            if any(map(self.is_host, link.ends)) and not self.is_host(end)
        }

    @cached_property
    def nodes(self) -> object:
        """What nodes have to send and receive with: NICs, their cables, what is down or slow."""
        groups = {name: group for name, group in self.plan.groups.items() if group.host is not None}
        fitted = tuple(
            (name, slots, ports.nic.id if ports.nic is not None else "", ports.nics)
            for name, group in groups.items()
            for slots, ports in group.port_groups.items()
        )
        cabled = tuple(
            (end.group, end.ports, link.cables_at(end.group), link.speed_gbit)
            for link in self.plan.links
            for end in link.ends
            if end.group in groups
        )
        return fitted, cabled, self.design.down, tuple(self.design.slow.items())

    def are_at_hosts(self, links: frozenset[int]) -> bool:
        """Whether there are links among these, and all of them at nodes or storage."""
        return bool(links) and all(
            any(map(self.is_host, self.plan.link(index).ends)) for index in links
        )

    def after(self, edit: Edit) -> SearchState:
        """The state after an edit, with the same links full."""
        return replace(self, planned=PlannedDesign.of(edit.design, self.planned.catalog))

    def is_host(self, end: LinkEnd) -> bool:
        """Whether an end of a link is at nodes or storage."""
        return self.plan.groups[end.group].host is not None

    def full_links(self, *, at_hosts: bool) -> Iterator[tuple[LinkPlan, LinkEnd, LinkEnd]]:
        """Links that limit, at nodes or between switches, with the lower and the upper end."""
        heights = self.planned.heights
        for link in self.plan.links:
            if link.index in self.full and at_hosts == any(map(self.is_host, link.ends)):
                low, high = link.a, link.b
                lower = heights.get(low.group, 0) <= heights.get(high.group, 0)
                if not (self.is_host(low) or (lower and not self.is_host(high))):
                    low, high = high, low
                yield link, low, high

    def free(self, end: LinkEnd) -> int:
        """Free ports of one device at the speed of a link's end."""
        use = port_use(self.plan)[end.group, end.ports]
        if self.plan.groups[end.group].switch is None:
            return max(use.free, 0)
        return max(use.cages - use.cages_used, 0) * end.breakout

    def ports_used(self, name: str) -> int:
        """Ports that one device of a group uses."""
        return sum(use.used for (group, _), use in port_use(self.plan).items() if group == name)

    def switches_above(self, leaf: str) -> tuple[str, ...]:
        """Groups of switches that are reached from one over links between switches."""
        seen, waiting = [leaf], [leaf]
        while waiting:
            for link in self.plan.links_of(waiting.pop()):
                for end in link.ends:
                    if end.group not in seen and self.plan.groups[end.group].switch is not None:
                        seen.append(end.group)
                        waiting.append(end.group)
        return tuple(seen[1:])

    def larger_switches(self, name: str, speed_gbit: int) -> Iterator[Edit]:
        """Other parts with enough ports at a speed for a group, or for it and all above it."""
        group = self.plan.groups[name]
        if group.switch is None:
            return
        parts = switches_for(
            self.planned.catalog,
            group.switch.protocol,
            ports=self.ports_used(name),
            vendor=group.switch.vendor,
            speed_gbit=speed_gbit,
        )
        for names in dict.fromkeys(((name,), (name, *self.switches_above(name)))):
            for part in parts:
                if part is not group.switch:
                    yield from made(parts_set, self.design, names, part)


def made(make: Callable[Given, Edit], *args: Given.args, **kwargs: Given.kwargs) -> Iterator[Edit]:
    """The edit, where the document does not refuse it."""
    try:
        yield make(*args, **kwargs)
    except EditError:
        return


def both(first: Edit, second: Edit) -> Edit:
    """Two edits, the second of the design after the first, as one."""
    return Edit(second.design, f"{first.label}; {second.label}")


def parts_set(design: Design, names: tuple[str, ...], part: Switch) -> Edit:
    """Some groups of another part."""
    for name in names:
        design = set_part(design, name, part.id).design
    return Edit(design, f"{', '.join(names)}: part {part.id}")


def steps_up(now: int, room: int) -> list[int]:
    """How many more are tried: all where there is little room, else some between one and all."""
    if room <= FEW:
        return list(range(1, room + 1))
    tried = {1, now // 4, now // 2, 3 * now // 4, now, room}
    return sorted(more for more in tried if 0 < more <= room)


def twice_or_full(now: int, room: int) -> list[int]:
    """Two numbers of how many more: as many again, and all that there is room for."""
    return sorted(more for more in {min(now, room), room} if more > 0)


FEW = 8
"""Room up to which every number is tried."""
