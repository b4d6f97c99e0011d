"""What a design wants of its lock: connections, with the parts and ports of a fresh plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from toposmith.bill.link_cages import port_labels
from toposmith.bill.link_parts import Chooser
from toposmith.bill.numbered_connections import NumberedConnections, chooser_of
from toposmith.bill.recipes import Recipe, fitting_recipes
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.racks.connections import Numbers, absent_instances, connection_array, missing
from toposmith.racks.lengths import CableLengths
from toposmith.racks.locked_devices import locked_names
from toposmith.racks.placement import Placement

DeviceKey = tuple[str, int]
"""A group and the number of an instance."""


class EndPorts:
    """The port labels of one end of a link, and the place of each."""

    def __init__(self, plan: Plan, end: LinkEnd) -> None:
        group = plan.groups[end.group]
        self.of_switch = group.cages is not None and not end.ports
        self.breakout = end.breakout if self.of_switch else 1
        self.labels = port_labels(group, end).labels
        self.place = {label: place for place, label in enumerate(self.labels)}


@dataclass(frozen=True)
class ConnectionParts:
    """The parts of a connection of a fresh plan, as a lock writes them.

    Parameters
    ----------
    part, metres, plug_a, plug_b : str
        Cable or fibre, its length to order, and the plugs at the ends of the link; empty where
        unknown.
    need_m : float or None
        Least length, m.
    carried, bodies : int
        Connections of one cable, and cables of one connection.
    split : int
        0 for a straight cable, 1 where it splits at the link's first end, 2 at its second.
    """

    part: str = ""
    metres: str = ""
    plug_a: str = ""
    plug_b: str = ""
    need_m: float | None = None
    carried: int = 1
    bodies: int = 1
    split: int = 0

    @classmethod
    def of(cls, recipe: Recipe | None, length_m: float | None, link: LinkPlan) -> ConnectionParts:
        """The parts of a recipe for a link."""
        if recipe is None:
            return cls(metres=metres_text(length_m), need_m=length_m)
        split = 0
        if recipe.split_at is not None:
            split = 1 if recipe.split_at == link.a.group else 2
        return cls(
            recipe.body.id,
            metres_text(recipe.length_m),
            recipe.plug_at(link.a.group),
            recipe.plug_at(link.b.group),
            length_m,
            max(1, recipe.carried),
            recipe.bodies,
            split,
        )


def metres_text(length_m: float | None) -> str:
    """A length as a lock writes it: ``7``, ``1.5``; empty where unknown."""
    return "" if length_m is None else f"{length_m:g}"


@dataclass(frozen=True, eq=False)
class WantedConnections:
    """A planned design as its lock sees it.

    Parameters
    ----------
    plan, catalog, placement
        The design, its parts, and where its devices stand.
    terms : Terms, optional
        Prices and policy, which choose cables as they do on the bill.
    """

    plan: Plan
    catalog: Catalog
    placement: Placement
    terms: Terms = field(default_factory=Terms)

    @cached_property
    def absent(self) -> dict[str, frozenset[int]]:
        """Instances that the design marks as not there, by group."""
        return absent_instances(self.plan)

    @cached_property
    def links(self) -> tuple[LinkPlan, ...]:
        """The links in the order of the plan."""
        return self.plan.every_link

    @cached_property
    def ports(self) -> list[tuple[EndPorts, EndPorts]]:
        """The ports of both ends, by place of a link."""
        return [(EndPorts(self.plan, one.a), EndPorts(self.plan, one.b)) for one in self.links]

    def end(self, place: int, side: int) -> LinkEnd:
        """The first or the second end of a link."""
        link = self.links[place]
        return (link.a, link.b)[side]

    @cached_property
    def ends_of(self) -> dict[str, list[tuple[int, int]]]:
        """By group, the ends of links that are at it: place of the link, and 0 or 1."""
        found: dict[str, list[tuple[int, int]]] = {name: [] for name in self.plan.groups}
        for place, link in enumerate(self.links):
            for side, end in enumerate((link.a, link.b)):
                found[end.group].append((place, side))
        return found

    @cached_property
    def named(self) -> dict[str, Callable[[int], str]]:
        """Names of devices by group and number."""
        return {name: locked_names(self.plan, name) for name in self.plan.groups}

    @cached_property
    def connections(self) -> list[Numbers]:
        """By place of a link, its connections: devices at both ends, ports of nodes or -1."""
        gone = missing(self.plan)
        return [connection_array(self.plan, link, gone) for link in self.links]

    @cached_property
    def chooser(self) -> Chooser:
        """What chooses the parts of links, as the bill does."""
        return chooser_of(self.plan, self.catalog, self.placement, self.terms)

    @cached_property
    def recipes(self) -> list[list[Recipe]]:
        """By place of a link, all recipes that build it at some length."""
        return [list(fitting_recipes(self.plan, link, self.catalog)) for link in self.links]

    @cached_property
    def fitting(self) -> list[frozenset[str]]:
        """By place of a link, the ids of cables and fibres that build it."""
        return [frozenset(recipe.body.id for recipe in recipes) for recipes in self.recipes]

    @cached_property
    def carried(self) -> dict[tuple[str, str], int]:
        """Connections of a straight cable by its part and Gb/s, of those that build a link."""
        return {
            (recipe.body.id, str(link.speed_gbit)): max(1, recipe.carried)
            for link, recipes in zip(self.links, self.recipes, strict=True)
            for recipe in recipes
            if recipe.split_at is None
        }

    @cached_property
    def lengths(self) -> CableLengths:
        """Lengths between devices where they stand."""
        return CableLengths(self.placement)


def parts_of(wiring: NumberedConnections, links: Sequence[LinkPlan]) -> list[ConnectionParts]:
    """The parts of connections by place of a recipe."""
    link_of: dict[int, LinkPlan] = {}
    for place, recipe in zip(wiring.link, wiring.recipe, strict=True):
        link_of.setdefault(recipe, links[place])
    recipes = zip(wiring.recipes, wiring.length_m, strict=True)
    return [
        ConnectionParts.of(recipe, length, link_of[place])
        if place in link_of
        else ConnectionParts()
        for place, (recipe, length) in enumerate(recipes)
    ]
