"""Edits of single links."""

from __future__ import annotations

from collections.abc import Mapping

from toposmith.design.consistency import relation_problems
from toposmith.design.document import Design, Link
from toposmith.design.edits.edit import Edit, altered, changed, group_of, link_of, made
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


def remove_link(design: Design, index: int) -> Edit:
    """Remove a link; the groups stay."""
    gone = link_of(design, index)
    links = tuple(link for i, link in enumerate(design.links) if i != index)
    return Edit(changed(design, links=links), f"unwire {gone.words}")
