"""A port in signs and words: its state, where it leads, and the load on it."""

from __future__ import annotations

from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.tui.canvas.canvas_glyphs import Ink, clean
from toposmith.tui.canvas.trunk_figures import TrunkFigure
from toposmith.tui.depths.device_ports import Jack, Port, axes_of_peers
from toposmith.tui.depths.place_loads import ABSENT, DOWN, FREE, SLOW, Loads, load_words, sign_of
from toposmith.tui.depths.places import DeviceInstance, coordinates, selector


def purpose(jack: Jack) -> tuple[str, int | None, bool]:
    """What a port serves: ports of one purpose stand under one heading."""
    return jack.ports, jack.link.index if jack.link else None, jack.beyond


def port_sign(port: Port, loads: Loads) -> tuple[str, Ink]:
    """The sign and the ink of a port: its state, and its load where it is cabled."""
    if port.jack.beyond:
        return DOWN, Ink.ERROR
    if port.state == "free":
        return FREE, Ink.DETAIL
    if port.state == "down":
        return DOWN, Ink.ERROR
    if port.state == "absent":
        return ABSENT, Ink.DETAIL
    if port.slow_gbit is not None:
        return SLOW, Ink.WARNING
    return sign_of(_load(port, loads))


def _load(port: Port, loads: Loads) -> TrunkFigure | None:
    """The load on the link that the cable in a port is of."""
    if port.cable is not None:
        return loads.of_link(port.cable.link)
    link = port.jack.link
    return loads.of_link(link.index) if link else None


def port_words(plan: Plan, device: DeviceInstance, port: Port, loads: Loads) -> tuple[str, ...]:
    """What is said of a port: its name and state, its other end, and its load."""
    jack = port.jack
    name = selector(plan, device)
    here = f"{name}.{jack.ports}[{jack.number}]" if jack.ports else f"{name} port {jack.number}"
    speed = f"{jack.speed_gbit} Gb/s" if jack.speed_gbit else ""
    if jack.beyond:
        return here, "there is no such port: links ask for more than the part has"
    if port.peer is None:
        words = port.why or port.state
        return here, ", ".join(word for word in (words, speed) if word)
    there = selector(plan, port.peer)
    if port.peer_port is not None:
        there = f"{there}.{port.peer_port[0]}[{port.peer_port[1]}]"
    if port.state != "cabled":
        return f"{here} to {there}", f"{port.state}: {port.why}"
    figure = _load(port, loads)
    if port.slow_gbit is not None:
        speed = f"slow: {port.slow_gbit:g} of {jack.speed_gbit} Gb/s"
    single = f"{port.why}, " if port.why else ""
    return f"{here} to {there}", f"{single}{speed}, {load_words(figure)}"


def peer_label(plan: Plan, peer: DeviceInstance, link: LinkPlan | None, group: str) -> str:
    """The values that distinguish a peer from the others, joined by dots.

    A peer that the link does not lead to, which has a single cable, goes by its selector.
    """
    if link is None or peer.group != (link.b if link.a.group == group else link.a).group:
        return selector(plan, peer)
    own = axes_of_peers(link, group)
    at = coordinates(plan, peer)
    axes = [axis for axis in own if plan.size(axis) > 1]
    return ".".join(str(at[axis]) for axis in axes)


def heading(plan: Plan, group: str, jack: Jack) -> str:
    """``compute to leaf by rail`` over the ports of one link; ``ring x`` where it goes around.

    The axis comes early: four ports have room for few letters.
    """
    if jack.link is None:
        return f"{clean(jack.ports)} free".strip()
    end = jack.link.end_of(group)
    far = jack.link.b if end is jack.link.a else jack.link.a
    own = jack.link.b_only if end is jack.link.a else jack.link.a_only
    axes = [axis for axis in own if plan.size(axis) > 1 and axis != far.group]
    by = f" by {', '.join(axes)}" if axes else ""
    along = _along(jack.link)
    if jack.link.is_self and not jack.ports:
        return along
    by += f", {along}" if along else ""
    return f"{clean(jack.ports)} to {clean(far.group)}{by}".strip()


def _along(link: LinkPlan) -> str:
    """``ring x``, ``mesh place``, ``other group``: whom a link joins along its axes."""
    if link.bundle:
        return ", ".join(f"other {axis}" for axis, word in link.along if word == "other")
    names = {"next": "ring", "other": "mesh"}
    return ", ".join(f"{names.get(word, word)} {axis}" for axis, word in link.along)
