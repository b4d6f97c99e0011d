"""What is bought and does nothing for the figures that are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from toposmith.analysis.request import Collective, Request
from toposmith.cancellation import TimeLimit
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.design.edits import Edit, fit_nics, remove_group, set_cables, set_count
from toposmith.design.edits.moved_selectors import carried
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.finding import Finding
from toposmith.labels import Labelled
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import COLLECTIVES, Survival, sweep
from toposmith.review.failures.sweep_in_words import survival_sentence
from toposmith.synthesis.needs import FigureAtHand, figure_at_hand, sound_after
from toposmith.synthesis.purchases import Purchase, purchase
from toposmith.synthesis.search_state import both, made
from toposmith.synthesis.side_effects import (
    FigurePair,
    Worsened,
    keeping_faults,
    lost_without_pxn,
    mended_words,
    side_effects,
)
from toposmith.text import counted, joined


def in_words(before: Design, edit: Edit, catalog: Catalog) -> Edit:
    """The edit, said as a person would: ``replace leaf with SN3700``, ``4 spines instead of 2``.

    Where groups repeat over other axes, the edit's own words say it better.
    """
    after = edit.design
    kept = [name for name in before.groups if name in after.groups]
    alike = before.axes == after.axes and all(
        before.groups[name].per == after.groups[name].per for name in kept
    )
    new = [name for name in after.groups if name not in before.groups]
    if not alike or any(after.groups[name].per for name in new):
        return edit
    changed = after.model_copy(update={"groups": {name: after.groups[name] for name in kept}})
    words = [*_mended(before, after), *_without(before, after), *_parts(before, changed, catalog)]
    words += [*_nics(before, changed, catalog), *_counts(before, changed)]
    words += [*_cables(before, after), *(_added(after, name) for name in new)]
    return Edit(after, "; ".join(words)) if words else edit


def _mended(before: Design, after: Design) -> Iterator[str]:
    marks = dict.fromkeys((*before.down, *before.slow))
    left = {*after.down, *after.slow}
    mended = [
        text for text in marks if not left.issuperset(carried([text], before, after, devices=True))
    ]
    if mended:
        yield mended_words(mended, before)


def _without(before: Design, after: Design) -> Iterator[str]:
    gone = [name for name in before.groups if name not in after.groups]
    if gone:
        yield f"leave out {joined(gone)}"


def _parts(before: Design, after: Design, catalog: Catalog) -> Iterator[str]:
    swapped: dict[str, list[str]] = {}
    for name, group in after.groups.items():
        if group.part != before.groups[name].part:
            swapped.setdefault(group.part, []).append(name)
    for part, names in swapped.items():
        yield f"replace {joined(names)} with {_name(part, catalog)}"


def _nics(before: Design, after: Design, catalog: Catalog) -> Iterator[str]:
    for name, group in after.groups.items():
        had = before.groups[name].nics
        for slots, fitted in group.nics.items():
            if had.get(slots) == fitted:
                continue
            was = had.get(slots)
            instead = ""
            if was is not None and was.part == fitted.part:
                instead = f" instead of {was.count}"
            elif was is not None and was.count:
                instead = f" instead of {was.count} x {_name(was.part, catalog)}"
            part = _name(fitted.part, catalog)
            yield f"{fitted.count} x {part} in {name}.{slots}{instead}"


def _counts(before: Design, after: Design) -> Iterator[str]:
    for name, group in after.groups.items():
        was = before.groups[name].count
        if group.count != was:
            per = f" per {' and '.join(group.per)}" if group.per else ""
            yield f"{counted(group.count, f'{name}{per}')} instead of {was:,}"


def _cables(before: Design, after: Design) -> Iterator[str]:
    had = {link.words: link for link in before.links}
    for link in after.links:
        label = link.words
        was = had.get(label)
        if was is None:
            continue
        if was.cables != link.cables and link.cables is not None:
            yield f"{counted(link.cables, 'cable')} instead of {was.cables or 1} for each {label}"
        if was.speed != link.speed:
            yield f"{label} as fast as both ends run"


def _added(after: Design, name: str) -> str:
    """``1 spine above leaf, 4 cables from each``: a group that is new, and how it is joined."""
    ends = [(link, [end.partition(".")[0] for end in link.between]) for link in after.links]
    cables = [
        f"{counted(link.cables or 1, 'cable')} from each {end}"
        for link, groups in ends
        for end in groups
        if name in groups and end != name
    ]
    return f"add {counted(after.groups[name].count, name)}, {joined(cables)}"


def _name(part: str, catalog: Catalog) -> str:
    found = catalog.get(part)
    if found is None:
        return part
    # of a switch only what it is called; NICs of one name differ after the comma
    return found.name.partition(",")[0] if found.kind == "switch" else found.name


@dataclass(frozen=True)
class Reduction:
    """Ways to have less of one thing, the least of it first.

    Parameters
    ----------
    what : str
        Of what there is less: a group or a link.
    edits : tuple of Edit
        Each leaves more of it than the one before.
    """

    what: str
    edits: tuple[Edit, ...]


def reductions(planned: PlannedDesign) -> Iterator[Reduction]:
    """All that a compute network can have less of: switches, cables, NICs, whole tiers."""
    plan = planned.plan
    heights, slots_of = planned.heights, planned.network.slots
    for name, group in plan.groups.items():
        if group.switch is None or name not in heights:
            continue
        if heights[name] > 1:
            if heights[name] == max(heights.values()):
                yield Reduction(f"all of {name}", (remove_group(plan.design, name),))
            yield from _fewer(plan, name, plan.links_of(name))
    for link in plan.links:
        inside = all(
            end.group in heights and slots_of.get(end.group, end.ports) == end.ports
            for end in (link.a, link.b)
        )
        stated = plan.design.links[link.index].cables is not None
        if inside and stated and link.cables_per_pair > 1:
            edits = (
                set_cables(plan.design, link.index, each) for each in range(1, link.cables_per_pair)
            )
            yield Reduction(f"cables of {link.label}", tuple(edits))
    for name, group in plan.groups.items():
        for slots, ports in group.port_groups.items():
            host = group.host
            if host is None or slots_of.get(name) != slots or ports.nic is None:
                continue
            if host.slots[slots].cages or ports.nics < 2 or ports.nic.cage == "virtual":
                continue
            counts = range(1, ports.nics)
            fitted = partial(fit_nics, plan.design, name, slots, ports.nic.id)
            yield Reduction(f"NICs of {name}.{slots}", tuple(map(fitted, counts)))


def _fewer(plan: Plan, name: str, links: list[LinkPlan]) -> Iterator[Reduction]:
    """Fewer switches of a group: each with the cables it has, or with those of all the others."""
    count = plan.design.groups[name].count
    edits = tuple(set_count(plan.design, name, fewer) for fewer in range(1, count))
    yield Reduction(name, edits)
    fuller = (made(_with_all_cables, edit, links, count, name) for edit in edits)
    yield Reduction(f"{name}, its ports fuller", tuple(chain.from_iterable(fuller)))


def _with_all_cables(edit: Edit, links: list[LinkPlan], count: int, name: str) -> Edit:
    """Fewer switches with the cables that all of them had."""
    after = edit
    for link in links:
        each, rest = divmod(link.cables_per_pair * count, edit.design.groups[name].count)
        if rest or edit.design.links[link.index].cables is None:
            raise EditError("the cables cannot be dealt evenly")
        after = both(after, set_cables(after.design, link.index, each))
    return after


@dataclass(frozen=True)
class LeftOut:
    """Something that can be left out while all that is needed holds.

    Parameters
    ----------
    what : str
        Of what there is less.
    label : str
        The change in words.
    design : Design
        The design without it.
    figures : tuple of FigurePair
        Those that are needed first, then the others.
    purchase : Purchase
        What need not be bought.
    after_failure : str
        What the worst single failure leaves, in words; empty where that was not asked for.
    added : tuple of Finding
        Errors and warnings that the design has only without it.
    worsened : tuple of Worsened
        Those that it has either way, in a worse measure without it.
    """

    what: str
    label: str
    design: Design
    figures: tuple[FigurePair, ...]
    purchase: Purchase
    after_failure: str = ""
    added: tuple[Finding, ...] = ()
    worsened: tuple[Worsened, ...] = ()

    @property
    def edit(self) -> Edit:
        """The change as an edit."""
        return Edit(self.design, self.label)

    @property
    def splits(self) -> bool:
        """Whether something has no path any more without it."""
        return any(pair.after.value is None for pair in self.suffers)

    @property
    def suffers(self) -> tuple[FigurePair, ...]:
        """The figures that fall, none of them needed at what it was."""
        return tuple(figure for figure in self.figures if figure.falls)


@dataclass(frozen=True)
class Spares:
    """What can be left out of a design, each by itself, the greatest saving first.

    Of needs that it does not meet as it stands, ``unmet`` has what it gives. ``complete`` says
    whether all was tried, ``mend_first`` which groups have faults that leaving out would hide.
    """

    of: EvaluatedDesign
    needs: Mapping[Collective, float]
    left_out: tuple[LeftOut, ...]
    unmet: Mapping[Collective, Labelled] = field(default_factory=dict)
    after_failure: str = ""
    complete: bool = True
    mend_first: tuple[str, ...] = ()


def what_can_be_left_out(
    of: EvaluatedDesign,
    needs: Mapping[Collective, float] | None = None,
    *,
    others: bool = False,
    failures: bool = False,
    keep_going: Callable[[], bool] = lambda: True,
    limit: TimeLimit | None = None,
) -> Spares:
    """Find the least of everything with which the needed figures hold.

    Figures do not rise when something is taken away, so of every kind of thing the least is found
    by halving; it is analysed, not inferred.

    Parameters
    ----------
    of : EvaluatedDesign
        The design, with its request and the terms of its bill.
    needs : mapping of str to float, optional
        Busbw of each collective that has to hold, GB/s; what the design gives of the requested
        one, if not given.
    others : bool
        Without needs: whether the other collectives have to keep their figures, too.
    failures : bool
        Whether to compute what each smaller design keeps after any single failure.
    keep_going : callable
        Asked between designs; where it returns False the search ends.
    limit : TimeLimit, optional
        Where it is over the search ends.
    """
    limit = limit or TimeLimit()
    of = of.asking(of.asked.as_modelled)
    before = {name: figure_at_hand(of.planned, _of(of.asked, name)) for name in _shown(of, needs)}
    if needs is None:
        held = before if others else {of.asked.collective: before[of.asked.collective]}
        amounts = {name: figure.amount for name, figure in held.items()}
        needs = {
            name: amount.value
            for name, amount in amounts.items()
            if amount.value is not None and not (amount.label.sign and len(amounts) > 1)
        }
    unmet = {
        name: before[name].amount for name, floor in needs.items() if not before[name].holds(floor)
    }
    if unmet or not needs:
        return Spares(of, needs, (), unmet)
    found: list[LeftOut] = []
    complete = True
    mend_first: set[str] = set()
    for every in reductions(of.planned):
        kept = tuple(keeping_faults(of.design, every.edits, mend_first))
        reduction = replace(every, edits=kept)
        tried = (
            limit.run(partial(_left_out, of, reduction, needs, before)) if keep_going() else None
        )
        if tried is None:
            complete = False
            break
        found += tried
    found.sort(key=_saving, reverse=True)
    worst: str | None = ""
    if failures:
        for at, left in enumerate(found):
            without = partial(PlannedDesign.of, left.design, of.catalog)
            words = limit.run(partial(_worst_failure, of, without, tuple(needs)))
            found[at] = replace(left, after_failure=words or "")
            complete = complete and words is not None
        worst = limit.run(partial(_worst_failure, of, lambda: of.planned, tuple(needs)))
    complete = complete and worst is not None
    broken = tuple(sorted(mend_first))
    return Spares(of, needs, tuple(found), {}, worst or "", complete, broken)


def _left_out(
    of: EvaluatedDesign,
    reduction: Reduction,
    needs: Mapping[Collective, float],
    before: Mapping[Collective, FigureAtHand],
) -> list[LeftOut]:
    """The boldest of a reduction's edits with which all needs hold; empty where none does."""
    least = _least(of, reduction, needs)
    if least is None:
        return []
    edit, planned = least
    edit = in_words(of.design, edit, of.catalog)
    pairs = tuple(
        FigurePair(
            name,
            before[name].amount,
            figure_at_hand(planned, _of(of.asked, name)).amount,
            needs.get(name),
        )
        for name in sorted(before, key=lambda one: one not in needs)
    )
    after = replace(of, design=edit.design, shared=planned)
    added, worsened = side_effects(of, after)
    pairs += lost_without_pxn(of, after, added)
    left = LeftOut(reduction.what, edit.label, edit.design, pairs, purchase(of, after))
    return [replace(left, added=added, worsened=worsened)]


