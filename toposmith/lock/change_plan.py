"""A change as a plan: its order in steps, the figures after each and meanwhile, parts to buy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from toposmith.analysis.request import Collective
from toposmith.cancellation import Stopped, TimeLimit, go_on
from toposmith.catalog import Node
from toposmith.catalog.prices import Price
from toposmith.errors import EditError, LockError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import device_counts
from toposmith.fabric.port_use import port_findings
from toposmith.labels import UNKNOWN, Labelled
from toposmith.lock.binding import Binding
from toposmith.lock.change_order import ChangeAct, change_phases
from toposmith.lock.change_states import ChangeFrame, NoMomentError, nodes_of
from toposmith.lock.first_lock import lock_of
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import FabricLock, LockedCable, LockedDevice
from toposmith.planned_design import PlannedDesign
from toposmith.racks.placement import require_few
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.needs import FigureAtHand, figure_at_hand

FiguresOfMoment = Mapping[Collective, Labelled]

SHARES = (1.0, 0.5, 0.25, 0.125)
"""Shares of a device's cables that a step takes down at most: with a floor the first that holds."""

USUAL_SHARE = 0.25
"""Without a floor three quarters of every device's cables stay in use."""

MOST_PHASES = 40
"""Steps whose figures are worked out."""


@dataclass(frozen=True)
class ChangeStep:
    """One step, after which the cluster runs.

    Parameters
    ----------
    acts : tuple of ChangeAct
        What is done, in order.
    after : dict of str to Labelled
        Busbw of a GPU then, GB/s, by collective; unknown where it was not worked out.
    gpus : int or None
        GPUs that are cabled after it.
    meanwhile : dict of str to Labelled, or None
        The same while all that it unplugs is out; None where nothing that runs is touched.
    gpus_meanwhile : int or None
        GPUs that are cabled then.
    """

    acts: tuple[ChangeAct, ...]
    after: FiguresOfMoment
    gpus: int | None
    meanwhile: FiguresOfMoment | None = None
    gpus_meanwhile: int | None = None

    @property
    def lowest(self) -> FiguresOfMoment:
        """The figures after it or meanwhile, whichever are lower; an unknown one is lowest."""
        if self.meanwhile is None:
            return self.after
        return {
            name: min(self.after[name], self.meanwhile[name], key=lambda one: one.value or 0.0)
            for name in self.after
        }

    @property
    def fewest_gpus(self) -> int | None:
        """GPUs after it or meanwhile, whichever are fewer; None where one is unknown."""
        counts = [self.gpus, *([self.gpus_meanwhile] if self.meanwhile is not None else [])]
        known = [count for count in counts if count is not None]
        return min(known) if len(known) == len(counts) else None


@dataclass(frozen=True)
class ChangePlan:
    """What to do from a lock to a design, and what the cluster gives meanwhile.

    Parameters
    ----------
    new : EvaluatedDesign
        The design that is wanted, bound to the lock.
    before, after : FabricLock
        What lies there, and what shall lie there.
    floor : mapping of str to float
        Busbw of a GPU that is to hold all the time, GB/s, by collective.
    least_gpus : int
        GPUs that are to be cabled all the time.
    now : dict of str to Labelled
        Busbw before the first step.
    steps : tuple of ChangeStep
        In order.
    unknown : tuple of str
        Why figures of some moments are unknown.
    complete : bool
        Whether the figures of all steps were worked out; not where the time ended first.
    """

    new: EvaluatedDesign
    before: FabricLock
    after: FabricLock
    floor: Mapping[Collective, float]
    least_gpus: int
    now: FiguresOfMoment
    steps: tuple[ChangeStep, ...]
    unknown: tuple[str, ...]
    complete: bool = True

    @property
    def acts(self) -> tuple[ChangeAct, ...]:
        """All acts in order."""
        return tuple(act for step in self.steps for act in step.acts)

    @property
    def missed(self) -> tuple[tuple[int, Collective, Labelled], ...]:
        """Steps, from 1 on, in which a floor does not hold, with the figure then."""
        return tuple(
            (number, name, step.lowest[name])
            for number, step in enumerate(self.steps, 1)
            for name, least in self.floor.items()
            if not FigureAtHand(step.lowest[name]).holds(least)
        )

    @property
    def too_few(self) -> tuple[tuple[int, int | None], ...]:
        """Steps, from 1 on, in which too few GPUs are cabled, or unknown how many."""
        return tuple(
            (number, step.fewest_gpus)
            for number, step in enumerate(self.steps, 1)
            if self.least_gpus and (step.fewest_gpus is None or step.fewest_gpus < self.least_gpus)
        )

    @property
    def holds(self) -> bool:
        """Whether everything that was asked to hold does."""
        return not self.missed and not self.too_few

    @property
    def faults(self) -> tuple[str, ...]:
        """What cannot be cabled as it is drawn, and so is in no step."""
        return tuple(
            f"{one.where}: {one.text}"
            for one in self.new.schedule.findings
            if one.severity == "error"
        )

    @cached_property
    def _pieces(self) -> PieceCounts:
        return pieces_of_both(self.new, self.before, self.after)

    @property
    def knows_modules(self) -> bool:
        """Whether transceivers are among what is bought and left over."""
        return self._pieces.with_modules

    @property
    def bought(self) -> Counter[tuple[str, str]]:
        """Parts to buy, by part and length in m (empty but for cables)."""
        return self._pieces.after - self._pieces.before

    @property
    def left_over(self) -> Counter[tuple[str, str]]:
        """Parts that are needed no more."""
        return self._pieces.before - self._pieces.after

    @property
    def kept(self) -> Counter[tuple[str, str]]:
        """Parts that are there and stay in use, wherever."""
        return self._pieces.before & self._pieces.after

    def price(self, part: str, metres: str) -> Price | None:
        """What one piece costs by the price lists that were given; None where none has it."""
        prices = self.new.terms.prices
        return None if prices is None else prices.price(part, float(metres) if metres else None)


