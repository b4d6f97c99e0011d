"""The single cables that a design plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd, is_management, key_of
from toposmith.racks.locked_devices import device_names

if TYPE_CHECKING:
    from toposmith.evaluation.evaluated import EvaluatedDesign


def planned_cabling(design: EvaluatedDesign, source: str) -> Cabling:
    """Every cable of a design's schedule, one for each connection.

    Cables of management ports are left out, as they are of dumps.
    """
    cabling = Cabling(source, "design")
    for row in design.schedule:
        if row.fibre not in (None, 1) or is_management(row.a.port) or is_management(row.z.port):
            continue
        ends = []
        for end in (row.a, row.z):
            key = cabling.device(
                key_of(end.node), end.node, "host" if end.kind == "Host" else "switch"
            )
            if end.rack is not None and not cabling.devices[key].spot:
                unit = f" U{end.unit}" if end.unit is not None else ""
                cabling.devices[key].spot = f"{end.rack}{unit}"
            ends.append(ListedEnd(key, end.port))
        cabling.cables.append(ListedCable(ends[0], ends[1], float(row.speed_gbit), row.label))
    for name, group in design.plan.groups.items():
        named = device_names(design.plan, name)
        for number in range(group.instances):
            device = cabling.devices.get(key_of(named(number)))
            if device is not None:
                device.group, device.number = name, number
    return cabling
