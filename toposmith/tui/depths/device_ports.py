"""The ports of one device: where each leads, and whether it is free, down or was never there.

By arithmetic on the design alone: nothing is expanded, so a device of a fabric of 131,072 GPUs is
looked into as fast as one of eight. A design says how many cables join two switches, not into
which cage each goes; ports of switches are numbered in the order of the file's links.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Literal

from toposmith.fabric.dealing import Coordinates, peer_axes, port_peer
from toposmith.fabric.faults import Faults
from toposmith.fabric.once import once
from toposmith.fabric.plan import (
    GroupPlan,
    LinkEnd,
    LinkPlan,
    Plan,
    PlannedCable,
    PlannedEnd,
)
from toposmith.fabric.relations import peers_at
from toposmith.fabric.single_cables import dealt_at
from toposmith.fabric.slow_cables import SlowCables
from toposmith.tui.depths.places import DeviceInstance, coordinates, device_at

State = Literal["cabled", "free", "down", "absent"]
MOST_PORTS = 1024
"""Ports of a device that are shown; designs that ask for more than it has may ask for millions."""


@dataclass(frozen=True)
class Jack:
    """A port that every device of a group has.

    Parameters
    ----------
    ports : str
        The slot group of a node; empty for a switch.
    number : int
        Its number, within the slot group or the switch.
    link : LinkPlan or None
        What it serves; None where it is free.
    card : int
        The cable's number among those that the link has at one device.
    speed_gbit : int
        Gb/s that it runs.
    cage : int
        The switch's cage that it is in; a node's cage is a port.
    beyond : bool
        Whether the device has no such port: links ask for more than there are.
    """

    ports: str
    number: int
    link: LinkPlan | None = None
    card: int = 0
    speed_gbit: int = 0
    cage: int = 0
    beyond: bool = False


@dataclass(frozen=True)
class Port:
    """A port of one device, with what is at its other end."""

    jack: Jack
    state: State
    peer: DeviceInstance | None = None
    peer_port: tuple[str, int] | None = None
    why: str = ""
    cable: PlannedCable | None = None
    """The single cable that is in it."""
    slow_gbit: float | None = None
    """What its cable runs, Gb/s, where that is less than the speed of its link."""


def jacks(plan: Plan, group: str) -> tuple[Jack, ...]:
    """The ports that every device of a group has, in order, those beyond its own included."""
    whole = plan.groups[group]
    if whole.switch is not None:
        return _switch_jacks(plan, whole)
    found: list[Jack] = []
    for name, slots in whole.port_groups.items():
        speed = slots.nic.speed_gbit if slots.nic else 0
        taken: dict[int, tuple[LinkPlan, int]] = {}
        for link in plan.links_of(group):
            end = link.end_of(group)
            if end.ports == name:
                many = min(link.cables_at(group), MOST_PORTS)
                taken |= {end.first_port + card: (link, card) for card in range(many)}
        for number in range(max(slots.ports, max(taken, default=-1) + 1)):
            used = taken.get(number)
            beyond = number >= slots.ports
            if used is None:
                found.append(Jack(name, number, speed_gbit=speed, cage=number, beyond=beyond))
            else:
                link, card = used
                found.append(Jack(name, number, link, card, link.speed_gbit, number, beyond))
    return tuple(found[:MOST_PORTS])


def port_of(plan: Plan, faults: tuple[Faults, Faults], device: DeviceInstance, jack: Jack) -> Port:
    """A port of one device, with its other end.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    faults : tuple of Faults
        What was never there, and that together with what is down.
    device : DeviceInstance
        Whose port it is.
    jack : Jack
        Which of its ports.
    """
    absent, gone = faults
    at = coordinates(plan, device)
    if absent.takes_device(device.group, at):
        return Port(jack, "absent", why="the device is absent")
    if jack.ports and absent.takes_port(device.group, jack.ports, jack.number, at):
        return Port(jack, "absent", why="the port is absent")
    if plan.single_cables and (single := _single(plan, gone, device, jack)) is not None:
        return single
    if jack.link is None:
        if (loose := _loose(plan, gone, device, jack)) is not None:
            return loose
        taken = jack.ports and gone.takes_port(device.group, jack.ports, jack.number, at)
        down = taken or gone.takes_device(device.group, at)
        return Port(jack, "down" if down else "free")
    if jack.link.bundle and jack.card >= _taken_at(plan, device, jack.link):
        return Port(jack, "free", why="this switch is dealt fewer cables")
    peer, other, turn = _other_end(plan, device, jack, jack.link)
    there = coordinates(plan, peer)
    if jack.ports and jack.beyond:
        return Port(jack, "absent", peer, other, "there is no such port")
    if other is not None and other[1] >= plan.groups[peer.group].port_groups[other[0]].ports:
        return Port(jack, "absent", peer, other, "its peer has no such port")
    for name, found in (("absent", absent), ("down", gone)):
        why = _why_gone(found, name, device, at, jack, peer, there, other)
        ends = (device.group, at), (peer.group, there)
        if not why and turn >= found.cables_left(*ends, jack.link.cables_per_pair):
            why = f"the cable is {name}"
        if why:
            return Port(jack, "absent" if name == "absent" else "down", peer, other, why)
    ends = (device.group, at), (peer.group, there)
    left = gone.cables_left(*ends, jack.link.cables_per_pair)
    slow = _slow_gbit(plan, jack.link, ends, (jack, other), turn, left)
    return Port(jack, "cabled", peer, other, slow_gbit=slow)


@once
def _slow_cables(plan: Plan) -> SlowCables:
    return SlowCables(plan)


def _slow_gbit(
    plan: Plan,
    link: LinkPlan,
    ends: tuple[tuple[str, Coordinates], tuple[str, Coordinates]],
    ports: tuple[Jack, tuple[str, int] | None],
    turn: int,
    left: int,
) -> float | None:
    """What a cable runs, Gb/s, where that is below the speed of its link.

    Of the cables of a pair that are left, the last are the slow ones.
    """
    if not plan.slow:
        return None
    jack, other = ports
    numbers = jack.number if jack.ports else None, None if other is None else other[1]
    if link.a.group != ends[0][0]:
        ends, numbers = (ends[1], ends[0]), (numbers[1], numbers[0])
    slow = _slow_cables(plan)
    if numbers == (None, None):
        for gbit, many in slow.between(link, *ends, left, of=link.cables_per_pair).items():
            left -= many
            if turn >= left:
                return gbit if gbit < link.speed_gbit else None
        return None
    gbit = slow.gbit(link, *ends, *numbers)
    return gbit if gbit < link.speed_gbit else None


def _loose(plan: Plan, gone: Faults, device: DeviceInstance, jack: Jack) -> Port | None:
    """The single cable in a free port of a switch, where one is.

    Cables that name no port, or one beyond those dealt, take the free ones in the file's order.
    """
    if jack.ports or not plan.single_cables:
        return None
    dealt = sum(link.cables_at(device.group) for link in plan.links_of(device.group))
    loose = [
        (cable, far)
        for cable, end, far in _laid_at(plan).get((device.group, device.values), ())
        if end.port is None or end.port >= dealt
    ]
    if not loose:
        return None
    free = [one.number for one in jacks(plan, device.group) if one.link is None and not one.beyond]
    at = free.index(jack.number) if jack.number in free else len(loose)
    if at >= len(loose):
        return None
    return _by_single_cable(plan, gone, device, jack, *loose[at])


@once
def _laid_at(
    plan: Plan,
) -> dict[tuple[str, tuple[int, ...]], list[tuple[PlannedCable, PlannedEnd, PlannedEnd]]]:
    """The single cables at each device, in the order of the file: this end, and the other."""
    found: dict[tuple[str, tuple[int, ...]], list[tuple[PlannedCable, PlannedEnd, PlannedEnd]]] = {}
    for cable in plan.single_cables:
        for end, far in ((cable.a, cable.b), (cable.b, cable.a)):
            found.setdefault((end.group, end.at), []).append((cable, end, far))
    return found


def _by_single_cable(
    plan: Plan,
    gone: Faults,
    device: DeviceInstance,
    jack: Jack,
    cable: PlannedCable,
    far: PlannedEnd,
) -> Port:
    """A port whose single cable leads to another device."""
    at = coordinates(plan, device)
    there = dict(zip(plan.groups[far.group].axes, far.at, strict=True))
    other = (far.ports, far.port) if far.ports and far.port is not None else None
    down = (
        gone.takes_device(device.group, at)
        or gone.takes_device(far.group, there)
        or (jack.ports and gone.takes_port(device.group, jack.ports, jack.number, at))
        or (other is not None and gone.takes_port(far.group, *other, there))
        or gone.takes_cables((device.group, at), (far.group, there))
    )
    peer = device_at(plan, far.group, there)
    return Port(jack, "down" if down else "cabled", peer, other, "a single cable", cable)


def _single(plan: Plan, gone: Faults, device: DeviceInstance, jack: Jack) -> Port | None:
    """The port where a single cable is in it, or took the place of its dealt one; else None."""
    here, number = (device.group, device.values), _number(plan, device, jack)
    if number is None:
        return None
    for cable, end, far in _laid_at(plan).get(here, ()):
        if end.port == number and end.ports == jack.ports:
            return _by_single_cable(plan, gone, device, jack, cable, far)
    dealt = dealt_at(plan, PlannedEnd(*here, jack.ports, number))
    if dealt is None or dealt not in plan.replaced:
        return None
    return Port(jack, "free", why="its cable goes elsewhere")


def _taken_at(plan: Plan, device: DeviceInstance, link: LinkPlan) -> int:
    """The cables of a link that a switch has; where these are dealt some have one fewer."""
    if not link.bundle:
        return link.cables_at(device.group)
    return len(peers_at(plan, link, link.end_of(device.group), device.values))


def _number(plan: Plan, device: DeviceInstance, jack: Jack) -> int | None:
    """The number of a port in the file; None for free ones of a switch, which are not in order."""
    if jack.ports:
        return jack.number
    if jack.link is None:
        return None
    links = plan.links_of(device.group)
    before = links[: next(at for at, link in enumerate(links) if link.index == jack.link.index)]
    return sum(_taken_at(plan, device, link) for link in before) + jack.card


def alike(plan: Plan, faults: tuple[Faults, Faults], group: str, jack: Jack) -> Port | None:
    """The port as it is at every device of the group; None where devices may differ.

    Its other end is left out: this is for signs, of which a view of switches has thousands.
    """
    if faults[1].any or jack.beyond or plan.single_cables or plan.slow:
        return None
    if jack.link is None:
        return Port(jack, "free")
    if jack.link.bundle:
        return None
    end = jack.link.end_of(group)
    far = jack.link.b if end is jack.link.a else jack.link.a
    last = far.first_port + jack.link.cables_at(far.group)
    if far.ports and last > plan.groups[far.group].port_groups[far.ports].ports:
        return None
    return Port(jack, "cabled")


def axes_of_peers(link: LinkPlan, group: str) -> tuple[str, ...]:
    """The axes whose values distinguish the peers of a device over a link."""
    own = link.b_only if link.a.group == group else link.a_only
    return (*(axis for axis, _ in link.along), *own)


def faults_of(plan: Plan) -> tuple[Faults, Faults]:
    """What was never there, and that together with what is down."""
    return Faults(plan, without_down=False), Faults(plan, without_down=True)


def _why_gone(
    found: Faults,
    name: str,
    device: DeviceInstance,
    at: Coordinates,
    jack: Jack,
    peer: DeviceInstance,
    there: Coordinates,
    other: tuple[str, int] | None,
) -> str:
    if not found.any:
        return ""
    if found.takes_device(device.group, at):
        return f"the device is {name}"
    if jack.ports and found.takes_port(device.group, jack.ports, jack.number, at):
        return f"the port is {name}"
    if found.takes_device(peer.group, there):
        return f"its peer is {name}"
    if other is not None and found.takes_port(peer.group, *other, there):
        return f"its peer's port is {name}"
    return ""


def _switch_jacks(plan: Plan, group: GroupPlan) -> tuple[Jack, ...]:
    """Ports by breakout mode in the order of the links; then what is left, in the native mode."""
    switch = group.switch
    assert switch is not None
    modes: dict[tuple[int, int], list[LinkPlan]] = {}
    for link in plan.links_of(group.name):
        mode = (link.speed_gbit, link.end_of(group.name).breakout)
        modes.setdefault(mode, []).append(link)
    found: list[Jack] = []
    cage = 0
    for (speed, lanes), links in modes.items():
        uses = ((link, card) for link in links for card in range(link.cables_at(group.name)))
        lane = 0
        for link, card in islice(uses, MOST_PORTS):
            here = cage + lane // lanes
            beyond = here >= switch.cages.count
            found.append(Jack("", len(found), link, card, speed, here, beyond))
            lane += 1
        for spare in range(-lane % lanes):
            here = cage + (lane + spare) // lanes
            beyond = here >= switch.cages.count
            found.append(Jack("", len(found), speed_gbit=speed, cage=here, beyond=beyond))
        cage += ceil(lane / lanes)
    native = switch.native
    for number in range(cage, switch.cages.count):
        for _ in range(native.ports):
            found.append(Jack("", len(found), speed_gbit=native.speed_gbit, cage=number))
    return tuple(found[:MOST_PORTS])


def _other_end(
    plan: Plan, device: DeviceInstance, jack: Jack, link: LinkPlan
) -> tuple[DeviceInstance, tuple[str, int] | None, int]:
    """The device at the other end, its port where known, and which of their cables it is.

    Where some cables of a pair are gone, they are those of the highest numbers.
    """
    end = link.end_of(device.group)
    far = link.b if end is link.a else link.a
    here = coordinates(plan, device)
    if jack.ports:
        dealt = port_peer(plan, link, end, jack.number)
        assert dealt is not None
        turn = jack.card // max(link.peers_of_a if end is link.a else link.peers_of_b, 1)
    elif link.along:
        index, turn = divmod(jack.card, link.cables_per_pair)
        met = peers_at(plan, link, end, device.values)[index]
        there = dict(zip(plan.groups[far.group].axes, met, strict=True))
        return device_at(plan, far.group, there), None, turn
    else:
        index, turn = divmod(jack.card, link.cables_per_pair)
        dealt = _peer_number(plan, link, end, index)
    shared = {axis: here[axis] for axis in link.shared}
    peer = device_at(plan, far.group, {**shared, **dealt})
    if not far.ports:
        return peer, None, turn
    rank = 0
    for axis in peer_axes(link, far):
        rank = rank * plan.size(axis) + here[axis]
    peers = link.peers_of_a if far is link.a else link.peers_of_b
    return peer, (far.ports, far.first_port + turn * peers + rank), turn


def _peer_number(plan: Plan, link: LinkPlan, end: LinkEnd, index: int) -> dict[str, int]:
    values: dict[str, int] = {}
    for axis in reversed(peer_axes(link, end)):
        index, values[axis] = divmod(index, plan.size(axis))
    return values
