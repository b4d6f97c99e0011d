"""The fabrics that meet requirements and that no other beats: closed forms first, then analysis."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TypeVar

from toposmith.catalog import Catalog
from toposmith.text import bandwidth, counted, joined, money, percent
from toposmith.topology.analysis.request import Collective
from toposmith.topology.bill.bill import Bill
from toposmith.topology.bill.terms import Terms
from toposmith.topology.collectives import collective_name
from toposmith.topology.design.document import Design
from toposmith.topology.design.placement import PlacementBlock
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.fabric.ports import port_findings, port_use
from toposmith.topology.labels import UNKNOWN, Labelled
from toposmith.topology.planned_design import PlannedDesign
from toposmith.topology.review.failures.breakable import failure_classes
from toposmith.topology.review.failures.sweep import COLLECTIVES
from toposmith.topology.review.failures.without import intact, without
from toposmith.topology.synthesis.candidates import (
    Requirements,
    all_ports,
    candidates,
    check_requirements,
    grown,
)
from toposmith.topology.synthesis.closed_forms import Candidate
from toposmith.topology.synthesis.figures_at_hand import figure_at_hand

COMPARED = ("switch", "nic", "cable", "transceiver")
"""Parts that are counted where prices are unknown; fibres count as cables."""

MOST_ANALYSED = 120
MOST_SHOWN = 40
"""Of a larger front the cheapest and a spread are shown."""

Progress = Callable[[int, int], bool]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Proposal:
    """A fabric analysed in full.

    Parameters
    ----------
    candidate : Candidate
        The fabric by its numbers.
    design : Design
        The fabric as a design.
    figures : dict of str to Labelled
        Busbw of a GPU, GB/s, by collective; after one that misses its need the others are not
        predicted.
    counts : dict of str to int
        Parts of the bill by kind, fibres among the cables; where the needs are not met there is
        no bill, and these are those of the closed form.
    price : tuple of Decimal and str, or None
        Of the whole bill; None where a part has no price, or they are in several currencies.
    power_w : float
        Of all whose power is known.
    power_known : bool
        Whether that is all of it.
    racks : int or None
        Racks; None where there are too many devices to place.
    longest_m : float
        The longest cable, 0 where no length is known.
    free_ports : int
        Ports of all switches that nothing takes.
    listed : bool
        Whether the catalog has cables and modules for all of its links.
    broken : tuple of str
        Which requirements it does not meet, by their keys.
    after_failure : float or None
        The least share kept of any figure, times that of the GPUs, after any one cable or switch
        of the fabric fails; None where that was not worked out.
    gpus_cut_off : int
        GPUs that the worst of these failures cuts off.
    replugged : int or None
        Cables to be plugged elsewhere at growth; None where it cannot grow so, or need not.
    """

    candidate: Candidate
    design: Design
    figures: dict[Collective, Labelled]
    counts: dict[str, int]
    price: tuple[Decimal, str] | None = None
    power_w: float = 0.0
    power_known: bool = False
    racks: int | None = None
    longest_m: float = 0.0
    free_ports: int = 0
    listed: bool = True
    broken: tuple[str, ...] = ()
    after_failure: float | None = None
    gpus_cut_off: int = 0
    replugged: int | None = None

    @property
    def costs(self) -> tuple[float, ...]:
        """What is compared where prices are unknown: parts by kind, and power."""
        return (*(float(self.counts.get(kind, 0)) for kind in COMPARED), self.power_w)

    @property
    def order(self) -> tuple[object, ...]:
        """By what rows are ranked: price where there is one, else switches, NICs, cables."""
        first = (0, float(self.price[0])) if self.price and self.listed else (1, 0.0)
        return (
            not self.listed,
            *first,
            *self.costs,
            self.candidate.words,
            self.candidate.part_words,
        )


@dataclass(frozen=True)
class Reason:
    """A requirement that binds: what is given up with it, and what that saves or gives."""

    key: str
    words: str


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
    """

    asked: Requirements
    proposals: tuple[Proposal, ...]
    more: int = 0
    looked_at: int = 0
    analysed: int = 0
    complete: bool = True
    reasons: tuple[Reason, ...] = ()


@dataclass
class _Pool:
    """Fabrics analysed so far, each once."""

    asked: Requirements
    catalog: Catalog
    terms: Terms
    known: dict[Candidate, Proposal | None] = field(default_factory=dict)

    def analysed(self, candidate: Candidate) -> Proposal | None:
        """The fabric in full; None where it cannot be built."""
        if candidate not in self.known:
            self.known[candidate] = analysed(candidate, self.asked, self.catalog, self.terms)
        return self.known[candidate]

    @property
    def all(self) -> list[Proposal]:
        """Everything that can be built."""
        return [one for one in self.known.values() if one is not None]


