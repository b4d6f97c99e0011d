"""What to do next for a figure: the first of its fixes, or where there is none, what could go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from toposmith.cancellation import TimeLimit
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.synthesis.aims import FIGURE, Aim
from toposmith.synthesis.fix_words import (
    NOT_ALL_SPARES,
    cost_cell,
    cost_lines,
    none_words,
    spare_words,
    then_words,
    why_none,
)
from toposmith.synthesis.left_out import Spares, what_can_be_left_out
from toposmith.synthesis.purchases import purchase_words
from toposmith.synthesis.ranked_fixes import (
    MOST_FIXES,
    Fix,
    Progress,
    RankedFixes,
    ranked_fixes,
)
from toposmith.synthesis.side_effects import mend_first_words
from toposmith.text import counted

BESIDE_STEPS = 2_000_000
"""Steps that the same search takes at most."""

BESIDE_SECONDS = 3.0
"""How long fixes are searched where they are shown beside figures without being asked for: most
designs take a tenth of it, single analyses of the largest dragonflies a third."""


@dataclass(frozen=True)
class NextChange:
    """The fixes of a design; where nothing raises its figure, what could be left out instead."""

    fixes: RankedFixes
    spares: Spares | None = None

    @property
    def fix(self) -> Fix | None:
        """The smallest change that raises the figure; None where none was found."""
        return self.fixes.fixes[0] if self.fixes.fixes else None

    def of_finding(self, finding: Finding) -> Fix | None:
        """The first fix that gives what a finding requires, else the one that gives most.

        None where no fix raises the figure of the finding.
        """
        fixes = self.fixes.fixes
        if not finding.record.lifted_by_fixes or not fixes:
            return None
        required = finding.values.get("required_GBps")
        if not isinstance(required, int | float):
            return fixes[0]
        enough = (fix for fix in fixes if (fix.after.value or 0.0) >= required)
        return next(enough, max(fixes, key=lambda fix: fix.after.value or 0.0))

    @property
    def words(self) -> tuple[str, ...]:
        """The change, what it gives and what it buys; or why there is none, and what could go."""
        fix = self.fix
        if fix is not None:
            then = then_words(self.fixes, fix)
            return (fix.label, then, self.buys, *cost_lines(fix), *self._stopped)
        return (why_none(self.fixes), *self._mend_first, *self._stopped, *self._less)

    @property
    def none_words(self) -> tuple[str, ...]:
        """That there is no change, in few words, and what could go."""
        return (none_words(self.fixes), *self._mend_first, *self._stopped, *self._less)

    @property
    def _mend_first(self) -> tuple[str, ...]:
        """Of what something is broken, where changes were left out for that."""
        words = mend_first_words(self.fixes.mend_first)
        return (words,) if words else ()

    @property
    def _less(self) -> tuple[str, ...]:
        """What could be left out, where that was searched and found."""
        if self.spares is None:
            return ()
        stopped = "" if self.spares.complete else NOT_ALL_SPARES
        return tuple(filter(None, (spare_words(self.spares), stopped)))

    @property
    def buys(self) -> str:
        """What the change buys; empty where there is none."""
        return purchase_words(self.fix.purchase) if self.fix is not None else ""

    @property
    def costs(self) -> str:
        """What else the change does, short: ``all-reduce to 189 GB/s``."""
        return cost_cell(self.fix) if self.fix is not None else ""

    @property
    def _stopped(self) -> tuple[str, ...]:
        """That not all changes were tried."""
        if self.fixes.complete:
            return ()
        return (f"stopped after {counted(self.fixes.tried, 'change')}; there may be others",)

    def mending(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Findings, each with the change that raises its figure."""
        return tuple(
            self._with_fix(finding) if finding.record.lifted_by_fixes else finding
            for finding in findings
        )

    def _with_fix(self, finding: Finding) -> Finding:
        fix = self.of_finding(finding)
        if fix is None or fix.after.value is None:
            return finding.with_worked_out({"no_change": none_words(self.fixes)})
        return finding.with_worked_out({"change": fix.label, "change_GBps": fix.after.value})


def next_change(
    of: EvaluatedDesign,
    aim: Aim = FIGURE,
    *,
    progress: Progress | None = None,
    seconds: float | None = None,
    limit: TimeLimit | None = None,
    reviewed: int | None = None,
) -> NextChange:
    """Search what raises a figure, and where nothing does, what could be left out.

    Parameters
    ----------
    of : EvaluatedDesign
        The design, with its request and the terms of its bill.
    aim : Aim
        What is raised.
    progress : callable, optional
        Called after every analysis; where it returns False the search ends, incomplete.
    seconds : float, optional
        After which the search ends, incomplete, half of them for changes and the other half for
        what they buy and take elsewhere; without it all changes are tried.
    limit : TimeLimit, optional
        In place of seconds, one that may be ended before.
    reviewed : int, optional
        Of how many fixes side effects are computed; if not given, of all, and with a limit of
        time of the first.
    """
    limit = limit or TimeLimit(seconds, inf if seconds is None else BESIDE_STEPS)
    if reviewed is None:
        reviewed = MOST_FIXES if seconds is None else 1
    found = ranked_fixes(of, aim, most_reviewed=reviewed, progress=progress, limit=limit)
    amount = found.now.amount
    # nothing is measured by a figure that is a limit
    measured = aim is FIGURE and amount.value is not None and not amount.label.sign
    searched = measured and found.complete and not found.fixes
    return NextChange(found, what_can_be_left_out(of, limit=limit) if searched else None)


def findings_with_fixes(of: EvaluatedDesign) -> tuple[Finding, ...]:
    """The findings of a design; where a change may raise the figure of one, it is searched."""
    findings = of.findings
    if not any(one.record.lifted_by_fixes and one.waived is None for one in findings):
        return findings
    return next_change(of, limit=TimeLimit(steps=BESIDE_STEPS)).mending(findings)
