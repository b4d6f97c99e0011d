"""What can fail: every class of devices, NICs and cables of the compute network.

Members of a class are equivalent in the class graph (see :mod:`toposmith.fabric.classes`),
so that one of them represents all. A failure is written as selectors of ``down:``; what the
document cannot express, such as power feeds, cannot fail here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from random import Random
from typing import TypeVar

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.switch_tiers import tier_name, tier_of_groups
from toposmith.catalog import Catalog, NvlinkSwitch
from toposmith.fabric.classes import ClassGraph, ClassVertex, class_graph
from toposmith.fabric.cuts import AxisCell, Cuts
from toposmith.fabric.dealing import Coordinates, dealt_over, port_peer
from toposmith.fabric.faults import Faults, Instance
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan, Plan
from toposmith.fabric.relations import peers_at
from toposmith.fabric.rewired import Rewired
from toposmith.fabric.slow_cables import SlowCables, slow_cables_of
from toposmith.units import line_rate_GBps

Picked = TypeVar("Picked")

SCALE_UP_SWITCH = "scale-up switch"
"""The same of other makers."""

NVLINK_SWITCH_TRAY = "NVLink switch tray"
"""The kind of failure of an NVLink switch, drawn or not."""

MOST_TOLD_APART = 1024
"""Values of an axis that are distinguished one by one; ports are dealt over fewer on real nodes."""


@dataclass(frozen=True)
class Failure:
    """One thing that fails, and how many are like it.

    Parameters
    ----------
    kind : str
        ``node``, ``NIC``, ``cable``, ``set``, ``NVLink switch tray``, or the tier of a switch.
    what : str
        Where it is: a group, ``node.compute``, the label of a link, or the name of a set.
    selectors : tuple of str
        What to write under ``down:`` for it.
    members : int
        How many are in its class.
    """

    kind: str
    what: str
    selectors: tuple[str, ...]
    members: int


class Pick:
    """Which member of a class stands for it: the first, or a random one."""

    def __init__(self, random: Random | None = None) -> None:
        self._random = random

    def value(self, cell: AxisCell) -> int:
        """A value of a cell."""
        if self._random is None:
            return cell.first
        at = self._random.randrange(cell.size)
        for low, high in cell.intervals:
            if at <= high - low:
                return low + at
            at -= high - low + 1
        raise AssertionError("a cell has as many values as its size")

    def of(self, several: Sequence[Picked]) -> Picked:
        """One of several."""
        return several[0] if self._random is None else self._random.choice(several)


@dataclass(frozen=True)
class FailureClass:
    """A class of things that fail alike; :meth:`member` writes one of them down."""

    kind: str
    what: str
    members: int
    selectors_of: Callable[[Pick], tuple[str, ...]]

    def member(self, pick: Pick | None = None) -> Failure:
        """The first member, or the one that is picked."""
        return Failure(self.kind, self.what, self.selectors_of(pick or Pick()), self.members)


def failure_classes(network: ComputeNetwork, catalog: Catalog) -> list[FailureClass]:
    """Every class of what can fail in the compute network: nodes, NICs, cables, switches by tier.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network of a design; what is down there already cannot fail again.
    catalog : Catalog
        For the insides of nodes, which distinguish NICs.
    """
    apart = _nodes_unlike(network)
    cuts = _finer(network) if apart else network.classes.cuts
    classes = class_graph(network.plan, cuts, catalog, only=network.slots)
    faults, rewired = Faults(network.plan, without_down=True), Rewired(network.plan)
    found = _Finder(network, classes, apart, faults, rewired, slow_cables_of(network.plan))
    return [*found.devices(), *found.nics(), *found.cables()]


def named_sets(plan: Plan) -> tuple[Failure, ...]:
    """The sets of the design that fail or are serviced together, each as one failure."""
    return tuple(
        Failure("set", name, tuple(selector.text for selector in selectors), 1)
        for name, selectors in plan.sets.items()
        if selectors
    )


def _nodes_unlike(network: ComputeNetwork) -> bool:
    """Whether nodes have unlike NICs or cables, so that slots and the order of ranks matter.

    Neighbours in a ring pair NICs of equal slots
    (:mod:`toposmith.analysis.traffic.row_exchange`). Where nodes have unlike ones,
    exchanging slots or neighbours is no symmetry of the whole.
    """
    graph = network.classes.graph
    cabled: dict[tuple[object, ...], list[tuple[int, float]]] = {v: [] for v in network.live_slots}
    for nic in network.classes.vertices("nic"):
        edges = graph.edges(nic, data=True)
        wired = [data for _, _, data in edges if data["link"] is not None]
        GBps = sum(data["per"][nic] * data["GBps"] for data in wired)
        if (place := (nic[1], nic[3])) in cabled:
            cabled[place] += [(slot, GBps) for slot in graph.nodes[nic]["slots"]]
    alike = len({tuple(sorted(slots)) for slots in cabled.values()}) <= 1
    return not alike or len(network.world.groups) > 1


def _finer(network: ComputeNetwork) -> Cuts:
    """Cuts that also tell apart the leaves that slots meet, and nodes beside unlike ones."""
    groups, cuts = network.world.groups, network.classes.cuts
    dealt = dealt_over(network.plan, [group.name for group in groups])
    sizes = {axis: network.plan.size(axis) for axis in dealt}
    points = {axis: set(range(size)) for axis, size in sizes.items() if size <= MOST_TOLD_APART}
    for axis in {axis for group in groups for axis in group.axes}:
        ends = {end for cell in cuts.cells(axis) for ends in cell.intervals for end in ends}
        points[axis] = points.get(axis, set()) | ends
    return cuts.with_points(points)


@dataclass(frozen=True)
class _Finder:
    """The class graph of a network, asked for what can fail."""

    network: ComputeNetwork
    classes: ClassGraph
    nodes_unlike: bool
    faults: Faults
    rewired: Rewired
    slow: SlowCables

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up."""
        return self.network.plan

    @cached_property
    def heights(self) -> dict[str, int]:
        """The groups of the compute network, by tier."""
        return tier_of_groups(self.plan, self.network.slots)

    def devices(self) -> Iterator[FailureClass]:
        """Nodes, then switches by tier, and the NVLink switches of racks."""
        heights = self.heights
        with_gpus = {group.name for group in self.network.world.groups}
        nvlink = {link.switches for link in self.plan.nvlinks if link.nodes in with_gpus}
        for vertex, data in self._vertices("device"):
            group = self.plan.groups[vertex[1]]
            if vertex[1] in nvlink:
                selectors = partial(self._device, group, vertex[2])
                tray = isinstance(group.part, NvlinkSwitch) and group.part.protocol == "nvlink"
                name = NVLINK_SWITCH_TRAY if tray else SCALE_UP_SWITCH
                yield FailureClass(name, group.name, data["size"], selectors)
            if vertex[1] not in heights or (group.node and not gpus_of(group)):
                continue
            kind = "node" if group.node else tier_name(heights[vertex[1]])
            yield FailureClass(
                kind,
                group.name,
                data["size"],
                partial(self._device, group, vertex[2]),
            )

    def nics(self) -> Iterator[FailureClass]:
        """NICs with at least one cable."""
        for vertex, _ in self._vertices("nic"):
            if self._links_at(vertex):
                for slots, many in self._alike(vertex):
                    yield FailureClass(
                        "NIC",
                        f"{vertex[1]}.{vertex[2]}",
                        many,
                        partial(self._nic, vertex, slots),
                    )

    def cables(self) -> Iterator[FailureClass]:
        """Cables by link and by the classes of their ends."""
        links = {link.index: link for link in self.plan.every_link}
        for u, v, key, data in self.classes.graph.edges(keys=True, data=True):
            if data["link"] is None:
                continue
            link, per = links[data["link"]], data["per"]
            if u[0] == "nic" or v[0] == "nic":
                nic, peer = (u, v) if u[0] == "nic" else (v, u)
                for slots, many in self._alike(nic):
                    ends = partial(self._port, nic, slots, peer, link, data["GBps"])
                    yield FailureClass("cable", link.label, many * per[nic], ends)
            elif not self._taken_first(u, v, link, data["GBps"]):
                continue  # of unlike cables between two switches only these can be written down
            elif u[1] in self.heights or link.index in self.plan.nvlink_trunks:
                many = self.classes.cables(u, v, key)
                yield FailureClass("cable", link.label, many, partial(self._between, u, v, link))

    def _vertices(self, kind: str) -> list[tuple[ClassVertex, dict[str, int]]]:
        return [(v, data) for v, data in self.classes.graph.nodes(data=True) if v[0] == kind]

    def _links_at(self, vertex: ClassVertex) -> list[int]:
        edges = self.classes.graph.edges(vertex, data="link")
        return [link for _, _, link in edges if link is not None]

    def _coordinates(self, group: GroupPlan, cells: tuple[int, ...], pick: Pick) -> dict[str, int]:
        return {
            axis: pick.value(self.classes.cuts.cells(axis)[cell])
            for axis, cell in zip(group.axes, cells, strict=True)
        }

    def _alike(self, nic: ClassVertex) -> Iterator[tuple[tuple[int, ...], int]]:
        """Slots of a class of NICs that are alike, with how many NICs sit in them."""
        data = self.classes.graph.nodes[nic]
        slots, size = data["slots"], data["size"]
        if self.nodes_unlike:
            yield from (((slot,), size // len(slots)) for slot in slots)
        else:
            yield slots, size

    def _device(self, group: GroupPlan, cells: tuple[int, ...], pick: Pick) -> tuple[str, ...]:
        return (instance(group, self._coordinates(group, cells, pick)),)

    def _nic(self, vertex: ClassVertex, slots: tuple[int, ...], pick: Pick) -> tuple[str, ...]:
        """Every port of one NIC."""
        group = self.plan.groups[vertex[1]]
        slot = pick.of(slots)
        node = instance(group, self._coordinates(group, vertex[3], pick))
        ports = group.port_groups[vertex[2]].ports_of_nic(slot)
        return tuple(f"{node}.{vertex[2]}[{port}]" for port in ports)

    def _port(
        self,
        nic: ClassVertex,
        slots: tuple[int, ...],
        peer: ClassVertex,
        link: LinkPlan,
        line_GBps: float,
        pick: Pick,
    ) -> tuple[str, ...]:
        """One port of a NIC whose cable to a class of peers runs at this rate."""
        group = self.plan.groups[nic[1]]
        end = link.end_of(group.name)
        slot = pick.of(slots)
        at = self._coordinates(group, nic[3], pick)
        place = (group.name, nic[2], tuple(at.values()))
        freed = self.rewired.freed.get(place, ())
        here = group.port_groups[nic[2]].ports_of_nic(slot)
        ports = [
            port
            for port in here
            if (away := port_peer(self.plan, link, end, port)) is not None
            and port not in freed
            and (peer[0] == "nic" or self._meets({**at, **away}, peer))
            and self._line_GBps(link, end, at, port, away) == line_GBps
        ]
        for one in self.rewired.at_nodes.get(place, ()):
            far = dict(zip(self.plan.groups[one.far.group].axes, one.far.at, strict=True))
            if one.link != link or one.port not in here or not self._meets(far, peer):
                continue
            if self._line_GBps(link, end, at, one.port, far) == line_GBps:
                ports.append(one.port)
        ports = [port for port in ports if not self.faults.takes_port(group.name, nic[2], port, at)]
        return (f"{instance(group, at)}.{nic[2]}[{pick.of(ports)}]",)

    def _line_GBps(
        self, link: LinkPlan, end: LinkEnd, at: Coordinates, port: int, away: Coordinates
    ) -> float:
        """What the cable at a port of a node runs at."""
        other = link.b if end is link.a else link.a
        axes = self.plan.groups[other.group].axes
        here, there = (end.group, at), (other.group, {axis: {**at, **away}[axis] for axis in axes})
        if end is link.a:
            return line_rate_GBps(self.slow.gbit(link, here, there, port_a=port))
        return line_rate_GBps(self.slow.gbit(link, there, here, port_b=port))

    def _meets(self, there: Coordinates, peer: ClassVertex) -> bool:
        group = self.plan.groups[peer[1]]
        cells = peer[3] if peer[0] == "nic" else peer[2]
        return bool(self.classes.cells_at(group, there) == cells)

    def _between(
        self, u: ClassVertex, v: ClassVertex, link: LinkPlan, pick: Pick
    ) -> tuple[str, ...]:
        """One of the cables between two switches."""
        here, there = self._pair(u, v, link, pick)
        group_u, group_v = self.plan.groups[u[1]], self.plan.groups[v[1]]
        cable = f"{instance(group_u, here)} - {instance(group_v, there)}"
        many = self._cables_between(link, (u[1], here), (v[1], there))
        return (cable if many == 1 else f"1 of {cable}",)

    def _pair(
        self, u: ClassVertex, v: ClassVertex, link: LinkPlan, pick: Pick
    ) -> tuple[Coordinates, Coordinates]:
        """Two switches of these classes that a link joins."""
        group_u, group_v = self.plan.groups[u[1]], self.plan.groups[v[1]]
        here = self._coordinates(group_u, u[2], pick)
        if link.along:
            met = peers_at(self.plan, link, link.end_of(u[1]), tuple(here.values()))
            near = [dict(zip(group_v.axes, at, strict=True)) for at in met]
            return here, pick.of([at for at in near if self._meets(at, v)])
        there = self._coordinates(group_v, v[2], pick)
        agreeing = there | {axis: here[axis] for axis in group_v.axes if axis in here}
        # single cables may join what does not agree
        return here, agreeing if self._meets(agreeing, v) else there

    def _cables_between(self, link: LinkPlan, one: Instance, other: Instance) -> int:
        """How many cables of a link join two switches, what is down among them."""
        at_one, at_other = tuple(one[1].values()), tuple(other[1].values())
        # a cable of a link within a group may have been written from either end
        ways = {(one[0], at_one, at_other), (other[0], at_other, at_one)}
        pairs = [(link.index, near, far) for group, near, far in ways if group == link.a.group]
        gained = sum(self.rewired.gained.get(pair, 0) for pair in pairs)
        lost = sum(self.rewired.lost.get(pair, 0) for pair in pairs)
        return link.cables_per_pair + gained - lost

    def _taken_first(
        self, u: ClassVertex, v: ClassVertex, link: LinkPlan, line_GBps: float
    ) -> bool:
        """Whether ``1 of`` the cables between two switches takes one that runs at this rate."""
        if not self.slow.touches(link):
            return True
        here, there = self._pair(u, v, link, Pick())
        ends = (u[1], here), (v[1], there)
        cables = self._cables_between(link, *ends)
        left = self.faults.cables_left(*ends, cables)
        whole = self.slow.between(link, *ends, left, of=cables)
        fewer = self.slow.between(link, *ends, left - 1, of=cables)
        return any(
            many > fewer.get(speed, 0) and line_rate_GBps(speed) == line_GBps
            for speed, many in whole.items()
        )


def instance(group: GroupPlan, at: Coordinates) -> str:
    """A selector of one instance."""
    return f"{group.name}[{','.join(f'{axis}={at[axis]}' for axis in group.axes)}]"
