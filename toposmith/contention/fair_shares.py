"""Max-min fair sharing of cables between jobs, by the traffic of each NIC.

The traffic of the busiest NIC of all jobs rises equally until a cable is full; the jobs on it stay
at this rate, the others continue (progressive filling: Bertsekas and Gallager, "Data Networks", 2nd
ed., section 6.5.2). A job moves at the pace of its slowest cable.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

FULL = 1 + 1e-9


@dataclass(frozen=True)
class Competitor:
    """A job among others.

    Parameters
    ----------
    alone : float
        Its rate alone, GB/s.
    busiest : float
        Traffic of its busiest NIC for each GB/s that the job moves.
    loads : mapping
        Its load on each cable, for each GB/s that it moves.
    """

    alone: float
    busiest: float
    loads: Mapping[Hashable, float]


@dataclass(frozen=True)
class FairShare:
    """The rate of a job with others, GB/s, and the cables that limit it; none if as alone."""

    moves: float
    held_by: tuple[Hashable, ...]


def fair_shares(
    jobs: Sequence[Competitor], capacity: Mapping[Hashable, float]
) -> tuple[FairShare, ...]:
    """Share out cables between jobs.

    Parameters
    ----------
    jobs : sequence of Competitor
        All that run at once.
    capacity : mapping
        GB/s of each cable that at least two of them use.
    """
    going = set(range(len(jobs)))
    settled: dict[int, FairShare] = {}
    while going:
        level = {at: jobs[at].alone * jobs[at].busiest for at in going}
        lowest = min(level.values())
        holding: dict[Hashable, float] = {}
        for cable, room in capacity.items():
            rising = sum(jobs[at].loads.get(cable, 0.0) / jobs[at].busiest for at in going)
            if not rising:
                continue
            used = sum(
                share.moves * jobs[at].loads.get(cable, 0.0) for at, share in settled.items()
            )
            holding[cable] = max(room - used, 0.0) / rising
        full = min(holding.values(), default=float("inf"))
        if lowest <= full * FULL:
            for at in [at for at in going if level[at] <= lowest * FULL]:
                settled[at] = FairShare(jobs[at].alone, ())
                going.discard(at)
            continue
        tight = [cable for cable, at_level in holding.items() if at_level <= full * FULL]
        for at in list(going):
            mine = tuple(cable for cable in tight if jobs[at].loads.get(cable))
            if mine:
                settled[at] = FairShare(full / jobs[at].busiest, mine)
                going.discard(at)
    return tuple(settled[at] for at in range(len(jobs)))
