"""Single devices with their cables, looked up in the class graph on demand.

Where faults make nearly all devices different, queries of a few devices are faster here than on a
class graph refined for them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

from toposmith.cancellation import go_on
from toposmith.design.selectors import Selection
from toposmith.fabric.axis_symmetry import AxisSymmetry
from toposmith.fabric.class_builder import edge_key
from toposmith.fabric.classes import ClassGraph, base_graph
from toposmith.fabric.cuts import Cells
from toposmith.fabric.dealing import peer_axes
from toposmith.fabric.dealt_ports import DealtPort, dealt_ports
from toposmith.fabric.device import At, Device
from toposmith.fabric.faults import Faults
from toposmith.fabric.node_cables import NodeCables
from toposmith.fabric.node_classes import ClassVertex
from toposmith.fabric.plan import GroupPlan, LinkPlan, Plan
from toposmith.fabric.relations import RelationKind, dealt_at, kind_of, peers_at
from toposmith.fabric.rewired import Rewired
from toposmith.fabric.slow_cables import SlowCables
from toposmith.fabric.switch_grid import SwitchGrid, switch_grid
from toposmith.units import line_rate_GBps

Bundle = tuple[object, int, float]
"""Equal cables between two devices: key of the edge in the class graph, how many, GB/s of one."""

PortCables = tuple[tuple[Device, Bundle], ...]
"""The cables of one NIC: the switch at the other end, and what joins the two."""

_Live = tuple[DealtPort, object, float]
"""A cable at a port: how it is dealt, the key of its edge in the class graph, GB/s."""


_MOST_HIT = 200
"""The most switches or nodes with faults for which others are looked up in the intact fabric."""


class SingleDevices:
    """The switches and NICs of one network of a plan.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    classes : ClassGraph
        Its class graph, without the insides of nodes.
    slots : mapping of str to str
        The slot group of each node group that is meant.
    """

    def __init__(self, plan: Plan, classes: ClassGraph, slots: Mapping[str, str]) -> None:
        self._plan = plan
        self._classes = classes
        self._slots = slots
        self._links = {link.index: link for link in plan.every_link}
        faults = Faults(plan, without_down=True)
        rewired, slow = Rewired(plan), SlowCables(plan)
        self._cables = NodeCables(plan, classes.cuts, faults, slow, rewired)
        self._dealt: dict[str, list[list[DealtPort]]] = {}
        # by the identity of cards, which self._live keeps
        self._dealt_to: dict[int, list[tuple[int | None, int]]] = {}
        self._live: dict[ClassVertex, tuple[list[list[_Live]], list[int], list[int]]] = {}
        self._at_nics: dict[Device, tuple[PortCables, ...]] = {}
        self._alike: dict[tuple[ClassVertex, At], tuple[PortCables, ...]] = {}
        self._kinds: dict[frozenset[tuple[Device, tuple[Bundle, ...]]], int] = {}
        self._kind_beside: dict[Device, int] = {}
        self._vertex: dict[Device, ClassVertex] = {}
        self._near: dict[Device, dict[Device, tuple[Bundle, ...]]] = {}
        self._of_sets = {
            link.a.group: plan.groups[link.a.group].axes.index(axis)
            for link in plan.links
            for axis, word in link.along
            if link.bundle and word == "other"
        }
        self._in_sets: dict[object, dict[Device, Mapping[Device, tuple[Bundle, ...]]]] = {}
        self._met: dict[tuple[int, Device], dict[tuple[ClassVertex, RelationKind], list[At]]] = {}
        go_on(sum(classes.cuts.sizes.values()) // 10)
        self._cell: dict[str, dict[int, int]] = {
            axis: {
                value: number
                for number, cell in enumerate(classes.cuts.cells(axis))
                for value in cell.values()
            }
            for axis in classes.cuts.sizes
        }

    def dealt_GBps(self, group: str) -> Mapping[str, float]:
        """By other group, what links deal between a switch of a group and one of that, GB/s."""
        return self._plan.dealt_GBps[group]

    @cached_property
    def symmetry(self) -> AxisSymmetry:
        """The shifts that leave the switches and the cables between them as they are."""
        return AxisSymmetry(self._plan)

    @cached_property
    def _grid(self) -> SwitchGrid | None:
        grid = switch_grid(self._plan, self._slots)
        cuts = self._classes.cuts
        if grid is None or any(len(cuts.cells(axis)) > 1 for axis in grid.switch.axes):
            return None
        return grid

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """What was computed of kinds of devices so far."""
        return {}

    @cached_property
    def _there(self) -> dict[str, set[Cells]]:
        """The classes of devices of every group."""
        there: dict[str, set[Cells]] = {name: set() for name in self._plan.groups}
        for vertex in self._classes.graph:
            if vertex[0] == "device":
                there[vertex[1]].add(vertex[2])
        return there

    def vertex(self, device: Device) -> ClassVertex:
        """The class of a device."""
        known = self._vertex.get(device)
        if known is None:
            known = self._vertex[device] = ("device", device[0], self.cells(device))
        return known

    def cells(self, device: Device) -> Cells:
        """The cells that a device lies in."""
        axes = self._classes.axes_of[device[0]]
        return tuple(self._cell[axis][value] for axis, value in zip(axes, device[1], strict=True))

    def at_node(self, node: Device) -> tuple[PortCables, ...]:
        """The cables of every NIC of a node, in order; equal ones to one switch together."""
        known = self._at_nics.get(node)
        if known is None:
            known = self._at_nics[node] = self._at_whole_node(node) or self._at_own_node(node)
        return known

    def _at_whole_node(self, node: Device) -> tuple[PortCables, ...] | None:
        """The same as without any fault, where none is at the node or at its switches."""
        if self._healed is None:
            return None
        whole, hit = self._healed
        if self._hit_nodes is None or node in self._hit_nodes:
            return None
        cables = whole.at_node(node)
        return None if any(peer in hit for nic in cables for peer, _ in nic) else cables

    def _at_own_node(self, node: Device) -> tuple[PortCables, ...]:
        go_on(20)
        vertex = self.vertex(node)
        if vertex not in self._live:
            self._live[vertex] = self._at_class(self._plan.groups[node[0]], vertex[2])
        # nodes of a class that agree on the axes that they share with their peers have the same
        live, shared, firsts = self._live[vertex]
        at = tuple([node[1][own] for own in shared])
        if (vertex, at) not in self._alike:
            found: list[PortCables] = []
            for nic, first in enumerate(firsts):
                found.append(found[first] if first < nic else self._at_nic(node, live[nic]))
            self._alike[vertex, at] = tuple(found)
        return self._alike[vertex, at]

    def _at_nic(self, node: Device, live: list[_Live]) -> PortCables:
        if len(live) == 1:
            (card, key, rate) = live[0]
            return ((self._peer(node, card), (key, 1, rate)),)
        counted: dict[tuple[Device, object, float], int] = defaultdict(int)
        for card, key, rate in live:
            counted[self._peer(node, card), key, rate] += 1
        return tuple((peer, (key, many, rate)) for (peer, key, rate), many in counted.items())

    def beside(self, switch: Device) -> Mapping[Device, tuple[Bundle, ...]]:
        """The neighbours of a switch, and the cables to each."""
        near = self._near.get(switch)
        if near is None:
            near = self._near[switch] = self._moved_beside(switch)
        return near

    def _moved_beside(self, switch: Device) -> dict[Device, tuple[Bundle, ...]]:
        """The same as beside the first switch that it is alike with, moved."""
        if self._healed is not None:
            whole, hit = self._healed
            near = whole.beside(switch)
            if switch not in hit and hit.isdisjoint(near):
                return dict(near)
        symmetry = self.symmetry
        first = symmetry.first(switch) if self._alike_along else switch
        if switch == first:
            return self._beside(switch)
        move = symmetry.shift_to(switch)
        return {symmetry.moved(peer, move): near for peer, near in self.beside(first).items()}

    @cached_property
    def _hit_nodes(self) -> frozenset[Device] | None:
        """The nodes that what is absent or down names; None where they are many."""
        hit = set[Device]()
        for selector in (*self._plan.absent, *self._plan.down):
            for of in (selector.first, selector.second):
                if of is None or self._plan.groups[of.group].switch is not None:
                    continue
                places = _named(of, self._plan.groups[of.group], _MOST_HIT - len(hit))
                if places is None:
                    return None
                hit |= places
        return frozenset(hit)

    @cached_property
    def _healed(self) -> tuple[SingleDevices, frozenset[Device]] | None:
        """The same without its few faults, where moves take switches to each other; and the hit."""
        plan, hit = self._plan, set[Device]()
        if not (plan.absent or plan.down) or plan.slow or plan.single_cables:
            return None
        for selector in (*plan.absent, *plan.down):
            for of in (selector.first, selector.second):
                group = None if of is None else plan.groups[of.group]
                if of is None or group is None or group.switch is None:
                    continue
                places = _named(of, group, _MOST_HIT - len(hit))
                if places is None:
                    return None
                hit |= places
        whole = replace(plan, absent=(), down=())
        devices = SingleDevices(whole, base_graph(whole, only=self._slots), self._slots)
        return (devices, frozenset(hit)) if devices._alike_along else None

    @cached_property
    def _alike_along(self) -> bool:
        """Whether switches that some move takes to each other have the same beside them."""
        cells, symmetry = self._classes.cuts.cells, self.symmetry
        along = any(link.along for link in self._plan.fabric_links)
        return along and bool(symmetry) and all(len(cells(axis)) == 1 for axis in symmetry.axes)

    def near_on_ways(
        self, starts: Iterable[Device], ends: Iterable[Device]
    ) -> Callable[[Device], Mapping[Device, tuple[Bundle, ...]]]:
        """The neighbours of a switch on paths between some switches and others.

        Where cables are dealt between sets of switches, as between the groups of a dragonfly,
        traffic passes through no third set.
        """
        ends = tuple(ends)
        if self._grid is not None:
            starts = tuple(starts)
            if len(starts) == len(ends) == 1:
                return self._near_in_grid(self._grid.between(starts[0][1], ends[0][1]))
        if not self._of_sets:
            return self.beside
        sets: set[tuple[str, int]] = set()
        for group, at in (*starts, *ends):
            if group not in self._of_sets:
                return self.beside
            sets.add((group, at[self._of_sets[group]]))
        kept = self._in_sets.setdefault(frozenset(sets), {})

        def near(switch: Device) -> Mapping[Device, tuple[Bundle, ...]]:
            found = kept.get(switch)
            if found is None:
                found = kept[switch] = {
                    peer: bundles
                    for peer, bundles in self.beside(switch).items()
                    if peer[0] not in self._of_sets
                    or (peer[0], peer[1][self._of_sets[peer[0]]]) in sets
                }
            return found

        return near

    @cached_property
    def _steps(self) -> Mapping[tuple[int, int], tuple[Bundle, ...]]:
        """The cables of a switch of a grid, by the place of the axis and how far along it."""
        assert self._grid is not None
        first = (self._grid.switch.name, (0,) * len(self._grid.switch.axes))
        return {
            next((axis, by) for axis, by in enumerate(at) if by): bundles
            for (_, at), bundles in self.beside(first).items()
        }

    def _near_in_grid(
        self, allowed: tuple[frozenset[int], ...]
    ) -> Callable[[Device], Mapping[Device, tuple[Bundle, ...]]]:
        """What lies beside a switch at these values alone, of which shortest paths never leave."""
        # as from the first switch, moved: by axis and how far along it, for cables lead along one
        steps = self._steps
        values = [(axis, value) for axis, of in enumerate(allowed) for value in of]

        def near(switch: Device) -> Mapping[Device, tuple[Bundle, ...]]:
            group, at = switch
            sizes = self._plan.groups[group].sizes
            ahead = (
                ((axis, (at[axis] + by) % sizes[axis]) for axis, by in steps)
                if len(steps) <= len(values)
                else values
            )
            return {
                (group, (*at[:axis], value, *at[axis + 1 :])): bundles
                for axis, value in ahead
                if value in allowed[axis]
                and (bundles := steps.get((axis, (value - at[axis]) % sizes[axis])))
            }

        return near

    def kind_beside(self, switch: Device) -> int:
        """A number for what a switch has beside it: equal where switches and cables are."""
        known = self._kind_beside.get(switch)
        if known is None:
            near = frozenset(self.beside(switch).items())
            known = self._kinds.setdefault(near, len(self._kinds))
            self._kind_beside[switch] = known
        return known

    def _at_class(
        self, group: GroupPlan, cells: Cells
    ) -> tuple[list[list[_Live]], list[int], list[int]]:
        """The cables of a node's NICs that are there; which axes of the node they depend on.

        And by NIC the first one that is dealt as it is.
        """
        name = self._slots[group.name]
        if group.name not in self._dealt:
            self._dealt[group.name] = dealt_ports(self._plan, self._classes.cuts, group, name)
        at = self._classes.coordinates(group, cells)
        cards = self._cables.cards(group, name, at, self._dealt[group.name])
        there = (self._cables.live(group, name, cells, at, of_nic, self._there) for of_nic in cards)
        live = [
            [(card, edge_key(card.link, gbit), line_rate_GBps(gbit)) for card, _, gbit in of_nic]
            for of_nic in there
        ]
        shared = {own for of_nic in live for card, _, _ in of_nic for own, _ in card.cells}
        first: dict[object, int] = {}
        firsts = [
            first.setdefault(
                tuple([(card.peer, card.cells, card.values, key, of) for card, key, of in of_nic]),
                number,
            )
            for number, of_nic in enumerate(live)
        ]
        return live, sorted(own for own in shared if own is not None), firsts

    def _peer(self, node: Device, card: DealtPort) -> Device:
        """The device at the other end of a cable of a node."""
        if card.values[:1] == (-1,):
            return card.peer, card.values[1:]
        values = self._dealt_to.get(id(card))
        if values is None:
            end = card.link.end_of(node[0])
            dealt = dict(zip(peer_axes(card.link, end), card.values, strict=True))
            axes = self._classes.axes_of[card.peer]
            values = self._dealt_to[id(card)] = [
                (own, dealt[axis] if own is None else 0)
                for axis, (own, _) in zip(axes, card.cells, strict=True)
            ]
        at = node[1]
        return card.peer, tuple([value if own is None else at[own] for own, value in values])

    def _beside(self, switch: Device) -> dict[Device, tuple[Bundle, ...]]:
        go_on(10)
        graph, here = self._classes.graph, self.vertex(switch)
        near: dict[Device, tuple[Bundle, ...]] = {}
        if here not in graph:
            return near
        values = dict(zip(self._classes.axes_of[switch[0]], switch[1], strict=True))
        for there, edges in graph.adj[here].items():
            if graph.nodes[there]["kind"] != "switch":
                continue
            for key, data in edges.items():
                go_on(4 + data["peers"][here])
                bundle = (key, data["per"][here] // data["peers"][here], data["GBps"])
                link = self._links[data["link"]]
                met = (
                    self._along(link, switch).get((there, data["kind"]), ())
                    if link.along
                    else self._values(there, link.shared, values)
                )
                for at in met:
                    peer = (there[1], at)
                    near[peer] = (*near.get(peer, ()), bundle)
        return near

    def _along(
        self, link: LinkPlan, switch: Device
    ) -> Mapping[tuple[ClassVertex, RelationKind], list[At]]:
        """The devices that one meets over a link along axes, by class and kind of cable."""
        known = self._met.get((link.index, switch))
        if known is None:
            known = self._met[link.index, switch] = defaultdict(list)
            end, rings = link.end_of(switch[0]), self._classes.cuts.rings
            other = (link.b if end is link.a else link.a).group
            if link.bundle:
                for at, position in dealt_at(self._plan, link, switch[1]):
                    known[self.vertex((other, at)), (position,)].append(at)
                return known
            for at in peers_at(self._plan, link, end, switch[1]):
                kind = kind_of(self._plan, link, rings, switch[1], at, end=end)
                known[self.vertex((other, at)), kind].append(at)
        return known

    def _values(
        self, there: ClassVertex, shared: tuple[str, ...], values: Mapping[str, int]
    ) -> product[At]:
        """The devices of a class that agree with one of another on the axes that they share."""
        cuts, cell_of = self._classes.cuts, self._cell
        choices: list[tuple[int, ...]] = []
        for axis, number in zip(self._classes.axes_of[there[1]], there[2], strict=True):
            # a single cable may join devices that do not agree, each a class of its own
            agrees = axis in shared and cell_of[axis][values[axis]] == number
            cell = cuts.cells(axis)[number]
            choices.append((values[axis],) if agrees else tuple(cell.values()))
        return product(*choices)


def _named(of: Selection, group: GroupPlan, most: int) -> set[Device] | None:
    """The devices of a group that a selection names; None where there are more than so many."""
    ranges = {axis: range(low, high + 1) for axis, low, high in of.ranges}
    sizes = zip(group.axes, map(range, group.sizes), strict=True)
    values = [ranges.get(axis, size) for axis, size in sizes]
    if prod(map(len, values)) > most:
        return None
    return {(group.name, at) for at in product(*values)}