class PieceCounts(NamedTuple):
    """Parts of two locks by part and length in m (empty but for cables)."""

    before: Counter[tuple[str, str]]
    after: Counter[tuple[str, str]]
    with_modules: bool


def pieces_of_both(design: EvaluatedDesign, before: FabricLock, after: FabricLock) -> PieceCounts:
    """Devices, cables and, where every port of both locks is known, transceivers of two locks.

    Parameters
    ----------
    design : EvaluatedDesign
        A design that has the parts and links of both.
    before, after : FabricLock
        The locks.
    """
    frame = ChangeFrame(design, before, after)
    modules = frame.modules(before), frame.modules(after)
    known = [held for held in modules if held is not None]
    if len(known) < 2:
        return PieceCounts(pieces(before), pieces(after), with_modules=False)
    one, other = (Counter({(part, ""): many for part, many in held.items()}) for held in known)
    return PieceCounts(pieces(before) + one, pieces(after) + other, with_modules=True)


def other_than_fresh(design: EvaluatedDesign) -> PieceCounts | None:
    """Parts of a fresh plan of a design, and of its lock with what is new; None without a lock."""
    if design.design.lock is None:
        return None
    fresh = replace(design, design=design.design.bound_to(None), shared=None)
    return pieces_of_both(design, lock_of(fresh), lock_of(design))


def pieces(lock: FabricLock) -> Counter[tuple[str, str]]:
    """Devices and cables of a lock, by part and length; a label is a cable, whatever it carries."""
    count = Counter((device.part, "") for device in lock.devices)
    cables = {
        body: (cable.part, cable.metres)
        for cable in lock.cables
        for body in cable.body.split("+")
        if cable.part
    }
    return count + Counter(cables.values())


def require_cabled(design: EvaluatedDesign) -> None:
    """Refuse a design that cannot be cabled as it is drawn.

    Raises
    ------
    EditError
        Where the drawing has an error, such as more cables than ports.
    """
    require_few(design.plan)
    for finding in (*design.plan.findings, *port_findings(design.plan)):
        if finding.severity == "error":
            raise EditError(f"{finding.where}: {finding.text}; mend this first")


def begun_at(new: EvaluatedDesign, source: str, old: EvaluatedDesign) -> EvaluatedDesign:
    """A design with another one, as it is cabled, for what lies there.

    Raises
    ------
    EditError
        Where the other cannot be cabled as it is drawn.
    """
    require_cabled(old)
    held = new.design.bound_to(Binding(source, held=lock_of(old)))
    return replace(new, design=held, shared=None)


def change_to(
    new: EvaluatedDesign,
    floor: Mapping[Collective, float] | None = None,
    *,
    least_gpus: int = 0,
    limit: TimeLimit | None = None,
    keep_going: Callable[[], bool] = lambda: True,
) -> ChangePlan:
    """Plan the change from the lock of a design to the design as it is now.

    Parameters
    ----------
    new : EvaluatedDesign
        The design, bound to the lock of what lies there, with its request.
    floor : mapping of str to float, optional
        Busbw of a GPU that is to hold after every step and meanwhile, GB/s, by collective. Steps
        are made smaller until it holds.
    least_gpus : int
        GPUs that are to be cabled all the time.
    limit : TimeLimit, optional
        Where it ends, figures that are not worked out are unknown.
    keep_going : callable
        Asked between analyses; where it returns False the search ends with EditError.

    Raises
    ------
    LockError
        Where the design has no lock that can be used.
    EditError
        Where the design cannot be cabled as it is drawn, or the search was stopped.
    """
    require_cabled(new)
    before = new.design.lock
    if before is None:
        raise LockError("there is no lock that says what lies there")
    return _Planning(new, before, floor or {}, least_gpus, limit or TimeLimit(), keep_going).plan()


