"""Cables between the NVLink switches of racks, by which these are one NVLink domain (NVL36x2).

Such a link has cages, cables and faults like any other. It joins each switch to its counterpart
in every other rack of the domain, along the axis of nodes that is next to their own.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from toposmith.catalog import NvlinkSwitch
from toposmith.design.document import Design
from toposmith.design.selectors import axis_size
from toposmith.fabric.link_cabling import Unsound
from toposmith.fabric.plan import GroupPlan, LinkPlan
from toposmith.findings.finding import Finding, at_link, found


def joins_nvlink_switches(design: Design, index: int, groups: Mapping[str, GroupPlan]) -> bool:
    """Whether both ends of a link are NVLink switches."""
    ends = (end.partition(".")[0] for end in design.links[index].between)
    return all(isinstance(groups[name].part, NvlinkSwitch) for name in ends)


def check_trunk(design: Design, index: int, groups: Mapping[str, GroupPlan]) -> None:
    """Refuse a link between NVLink switches that no racks are joined by.

    Raises
    ------
    Unsound
        If its ends are two groups, one has no cages, or the relation is another than to each other
        rack along one axis.
    """
    link = design.links[index]
    one, other = (end.partition(".")[0] for end in link.between)
    part = groups[one].part
    if one != other:
        _refuse("NVLink switches are joined to those of their own group in other racks")
    if not isinstance(part, NvlinkSwitch) or part.cages is None:
        _refuse(f"{part.name if part else one} has no cages for cables to another rack")
    if list(link.along.values()) != ["other"]:
        _refuse("write along: {rack: other} with the axis of the racks that are joined")


def join_racks(
    groups: dict[str, GroupPlan],
    links: Sequence[LinkPlan],
    refused: Container[str],
    design: Design,
) -> Iterator[Finding]:
    """Note at the nodes of NVLink domains which racks cables join; findings where none can be.

    ``refused`` are the switches of links between them that cannot be built.
    """
    for name, group in groups.items():
        if group.nvlink is not None and group.nvlink.switches in refused:
            groups[name] = replace(group, nvlink_unsound=True)
    for trunk in links:
        switches = trunk.a.group
        if not isinstance(groups[switches].part, NvlinkSwitch):
            continue
        ((axis, _),) = trunk.along
        for name, group in groups.items():
            link = group.nvlink
            if link is None or link.switches != switches:
                continue
            place = at_link(trunk.index, (trunk.a.label, trunk.b.label))
            if link.trunk is not None:
                reason = "its NVLink switches are joined by another link"
            elif {link.shared, groups[switches].axes[:-1]} != {group.axes[:-1]} or (
                group.axes[-2:-1] != (axis,)
            ):
                reason = (
                    f"the racks that are joined are the last axis in per: of both {name} and "
                    f"{switches}, which agree in all of these"
                )
            else:
                racks = axis_size(design, axis)
                joined = replace(link, trunk=trunk.index, along=axis, racks=racks)
                groups[name] = replace(group, nvlink=joined)
                continue
            groups[name] = replace(group, nvlink_unsound=True)
            yield found("bad-nvlink-link", place, "error", reason=reason)


def _refuse(reason: str) -> NoReturn:
    raise Unsound("bad-nvlink-link", reason=reason)
