"""The exact throughput of a uniform all-to-all: a maximum concurrent flow, on classes of devices.

The most that every rank can send is the largest S/T for which S/(N T) flows from every GPU to
every other one at once, split over paths at will, while no link carries more than its line rate
(Shahrokhi and Matula, "The maximum concurrent flow problem", J. ACM 37, 1990). That is a linear
program with one flow for every target. Symmetry makes it small, in two steps that leave its
optimum as it is:

- One GPU stands for all in the same cells of all axes as a target: permuting the values within
  the cells takes it to the others, so their flows together load the links between two classes of
  devices evenly. The permutation must not move a cable to another port of a node; so the peers
  that its ports are dealt over are cut apart, and so are its GPUs and NICs. (Classes by colour
  refinement would not do: it cannot tell a ring of six from two rings of three.)
- What else is alike is found by colour refinement of the matrix of the program itself (Grohe,
  Kersting, Mladenov, Selman, "Dimension Reduction via Colour Refinement", arXiv 1307.5697).

The graph is that of :mod:`toposmith.topology.analysis.bounds.all_gather`; GPUs may pass on what is
meant for others. scipy solves the program; it is imported when needed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from toposmith.catalog import Catalog
from toposmith.topology.analysis.bounds.cut_links import PER_GBPS, inside_name
from toposmith.topology.analysis.jobs.world import gpus_of
from toposmith.topology.analysis.network import ComputeNetwork
from toposmith.topology.analysis.result import CutLink
from toposmith.topology.fabric.classes import Cells, ClassVertex
from toposmith.topology.fabric.cuts import Cuts
from toposmith.topology.fabric.dealing import port_peer
from toposmith.topology.fabric.inside import (
    NVSWITCH,
    InsideEdge,
    Vertex,
    collective_edges,
    inside_edges,
)
from toposmith.topology.fabric.nvlink_domains import is_joined, over_switches
from toposmith.topology.fabric.plan import GroupPlan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[Any]

MAX_FLOWS = 100_000
"""Flows over an arc to a target: as many as are written down and merged in about a second."""

MAX_UNKNOWNS = 6_000
"""What may be left of them after merging: as many as are solved for in half a second."""

_LEAST = 1e-6  # GB/s; less is what the solver's arithmetic leaves of a rate of zero
_FREE = 1e-4  # a link is held to be full unless half this share of it can be left free


def solver_available() -> bool:
    """Whether scipy, which solves linear programs, is installed."""
    return find_spec("scipy") is not None


@dataclass(frozen=True)
class Concurrent:
    """The exact rate of a uniform all-to-all, and the links that hold it there.

    ``rate`` is S/T of one rank, GB/s, where S counts the part that stays (algbw in nccl-tests);
    (N - 1)/N of it is the busbw. ``binding`` are the links that are full, in one direction at
    least, however the traffic is routed at this rate.
    """

    rate: float
    binding: tuple[CutLink, ...]


def all_to_all_optimum(network: ComputeNetwork, catalog: Catalog) -> Concurrent | None:
    """The most that every rank can send in a uniform all-to-all; no schedule can do better.

    Returns
    -------
    Concurrent or None
        None without scipy, for fewer than two ranks, where a rank cannot be reached, and where
        too little of the design is alike to solve it within about a second.
    """
    if network.world.gpus < 2 or not solver_available():
        return None
    base = _Fabric(network, catalog, _rigid_cuts(network))
    matrix = _matrix(base)
    return None if matrix is None else _solved(matrix, base)


def _rigid_cuts(network: ComputeNetwork) -> Cuts:
    """The cuts that all figures share, and every peer of a node's ports in a cell of its own."""
    plan = network.plan
    points: dict[str, set[int]] = defaultdict(set)
    for group, slots in network.slots.items():
        for link in plan.links_of(group):
            end = link.end_of(group)
            for port in range(plan.groups[group].port_groups[slots].ports):
                peer = port_peer(plan, link, end, port) if end.ports == slots else None
                for axis, value in (peer or {}).items():
                    points[axis].add(value)
    return network.classes.cuts.with_points(points)


