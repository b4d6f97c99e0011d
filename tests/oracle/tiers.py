"""Tiers of switches by their distance from the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tests.oracle.expansion import Fabric, slots_of
from tests.oracle.parts import part
from tests.oracle.traffic import used_slots


@dataclass(frozen=True)
class Tier:
    switches: int
    ports_down: int
    ports_up: int
    oversubscription: Fraction | None


def tiers(fabric: Fabric) -> list[Tier]:
    """From the leaves up; of the nodes' ports those that collectives use."""
    level = _levels(fabric)
    found = []
    for here in range(1, max(level.values(), default=0) + 1):
        down: list[int] = []  # Gb/s of every port, 0 of what is down
        up: list[int] = []
        for cable in fabric.cables:
            for device in (cable.a, cable.b):
                peer = cable.other(device)
                if level.get(device.group) != here or peer.group not in level:
                    continue
                port = cable.end(peer)
                if port is not None and port.slots != used_slots(fabric, peer.group):
                    continue
                gbit = fabric.runs_gbit(cable) if fabric.is_live(cable) else 0
                if level[peer.group] < here:
                    down.append(gbit)
                elif level[peer.group] > here:
                    up.append(gbit)
        switches = sum(level.get(device.group) == here for device in fabric.devices)
        ratio = Fraction(sum(down), sum(up)) if sum(up) else None
        found.append(Tier(switches, len(down), len(up), ratio))
    return found


def _levels(fabric: Fabric) -> dict[str, int]:
    document = fabric.document
    kinds = {name: part(group.part)["kind"] for name, group in document.groups.items()}
    level = {name: 0 for name, kind in kinds.items() if kind == "node"}
    front = list(level)
    while front:
        reached = []
        for link in document.links:
            for end, peer in ((link.a, link.b), (link.b, link.a)):
                is_used = slots_of(document, end) in (None, used_slots(fabric, end.group))
                is_new = kinds[peer.group] == "switch" and peer.group not in level
                if end.group in front and is_used and is_new:
                    level[peer.group] = level[end.group] + 1
                    reached.append(peer.group)
        front = reached
    return level
