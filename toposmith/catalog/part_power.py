"""The least and the most that a part draws; the racks that trays are sold in, and their ports."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.parts import Gpu, Node, NvlinkSwitch, Part, RackSystem, Storage, Switch
from toposmith.catalog.pieces import PowerSupplies, Slots


@dataclass(frozen=True)
class PowerRange:
    """The most that a part draws, in watts, between two bounds.

    Parameters
    ----------
    known_w : float or None
        The figure itself, where the catalog has it; both bounds are then equal to it.
    least_w : float
        Typical power in W, or that of its GPUs, NICs or modules alone if that is more; 0 where
        the catalog has neither.
    most_w : float or None
        Rating in W of its power supplies without the redundant ones; None where it is unknown.
    """

    known_w: float | None
    least_w: float
    most_w: float | None


def power_range(part: Part, catalog: Catalog) -> PowerRange:
    """The bounds of what a part draws.

    Parameters
    ----------
    part : Part
        The part.
    catalog : Catalog
        Where the GPUs and NICs are found that a node names.
    """
    if part.power_w is not None:
        return PowerRange(part.power_w, part.power_w, part.power_w)
    least = max(_inside_w(part, catalog), part.power_typical_w or 0.0)
    supplies = part.power_supplies if isinstance(part, Node | Switch) else None
    most = supplied_w(supplies) if supplies else None
    # What its GPUs draw is the firmer of the two, should they disagree.
    return PowerRange(None, least, None if most is None else max(most, least))


def supplied_w(supplies: PowerSupplies) -> float:
    """Rating in W of power supplies without the redundant ones (none where that is unknown)."""
    return max(supplies.count - (supplies.spare or 0), 1) * supplies.rating_w


def gpus_w(node: Node, catalog: Catalog) -> float | None:
    """Power of all GPUs of a node, W; None where the catalog lacks it."""
    gpu = catalog.get(node.gpu)
    each = gpu.power_w if isinstance(gpu, Gpu) else None
    return None if each is None else node.gpus * each


def _inside_w(part: Part, catalog: Catalog) -> float:
    if isinstance(part, RackSystem):
        node = catalog.get(part.node)
        held = sum(one.count * _power_w(one.part, catalog) for one in part.contents if one.part)
        return held + (part.nodes * power_range(node, catalog).least_w if node else 0.0)
    if isinstance(part, Switch):
        return sum(count * _power_w(name, catalog) for name, count in part.modules.items())
    known = (gpus_w(part, catalog) or 0.0) if isinstance(part, Node) else 0.0
    groups = part.slots.values() if isinstance(part, Node | Storage) else ()
    return known + sum(_fitted_w(slots, catalog) for slots in groups)


def _power_w(part_id: str, catalog: Catalog) -> float:
    part = catalog.get(part_id)
    return (part.power_w or 0.0) if part is not None else 0.0


def _fitted_w(slots: Slots, catalog: Catalog) -> float:
    nic = catalog.get(slots.nic) if slots.nic else None
    return slots.fitted * (nic.power_w or 0.0) if nic is not None else 0.0


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