_Kind: TypeAlias = tuple[str, int | None, float]  # of links: name, index in the design, GB/s


class _Fabric:
    """Classes of devices, and the arcs between them: ``cables`` is how many links one stands for.

    Vertices are ``("device", group, cells)`` for switches, and ``(kind, group, cells, ...)`` for
    each part of a node, such as ``("gpu", group, cells, 3)``; ``nodes`` is how many of these.
    """

    def __init__(self, network: ComputeNetwork, catalog: Catalog, cuts: Cuts) -> None:
        self.network = network
        self.catalog = catalog
        self.classes = network.told_apart(cuts)
        self.nodes: dict[ClassVertex, int] = {
            vertex: self.classes.graph.nodes[vertex]["size"]
            for vertex in self.classes.vertices("node")
            if gpus_of(network.plan.groups[vertex[1]])
        }
        self.cables: dict[tuple[ClassVertex, ClassVertex, _Kind], int] = defaultdict(int)
        self._add_links()
        self._add_insides()

    def around(self, node: ClassVertex) -> tuple[_Fabric, list[ClassVertex]]:
        """The same with the first node of a class distinguished, and the GPUs of that node."""
        group = self.network.plan.groups[node[1]]
        at = self.classes.coordinates(group, node[2])
        cuts = self.classes.cuts.with_points({axis: [value] for axis, value in at.items()})
        finer = _Fabric(self.network, self.catalog, cuts)
        return finer, finer.gpus((*node[:2], finer.classes.cells_at(group, at)))

    def gpus(self, node: ClassVertex) -> list[ClassVertex]:
        """The GPUs of a class of nodes: each stands for one of every node."""
        many = gpus_of(self.network.plan.groups[node[1]])
        return [("gpu", *node[1:], index) for index in range(many)]

    def cells_in(self, base: _Fabric, name: str, cells: Cells) -> Cells:
        """The class in a fabric with coarser cuts that a class of devices is a part of."""
        group = self.network.plan.groups[name]
        return base.classes.cells_at(group, self.classes.coordinates(group, cells))

    def _add_links(self) -> None:
        graph = self.classes.graph
        labels = {link.index: link.label for link in self.network.plan.every_link}
        for u, v, key, data in graph.edges(keys=True, data=True):
            index = data["link"]
            if index is None:
                continue
            ends = [self._apart(end) for end in (u, v)]
            cables = self.classes.cables(u, v, key) // (len(ends[0]) * len(ends[1]))
            for a, b in product(*ends):
                self._add(a, b, cables, (labels[index], index, data["GBps"]))

    def _apart(self, vertex: ClassVertex) -> list[ClassVertex]:
        """The NICs of a class, each as a vertex; a switch as it is."""
        slots = self.classes.graph.nodes[vertex].get("slots")
        return [("slot", vertex[1], vertex[3], vertex[2], s) for s in slots] if slots else [vertex]

    def _add_insides(self) -> None:
        for node, many in self.nodes.items():
            group = self.network.plan.groups[node[1]]
            slots = self.network.slots.get(group.name)
            for edge in collective_edges(inside_edges(group, self.catalog), slots):
                if edge.b == NVSWITCH and over_switches(group):
                    self._over_switches(group, node, many, edge)
                    continue
                a, b = (_placed(group, node, end) for end in (edge.a, edge.b))
                self._add(a, b, many, (inside_name(group.name, edge.tier), None, edge.GBps))

    def _over_switches(
        self, group: GroupPlan, node: ClassVertex, many: int, edge: InsideEdge
    ) -> None:
        """The NVLinks of one GPU of a node to the switches of its rack, which are up."""
        link = group.nvlink
        assert link is not None
        racks = prod(
            self.classes.cuts.cell_sizes[axis][cell]
            for axis, cell in zip(group.axes[:-1], node[2], strict=False)
        )
        kind = (inside_name(group.name, edge.tier), None, link.GBps)
        for vertex in self.classes.vertices("switch"):
            if vertex[1] == link.switches and vertex[2][:-1] == node[2][:-1]:
                each = self.classes.graph.nodes[vertex]["size"] // racks
                self._add(_placed(group, node, edge.a), vertex, many * each * link.per_switch, kind)

    def _add(self, a: ClassVertex, b: ClassVertex, cables: int, kind: _Kind) -> None:
        self.cables[a, b, kind] += cables
        self.cables[b, a, kind] += cables