def _saving(left: LeftOut) -> tuple[float, ...]:
    bought = left.purchase
    counts = [bought.returned(kind) - bought.bought(kind) for kind in ("switch", "nic", "cable")]
    if bought.unpriced:
        return (0.0, 0.0, *counts)  # an unknown saving is neither above nor below a known one
    return (1.0, float(sum(bought.saved.values()) - sum(bought.spent.values())), *counts)


def _shown(of: EvaluatedDesign, needs: Mapping[Collective, float] | None) -> list[Collective]:
    return list(dict.fromkeys((*(needs or ()), of.asked.collective, *COLLECTIVES)))


def _of(request: Request, collective: Collective) -> Request:
    return replace(request, collective=collective)


def _least(
    of: EvaluatedDesign, reduction: Reduction, needs: Mapping[Collective, float]
) -> tuple[Edit, PlannedDesign] | None:
    """The boldest of a reduction's edits with which all needs hold; None where none does."""

    def holds(edit: Edit) -> PlannedDesign | None:
        planned = sound_after(of.plan, edit.design, of.catalog)
        if planned is None:
            return None
        floors = ((figure_at_hand(planned, _of(of.asked, n)), floor) for n, floor in needs.items())
        return planned if all(figure.holds(floor) for figure, floor in floors) else None

    low, high = 0, len(reduction.edits)
    best: tuple[Edit, PlannedDesign] | None = None
    while low < high:
        middle = (low + high) // 2
        planned = holds(reduction.edits[middle])
        if planned is None:
            low = middle + 1
        else:
            best, high = (reduction.edits[middle], planned), middle
    return best


def _worst_failure(
    of: EvaluatedDesign, planned: Callable[[], PlannedDesign], needed: Sequence[str]
) -> str:
    """What the worst single failure of a design leaves of the needed figures, in words."""
    swept = sweep(planned().plan, of.catalog, of.asked, collectives=tuple(needed))
    if not swept.survival or not swept.gpus:
        return ""

    def left(one: Survival) -> float:
        return (one.share or 0.0) * (1 - one.gpus_cut_off / swept.gpus)

    return survival_sentence(min(swept.survival, key=left), swept.gpus)
