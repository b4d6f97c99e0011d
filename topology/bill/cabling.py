"""Which parts build a link: copper where its length is known and short, optics everywhere else.

The rules are those of NVIDIA's LinkX documents (100G-PAM4 product line overview, 400GbE/NDR
interconnect requirements): a plug must fit the cage and carry exactly the ports behind it, both
ends of a fibre take the same kind of light, and a part is used only as far as it reaches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from catalog import Cable, CableEnd, Catalog, Fibre, Transceiver
from topology.bill.sockets import Socket, fills_plugs, socket_of
from topology.fabric.plan import Finding, LinkEnd, LinkPlan, Plan

LENGTH_NOT_GIVEN = "length not given"

_MEDIA = ("dac", "acc", "aoc")
_COPPER = ("dac", "acc")


@dataclass(frozen=True)
class Recipe:
    """How the connections of one link are built.

    Parameters
    ----------
    body : Cable or Fibre
        What is laid between the devices.
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
    """

    body: Cable | Fibre
    length_m: float | None
    carried: int = 1
    bodies: int = 1
    split_at: str | None = None
    modules: tuple[tuple[str, Transceiver], ...] = ()

    @property
    def reach_m(self) -> float:
        """How far the parts reach together."""
        return min(self.body.reach_m, *(m.reach_m for _, m in self.modules), float("inf"))

    def module_at(self, group: str) -> Transceiver | None:
        """The transceiver at a group, or None where the cable brings its plug."""
        return dict(self.modules).get(group)


@dataclass(frozen=True)
class _End:
    """One end of a link with its socket."""

    end: LinkEnd
    socket: Socket


def choose_parts(
    plan: Plan, link: LinkPlan, catalog: Catalog
) -> tuple[Recipe | None, list[Finding]]:
    """Choose the parts of a link from the catalog.

    Parameters
    ----------
    plan : Plan
        The design; the length is that of the link in its document.
    link : LinkPlan
        A sound link.
    catalog : Catalog
        Where cables, transceivers and fibres are looked up.

    Returns
    -------
    (Recipe or None, list of Finding)
        None where the catalog cannot build the link; the finding says why. Copper comes before
        active optical cables, those before transceivers with fibres, and of several parts of one
        sort the one that reaches just far enough.
    """
    length = plan.design.links[link.index].length
    ends = (_End(link.a, socket_of(plan, link.a)), _End(link.b, socket_of(plan, link.b)))
    fitting = [*_cables(plan, link, ends, catalog), *_optics(link, ends, catalog)]
    reaching = [recipe for recipe in fitting if _reaches(recipe, length)]
    if reaching:
        return _cut_to_length(min(reaching, key=_rank), length), []
    if fitting:
        return None, [_no_cable(link, _too_far(fitting, length))]
    other_sinks = [r for r in _optics(link, ends, catalog, any_sink=True) if _reaches(r, length)]
    if other_sinks:
        best = min(other_sinks, key=_rank)
        return _cut_to_length(best, length), [_wrong_sink(link, ends, best)]
    return None, [_no_cable(link, f"nothing in the catalog joins {_joined(link, ends)}")]


def _cables(
    plan: Plan, link: LinkPlan, ends: tuple[_End, _End], catalog: Catalog
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
            if cable.b.plugs > 1:
                yield Recipe(cable, None, carried, split_at=near.end.group)
                continue
            if fills_plugs(plan, link, near.end, carried):
                yield Recipe(cable, None, carried)
            break  # a straight cable has no direction, once it fits


def _ports_of(plug: CableEnd, end: _End, speed_gbit: int) -> int:
    """Connections that a plug carries in this socket; 0 where it does not belong there."""
    socket = end.socket
    fits = socket.takes(plug.cage) and socket.takes_heat_sink(plug.heat_sink)
    return socket.ports if fits and plug.speed_gbit == socket.ports * speed_gbit else 0


def _optics(
    link: LinkPlan, ends: tuple[_End, _End], catalog: Catalog, *, any_sink: bool = False
) -> Iterator[Recipe]:
    for near, far in (ends, ends[::-1]):
        for one in _modules(link, near, catalog, any_sink):
            if one.ports * one.speed_gbit != near.socket.ports * link.speed_gbit:
                continue
            for other in _modules(link, far, catalog, any_sink):
                if one.fibre != other.fibre:
                    continue
                modules = ((near.end.group, one), (far.end.group, other))
                if near is ends[0] and _is_straight(link, one, other, far):
                    bodies = link.speed_gbit // one.speed_gbit
                    for fibre in _fibres(one, other, 1, catalog):
                        yield Recipe(fibre, None, 1, bodies, modules=modules)
                if _is_split(link, one, other, far):
                    for fibre in _fibres(one, other, 2, catalog):
                        yield Recipe(fibre, None, 2, 1, near.end.group, modules)


def _modules(link: LinkPlan, end: _End, catalog: Catalog, any_sink: bool) -> Iterator[Transceiver]:
    for module in catalog.of_kind("transceiver"):
        if (
            isinstance(module, Transceiver)
            and link.protocol in module.protocols
            and end.socket.takes(module.cage)
            and (any_sink or end.socket.takes_heat_sink(module.heat_sink))
        ):
            yield module


def _is_straight(link: LinkPlan, one: Transceiver, other: Transceiver, far: _End) -> bool:
    return (
        one.speed_gbit == other.speed_gbit
        and link.speed_gbit % one.speed_gbit == 0
        and other.ports * other.speed_gbit == far.socket.ports * link.speed_gbit
    )


def _is_split(link: LinkPlan, one: Transceiver, other: Transceiver, far: _End) -> bool:
    """Half of a module's fibre port each way; the far module then runs half its lanes."""
    return (
        one.speed_gbit == 2 * link.speed_gbit
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
        ):
            yield fibre