def _placed(group: GroupPlan, node: ClassVertex, end: Vertex) -> ClassVertex:
    """A vertex of a class of nodes; NVLink switches of a rack stand by its first tray."""
    if end == NVSWITCH and is_joined(group):
        return (*end, group.name, (*node[2][:-1], 0))
    return (end[0], *node[1:], *end[1:])


def _matrix(base: _Fabric) -> Any:
    """The matrix of the program, sparse; None where it would be too large.

    Its first column is the rate, the others are flows over an arc to one target of every class.
    Its first rows are the loads of the arcs of the base fabric, GB/s on one link; the others, all
    to be zero, are what leaves each vertex less what it gets and what it adds.
    """
    # numpy and scipy load as long as a small design is analysed: here and below only where needed
    import numpy as np
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    if len(base.cables) * sum(len(base.gpus(node)) for node in base.nodes) > MAX_FLOWS:
        return None
    loads, passed, added = [csr_array((len(base.cables), 1))], [], []
    for node, many in base.nodes.items():
        fine, targets = base.around(node)
        if sum(load.shape[1] for load in loads) + len(targets) * len(fine.cables) > MAX_FLOWS:
            return None
        load, leaving, adding = _flows(base, fine, many, targets)
        loads += [load] * len(targets)
        passed += [leaving] * len(targets)
        added += [*adding.T]
    rate = csr_array(-np.concatenate(added)[:, None])
    return vstack((hstack(loads), hstack((rate, block_diag(passed))))).tocsr()


def _flows(
    base: _Fabric, fine: _Fabric, nodes: int, targets: list[ClassVertex]
) -> tuple[Any, Any, Numbers]:
    """The blocks about targets in a class of so many nodes; ``fine`` has one of them apart.

    An unknown is the load, GB/s, that the flows to one target on each of the nodes together put on
    one link of an arc of the base fabric: figures of one magnitude, however large the cluster is.
    The flow to one of the targets, over all links of the arc, is ``links / nodes`` as much.
    Returned are the loads of the base fabric's arcs, what leaves each vertex less what it gets,
    and what each vertex adds (or takes in) at a rate of 1, with a column for every target.
    """
    import numpy as np
    from scipy.sparse import csr_array

    gpus = {gpu: many for node, many in fine.nodes.items() for gpu in fine.gpus(node)}
    vertices = dict.fromkeys((*gpus, *(u for u, _, _ in fine.cables)))
    number = {vertex: count for count, vertex in enumerate(vertices)}
    places = {place: fine.cells_in(base, *place) for place in {v[1:3] for v in vertices}}
    onto = {v: (*v[:2], places[v[1:3]], *v[3:]) for v in vertices}
    row = {arc: count for count, arc in enumerate(base.cables)}
    arcs = [(onto[u], onto[v], kind) for u, v, kind in fine.cables]
    each, ones = np.arange(len(arcs)), np.ones(len(arcs))
    load = csr_array((ones, ([row[arc] for arc in arcs], each)), (len(row), len(arcs)))
    flow = np.array([base.cables[arc] / nodes for arc in arcs])
    ends = [number[u] for u, _, _ in fine.cables] + [number[v] for _, v, _ in fine.cables]
    both = np.concatenate((flow, -flow)), (ends, np.concatenate((each, each)))
    leaving = csr_array(both, (len(number), len(arcs)))
    # every GPU sends 1/N to the target, which gets all but its own: that does not travel
    added = np.zeros((len(number), len(targets)))
    for gpu, many in gpus.items():
        added[number[gpu]] = many / base.network.world.gpus
    added[[number[target] for target in targets], np.arange(len(targets))] -= 1
    return load, leaving, added


