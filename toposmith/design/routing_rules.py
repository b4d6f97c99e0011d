"""The routing modes that a design allows: requirements of detours and dimension order."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toposmith.design.document import Design, Link, RoutingMode
from toposmith.design.loader import Location, shown
from toposmith.design.selectors import group_axes

DETOURS_NEED = "a link between switches with along: {axis: other}, as between groups of a dragonfly"
ORDER_NEEDS = "a link between switches with along: {axis: next}, as in a torus"
MINIMAL = "ideal, adaptive and static go with any"


def routing_problems(design: Design, mode: RoutingMode) -> Iterator[tuple[Location, str]]:
    """Find what rules out a routing mode: the place, and what is required.

    Parameters
    ----------
    design : Design
        Its groups and links.
    mode : str
        The routing mode of the document or the request.
    """
    between = {number: link for number, link in enumerate(design.links) if _of_switches(link)}
    words = {word for link in between.values() for word in link.along.values()}
    if mode == "detour" and "other" not in words:
        have = _have(design, words, DETOURS_NEED)
        yield ("routing",), f"detours pass through another group of switches; {have}"
        return
    if mode != "dimension-order":
        return
    if "next" not in words:
        have = _have(design, words, ORDER_NEEDS)
        yield ("routing",), f"dimension order goes around rings of switches; {have}"
        return
    joined = {end for link in between.values() if link.along for end in link.between}
    for number, link in between.items():
        if joined.isdisjoint(link.between):
            continue  # of a network beside the rings, such as that of storage
        moved = [axis for axis, word in link.along.items() if word != "same"]
        if len(moved) != 1 or set(link.along.values()) - {"same", "next", "other"}:
            text = (
                f"{shown(link.words)} does not go along one axis, and dimension-order routing "
                f"takes one after the other: expected links such as along: {{x: next}}; {MINIMAL}"
            )
            yield ("links", number), text


def _have(design: Design, words: Collection[str], needs: str) -> str:
    found = ", ".join(sorted(words)) if words else "no relation along an axis"
    if not words and not design.links:
        found = "no links"
    return f"found {found} between switches, expected {needs}; {MINIMAL}"


def dimensions(design: Design) -> tuple[tuple[str, ...], dict[int, str]]:
    """The axes that links between switches go along, in order, and the axis of each such link."""
    axis_of: dict[int, str] = {}
    order: dict[str, None] = {}
    for number, link in enumerate(design.links):
        moved = [axis for axis, word in link.along.items() if word in ("next", "other")]
        if _of_switches(link) and len(moved) == 1:
            axis_of[number] = moved[0]
            order |= dict.fromkeys(group_axes(design, link.between[0]))
    return tuple(axis for axis in order if axis in axis_of.values()), axis_of


def _of_switches(link: Link) -> bool:
    """Whether no end is a node's slot group."""
    return not any("." in end for end in link.between)