def search(
    asked: Requirements,
    catalog: Catalog,
    terms: Terms | None = None,
    *,
    most_analysed: int = MOST_ANALYSED,
    failures: bool = True,
    progress: Progress | None = None,
    found: Callable[[Sequence[Proposal]], None] | None = None,
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
        Whether to work out what each proposal keeps after a failure, where that is not required.
    progress : callable, optional
        Called after every analysis with how many of at most how many; False ends the search.
    found : callable, optional
        Called with the front so far, whenever it changes.

    Raises
    ------
    EditError, UnknownPart
        For requirements that make no sense, or parts that are not there.
    """
    check_requirements(asked, catalog)
    everything = list(candidates(asked, all_ports(asked, catalog)))
    possible = [one for one in everything if _may_meet(one, asked)]
    families = _families(possible)
    pool = _Pool(asked, catalog, terms or Terms())
    order = _order(families, pool, asked)
    ended = False
    shown: tuple[Proposal, ...] = ()
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
                found(now)
        if progress is not None and not progress(len(pool.known), most):
            ended = True
            break
    whole = front([one for one in pool.all if not one.broken])
    proposals = spread(whole, MOST_SHOWN)
    if failures and not asked.survive:
        proposals = tuple(_told(one, pool, progress, len(pool.known)) for one in proposals)
    reasons = _why(asked, pool, everything, possible, proposals)
    return Search(
        asked,
        proposals,
        len(whole) - len(proposals),
        len(everything),
        len(pool.known),
        not ended,
        tuple(reasons),
    )


def _may_meet(candidate: Candidate, asked: Requirements) -> bool:
    """Whether no closed form says that a need cannot be met."""
    if asked.request.job.layout.sizes:
        return True  # the closed forms are of all GPUs together
    return all(candidate.at_most_GBps(name) >= least for name, least in asked.needs.items())


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
    thicker uplink and no more switches and cables is at least as good.
    """
    for one in members:
        if not any(_beats(other, one) for other in members if other is not one):
            yield one


def _beats(one: Candidate, other: Candidate) -> bool:
    same = (one.unit, one.units, one.pods) == (other.unit, other.units, other.pods)
    if not same or one.uplinks < other.uplinks or one.spines < other.spines:
        return False
    core = (one.cores * one.core_bundle, one.cores)
    if core < (other.cores * other.core_bundle, other.cores):
        return False
    no_dearer = one.switches <= other.switches and one.cables <= other.cables
    return no_dearer and (one.switches, one.cables) != (other.switches, other.cables)


def _order(
    families: Sequence[list[Candidate]], pool: _Pool, asked: Requirements
) -> Iterator[Candidate]:
    """What is analysed, one after another: the first that meets the needs in every family."""
    hopeless = yield from _hopeless(families, pool) if asked.needs else _none()
    for family in families:
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


def _fitting(one: Candidate) -> tuple[object, ...]:
    """What its nodes are fitted with."""
    return one.ports.nic, one.ports.nics


def _none() -> Generator[Candidate, None, frozenset[tuple[object, ...]]]:
    """Nothing is ruled out."""
    yield from ()
    return frozenset()


def _hopeless(
    families: Sequence[list[Candidate]], pool: _Pool
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


def analysed(
    candidate: Candidate, asked: Requirements, catalog: Catalog, terms: Terms
) -> Proposal | None:
    """A fabric as a design, analysed and with its bill; None where it has an error."""
    design = candidate.design()
    if asked.kw_per_rack is not None:
        block = PlacementBlock(max_power_w=asked.kw_per_rack * 1000)
        design = design.model_copy(update={"placement": block})
    planned = PlannedDesign.of(design, catalog)
    plan = planned.plan
    if any(one.severity == "error" for one in (*plan.findings, *port_findings(plan))):
        return None
    names = tuple(dict.fromkeys((*asked.needs, *COLLECTIVES)))
    busbw = dict.fromkeys(names, Labelled(None, UNKNOWN))
    unmet = False
    # an exchange is quicker to predict than an all-reduce, and what misses a need is not wanted
    for name in sorted(names, key=lambda one: (one not in asked.needs, one == "all_reduce")):
        figure = figure_at_hand(planned, replace(asked.request, collective=name))
        busbw[name] = figure.busbw
        unmet = not figure.holds(asked.needs.get(name, 0.0)) and name in asked.needs
        if unmet:
            break
    if unmet:
        counts = {
            "switch": candidate.switches,
            "nic": candidate.nodes * candidate.ports.nics,
            "cable": candidate.cables,
        }
        power_w = candidate.switch_power_w
        return Proposal(candidate, design, busbw, counts, power_w=power_w, broken=("needs",))
    evaluated = EvaluatedDesign(design, catalog, asked.request, terms=terms, shared=planned)
    bill = evaluated.bill
    counts = {kind: bill.quantity(kind) for kind in COMPARED}
    counts["cable"] += bill.quantity("fibre")
    made = Proposal(
        candidate,
        design,
        busbw,
        counts,
        bill.price.only,
        bill.power_w.at_least,
        bill.power_w.complete,
        bill.racks.count if bill.racks is not None and not bill.racks.unplaced else None,
        max((line.length_m or 0.0 for line in bill.lines), default=0.0),
        sum(
            max(0, use.free) * planned.devices[name]
            for (name, _), use in port_use(plan).items()
            if plan.groups[name].switch is not None
        ),
        listed=bill.listed,
        replugged=_replugged(candidate, asked),
    )
    broken = list(_broken(made, bill, asked))
    if asked.survive and not broken:
        kept, cut_off, survives = _after_failure(evaluated, asked, names)
        made = replace(made, after_failure=kept, gpus_cut_off=cut_off)
        broken += [] if survives else ["survive"]
    return replace(made, broken=tuple(broken))


def _replugged(candidate: Candidate, asked: Requirements) -> int | None:
    if asked.later is None:
        return None
    way = grown(candidate, asked.later)
    return None if way is None else way[1]


def _broken(made: Proposal, bill: Bill, asked: Requirements) -> Iterator[str]:
    """The requirements beside figures that a bill does not keep."""
    if asked.budget is not None:
        amount, currency = asked.budget
        kept = made.listed and made.price is not None and made.price[1] == currency
        if not kept or made.price is None or made.price[0] > amount:
            yield "budget"
    if asked.longest_m is not None and made.longest_m > asked.longest_m:
        yield "longest"
    if asked.kw_per_rack is not None and bill.racks is not None and bill.racks.over_limit:
        yield "kw_per_rack"
    if asked.later is not None and made.replugged is None:
        yield "later"


def _after_failure(
    evaluated: EvaluatedDesign, asked: Requirements, names: Sequence[Collective]
) -> tuple[float | None, int, bool]:
    """The least kept after one cable or switch fails, GPUs cut off, and whether needs survive."""
    start = intact(evaluated.plan, evaluated.catalog, asked.request, names)
    worst, cut_off, survives = 1.0, 0, True
    for each in failure_classes(start.network, evaluated.catalog):
        if each.kind in ("node", "NIC"):
            continue
        outcome = without(start, (each.member(),))
        worst = min(worst, outcome.whole_share or 0.0)
        cut_off = max(cut_off, outcome.gpus_cut_off)
        kind = "cable" if each.kind == "cable" else "switch"
        runs = all(kept.after_GBps is not None for kept in outcome.kept)
        if kind in asked.survive and (outcome.gpus_cut_off or not runs):
            survives = False
    return worst, cut_off, survives


def _told(one: Proposal, pool: _Pool, progress: Progress | None, done: int) -> Proposal:
    """A proposal with what it keeps after a failure; without where nobody waits for it."""
    if progress is not None and not progress(done, done):
        return one
    evaluated = EvaluatedDesign(one.design, pool.catalog, pool.asked.request, terms=pool.terms)
    kept, cut_off, _ = _after_failure(evaluated, pool.asked, tuple(one.figures))
    return replace(one, after_failure=kept, gpus_cut_off=cut_off)


# The front


def beats(one: Proposal, other: Proposal) -> bool:
    """Whether a proposal is nowhere worse than another, in cost and figures.

    What a failure leaves of them counts where it was worked out of both.
    """
    for name, figure in one.figures.items():
        if (figure.value or 0.0) < (other.figures[name].value or 0.0) * (1 - 1e-9):
            return False
    if one.after_failure is not None and other.after_failure is not None:
        for name, figure in one.figures.items():
            kept = (figure.value or 0.0) * one.after_failure
            if kept < (other.figures[name].value or 0.0) * other.after_failure * (1 - 1e-9):
                return False
    if other.listed and not one.listed:
        return False  # cables that nobody lists are not saved
    a, b = one.price, other.price
    if a is not None and b is not None and a[1] == b[1]:
        return a[0] <= b[0]
    if (a is None) != (b is None):
        return False  # a part without a price never wins by that
    return all(x <= y for x, y in zip(one.costs, other.costs, strict=True))


def front(proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    """Those that no other beats, the cheapest first; one of those that are alike."""
    kept: list[Proposal] = []
    for one in sorted(proposals, key=lambda each: each.order):
        if not any(beats(other, one) for other in kept):
            kept = [other for other in kept if not beats(one, other)]
            kept.append(one)
    return tuple(sorted(kept, key=lambda each: each.order))


def spread(items: Sequence[Item], most: int) -> tuple[Item, ...]:
    """The first and some evenly up to the last, where there are too many."""
    if len(items) <= most:
        return tuple(items)
    step = (len(items) - 1) / (most - 1)
    return tuple(items[round(at * step)] for at in range(most))


# Why not cheaper


def _why(
    asked: Requirements,
    pool: _Pool,
    everything: Sequence[Candidate],
    possible: Sequence[Candidate],
    proposals: Sequence[Proposal],
) -> Iterator[Reason]:
    """For every requirement that binds, what giving it up would save; or why nothing is left."""
    if not everything:
        yield Reason("parts", _no_fabric(asked))
        return
    for name, least in asked.needs.items():
        most = max(one.at_most_GBps(name) for one in everything)
        if most < least and not asked.request.job.layout.sizes:
            words = f"{collective_name(name)} {bandwidth(least)} is above {bandwidth(most)}"
            yield Reason(
                f"need {name}", f"{words}, the most that the NICs of a node take in (bound)"
            )
    best = proposals[0] if proposals else None
    if asked.needs and best is not None:
        cheaper = _cheaper_without_needs(pool, everything, best)
        if cheaper is not None:
            falls = _short("needs", cheaper, asked)
            saves = saving_words(best, cheaper)
            if saves:
                yield Reason("needs", f"with {falls} it {saves} ({cheaper.candidate.words})")
    for key in ("budget", "longest", "kw_per_rack", "survive", "later", "needs"):
        held = [one for one in pool.all if one.broken == (key,)]
        if not held or (key == "needs" and best is not None):
            continue
        if key == "needs":
            nearest = max(held, key=lambda one: (_share_met(one, asked), one.order))
        else:
            nearest = min(held, key=lambda one: one.order)
        if best is None:
            short = _short(key, nearest, asked)
            yield Reason(key, f"the nearest has {short}: {_named(nearest.candidate)}")
        elif nearest.order < best.order and (saves := saving_words(best, nearest)):
            short = _short(key, nearest, asked)
            yield Reason(key, f"{short}; without that it {saves} ({_named(nearest.candidate)})")
    if best is None:
        together = [one for one in pool.all if len(one.broken) > 1]
        if together and not any(len(one.broken) == 1 for one in pool.all):
            nearest = min(together, key=lambda one: (len(one.broken), one.order))
            collide = " and ".join(_short(key, nearest, asked) for key in nearest.broken[:2])
            yield Reason("collision", f"these collide: {collide} ({_named(nearest.candidate)})")


def _named(one: Candidate) -> str:
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


def _cheaper_without_needs(
    pool: _Pool, everything: Sequence[Candidate], best: Proposal
) -> Proposal | None:
    """The next cheaper fabric that misses a need, and nothing else."""
    below = [one for one in everything if one.cost_order < best.candidate.cost_order]
    for one in sorted(below, key=lambda each: each.cost_order, reverse=True)[:6]:
        made = pool.analysed(one)
        if made is not None and made.broken == ("needs",):
            return made
    return None


def _no_fabric(asked: Requirements) -> str:
    what = f"{counted(asked.nodes, 'node')} of {asked.node}"
    limits = []
    if asked.switches:
        limits.append(f"switches {', '.join(asked.switches)}")
    if asked.shapes:
        limits.append(f"shapes {', '.join(asked.shapes)}")
    if asked.oversubscription is not None:
        limits.append(f"at most {asked.oversubscription:g}:1")
    if asked.align:
        limits.append(f"SUs of whole {asked.align} nodes")
    with_ = f" with {'; '.join(limits)}" if limits else ""
    tiers = "" if asked.shapes else " of up to three tiers"
    return f"no fabric{tiers} joins {what}{with_}: name larger switches, or leave one out"


def _short(key: str, one: Proposal, asked: Requirements) -> str:
    """By how much a proposal misses a requirement."""
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
        return f"a cable of {one.longest_m:g} m, above {asked.longest_m:g} m"
    if key == "kw_per_rack":
        return f"a device that draws more than {asked.kw_per_rack:g} kW, what a rack may"
    if key == "survive":
        kept = percent(one.after_failure) if one.after_failure is not None else "unknown"
        return f"GPUs cut off by one failure (at worst {kept} left)"
    return f"no room to grow to {asked.later:,} nodes"


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
