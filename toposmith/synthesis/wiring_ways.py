"""Ways to spread nodes over leaves: racks, rails, planes, with the axes that each needs."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from toposmith.catalog import Catalog
from toposmith.design.document import Design, Group, Link
from toposmith.design.edits import Edit, free_name
from toposmith.design.edits.edit import altered, changed
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_use
from toposmith.synthesis.needs import sound_after
from toposmith.text import counted


def wiring_ways(plan: Plan, catalog: Catalog, end: str, leaf: str) -> list[Edit]:
    """Wire nodes to leaves so that each node reaches some of them, all nodes and leaves kept.

    With N nodes of p ports and L leaves: racks of N / L nodes with a leaf each; r leaves for every
    unit of nodes, one for each rail, where r divides p and L (all L of one unit where L divides p);
    where NICs have several ports, a plane for each of them. Nodes that fill the last unit only in
    part leave slots of it empty. Only what no error would refuse is among them.

    Parameters
    ----------
    plan : Plan
        The design, with both groups.
    catalog : Catalog
        Where parts are.
    end, leaf : str
        The nodes with their slots, ``node.compute``, and the group of leaves.

    Returns
    -------
    list of Edit
        Each makes the axes and the link; that with the most rails first, racks last.
    """
    name, _, slots = end.partition(".")
    node, switches = plan.groups[name], plan.groups[leaf]
    ports = node.port_groups.get(slots)
    free = port_use(plan)[name, slots].free if ports is not None else 0
    if ports is None or node.host is None or switches.switch is None or free < 1:
        return []
    if not _can_be_spread(plan, name) or not _can_be_spread(plan, leaf) or _has_hosts(plan, leaf):
        return []
    planes = ports.nic.ports if ports.nic is not None else 1
    every_port = free == ports.ports
    found: dict[str, Edit] = {}
    for rails, split in _deals(free, planes):
        edit = _way(plan.design, end, leaf, free, rails, split, every_port=every_port)
        if edit is not None and sound_after(plan, edit.design, catalog) is not None:
            found.setdefault(repr(edit.design.groups), edit)
    return list(found.values())


def _can_be_spread(plan: Plan, name: str) -> bool:
    """Whether a group repeats over no axis yet, and nothing names single devices of it."""
    design = plan.design
    selectors = (*design.absent, *design.down, *design.slow)
    listed = (*(cable.a for cable in design.cables), *(cable.z for cable in design.cables))
    sets = (text for each in design.sets.values() for text in each)
    named = any(f"{name}[" in text for text in (*selectors, *listed, *sets))
    return not plan.groups[name].spec.per and not named


def _has_hosts(plan: Plan, leaf: str) -> bool:
    return any(
        plan.groups[end.group].host is not None
        for link in plan.links_of(leaf)
        for end in (link.a, link.b)
    )


def _deals(ports: int, planes: int) -> Iterator[tuple[int, int]]:
    """Rails and planes that the ports of a node are dealt over, the most rails first."""
    for rails in range(ports, 0, -1):
        if ports % rails:
            continue
        yield rails, 1
        if planes > 1 and rails * planes <= ports and ports % (rails * planes) == 0:
            yield rails, planes


def _way(
    design: Design, end: str, leaf: str, ports: int, rails: int, planes: int, *, every_port: bool
) -> Edit | None:
    """Units of nodes that have so many leaves of their own each; None where it does not divide."""
    name = end.partition(".")[0]
    nodes, leaves = design.groups[name].count, design.groups[leaf].count
    reached = rails * planes
    units, rest = divmod(leaves, reached)
    if rest or ports % reached:
        return None
    size = ceil(nodes / units)
    empty = size * units - nodes
    if empty >= size:
        return None
    axes: dict[str, int] = {}
    unit = free_name(design, "rack" if reached == 1 else "su")
    for axis, many in ((unit, units), ("rail", rails), ("plane", planes)):
        if many > 1:
            axes[axis if axis == unit else free_name(design, axis)] = many
    over_units = (unit,) if units > 1 else ()
    groups = {
        **design.groups,
        name: _spread(design.groups[name], over_units, size),
        leaf: _spread(design.groups[leaf], tuple(axes), 1),
    }
    link = Link(between=(end, leaf), cables=None if every_port else ports // reached)
    absent = design.absent
    if empty:
        span = f"{size - empty}" + ("" if empty == 1 else f"..{size - 1}")
        absent = (*absent, f"{name}[{unit}={units - 1},{name}={span}]")
    after = changed(
        design,
        axes={**design.axes, **axes},
        groups=groups,
        links=(*design.links, link),
        absent=absent,
    )
    return Edit(after, _words(name, leaf, units, size, empty, rails, planes))


def _spread(group: Group, per: tuple[str, ...], count: int) -> Group:
    spread: Group = altered(group, per=per, count=count)
    return spread


def _words(
    name: str,
    leaf: str,
    units: int,
    size: int,
    empty: int,
    rails: int,
    planes: int,
) -> str:
    """``rail-optimised: 2 SU of 32 nodes, 8 leaves each``."""
    kind = "rail-optimised" if rails > 1 else "top-of-rack"
    if planes > 1:
        kind = f"{kind}, {planes} planes" if rails > 1 else f"{planes} planes"
    what = "rack" if rails * planes == 1 else "SU"
    own = counted(rails * planes, leaf)
    said = f"{counted(units, what) if what == 'rack' else f'{units} SU'} of {counted(size, name)}"
    said = f"{kind}: {said}, {own} each" if units > 1 else f"{kind}: each {name} to all {own}"
    return said + (f", {counted(empty, 'slot')} of the last empty" if empty else "")
