"""What to do next for a figure: the first of its fixes, or where there is none, what could go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.findings.finding import Finding
from toposmith.topology.synthesis.aims import FIGURE, Aim
from toposmith.topology.synthesis.fix_words import none_words, spare_words, then_words
from toposmith.topology.synthesis.left_out import Spares, what_can_be_left_out
from toposmith.topology.synthesis.purchases import purchase_words
from toposmith.topology.synthesis.ranked_fixes import Fix, Progress, RankedFixes, ranked_fixes


@dataclass(frozen=True)
class NextChange:
    """The fixes of a design; where nothing lifts its figure, what could be left out instead."""

    fixes: RankedFixes
    spares: Spares | None = None

    @property
    def fix(self) -> Fix | None:
        """The smallest change that lifts the figure."""
        return self.fixes.fixes[0] if self.fixes.fixes else None

    @property
    def words(self) -> tuple[str, ...]:
        """The change, what it gives and what it buys; or why there is none, and what could go."""
        fix = self.fix
        if fix is not None:
            return fix.label, then_words(self.fixes, fix), purchase_words(fix.purchase)
        less = spare_words(self.spares) if self.spares is not None else ""
        return tuple(words for words in (none_words(self.fixes), less) if words)

    def mending(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Findings, each with the change that lifts its figure."""
        return tuple(_with_fix(finding, self.fixes.fixes) for finding in findings)


def next_change(
    of: EvaluatedDesign, aim: Aim = FIGURE, *, progress: Progress | None = None
) -> NextChange:
    """Search what lifts a figure, and where nothing does, what could be left out.

    Parameters
    ----------
    of : EvaluatedDesign
        The design, with its request and the terms of its bill.
    aim : Aim
        What is lifted.
    progress : callable, optional
        Called after every analysis; where it returns False the search ends, incomplete.
    """
    found = ranked_fixes(of, aim, progress=progress)
    spared = found.fixes or aim is not FIGURE or found.now.amount.value is None
    return NextChange(found, None if spared else what_can_be_left_out(of))


def fix_of_finding(finding: Finding, fixes: Sequence[Fix]) -> Fix | None:
    """The first fix that gives what a finding requires; where none does, the one that gives most.

    None where no fix lifts the figure of the finding.
    """
    if not finding.record.lifted_by_fixes or not fixes:
        return None
    required = finding.values.get("required_GBps")
    if not isinstance(required, int | float):
        return fixes[0]
    enough = (fix for fix in fixes if (fix.after.value or 0.0) >= required)
    return next(enough, max(fixes, key=lambda fix: fix.after.value or 0.0))


def _with_fix(finding: Finding, fixes: Sequence[Fix]) -> Finding:
    fix = fix_of_finding(finding, fixes)
    if fix is None or fix.after.value is None:
        return finding
    return finding.with_worked_out({"change": fix.label, "change_GBps": fix.after.value})


def findings_with_fixes(of: EvaluatedDesign) -> tuple[Finding, ...]:
    """The findings of a design; where a change may lift the figure of one, it is searched."""
    findings = of.findings
    if not any(one.record.lifted_by_fixes and one.waived is None for one in findings):
        return findings
    return next_change(of).mending(findings)
