"""The rack system that a node is sold in, and the rack units that it takes."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import Node, NvlinkSwitch, Part, RackSystem, Switch


@dataclass(frozen=True)
class RackManagement:
    """The management ports in one rack, and the management switches that it is sold with.

    Parameters
    ----------
    ports : int
        RJ45 ports of its nodes, NVLink switches and power shelves; one of each node, where the
        catalog does not know how many.
    known : bool
        Whether the catalog has the count of all of them.
    switches, sockets, uplinks : int
        Switches with RJ45 ports that it holds, these ports, and their cages of another kind.
    """

    ports: int
    known: bool
    switches: int
    sockets: int
    uplinks: int

    @property
    def served(self) -> bool:
        """Whether its own switches have a port for each of them, so that no others are bought."""
        return self.switches > 0 and self.sockets >= self.ports


def rack_system_of(node_id: str, catalog: Catalog) -> RackSystem | None:
    """The rack that a node is sold in as a whole; None where it is sold by itself."""
    systems = (one for one in catalog.of_kind("rack-system") if isinstance(one, RackSystem))
    return next((one for one in systems if one.node == node_id), None)


def units_taken(system: RackSystem, catalog: Catalog) -> float | None:
    """Rack units (U) of its nodes and other contents; None where one height is unknown."""
    node = catalog.get(system.node)
    heights = [(system.nodes, node.rack_units if node else None)]
    heights += [(one.count, one.rack_units) for one in system.contents]
    known = [count * units for count, units in heights if units is not None]
    return sum(known) if len(known) == len(heights) else None


def rack_management(system: RackSystem, catalog: Catalog) -> RackManagement:
    """The management ports in a rack that is sold whole, against those of its own switches."""
    ports = [(system.nodes, _ports(catalog.get(system.node)))]
    known = ports[0][1] is not None
    own: list[tuple[int, Switch]] = []
    for one in system.contents:
        part = catalog.get(one.part) if one.part else None
        if isinstance(part, Switch) and part.cages.cage == "rj45":
            own.append((one.count, part))
            continue
        reached = _ports(part) if part else one.management_ports
        ports.append((one.count, reached or 0))
        known = known and reached is not None
    return RackManagement(
        ports=sum(count * (1 if each is None else each) for count, each in ports),
        known=known,
        switches=sum(count for count, _ in own),
        sockets=sum(count * part.cages.count for count, part in own),
        uplinks=sum(count * cages.count for count, part in own for cages in part.more_cages),
    )


def _ports(part: Part | None) -> int | None:
    return part.management_ports if isinstance(part, Node | NvlinkSwitch) else None
