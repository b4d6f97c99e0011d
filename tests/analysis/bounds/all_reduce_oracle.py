"""The optimum of an all-reduce on an expanded fabric, as a plain linear program.

Every share of the data has a GPU that sums it. A share of GPU v, at rate r_v, is gathered along
trees into v and handed out along trees from v; which part of each link the gathering takes is
free. Trees for all shares fit where, for every GPU t, all r_v together can flow to t over what
handing out has, and from t to all v over what gathering has (Edmonds, "Edge-disjoint branchings",
1973).
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import networkx as nx
import pytest

Entry = tuple[int, int, float]


def all_reduce_optimum(graph: nx.MultiGraph) -> float:
    """The most S/T that any shares reach, GB/s."""
    np = pytest.importorskip("numpy")
    optimize = pytest.importorskip("scipy.optimize")
    sparse = pytest.importorskip("scipy.sparse")
    capacity: dict[tuple[Any, Any], float] = defaultdict(float)
    for u, v, rate in graph.edges(data="GBps"):
        # whole MB/s, as the bounds count
        capacity[u, v] += round(rate, 3)
        capacity[v, u] += round(rate, 3)
    arcs, vertices = list(capacity), list(graph)
    gpus = [vertex for vertex in vertices if vertex[0] == "gpu"]
    many, row = len(arcs), {vertex: at for at, vertex in enumerate(vertices)}
    # unknowns: what gathering takes of every arc, then a flow for each GPU and way, then r
    rates = many * (1 + 2 * len(gpus))
    unknowns = rates + len(gpus)
    over: list[Entry] = []
    most: list[float] = []
    even: list[Entry] = []
    rows = 0
    for vertex in vertices:  # what passes a switch as gathering leaves it as gathering
        if vertex[0] == "gpu":
            continue
        for at, (u, v) in enumerate(arcs):
            even += [(rows, at, 1.0)] * (u == vertex) + [(rows, at, -1.0)] * (v == vertex)
        rows += 1
    for turn, target in enumerate(gpus):
        for gathers in (False, True):
            first = many * (1 + 2 * turn + gathers)
            for at, arc in enumerate(arcs):
                over.append((len(most), first + at, 1.0))
                over.append((len(most), at, -1.0 if gathers else 1.0))
                most.append(0.0 if gathers else capacity[arc])
            for vertex in vertices:
                for at, (u, v) in enumerate(arcs):
                    even += [(rows + row[vertex], first + at, 1.0)] * (u == vertex)
                    even += [(rows + row[vertex], first + at, -1.0)] * (v == vertex)
            sign = -1.0 if gathers else 1.0
            for at, gpu in enumerate(gpus):
                even.append((rows + row[gpu], rates + at, -sign))
                even.append((rows + row[target], rates + at, sign))
            rows += len(vertices)

    def matrix(entries: list[Entry], height: int) -> Any:
        at, columns, values = zip(*entries, strict=True)
        return sparse.coo_array((values, (at, columns)), shape=(height, unknowns)).tocsr()

    bounds = [(0, capacity[arc]) for arc in arcs] + [(0, None)] * (unknowns - many)
    found = optimize.linprog(
        -(np.arange(unknowns) >= rates).astype(float),
        A_ub=matrix(over, len(most)),
        b_ub=most,
        A_eq=matrix(even, rows),
        b_eq=np.zeros(rows),
        bounds=bounds,
    )
    return float(-found.fun)
