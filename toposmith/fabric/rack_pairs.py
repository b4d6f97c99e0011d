"""The cables between pairs of racks of an NVLink domain, plane by plane.

Each NVLink switch is joined to its counterpart in the other racks, so that those of one number
are a plane: traffic of GPUs uses every plane with cables that are up, and reductions only planes
whose switches are all joined.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from math import inf, prod

from toposmith.fabric.classes import base_graph
from toposmith.fabric.once import once
from toposmith.fabric.plan import NvlinkLink, Plan


@dataclass(frozen=True)
class Plane:
    """Equivalent pairs of switches in two racks: the cables of one pair, by GB/s of a cable."""

    pairs: int
    cables: Mapping[float, float]

    @property
    def GBps(self) -> float:
        """GB/s of one pair in each direction."""
        return sum(rate * many for rate, many in self.cables.items())


@dataclass(frozen=True)
class RackPair:
    """Two racks of a domain with nodes in both: where, and the planes between them."""

    at: str
    domain: tuple[int, ...]
    planes: tuple[Plane, ...]

    @property
    def GBps(self) -> float:
        """GB/s of all cables in each direction."""
        return sum(plane.pairs * plane.GBps for plane in self.planes)


@once
def rack_pairs(plan: Plan, link: NvlinkLink) -> tuple[RackPair, ...]:
    """The distinct pairs of racks of a domain with nodes in both."""
    classes = base_graph(plan)
    *axes, own = plan.groups[link.switches].axes
    there = {v[2][:-1] for v in classes.graph if v[:2] == ("device", link.nodes)}
    sizes = [classes.cuts.cell_sizes[axis] for axis in axes]
    switches = classes.cuts.cell_sizes[own]
    up: dict[tuple[frozenset[tuple[int, ...]], int], Counter[float]] = defaultdict(Counter)
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] == link.trunk:
            ends = frozenset((u[2][:-1], v[2][:-1]))
            up[ends, u[2][-1]][data["GBps"]] += classes.cables(u, v, key)
    found: list[RackPair] = []
    for here in product(*(range(len(of)) for of in sizes)):
        for beside in range(here[-1], len(sizes[-1])):
            other = (*here[:-1], beside)
            many = sizes[-1][here[-1]]
            pairs = many * (many - 1) // 2 if other == here else many * sizes[-1][beside]
            if not {here, other} <= there or not pairs:
                continue
            pairs *= prod(of[cell] for of, cell in zip(sizes[:-1], here, strict=False))
            planes = tuple(
                Plane(count, {rate: all_of / (pairs * count) for rate, all_of in cables.items()})
                for cell, count in enumerate(switches)
                for cables in (up[frozenset((here, other)), cell],)
            )
            place = zip(axes, other, strict=True)
            at = ",".join(f"{a}={classes.cuts.cells(a)[cell].first}" for a, cell in place)
            found.append(RackPair(at, here[:-1], planes))
    return tuple(found)


def planes_that_meet(plan: Plan, link: NvlinkLink) -> int:
    """The fewest planes of any domain whose switches are all joined to their counterparts."""
    fewest = inf
    for _, racks in groupby(rack_pairs(plan, link), key=lambda pair: pair.domain):
        planes = _by_plane(racks)
        meeting = sum(same[0].pairs for same in planes if all(one.cables for one in same))
        fewest = min(fewest, meeting)
    return 0 if fewest == inf else int(fewest)


def loads_of_cables(plan: Plan, link: NvlinkLink, *, summed: bool) -> dict[float, float]:
    """Load of the fullest cable for each GB/s between two racks, by the cable's GB/s.

    Traffic is divided by the capacity of each plane, of cables and of the NVLinks behind them;
    reductions use equal parts of the planes that are joined everywhere.
    """
    worst: dict[float, float] = defaultdict(float)
    most = link.taken * link.GBps
    for _, racks in groupby(rack_pairs(plan, link), key=lambda pair: pair.domain):
        pairs = list(racks)
        meeting = [all(one.cables for one in same) for same in _by_plane(pairs)]
        for pair in pairs:
            parts = [
                (plane, float(meets) if summed else min(plane.GBps, most))
                for plane, meets in zip(pair.planes, meeting, strict=True)
            ]
            whole = sum(plane.pairs * part for plane, part in parts)
            for plane, part in parts:
                for rate in plane.cables if part else ():
                    worst[rate] = max(worst[rate], part / whole * rate / plane.GBps)
    return dict(worst)


def _by_plane(pairs: Iterable[RackPair]) -> list[tuple[Plane, ...]]:
    """The switches of each number, between all racks of a domain."""
    return list(zip(*(pair.planes for pair in pairs), strict=True))
