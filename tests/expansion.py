"""The fabric expanded, device by device and cable by cable.

It is the oracle that the class graph is tested against, so it is written from the meaning of the
document alone and shares nothing with the class graph.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

import networkx as nx

from toposmith.catalog import Catalog
from toposmith.design.selectors import Selection
from toposmith.fabric.inside import NVSWITCH, collective_edges, inside_edges
from toposmith.fabric.nvlink_domains import is_joined, over_switches
from toposmith.fabric.plan import (
    DealtCable,
    GroupPlan,
    LinkEnd,
    LinkPlan,
    Plan,
    PlannedCable,
)
from toposmith.fabric.relations import peers_at
from toposmith.units import line_rate_GBps

Coordinates = Mapping[str, int]


def expand(
    plan: Plan,
    catalog: Catalog | None = None,
    *,
    without_down: bool = True,
    only: Mapping[str, str] | None = None,
) -> nx.MultiGraph:
    """Every device as a vertex, every cable as an edge.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up. Keep it small: a 1,000-GPU cluster has some 20,000
        edges.
    catalog : Catalog, optional
        If given, the insides of the nodes are expanded too.
    without_down : bool
        Whether what is ``down:`` is left out like what is absent.
    only : mapping of str to str, optional
        The one slot group of each node group that collectives run over; the insides then hold
        what such collectives use.

    Returns
    -------
    networkx.MultiGraph
        Vertices ``("device", group, coordinates)``, ``("nic", group, slots, coordinates, slot)``
        and, inside nodes, ``("gpu", group, coordinates, index)`` and the like. Edges carry
        ``GBps`` and ``link`` (the link's index, or None inside a node).
    """
    graph = nx.MultiGraph()
    for group in plan.groups.values():
        for coordinates in _instances(plan, group, without_down):
            _add_device(graph, group, coordinates, catalog, only)
    for group in plan.groups.values():
        _add_nvlinks(graph, plan, group)
    for link in plan.every_link:
        single: dict[tuple[tuple[int, ...], tuple[int, ...]], list[PlannedCable]] = {}
        for cable in plan.single_cables:
            if cable.link == link.index:
                single.setdefault((cable.a.at, cable.b.at), []).append(cable)
        for a, b in _pairs(plan, link):
            mine = single.pop((tuple(a.values()), tuple(b.values())), [])
            _add_cables(graph, plan, link, a, b, without_down, link.cables_per_pair, mine)
        for (at_a, at_b), mine in single.items():
            ends = ((plan.groups[link.a.group], at_a), (plan.groups[link.b.group], at_b))
            a, b = (dict(zip(group.axes, at, strict=True)) for group, at in ends)
            _add_cables(graph, plan, link, a, b, without_down, 0, mine)
    return graph


def device(group: GroupPlan, coordinates: Coordinates) -> tuple[str, str, tuple[int, ...]]:
    """The vertex of a device."""
    return ("device", group.name, tuple(coordinates[axis] for axis in group.axes))


def _instances(plan: Plan, group: GroupPlan, without_down: bool) -> Iterator[dict[str, int]]:
    for values in product(*(range(size) for size in group.sizes)):
        coordinates = dict(zip(group.axes, values, strict=True))
        gone = [
            selector
            for selector in (*plan.absent, *(plan.down if without_down else ()))
            if selector.second is None
            and selector.first.ports is None
            and _selected(selector.first, group.name, coordinates)
        ]
        if not gone:
            yield coordinates


def _add_device(
    graph: nx.MultiGraph,
    group: GroupPlan,
    coordinates: Coordinates,
    catalog: Catalog | None,
    only: Mapping[str, str] | None,
) -> None:
    here = device(group, coordinates)
    graph.add_node(here, kind="device", group=group.name)
    for name, ports in group.port_groups.items():
        for slot in range(ports.nics):
            nic = ("nic", group.name, name, here[2], slot)
            graph.add_node(nic, kind="nic", group=group.name)
            if catalog is None:
                graph.add_edge(here, nic, link=None, GBps=0.0)
    inside = inside_edges(group, catalog) if catalog and group.host else ()
    if only is not None:
        inside = collective_edges(inside, only.get(group.name))
    for edge in inside:
        if edge.b == NVSWITCH and over_switches(group):
            gpu = (edge.a[0], group.name, here[2], *edge.a[1:])
            graph.add_node(gpu, kind=edge.a[0], group=group.name)
            continue
        ends: list[tuple[object, ...]] = []
        for end in (edge.a, edge.b):
            if end[0] == "slot":
                ends.append(("nic", group.name, end[1], here[2], end[2]))
            elif end == NVSWITCH and is_joined(group):
                # the trays of a rack hang on the same switches
                ends.append((end[0], group.name, here[2][:-1]))
                graph.add_node(ends[-1], kind=end[0], group=group.name)
            else:
                ends.append((end[0], group.name, here[2], *end[1:]))
                graph.add_node(ends[-1], kind=end[0], group=group.name)
        graph.add_edge(*ends, link=None, GBps=edge.GBps)


def _add_nvlinks(graph: nx.MultiGraph, plan: Plan, group: GroupPlan) -> None:
    """The NVLinks of every GPU to the switches of its rack, where cables join racks."""
    link = group.nvlink
    if link is None or not over_switches(group):
        return
    switches = [v for v in graph if v[:2] == ("device", link.switches)]
    for gpu in [v for v in graph if v[:2] == ("gpu", group.name)]:
        for switch in switches:
            if switch[2][:-1] == gpu[2][:-1]:
                for _ in range(link.per_switch):
                    graph.add_edge(gpu, switch, link=None, GBps=link.GBps)


def _pairs(plan: Plan, link: LinkPlan) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """The devices that a link joins."""
    a, b = plan.groups[link.a.group], plan.groups[link.b.group]
    for values in product(*(range(size) for size in a.sizes)):
        here = dict(zip(a.axes, values, strict=True))
        if link.along:
            for peer in peers_at(plan, link, link.a, values):
                if not link.is_self or values < peer:
                    yield here, dict(zip(b.axes, peer, strict=True))
            continue
        free = [axis for axis in b.axes if axis not in link.shared]
        for there in product(*(range(plan.size(axis)) for axis in free)):
            at = here | dict(zip(free, there, strict=True))
            yield here, {axis: at[axis] for axis in b.axes}


def _add_cables(
    graph: nx.MultiGraph,
    plan: Plan,
    link: LinkPlan,
    a: dict[str, int],
    b: dict[str, int],
    without_down: bool,
    dealt: int,
    single: list[PlannedCable],
) -> None:
    """The cables between two devices: dealt ones less replaced ones, then single ones."""
    gone = (*plan.absent, *(plan.down if without_down else ()))
    missing = 0
    for selector in gone:
        if selector.second is None:
            continue
        meant = False
        for one, other in ((a, b), (b, a)):
            first, second = (link.a, link.b) if one is a else (link.b, link.a)
            # inside a group a selector may mean two devices both ways round
            if (
                not meant
                and _selected(selector.first, first.group, one)
                and _selected(selector.second, second.group, other)
            ):
                if selector.cables is None:
                    return
                missing += selector.cables
                meant = True
    at_a, at_b = tuple(a.values()), tuple(b.values())
    ports = [
        (_port_of(plan, link, link.a, b, turn), _port_of(plan, link, link.b, a, turn))
        for turn in range(dealt)
        if DealtCable(link.index, at_a, at_b, turn) not in plan.replaced
    ]
    ports += [(cable.a.port, cable.b.port) for cable in single]
    ends_a = _ends(plan, link.a, a, [port for port, _ in ports], gone)
    ends_b = _ends(plan, link.b, b, [port for _, port in ports], gone)
    speeds = _speeds(plan, link, a, b, ports)
    for at, (u, v) in list(enumerate(zip(ends_a, ends_b, strict=True)))[missing:]:
        if u in graph and v in graph:
            graph.add_edge(u, v, link=link.index, GBps=line_rate_GBps(speeds[at]))


def _speeds(
    plan: Plan,
    link: LinkPlan,
    a: dict[str, int],
    b: dict[str, int],
    ports: list[tuple[int | None, int | None]],
) -> list[float]:
    """Gb/s of each cable between two devices; those that go missing are the first."""
    speeds: list[float] = [link.speed_gbit] * len(ports)
    at = 0
    pairs = ((link.a, a, b), (link.b, b, a))
    gone = [(selector, None) for selector in (*plan.absent, *plan.down)]
    for selector, slow in (*gone, *((slow.selector, slow) for slow in plan.slow)):
        meant = False
        for side, (end, here, there) in enumerate(pairs):
            other = link.b if end is link.a else link.a
            if not _selected(selector.first, end.group, here):
                continue
            if selector.second is not None and not _selected(selector.second, other.group, there):
                continue
            if selector.second is not None and meant:
                continue
            meant = True
            if selector.cables is not None:
                turns = range(at, min(at + selector.cables, len(ports)))
                at = turns.stop
            else:
                turns = range(len(ports))
            if slow is None:
                at = turns.stop if selector.second is not None else at
                continue
            for turn in turns:
                if selector.first.ports is None or (
                    selector.first.ports == end.ports
                    and selector.first.port in (None, ports[turn][side])
                ):
                    speeds[turn] = min(speeds[turn], slow.gbit_of(link))
    return speeds


def _port_of(
    plan: Plan, link: LinkPlan, end: LinkEnd, there: dict[str, int], turn: int
) -> int | None:
    """The port of a node that a dealt cable takes; None at a switch."""
    if not end.ports:
        return None
    peers = link.peers_of_a if end is link.a else link.peers_of_b
    rank = 0
    for axis in link.b_only if end is link.a else link.a_only:
        rank = rank * plan.size(axis) + there[axis]
    return end.first_port + turn * peers + rank


def _ends(
    plan: Plan,
    end: LinkEnd,
    here: dict[str, int],
    ports: list[int | None],
    gone: tuple[object, ...],
) -> list[object]:
    """The vertices at one end of the cables between two devices, cable by cable."""
    group = plan.groups[end.group]
    if not end.ports:
        return [device(group, here)] * len(ports)
    held = group.port_groups[end.ports]
    at = tuple(here[axis] for axis in group.axes)
    ends: list[object] = []
    for port in ports:
        assert port is not None
        ends.append(("nic", group.name, end.ports, at, held.nic_of(port)))
        for selector in (*plan.absent, *plan.down):
            if (
                selector in gone
                and selector.first.ports == end.ports
                and selector.first.port in (None, port)
                and _selected(selector.first, group.name, here)
            ):
                ends[-1] = None
    return ends


def _selected(selection: Selection | None, group: str, coordinates: Coordinates) -> bool:
    return (
        selection is not None
        and selection.group == group
        and all(low <= coordinates[axis] <= high for axis, low, high in selection.ranges)
    )
