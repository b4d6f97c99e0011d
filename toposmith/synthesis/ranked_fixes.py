"""The smallest changes that raise a figure, each proven by analysing the design after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from toposmith.analysis.request import Request, Routing
from toposmith.cancellation import TimeLimit, go_on
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.routing_rules import routing_problems
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.labels import UNKNOWN, Labelled
from toposmith.synthesis.analysed_fabrics import spread
from toposmith.synthesis.best_first import Found, Offer, Outcome, keep, search
from toposmith.synthesis.left_out import in_words
from toposmith.synthesis.needs import FIGURE, LEAST_GAIN, Aim, FigureAtHand, fits_as_before
from toposmith.synthesis.purchases import NOT_WORKED_OUT, Purchase, no_less, purchase
from toposmith.synthesis.raising_moves import (
    more_uplinks,
    new_tiers,
    raising_moves,
    relieving_moves,
)
from toposmith.synthesis.search_state import SearchState, twice_or_full
from toposmith.synthesis.side_effects import (
    FigurePair,
    NeededParts,
    TriedChange,
    Worsened,
    falling,
    is_apart,
    keeping_faults,
    lost_without_pxn,
    needs_of,
    side_effects,
)
from toposmith.workloads.goodput import stops

Result = TypeVar("Result")

MOST_FIXES = 12
"""Fixes that are priced and shown."""

MOST_PRICED = 60
"""Changes whose bills are computed where there are prices: cheap parts may beat few ones."""

MOST_TRIED = 120
"""Designs that are analysed."""

MOST_FOLLOWED = 9
"""Changes that relieve links, from which the search continues to those that are full then."""

MOST_RELIEVED = 2
"""Moves that an edit may take to have enough ports."""

QUEUE_PAIRS = (2, 4, 8)
"""Queue pairs of a connection that are tried where routing is static."""

CHANGES_UNTIL = 0.5
"""Share of a limit of time for changes: their bills, and what they take elsewhere, come after."""

FIRST_UNTIL = 0.9
"""The same of the first change, which is worth more than what others would buy."""

SECONDS_OF_FIRST = 1.0
"""The first change has so long even where the time is over, and so has its bill."""

Progress = Callable[[int, int], bool]
"""Told how many of how many were tried; False ends the search there."""


@dataclass(frozen=True)
class Fix:
    """A change that raises the current figure.

    Parameters
    ----------
    label : str
        The change in words.
    design : Design
        The design after it.
    request : Request
        What is measured then: another routing is a fix that changes no design.
    before, after : Labelled
        The figure that is raised; busbw of each GPU in GB/s where no other aim is set.
    limit : str
        What limits the figure then.
    purchase : Purchase
        What it buys and gives back.
    needs : NeededParts
        The same before there was a bill, and whether NICs run slower or rails are apart then.
    falls : tuple of FigurePair
        Figures of the undamaged design that it takes from.
    added : tuple of Finding
        Errors and warnings that the design has only after it.
    worsened : tuple of Worsened
        Those that it has before and after it, then in a worse measure.
    stops_h : tuple of float or None
        Hours between stops of a job on all GPUs before and after it, by published rates; None
        where that was not looked for.
    reviewed : bool
        Whether what falls, is added and worsened was looked for.
    """

    label: str
    design: Design
    request: Request
    before: Labelled
    after: Labelled
    limit: str
    purchase: Purchase
    needs: NeededParts
    falls: tuple[FigurePair, ...] = ()
    added: tuple[Finding, ...] = ()
    worsened: tuple[Worsened, ...] = ()
    stops_h: tuple[float, float] | None = None
    reviewed: bool = True

    @property
    def edit(self) -> Edit:
        """The change as an edit; of the design itself where only what is measured changes."""
        return Edit(self.design, self.label)

    @property
    def gain(self) -> float | None:
        """What it wins, in the unit of the figure; None where the figure before is unknown."""
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value


@dataclass(frozen=True)
class RankedFixes:
    """The fixes of a design, the smallest purchase first; each more expensive one gives more.

    Or it keeps devices that a cheaper one gives back, or runs NICs at their speed that run slower
    after that one; of the last, those that give as much follow it.

    Parameters
    ----------
    of : EvaluatedDesign
        The current design.
    now : FigureAtHand
        Its figure, and what limits it.
    fixes : tuple of Fix
        None of them both costs more and is no better than another.
    tried : int
        How many designs were analysed.
    complete : bool
        Whether nothing was left untried.
    aim : Aim
        What is raised.
    mend_first : tuple of str
        Groups of which something is broken that changes would lose, which are left out.
    """

    of: EvaluatedDesign
    now: FigureAtHand
    fixes: tuple[Fix, ...]
    tried: int
    complete: bool = True
    aim: Aim = FIGURE
    mend_first: tuple[str, ...] = ()


def ranked_fixes(
    of: EvaluatedDesign,
    aim: Aim = FIGURE,
    *,
    most_tried: int = MOST_TRIED,
    most_reviewed: int = MOST_FIXES,
    progress: Progress | None = None,
    limit: TimeLimit | None = None,
) -> RankedFixes:
    """Search the edits that raise what a design is asked for.

    Every edit that gives the fullest links more capacity is made and analysed; where several
    links are full together, the search continues from those edits that relieve one of them. Of what
    raises the figure, those are kept that no other beats in figure and in everything bought.

    Parameters
    ----------
    of : EvaluatedDesign
        The design, with its request and the terms of its bill.
    aim : Aim
        What is raised: the measured figure, what the worst failure leaves, the workload's margin.
    most_tried : int
        Designs that are analysed at most.
    most_reviewed : int
        Of how many, the first ones, the figures that fall and the findings added are computed.
    progress : callable, optional
        Called after every analysis; where it returns False the search ends, incomplete, and
        nothing is reviewed any more.
    limit : TimeLimit, optional
        Where it is over the search ends, incomplete. The first change, and what the first of
        those found buys, have :data:`SECONDS_OF_FIRST` in any case.
    """
    of = of.asking(of.asked.as_modelled)
    limit = limit or TimeLimit()
    now = aim.figure(of.planned, of.asked) if aim is FIGURE else None
    now = now or limit.run(lambda: aim.figure(of.planned, of.asked), CHANGES_UNTIL)
    if now is None:
        unknown = FigureAtHand(Labelled(None, UNKNOWN), limited_by="time")
        return RankedFixes(of, unknown, (), 0, False, aim)
    search = _Search(of, aim, now, most_tried, progress, limit)
    search.run()
    changes = spread([one.made for one in search.found.answers], MOST_PRICED)
    billed = list(_billed(of, now, changes, limit))
    complete = search.found.complete and not search.ended and len(billed) == len(changes)
    if changes and not billed:
        fixes = [_fix(of, now, change, NOT_WORKED_OUT) for change in changes[:MOST_FIXES]]
    else:
        fixes = _in_order(_cheapest(billed))
    for at, fix in enumerate(fixes[:most_reviewed]):
        if search.keep_going:
            fixes[at] = limit.run(partial(_reviewed, of, fix)) or fix
    mend_first = tuple(sorted(search.mend_first))
    return RankedFixes(of, now, tuple(fixes), search.found.proven, complete, aim, mend_first)


class _Search:
    """Changes tried, each design once, from the current design and then from better ones."""

    def __init__(
        self,
        of: EvaluatedDesign,
        aim: Aim,
        now: FigureAtHand,
        most_tried: int,
        progress: Progress | None,
        limit: TimeLimit,
    ) -> None:
        self.found: Found[TriedChange] = Found()
        self.ended = False
        self.mend_first: set[str] = set()
        self._of = of
        self._aim = aim
        self._now = now
        self._most = most_tried
        self._progress = progress
        self._limit = limit
        self._seen = {of.design.model_dump_json()}
        self._followed: list[TriedChange] = []
        self._taken_in: dict[object, float] = {}

    @property
    def keep_going(self) -> bool:
        """Whether it is still wanted."""
        return self._progress is None or self._progress(self.found.proven, self._most)

    def run(self) -> None:
        """Try settings, and edits at the fullest links; go on from what relieves these."""
        failing = self._now.limited_by == "failure"
        start = TriedChange(
            SearchState(self._of.planned, self._now.fullest, failing), self._of.asked
        )
        self._learn(start.state, self._now)
        offers = self._of_settings(start)
        if not self._now.amount.label.sign and self._now.limited_by != "latency":
            offers = chain(offers, self._offers(start, raising_moves(start.state)))
        self.found = search(offers, self._proof, most=self._most, go_on=self._wanted)

    def _of_settings(self, start: TriedChange) -> Iterator[Offer[TriedChange]]:
        for number, (routing, label) in enumerate(_settings(self._of), 1):
            request, needs = replace(self._of.asked, routing=routing), NeededParts(setting=number)
            made = replace(start, request=request, label=label, cost=needs, further=True)
            yield Offer(partial(replace, made), needs)

    def _wanted(self, found: Found[TriedChange]) -> bool:
        self.found = found
        self.ended = self.ended or not self.keep_going or self._limit.over(CHANGES_UNTIL)
        return not self.ended

    def _offers(
        self, before: TriedChange, edits: Iterator[Edit], relieved: int = 0
    ) -> Iterator[Offer[TriedChange]]:
        """Edits whose designs are sound; of others those that relieve what is overrun then."""
        kept = keeping_faults(before.state.design, edits, self.mend_first)
        while not self.ended:
            following = self._in_time(partial(self._next_made, before, kept))
            if following is None:
                self.ended = True
                return
            (change,) = following
            if change is None:
                return
            fits = fits_as_before(self._of.plan, change.state.plan)
            if fits:
                may_be_more = partial(self._may_be_more, change)
                yield Offer(may_be_more, change.cost, partial(self._promise, change))
            may_gain = change.cost.slowed or self._may_be_more(change) is not None
            relief = fits is False or (change.cost.slowed and not relieved)
            if fits is not None and relief and may_gain and relieved < MOST_RELIEVED:
                yield from self._offers(change, relieving_moves(change.state), relieved + 1)

    def _next_made(self, before: TriedChange, edits: Iterator[Edit]) -> tuple[TriedChange | None]:
        """The next edit as a change, if its design is a new one; nothing when there are no more."""
        for edit in edits:
            go_on(len(edit.design.groups) + len(edit.design.links))
            written = edit.design.model_dump_json()
            if written not in self._seen:
                self._seen.add(written)
                state = before.state.after(edit)
                label = f"{before.label}; {edit.label}" if before.label else edit.label
                priced = self._of.terms.prices is not None
                cost = needs_of(self._of.plan, state.plan, priced=priced)
                return (replace(before, state=state, label=label, cost=cost),)
        return (None,)

    def _proof(self, change: TriedChange) -> Outcome[TriedChange] | None:
        """A change with its figure; None where the time is over."""
        analysed = self._in_time(partial(self._analysed, change))
        if analysed is None:
            self.ended = True
            return None
        then, apart = analysed
        self._learn(change.state, then)
        cost = replace(change.cost, apart=apart)
        state = replace(change.state, full=then.fullest)
        after = replace(change, state=state, figure=then, cost=cost)
        value = then.amount.value
        gains = {} if value is None else {then.amount.label.sign: value}
        better = then.exceeds(self._now)
        return Outcome(after, gains, cost, better, self._further(after, better=better), cost.order)

    def _analysed(self, change: TriedChange) -> tuple[FigureAtHand, bool]:
        """The figure of a design, and whether it leaves rails apart that were joined."""
        then = self._aim.figure(change.state.planned, change.request)
        return then, is_apart(change.state.planned) and not is_apart(self._of.planned)

    def _learn(self, state: SearchState, then: FigureAtHand) -> None:
        """Keep what nodes take in, where nothing above them limits: no fabric gives them more."""
        held = then.limited_by == "channels" or state.are_at_hosts(then.fullest)
        in_groups = self._of.asked.job.layout.sizes
        value = then.amount.value
        if held and self._aim.name == FIGURE.name and not in_groups and value is not None:
            self._taken_in[state.nodes] = max(value, self._taken_in.get(state.nodes, 0.0))

    def _may_be_more(self, change: TriedChange) -> TriedChange | None:
        """The change, unless its nodes take in no more than they get now."""
        most, now = self._taken_in.get(change.state.nodes), self._now.amount.value
        return None if most is not None and now and most <= now * LEAST_GAIN else change

    def _promise(self, change: TriedChange) -> dict[str, float]:
        """What its nodes take in, where a proof has shown that."""
        most = self._taken_in.get(change.state.nodes)
        return {} if most is None else {self._now.amount.label.sign: most}

    def _further(self, change: TriedChange, *, better: bool) -> Iterator[Offer[TriedChange]]:
        """What joins rails; and what raises more from where other links are full."""
        if change.cost.apart and better:
            yield from self._offers(change, new_tiers(change.state), MOST_RELIEVED)
        if change.further or self._now.amount.value is None:
            return  # where nothing ran, what runs is enough
        following = replace(change, further=True)
        if self._is_worth_following(change, better=better):
            self._followed.append(change)
            yield from self._offers(following, raising_moves(change.state))
        elif change.state.leaves != SearchState(self._of.planned).leaves:
            yield from self._offers(following, more_uplinks(change.state, twice_or_full))

    def _is_worth_following(self, change: TriedChange, *, better: bool) -> bool:
        """Whether it relieves links, and none before did so at no more of anything."""
        if len(self._followed) == MOST_FOLLOWED or not self._now.fullest - change.state.full:
            return False
        assert change.figure is not None
        same = (one for one in self._followed if one.state.full == change.state.full)
        held = no_less(change.figure.amount, self._now.amount, 1.0, 1 / LEAST_GAIN)
        return better or (held and not any(one.cost.no_more_than(change.cost) for one in same))

    def _in_time(self, work: Callable[[], Result]) -> Result | None:
        """The result of some work, or None where the time ran out; the first change has more."""
        if self.found.proven:
            return self._limit.run(work, CHANGES_UNTIL)
        return self._limit.run(work, FIRST_UNTIL, at_least=SECONDS_OF_FIRST)


def _cheapest(fixes: list[Fix]) -> list[Fix]:
    """Those that no other certainly beats: by prices where there are any, else by parts."""
    kept: Found[Fix] = Found()
    for fix in sorted(fixes, key=lambda one: -(one.after.value or 0)):
        cost = replace(fix.needs, outlay=fix.purchase.cost)
        gains = {fix.after.label.sign: fix.after.value or 0.0}
        keep(kept, Outcome(fix, gains, cost, accepted=True))
    return [one.made for one in spread(kept.answers, MOST_FIXES)]


def by_purchase(fix: Fix) -> tuple[Any, ...]:
    """By what fixes are ranked: what costs nothing, then the smallest purchase."""
    needs = fix.needs
    size = (not needs.setting, fix.purchase.cost.order, needs.setting, needs.mended)
    return (*size, -(fix.after.value or 0), fix.label)


def _in_order(fixes: list[Fix]) -> list[Fix]:
    """The smallest purchase first; NICs below their speed behind what gives as much at its own.

    What joins rails stands right behind what leaves them apart and gives as much.
    """
    ordered = sorted(fixes, key=by_purchase)
    for slow in [fix for fix in ordered if fix.needs.slowed and fix.purchase.price is None]:
        at_speed = [fix for fix in ordered if not fix.needs.slowed and gives_as_much(fix, slow)]
        behind = ordered.index(at_speed[0]) if at_speed else -1
        if behind > ordered.index(slow):
            ordered.remove(slow)
            ordered.insert(behind, slow)
    for apart in [fix for fix in ordered if fix.needs.apart]:
        place = ordered.index(apart) + 1
        joined = (fix for fix in ordered[place:] if not fix.needs.apart)
        for fix in [one for one in joined if gives_as_much(one, apart)][:1]:
            ordered.remove(fix)
            ordered.insert(place, fix)
    return ordered


def gives_as_much(one: Fix, other: Fix) -> bool:
    """Whether two fixes end at the same figure, as far as the model tells them apart."""
    return no_less(one.after, other.after, LEAST_GAIN) and no_less(
        other.after, one.after, LEAST_GAIN
    )


def _fix(
    of: EvaluatedDesign, now: FigureAtHand, change: TriedChange, bought: Purchase | None = None
) -> Fix:
    assert change.figure is not None
    planned, apart = change.state.planned, change.cost.apart
    said = in_words(of.design, Edit(planned.design, change.label), of.catalog)
    return Fix(
        f"rails not joined: {said.label}" if apart else said.label,
        said.design,
        change.request,
        now.amount,
        change.figure.amount,
        change.figure.limit,
        bought or purchase(of, replace(of, design=planned.design, shared=planned)),
        change.cost,
        reviewed=False,
    )


def _billed(
    of: EvaluatedDesign, now: FigureAtHand, changes: Sequence[TriedChange], limit: TimeLimit
) -> Iterator[Fix]:
    """Changes with what they buy, as many as the time is enough for."""
    for at, change in enumerate(changes):
        fix = limit.run(partial(_fix, of, now, change), at_least=0.0 if at else SECONDS_OF_FIRST)
        if fix is None:
            return
        yield fix


def _reviewed(of: EvaluatedDesign, fix: Fix) -> Fix:
    """A fix with what it takes from other figures, and the findings that it adds."""
    after = replace(of, design=fix.design, shared=None)
    added, worsened = side_effects(of, after)
    falls = (*falling(of, after), *lost_without_pxn(of, after, added))
    stops_h = (stops(of.plan).mtbf_h, stops(after.plan).mtbf_h)
    return replace(fix, falls=falls, added=added, worsened=worsened, stops_h=stops_h, reviewed=True)


def _settings(of: EvaluatedDesign) -> Iterator[tuple[Routing, str]]:
    """What costs nothing: queue pairs and adaptive routing where it is static, and detours."""
    routing = of.asked.routing
    if routing.mode == "static":
        for many in QUEUE_PAIRS:
            if many > routing.queue_pairs:
                yield Routing("static", many), f"NCCL_IB_QPS_PER_CONNECTION={many}"
        switches = [group.switch for group in of.plan.groups.values() if group.switch is not None]
        if switches and all(switch.adaptive_routing for switch in switches):
            yield Routing("adaptive"), "adaptive routing, which all its switches have"
    if routing.minimal and not any(routing_problems(of.design, "detour")):
        yield Routing("detour"), "routing: detour, where its switches take other paths"
