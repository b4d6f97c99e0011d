"""The cables that a design plans, and the selectors by which it calls them absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.topology.as_built.cabling import Cable, Cabling, End
from toposmith.topology.as_built.names import key_of
from toposmith.topology.exports.cable_schedule.ports import port_labels
from toposmith.topology.racks.instances import coordinates
from toposmith.topology.racks.names import device_names

if TYPE_CHECKING:
    from toposmith.topology.evaluation.evaluated import EvaluatedDesign
    from toposmith.topology.fabric.plan import GroupPlan, Plan


def planned_cabling(design: EvaluatedDesign, source: str) -> Cabling:
    """Every cable of a design's schedule, one for each connection."""
    cabling = Cabling(source, "design")
    for row in design.schedule:
        if row.fibre not in (None, 1):
            continue
        ends = []
        for end in (row.a, row.z):
            key = cabling.device(
                key_of(end.node), end.node, "host" if end.kind == "Host" else "switch"
            )
            if end.rack is not None and not cabling.devices[key].spot:
                unit = f" U{end.unit}" if end.unit is not None else ""
                cabling.devices[key].spot = f"{end.rack}{unit}"
            ends.append(End(key, end.port))
        cabling.cables.append(Cable(ends[0], ends[1], float(row.speed_gbit), row.label))
    for name, group in design.plan.groups.items():
        named = device_names(design.plan, name)
        for number in range(group.instances):
            device = cabling.devices.get(key_of(named(number)))
            if device is not None:
                device.group, device.number = name, number
                if group.switch is not None and group.switch.protocol == "infiniband":
                    device.cage_ports = group.switch.native.ports
    return cabling


class Selectors:
    """What ``absent:`` of a design calls its devices, ports and cables."""

    def __init__(self, plan: Plan, cabling: Cabling) -> None:
        self._plan, self._cabling = plan, cabling
        self._ports: dict[str, dict[str, tuple[str, int]]] = {}
        for link in plan.links:
            for end in (link.a, link.b):
                if end.ports:
                    labels = port_labels(plan.groups[end.group], end).labels
                    known = self._ports.setdefault(end.group, {})
                    for place, label in enumerate(labels):
                        known[label] = (end.ports, place)

    def device(self, key: str) -> str:
        """``leaf[su=0,rail=1]``."""
        device = self._cabling.devices[key]
        return instance(self._plan.groups[device.group], device.number)

    def cable(self, cable: Cable) -> str:
        """``node[su=0,node=3].compute[2]``, or ``1 of leaf[...] - spine[...]``."""
        for end in (cable.a, cable.z):
            device = self._cabling.devices[end.device]
            held = self._ports.get(device.group, {}).get(end.port)
            if held is not None:
                return f"{self.device(end.device)}.{held[0]}[{held[1]}]"
        return f"1 of {self.device(cable.a.device)} - {self.device(cable.z.device)}"


def instance(group: GroupPlan, number: int) -> str:
    """One instance of a group as selectors call it."""
    values = ",".join(
        f"{axis}={value}"
        for axis, value in zip(group.axes, coordinates(group, number), strict=True)
    )
    return f"{group.name}[{values}]"
