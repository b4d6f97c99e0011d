"""Comparison of a dump with a design that is being edited: accepted and moved differences.

A difference accepted into the design does not count again as long as its entries are there;
undoing the edit brings the difference back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from toposmith.as_built.cable_list import Cabling, ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison, compare
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.check_list import CheckItem, check_list
from toposmith.as_built.corrections import (
    Correction,
    Corrections,
    stands_in,
    together,
    without_correction,
)
from toposmith.as_built.costs import CollectiveFigures, Costs, Jobs, costs_of, figures_with
from toposmith.as_built.device_matches import match
from toposmith.as_built.name_maps import NameMap
from toposmith.as_built.planned import planned_cabling
from toposmith.errors import ToposmithError
from toposmith.fabric.plan import Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, far_end, touched
from toposmith.racks.connections import coordinates, number_of, selected
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.design.document import Design
    from toposmith.evaluation.evaluated import EvaluatedDesign


NumberedDevice = tuple[str, int]
"""A group, and the number of one of its devices."""


def compare_with_design(
    design: EvaluatedDesign | None, plan: Cabling, dump: Cabling, names: NameMap | None = None
) -> CablingComparison:
    """Match a dump to a plan and compare; what the design of the plan lists itself is no news.

    Parameters
    ----------
    design : EvaluatedDesign or None
        The design whose cables ``plan`` has; None where the plan is a sheet.
    plan, dump : Cabling
        The cables of both.
    names : NameMap, optional
        A map of device names of the dump.

    Raises
    ------
    UnreadableError
        Where the two do not go together.
    """
    if design is None:
        return compare(*match(plan, dump, names))
    anew = set(_counted_anew(design.plan))
    keys = {key for key, one in plan.devices.items() if (one.group, one.number) in anew}
    compared = compare(*match(plan, dump, names, keys), keys)
    slow = {id(one) for one in _known_slow(design, compared)} if design.design.slow else set()
    if slow:
        compared.differences = [one for one in compared.differences if id(one) not in slow]
        compared.notes.append(f"{counted(len(slow), 'cable')} as slow as the design says")
    return compared


def _known_slow(design: EvaluatedDesign, compared: CablingComparison) -> list[CablingDifference]:
    """Slow cables that the design has, no more of each bundle than it says."""
    corrections = Corrections(design.plan, compared.plan)
    known: list[CablingDifference] = []
    for one in compared.differences:
        if one.kind == "degraded" and stands_in(design.design, corrections.of([*known, one])):
            known.append(one)
    return known


def _counted_anew(plan: Plan) -> Iterator[NumberedDevice]:
    """Switches that have lost a cable to ``absent:``, or have got or lost a single one."""
    groups = plan.groups
    for name, at in touched(plan):
        yield name, number_of(groups[name], at)
    for selector in plan.absent:
        first, second = selector.first, selector.second
        if second is not None:
            for one in (first, second):
                yield from ((one.group, number) for number in selected(groups[one.group], one))
        elif first.ports is not None:
            for number in selected(groups[first.group], first):
                at = coordinates(groups[first.group], number)
                end = PlannedEnd(first.group, at, first.ports, first.port)
                dealt = dealt_at(plan, end)
                if dealt is not None:
                    name, far = far_end(plan, dealt, end)
                    yield name, number_of(groups[name], far)


@dataclass(frozen=True)
class RecablingProgress:
    """What became of the harmful differences of an earlier dump.

    Parameters
    ----------
    done : list of CablingDifference
        Of the earlier dump, and put right since.
    still : frozenset of int
        Places in the differences of the later dump that were there before.
    new : frozenset of int
        Places in the differences of the later dump that were not.
    """

    done: list[CablingDifference]
    still: frozenset[int]
    new: frozenset[int]


def progress(earlier: CablingComparison, later: CablingComparison) -> RecablingProgress:
    """Compare two comparisons with one plan, cable by cable.

    Which of the cables of a bundle is lacking makes no difference: what counts is how many are.
    """
    before = Counter(key for one in earlier.differences for key in _keys(earlier.plan, one))
    after = Counter(key for one in later.differences for key in _keys(later.plan, one))
    done: list[CablingDifference] = []
    for one in earlier.differences:
        open_ = [key for key in _keys(earlier.plan, one) if after[key] > 0]
        if not open_ and one.harmful:
            done.append(one)
        after.subtract(open_)
    still: set[int] = set()
    new: set[int] = set()
    for place, one in enumerate(later.differences):
        keys = list(_keys(later.plan, one))
        known = [key for key in keys if before[key] > 0]
        before.subtract(known)
        if one.harmful:
            (still if len(known) == len(keys) else new).add(place)
    return RecablingProgress(done, frozenset(still), frozenset(new))


def _keys(plan: Cabling, one: CablingDifference) -> Iterator[Hashable]:
    """The planned cables that are not as planned by a difference; without one, the found cable."""
    if not one.harmful:
        return
    what = "slow" if one.kind == "degraded" else "lacking"
    for cable in one.planned:
        yield what, frozenset((_vertex(plan, cable.a), _vertex(plan, cable.z)))
    if not one.planned and one.a is not None and one.z is not None:
        yield "extra", frozenset((_vertex(plan, one.a), _vertex(plan, one.z)))


def _vertex(plan: Cabling, end: ListedEnd) -> tuple[str, str]:
    """A port of a host, or a switch."""
    device = plan.devices.get(end.device)
    return end.device, end.port if device is None or device.kind == "host" else ""


State = Literal["", "to move", "accepted"]
PATIENCE_S = 8.0
"""Time limit in s for costs of single differences while a user waits at the screen."""


class NoDumpError(ToposmithError):
    """No dump has been opened to compare with."""


@dataclass(frozen=True)
class Surveyed:
    """A design, a dump, and the state of each difference.

    Parameters
    ----------
    design : EvaluatedDesign
        The design as it was before differences were accepted into it.
    items : tuple of CheckItem
        Tasks, in the order of the check list.
    states : dict of int to str
        By place in the differences.
    once_moved : dict or None
        Figures once the marked differences, and only these, are corrected.
    since : RecablingProgress or None
        Progress since the dump before this one.
    """

    design: EvaluatedDesign
    compared: CablingComparison
    costs: Costs
    items: tuple[CheckItem, ...]
    states: dict[int, State]
    once_moved: CollectiveFigures | None
    since: RecablingProgress | None
    earlier: str = ""

    @property
    def open_differences(self) -> list[CablingDifference]:
        """Those that were not accepted into the design."""
        return [
            one
            for place, one in enumerate(self.compared.differences)
            if self.states.get(place) != "accepted"
        ]

    @property
    def corrections(self) -> Corrections:
        """The converter of differences to entries of the design."""
        return Corrections(self.design.plan, self.compared.plan)


@dataclass
class Survey:
    """One or two dumps of a design that is being edited.

    Parameters
    ----------
    dump, earlier : Cabling or None
        The dump opened last, and the one before it.
    names : NameMap or None
        A map of device names of the dump.
    """

    dump: Cabling | None = None
    earlier: Cabling | None = None
    names: NameMap | None = None
    _accepted: dict[tuple[str, ...], Correction] = field(default_factory=dict)
    _marked: set[str] = field(default_factory=set)
    _reckoned: tuple[object, ...] = ()
    _costs: Costs | None = None
    _fitted: bool = False

    def open(self, dump: Cabling) -> None:
        """Compare with another dump; a previous one that matched becomes the earlier one."""
        if self._fitted:
            self.earlier = self.dump
        self.dump, self._fitted = dump, False

    def toggle(self, surveyed: Surveyed, place: int) -> bool:
        """Mark or unmark a difference, with its group, to be moved; whether it is marked now."""
        keys = {key_of(one) for one in _group(surveyed, place)}
        marked = not keys <= self._marked
        self._marked = self._marked | keys if marked else self._marked - keys
        return marked

    def accept(self, surveyed: Surveyed, places: Sequence[int]) -> tuple[Correction, list[str]]:
        """The entries that accept differences and their groups; and why some have none.

        They count as accepted once the design has these entries.
        """
        differences = surveyed.compared.differences
        corrections = surveyed.corrections
        chosen: dict[int, list[CablingDifference]] = {}
        for place in places:
            group = _group(surveyed, place)
            first = differences.index(group[0])
            if surveyed.states.get(first) != "accepted":
                chosen[first] = group
        whole = corrections.of(one for group in chosen.values() for one in group)
        keys = tuple(key_of(one) for group in chosen.values() for one in group)
        self._accepted[keys] = whole
        return whole, [why for _, why in whole.left_out]

    def survey(
        self,
        design: Design,
        evaluate: Callable[[Design], EvaluatedDesign],
        collectives: Sequence[Collective],
        *,
        jobs: Jobs | None = None,
    ) -> Surveyed:
        """Compare, and compute the cost of each difference and the jobs that it limits.

        Raises
        ------
        NoDumpError
            If no dump was opened.
        """
        if self.dump is None:
            raise NoDumpError("no dump is compared yet")
        base, standing = design, set[str]()
        # the widest first: one difference may have been accepted, taken back, and then all of them
        for keys, correction in sorted(self._accepted.items(), key=lambda one: -len(one[0])):
            if stands_in(base, correction):
                base = without_correction(base, correction)
                standing |= set(keys)
        evaluated = evaluate(base)
        plan = planned_cabling(evaluated, "the design")
        compared = compare_with_design(evaluated, plan, self.dump, self.names)
        self._fitted = True
        reckoned = (base, tuple(collectives), self.dump, self.names, evaluated.asked)
        if self._costs is None or not _same(self._reckoned, reckoned):
            self._costs = costs_of(evaluated, compared, collectives, longest_s=PATIENCE_S)
            self._reckoned = reckoned
        since = None
        if self.earlier is not None:
            before = compare_with_design(evaluated, plan, self.earlier, self.names)
            since = progress(before, compared)
        states: dict[int, State] = {}
        for place, one in enumerate(compared.differences):
            if key_of(one) in standing:
                states[place] = "accepted"
            elif key_of(one) in self._marked:
                states[place] = "to move"
        once_moved = None
        if "to move" in states.values():
            left = [one for place, one in enumerate(compared.differences)
                    if states.get(place) != "to move"]  # fmt: skip
            correction = Corrections(evaluated.plan, plan).of(left)
            once_moved = figures_with(evaluated, correction, collectives)
        items = check_list(compared, self._costs, None if since is None else since.new, jobs)
        return Surveyed(
            evaluated, compared, self._costs, tuple(items), states, once_moved, since,
            self.earlier.source if self.earlier is not None else "",
        )  # fmt: skip


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    """Whether figures are of the same things; dumps and maps are compared by identity."""
    if len(one) != len(other):
        return False
    return all(
        a is b or (not isinstance(a, Cabling | NameMap) and a == b)
        for a, b in zip(one, other, strict=True)
    )


def key_of(one: CablingDifference) -> str:
    """A key of a difference that does not depend on its index."""
    return f"{one.kind}|{one.device}|{one.a}|{one.z}|{one.expected}"


def _group(surveyed: Surveyed, place: int) -> list[CablingDifference]:
    differences = surveyed.compared.differences
    return together(differences, differences[place])
