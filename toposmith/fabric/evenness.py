"""Where NICs of different classes meet the same class of peers, and how to cut those apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence

from toposmith.fabric.cuts import Cuts
from toposmith.intervals import Interval

PeerValues = tuple[int, ...]
"""A peer's values on the axes that ports are dealt over."""


def uneven_cuts(
    cuts: Cuts,
    axes: Sequence[str],
    met: Mapping[PeerValues, Sequence[int]],
    cell_of: Mapping[PeerValues, Hashable],
    peers: int,
) -> Iterator[tuple[str, frozenset[Interval]]]:
    """Sets of values by which axes must be cut before the class graph is equitable.

    Parameters
    ----------
    cuts : Cuts
        The cuts as they are.
    axes : sequence of str
        The axes that the ports of one slot group are dealt over.
    met : mapping
        For every peer, the classes of the NICs whose ports meet it.
    cell_of : mapping
        The class of every peer, in the cuts as they are.
    peers : int
        How many peers there are; those that no port meets are another kind.

    Yields
    ------
    tuple
        An axis and a set of its values; nothing where the deal is even.
    """
    kinds = {(cell_of[values], *sorted(seen)) for values, seen in met.items()}
    if len(kinds) == len(set(cell_of.values())) and len(met) == peers:
        return
    for position, axis in enumerate(axes):
        for values in _unlike(cuts, axis, position, met):
            yield axis, frozenset((value, value) for value in values)


def _unlike(
    cuts: Cuts, axis: str, position: int, met: Mapping[PeerValues, Sequence[int]]
) -> Iterator[list[int]]:
    seen_at: dict[int, dict[PeerValues, PeerValues]] = defaultdict(dict)
    for values, seen in met.items():
        others = values[:position] + values[position + 1 :]
        seen_at[values[position]][others] = tuple(sorted(seen))
    for cell in cuts.cells(axis):
        kinds: dict[object, list[int]] = defaultdict(list)
        inside = sorted(value for value in seen_at if value in cell)
        for value in inside:
            kinds[tuple(sorted(seen_at[value].items()))].append(value)
        if len(kinds) > 1 or (kinds and len(inside) < cell.size):
            yield from kinds.values()
