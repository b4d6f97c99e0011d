"""The fabrics that meet requirements and that no other beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.synthesis.analysed_fabrics import AnalysedFabrics
from toposmith.synthesis.best_first import Found
from toposmith.synthesis.best_first import search as best_first
from toposmith.synthesis.fabric_requirements import Requirements, check_requirements
from toposmith.synthesis.fabrics import Fabric
from toposmith.synthesis.proposals import Proposal, spread
from toposmith.synthesis.search_reasons import Reason, switches_left_out, why_not_cheaper

MOST_ANALYSED = 400
MOST_SHOWN = 40
"""Of a larger front the cheapest and a spread are shown."""

MOST_WAITING = 12
"""Fabrics that are named before they are analysed."""

Progress = Callable[[int, int], bool]
Tell = Callable[[Sequence[Proposal], Sequence[Fabric]], None]


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
        Fabrics by their numbers.
    analysed : int
        Those analysed in full.
    complete : bool
        Whether every fabric was analysed that its numbers, or a line, did not rule out.
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
    found: Tell | None = None,
) -> Search:
    """Find the fabrics that meet requirements and that no other beats.

    The cheapest are analysed first. A fabric is passed over where its numbers say that it misses a
    need, or where a line found before costs no more and gives what this one can give at most.

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
        Called with the front so far, whenever it changes, and with the cheapest of each shape that
        are still to be analysed; first as soon as they are counted.

    Raises
    ------
    EditError, UnknownPart
        For requirements that make no sense, or parts that are not there.
    """
    check_requirements(asked, catalog)
    analysed = AnalysedFabrics(asked, catalog, terms or Terms())
    offers = list(analysed.offers())
    most = min(most_analysed, len(offers))
    shown: tuple[Proposal, ...] = ()
    going_on = True

    def tell(so_far: Found[Fabric]) -> bool:
        nonlocal shown, going_on
        now = _proposals(analysed, so_far)
        if found is not None and now != shown:
            shown = now
            found(now, _waiting(analysed))
        going_on = progress is None or progress(so_far.proven, most)
        return going_on

    if found is not None:
        found((), _waiting(analysed))
    ended = best_first(offers, analysed.proof, most=most_analysed, go_on=tell)
    whole = _proposals(analysed, ended)
    proposals = spread(whole, MOST_SHOWN)
    if failures and not asked.survive:
        proposals = tuple(
            analysed.told(one)
            if going_on and (progress is None or progress(ended.proven, ended.proven))
            else one
            for one in proposals
        )
    reasons = tuple(why_not_cheaper(analysed, proposals))
    return Search(
        asked,
        proposals,
        len(whole) - len(proposals),
        len(analysed.everything),
        ended.proven,
        ended.complete,
        reasons,
        tuple(switches_left_out(analysed, proposals, complete=ended.complete)),
    )


def _proposals(analysed: AnalysedFabrics, found: Found[Fabric]) -> tuple[Proposal, ...]:
    """The answers with their bills, by what rows are ranked.

    What the catalog has no cables for is not ordered: it is listed where there is nothing else.
    """
    made = (analysed.known[one.made] for one in found.answers)
    lines = sorted((one for one in made if one is not None), key=lambda one: one.order)
    return tuple([one for one in lines if one.listed] or lines)


def _waiting(analysed: AnalysedFabrics) -> tuple[Fabric, ...]:
    """The cheapest of each shape and parts of which nothing is analysed yet."""
    begun = {(one.shape, one.part_words) for one in analysed.known}
    found: dict[tuple[str, str], Fabric] = {}
    for one in analysed.everything:
        key = one.shape, one.part_words
        if key not in begun and key not in found and analysed.may_meet(one):
            found[key] = one
            if len(found) == MOST_WAITING:
                break
    return tuple(found.values())