def _alike(matrix: Any, limits: Numbers) -> tuple[Numbers, Numbers]:
    """A colour for every row and every column: unknowns of one colour may all be their average.

    In the coarsest such partition, rows of one colour have the same values in the columns of each
    colour, and columns in the rows. What they have is compared by a sum of random 64-bit words.
    """
    import numpy as np

    entries, (height, width) = matrix.tocoo(), matrix.shape
    random = np.random.default_rng(0)
    words = random.integers(2**64, size=height + width, dtype=np.uint64)
    distinct, which = np.unique(entries.data, return_inverse=True)
    factors = random.integers(2**64, size=len(distinct), dtype=np.uint64)[which] | np.uint64(1)

    def refined(own: Numbers, at: Numbers, across: Numbers) -> Numbers:
        seen = words[own]
        np.add.at(seen, at, words[across] * factors)
        return np.unique(seen, return_inverse=True)[1]

    unlimited = np.full(height - len(limits), -1.0)
    rows = np.unique(np.concatenate((limits, unlimited)), return_inverse=True)[1]
    columns = (np.arange(width) == 0).astype(int)
    before, now = 0, 1
    while before < now:
        columns = refined(columns, entries.col, rows[entries.row])
        rows = refined(rows, entries.row, columns[entries.col])
        before, now = now, int(columns.max() + rows.max())
    return rows, columns


def _solved(matrix: Any, base: _Fabric) -> Concurrent | None:
    """Solve the program with one row and one unknown for all that are alike."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, diags_array, hstack

    # whole MB/s, as the cuts of the bounds are counted
    limits = np.array([round(rate * PER_GBPS) / PER_GBPS for _, _, (_, _, rate) in base.cables])
    rows, columns = _alike(matrix, limits)
    if columns.max() >= MAX_UNKNOWNS:
        return None
    first = np.unique(rows, return_index=True)[1]  # a row of each colour, in order of colour
    merged = matrix[first] @ csr_array((np.ones(len(columns)), (np.arange(len(columns)), columns)))
    limited = first < len(limits)
    most, zeros = limits[first[limited]], np.zeros(np.count_nonzero(~limited))
    # after the flows, for every limit a share of it that is left free
    loads = hstack((merged[limited], diags_array(most)))
    passed = hstack((merged[~limited], csr_array((len(zeros), len(most)))))
    unknown = np.arange(loads.shape[1])
    rate, free = unknown == columns[0], unknown >= merged.shape[1]
    bounds = np.where(free[:, None], 0.0, (0.0, np.inf))
    best = linprog(-1.0 * rate, loads, most, passed, zeros, bounds)
    if best.status or best.x[rate][0] < _LEAST:
        return None
    # a hair below it, for the solver to find it feasible
    bounds[rate], bounds[free] = best.x[rate] * (1 - 1e-9), (0.0, _FREE)
    freest = linprog(-1.0 * free, loads, most, passed, zeros, bounds)
    full = np.isin(rows[: len(limits)], np.flatnonzero(limited)[freest.x[free] < _FREE / 2])
    return Concurrent(float(best.x[rate][0]), _links(base, full))


def _links(base: _Fabric, full: Numbers) -> tuple[CutLink, ...]:
    """The links of these arcs, by kind; those that are full both ways are counted once."""
    arcs = {frozenset(arc): arc for arc, is_full in zip(base.cables, full, strict=True) if is_full}
    counted: dict[_Kind, int] = defaultdict(int)
    for arc in arcs.values():
        counted[arc[2]] += base.cables[arc]
    return tuple(CutLink(*kind[:2], many, kind[2]) for kind, many in counted.items())
