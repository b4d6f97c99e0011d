"""The fabrics that meet requirements and that no other beats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog, Node, Switch
from toposmith.catalog.part_text import protocols
from toposmith.collectives import collective_name
from toposmith.errors import EditError
from toposmith.synthesis.analysed_fabrics import (
    ALIKE,
    AnalysedFabrics,
    Proposal,
    every_fabric,
    spread,
)
from toposmith.synthesis.best_first import Found, beats
from toposmith.synthesis.best_first import search as best_first
from toposmith.synthesis.fabric_requirements import Requirements, check_requirements
from toposmith.synthesis.fabrics import Fabric
from toposmith.text import bandwidth, counted, joined, money, oversubscription, percent, power

# Why nothing is cheaper, why nothing is found, and why switches are in no proposal.


@dataclass(frozen=True)
class Reason:
    """A requirement that binds: what is given up with it, and what that saves or gives."""

    key: str
    words: str


def why_no_fabric(asked: Requirements, catalog: Catalog) -> Iterator[Reason]:
    """What no fabric joins, what each limit alone rules out, and how many nodes could be joined."""
    what = f"{counted(asked.nodes, 'node')} of {asked.node}"
    limits = dict(_limits(asked))
    tiers = "" if asked.shapes else " of up to three tiers"
    with_ = f" with {'; '.join(words for words, _ in limits.values())}" if limits else ""
    yield Reason("parts", f"no fabric{tiers} joins {what}{with_}")
    collisions = 0
    for key, (words, without) in limits.items():
        found = list(_fabrics(replace(asked, **without), catalog))
        if found:
            collisions += 1
            others = [other for name, (other, _) in limits.items() if name != key]
            with_others = joined([*others, counted(asked.nodes, "node")])
            more = f"{counted(len(found), 'fabric')}{_by_how_much(key, found)}"
            yield Reason(key, f"{words}: collides with {with_others}; without it there are {more}")
    most = _most_nodes(asked, catalog)
    if most:
        fewer = asked.nodes - most
        yield Reason("nodes", f"it joins up to {counted(most, 'node')}, {fewer:,} fewer than asked")
    elif not collisions:
        yield Reason("nodes", "not even one node is joined: name other switches or NICs")


def _limits(asked: Requirements) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """The limits that are set, each in words and with what sets it aside."""
    if asked.switches:
        yield "switches", (f"switches {', '.join(asked.switches)}", {"switches": ()})
    if asked.nics or asked.nics_per_node is not None:
        many = "" if asked.nics_per_node is None else f"{asked.nics_per_node} x "
        words = f"NICs {many}{', '.join(asked.nics)}".rstrip(" x")
        yield "nics", (words, {"nics": (), "nics_per_node": None})
    if asked.shapes:
        yield "shapes", (f"shapes {', '.join(asked.shapes)}", {"shapes": ()})
    if asked.oversubscription is not None:
        words = f"at most {oversubscription(asked.oversubscription)}"
        yield "oversubscription", (words, {"oversubscription": None})
    if asked.align:
        yield "align", (f"SUs of whole {asked.align} nodes", {"align": None})


def _by_how_much(key: str, found: list[Fabric]) -> str:
    if key != "oversubscription":
        return ""
    least = min(one.oversubscription for one in found)
    return f", none below {oversubscription(float(least))}"


def _fabrics(asked: Requirements, catalog: Catalog) -> Iterator[Fabric]:
    try:
        yield from every_fabric(asked, catalog)
    except EditError:
        return


def _most_nodes(asked: Requirements, catalog: Catalog) -> int:
    """The most nodes that all limits leave a fabric for; 0 for none."""

    def joins(nodes: int) -> bool:
        return next(_fabrics(replace(asked, nodes=nodes), catalog), None) is not None

    low, high = 0, asked.nodes
    while high - low > 1:
        middle = (low + high) // 2
        if joins(middle):
            low = middle
        else:
            high = middle
    return low


MOST_CHEAPER = 6
"""Fabrics below the cheapest line that are analysed for what a need costs."""

# Why not cheaper


def why_not_cheaper(analysed: AnalysedFabrics, proposals: Sequence[Proposal]) -> Iterator[Reason]:
    """For every requirement that binds, what giving it up would save; or why nothing is left."""
    asked, everything = analysed.asked, analysed.everything
    if not everything:
        yield from why_no_fabric(asked, analysed.catalog)
        return
    hopeless = list(_above_all_bounds(analysed))
    yield from hopeless
    best = proposals[0] if proposals else None
    if not hopeless:
        _analyse_what_was_ruled_out(analysed, found=best is not None)
    if asked.needs and best is not None:
        cheaper = _cheaper_without_needs(analysed, best)
        if cheaper is not None:
            falls = _short("needs", cheaper, analysed)
            saves = saving_words(best, cheaper)
            if saves:
                yield Reason("needs", f"with {falls} it {saves} ({cheaper.fabric.words})")
    for key in ("budget", "longest", "kw_per_rack", "survive", "later", "needs"):
        held = [one for one in analysed.sound if one.broken == (key,)]
        if not held or (key == "needs" and best is not None):
            continue
        if key == "needs":
            nearest = max(held, key=lambda one: (_share_met(one, asked), one.order))
        else:
            nearest = min(held, key=lambda one: one.order)
        if best is None:
            short = _short(key, nearest, analysed)
            yield Reason(key, f"the nearest has {short}: {_named(nearest.fabric)}")
        elif nearest.order < best.order and (saves := saving_words(best, nearest)):
            short = _short(key, nearest, analysed)
            yield Reason(key, f"{short}; without that it {saves} ({_named(nearest.fabric)})")
    if best is None:
        together = [one for one in analysed.sound if len(one.broken) > 1]
        if together and not any(len(one.broken) == 1 for one in analysed.sound):
            nearest = min(together, key=lambda one: (len(one.broken), one.order))
            collide = " and ".join(_short(key, nearest, analysed) for key in nearest.broken[:2])
            yield Reason("collision", f"these collide: {collide} ({_named(nearest.fabric)})")


def _above_all_bounds(analysed: AnalysedFabrics) -> Iterator[Reason]:
    """Needs above what the NICs of a node take in, whatever is above them."""
    asked = analysed.asked
    if asked.request.job.layout.sizes:
        return
    for name, least in asked.needs.items():
        most = max(one.at_most_GBps(name) for one in analysed.everything)
        if most < least:
            words = f"{collective_name(name)} {bandwidth(least)} is above {bandwidth(most)}"
            yield Reason(f"need {name}", f"{words}, the ingress of a node's NICs (bound)")


def _analyse_what_was_ruled_out(analysed: AnalysedFabrics, *, found: bool) -> None:
    """Analyse the nearest of what numbers alone ruled out, so that its figures can be said.

    That is the cheapest which one failing switch cuts off, or whose switches and NICs alone cost
    more than the budget; and where nothing was analysed the one that promises most of the needs.
    """
    asked, everything = analysed.asked, analysed.everything
    hopeful = (one for one in everything if analysed.may_meet_needs(one))
    ruled_out = next((one for one in hopeful if not analysed.may_meet(one)), None)
    if ruled_out is not None:
        analysed.proof(ruled_out)
    if found or any(one.broken for one in analysed.sound) or not asked.needs:
        return

    def share(one: Fabric) -> float:
        promise = analysed.promise(one)
        return min(promise.get(name, inf) / least for name, least in asked.needs.items())

    analysed.proof(max(everything, key=share))


def _named(one: Fabric) -> str:
    return f"{one.words}; {one.part_words}"


def _share_met(one: Proposal, asked: Requirements) -> float:
    """The least that a proposal has of any need."""
    return min(
        (
            (one.figures[name].value or 0.0) / least
            for name, least in asked.needs.items()
            if one.figures[name].value is not None
        ),
        default=0.0,
    )


def _cheaper_without_needs(analysed: AnalysedFabrics, best: Proposal) -> Proposal | None:
    """The next cheaper fabric that misses a need, and nothing else."""
    everything = analysed.everything
    below = everything[: everything.index(best.fabric)]
    for one in below[: -MOST_CHEAPER - 1 : -1]:
        analysed.proof(one)
        made = analysed.known[one]
        if made is not None and made.broken == ("needs",):
            return made
    return None


def _short(key: str, one: Proposal, analysed: AnalysedFabrics) -> str:
    """By how much a proposal misses a requirement."""
    asked = analysed.asked
    if key == "needs":
        return ", ".join(
            f"{collective_name(name)} {one.figures[name].words} of {bandwidth(least)}"
            for name, least in asked.needs.items()
            if (value := one.figures[name].value) is not None and value < least
        )
    if key == "budget" and asked.budget is not None:
        if one.price is None:
            return "a part without a price, so that no budget is kept for certain"
        return f"a price of {money(*one.price)}, above {money(*asked.budget)}"
    if key == "longest":
        if one.longest_m is None:
            return "a cable of unknown length, so that no limit is kept for certain"
        return f"a cable of {one.longest_m:g} m, above {asked.longest_m:g} m"
    if key == "kw_per_rack":
        if one.racks is None:
            return "too many devices to place, so that no limit of a rack is kept for certain"
        return f"{_hungriest(one, analysed)}, above {asked.kw_per_rack:g} kW, what a rack may draw"
    if key == "survive":
        kept = percent(one.after_failure) if one.after_failure is not None else "unknown"
        return f"GPUs cut off by one failure (at worst {kept} left)"
    return f"no room to grow to {counted(asked.later or 0, 'node')}"


def _hungriest(one: Proposal, analysed: AnalysedFabrics) -> str:
    """The device that draws most, ``a dgx-b200 of 14.3 kW``."""
    parts = (analysed.catalog.get(group.part) for group in one.design.groups.values())
    drawn = {part.id: part.power_w for part in parts if isinstance(part, Node | Switch)}
    most = max(drawn, key=lambda part: drawn[part] or 0.0)
    return f"a {most} of {power(drawn[most])}" if drawn[most] else "a device whose power is unknown"


def saving_words(best: Proposal, cheaper: Proposal) -> str:
    """What a cheaper proposal saves."""
    a, b = best.price, cheaper.price
    if a is not None and b is not None and a[1] == b[1]:
        return f"saves {money(a[0] - b[0], a[1])}"
    words = []
    nouns = (("switch", "switch"), ("nic", "NIC"), ("cable", "cable"), ("transceiver", "module"))
    for kind, noun in nouns:
        less = best.counts.get(kind, 0) - cheaper.counts.get(kind, 0)
        if less > 0:
            words.append(counted(less, noun))
    return f"saves {joined(words)}" if words else ""


# Switches that no proposal has


def switches_left_out(
    analysed: AnalysedFabrics, proposals: Sequence[Proposal], *, complete: bool
) -> Iterator[Reason]:
    """Why switches that were looked at are in no proposal, a reason for each part."""
    used = {part for one in proposals for part in (one.fabric.ports.leaf, _spine(one.fabric))}
    everything = analysed.everything
    for part in dict.fromkeys(one.ports.leaf for one in everything):
        if part in used:
            continue
        hopeful = [one for one in everything if one.ports.leaf == part and analysed.may_meet(one)]
        made = [one for one in analysed.sound if one.fabric.ports.leaf == part]
        sound = [one for one in made if not one.broken]
        switch = analysed.catalog.switch(part)
        told = f"{switch.name} ({protocols([switch.protocol])})"
        if not hopeful:
            words = "the ingress of its NICs and uplinks is below the needs (bound)"
            yield Reason(part, f"{told}: {words}")
        elif sound:
            least = min(sound, key=lambda one: one.order)
            yield Reason(part, f"{told}: {_beaten(least, proposals, analysed)}")
        elif made:
            least = min(made, key=lambda one: (len(one.broken), one.order))
            short = joined([_short(key, least, analysed) for key in least.broken])
            yield Reason(part, f"{told}: the nearest has {short} ({least.fabric.words})")
        elif complete:
            words = _beaten_unseen(hopeful[0], proposals, analysed)
            yield Reason(part, f"{told}: {words}")
        else:
            yield Reason(
                part, f"{told}: not analysed; --most analyses more, --limit switch= only these"
            )


def _spine(one: Fabric) -> str:
    return one.ports.spine if one.spines else one.ports.leaf


def _beaten(one: Proposal, proposals: Sequence[Proposal], analysed: AnalysedFabrics) -> str:
    """By which proposal a sound one is beaten, and by how much."""
    if not one.listed:
        return f"the catalog has no cables for it ({one.fabric.words})"
    mine = analysed.proof(one.fabric)
    for number, winner in enumerate(proposals, 1):
        theirs = analysed.proof(winner.fabric)
        if mine and theirs and beats(theirs.cost, theirs.gains, mine.cost, mine.gains):
            less = saving_words(one, winner) or power_words(one, winner)
            return f"its cheapest is {one.fabric.words}; line {number} gives no less and {less}"
    return f"its cheapest is {one.fabric.words}, beaten by lines that are not shown"


def _beaten_unseen(one: Fabric, proposals: Sequence[Proposal], analysed: AnalysedFabrics) -> str:
    """By which proposal a fabric is beaten whatever an analysis would give of it."""
    most = {name: value * ALIKE for name, value in analysed.promise(one).items()}
    for number, winner in enumerate(proposals, 1):
        theirs = analysed.proof(winner.fabric)
        if theirs and beats(theirs.cost, theirs.gains, analysed.cost(one), most):
            return (
                f"its cheapest is {one.words}; line {number} costs no more, and gives what it can"
            )
    return f"its cheapest is {one.words}; the ingress of its nodes is below the needs"


def power_words(one: Proposal, winner: Proposal) -> str:
    """What a winner draws less; where that is not known, only that it draws no more."""
    less = one.cost.power_w.beyond(winner.cost.power_w)
    return f"uses {power(less)} less" if less else "uses no more power"


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
