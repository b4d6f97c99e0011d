"""What else a change does to a design: figures that fall, and findings that it did not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from toposmith.topology.analysis.request import Collective
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.findings.finding import Finding
from toposmith.topology.labels import Labelled
from toposmith.topology.review.failures.sweep import COLLECTIVES
from toposmith.topology.synthesis.figures_at_hand import figure_at_hand


@dataclass(frozen=True)
class FigurePair:
    """A figure before and after a change, and what is needed of it."""

    collective: Collective
    before: Labelled
    after: Labelled
    needed_GBps: float | None = None

    @property
    def falls(self) -> bool:
        """Whether it is lower than before, by more than a per mille."""
        before, after = self.before.value, self.after.value
        if before is None:
            return False
        return after is None or after < before * 0.999


def falling(of: EvaluatedDesign, after: EvaluatedDesign) -> tuple[FigurePair, ...]:
    """The figures of the undamaged design that a change takes from."""
    names = dict.fromkeys((of.asked.collective, *COLLECTIVES))
    pairs = (FigurePair(name, _figure(of, name), _figure(after, name)) for name in names)
    return tuple(pair for pair in pairs if pair.falls)


def _figure(of: EvaluatedDesign, collective: Collective) -> Labelled:
    return figure_at_hand(of.planned, replace(of.asked, collective=collective)).amount


def added_findings(of: EvaluatedDesign, after: EvaluatedDesign) -> tuple[Finding, ...]:
    """Errors and warnings that only the design after a change has, the waived ones left out."""
    before = _serious(of.findings)
    had, places = Counter(one.code for one in before), {(one.code, one.where) for one in before}
    now = _serious(after.findings)
    more = Counter(one.code for one in now) - had
    return tuple(one for one in now if more[one.code] and (one.code, one.where) not in places)


def _serious(findings: Iterable[Finding]) -> list[Finding]:
    """What counts; of a waiver that is exceeded it is the finding itself, which counts again."""
    return [
        one
        for one in findings
        if one.severity != "info" and one.waived is None and one.code != "waiver-exceeded"
    ]
