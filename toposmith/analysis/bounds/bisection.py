"""Cuts through the whole cluster: bisection bandwidth, and bounds on all-to-all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.cut_links import PER_GBPS, cut_links
from toposmith.analysis.bounds.min_cut import Arc, min_cut
from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective
from toposmith.analysis.result import CutLink
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.classes import ClassGraph, ClassVertex, Marked, class_graph
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.device import At
from toposmith.fabric.inside import collective_edges, inside_edges
from toposmith.fabric.nvlink_domains import outside, over_switches
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan
from toposmith.intervals import Interval, runs_of
from toposmith.text import counted, natural

CutNodes = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
"""Node classes: a group, and the cells of its nodes by axis."""

_SOURCE, _SINK = "source", "sink"

MOST_CUT = 1000
"""Vertices of a class graph up to which cuts are looked for on it, else over single devices:
measured on 16,384 GPUs with 10 and 30 random faults, 260 and 2,900 vertices."""

MOST_VALUES = 2
"""How many values of an axis are tried as cuts where devices are handled singly."""

MOST_AXES = 16
"""How many axes of nodes are tried as cuts: no real design has more."""

ONE_GPU = "ingress of one GPU"
RACKS = "what leaves one of the racks that NVLink joins"
PART_OF_NODES = "what leaves a part of the nodes"
SOCKETS = "what crosses the sockets of all nodes"


@dataclass(frozen=True)
class Severed:
    """A set of ranks and the capacity that leaves it: GB/s, one direction, and its links."""

    gpus: int
    leaving: Fraction
    cut: tuple[CutLink, ...]


@dataclass(frozen=True)
class Bisection:
    """A split of the nodes in two, and the capacity across it.

    Parameters
    ----------
    nodes : (int, int)
        Nodes on each side, the smaller number first.
    severed : Severed
        The capacity across the split, and its links.
    """

    nodes: tuple[int, int]
    severed: Severed

    @property
    def leaving(self) -> Fraction:
        """Capacity across the split, GB/s, one direction."""
        return self.severed.leaving

    @property
    def is_even(self) -> bool:
        """Whether the sides differ by one node at most."""
        return self.nodes[1] - self.nodes[0] <= 1

    @property
    def words(self) -> str:
        """``even halves of 10 and 11 nodes``, or ``cut of 7 against 14 nodes``."""
        one, other = self.nodes
        if self.is_even:
            return f"even halves of {one:,} and {counted(other, 'node')}"
        return f"cut of {one:,} against {counted(other, 'node')}; even halves are not known"


def bisection(network: ComputeNetwork) -> Bisection | None:
    """The narrowest of the even splits of the nodes along each of their axes; None without one.

    For a symmetric fabric this is its bisection bandwidth; in general no even split can be
    narrower than the narrowest, so it is an upper bound. An uneven split gives no bound: it is used
    only where there is no even one, as where NVLink domains stay whole.
    """
    nodes = network.world.nodes
    found: list[Bisection] = []
    for cuts, inside in _halves(network):
        held = _held(network, cuts, inside)
        few = min(held, nodes - held)
        if abs(nodes - 2 * held) <= 1 or (3 * few >= nodes and network.world.joined):
            found.append(Bisection((few, nodes - few), _severed(network, cuts, inside)))
    if not network.world.joined:
        for cuts, inside in _filled_halves(network, nodes // 2):
            few = nodes // 2
            found.append(Bisection((few, nodes - few), _severed(network, cuts, inside)))
    return min(found, key=lambda one: (not one.is_even, one.leaving), default=None)


def _held(network: ComputeNetwork, cuts: Cuts, inside: CutNodes) -> int:
    """The number of nodes in the classes; blocks in the same cells are evaluated once."""
    chosen = _chooser(network, cuts, inside)
    known: dict[object, int] = {}
    held = 0
    for block in network.world.blocks:
        outer = zip(block.group.axes, block.outer, strict=False)  # the last axis is in the runs
        cells = tuple(cuts.cell_of(axis, value) for axis, value in outer)
        alike = (block.group.name, cells, block.runs)
        if alike not in known:
            of_block = (
                (*block.outer, own) for low, high in block.runs for own in range(low, high + 1)
            )
            known[alike] = sum(chosen(block.group, at) for at in of_block)
        held += known[alike]
    return held


def _first_of_other_half(
    network: ComputeNetwork, axis: str, half: int
) -> tuple[list[int], GroupPlan, At]:
    """The values of an axis in the first half, and the first node beyond it.

    Nodes are in the order of the axis; those of one value, and those without one, by group and then
    by their other axes.
    """
    earlier: list[int] = []
    before, at_value = 0, None
    for value, many in _nodes_by_value(network).get(axis, {}).items():
        if before + many > half:
            at_value = value
            break
        earlier.append(value)
        before += many

    def rank(node: tuple[GroupPlan, At]) -> tuple[object, ...]:
        group, at = node
        rest = tuple(value for one, value in zip(group.axes, at, strict=True) if one != axis)
        return natural(group.name), rest

    alike = [
        (block.group, (*block.outer, own))
        for block in network.world.blocks
        for low, high in block.runs
        for own in range(low, high + 1)
        if block.at(own).get(axis) == at_value
    ]
    first, at_first = sorted(alike, key=rank)[half - before]
    return earlier, first, at_first


def _filled_halves(network: ComputeNetwork, half: int) -> Iterator[tuple[Cuts, CutNodes]]:
    """Half of the nodes in the order of each axis whose values do not split them evenly."""
    groups = [group.name for group in network.world.groups]
    for axis in _axes(network) if half else ():
        having = {group.name for group in network.world.groups if axis in group.axes}
        many = list(_nodes_by_value(network).get(axis, {}).values())
        values = (len(many) + 1) // 2
        if values < len(many) and sum(many[:values]) == half:
            continue  # half of the values are half of the nodes
        earlier, first, at_first = _first_of_other_half(network, axis, half)
        bounds = dict(zip(first.axes, at_first, strict=True))
        before = {name for name in groups if natural(name) < natural(first.name)}
        classes: list[tuple[str, tuple[tuple[str, int], ...]]] = []
        if axis in first.axes:
            order = (axis, *(one for one in first.axes if one != axis))
            ranges = {axis: earlier, **{one: range(bounds[one]) for one in order[1:]}}
        else:
            order = first.axes
            ranges = {one: range(bounds[one]) for one in order}
            classes += ((name, ()) for name in having)
            classes += ((name, ()) for name in before - having)
        cuts = network.classes.cuts
        for one, several in ranges.items():
            if several:
                cuts = cuts.refined({one: [frozenset(runs_of(several))]})
        cuts = cuts.with_points({one: [bounds[one]] for one in order})
        if axis in first.axes:
            for name in having:
                classes += ((name, ((axis, cell),)) for cell in _cells(cuts, axis, ranges[axis]))
            at_value = ((axis, cuts.cell_of(axis, bounds[axis])),)
            classes += ((name, at_value) for name in before & having)
        fixed: tuple[tuple[str, int], ...] = ()
        for one in order:
            if one != axis:
                of_one = _cells(cuts, one, ranges[one])
                classes += ((first.name, (*fixed, (one, cell))) for cell in of_one)
            fixed = (*fixed, (one, cuts.cell_of(one, bounds[one])))
        yield cuts, tuple(classes)


def _cells(cuts: Cuts, axis: str, values: Iterable[int]) -> list[int]:
    """The cells of an axis that hold these values and no others."""
    chosen = frozenset(values)
    return [number for number, cell in enumerate(cuts.cells(axis)) if cell.first in chosen]


@dataclass(frozen=True)
class AllToAllBound:
    """The most that every rank can send in a uniform all-to-all, GB/s; ``of`` names the cut."""

    rate: Fraction
    of: str
    cut: tuple[CutLink, ...]


def all_to_all_bound(flows: FlowNetworks, groups: Groups) -> AllToAllBound | None:
    """The most that every rank can send in a uniform all-to-all, and its cut; None if unknown.

    For every set X of ranks, ``S/T <= N B(X) / (|X| (N - |X|))``. The sets tried are one node,
    one of each kind of value of every axis, and half of its values: what binds in trees and Clos
    fabrics (Jyothi et al., "Measuring and understanding throughput of network topologies",
    arXiv 1402.2531, on how far cuts can be from the optimum elsewhere); and the GPUs on half of
    the sockets of every node, where traffic between GPUs has to cross sockets. Inside a
    single node the set is one GPU. For groups of a layout only the sockets are tried.
    """
    network = flows.network
    ranks = network.world.gpus
    if network.world.nccl_nodes == 1:
        one = AllToAllBound(Fraction(flows.gpu_GBps[0]) * ranks / (ranks - 1), ONE_GPU, ())
        return min([one, *_across_racks(flows)], key=lambda each: each.rate)
    found = [_across_sockets(flows, groups), *(_across_racks(flows) if groups.is_world else ())]
    if groups.is_world:
        tried = [*_halves(network), *_parts(network)]
        found += [
            AllToAllBound(
                ranks * cut.leaving / (cut.gpus * (ranks - cut.gpus)), PART_OF_NODES, cut.cut
            )
            for cuts, inside in tried
            if 0 < (cut := _severed(network, cuts, inside)).gpus < ranks
        ]
    known = [each for each in found if each is not None]
    return min(known, key=lambda each: each.rate, default=None)


def parts_taken_in(network: ComputeNetwork) -> Iterator[list[tuple[int, Fraction]]]:
    """By axis, the GPUs at each of its values, and a cut that what they take in crosses, GB/s.

    Only of fabrics whose switches are joined along an axis, such as the groups of a dragonfly: in
    trees and Clos fabrics the cuts of classes say it exactly.
    """
    if not network.along:
        return
    # imported here: it needs numpy, which fabrics of few classes do not
    from toposmith.analysis.bounds.near_cuts import cuts_near

    for axis in _axes(network):
        near = cuts_near(network, axis).values()
        parts = [(held, Fraction(into, PER_GBPS)) for held, into in near if held]
        if len(parts) > 1 and sum(held for held, _ in parts) == network.world.gpus:
            yield parts


def may_exceed(flows: FlowNetworks, collective: Collective) -> bool:
    """Whether predictions of a collective are known to exceed its bound on such nodes.

    Traffic that changes rails inside a node crosses the sockets where NVLink does not join the
    GPUs; the model counts only traffic that stays inside the node.
    """
    nodes = flows.network.world.groups
    return COLLECTIVES[collective].runs == "pairs" and any(
        _first_half(flows, group) for group in nodes
    )


def _across_sockets(flows: FlowNetworks, groups: Groups) -> AllToAllBound | None:
    """The all-to-all bound by the links between the two halves of the sockets of every node.

    None where NVLink joins all GPUs of a node, so that the sockets are not on the path.
    """
    network = flows.network
    first = {group.name: _first_half(flows, group) for group in network.world.groups}
    ranks = _ranks_on_both_sides(network, groups, first)
    if not ranks:
        return None
    marks = tuple(Marked(name, None, ("gpu", gpu)) for name in first for gpu in first[name])
    cuts = network.classes.cuts
    classes = class_graph(network.plan, cuts, flows.catalog, marked=marks, only=network.slots)
    inside = {
        vertex
        for vertex in classes.vertices("gpu")
        if classes.graph.nodes[vertex]["members"][0] in first[vertex[1]]
    }
    leaving, cut = _leaving(network, classes, inside)
    return AllToAllBound(leaving / ranks, SOCKETS, cut)


def _across_racks(flows: FlowNetworks) -> Iterator[AllToAllBound]:
    """The all-to-all bound by what leaves one rack of every NVLink domain."""
    ranks = flows.network.world.gpus
    for rack in joined_racks(flows):
        rate = ranks * rack.leaving / (rack.gpus * (ranks - rack.gpus))
        yield AllToAllBound(rate, RACKS, rack.cut)


def joined_racks(flows: FlowNetworks) -> Iterator[Severed]:
    """The GPUs in one of the racks of every NVLink domain, and what leaves them.

    Empty where every domain has its switches in one rack.
    """
    network, ranks = flows.network, flows.network.world.gpus
    racks = {
        group.name: group.nvlink.along
        for group in network.world.groups
        if group.nvlink and over_switches(group)
    }
    for axis in sorted(set(racks.values())):
        for value in {cell.first for cell in network.classes.cuts.cells(axis)}:
            cuts = network.classes.cuts.with_points({axis: [value]})
            classes = class_graph(network.plan, cuts, flows.catalog, only=network.slots)
            here = classes.cuts.cell_of(axis, value)
            inside = {
                vertex
                for vertex in classes.vertices("gpu")
                if racks.get(vertex[1]) == axis
                and vertex[2][classes.axes_of[vertex[1]].index(axis)] == here
            }
            held = sum(classes.graph.nodes[vertex]["size"] for vertex in inside)
            if 0 < held < ranks:
                leaving, cut = _leaving(network, classes, inside)
                yield Severed(held, leaving, cut)


def _leaving(
    network: ComputeNetwork, classes: ClassGraph, inside: set[ClassVertex]
) -> tuple[Fraction, tuple[CutLink, ...]]:
    """The max-flow from some classes of GPUs to all others, GB/s, and the links of its cut."""
    arcs: list[Arc] = []
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        capacity = round(data["GBps"] * PER_GBPS) * classes.cables(u, v, key)
        arcs += ((u, v, capacity), (v, u, capacity))
    for vertex in classes.vertices("gpu"):
        arcs.append((_SOURCE, vertex, inf) if vertex in inside else (vertex, _SINK, inf))
    return _narrowest(network, classes, arcs)


def _narrowest(
    network: ComputeNetwork, classes: ClassGraph, arcs: list[Arc]
) -> tuple[Fraction, tuple[CutLink, ...]]:
    """The capacity of the narrowest cut between source and sink, and its links."""
    narrowest = min_cut(arcs, _SOURCE, _SINK)
    labels = {link.index: link.label for link in network.plan.every_link}
    cut = cut_links(classes, narrowest.side - {_SOURCE}, labels)
    return Fraction(narrowest.value, PER_GBPS), cut


def sockets_allow_GBps(flows: FlowNetworks, groups: Groups) -> float | None:
    """A lower estimate of the bound across the sockets, GB/s sent by a rank; None if unknown.

    Only traffic between both halves of the sockets inside each node counts; paths over the fabric
    add to it, so the true bound is not lower.
    Infinite where the sockets are on no path.
    """
    network = flows.network
    first = {group.name: _first_half(flows, group) for group in network.world.groups}
    ranks = _ranks_on_both_sides(network, groups, first)
    if not any(first.values()):
        return inf
    if not ranks or network.world.joined:
        return None
    total = 0
    for name, many in network.world.nodes_of.items():
        edges = inside_edges(network.plan.groups[name], flows.catalog)
        used = collective_edges(edges, network.slots.get(name))
        arcs: list[Arc] = []
        for edge in used:
            capacity = round(edge.GBps * PER_GBPS) if edge.GBps < inf else inf
            arcs += [(edge.a, edge.b, capacity), (edge.b, edge.a, capacity)]
        for vertex in {end for edge in used for end in (edge.a, edge.b) if end[0] == "gpu"}:
            own = vertex[1] in first[name]
            arcs.append((_SOURCE, vertex, inf) if own else (vertex, _SINK, inf))
        total += many * min_cut(arcs, _SOURCE, _SINK).value
    return float(Fraction(total, PER_GBPS) / ranks)


def _first_half(flows: FlowNetworks, group: GroupPlan) -> frozenset[int]:
    """The GPUs on the first half of the sockets of a node; none where NVLink joins them all."""
    edges = inside_edges(group, flows.catalog)
    used = collective_edges(edges, flows.network.slots.get(group.name))
    if group.node is None or not any(edge.tier == "socket" for edge in used):
        return frozenset()
    half = (group.node.sockets + 1) // 2
    return frozenset(g for b in group.node.branches if b.socket < half for g in b.gpus)


def _ranks_on_both_sides(
    network: ComputeNetwork, groups: Groups, first: Mapping[str, frozenset[int]]
) -> Fraction:
    """For all groups of ranks together, ``|X| (N - |X|) / N`` of the set X of these GPUs."""
    if groups.is_world:
        nodes = network.world.nodes_of.items()
        inside = sum(many * len(first[name]) for name, many in nodes)
        return Fraction(inside * (groups.size - inside), groups.size)
    if len(set(first.values())) != 1:
        return Fraction(0)
    (half,) = set(first.values())
    span = groups.members * groups.gpu_stride
    by_group = Counter((gpu // span, gpu % groups.gpu_stride) for gpu in half)
    each = (groups.nodes * many for many in by_group.values())
    crossing = sum(inside * (groups.size - inside) for inside in each)
    return Fraction(crossing * groups.concurrent, groups.size * groups.sharing)


def _halves(network: ComputeNetwork) -> Iterator[tuple[Cuts, CutNodes]]:
    """The nodes split evenly along each axis, and by group; NVLink domains stay whole."""
    groups = network.world.groups
    for axis in _axes(network):
        values = _values_with_nodes(network, axis)
        if len(values) > 1:
            half = values[: (len(values) + 1) // 2]
            yield _some_values(groups, network.classes.cuts, axis, half)
    if len(groups) > 1:
        # by name, n9 before n10, so that the order of groups in the file changes nothing
        names = sorted((group.name for group in groups), key=natural)
        yield network.classes.cuts, tuple((name, ()) for name in names[: (len(names) + 1) // 2])


def _values_with_nodes(network: ComputeNetwork, axis: str) -> list[int]:
    """The values of an axis at which a node takes part, in order."""
    return list(_nodes_by_value(network).get(axis, {}))


@once
def _nodes_by_value(network: ComputeNetwork) -> dict[str, dict[int, int]]:
    """By axis, how many nodes have each of its values, in their order."""
    many: dict[str, Counter[int]] = defaultdict(Counter)
    runs: dict[str, Counter[Interval]] = defaultdict(Counter)
    world = network.world
    for block, nodes in zip(world.blocks, world.nodes_of_blocks, strict=True):
        *outer, own = block.group.axes
        runs[own].update(block.runs)
        for axis, value in zip(outer, block.outer, strict=True):
            many[axis][value] += nodes
    for axis, of_axis in runs.items():
        for (low, high), times in of_axis.items():
            many[axis].update(dict.fromkeys(range(low, high + 1), times))
    return {axis: dict(sorted(of_axis.items())) for axis, of_axis in many.items()}


@once
def _axes(network: ComputeNetwork) -> tuple[str, ...]:
    """The axes of nodes along which no NVLink domain is split: no cable is on its cut.

    Of very many the longest ones: of groups of one each has an axis, of one value.
    """
    groups = network.world.groups
    axes = (
        group.axes[: outside(group)] if network.world.joined else group.axes for group in groups
    )
    every = dict.fromkeys(axis for each in axes for axis in each)
    longest = sorted(every, key=network.plan.size, reverse=True)[:MOST_AXES]
    return tuple(axis for axis in every if axis in longest)


def _parts(network: ComputeNetwork) -> Iterator[tuple[Cuts, CutNodes]]:
    """One value of each axis of each kind, and one node of each class."""
    classes = network.classes
    groups = network.world.groups
    for axis in _axes(network):
        if len(_values_with_nodes(network, axis)) > 1:
            for value in _unlike_values(network, axis):
                yield _some_values(groups, classes.cuts, axis, [value])
    for vertex in classes.vertices("node"):
        group = network.plan.groups[vertex[1]]
        # with many faults the intake of one node represents all
        if group in groups and not (network.singly or network.all_apart):
            at = dict(classes.coordinates(group, vertex[2]))
            for axis in group.axes[outside(group) :] if network.world.joined else ():
                del at[axis]
            cuts = classes.cuts.with_points({axis: [value] for axis, value in at.items()})
            cells = tuple((axis, cuts.cell_of(axis, value)) for axis, value in at.items())
            yield cuts, ((group.name, cells),)


def _unlike_values(network: ComputeNetwork, axis: str) -> Iterable[int]:
    """One value of an axis of each kind that the wiring distinguishes.

    Where devices are handled singly, the few values with the narrowest cuts near their nodes.
    """
    if network.all_apart:
        return _values_with_nodes(network, axis)[:1]
    if not network.singly:
        return [cell.first for cell in network.classes.cuts.cells(axis)]
    # imported here: it needs numpy, which fabrics of few classes do not
    from toposmith.analysis.bounds.near_cuts import cuts_near

    ranks = network.world.gpus
    rates = {
        value: Fraction(leaving, held * (ranks - held))
        for value, (held, leaving) in cuts_near(network, axis).items()
        if 0 < held < ranks
    }
    return sorted(rates, key=lambda value: (rates[value], value))[:MOST_VALUES]


def _some_values(
    groups: tuple[GroupPlan, ...], base: Cuts, axis: str, values: Sequence[int]
) -> tuple[Cuts, CutNodes]:
    """The nodes with one of these values of an axis; groups without the axis stay outside."""
    cuts = base.refined({axis: [frozenset(runs_of(values))]})
    chosen = frozenset(values)
    inside = tuple(
        (group.name, ((axis, number),))
        for group in groups
        if axis in group.axes
        for number, cell in enumerate(cuts.cells(axis))
        if cell.first in chosen
    )
    return cuts, inside


@once
def _severed(network: ComputeNetwork, cuts: Cuts, inside: CutNodes) -> Severed:
    """The capacity out of a set of nodes, with switches on the side that makes the cut narrower."""
    many = network.singly and (network.along or len(network.classes.graph) > MOST_CUT)
    if many or network.all_apart:
        # imported here: it needs numpy, which fabrics of few classes do not
        from toposmith.analysis.bounds.single_cuts import nodes_in, single_cuts

        return Severed(*single_cuts(network).severed(nodes_in(network, cuts, inside)))
    classes = network.classes_with(cuts)
    arcs: list[Arc] = []
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        capacity: float = inf  # inside a node only the intake of a NIC limits
        if data["link"] is not None or data["GBps"]:
            capacity = round(data["GBps"] * PER_GBPS) * classes.cables(u, v, key)
        arcs += ((u, v, capacity), (v, u, capacity))
    gpus = {group.name: group.node.gpus for group in network.world.groups if group.node}
    within = _cells_by_axes(inside)
    held = 0
    for vertex in classes.vertices("node"):
        if vertex[1] not in gpus:
            continue
        at = dict(zip(classes.axes_of[vertex[1]], vertex[2], strict=True))
        if any(
            tuple(at[axis] for axis in axes) in cells for axes, cells in within[vertex[1]].items()
        ):
            held += classes.graph.nodes[vertex]["size"] * gpus[vertex[1]]
            arcs.append((_SOURCE, vertex, inf))
        else:
            arcs.append((vertex, _SINK, inf))
    ends = {end for arc in arcs for end in arc[:2]}
    if not {_SOURCE, _SINK} <= ends:
        return Severed(held, Fraction(0), ())
    return Severed(held, *_narrowest(network, classes, arcs))


def _chooser(
    network: ComputeNetwork, cuts: Cuts, inside: CutNodes
) -> Callable[[GroupPlan, At], bool]:
    """Whether a node lies in one of the classes."""
    numbers = {
        axis: {value: n for n, cell in enumerate(cuts.cells(axis)) for value in cell.values()}
        for group in network.world.groups
        for axis in group.axes
    }
    within = _cells_by_axes(inside)

    def chosen(group: GroupPlan, at: At) -> bool:
        return any(
            tuple(numbers[axis][at[group.axes.index(axis)]] for axis in axes) in cells
            for axes, cells in within[group.name].items()
        )

    return chosen


def _cells_by_axes(inside: CutNodes) -> dict[str, dict[tuple[str, ...], set[tuple[int, ...]]]]:
    """The cells of each class, by its group and axes."""
    within: dict[str, dict[tuple[str, ...], set[tuple[int, ...]]]] = defaultdict(dict)
    for name, of in inside:
        axes = tuple(axis for axis, _ in of)
        within[name].setdefault(axes, set()).add(tuple(number for _, number in of))
    return within
