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
- Further symmetry is found by colour refinement of the matrix of the program itself (Grohe,
  Kersting, Mladenov, Selman, "Dimension Reduction via Colour Refinement", arXiv 1307.5697).

The graph is that of :mod:`toposmith.analysis.bounds.all_gather`; GPUs may pass on what is
meant for others. scipy solves the program; it is imported when needed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.analysis.bounds.flow_fabric import FlowFabric, LinkKind, rigid_cuts
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.catalog import Catalog

if TYPE_CHECKING:
    from toposmith.analysis.bounds.flow_program import Numbers


@dataclass(frozen=True)
class Concurrent:
    """The exact rate of a uniform all-to-all, and the links that limit it.

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
        None for fewer than two ranks, where a rank cannot be reached, and where too little of the
        design is alike to solve it within about a second.
    """
    if network.world.gpus < 2:
        return None
    base = FlowFabric(network, catalog, rigid_cuts(network))
    # imported here: loading numpy and scipy takes as long as analysing a small design
    from toposmith.analysis.bounds.flow_program import matrix_of, solved

    matrix = matrix_of(base)
    best = None if matrix is None else solved(matrix, base)
    return None if best is None else Concurrent(best[0], _links(base, best[1]))


def _links(base: FlowFabric, full: Numbers) -> tuple[CutLink, ...]:
    """The links of these arcs, by kind; those that are full in both directions count once."""
    arcs = {frozenset(arc): arc for arc, is_full in zip(base.cables, full, strict=True) if is_full}
    counted: dict[LinkKind, int] = defaultdict(int)
    for arc in arcs.values():
        counted[arc[2]] += base.cables[arc]
    return tuple(CutLink(*kind[:2], many, kind[2]) for kind, many in counted.items())
