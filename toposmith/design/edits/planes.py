"""Dividing a fabric into planes: leaves of one plane see only the spines of that plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from toposmith.design.document import Design
from toposmith.design.edits.cable_totals import links_at, other_end, with_totals_kept
from toposmith.design.edits.edit import (
    Edit,
    altered,
    changed,
    check_dealt,
    free_name,
    group_of,
)
from toposmith.design.edits.moved_selectors import carried_marks, lost_faults_words
from toposmith.design.selectors import axis_size
from toposmith.errors import EditError
from toposmith.text import counted

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
