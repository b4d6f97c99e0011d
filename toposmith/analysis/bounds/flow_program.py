"""The linear program of concurrent flows on classes of devices: built, reduced and solved."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_array, diags_array, hstack, vstack

from toposmith.analysis.bounds.cut_links import PER_GBPS
from toposmith.analysis.bounds.flow_fabric import FlowFabric
from toposmith.fabric.classes import ClassVertex

Numbers: TypeAlias = NDArray[Any]

MAX_FLOWS = 100_000
"""The most flows (one for each arc and target) that are built and reduced in about a second."""

MAX_UNKNOWNS = 6_000
"""The most flows after reduction that are solved in about half a second."""

_LEAST = 1e-6  # GB/s; smaller rates are rounding errors of the solver
_FREE = 1e-4  # a link counts as full unless half this share of it can stay free


def matrix_of(base: FlowFabric) -> Any:
    """The sparse matrix of the program; None where it would be too large.

    Its first column is the rate, the others are flows over an arc to one target of every class.
    Its first rows are the loads of the arcs of the base fabric, GB/s on one link; the others, all
    to be zero, are the outflow of each vertex minus its inflow and its own traffic.
    """
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
    base: FlowFabric, fine: FlowFabric, nodes: int, targets: list[ClassVertex]
) -> tuple[Any, Any, Numbers]:
    """The blocks about targets in a class of so many nodes; ``fine`` has one of them apart.

    An unknown is the load, GB/s, that the flows to one target on each of the nodes together put on
    one link of an arc of the base fabric: figures of one magnitude, however large the cluster is.
    The flow to one of the targets, over all links of the arc, is ``links / nodes`` as much.
    Returns the loads of the base fabric's arcs, the net outflow of each vertex, and the traffic
    of each vertex at a rate of 1, with a column for every target.
    """
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
    # every GPU sends 1/N to the target; the target's own share does not travel
    added = np.zeros((len(number), len(targets)))
    for gpu, many in gpus.items():
        added[number[gpu]] = many / base.network.world.gpus
    added[[number[target] for target in targets], np.arange(len(targets))] -= 1
    return load, leaving, added


def _alike(matrix: Any, limits: Numbers) -> tuple[Numbers, Numbers]:
    """A colour for every row and column: unknowns of one colour can be replaced by their average.

    In the coarsest such partition, rows of one colour have the same values in the columns of each
    colour, and columns in the rows. Multisets are compared by sums of random 64-bit words.
    """
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


def solved(matrix: Any, base: FlowFabric) -> tuple[float, Numbers] | None:
    """Solve the program with one row and one unknown for each colour."""
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
    # slightly below it, for the solver to find it feasible
    bounds[rate], bounds[free] = best.x[rate] * (1 - 1e-9), (0.0, _FREE)
    freest = linprog(-1.0 * free, loads, most, passed, zeros, bounds)
    full = np.isin(rows[: len(limits)], np.flatnonzero(limited)[freest.x[free] < _FREE / 2])
    return float(best.x[rate][0]), full