def _reaches(recipe: Recipe, length: float | None) -> bool:
    if length is None:
        return not (isinstance(recipe.body, Cable) and recipe.body.medium in _COPPER)
    return length <= recipe.reach_m and _ordered_length(recipe, length) is not None


def _ordered_length(recipe: Recipe, length: float) -> float | None:
    """The shortest length on sale that is long enough; the length itself where none is listed."""
    if isinstance(recipe.body, Fibre) or not recipe.body.lengths_m:
        return length
    return min((sold for sold in recipe.body.lengths_m if sold >= length), default=None)


def _cut_to_length(recipe: Recipe, length: float | None) -> Recipe:
    if length is None:
        return recipe
    return Recipe(
        recipe.body,
        _ordered_length(recipe, length),
        recipe.carried,
        recipe.bodies,
        recipe.split_at,
        recipe.modules,
    )


def _rank(recipe: Recipe) -> tuple[int, int, float, float, int, str, tuple[str, ...]]:
    body = recipe.body
    medium = _MEDIA.index(body.medium) if isinstance(body, Cable) else len(_MEDIA)
    return (
        medium,
        0 if recipe.split_at is None else 1,
        recipe.reach_m,
        sum(module.reach_m for _, module in recipe.modules),
        sum(module.speed_gbit for _, module in recipe.modules),
        body.id,
        tuple(module.id for _, module in recipe.modules),
    )


def _no_cable(link: LinkPlan, why: str) -> Finding:
    return Finding("no-cable", "warning", link.label, f"{why}; the bill lacks its cables")


def _too_far(fitting: list[Recipe], length: float | None) -> str:
    farthest = max(_longest(recipe) for recipe in fitting)
    if length is None:
        return f"only copper fits, up to {farthest:g} m; say the link's length"
    return f"{length:g} m are too far; the parts that fit reach {farthest:g} m"


def _longest(recipe: Recipe) -> float:
    sold = recipe.body.lengths_m if isinstance(recipe.body, Cable) else ()
    return min(recipe.reach_m, max(sold, default=recipe.reach_m))


def _wrong_sink(link: LinkPlan, ends: tuple[_End, _End], recipe: Recipe) -> Finding:
    wrong = [
        f"{module.id} at {end.end.label} is {module.heat_sink}, its cage takes "
        f"{end.socket.heat_sink} modules"
        for end in ends
        if (module := recipe.module_at(end.end.group)) is not None
        and not end.socket.takes_heat_sink(module.heat_sink)
    ]
    text = f"{' and '.join(wrong)}; the catalog has no other, order that version of it"
    return Finding("heat-sink", "warning", link.label, text)


def _joined(link: LinkPlan, ends: tuple[_End, _End]) -> str:
    words = [f"{_cage_words(end.socket)} ({end.end.label})" for end in ends]
    return f"{words[0]} to {words[1]} at {link.speed_gbit} Gb/s, {_protocol_words(link)}"


def _cage_words(socket: Socket) -> str:
    sink = f", {socket.heat_sink}" if socket.heat_sink else ""
    many = f" of {socket.ports} ports" if socket.ports > 1 else ""
    article = "an" if socket.cage == "osfp" else "a"
    return f"{article} {socket.cage.upper()} cage{many}{sink}"


def _protocol_words(link: LinkPlan) -> str:
    return "InfiniBand" if link.protocol == "infiniband" else "Ethernet"
