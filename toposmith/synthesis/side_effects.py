"""What else a change does to a design: figures that fall, findings it adds or makes worse."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from toposmith.analysis.request import Collective
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.findings.values import Value
from toposmith.labels import Labelled
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.figures_at_hand import figure_at_hand
from toposmith.synthesis.repairs import is_repair

EXCHANGE: Collective = "all_to_all"
"""The collective that leaves its rail where PXN does not keep it there."""


@dataclass(frozen=True)
class FigurePair:
    """A figure before and after a change, and what is needed of it.

    ``pxn`` says whether it is with PXN, where that is asked for at all.
    """

    collective: Collective
    before: Labelled
    after: Labelled
    needed_GBps: float | None = None
    pxn: bool = True

    @property
    def falls(self) -> bool:
        """Whether it is lower than before, by more than a per mille."""
        before, after = self.before.value, self.after.value
        if before is None:
            return False
        return after is None or after < before * 0.999


@dataclass(frozen=True)
class Worsened:
    """A finding that a design has before a change and after it, and whose figure gets worse."""

    before: Finding
    after: Finding

    @property
    def words(self) -> str:
        """``3:1 -> 6:1``."""
        before, after = self.before.value, self.after.value
        return f"{before.words} -> {after.words}" if before and after else ""


def falling(of: EvaluatedDesign, after: EvaluatedDesign) -> tuple[FigurePair, ...]:
    """The figures of the undamaged design that a change takes from."""
    names = dict.fromkeys((of.asked.collective, *COLLECTIVES))
    pairs = (FigurePair(name, _figure(of, name), _figure(after, name)) for name in names)
    return tuple(pair for pair in pairs if pair.falls)


def lost_without_pxn(
    of: EvaluatedDesign, after: EvaluatedDesign, added: Iterable[Finding]
) -> tuple[FigurePair, ...]:
    """The all-to-all without PXN, where a change leaves it without a path.

    It is only predicted where findings are added that say so: of dragonflies that takes seconds.
    """
    if not of.asked.pxn or all(one.code != "rails-apart" for one in added):
        return ()
    pair = FigurePair(EXCHANGE, _without_pxn(of), _without_pxn(after), pxn=False)
    return (pair,) if pair.falls and pair.after.value is None else ()


def _figure(of: EvaluatedDesign, collective: Collective) -> Labelled:
    return figure_at_hand(of.planned, replace(of.asked, collective=collective)).amount


def _without_pxn(of: EvaluatedDesign) -> Labelled:
    request = replace(of.asked, collective=EXCHANGE, pxn=False)
    return figure_at_hand(of.planned, request).amount


def side_effects(
    of: EvaluatedDesign, after: EvaluatedDesign
) -> tuple[tuple[Finding, ...], tuple[Worsened, ...]]:
    """What only the design after a change has, and what it had and has in a worse measure.

    Errors and warnings, the waived ones left out.
    Those of one code and place are one finding; of the others as many of a code as both designs
    have, since groups may be called otherwise after a change. A repair makes nothing worse: what is
    measured then is the design's own.
    """
    mends = is_repair(of.design, after.design)
    before, now = _serious(of.findings), _serious(after.findings)
    had = {(one.code, one.where): one for one in before}
    has = {(one.code, one.where) for one in now}
    moved = [one for one in before if (one.code, one.where) not in has]
    added, worsened = [], []
    for one in now:
        old = had.get((one.code, one.where))
        if old is None:
            old = next((each for each in moved if each.code == one.code), None)
            if old is not None:
                moved.remove(old)
        if old is None:
            added.append(one)
        elif not mends and _reads_worse(one.value, old.value):
            worsened.append(Worsened(old, one))
    return tuple(added), tuple(worsened)


def _reads_worse(now: Value | None, before: Value | None) -> bool:
    """Whether a measure is worse, and by so much that it reads otherwise."""
    if now is None or before is None:
        return False
    return now.beyond(before.amount) and now.words != before.words


def _serious(findings: Iterable[Finding]) -> list[Finding]:
    """What counts; of a waiver that is exceeded it is the finding itself, which counts again."""
    return [
        one
        for one in findings
        if one.severity != "info" and one.waived is None and one.code != "waiver-exceeded"
    ]
