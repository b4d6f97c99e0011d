"""Power by which racks are filled: that of a device, else an upper bound, else an assumption.

A device of unknown power never counts as zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.catalog import Catalog, Node, Part, Switch
from toposmith.catalog.part_power import gpus_w, power_range
from toposmith.fabric.plan import GroupPlan

PowerBasis = Literal["catalog", "supplies", "assumed", "unknown"]


@dataclass(frozen=True)
class DevicePower:
    """Power of one device with the NICs fitted beyond those that it is sold with, W.

    Parameters
    ----------
    known_w : float or None
        That of the catalog; None where it lacks the device's or a NIC's.
    least_w : float
        Known power of its GPUs and NICs; 0 where none is known.
    most_w : float or None
        ``known_w``, else the rating of its power supplies; None where neither is known.
    filled_w : float
        The figure for filling racks: ``most_w``, else an assumption.
    basis : str
        What ``filled_w`` is: the figure of the ``catalog``, what its ``supplies`` deliver,
        ``assumed``, or ``unknown`` where the catalog has no power of any device to assume by.
    """

    known_w: float | None
    least_w: float
    most_w: float | None
    filled_w: float
    basis: PowerBasis


def device_power(group: GroupPlan, part: Part, units: int, catalog: Catalog) -> DevicePower:
    """The power of one device of a group.

    Parameters
    ----------
    group : GroupPlan
        A group whose part is in the catalog.
    part : Part
        That part; of a modular switch with the cards that it is ordered with.
    units : int
        U that the device takes, or is assumed to take.
    catalog : Catalog
        Where GPUs, and devices to assume by, are found.
    """
    own = power_range(part, catalog)
    extra, unknown = _extra_nics_w(group)
    least = own.least_w + extra
    if own.known_w is not None and not unknown:
        known = own.known_w + extra
        return DevicePower(known, known, known, known, "catalog")
    supplied = _supplied_w(part, catalog)
    if supplied is not None:
        most = max(supplied, least)
        return DevicePower(None, least, most, most, "supplies")
    guess = least + unknown * _most_of_nics_w(catalog) if own.known_w is not None else None
    guess = guess or _assumed_w(part, units, catalog)
    basis: PowerBasis = "assumed" if guess or least else "unknown"
    return DevicePower(None, least, None, max(guess, least), basis)


def _supplied_w(part: Part, catalog: Catalog) -> float | None:
    """What the power supplies deliver, also to a device whose own power is known."""
    return power_range(part.model_copy(update={"power_w": None}), catalog).most_w


def _extra_nics_w(group: GroupPlan) -> tuple[float, int]:
    """Watts of the NICs fitted beyond those that a node is sold with, and how many have none."""
    watts, unknown = 0.0, 0
    for slots, ports in group.port_groups.items():
        if group.host is None or ports.nic is None or slots not in group.host.slots:
            continue
        room = group.host.slots[slots]
        extra = ports.nics - (room.fitted if room.nic == ports.nic.id else 0)
        if extra > 0 and ports.nic.power_w is None:
            unknown += extra
        elif extra > 0:
            watts += extra * (ports.nic.power_w or 0.0)
    return watts, unknown


def _assumed_w(part: Part, units: int, catalog: Catalog) -> float:
    """Assumed watts where the catalog has neither power nor supplies of a device.

    A node is assumed to have the highest ratio of node power to GPU power in the catalog, or the
    highest power per GPU where GPU power is unknown; other devices the highest power per U of any
    switch. 0 where the catalog has no such figure.
    """
    if not isinstance(part, Node):
        switches = [one for one in catalog if isinstance(one, Switch)]
        dense = [(one.power_w or 0.0) / one.rack_units for one in switches if one.rack_units]
        return units * max(dense, default=0.0)
    nodes = [one for one in catalog if isinstance(one, Node) and one.power_w is not None]
    watts = gpus_w(part, catalog)
    if watts is None:
        return part.gpus * max(((one.power_w or 0.0) / one.gpus for one in nodes), default=0.0)
    by_gpus = [(one.power_w or 0.0, gpus_w(one, catalog)) for one in nodes]
    return watts * max((power / gpus for power, gpus in by_gpus if gpus), default=0.0)


def _most_of_nics_w(catalog: Catalog) -> float:
    return max((nic.power_w or 0.0 for nic in catalog.of_kind("nic")), default=0.0)
