"""What settings are, unless given, where that follows from others: switches, nodes of an SU."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from toposmith.catalog import Catalog, Nic, Switch

USUAL_SWITCH = "qm9700"
"""Taken where nodes have its speed and protocol, or no NICs are known."""

USUAL_PORTS = 64
"""Of the switches with the speed of the nodes the largest of so many ports at most is taken."""

MOST_UNITS_HIGH = 4
"""Directors are not proposed."""


def usual_switch(values: Mapping[str, Any], catalog: Catalog) -> str:
    """The switch that nodes are wired to: one made for their NICs' speed, from the same maker.

    Parameters
    ----------
    values : mapping
        The settings so far: node, slots, nic.
    catalog : Catalog
        Where the switches are.
    """
    nic = nic_of(values, catalog)
    if nic is None:
        return USUAL_SWITCH

    def distance(switch: Switch) -> tuple[object, ...]:
        ports = ports_at(switch, nic.speed_gbit)
        protocol = nic.protocols.index(switch.protocol)
        too_many = ports > USUAL_PORTS
        fastest = max(mode.speed_gbit for mode in switch.cages.modes)
        lanes = {switch.cages.lanes // mode.ports for mode in switch.cages.modes
                 if mode.speed_gbit == nic.speed_gbit}  # fmt: skip
        return (
            # HDR has four lanes of 50 Gb/s where NDR200 has two of 100
            nic.lanes not in lanes, fastest != nic.speed_gbit, switch.id != USUAL_SWITCH,
            switch.vendor != nic.vendor, protocol, switch.end_of_sale is not None,
            too_many, ports if too_many else -ports, switch.id,
        )  # fmt: skip

    fitting = [
        part
        for part in catalog.of_kind("switch")
        if isinstance(part, Switch)
        and part.protocol in nic.protocols
        and ports_at(part, nic.speed_gbit)
        and (part.rack_units or 1) <= MOST_UNITS_HIGH
    ]
    return min(fitting, key=distance).id if fitting else USUAL_SWITCH


def usual_nodes(most: int, ports_of_node: int, ports: int, ratio: Fraction) -> int:
    """Nodes below a leaf that has ports for as much capacity up, divided by the oversubscription.

    Parameters
    ----------
    most : int
        Nodes at most.
    ports_of_node : int
        Ports of a node at one leaf.
    ports : int
        Ports of the leaf at their speed.
    ratio : Fraction
        Oversubscription; 0 where all ports go to nodes.
    """
    room = Fraction(ports) / (1 + 1 / ratio) if ratio else Fraction(ports)
    return max(1, min(most, int(room / ports_of_node)))


def ports_at(switch: Switch, gbit: int) -> int:
    """Ports of a switch at a speed; 0 where it does not run it."""
    modes = (mode.ports for mode in switch.cages.modes if mode.speed_gbit == gbit)
    return switch.cages.count * max(modes, default=0)


def nic_of(values: Mapping[str, Any], catalog: Catalog) -> Nic | None:
    """The NIC of a node's slots: of its board, or the one to be fitted."""
    room = catalog.node(values["node"]).slots.get(values["slots"])
    named = values.get("nic") or (room.nic if room is not None else None)
    found = catalog.get(named) if named else None
    return found if isinstance(found, Nic) else None
