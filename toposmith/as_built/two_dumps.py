"""Two dumps of one fabric at two times: what was put right, what is open still, what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from toposmith.as_built.cable_list import Cabling, ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference


@dataclass(frozen=True)
class RecablingProgress:
    """What became of the harmful differences of an earlier dump.

    Parameters
    ----------
    done : list of CablingDifference
        Of the earlier dump, and put right since.
    still : frozenset of int
        Places in the differences of the later dump that were there before.
    new : frozenset of int
        Places in the differences of the later dump that were not.
    """

    done: list[CablingDifference]
    still: frozenset[int]
    new: frozenset[int]


def progress(earlier: CablingComparison, later: CablingComparison) -> RecablingProgress:
    """Compare two comparisons with one plan, cable by cable.

    Which of the cables of a bundle is lacking makes no difference: what counts is how many are.
    """
    before = Counter(key for one in earlier.differences for key in _keys(earlier.plan, one))
    after = Counter(key for one in later.differences for key in _keys(later.plan, one))
    done: list[CablingDifference] = []
    for one in earlier.differences:
        open_ = [key for key in _keys(earlier.plan, one) if after[key] > 0]
        if not open_ and one.harmful:
            done.append(one)
        after.subtract(open_)
    still: set[int] = set()
    new: set[int] = set()
    for place, one in enumerate(later.differences):
        keys = list(_keys(later.plan, one))
        known = [key for key in keys if before[key] > 0]
        before.subtract(known)
        if one.harmful:
            (still if len(known) == len(keys) else new).add(place)
    return RecablingProgress(done, frozenset(still), frozenset(new))


def _keys(plan: Cabling, one: CablingDifference) -> Iterator[Hashable]:
    """The planned cables that are not as planned by a difference; without one, the found cable."""
    if not one.harmful:
        return
    what = "slow" if one.kind == "degraded" else "lacking"
    for cable in one.planned:
        yield what, frozenset((_vertex(plan, cable.a), _vertex(plan, cable.z)))
    if not one.planned and one.a is not None and one.z is not None:
        yield "extra", frozenset((_vertex(plan, one.a), _vertex(plan, one.z)))


def _vertex(plan: Cabling, end: ListedEnd) -> tuple[str, str]:
    """A port of a host, or a switch."""
    device = plan.devices.get(end.device)
    return end.device, end.port if device is None or device.kind == "host" else ""
