"""Making leaves rail-optimised or top-of-rack: the same nodes and ports, cabled differently.

Rail-optimised: each unit has a leaf for every port of a node, and port j of all its nodes goes to
leaf j. Top-of-rack: each unit has one leaf, and all ports of its nodes go there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import ceil, prod

from toposmith.design.document import Design
from toposmith.design.edits.bound_devices import followed_binding
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    check_dealt,
    free_name,
    group_of,
    links_at,
    other_end,
    with_cables,
    with_group,
    with_places_moved,
    with_totals_kept,
    without_unused_axes,
)
from toposmith.design.edits.moved_selectors import (
    Move,
    carried_marks,
    follow,
    followed_placement,
    lost_faults_words,
    newer_marks,
)
from toposmith.design.selectors import axis_size
from toposmith.errors import EditError
from toposmith.text import counted

RAIL, RACK = "rail", "rack"


def make_rail_optimised(
    design: Design,
    leaf: str,
    node: str,
    *,
    rails: int,
    nodes: int | None = None,
    dealt: Collection[int] = (),
) -> Edit:
    """Give every unit of nodes a leaf for each rail; the number of uplinks stays the same.

    Parameters
    ----------
    design : Design
        The design.
    leaf, node : str
        The group of leaves, and the group of nodes below it.
    rails : int
        Leaves of a unit, usually one for each port of a node.
    nodes : int, optional
        Nodes of a unit, if different from now; the total stays the same.
    dealt : collection of int
        The links whose node ports are dealt over leaves.

    Raises
    ------
    EditError
        If the nodes cannot be grouped in this way.
    """
    regrouped = _regrouped(design, node, leaf, nodes)
    axis, with_rails = _rail_axis(regrouped, leaf, rails)
    per = (*group_of(regrouped, node).per, axis)
    after = _with_leaves(design, with_rails, leaf, per, dealt)
    how = f"rail-optimised, {counted(rails, 'rail')}{_of(design, node, nodes)}"
    return Edit(after, f"make {leaf} {how}{lost_faults_words(regrouped, after)}")


def make_top_of_rack(
    design: Design,
    leaf: str,
    node: str,
    *,
    nodes: int | None = None,
    dealt: Collection[int] = (),
) -> Edit:
    """Give every rack of nodes one leaf for all their ports; the number of uplinks is kept.

    Parameters and errors are those of :func:`make_rail_optimised`.
    """
    regrouped = _regrouped(design, node, leaf, nodes)
    after = _with_leaves(design, regrouped, leaf, group_of(regrouped, node).per, dealt)
    how = f"top-of-rack{_of(design, node, nodes)}"
    return Edit(after, f"make {leaf} {how}{lost_faults_words(regrouped, after)}")


def _of(design: Design, node: str, nodes: int | None) -> str:
    if nodes is None or nodes == design.groups[node].count:
        return ""
    return f", {counted(nodes, node)} to a unit"


def _with_leaves(
    before: Design, regrouped: Design, leaf: str, per: tuple[str, ...], dealt: Collection[int]
) -> Design:
    check_dealt(before, dealt, "dealt")
    leaves = altered(group_of(regrouped, leaf), per=per, count=1)
    after = with_group(regrouped, leaf, leaves)
    links = links_at(after, leaf)
    even: dict[int, int | None] = {index: None for index in links if index in dealt}
    after = with_cables(after, even)
    after = with_totals_kept(before, after, [index for index in links if index not in dealt])
    after = without_unused_axes(before, after)
    return changed(after, **carried_marks(regrouped, after))


def _rail_axis(design: Design, leaf: str, rails: int) -> tuple[str, Design]:
    """The axis of the rails, and the design that has it in the size that is wanted."""
    others = {axis for name, group in design.groups.items() if name != leaf for axis in group.per}
    axis = RAIL
    if axis in design.groups or (axis in others and design.axes[axis] != rails):
        axis = free_name(design, RAIL)
    return axis, changed(design, axes={**design.axes, axis: rails})


def _regrouped(design: Design, name: str, leaf: str, size: int | None) -> Design:
    """The design with so many nodes for each combination of their axes, as many in all."""
    group = group_of(design, name)
    if size is None or size == group.count:
        return design
    if size >= 1 and group.count % size == 0:
        return _divided(design, name, size)
    if group.per and size % group.count == 0:
        return _joined(design, name, leaf, size)
    fits = [str(n) for n in range(1, group.count + 1) if group.count % n == 0]
    raise EditError(f"{group.count} {name} cannot be regrouped by {size}; {' or '.join(fits)} work")


def _divided(design: Design, name: str, size: int) -> Design:
    group = group_of(design, name)
    axis = free_name(design, RACK)
    units = group.count // size
    after = changed(
        design,
        axes={**design.axes, axis: units},
        groups={**design.groups, name: altered(group, per=(*group.per, axis), count=size)},
    )
    move = Move(
        name,
        (name,),
        lambda at: (name, divmod(at[0], size)),
        {name: ((axis, units), (name, size))},
    )
    return _following(design, after, move)


def _joined(design: Design, name: str, leaf: str, size: int) -> Design:
    group = group_of(design, name)
    axis, before = group.per[-1], group.count
    users = [
        other
        for other, one in design.groups.items()
        if axis in one.per and other not in (name, leaf)
    ]
    if users:
        raise EditError(f"axis {axis!r} is used by {', '.join(users)} too; change that first")
    units, rest = divmod(design.axes[axis] * before, size)
    if rest or not units:
        raise EditError(f"{design.axes[axis]} x {before} {name} are not a multiple of {size}")
    keeps = units > 1
    per = group.per if keeps else group.per[:-1]
    groups = {**design.groups, name: altered(group, per=per, count=size)}
    if not keeps:
        old = groups[leaf]
        groups[leaf] = altered(old, per=tuple(one for one in old.per if one != axis))
    axes = {key: value for key, value in design.axes.items() if keeps or key != axis}
    if keeps:
        axes[axis] = units
    sizes = (*(((axis, units),) if keeps else ()), (name, size))

    def to(at: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        flat = at[0] * before + at[1]
        return name, divmod(flat, size) if keeps else (flat,)

    after = changed(design, axes=axes, groups=groups)
    return _following(design, after, Move(name, (axis, name), to, {name: sizes}))


def _following(before: Design, after: Design, move: Move) -> Design:
    following = changed(
        after,
        absent=follow(before.absent, before, move),
        down=follow(before.down, before, move),
        **newer_marks(before, lambda texts: follow(texts, before, move)),
        placement=followed_placement(before, move),
    )
    return following.bound_to(followed_binding(before, move))


PLANE = "plane"


def add_planes(
    design: Design, switches: Sequence[str], planes: int, *, ports: Mapping[int, int]
) -> Edit:
    """Divide switches into planes; the ports of every node are dealt over all of them.

    Where a count can be divided there are as many switches as before, else as many again for
    every plane. Where a node has too few ports for its leaves in every plane, each plane takes a
    part of the rails. Cables between switches stay as many in all.

    Parameters
    ----------
    design : Design
        The design.
    switches : sequence of str
        The groups of switches of one network.
    planes : int
        Number of planes, at least 2.
    ports : mapping of int to int
        For the links whose node ports are dealt over leaves, by their places, the ports of one
        node: ``{0: 8}``.

    Raises
    ------
    EditError
        If the ports of a node cannot be dealt over leaves in every plane, or ``ports`` are no
        links with their ports.
    """
    if not isinstance(ports, Mapping):
        raise EditError(
            f"ports maps each link whose node ports are dealt to the ports of a node, such as "
            f"{{0: 8}}, found {ports!r}"
        )
    check_dealt(design, ports, "ports")
    for each in ports.values():
        if not isinstance(each, int) or each < 1:
            raise EditError(f"ports of a node are a number, at least 1, found {each!r}")
    if planes < 2:
        raise EditError(f"at least 2 planes make a difference, found {planes}")
    axis = free_name(design, PLANE)
    after = changed(design, axes={**design.axes, axis: planes})
    for name in switches:
        group = group_of(after, name)
        count = group.count // planes if group.count % planes == 0 else group.count
        per = (*group.per, axis)
        after = changed(after, groups={**after.groups, name: altered(group, per=per, count=count)})
    for index, each in ports.items():
        after = _with_fewer_rails(after, index, each, planes, switches)
    between = {
        index
        for name in switches
        for index in links_at(design, name)
        if index not in ports and other_end(design, index, name) in switches
    }
    after = with_totals_kept(design, after, sorted(between))
    after = changed(after, **carried_marks(design, after))
    lost = lost_faults_words(design, after)
    return Edit(after, f"divide {', '.join(switches)} into {planes} planes{lost}")


def _with_fewer_rails(
    design: Design, index: int, ports: int, planes: int, switches: Sequence[str]
) -> Design:
    """The design whose nodes have a port for every leaf that a link deals them over."""
    ends = [end.partition(".")[0] for end in design.links[index].between]
    leaf = next((end for end in ends if end in switches), None)
    if leaf is None:
        return design
    node = ends[1 - ends.index(leaf)]
    shared = design.groups[node].per
    own = [axis for axis in design.groups[leaf].per if axis not in shared]
    leaves = prod(axis_size(design, axis) for axis in (*own, leaf))
    if ports % leaves == 0:
        return design
    for axis in own[:-1]:  # the last one is the planes'
        users = {name for name, group in design.groups.items() if axis in group.per}
        size = design.axes[axis]
        if size % planes == 0 and users <= set(switches) and ports % (leaves // planes) == 0:
            return changed(design, axes={**design.axes, axis: size // planes})
    raise EditError(
        f"a {node} has {counted(ports, 'port')} for {leaves} {leaf} in {planes} planes; "
        f"take NICs with more ports, or planes that divide its rails"
    )


# Repeating part of a fabric: one scalable unit becomes several, and the tiers above grow.

UNIT_AXIS = "su"
"""How the axis of scalable units is called where its name is free."""


def repeat_groups(
    design: Design,
    names: Sequence[str],
    axis: str,
    size: int,
    *,
    dealt: Collection[int] = (),
) -> Edit:
    """Repeat groups over an axis; the tiers above grow as needed.

    A device keeps its uplinks: they are spread over more devices of the tier above, such that
    none of these uses more ports than before, and all get the same number of cables. Thus
    1 SU of a DGX H100 SuperPOD with 4 spines becomes 3 SU with 16 (RA-11333-001, Table 4).

    Parameters
    ----------
    design : Design
        The design.
    names : sequence of str
        The groups that repeat; all that repeat over the axis already follow.
    axis : str
        The axis; added where there is none of this name.
    size : int
        The number of repetitions afterwards.
    dealt : collection of int
        The links whose node ports are dealt over leaves.

    Raises
    ------
    EditError
        If the name is a group's, or the uplinks do not reach all devices above.
    """
    check_dealt(design, dealt, "dealt")
    for name in names:
        group_of(design, name)
    if axis in design.groups:
        raise EditError(f"{axis!r} is a group; the axis needs another name")
    had = design.axes.get(axis, 1)
    users = {name for name, group in design.groups.items() if axis in group.per}
    repeated = [name for name in design.groups if name in users or name in names]
    groups = dict(design.groups)
    for name in repeated:
        if name not in users:
            groups[name] = altered(groups[name], per=(axis, *groups[name].per))
    axes = {**design.axes, axis: size}
    after = changed(design, axes=axes, groups=groups)
    growth = {name: Fraction(size, had if name in users else 1) for name in repeated}
    grown = with_places_moved(design, _with_more_above(design, after, growth, dealt), always=True)
    more = [
        f"{name} {design.groups[name].count} to {group.count}"
        for name, group in grown.groups.items()
        if group.count != design.groups[name].count
    ]
    words = f"repeat {' and '.join(repeated)} as {size} {axis}"
    return Edit(grown, "; ".join([words, *more]))


def axis_for_units(design: Design, names: Sequence[str]) -> str:
    """The axis that groups repeat over already, or a free name for one."""
    shared = [
        axis for axis in design.axes if all(axis in design.groups[name].per for name in names)
    ]
    if UNIT_AXIS in shared:
        return UNIT_AXIS
    return shared[0] if shared and names else free_name(design, UNIT_AXIS)


def _with_more_above(
    before: Design, after: Design, growth: dict[str, Fraction], dealt: Collection[int]
) -> Design:
    """Let every tier above grow with the one below it, from the repeated groups upwards."""
    waiting = list(growth)
    settled: set[int] = set()
    while waiting:
        name = waiting.pop(0)
        for index in links_at(after, name):
            above = other_end(after, index, name)
            if index in dealt or index in settled or above in growth:
                continue
            settled.add(index)
            after, factor = _spread(before, after, index, above, growth[name])
            growth[above] = factor
            waiting.append(above)
    return after


def _spread(
    before: Design, after: Design, index: int, above: str, factor: Fraction
) -> tuple[Design, Fraction]:
    """Spread the uplinks of a link over as many devices as its growth needs."""
    group = before.groups[above]
    uplinks = group.count * (before.links[index].cables or 1)
    least = ceil(group.count * factor)
    fits = [count for count in range(least, uplinks + 1) if uplinks % count == 0]
    if not fits:
        raise EditError(
            f"{counted(uplinks, 'uplink')} cannot reach the {least} {above} that it takes; "
            f"a further tier above, or pods, would"
        )
    count = fits[0]
    if count == group.count:
        return after, Fraction(1)
    grown = changed(after, groups={**after.groups, above: altered(group, count=count)})
    return with_cables(grown, {index: uplinks // count}), Fraction(count, group.count)
