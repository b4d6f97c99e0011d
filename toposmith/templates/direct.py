"""Direct networks: every switch has nodes, and switches are joined to each other.

Tori join neighbours along each dimension. Dragonflies are groups of routers, each a full mesh, that
cables dealt over their routers join all to all (Kim et al., "Technology-Driven, Highly-Scalable
Dragonfly Topology", ISCA 2008): balanced with twice as many routers in a group as ports down or
global cables at each, and at most one group more than a group has global cables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toposmith.catalog import Catalog
from toposmith.design.document import Design, Group, Link
from toposmith.errors import EditError
from toposmith.templates.shapes import (
    named,
    node_group,
    node_ports,
    ports_per_node,
    sound,
)
from toposmith.templates.template_settings import SettingValues, ports_at, usual_switch
from toposmith.text import counted


def torus(values: SettingValues, catalog: Catalog) -> Design:
    """A switch at each point of two or three dimensions, joined to its neighbours.

    Raises
    ------
    EditError
        For settings that give no torus.
    """
    axes = {axis: values[axis] for axis in "xyz" if values[axis] is not None}
    per = tuple(axes)
    groups = {"node": node_group(values, per), "switch": Group(part=values["switch"], per=per)}
    below = Link(between=(f"node.{values['slots']}", "switch"))
    neighbours = sum(min(2, size - 1) for size in axes.values())
    if not neighbours:
        raise EditError(
            "a torus has two switches or more along one of its dimensions, found 1 of all"
        )
    cables = values["cables"] or _fitting(values, catalog, neighbours)
    links = [
        Link(between=("switch", "switch"), along={axis: "next"}, cables=cables)
        for axis, size in axes.items()
        if size > 1
    ]
    shape = " x ".join(map(str, axes.values()))
    return Design(
        name=named(values, f"torus {shape}, {values['nodes']} x {values['node']} a switch"),
        axes=axes,
        groups=groups,
        links=(below, *links),
    )


def _fitting(values: SettingValues, catalog: Catalog, neighbours: int) -> int:
    """Cables to each neighbour: as many as free ports allow, at most the capacity from below.

    Ports are those of half the switch's cages at least: a cage may hold one speed only.
    """
    down = ports_per_node(values, catalog) * values["nodes"]
    for cables in range(max(1, down // 2), 0, -1):
        ring = {"x": 3}
        tried = Design(
            axes=ring,
            groups={
                "node": node_group(values, ("x",)),
                "switch": Group(part=values["switch"], per=("x",), count=1),
            },
            links=(
                Link(between=(f"node.{values['slots']}", "switch")),
                Link(
                    between=("switch", "switch"),
                    along={"x": "next"},
                    cables=-(-cables * neighbours // 2),
                ),
            ),
        )
        try:
            sound(tried, catalog)
        except EditError:
            if cables == 1:
                raise
            continue
        return cables
    return 1


USUAL_GROUPS = 9


def usual_groups(so_far: Mapping[str, Any], catalog: Catalog) -> int:
    """Groups of a dragonfly unless they are given: as many as its routers reach, nine at most."""
    given = {"nic": None, "nics": None, "nodes": 1, "routers": None, "global": None}
    try:
        asked = {**given, "switch": usual_switch(so_far, catalog), **so_far}
        numbers = {name: int(asked[name] or 0) for name in ("nodes", "routers", "global")}
        routers, at_router = _routers({**asked, **numbers}, catalog)
    except (EditError, ValueError, TypeError):
        return USUAL_GROUPS  # it is refused where it is read
    return min(USUAL_GROUPS, routers * at_router + 1)


def _routers(values: Mapping[str, Any], catalog: Catalog) -> tuple[int, int]:
    """Routers of a group, and cables of each to other groups.

    Unless they are given there are twice as many routers as ports of one towards nodes, and half as
    many such cables (Kim et al., ISCA 2008), as far as the ports of a router go.
    """
    fitted = node_ports(values, catalog)
    ports = fitted.ports * values["nodes"]
    switch = catalog.switch(values["switch"])
    speed = fitted.nic.speed_gbit if fitted.nic is not None else 0
    left = ports_at(switch, speed) - ports
    fit = (2 * left + 2) // 3 if left > 0 else 2 * ports
    routers = values["routers"] or max(1, min(2 * ports, fit))
    return routers, values["global"] or max(1, routers // 2)


def dragonfly(values: SettingValues, catalog: Catalog) -> Design:
    """Groups of routers, each a full mesh, and cables from every group to every other.

    Raises
    ------
    EditError
        For settings that give no dragonfly, or switches without enough ports.
    """
    routers, at_router = _routers(values, catalog)
    groups = values["groups"]
    if values["global"] and groups > 1 and at_router > groups - 1:
        raise EditError(
            f"global is at most {groups - 1} with {counted(groups, 'group')}, since a router has "
            f"one cable at most to each other group; found {at_router}"
        )
    most = routers * at_router + 1
    if groups > most:
        raise EditError(
            f"{counted(routers, 'router')} with {counted(at_router, 'global cable')} each "
            f"{'reaches' if routers == 1 else 'reach'} {counted(most - 1, 'other group')}; "
            f"groups can be at most {most}, found {groups}"
        )
    cables = min(routers * at_router // max(groups - 1, 1), routers)
    axes = {"group": groups, "place": routers}
    per = tuple(axes)
    return Design(
        name=named(
            values,
            f"dragonfly, {counted(groups, 'group')} of {counted(routers, 'router')}, "
            f"{values['nodes']} x "
            f"{values['node']} a router",
        ),
        axes=axes,
        groups={"node": node_group(values, per), "router": Group(part=values["switch"], per=per)},
        links=(
            Link(between=(f"node.{values['slots']}", "router")),
            Link(between=("router", "router"), along={"place": "other"}),
            Link(
                between=("router", "router"),
                along={"group": "other", "place": "dealt"},
                cables=cables,
            ),
        ),
    )
