"""Line cards of modular switches: as many as the cages of links need.

Ports are dealt from the first cage on, so the cards of the first slots hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from toposmith.catalog import Catalog, Module, Switch
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_use


@dataclass(frozen=True)
class Configured:
    """The components that one modular switch of a group is ordered with.

    Parameters
    ----------
    modules : mapping of str to int
        By id, how many of each.
    words : str
        How many line cards these are, and why.
    """

    modules: Mapping[str, int]
    words: str

    def of(self, switch: Switch) -> Switch:
        """The switch with these modules alone."""
        return switch.model_copy(update={"modules": dict(self.modules)})


def configured(plan: Plan, name: str, catalog: Catalog) -> Configured | None:
    """What each switch of a group is ordered with; None where it is not modular.

    All slots are filled where no link takes a cage, where more are taken than there are, where
    single cables are placed by hand, or where cards of several kinds share the slots.
    """
    switch = plan.groups[name].switch
    if switch is None or not switch.modules:
        return None
    parts = {module: catalog.get(module) for module in switch.modules}
    cards = {one: part for one, part in parts.items() if _is_card(part)}
    slots = sum(switch.modules[one] for one in cards)
    used = port_use(plan)[name, ""].cages_used
    cages = switch.cages.count
    (kind, card) = next(iter(cards.items()), ("", None))
    each = card.cages if isinstance(card, Module) else None
    why = _why_whole(plan, name, used, cages)
    if why or len(cards) != 1 or not each:
        why = why or "its cards are not of one kind"
        return Configured(switch.modules, f"all {slots} line cards are ordered: {why}")
    need = ceil(used / each)
    words = f"{need} of {slots} line cards are ordered: {used} of {cages} cages are used"
    return Configured({**switch.modules, kind: need}, words)


def _is_card(part: object) -> bool:
    return isinstance(part, Module) and part.use == "line card"


def _why_whole(plan: Plan, name: str, used: int, cages: int) -> str:
    """Why all slots are filled; empty where only those that links need."""
    if not used:
        return "no link takes a cage"
    if used > cages:
        return f"links ask for {used} cages of {cages}"
    links = {link.index: link for link in plan.every_link}
    placed = {one.link for one in plan.single_cables} | {one.link for one in plan.replaced}
    ends = {end.group for link in placed for end in links[link].ends}
    return "single cables are placed by hand" if name in ends else ""
