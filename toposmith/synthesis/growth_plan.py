"""Growth as a plan: from one design to another in steps, with the figures after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from toposmith.analysis.request import Collective
from toposmith.cancellation import Stopped, TimeLimit
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.port_use import port_findings
from toposmith.labels import UNKNOWN, Labelled
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.figures_at_hand import FigureAtHand
from toposmith.synthesis.growth_by_cables import CableSteps
from toposmith.synthesis.growth_by_exchange import exchange_steps
from toposmith.synthesis.growth_states import GrowthFrame
from toposmith.synthesis.growth_step import (
    FiguresOnTheWay,
    GrowthFigures,
    GrowthStep,
    gpus_of,
)
from toposmith.synthesis.part_exchange import same_shape, sound_plan, with_parts_of
from toposmith.synthesis.purchases import Purchase, purchase
from toposmith.text import joined


@dataclass(frozen=True)
class Growth:
    """The way from one design to another.

    Parameters
    ----------
    old, new : EvaluatedDesign
        The designs.
    floor : mapping of str to float
        Busbw of a GPU that is to hold all the time, GB/s, by collective.
    least_gpus : int
        GPUs that are to run all the time.
    now : dict of str to Labelled
        Busbw before the first step.
    steps : tuple of GrowthStep
        In order.
    together : tuple of str
        Why what is there cannot be changed bit by bit; empty where it can.
    purchase : Purchase
        What the later design needs beyond the earlier one, and what is left over.
    complete : bool
        Whether the steps lead to the later design; they do not where the time ended first.
    """

    old: EvaluatedDesign
    new: EvaluatedDesign
    floor: Mapping[Collective, float]
    least_gpus: int
    now: GrowthFigures
    steps: tuple[GrowthStep, ...]
    together: tuple[str, ...]
    purchase: Purchase
    complete: bool = True

    @property
    def moved(self) -> int:
        """Cables that are plugged elsewhere, in all."""
        return sum(step.moved for step in self.steps)

    @property
    def missed(self) -> tuple[tuple[int, Collective, Labelled], ...]:
        """Steps, from 1 on, in or after which a floor does not hold, with the figure then."""
        return tuple(
            (number, name, step.lowest[name])
            for number, step in enumerate(self.steps, 1)
            for name, least in self.floor.items()
            if not FigureAtHand(step.lowest[name]).holds(least)
        )

    @property
    def too_few(self) -> tuple[tuple[int, int], ...]:
        """Steps, from 1 on, in or after which too few GPUs run, with how many do."""
        return tuple(
            (number, step.fewest_gpus)
            for number, step in enumerate(self.steps, 1)
            if step.fewest_gpus < self.least_gpus
        )

    @property
    def holds(self) -> bool:
        """Whether everything that was asked to hold does."""
        return not self.missed and not self.too_few


def growth(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    floor: Mapping[Collective, float] | None = None,
    *,
    least_gpus: int = 0,
    keep_going: Callable[[], bool] = lambda: True,
    limit: TimeLimit | None = None,
) -> Growth:
    """Plan the steps from one design to another.

    Where parts change, they are exchanged first (last, where only that can be built), some devices
    after the other. New devices are placed; then cables between switches are moved, so that ports
    are free when new switches are connected; then new nodes are connected and join. What is no
    longer needed leaves first where it is nodes, last where it is switches. Every figure is that
    of the cluster as it is cabled then, analysed like any design.

    Parameters
    ----------
    old, new : EvaluatedDesign
        The designs, with one request.
    floor : mapping of str to float, optional
        Busbw of a GPU that is to hold after every step and while it is done, GB/s, by collective.
    least_gpus : int
        GPUs that are to run after every step and while it is done.
    keep_going : callable
        Asked between analyses; where it returns False the search ends with EditError.
    limit : TimeLimit, optional
        Where it ends, the steps found until then are kept.

    Raises
    ------
    EditError
        Where one of the designs has errors, or something is down or slow.
    Stopped
        Where the limit ends before the first step is looked for.
    """
    for one in (old, new):
        _require_sound(one)
    names = tuple(dict.fromkeys((*(floor or ()), old.asked.collective, *COLLECTIVES)))
    figures = FiguresOnTheWay(old, floor or {}, least_gpus, names, keep_going)
    limit = limit or TimeLimit()
    known = limit.run(lambda: (figures.of_planned(old.planned), purchase(old, new)))
    if known is None:
        raise Stopped
    now, bought = known
    steps: list[GrowthStep] = []
    together = limit.run(partial(_plan, old, new, figures, steps))
    return Growth(
        old,
        new,
        floor or {},
        least_gpus,
        now,
        tuple(steps),
        together or (),
        bought,
        complete=together is not None,
    )


def _plan(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    figures: FiguresOnTheWay,
    steps: list[GrowthStep],
) -> tuple[str, ...]:
    """Add the steps one after the other; why nothing is planned bit by bit, where that is so."""
    problems = GrowthFrame(old.planned, new.planned).problems
    alike = same_shape(old.design, new.design)
    if not problems:
        _add_cabling(old, new, figures, steps)
        if not steps and alike:
            exchange_steps(old, new, figures, steps)
        return ()
    if adds_only(old.design, new.design):
        steps.append(_connected_beside(old, new, figures))
        return ()
    for way in (exchange_steps,) if alike else (_exchanged_first, _exchanged_last):
        if way(old, new, figures, steps):
            return ()
        steps.clear()
    steps.append(_all_at_once(old, new, figures))
    return problems


def _add_cabling(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    figures: FiguresOnTheWay,
    steps: list[GrowthStep],
) -> None:
    for step in CableSteps(old, new, figures).steps():
        steps.append(step)  # one by one: those before an end are kept


def _exchanged_first(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    figures: FiguresOnTheWay,
    steps: list[GrowthStep],
) -> bool:
    """Parts exchanged, then growth; False where what is between cannot be built."""
    between = _sound(old, with_parts_of(old.design, new.design))
    if between is None or GrowthFrame(between.planned, new.planned).problems:
        return False
    if not exchange_steps(old, between, figures, steps):
        return False
    _add_cabling(between, new, figures, steps)
    return True


def _exchanged_last(
    old: EvaluatedDesign,
    new: EvaluatedDesign,
    figures: FiguresOnTheWay,
    steps: list[GrowthStep],
) -> bool:
    """Growth with the parts that are there, which are exchanged then."""
    between = _sound(new, with_parts_of(new.design, old.design))
    if between is None or GrowthFrame(old.planned, between.planned).problems:
        return False
    _add_cabling(old, between, figures, steps)
    return exchange_steps(between, new, figures, steps)


def _sound(of: EvaluatedDesign, design: Design) -> EvaluatedDesign | None:
    if design == of.design or sound_plan(design, of.catalog) is None:
        return None
    return replace(of, design=design, shared=None)


def _connected_beside(
    old: EvaluatedDesign, new: EvaluatedDesign, figures: FiguresOnTheWay
) -> GrowthStep:
    """Networks at ports that had no cable: nothing that runs is touched."""
    groups = [name for name in new.design.groups if name not in old.design.groups]
    counts = device_counts(new.plan)
    cables = [sum(cable_counts(one.plan).values()) for one in (old, new)]
    words = joined(f"{counts[name]:,} x {name}" for name in groups)
    return GrowthStep(
        f"place and connect {words}, next to what is there",
        gpus_of(new.planned),
        figures.of(new.design),
        lambda: new.design,
        connected=cables[1] - cables[0],
        groups=frozenset(groups),
    )


def _all_at_once(
    old: EvaluatedDesign, new: EvaluatedDesign, figures: FiguresOnTheWay
) -> GrowthStep:
    """Where devices cannot be matched: what is there stands still once."""
    return GrowthStep(
        "rebuild the network as a whole, while nothing runs",
        gpus_of(new.planned),
        figures.of(new.design),
        lambda: new.design,
        connected=sum(cable_counts(new.plan).values()),
        unplugged=sum(cable_counts(old.plan).values()),
        meanwhile=dict.fromkeys(figures.names, Labelled(None, UNKNOWN)),
        gpus_meanwhile=0,
        groups=frozenset({*old.design.groups, *new.design.groups}),
    )


def adds_only(old: Design, new: Design) -> bool:
    """Whether one design is another with more groups, cabled to ports that had no cable.

    Then the ports of what is there are dealt as before.
    """
    faults = ("absent", "cables", "sets", "down", "slow")
    kept = (
        all(new.groups.get(name) == group for name, group in old.groups.items())
        and all(new.axes.get(axis) == size for axis, size in old.axes.items())
        and all(getattr(old, name) == getattr(new, name) for name in faults)
    )
    added = list(new.links)
    for link in old.links:
        if link not in added:
            return False
        added.remove(link)
    in_use = {end for link in old.links for end in link.between}
    free = all(
        end not in in_use and ("." in end or end not in old.groups)
        for link in added
        for end in link.between
    )
    return kept and free and len(new.groups) > len(old.groups)


def _require_sound(one: EvaluatedDesign) -> None:
    name = one.source or one.design.name or "the design"
    for finding in (*one.plan.findings, *port_findings(one.plan)):
        if finding.severity == "error":
            raise EditError(f"{name}: {finding.where}: {finding.text}; a plan starts from a design"
                            " without errors and ends at one")  # fmt: skip
    if one.design.down or one.design.slow:
        raise EditError(
            f"{name}: something is down or slow; growth is planned for the cluster as designed: "
            "take down: and slow: out of the file first"
        )
    if not gpus_of(one.planned):
        raise EditError(f"{name}: there are no GPUs, so no figure could be held")
