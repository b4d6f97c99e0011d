"""Cuts through the whole cluster: bisection bandwidth, and what all-to-all cannot exceed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from catalog import Catalog
from topology.analysis.bound import separation
from topology.analysis.network import Network
from topology.analysis.result import CutLink
from topology.fabric.cuts import Cuts
from topology.fabric.plan import GroupPlan

Inside = list[tuple[str, Mapping[str, int]]]


@dataclass(frozen=True)
class Severed:
    """A set of ranks and the capacity that leaves it: GB/s, one direction, and its links."""

    gpus: int
    leaving: Fraction
    cut: tuple[CutLink, ...]


def bisection(network: Network, catalog: Catalog) -> Severed | None:
    """The thinnest of the even splits of the cluster along each axis of its nodes.

    For a symmetric fabric this is its bisection bandwidth; in general no split of the cluster into
    halves can be wider than the true one, so it is an upper bound.
    """
    halves = [severed for _, severed in _splits(network, catalog, halves_only=True)]
    return min(halves, key=lambda severed: severed.leaving, default=None)


def all_to_all_bound(network: Network, catalog: Catalog) -> tuple[Fraction, Severed] | None:
    """The most that every rank can send in a uniform all-to-all, GB/s, and the cut that says so.

    For every set X of ranks, ``S/T <= N B(X) / (|X| (N - |X|))``. The sets tried are one node,
    one value of every axis and half of its values: the cuts that bind in trees and Clos fabrics
    (N. Jyothi et al., "Measuring and understanding throughput of network topologies",
    arXiv 1402.2531, for how far cuts can be from the optimum elsewhere).
    """
    ranks = network.world.gpus
    bounds = [
        (ranks * severed.leaving / (severed.gpus * (ranks - severed.gpus)), severed)
        for _, severed in _splits(network, catalog, halves_only=False)
    ]
    return min(bounds, key=lambda bound: bound[0], default=None)


def _splits(
    network: Network, catalog: Catalog, *, halves_only: bool
) -> Iterator[tuple[Inside, Severed]]:
    ranks = network.world.gpus
    for cuts, inside in _sets(network, halves_only=halves_only):
        gpus, leaving, cut = separation(network, catalog, cuts, inside)
        if 0 < gpus < ranks:
            yield inside, Severed(gpus, leaving, cut)


def _sets(network: Network, *, halves_only: bool) -> Iterator[tuple[Cuts, Inside]]:
    """Half of every axis of the nodes; also one value of each, and one node, if asked for."""
    groups = network.world.groups
    base = network.classes.cuts
    axes = list(dict.fromkeys(axis for group in groups for axis in group.axes))
    for axis in axes:
        size = network.plan.size(axis)
        if size > 1:
            yield _first_values(groups, base, axis, (size + 1) // 2)
            if not halves_only:
                yield _first_values(groups, base, axis, 1)
    if len(groups) > 1:
        half = groups[: (len(groups) + 1) // 2]
        yield base, [(group.name, {}) for group in half]
    if not halves_only:
        for group in groups:
            at = network.classes.coordinates(group, tuple(0 for _ in group.axes))
            cuts = base.with_points({axis: [value] for axis, value in at.items()})
            cells = {axis: cuts.cell_of(axis, value) for axis, value in at.items()}
            yield cuts, [(group.name, cells)]


def _first_values(
    groups: tuple[GroupPlan, ...], base: Cuts, axis: str, many: int
) -> tuple[Cuts, Inside]:
    """The nodes with one of the first values of an axis; groups without the axis stay outside."""
    cuts = base.refined({axis: [frozenset({(0, many - 1)})]})
    inside: Inside = [
        (group.name, {axis: number})
        for group in groups
        if axis in group.axes
        for number, cell in enumerate(cuts.cells(axis))
        if cell.first < many
    ]
    return cuts, inside
