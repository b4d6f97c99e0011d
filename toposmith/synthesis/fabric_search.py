"""The fabrics that meet requirements and that no other beats: closed forms first, then analysis."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest

from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.analysed_fabrics import Pool, worst_failure
from toposmith.synthesis.candidates import (
    NETWORK_SHARE,
    Requirements,
    all_ports,
    candidates,
    check_requirements,
)
from toposmith.synthesis.closed_forms import Candidate
from toposmith.synthesis.colliding_limits import Reason
from toposmith.synthesis.proposals import Proposal, front, spread
from toposmith.synthesis.search_reasons import switches_left_out, why_not_cheaper

MOST_ANALYSED = 120
MOST_SHOWN = 40
"""Of a larger front the cheapest and a spread are shown."""

MOST_WAITING = 12
"""Fabrics that are named before they are analysed."""

ALIKE = 0.99
"""Bounds that are this near promise the same figure: the cheaper fabric is analysed first."""

Progress = Callable[[int, int], bool]
Found = Callable[[Sequence[Proposal], Sequence[Candidate]], None]


@dataclass(frozen=True)
class Search:
    """What a search found.

    Parameters
    ----------
    asked : Requirements
        What was asked for.
    proposals : tuple of Proposal
        The front, the cheapest first: none is beaten in cost and figures by another.
    more : int
        How many more the front has than are shown.
    looked_at : int
        Fabrics by closed form.
    analysed : int
        Those analysed in full.
    complete : bool
        Whether every fabric was analysed that closed forms did not rule out.
    reasons : tuple of Reason
        Why nothing is cheaper; or, where there are no proposals, why there is none.
    left_out : tuple of Reason
        Switches that were tried and that no proposal has, by part, each with the reason.
    """

    asked: Requirements
    proposals: tuple[Proposal, ...]
    more: int = 0
    looked_at: int = 0
    analysed: int = 0
    complete: bool = True
    reasons: tuple[Reason, ...] = ()
    left_out: tuple[Reason, ...] = ()


def search(
    asked: Requirements,
    catalog: Catalog,
    terms: Terms | None = None,
    *,
    most_analysed: int = MOST_ANALYSED,
    failures: bool = True,
    progress: Progress | None = None,
    found: Found | None = None,
) -> Search:
    """Find the fabrics that meet requirements and that no other beats.

    Closed forms rule out what no algorithm could make meet the needs, and what has more switches
    and more cables than another of its family without a thicker uplink. The rest is analysed,
    family by family: the cheapest that meets the needs by halving, then all others by cost.

    Parameters
    ----------
    asked : Requirements
        What is asked for.
    catalog : Catalog
        Where parts are.
    terms : Terms, optional
        Prices, what cables may be made of, spares.
    most_analysed : int
        Fabrics that are analysed at most.
    failures : bool
        Whether to compute what each proposal keeps after a failure, where that is not required.
    progress : callable, optional
        Called after every analysis with how many of at most how many; False ends the search.
    found : callable, optional
        Called with the front so far, whenever it changes, and with the cheapest of each family that
        are still to be analysed; first as soon as closed forms have counted them.

    Raises
    ------
    EditError, UnknownPart
        For requirements that make no sense, or parts that are not there.
    """
    check_requirements(asked, catalog)
    everything = list(candidates(asked, all_ports(asked, catalog)))
    possible = [one for one in everything if _may_meet(one, asked)]
    families = _families(possible)
    pool = Pool(asked, catalog, terms or Terms())
    order = _order(families, pool, asked)
    ended = False
    shown: tuple[Proposal, ...] = ()
    if found is not None:
        found((), _waiting(families, pool))
    most = min(most_analysed, len(possible))
    for candidate in order:
        if len(pool.known) >= most_analysed:
            ended = any(one not in pool.known for family in families for one in family)
            break
        pool.analysed(candidate)
        if found is not None:
            now = front([one for one in pool.all if not one.broken])
            if now != shown:
                shown = now
                found(now, _waiting(families, pool))
        if progress is not None and not progress(len(pool.known), most):
            ended = True
            break
    whole = front([one for one in pool.all if not one.broken])
    proposals = spread(whole, MOST_SHOWN)
    if failures and not asked.survive:
        proposals = tuple(_told(one, pool, progress, len(pool.known)) for one in proposals)
    reasons = why_not_cheaper(asked, pool, everything, possible, proposals)
    return Search(
        asked,
        proposals,
        len(whole) - len(proposals),
        len(everything),
        len(pool.known),
        not ended,
        tuple(reasons),
        tuple(switches_left_out(pool, everything, possible, proposals)),
    )


def _may_meet(candidate: Candidate, asked: Requirements) -> bool:
    """Whether no closed form says that a need cannot be met."""
    if asked.request.job.layout.sizes:
        return True  # the closed forms are of all GPUs together
    return all(candidate.at_most_GBps(name) >= least for name, least in asked.needs.items())


def _waiting(families: Sequence[list[Candidate]], pool: Pool) -> tuple[Candidate, ...]:
    """The cheapest of each family of which nothing is analysed yet, the cheapest first."""
    begun = {_family(one) for one in pool.known}
    unknown = (family[0] for family in families if _family(family[0]) not in begun)
    return tuple(nsmallest(MOST_WAITING, unknown, key=lambda one: one.cost_order))


def _family(candidate: Candidate) -> tuple[object, ...]:
    return candidate.shape, candidate.ports, candidate.rails, candidate.planes


def _families(possible: Sequence[Candidate]) -> list[list[Candidate]]:
    """Fabrics of one shape and of the same parts, cheapest first, the beaten left out."""
    found: dict[tuple[object, ...], list[Candidate]] = {}
    for one in possible:
        found.setdefault(_family(one), []).append(one)
    families = [
        sorted(_unbeaten(members), key=lambda one: one.cost_order) for members in found.values()
    ]
    return sorted(families, key=lambda family: family[0].cost_order)


def _unbeaten(members: Sequence[Candidate]) -> Iterator[Candidate]:
    """Those with less of something than every other of the family whose uplinks are as thick.

    Two of one family differ in nothing else that a figure feels: with SUs of the same size, a
    thicker uplink and no more switches and cables is at least as good. What beats another comes
    before it by switches and cables, and is beaten by nothing that does not beat the other, too.
    """
    kept: dict[tuple[int, int, int], list[Candidate]] = {}
    for one in sorted(members, key=lambda each: (each.switches, each.cables)):
        alike = kept.setdefault((one.unit, one.units, one.pods), [])
        if not any(_beats(other, one) for other in alike):
            alike.append(one)
            yield one


def _beats(one: Candidate, other: Candidate) -> bool:
    if one.uplinks < other.uplinks or one.spines < other.spines:
        return False
    core = (one.cores * one.core_bundle, one.cores)
    if core < (other.cores * other.core_bundle, other.cores):
        return False
    no_dearer = one.switches <= other.switches and one.cables <= other.cables
    return no_dearer and (one.switches, one.cables) != (other.switches, other.cables)


def _order(
    families: Sequence[list[Candidate]], pool: Pool, asked: Requirements
) -> Iterator[Candidate]:
    """What is analysed, one after another: the first that meets the needs in every family."""
    hopeless = yield from _hopeless(families, pool) if asked.needs else _none()
    promising = _promising(families, asked)
    yield from (one for one in spread(promising, MOST_SHOWN) if one not in pool.known)
    hopeful = {_family(one) for one in promising}
    for family in sorted(families, key=lambda one: _family(one[0]) not in hopeful):
        if _fitting(family[0]) in hopeless:
            continue
        low, high = 0, len(family) - 1
        while low <= high and asked.needs:
            middle = (low + high) // 2
            if family[middle] not in pool.known:
                yield family[middle]
            made = pool.known.get(family[middle])
            if made is None or "needs" in made.broken:
                low = middle + 1
            else:
                high = middle - 1
        if not asked.needs:
            yield family[0]
    if not asked.needs:
        yield from (family[-1] for family in families)
    rest = [one for family in families for one in family if one not in pool.known]
    yield from sorted(rest, key=lambda one: (_fitting(one) in hopeless, one.cost_order))


def _promising(families: Sequence[list[Candidate]], asked: Requirements) -> list[Candidate]:
    """The front by closed forms: the first to be analysed, since the true one is near it.

    What overhead leaves of a line is assumed; it rules nothing out.
    """

    def merits(one: Candidate) -> tuple[float, ...]:
        return tuple(one.at_most_GBps(name) for name in COLLECTIVES)

    hoped = (
        one
        for family in families
        for one in family
        if all(one.at_most_GBps(name) * NETWORK_SHARE >= asked.needs[name] for name in asked.needs)
    )
    kept: list[tuple[Candidate, tuple[float, ...]]] = []
    for one in sorted(hoped, key=lambda each: each.cost_order):
        mine = merits(one)
        if not any(
            other.cost.no_more_than(one.cost)
            and all(a >= b * ALIKE for a, b in zip(theirs, mine, strict=True))
            for other, theirs in kept
        ):
            kept.append((one, mine))
    return [one for one, _ in kept]


def _fitting(one: Candidate) -> tuple[object, ...]:
    """What its nodes are fitted with."""
    return one.ports.nic, one.ports.nics


def _none() -> Generator[Candidate, None, frozenset[tuple[object, ...]]]:
    """Nothing is ruled out."""
    yield from ()
    return frozenset()


def _hopeless(
    families: Sequence[list[Candidate]], pool: Pool
) -> Generator[Candidate, None, frozenset[tuple[object, ...]]]:
    """NICs with which not even the thickest fabric meets the needs: looked at last."""
    thickest: dict[tuple[object, ...], Candidate] = {}
    for one in (one for family in families for one in family):
        known = thickest.get(_fitting(one))
        if known is None or _thickness(one) > _thickness(known):
            thickest[_fitting(one)] = one
    failed = set()
    for fitting, one in thickest.items():
        yield one
        made = pool.known.get(one)
        if made is None or "needs" in made.broken:
            failed.add(fitting)
    return frozenset(failed)


def _thickness(one: Candidate) -> tuple[float, ...]:
    return (-float(one.oversubscription), one.rails, float(one.spines == 0), -one.switches)


def _told(one: Proposal, pool: Pool, progress: Progress | None, done: int) -> Proposal:
    """A proposal with what it keeps after a failure; without where that is not wanted."""
    if progress is not None and not progress(done, done):
        return one
    evaluated = EvaluatedDesign(one.design, pool.catalog, pool.asked.request, terms=pool.terms)
    kept, cut_off, _ = worst_failure(evaluated, pool.asked, tuple(one.figures))
    return replace(one, after_failure=kept, gpus_cut_off=cut_off)