class _Planning:
    def __init__(
        self,
        new: EvaluatedDesign,
        before: FabricLock,
        floor: Mapping[Collective, float],
        least_gpus: int,
        limit: TimeLimit,
        keep_going: Callable[[], bool],
    ) -> None:
        self._new, self._before, self._after = new, before, lock_of(new)
        self._floor, self._least_gpus = floor, least_gpus
        self._limit, self._keep_going = limit, keep_going
        self._frame = ChangeFrame(new, before, self._after)
        self._names = tuple(dict.fromkeys((*floor, new.asked.collective, *COLLECTIVES)))
        self._unknown: dict[str, None] = {}
        self._complete = True
        self._known: dict[tuple[object, ...], tuple[FiguresOfMoment, int | None]] = {}

    def plan(self) -> ChangePlan:
        """The plan with the largest steps that hold the floor; else that which misses least."""
        asked = bool(self._floor) or self._least_gpus > 0
        best: ChangePlan | None = None
        for share in SHARES if asked else (USUAL_SHARE,):
            plan = self._with(share)
            if best is None or _worth(plan) > _worth(best):
                best = plan
            if plan.holds or not plan.complete:
                break
        assert best is not None
        return best

    def _with(self, share: float) -> ChangePlan:
        nodes = nodes_of(self._new, (self._before, self._after))
        phases = change_phases(self._before, self._after, nodes, share)
        now, _ = self._figures(self._before)
        lies = dict.fromkeys(self._before.cables)
        devices = dict(self._before.by_name)
        steps: list[ChangeStep] = []
        for number, phase in enumerate(phases, 1):
            meanwhile: tuple[FiguresOfMoment, int | None] | None = None
            for act in phase.acts:
                _take_away(act, devices, lies)
            if phase.takes_down:
                meanwhile = self._moment(devices, lies, number)
            for act in phase.acts:
                _bring(act, devices, lies)
            after = self._moment(devices, lies, number)
            steps.append(ChangeStep(phase.acts, *after, *(meanwhile or (None, None))))
        return ChangePlan(
            self._new,
            self._before,
            self._after,
            self._floor,
            self._least_gpus,
            now,
            tuple(steps),
            tuple(self._unknown),
            self._complete,
        )

    def _moment(
        self, devices: dict[str, LockedDevice], lies: dict[LockedCable, None], number: int
    ) -> tuple[FiguresOfMoment, int | None]:
        if number > MOST_PHASES:
            self._unknown[f"more than {MOST_PHASES} steps"] = None
            return dict.fromkeys(self._names, Labelled(None, UNKNOWN)), None
        cables = [one for one in lies if one.a in devices and one.z in devices]
        return self._figures(in_order(devices.values(), cables, self._before))

    def _figures(self, lock: FabricLock) -> tuple[FiguresOfMoment, int | None]:
        """Figures of a moment, worked out once."""
        if not self._keep_going():
            raise EditError("stopped")
        key = (*lock.devices, *lock.cables)
        if key not in self._known:
            try:
                result = self._limit.run(lambda: self._analysed(lock))
            except NoMomentError as why:
                self._unknown[str(why)] = None
                result = dict.fromkeys(self._names, Labelled(None, UNKNOWN)), None
            except Stopped:
                result = None
            if result is None:
                self._complete = False
                result = dict.fromkeys(self._names, Labelled(None, UNKNOWN)), None
            self._known[key] = result
        return self._known[key]

    def _analysed(self, lock: FabricLock) -> tuple[FiguresOfMoment, int | None]:
        go_on()
        planned = PlannedDesign.of(self._frame.moment(lock), self._new.catalog)
        counts = device_counts(planned.plan)
        gpus = sum(
            counts[name] * group.part.gpus
            for name, group in planned.plan.groups.items()
            if isinstance(group.part, Node)
        )
        if not gpus:
            return dict.fromkeys(self._names, Labelled(None, UNKNOWN)), 0
        asked = self._new.asked
        figures = {
            name: figure_at_hand(planned, replace(asked, collective=name)).amount
            for name in self._names
        }
        return figures, gpus


def _worth(plan: ChangePlan) -> float:
    """The least share of its floor that a figure has."""
    shares = [
        (step.lowest[name].value or 0.0) / least
        for step in plan.steps
        for name, least in plan.floor.items()
        if least
    ]
    gpus = [(step.fewest_gpus or 0) / plan.least_gpus for step in plan.steps if plan.least_gpus]
    return min([*shares, *gpus], default=1.0)


def _take_away(
    act: ChangeAct, devices: dict[str, LockedDevice], lies: dict[LockedCable, None]
) -> None:
    if isinstance(act.before, LockedCable):
        lies.pop(act.before)
    elif act.before is not None and act.verb != "note":
        devices.pop(act.before.name)


def _bring(act: ChangeAct, devices: dict[str, LockedDevice], lies: dict[LockedCable, None]) -> None:
    if isinstance(act.after, LockedCable):
        lies[act.after] = None
    elif act.after is not None:
        devices[act.after.name] = act.after
