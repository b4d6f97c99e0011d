"""What devices and ports are called in the cable schedule (`docs/cable-schedule.md`)."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.oracle.expansion import FIRST_SINGLE, Cable, Device, Fabric, PortOfNode, fitted
from tests.oracle.parts import Part, part


def device_name(fabric: Fabric, device: Device) -> str:
    """`node-su0-3` is the fourth node of SU 0; a lone instance of its place has no last number.

    Where a group's name begins another's, up to a hyphen, its devices have dots instead.
    """
    group = fabric.document.groups[device.group]
    named = [f"{axis}{value}" for axis, value in device.at[:-1]]
    if not group.per or group.count > 1:
        named.append(str(device.at[-1][1]))
    begins_another = any(name.startswith(f"{group.name}-") for name in fabric.document.groups)
    return ("." if begins_another else "-").join([device.group, *named])


def port_name(fabric: Fabric, device: Device, port: PortOfNode) -> str:
    """The name of a node's port: by the maker's cages where its own NICs are in, else by slot."""
    nic_name, nics = fitted(fabric.document, device.group)[port.slots]
    ports = part(nic_name)["ports"]
    body = fabric.part_of(device)["slots"][port.slots]
    if body.get("ports_across_nics", False):
        place, slot = divmod(port.number, nics)
    else:
        slot, place = divmod(port.number, ports)
    cages: dict[str, list[int]] = body.get("cages") or {}
    if cages and nic_name == body.get("nic"):
        for cage, slots in cages.items():
            if slot in slots:
                return f"{cage} P{slots.index(slot) * ports + place + 1}"
    return f"{port.slots}{slot}" + (f" P{place + 1}" if ports > 1 else "")


_SWITCH_PORT = re.compile(r"swp(\d+)(?:s(\d+))?|(\d+)(?:/(\d+))?(?:/(\d+))?")


def place_in_cage(switch: Part, ports: int, label: str) -> tuple[int, int]:
    """Cage and port within it, both from 0, of a port by its label; ValueError if it is none.

    ``ports`` is how many the cage is split into.
    """
    found = _SWITCH_PORT.fullmatch(label)
    if found is None:
        raise ValueError(f"{label} is no port of {switch['id']}")
    native = switch["cages"]["modes"][0]
    is_split = ports != native["ports"]
    if found[1]:
        parts_of_label = [int(found[1]) - 1, int(found[2])] if found[2] else [int(found[1]) - 1]
        expected = 2 if is_split else 1
    else:
        parts_of_label = [int(piece) - 1 for piece in found.groups()[2:] if piece]
        expected = 1 + (native["ports"] > 1) + is_split
    if len(parts_of_label) != expected or min(parts_of_label) < 0:
        raise ValueError(f"{label} is no port of {switch['id']} of {ports} to a cage")
    if expected == 1:
        return parts_of_label[0], 0
    if expected == 2:
        return parts_of_label[0], parts_of_label[1]
    return parts_of_label[0], parts_of_label[1] * (ports // native["ports"]) + parts_of_label[2]


def switch_cables(fabric: Fabric) -> dict[Device, list[Cable]]:
    """Cables of every switch in the order in which they take its ports: link, peer, rank.

    The single cables of a link come behind those that it deals, in the order of their list.
    """
    found: dict[Device, list[tuple[tuple[object, ...], Cable]]] = defaultdict(list)
    order = {device: index for index, device in enumerate(fabric.devices)}
    for cable in fabric.cables:
        for device, peer in ((cable.a, cable.b), (cable.b, cable.a)):
            if fabric.kind(device) == "switch":
                place = 0 if cable.rank >= FIRST_SINGLE else order[peer]
                key = (cable.link, cable.rank >= FIRST_SINGLE, place, cable.rank)
                found[device].append((key, cable))
    return {
        device: [cable for _, cable in sorted(keyed, key=lambda pair: pair[0])]
        for device, keyed in found.items()
    }
