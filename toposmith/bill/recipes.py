"""All combinations of catalog parts that build a link, of any length.

The rules are those of NVIDIA's LinkX documents (100G-PAM4 product line overview, 400GbE/NDR
interconnect requirements): a plug must fit the cage and carry exactly the ports behind it, both
ends of a fibre take the same kind of light, and a part is used only as far as it reaches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from toposmith.bill.link_cages import LinkCage, cage_of_port, device_of, fills_plugs, socket_of
from toposmith.catalog import Cable, CableEnd, Catalog, Fibre, Nic, Switch, Transceiver
from toposmith.catalog.platforms import Taken, taken_by
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.racks.connections import PortPair


@dataclass(frozen=True)
class Doubt:
    """A plug that the device at one end of a link is not known to accept.

    Parameters
    ----------
    end : str
        The end, ``leaf`` or ``node.compute``.
    plug : Cable or Transceiver
        What is plugged in there.
    device : Switch or Nic
        What it is plugged into.
    why : str
        ``to be coded`` or ``not listed``, as of :func:`~toposmith.catalog.platforms.taken_by`.
    """

    end: str
    plug: Cable | Transceiver
    device: Switch | Nic
    why: Taken


@dataclass(frozen=True)
class Recipe:
    """The parts of the connections of one link.

    Parameters
    ----------
    body : Cable or Fibre
        The cable or fibre between the devices.
    length_m : float or None
        Length to order; None where the link's length is not known.
    carried : int
        Connections that one body carries.
    bodies : int
        Bodies that one connection takes: 2 where two fibres make one port, else 1.
    split_at : str or None
        The group where the single end of a splitter plugs in; None for a straight body.
    modules : tuple of (str, Transceiver)
        The transceiver at each group of the link; empty where plugs are part of the cable.
    doubts : tuple of Doubt
        Ends whose device is not known to accept its plug.
    """

    body: Cable | Fibre
    length_m: float | None
    carried: int = 1
    bodies: int = 1
    split_at: str | None = None
    modules: tuple[tuple[str, Transceiver], ...] = ()
    doubts: tuple[Doubt, ...] = ()

    @property
    def not_listed(self) -> bool:
        """Whether the maker of a plug does not list the platform that it goes into."""
        return any(doubt.why == "not listed" for doubt in self.doubts)

    @property
    def reach_m(self) -> float:
        """Reach of the parts together, m."""
        if isinstance(self.body, Cable):
            return self.body.reach_m
        return min(self.body.reach_m, *(m.reach_over(self.body) for _, m in self.modules))

    @property
    def is_alike(self) -> bool:
        """Whether both ends have the same parts."""
        return self.split_at is None and len({module.id for _, module in self.modules}) < 2

    @property
    def key(self) -> tuple[object, ...]:
        """A key equal for equal recipes."""
        modules = tuple((group, module.id) for group, module in self.modules)
        return self.body.id, self.length_m, self.carried, self.bodies, self.split_at, modules

    @property
    def of_splitter(self) -> tuple[object, ...]:
        """A key equal for interchangeable splitters of any links: part, length and module."""
        module = self.module_at(self.split_at) if self.split_at is not None else None
        return self.body.id, self.length_m, self.carried, module.id if module else None

    def plug_at(self, group: str) -> str:
        """The part in the cage at a group: its transceiver, or the cable itself."""
        module = self.module_at(group)
        return module.id if module is not None else self.body.id

    def module_at(self, group: str) -> Transceiver | None:
        """The transceiver at a group, or None where the cable brings its plug."""
        return dict(self.modules).get(group)


@dataclass(frozen=True)
class SocketEnd:
    """One end of a link with its cage and the device that has it."""

    end: LinkEnd
    socket: LinkCage
    device: Switch | Nic | None

    def doubts(self, plug: Cable | Transceiver, end: CableEnd | None = None) -> list[Doubt] | None:
        """Doubts about a plug at this end; None where its maker excludes the device."""
        if self.device is None:
            return []
        why = taken_by(plug, self.device, end)
        if why == "excluded":
            return None
        return [] if why == "taken" else [Doubt(self.end.label, plug, self.device, why)]


def socket_ends(plan: Plan, link: LinkPlan) -> tuple[SocketEnd, SocketEnd]:
    """Both ends of a sound link with what is plugged in there."""
    a, b = (SocketEnd(end, socket_of(plan, end), device_of(plan, end)) for end in (link.a, link.b))
    return a, b


def fitting_recipes(
    plan: Plan, link: LinkPlan, catalog: Catalog, *, any_sink: bool = False
) -> Iterator[Recipe]:
    """All recipes of a link, without a length to order.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    link : LinkPlan
        A sound link.
    catalog : Catalog
        Where cables, transceivers and fibres are looked up.
    any_sink : bool
        Whether to look only at transceivers, also those whose heat sink the cage does not take.
    """
    ends = socket_ends(plan, link)
    found = chain(
        () if any_sink else _cables(plan, link, ends, catalog),
        _optics(link, ends, catalog, any_sink=any_sink),
    )
    # between switches of one group both ends are alike: no end is the one that splits
    yield from (recipe for recipe in found if not link.is_self or recipe.is_alike)


def _cables(
    plan: Plan, link: LinkPlan, ends: tuple[SocketEnd, SocketEnd], catalog: Catalog
) -> Iterator[Recipe]:
    for cable in catalog.of_kind("cable"):
        if not isinstance(cable, Cable) or link.protocol not in cable.protocols:
            continue
        for near, far in (ends, ends[::-1]):
            carried = _ports_of(cable.a, near, link.speed_gbit)
            leg = _ports_of(cable.b, far, link.speed_gbit)
            if not carried or carried != leg * cable.b.plugs or cable.a.plugs != 1:
                continue
            if not fills_plugs(plan, link, far.end, leg):
                continue
            here, there = near.doubts(cable, cable.a), far.doubts(cable, cable.b)
            if here is None or there is None:
                continue
            doubts = (*here, *there)
            if cable.b.plugs > 1:
                split_at = near.end.group
                yield Recipe(cable, None, carried, split_at=split_at, doubts=doubts)
                continue
            if fills_plugs(plan, link, near.end, carried):
                yield Recipe(cable, None, carried, doubts=doubts)
            if not doubts:
                break  # a straight cable that both ends take has no direction


def _ports_of(plug: CableEnd, end: SocketEnd, speed_gbit: int) -> int:
    """Connections that a plug carries in this socket; 0 where it does not belong there."""
    socket = end.socket
    fits = socket.takes(plug.cage) and socket.takes_heat_sink(plug.heat_sink)
    return socket.ports if fits and plug.speed_gbit == socket.ports * speed_gbit else 0


def _optics(
    link: LinkPlan, ends: tuple[SocketEnd, SocketEnd], catalog: Catalog, *, any_sink: bool = False
) -> Iterator[Recipe]:
    here, there = (_modules(link, end, catalog, any_sink) for end in ends)
    for (near, ones), (far, others) in (
        ((ends[0], here), (ends[1], there)),
        ((ends[1], there), (ends[0], here)),
    ):
        for one, of_one in ones:
            if one.ports * one.speed_gbit != near.socket.ports * link.speed_gbit:
                continue
            for other, of_other in others:
                if one.fibre != other.fibre:
                    continue
                modules = ((near.end.group, one), (far.end.group, other))
                doubts = (*of_one, *of_other)
                if near is ends[0] and _is_straight(link, one, other, far):
                    bodies = link.speed_gbit // one.speed_gbit
                    for fibre in _fibres(one, other, 1, catalog):
                        yield Recipe(fibre, None, 1, bodies, modules=modules, doubts=doubts)
                if _is_split(link, one, other, far):
                    for fibre in _fibres(one, other, 2, catalog):
                        yield Recipe(fibre, None, 2, 1, near.end.group, modules, doubts)


def _modules(
    link: LinkPlan, end: SocketEnd, catalog: Catalog, any_sink: bool
) -> list[tuple[Transceiver, list[Doubt]]]:
    """Modules for one end, with what is not known of each there."""
    found = []
    for module in catalog.of_kind("transceiver"):
        if (
            isinstance(module, Transceiver)
            and (not module.linear or module.id in link.wants.modules)
            and link.protocol in module.protocols
            and end.socket.takes(module.cage)
            and (any_sink or end.socket.takes_heat_sink(module.heat_sink))
            and (doubts := end.doubts(module)) is not None
        ):
            found.append((module, doubts))
    return found


def _is_straight(link: LinkPlan, one: Transceiver, other: Transceiver, far: SocketEnd) -> bool:
    return (
        one.speed_gbit == other.speed_gbit
        and link.speed_gbit % one.speed_gbit == 0
        and other.ports * other.speed_gbit == far.socket.ports * link.speed_gbit
    )


def _is_split(link: LinkPlan, one: Transceiver, other: Transceiver, far: SocketEnd) -> bool:
    """Half of a module's fibre port each way; the far module then runs half its lanes."""
    return (
        one.splits
        and one.speed_gbit == 2 * link.speed_gbit
        and other.speed_gbit in (link.speed_gbit, one.speed_gbit)
        and other.ports == far.socket.ports
    )


