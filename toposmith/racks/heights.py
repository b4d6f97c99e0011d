"""Heights of devices: by the catalog, else by the design, else the tallest of their kind."""

from __future__ import annotations

from toposmith.catalog import Catalog, Node, Part, Switch
from toposmith.fabric.plan import Plan


def known_height(plan: Plan, name: str) -> float | None:
    """U that a device of a group takes, by its part or ``placement.heights``; None if unknown.

    ``heights`` is for parts whose height the catalog lacks: its own stands before it.
    """
    part = plan.groups[name].part
    if part is not None and part.rack_units is not None:
        return part.rack_units
    block = plan.design.placement
    return block.heights.get(name) if block else None


def assumed_height(part: Part, catalog: Catalog) -> float | None:
    """Assumed U where neither has a height: the tallest of its kind in the catalog; None without.

    The kind of a node is all nodes with as many GPUs, that of a switch all with no more cages, and
    where none of those has a height, all of them. Too tall is safe for racks and lengths;
    a height of zero would put everything into one rack.
    """
    known = [one for one in catalog if isinstance(one, type(part)) and one.rack_units is not None]
    kind = [one for one in known if _of_its_kind(one, part)] or known
    return max((one.rack_units for one in kind if one.rack_units is not None), default=None)


def _of_its_kind(one: Part, part: Part) -> bool:
    if isinstance(one, Node) and isinstance(part, Node):
        return one.gpus == part.gpus
    if isinstance(one, Switch) and isinstance(part, Switch):
        return one.cages.count <= part.cages.count
    return True
