"""What can be taken out now without stopping a job: one at a time, and how many at once.

What is down stays down, so that the answer changes with what has failed already.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from toposmith.analysis.request import Collective
from toposmith.catalog import Catalog
from toposmith.fabric.faults import Faults
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.review.failures.breakable import Failure, instance
from toposmith.review.failures.sweep import Sweep
from toposmith.review.failures.without import DegradedDesign, intact, without
from toposmith.text import counted

SERVICED = ("leaf", "spine", "core", "cable", "shared cable", "module", "set")
"""Kinds of things that are taken out while jobs go on; a node or NIC takes ranks with it."""


@dataclass(frozen=True)
class TakenOut:
    """Things of one kind and place that can be taken out, or cannot.

    Parameters
    ----------
    kind, what : str
        Such as ``spine`` and its group.
    things, of : int
        How many of them, of how many there are.
    kept : float or None
        The least that any of them leaves of any collective; None where that is not known.
    example : Failure
        One of them; of those that cannot be taken out the worst.
    why : str
        Why they cannot be.
    at_once : int
        How many of them can be out together, as far as that was computed.
    together : tuple of str
        These, as selectors.
    """

    kind: str
    what: str
    things: int
    of: int
    kept: float | None
    example: Failure
    why: str = ""
    at_once: int = 1
    together: tuple[str, ...] = ()


@dataclass(frozen=True)
class Maintenance:
    """What can be taken out now with such a share of every collective kept, and what cannot."""

    keep: float
    can: tuple[TakenOut, ...]
    cannot: tuple[TakenOut, ...]


def can_go(outcome: DegradedDesign, keep: float) -> bool:
    """Whether all GPUs still reach each other without it, and keep so much of each collective."""
    return not _why_not(outcome, keep)


def maintenance(sweep: Sweep, keep: float) -> Maintenance:
    """What can be taken out, one at a time.

    Parameters
    ----------
    sweep : Sweep
        What the design keeps after each failure.
    keep : float
        The share of the bandwidth that is to be left, from 0 to 1.
    """
    places: dict[tuple[str, str], list[DegradedDesign]] = defaultdict(list)
    for outcome in sweep.singles:
        failure = outcome.failures[0]
        if _is_serviced(failure):
            places[failure.kind, failure.what].append(outcome)
    can: list[TakenOut] = []
    cannot: list[TakenOut] = []
    for (kind, what), outcomes in places.items():
        of = sum(outcome.failures[0].members for outcome in outcomes)
        for into, some in (
            (can, [outcome for outcome in outcomes if can_go(outcome, keep)]),
            (cannot, [outcome for outcome in outcomes if not can_go(outcome, keep)]),
        ):
            if some:
                worst = min(some, key=lambda outcome: outcome.whole_share or 0.0)
                things = sum(outcome.failures[0].members for outcome in some)
                why = _why_not(worst, keep)
                example = (worst if why else some[0]).failures[0]
                into.append(TakenOut(kind, what, things, of, worst.worst_share, example, why))
    return Maintenance(keep, tuple(can), tuple(cannot))


def only_removable(sweep: Sweep, keep: float) -> Sweep:
    """Only the single failures of what can be taken out."""
    singles = (
        outcome
        for outcome in sweep.singles
        if _is_serviced(outcome.failures[0]) and can_go(outcome, keep)
    )
    return replace(sweep, singles=tuple(singles), doubles=(), harmless=())


def _is_serviced(failure: Failure) -> bool:
    known = failure.kind in SERVICED or failure.kind.startswith("tier")
    return known and bool(failure.selectors)


def together(
    found: Maintenance,
    plan: Plan,
    catalog: Catalog,
    sweep: Sweep,
    progress: Callable[[int, int], bool] | None = None,
) -> Maintenance:
    """Add how many switches of a group can be out at once: the first ones that are there.

    More of them are tried until too little is left; half of the rest each time.
    """
    collectives: Sequence[Collective] = tuple(sweep.before)
    start = intact(plan, catalog, sweep.request, collectives)
    faults = Faults(plan, without_down=True)
    rows: list[TakenOut] = []
    for done, one in enumerate(found.can):
        group = plan.groups.get(one.what)
        if group is not None and group.switch is not None and one.things > 1:
            there = list(islice(_there(group, faults), one.of))
            low, high = 0, len(there)
            while high - low > 1:
                middle = (low + high) // 2
                failures = [Failure(one.kind, one.what, (text,), 1) for text in there[:middle]]
                if can_go(without(start, failures), found.keep):
                    low = middle
                else:
                    high = middle
            rows.append(replace(one, at_once=max(1, low), together=tuple(there[:low])))
        else:
            rows.append(one)
        if progress is not None and not progress(done + 1, len(found.can)):
            return replace(found, can=(*rows, *found.can[len(rows) :]))
    return replace(found, can=tuple(rows))


def _there(group: GroupPlan, faults: Faults) -> Sequence[str]:
    """The devices of a group that are there, as selectors."""
    found: list[str] = []
    for values in product(*(range(size) for size in group.sizes)):
        at = dict(zip(group.axes, values, strict=True))
        if not faults.takes_device(group.name, at):
            found.append(instance(group, at))
    return found


def _why_not(outcome: DegradedDesign, keep: float) -> str:
    """Why something cannot be taken out; empty where it can."""
    if outcome.gpus_cut_off:
        return f"cuts off {counted(outcome.gpus_cut_off, 'GPU')}"
    stopped = next((kept.why for kept in outcome.kept if kept.why and kept.before_GBps), "")
    if stopped:
        return stopped
    share = outcome.worst_share
    if share is None:
        return "what is left is not known"
    return "" if min(1.0, share) >= keep else "keeps too little"
