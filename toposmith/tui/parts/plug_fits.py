"""Whether a plug goes into a cage and carries what its ports run; the reason where it does not.

The bill of materials chooses parts by stricter rules, since it also counts ports; what is refused
here is refused there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.bill.link_cages import LinkCage, socket_of
from toposmith.catalog import Cable, CableEnd, Nic, Switch, Transceiver
from toposmith.catalog.part_text import cage_name, protocols
from toposmith.catalog.parts import Cage, HeatSink, Protocol
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.text import plain_number


@dataclass(frozen=True)
class PortCages:
    """The cages of a part or of one end of a link.

    Parameters
    ----------
    cage, heat_sink
        What goes in mechanically; a heat sink of None takes any.
    protocols : tuple of str
        What its ports speak.
    speeds : tuple of int
        What its ports run, Gb/s, the native speed first.
    plugs : tuple of int
        What a plug may carry together, Gb/s: one port, or all of a cage.
    """

    cage: Cage
    heat_sink: HeatSink | None
    protocols: tuple[Protocol, ...]
    speeds: tuple[int, ...]
    plugs: tuple[int, ...]

    def refuses(self, other: PortCages, me: str = "the ports") -> str:
        """Why a link to other cages would not run; empty where it would."""
        if not set(self.protocols) & set(other.protocols):
            return f"speaks {protocols(other.protocols)}, {me} {protocols(self.protocols)}"
        if not set(self.speeds) & set(other.speeds):
            return f"runs {_speeds(other.speeds)}, {me} {_speeds(self.speeds)}"
        return ""

    def refuses_plug(self, cage: Cage, heat_sink: HeatSink | None, speaks: Iterable[str]) -> str:
        """Why a plug does not go in, at any speed; empty where it does."""
        if self.cage == "virtual":
            return "the provider cables these ports"
        socket = LinkCage(self.cage, self.heat_sink, 1)
        if not socket.takes(cage):
            return f"{cage_name(cage)} plug, the cages are {cage_name(self.cage)}"
        if not socket.takes_heat_sink(heat_sink):
            return f"{heat_sink} plug, the cages take {self.heat_sink} ones"
        if not set(self.protocols) & set(speaks):
            return f"for {protocols(speaks)}, the ports speak {protocols(self.protocols)}"
        return ""


def nic_place(nic: Nic) -> PortCages:
    """The cages of a NIC, which also runs half its lanes (HDR as HDR100)."""
    half = (nic.speed_gbit // 2,) if nic.lanes > 1 else ()
    speeds = (nic.speed_gbit, *half)
    # built-in NICs share twin-port cages, so a plug may carry two of them
    plugs = (*speeds, 2 * nic.speed_gbit)
    return PortCages(nic.cage, nic.heat_sink, nic.protocols, speeds, plugs)


def switch_place(switch: Switch) -> PortCages:
    """The cages of a switch in all the modes that they have."""
    modes = switch.cages.modes
    speeds = tuple(mode.speed_gbit for mode in modes)
    carried = {ports * mode.speed_gbit for mode in modes for ports in (1, mode.ports)}
    cages = switch.cages
    return PortCages(
        cages.cage, cages.heat_sink, (switch.protocol,), speeds, tuple(sorted(carried))
    )


def link_places(plan: Plan, link: LinkPlan) -> tuple[PortCages, PortCages]:
    """The cages at both ends of a link, at the speed that it runs."""
    speed = link.speed_gbit

    def place(socket: LinkCage) -> PortCages:
        plugs = (socket.ports * speed,)
        return PortCages(socket.cage, socket.heat_sink, (link.protocol,), (speed,), plugs)

    return place(socket_of(plan, link.a)), place(socket_of(plan, link.b))


def cable_refusal(cable: Cable, places: tuple[PortCages, ...], length: float | None = None) -> str:
    """Why a cable does not go in at one place, or between two; empty where it does.

    Of the two ways round the reason is that of the one that fails later: an end that fits says
    more than one that does not.
    """
    ways = []
    for ends in ((cable.a, cable.b), (cable.b, cable.a)):
        reasons = [_plug_refusal(cable, *pair) for pair in zip(ends, places, strict=False)]
        ways.append([reason for reason in reasons if reason])
    fewest = min(ways, key=len)
    if fewest:
        return fewest[0]
    if length is not None and length > cable.reach_m:
        return f"reaches {plain_number(cable.reach_m)} m, the link is {plain_number(length)} m long"
    return ""


def module_refusal(module: Transceiver, place: PortCages) -> str:
    """Why a transceiver does not go in; empty where it does."""
    refusal = place.refuses_plug(module.cage, module.heat_sink, module.protocols)
    if refusal:
        return refusal
    carries = module.ports * module.speed_gbit
    return "" if carries in place.plugs else _wrong_speed(carries, place)


def places_refusal(refusals: Iterable[str]) -> str:
    """Why none of several places will do: the first reason; empty where one does, or for none."""
    found = list(refusals)
    return found[0] if found and all(found) else ""


def _plug_refusal(cable: Cable, end: CableEnd, place: PortCages) -> str:
    refusal = place.refuses_plug(end.cage, end.heat_sink, cable.protocols)
    if refusal:
        return refusal
    return "" if end.speed_gbit in place.plugs else _wrong_speed(end.speed_gbit, place)


def _wrong_speed(carries: int, place: PortCages) -> str:
    return f"{carries} Gb/s plug, the cages take {_speeds(place.plugs)}"


def _speeds(speeds: Iterable[int]) -> str:
    return f"{' or '.join(str(speed) for speed in speeds)} Gb/s"
