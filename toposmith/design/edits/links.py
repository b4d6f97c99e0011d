"""Edits of links, of single cables and named sets, and of what runs slow."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from toposmith.design.consistency import relation_problems
from toposmith.design.document import MAX_SINGLE_CABLES, Design, Link, SingleCable, SlowSpeed
from toposmith.design.edits.edit import Edit, altered, changed, group_of, link_of, made
from toposmith.design.selectors import parse_selector
from toposmith.errors import EditError


def add_link(
    design: Design,
    a: str,
    b: str,
    *,
    cables: int | None = None,
    along: Mapping[str, str] | None = None,
) -> Edit:
    """Wire two groups, or one to itself along axes.

    Parameters
    ----------
    design : Design
        The design.
    a, b : str
        The ends, ``group`` or ``group.slots``.
    cables : int, optional
        Cables of each pair; without it a node's ports are dealt evenly over its peers.
    along : mapping of str to str, optional
        The relation along an axis, where it is not ``same``.

    Raises
    ------
    EditError
        If a group is wired to itself without a relation, or a relation is invalid.
    """
    for end in (a, b):
        group_of(design, end.partition(".")[0])
    if not along and a.partition(".")[0] == b.partition(".")[0]:
        raise EditError(
            f"{a} cannot be wired to itself without an axis; say which, as in next along "
            "x, or wire it to another group"
        )
    link = made(Link, between=(a, b), along=dict(along or {}), cables=cables)
    for _, problem in relation_problems(design, link):
        raise EditError(problem)
    words = "".join(f" {word} along {axis}" for axis, word in link.along.items())
    how = "" if cables is None else f", {cables} cable{'s' if cables > 1 else ''}"
    return Edit(changed(design, links=(*design.links, link)), f"wire {a} to {b}{words}{how}")


def set_cables(design: Design, index: int, cables: int | None) -> Edit:
    """Change the cables from each instance to each peer; None deals a node's ports evenly."""
    link = altered(link_of(design, index), cables=cables)
    links = tuple(link if i == index else old for i, old in enumerate(design.links))
    how = "even" if cables is None else str(cables)
    return Edit(changed(design, links=links), f"{link.words}: cables {how}")


def set_wanted(design: Design, index: int, text: str) -> Edit:
    """Say what a link is to have: ``cable mfp7e10``, ``module mma4z00-ns``, ``medium copper``.

    Several stand with commas between them; without any the bill chooses.

    Raises
    ------
    EditError
        If a word is none of these, or the medium is unknown.
    """
    said: dict[str, list[str]] = {"cable": [], "module": [], "medium": []}
    for each in filter(None, (one.strip() for one in text.split(","))):
        key, _, value = each.partition(" ")
        if key not in said or not value:
            raise EditError(f"found {each!r}, expected cable, module or medium, and which")
        said[key].append(value.strip())
    modules = said["module"]
    if len(modules) > 2 or len(said["cable"]) > 1 or len(said["medium"]) > 1:
        raise EditError("a link has one cable, one medium and a module for each end")
    link = altered(
        link_of(design, index),
        cable=next(iter(said["cable"]), None),
        module=(tuple(modules) if len(modules) > 1 else next(iter(modules), None)),
        medium=next(iter(said["medium"]), None),
    )
    links = tuple(link if i == index else old for i, old in enumerate(design.links))
    return Edit(changed(design, links=links), f"{link.words}: {link.wants.words or 'any parts'}")


def remove_link(design: Design, index: int) -> Edit:
    """Remove a link; the groups stay."""
    gone = link_of(design, index)
    links = tuple(link for i, link in enumerate(design.links) if i != index)
    return Edit(changed(design, links=links), f"unwire {gone.words}")


def replace_cables(
    design: Design, entries: Collection[int], added: Sequence[SingleCable], label: str
) -> Edit:
    """Replace entries of the list of single cables by others.

    Raises
    ------
    EditError
        If the list would be too long.
    """
    kept = tuple(cable for at, cable in enumerate(design.cables) if at not in entries)
    if len(kept) + len(added) > MAX_SINGLE_CABLES:
        raise EditError(f"a file lists at most {MAX_SINGLE_CABLES:,} single cables")
    return Edit(changed(design, cables=(*kept, *added)), label)


def put_back(design: Design, entry: int) -> Edit:
    """Remove a single cable from the list: its link deals its port again.

    Raises
    ------
    EditError
        If there is no such entry.
    """
    if not 0 <= entry < len(design.cables):
        raise EditError(f"there is no single cable {entry}; the design has {len(design.cables)}")
    cable = design.cables[entry]
    return replace_cables(design, {entry}, (), f"{cable.a}: cabled as its link says")


def name_set(design: Design, name: str, selectors: Sequence[str]) -> Edit:
    """Name a set of things that fail or are serviced together; replaces a set of that name.

    Raises
    ------
    EditError
        If a selector matches nothing, there is none, or the name is invalid.
    """
    for selector in selectors:
        try:
            parse_selector(selector, design)
        except ValueError as error:
            raise EditError(str(error)) from None
    if not selectors:
        raise EditError("a set has at least one selector, like node[node=0]")
    sets = {**design.sets, name: tuple(selectors)}
    return Edit(changed(design, sets=sets), f"set {name}: {', '.join(selectors)}")


def drop_set(design: Design, name: str) -> Edit:
    """Remove the name of a set; its devices stay.

    Raises
    ------
    EditError
        If there is no such set.
    """
    if name not in design.sets:
        known = ", ".join(design.sets) or "none"
        raise EditError(f"there is no set {name!r} (sets: {known})")
    sets = {other: of for other, of in design.sets.items() if other != name}
    return Edit(changed(design, sets=sets), f"set {name} is no more")


def slow_down(design: Design, selector: str, speed: SlowSpeed) -> Edit:
    """Mark the cables of a selector as running at Gb/s, or at a share of their link's speed.

    GPUs, ``node[node=3].gpu[5]``, run at a share of their rate.

    Raises
    ------
    EditError
        If the selector matches nothing, or the speed is invalid.
    """
    try:
        read = parse_selector(selector, design)
    except ValueError as error:
        raise EditError(str(error)) from None
    if read.first.ports == "gpu" and not isinstance(speed, str):
        raise EditError(f"{selector!r}: the rate of a GPU is a share such as 50 %")
    words = speed if isinstance(speed, str) else f"{speed:g} Gb/s"
    slow = {**design.slow, selector: speed}
    return Edit(changed(design, slow=slow), f"{selector}: slow, {words}")


def restore_speed(design: Design, selector: str) -> Edit:
    """Remove an entry of ``slow:``: the cables run at the speed of their link again.

    Raises
    ------
    EditError
        If there is no such entry.
    """
    if selector not in design.slow:
        known = ", ".join(design.slow) or "none"
        raise EditError(f"nothing is slow at {selector!r} (slow: {known})")
    slow = {text: speed for text, speed in design.slow.items() if text != selector}
    return Edit(changed(design, slow=slow), f"{selector}: full speed")