def _fibres(
    one: Transceiver, other: Transceiver, ends_b: Literal[1, 2], catalog: Catalog
) -> Iterator[Fibre]:
    """Fibres with the connector of both modules and that many far ends."""
    connectors = {one.connector, other.connector}
    for fibre in catalog.of_kind("fibre"):
        if (
            isinstance(fibre, Fibre)
            and fibre.fibre == one.fibre
            and fibre.ends_b == ends_b
            and {fibre.connector} == connectors
            and fibre.joins_modules
        ):
            yield fibre


SharedBy = tuple[object, ...]


def shared_by(plan: Plan, link: LinkPlan, connection: PortPair, recipe: Recipe | None) -> SharedBy:
    """What connections that share a cable have in common: a pair, or the device that splits."""
    a, b, port_a, port_b = connection
    if recipe is None or recipe.carried == 1:
        return connection
    cage_a, cage_b = _cage(plan, link.a, port_a), _cage(plan, link.b, port_b)
    if recipe.split_at is None:
        return a, b, cage_a, cage_b
    return (a, cage_a) if recipe.split_at == link.a.group else (b, cage_b)


def splitter_of(
    plan: Plan, link: LinkPlan, recipe: Recipe, device: int
) -> tuple[object, ...] | None:
    """What links that share a splitter have in common: its switch, mode, part and length.

    None where it splits at a node, or what it splits is no splitter.
    """
    if recipe.split_at is None or link.is_self or plan.groups[recipe.split_at].switch is None:
        return None
    mode = (link.speed_gbit, link.end_of(recipe.split_at).breakout)
    return recipe.split_at, device, *recipe.of_splitter, mode


def _cage(plan: Plan, end: LinkEnd, port: int) -> int:
    if not end.ports:
        return -1
    return cage_of_port(plan.groups[end.group], end.ports).get(port, (port, 0))[0]
