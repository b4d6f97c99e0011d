"""The smallest changes that raise a figure, each proven by analysing the design after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from toposmith.analysis.request import Request, Routing
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.cancellation import Found, TimeLimit, go_on
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.routing_rules import routing_problems
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import UNKNOWN, Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.aims import FIGURE, Aim
from toposmith.synthesis.change_words import in_words
from toposmith.synthesis.extensions import new_tiers
from toposmith.synthesis.figures_at_hand import LEAST_GAIN, FigureAtHand, sound_after
from toposmith.synthesis.increases import raising_edits
from toposmith.synthesis.kept_faults import keeping_faults
from toposmith.synthesis.outlays import no_less
from toposmith.synthesis.proposals import spread
from toposmith.synthesis.purchases import NOT_WORKED_OUT, Purchase, purchase
from toposmith.synthesis.side_effects import (
    FigurePair,
    Worsened,
    falling,
    lost_without_pxn,
    side_effects,
)

MOST_FIXES = 12
"""Fixes that are priced and shown."""

MOST_PRICED = 60
"""Changes whose bills are computed where there are prices: cheap parts may beat few ones."""

MOST_FOLLOWED = 6
"""Edits that relieve one of several links, from which the search continues to the others."""

QUEUE_PAIRS = (2, 4, 8)
"""Queue pairs of a connection that are tried where routing is static."""

SETTINGS_UNTIL = 0.25
"""Share of a limit of time after which no setting is tried any more, which costs nothing."""

CHANGES_UNTIL = 0.5
"""The same of changes: their bills, and what they take elsewhere, are computed after it."""

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
    falls : tuple of FigurePair
        Figures of the undamaged design that it takes from.
    added : tuple of Finding
        Errors and warnings that the design has only after it.
    worsened : tuple of Worsened
        Those that it has before and after it, then in a worse measure.
    slowed : bool
        Whether NICs run below their speed after it, and did not before.
    apart : bool
        Whether no switch joins its rails after it, and the file does not say that this is meant.
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
    falls: tuple[FigurePair, ...] = ()
    added: tuple[Finding, ...] = ()
    worsened: tuple[Worsened, ...] = ()
    slowed: bool = False
    apart: bool = False
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


@dataclass(frozen=True)
class _Lift:
    edit: Edit
    planned: PlannedDesign
    figure: FigureAtHand
    bought: tuple[int, ...]
    slowed: bool
    apart: bool


def ranked_fixes(
    of: EvaluatedDesign,
    aim: Aim = FIGURE,
    *,
    most_tried: int | None = None,
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
    most_tried : int, optional
        Designs that are analysed at most; as many as suit the aim, if not given.
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
    request, planned = of.asked, of.planned
    limit = limit or TimeLimit()
    most = aim.most_tried if most_tried is None else most_tried
    now = aim.figure(planned, request) if aim is FIGURE else None
    now = now or limit.run(lambda: aim.figure(planned, request), CHANGES_UNTIL)
    if now is None:
        unknown = FigureAtHand(Labelled(None, UNKNOWN), limited_by="time")
        return RankedFixes(of, unknown, (), 0, False, aim)
    search = _Search(planned, request, aim, now, most, progress, limit)
    settings = tuple(_settings(of, aim, now, search))
    if settings and (not search.keep_going or limit.over(CHANGES_UNTIL)):
        search.ended = True  # what costs nothing comes first anyway
    if now.amount.label.kind not in ("at least", "at most") and now.limited_by != "latency":
        search.run()
    priced = of.terms.prices is not None
    kept = _spread(search.lifts if priced else _undominated(search.lifts), MOST_PRICED)
    billed = list(_billed(of, now, kept, limit))
    complete = not (search.ended or search.settings_ended) and len(billed) == len(kept)
    if kept and not billed:
        fixes = [_fix(of, now, lift, NOT_WORKED_OUT) for lift in kept[:MOST_FIXES]]
    else:
        fixes = _in_order(_cheapest(billed))
    for at, fix in enumerate(fixes[: max(0, most_reviewed - len(settings))]):
        if search.keep_going:
            fixes[at] = limit.run(partial(_reviewed, of, fix)) or fix
    mend_first = tuple(sorted(search.mend_first))
    return RankedFixes(of, now, (*settings, *fixes), search.tried, complete, aim, mend_first)


def _next_written(edits: Iterator[Edit]) -> tuple[Edit | None, str]:
    """The next edit with the text of its design; None where there are no more."""
    edit = next(edits, None)
    if edit is None:
        return None, ""
    design = edit.design
    go_on(len(design.groups) + len(design.links))
    return edit, design.model_dump_json()


class _Search:
    """Edits tried, each design once, from the current design and then from better ones."""

    def __init__(
        self,
        planned: PlannedDesign,
        request: Request,
        aim: Aim,
        now: FigureAtHand,
        most_tried: int,
        progress: Progress | None,
        limit: TimeLimit,
    ) -> None:
        self.lifts: list[_Lift] = []
        self.tried = 0
        self.ended = False
        self.settings_ended = False
        self.mend_first: set[str] = set()
        self._start = planned
        self._request = request
        self._aim = aim
        self._now = now
        self._most = most_tried
        self._progress = progress
        self._limit = limit
        self._seen = {planned.design.model_dump_json()}
        self._start_joined = not _is_apart(planned)

    @property
    def keep_going(self) -> bool:
        """Whether it is still wanted."""
        return self._progress is None or self._progress(self.tried, self._most)

    def of_setting(self, request: Request) -> FigureAtHand | None:
        """The figure of the current design under another setting; None without time for it."""
        work = partial(self._aim.figure, self._start, request)
        then = self._limit.run(work, SETTINGS_UNTIL)
        self.settings_ended = self.settings_ended or then is None
        return then

    def run(self) -> None:
        """Try edits at the fullest links, then from what relieves one of several."""
        if self.ended:
            return
        relieved: list[_Lift] = []
        for lift in self._tries(self._start, self._now, ""):
            if lift.figure.exceeds(self._now):
                self.lifts.append(lift)
            elif self._now.fullest - lift.figure.fullest:
                relieved.append(lift)
        further = sorted(_undominated_costs(relieved), key=lambda one: one.bought)[:MOST_FOLLOWED]
        if self._now.amount.value is None:
            self._join()
            return  # where nothing ran, the first that runs is enough
        # what already raises it may be limited by a next link that is cheap to relieve
        further += sorted(
            (one for one in _undominated(self.lifts) if one.figure.fullest - self._now.fullest),
            key=lambda one: one.bought,
        )[: MOST_FOLLOWED // 2]
        for first in further:
            for lift in self._tries(first.planned, first.figure, first.edit.label):
                if lift.figure.exceeds(self._now):
                    self.lifts.append(lift)
        self._join()

    def _join(self) -> None:
        """Where what is found leaves rails apart, the thinnest spines that join them as well."""
        for lift in [one for one in _undominated(self.lifts) if one.apart]:
            spines = reversed(list(new_tiers(lift.planned)))
            for joined in self._of_edits(lift.planned, spines, lift.edit.label):
                if not joined.apart and no_less(joined.figure.amount, lift.figure.amount):
                    self.lifts.append(joined)
                    break

    def _tries(self, planned: PlannedDesign, figure: FigureAtHand, label: str) -> Iterator[_Lift]:
        return self._of_edits(planned, raising_edits(planned, figure.fullest), label)

    def _of_edits(
        self, planned: PlannedDesign, edits: Iterator[Edit], label: str
    ) -> Iterator[_Lift]:
        kept = iter(keeping_faults(planned.design, edits, self.mend_first))
        while True:
            following = self._in_time(partial(_next_written, kept))
            if following is None:
                self.ended = True
                return
            edit, written = following
            if edit is None:
                return
            if written in self._seen:
                continue
            if self.ended or self.tried >= self._most:
                self.ended = True
                return
            self._seen.add(written)
            found = self._analysed(edit.design)
            if found is None:
                continue
            after, then = found
            self.tried += 1
            words = f"{label}; {edit.label}" if label else edit.label
            slowed = _slowed(after.plan) > _slowed(self._start.plan)
            apart = self._start_joined and _is_apart(after)
            bought = (*_bought(self._start.plan, after.plan), int(slowed), int(apart))
            yield _Lift(Edit(edit.design, words), after, then, bought, slowed, apart)
            if not self.keep_going or self._limit.over(CHANGES_UNTIL):
                self.ended = True

    def _analysed(self, design: Design) -> tuple[PlannedDesign, FigureAtHand] | None:
        """A design with its figure; None where it is not sound, or the time is over."""

        def work() -> tuple[PlannedDesign, FigureAtHand] | None:
            after = sound_after(self._start.plan, design, self._start.catalog)
            return None if after is None else (after, self._aim.figure(after, self._request))

        found = self._in_time(work)
        self.ended = self.ended or self._limit.over(CHANGES_UNTIL)
        return found

    def _in_time(self, work: Callable[[], Found]) -> Found | None:
        """The result of some work, or None where the time ran out; the first change has more."""
        if self.tried:
            return self._limit.run(work, CHANGES_UNTIL)
        return self._limit.run(work, FIRST_UNTIL, at_least=SECONDS_OF_FIRST)


def _is_apart(planned: PlannedDesign) -> bool:
    """Whether no switch joins the rails of nodes, and the file does not say that this is meant."""
    return planned.design.rails != "apart" and any(rails_apart(planned.network))


def _slowed(plan: Plan) -> int:
    """Links on which NICs run below their speed."""
    return sum(one.code == "nic-slowed" for one in plan.findings)


def _bought(before: Plan, after: Plan) -> tuple[int, ...]:
    """Switches, NICs and cables that a change needs anew, parts of another kind among them.

    And switches and NICs that it gives back.
    """
    had, has = _devices(before), _devices(after)
    more, less = has - had, had - has
    now, then = cable_counts(before), cable_counts(after)
    speeds = {link.index: link.speed_gbit for link in before.links}
    cables = 0
    for link in after.links:
        kept = now.get(link.index, 0) if speeds.get(link.index) == link.speed_gbit else 0
        cables += max(0, then.get(link.index, 0) - kept)
    return (
        *(_of_kind(more, kind) for kind in ("switch", "nic")),
        cables,
        *(_of_kind(less, kind) for kind in ("switch", "nic")),
    )


def _devices(plan: Plan) -> Counter[tuple[str, str]]:
    """Switches and NICs by kind and part."""
    has, found = device_counts(plan), Counter[tuple[str, str]]()
    for name, group in plan.groups.items():
        if group.switch is not None:
            found["switch", group.switch.id] += has[name]
        for ports in group.port_groups.values():
            if ports.nic is not None:
                found["nic", ports.nic.id] += ports.nics * has[name]
    return found


def _of_kind(devices: Counter[tuple[str, str]], kind: str) -> int:
    return sum(many for (each, _), many in devices.items() if each == kind)


def _undominated(lifts: list[_Lift]) -> list[_Lift]:
    """Those that no other beats in the figure at no more of anything bought; one of equal ones."""

    def beats(one: _Lift, other: _Lift) -> bool:
        return no_less(one.figure.amount, other.figure.amount) and all(
            x <= y for x, y in zip(one.bought, other.bought, strict=True)
        )

    kept: list[_Lift] = []
    for at, lift in enumerate(lifts):
        others = (one for place, one in enumerate(lifts) if place != at)
        if not any(
            beats(one, lift) and not (beats(lift, one) and lifts.index(one) > at) for one in others
        ):
            kept.append(lift)
    return kept


def _cheapest(fixes: list[Fix]) -> list[Fix]:
    """Those that no other certainly beats: by prices where there are any, else by parts."""

    def beats(one: Fix, other: Fix) -> bool:
        worse = (one.slowed and not other.slowed) or (one.apart and not other.apart)
        cost, of_other = one.purchase.cost, other.purchase.cost
        return not worse and no_less(one.after, other.after) and cost.no_more_than(of_other)

    kept: list[Fix] = []
    for fix in sorted(fixes, key=lambda one: (one.purchase.cost.order, -(one.after.value or 0))):
        if not any(beats(one, fix) for one in kept):
            kept.append(fix)
    return list(spread(kept, MOST_FIXES))


def _in_order(fixes: list[Fix]) -> list[Fix]:
    """The smallest purchase first; NICs below their speed behind what gives as much at its own.

    What joins rails stands right behind what leaves them apart and gives as much.
    """
    ordered = sorted(
        fixes, key=lambda fix: (fix.purchase.cost.order, -(fix.after.value or 0), fix.label)
    )
    for slow in [fix for fix in ordered if fix.slowed and fix.purchase.price is None]:
        same = (
            at for at, fix in enumerate(ordered) if not fix.slowed and _gives_as_much(fix, slow)
        )
        behind = next(same, -1)
        if behind > ordered.index(slow):
            ordered.remove(slow)
            ordered.insert(behind, slow)
    for apart in [fix for fix in ordered if fix.apart]:
        place = ordered.index(apart) + 1
        joins = [fix for fix in ordered[place:] if not fix.apart and _gives_as_much(fix, apart)]
        for fix in joins[:1]:
            ordered.remove(fix)
            ordered.insert(place, fix)
    return ordered


def _gives_as_much(one: Fix, other: Fix) -> bool:
    return _as_much(one.after.value or 0.0, other.after.value or 0.0)


def _as_much(one: float, other: float) -> bool:
    return one <= other * LEAST_GAIN and other <= one * LEAST_GAIN


def _undominated_costs(lifts: list[_Lift]) -> list[_Lift]:
    """Those that relieve links at no more of anything than another that relieves as many."""
    kept: list[_Lift] = []
    for lift in sorted(lifts, key=lambda one: (sum(one.bought), one.edit.label)):
        same = (one for one in kept if one.figure.fullest == lift.figure.fullest)
        if not any(
            all(x <= y for x, y in zip(one.bought, lift.bought, strict=True)) for one in same
        ):
            kept.append(lift)
    return kept


def _spread(lifts: list[_Lift], most: int) -> list[_Lift]:
    """The cheapest and some evenly between it and the best, where there are too many to show."""
    ordered = sorted(lifts, key=lambda one: (one.bought, -(one.figure.amount.value or 0)))
    return list(spread(ordered, most))


def _fix(
    of: EvaluatedDesign, now: FigureAtHand, lift: _Lift, bought: Purchase | None = None
) -> Fix:
    after = replace(of, design=lift.edit.design, shared=lift.planned)
    said = in_words(of.design, lift.edit, of.catalog)
    return Fix(
        f"rails not joined: {said.label}" if lift.apart else said.label,
        said.design,
        of.asked,
        now.amount,
        lift.figure.amount,
        lift.figure.limit,
        bought or purchase(of, after),
        slowed=lift.slowed,
        apart=lift.apart,
        reviewed=False,
    )


def _billed(
    of: EvaluatedDesign, now: FigureAtHand, lifts: list[_Lift], limit: TimeLimit
) -> Iterator[Fix]:
    """Changes with what they buy, as many as the time is enough for."""
    for at, lift in enumerate(lifts):
        fix = limit.run(partial(_fix, of, now, lift), at_least=0.0 if at else SECONDS_OF_FIRST)
        if fix is None:
            return
        yield fix


def _reviewed(of: EvaluatedDesign, fix: Fix) -> Fix:
    """A fix with what it takes from other figures, and the findings that it adds."""
    after = replace(of, design=fix.design, shared=None)
    added, worsened = side_effects(of, after)
    falls = (*falling(of, after), *lost_without_pxn(of, after, added))
    return replace(fix, falls=falls, added=added, worsened=worsened, reviewed=True)


def _settings(of: EvaluatedDesign, aim: Aim, now: FigureAtHand, search: _Search) -> Iterator[Fix]:
    """What costs nothing: queue pairs and adaptive routing where it is static, and detours."""
    routing, design = of.asked.routing, of.design
    static = routing.mode == "static"
    ways = (
        []
        if not static
        else [
            (Routing("static", many), f"NCCL_IB_QPS_PER_CONNECTION={many}")
            for many in QUEUE_PAIRS
            if many > routing.queue_pairs
        ]
    )
    switches = [group.switch for group in of.plan.groups.values() if group.switch is not None]
    if static and switches and all(switch.adaptive_routing for switch in switches):
        ways.append((Routing("adaptive"), "adaptive routing, which all its switches have"))
    if routing.minimal and not any(routing_problems(design, "detour")):
        ways.append((Routing("detour"), "routing: detour, where its switches take other paths"))
    best = now
    for way, label in ways:
        if not search.keep_going:
            return
        request = replace(of.asked, routing=way)
        then = search.of_setting(request)
        if then is not None and then.exceeds(best):
            best = then
            nothing = purchase(of, of)
            yield Fix(label, of.design, request, now.amount, then.amount, then.limit, nothing)
