"""The design being edited: the one place that holds it, its history and its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign, recent
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.findings.finding import Finding
from toposmith.planned_design import PlannedDesign


@dataclass(frozen=True)
class HistoryStep:
    """One step of the history: the design after it, its description, and a unique number.

    The number does not change when other steps are added or removed.
    """

    design: Design
    label: str
    number: int = 0


class Workbench:
    """A design, every step that led to it, and what it delivers.

    An edit that would bring a new error (ports over-used, speeds or protocols that do not match,
    unknown parts) is refused with the reason, and nothing changes. A design that was opened with
    errors can still be edited: only errors that were not there before refuse an edit.
    """

    def __init__(self, design: Design, catalog: Catalog, *, read_only: bool = False) -> None:
        self.catalog = catalog
        self.read_only = read_only
        self.request = Request()
        self.failing: tuple[str, ...] = ()
        self._steps = [HistoryStep(design, "open")]
        self._made = 0
        self._position = 0
        self._saved = design
        self._planned: tuple[Design, PlannedDesign] | None = None

    def take_catalog(self, catalog: Catalog) -> None:
        """Switch to another catalog."""
        self.catalog = catalog
        self._planned = None

    @property
    def design(self) -> Design:
        """The current design."""
        return self._steps[self._position].design

    @property
    def tried_plan(self) -> Plan:
        """The plan without trial failures, which are not part of the design."""
        return recent.planned(self.design, self.catalog, self.failing).plan

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up and its ports dealt."""
        return self._understood.plan

    @property
    def evaluated(self) -> EvaluatedDesign:
        """The design evaluated for the current request."""
        return EvaluatedDesign(self.design, self.catalog, self.request, shared=self._understood)

    @property
    def _understood(self) -> PlannedDesign:
        if self._planned is None or self._planned[0] is not self.design:
            self._planned = (self.design, recent.planned(self.design, self.catalog))
        return self._planned[1]

    @property
    def dirty(self) -> bool:
        """Whether the design differs from what was last saved."""
        return self.design != self._saved

    @property
    def saved_design(self) -> Design:
        """The design as it was last opened or saved."""
        return self._saved

    @property
    def history(self) -> list[str]:
        """Descriptions of the steps that led here, oldest first."""
        return [step.label for step in self._steps[1 : self._position + 1]]

    @property
    def undone(self) -> list[str]:
        """Descriptions of the steps that redo would restore, next first."""
        return [step.label for step in self._steps[self._position + 1 :]]

    @property
    def steps(self) -> tuple[HistoryStep, ...]:
        """Every step from the first design on, including those that redo would restore."""
        return tuple(self._steps)

    @property
    def position(self) -> int:
        """The index of the current design in :attr:`steps`."""
        return self._position

    def go_to(self, position: int) -> None:
        """Go to any step, back or forward, without losing any.

        Raises
        ------
        EditError
            If there is no such step.
        """
        if not 0 <= position < len(self._steps):
            raise EditError(f"there is no step {position}; the last one is {len(self._steps) - 1}")
        self._position = position
        self.failing = ()

    def mark_saved(self) -> None:
        """Record that the current design is on disk."""
        self._saved = self.design

    def judge(self, edit: Edit) -> PlannedDesign:
        """The design after an edit, without making it; raises EditError if it is refused."""
        return self._judged(edit)

    def apply(self, edit: Edit, *, instead_of: int | None = None) -> None:
        """Make an edit the next step; undone steps are dropped.

        ``instead_of`` is the number of the last step, where the edit replaces it; an edit that
        restores the design before that step removes the step.

        Raises
        ------
        EditError
            If the design is open for review only, or the edit brings an error.
        """
        if self.read_only:
            raise EditError("open for review: nothing can be changed here")
        if edit.design == self.design:
            return
        planned = self._judged(edit)
        self.failing = ()
        del self._steps[self._position + 1 :]
        if self._position and self._steps[self._position].number == instead_of:
            del self._steps[self._position]
            self._position -= 1
            if edit.design == self.design:
                return
        self._made += 1
        self._steps.append(HistoryStep(edit.design, edit.label, self._made))
        self._position += 1
        self._planned = (edit.design, planned)

    def undo(self) -> str | None:
        """Go one step back; returns the step undone, or None at the beginning."""
        if self._position == 0:
            return None
        self._position -= 1
        self.failing = ()
        return self._steps[self._position + 1].label

    def redo(self) -> str | None:
        """Go one step forward again; returns the step, or None where nothing was undone."""
        if self._position + 1 == len(self._steps):
            return None
        self._position += 1
        self.failing = ()
        return self._steps[self._position].label

    def resume(self, steps: list[tuple[str, Design]], position: int, saved: Design) -> None:
        """Continue an earlier run, with its steps and the design saved then."""
        self._steps = [HistoryStep(design, label, at) for at, (label, design) in enumerate(steps)]
        self._made = len(steps)
        self._position = position
        self._saved = saved

    def _judged(self, edit: Edit) -> PlannedDesign:
        """The design after an edit; refuses one that brings an error that was not there before."""
        planned = recent.planned(edit.design, self.catalog)
        plan = planned.plan
        before, after = _errors(self.plan), _errors(plan)
        known = {_same(finding) for finding in before}
        more = Counter(finding.code for finding in after) - Counter(f.code for f in before)
        for finding in after:
            if finding.code in more and _same(finding) not in known:
                raise EditError(f"{finding.where}: {finding.text}")
        worse = _overuse(plan) - _overuse(self.plan)
        for finding in port_findings(plan):
            if worse > 0 and _same(finding) not in known:
                raise EditError(f"{finding.where}: {finding.text}")
        return planned


def _same(finding: Finding) -> Hashable:
    """A key by which an error is recognised after links before it were removed."""
    return finding.code, finding.place.lasting, finding.values


def _errors(plan: Plan) -> list[Finding]:
    found = [*plan.findings, *port_findings(plan)]
    return [finding for finding in found if finding.severity == "error"]


def _overuse(plan: Plan) -> int:
    """Cages that links need beyond those that devices have, over all groups."""
    return sum(max(0, use.cages_used - use.cages) for use in port_use(plan).values())
