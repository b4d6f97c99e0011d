"""What fits what is selected: NICs into slots, plugs into cages, switches onto ports; and why not.

A refusal is what cannot be put together, a warning what can but gives less than it could.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from toposmith.catalog import Cable, Catalog, Nic, Node, Part, Slots, Storage, Switch, Transceiver
from toposmith.catalog.part_text import built_in_nics, pcie, pcie_gbit, slot_refusal, slower
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.text import plain_number
from toposmith.tui.parts.plug_fits import (
    PortCages,
    cable_refusal,
    link_places,
    module_refusal,
    nic_place,
    places_refusal,
    switch_place,
)


@dataclass(frozen=True)
class Fit:
    """How a part goes with what is selected.

    Parameters
    ----------
    refusal : str
        Why it cannot be used there; empty where it can.
    warning : str
        What it costs there; empty where nothing.
    now : bool
        Whether it is what is there already.
    speed_gbit : int
        What a port of it runs; of parts that fit equally the faster comes first.
    """

    refusal: str = ""
    warning: str = ""
    now: bool = False
    speed_gbit: int = 0

    @property
    def rank(self) -> float:
        """Its place among others: what fits comes first, what does not comes last."""
        if self.refusal or self.now:
            return _UNFIT if self.refusal else _KNOWN
        return (_SLOWED if self.warning else 0.0) - self.speed_gbit / _FASTER_THAN_ANY


_SLOWED = 0.5
_FASTER_THAN_ANY = 100_000  # Gb/s, so that a speed decides only where all else is equal
_KNOWN = 1.0  # what is there already is no offer, and neither is what nothing can be said about
_UNFIT = 2.0

Judge = Callable[[Part], Fit | None]
"""Says how a part fits; None where it has nothing to do with what is selected."""


def rank_of(fit: Fit | None) -> float:
    """The place of a part among others of its kind, by how it fits; 0 is the first."""
    return _KNOWN if fit is None else fit.rank


def fits_group(plan: Plan, catalog: Catalog, name: str) -> Judge | None:
    """Judge parts by the ports and slots of a group; None where its part is unknown."""
    group = plan.groups.get(name)
    if group is None:
        return None
    if group.switch is not None:
        return _fits_switch(group.switch, catalog)
    return _fits_node(group, group.node, plan, catalog) if group.node is not None else None


def fits_link(plan: Plan, index: int) -> Judge | None:
    """Judge cables and transceivers by both ends of a link; None where it is not sound."""
    link = next((link for link in plan.links if link.index == index), None)
    if link is None:
        return None
    ends = link_places(plan, link)
    length = plan.design.links[index].length

    def judge(part: Part) -> Fit | None:
        if isinstance(part, Cable):
            return Fit(cable_refusal(part, ends, length))
        if isinstance(part, Transceiver):
            return Fit(places_refusal(module_refusal(part, end) for end in ends))
        return None

    return judge


def _fits_node(group: GroupPlan, node: Node, plan: Plan, catalog: Catalog) -> Judge:
    fitted = [held.nic for held in group.port_groups.values() if held.nic and held.ports]
    places = [nic_place(nic) for nic in fitted]
    choices: dict[str, list[Fit]] = {}
    for choice in nic_choices(catalog, node, plan, group.name):
        choices.setdefault(choice.part.id, []).append(choice.fit)

    def judge(part: Part) -> Fit | None:
        match part:
            case Nic():
                now = any(nic.id == part.id for nic in fitted)
                fits = choices.get(part.id, [Fit(f"{node.name} has no slots for NICs")])
                return replace(min(fits, key=rank_of), now=now)
            case Switch() if places:
                return Fit(places_refusal(place.refuses(switch_place(part)) for place in places))
            case Cable() if places:
                return Fit(places_refusal(cable_refusal(part, (place,)) for place in places))
            case Transceiver() if places:
                return Fit(places_refusal(module_refusal(part, place) for place in places))
        return None

    return judge


def _fits_switch(switch: Switch, catalog: Catalog) -> Judge:
    place = switch_place(switch)

    def judge(part: Part) -> Fit | None:
        match part:
            case Switch():
                return Fit(place.refuses(switch_place(part)))
            case Node():
                held = (catalog.get(room.nic) for room in part.slots.values() if room.nic)
                others = [nic_place(nic) for nic in held if isinstance(nic, Nic)]
                # one with open slots takes any NIC that the switch wants
                return Fit(places_refusal(place.refuses(other) for other in others))
            case Cable():
                return Fit(cable_refusal(part, (place,)))
            case Transceiver():
                return Fit(module_refusal(part, place))
        return None

    return judge


@dataclass(frozen=True)
class NicChoice:
    """A NIC for a slot group: how it fits."""

    slots: str
    part: Nic
    fit: Fit

    @property
    def refusal(self) -> str:
        """Why it does not fit; empty where it does."""
        return self.fit.refusal


def nic_choices(
    catalog: Catalog, node: Node | Storage, plan: Plan | None = None, group: str = ""
) -> list[NicChoice]:
    """Every NIC of the catalog for every slot group of a node, those that fit best first.

    Parameters
    ----------
    catalog : Catalog
        Where the NICs are.
    node : Node
        The part with the slots.
    plan : Plan, optional
        The design, where the node is in one: NICs have to run on the switches that its slots
        are wired to.
    group : str
        The node's group in that design.
    """
    built_in = built_in_nics(catalog)
    wired = _wired(plan, group) if plan is not None else {}
    choices = [
        NicChoice(slots, part, _nic_fit(part, room, built_in, wired.get(slots, {})))
        for slots, room in node.slots.items()
        for part in catalog
        if isinstance(part, Nic)
    ]
    order = list(node.slots)
    return sorted(choices, key=lambda choice: (order.index(choice.slots), choice.fit.rank))


def _wired(plan: Plan, group: str) -> dict[str, dict[str, PortCages]]:
    """The switches that each slot group of a node is wired to, by name."""
    found: dict[str, dict[str, PortCages]] = {}
    for link in plan.links_of(group):
        for near, far in ((link.a, link.b), (link.b, link.a)):
            switch = plan.groups[far.group].switch
            if near.group == group and switch is not None:
                found.setdefault(near.ports, {})[far.group] = switch_place(switch)
    return found


def _nic_fit(nic: Nic, room: Slots, built_in: dict[str, str], wired: dict[str, PortCages]) -> Fit:
    refusal = slot_refusal(nic, room, built_in)
    for name, place in wired.items():
        refusal = refusal or place.refuses(nic_place(nic), name)
    return Fit(refusal, _slow_slot(nic, room), speed_gbit=nic.speed_gbit)


def _slow_slot(nic: Nic, room: Slots) -> str:
    """What the slowest of the slots costs a NIC; empty where nothing."""
    slots = [room.pcie, *(slower(room.pcie, link) for link in room.links.values())]
    slot = min(slots, key=lambda each: pcie_gbit(slower(nic.pcie, each)))
    takes, wanted = pcie_gbit(slower(nic.pcie, slot)), nic.together_gbit
    if takes >= wanted or slower(nic.pcie, slot) == nic.pcie:
        return ""  # a NIC that its own edge limits is no worse here than elsewhere
    return f"{pcie(slot)} slot takes {plain_number(round(takes))} of its {wanted} Gb/s"
