"""Which rack a node is sold in as a whole, and how much of a rack that takes."""

from __future__ import annotations

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import RackSystem


def rack_system_of(node_id: str, catalog: Catalog) -> RackSystem | None:
    """The rack that a node is sold in as a whole; None where it is sold by itself."""
    systems = (one for one in catalog.of_kind("rack-system") if isinstance(one, RackSystem))
    return next((one for one in systems if one.node == node_id), None)


def units_taken(system: RackSystem, catalog: Catalog) -> float | None:
    """U that its nodes and the rest take; None where the height of one of them is not known."""
    node = catalog.get(system.node)
    heights = [(system.nodes, node.rack_units if node else None)]
    heights += [(one.count, one.rack_units) for one in system.contents]
    known = [count * units for count, units in heights if units is not None]
    return sum(known) if len(known) == len(heights) else None
