"""All findings of a design: what the engine said, explained, and what a review adds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any, TypeVar

from toposmith.analysis.result import Analysis
from toposmith.bill.bill import Bill
from toposmith.cancellation import Steps
from toposmith.errors import TooMuchWorkError
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import ADDED, DESIGN, Finding, found, worst_first
from toposmith.planned_design import PlannedDesign
from toposmith.review.findings import (
    assumptions,
    locks,
    ports,
    protocols,
    racks,
    rails,
    routing,
    single_points,
    tiers,
)
from toposmith.review.findings.subject import Explainers, Find, Subject
from toposmith.review.policy import Policy
from toposmith.review.waivers import with_waivers
from toposmith.workloads.runnable import workload_findings

Result = TypeVar("Result")

MOST_STEPS = 1_500_000
"""Steps that all findings of a review may take; what is left then is not looked at, and that is
a finding."""

_SUBJECTS = (assumptions, ports, protocols, rails, tiers, routing, single_points, racks, locks)
FINDERS: list[Find] = [find for subject in _SUBJECTS for find in subject.FIND]
"""Functions that find what the engine itself does not report."""
_EXPLAIN: Explainers = {
    code: explain for subject in _SUBJECTS for code, explain in subject.EXPLAIN.items()
}


def review_findings(
    planned: PlannedDesign,
    analysis: Analysis,
    policy: Policy | None = None,
    *,
    extra: Iterable[Finding] = (),
    today: date | None = None,
    bill: Bill | None = None,
) -> tuple[Finding, ...]:
    """Everything that a reviewer should know of a design.

    Parameters
    ----------
    planned : PlannedDesign
        The design with its parts looked up.
    analysis : Analysis
        Its figures, for what the policy assumes (:func:`toposmith.review.policy.Policy`).
    policy : Policy, optional
        Severities and limits; the built-in ones if not given.
    extra : iterable of Finding
        What others found, such as in the communicator block or in part files.
    today : date, optional
        The day on which waivers have to be valid; without it those with an end are valid, too.
    bill : Bill, optional
        Where it is there already, with what its price lists said.

    Returns
    -------
    tuple of Finding
        Errors first, waived ones last; each once, with its figure where there is one, and its fix.
    """
    plan = planned.plan
    subject = Subject(planned, analysis, policy or Policy(), bill)
    look = _Looks(Steps(MOST_STEPS))
    block = look(lambda: workload_findings(plan, planned.catalog), tuple[Finding, ...]())
    billed = look(lambda: subject.bill.findings, tuple[Finding, ...]())
    engine = dict.fromkeys([*extra, *block, *analysis.findings, *billed])
    explained: Iterable[Finding] = engine
    added: Iterable[Finding] = ()
    if not subject.too_large:
        explained = [
            look(partial(subject.explained, one, _EXPLAIN.get(one.code)), one) for one in engine
        ]
        added = [
            one
            for find in (*FINDERS, *(one.find for one in ADDED))
            for one in look(partial(_found, find, subject), tuple[Finding, ...]())
        ]
    if look.ended and not subject.too_large:
        added = [*added, found("not-all-checked", DESIGN)]
    judged = _judged([*explained, *added], subject)
    waived = with_waivers(judged, plan.design, today)
    return tuple(worst_first(_judged(waived, subject)))


@dataclass
class _Looks:
    """Looks for findings as long as steps are left for it.

    Attributes
    ----------
    ended : bool
        Whether something was not looked at for want of them.
    """

    steps: Steps
    ended: bool = False

    def __call__(self, work: Callable[[], Result], otherwise: Result) -> Result:
        try:
            result = self.steps.run(work)
        except TooMuchWorkError:  # of something that others use, too, such as racks
            result = None
        self.ended = self.ended or result is None
        return otherwise if result is None else result


def _found(find: Find, subject: Subject) -> tuple[Finding, ...]:
    return tuple(find(subject))


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding under stable keys.

    ``values`` are all that it names; ``figure``, ``value`` with its ``unit`` and ``waived`` are
    there where there is one.
    """
    data: dict[str, Any] = {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "text": finding.text,
        "values": {name: _plain(fact) for name, fact in finding.all_values.items()},
        "fix": finding.fix,
    }
    if finding.figure is not None:
        data["figure"] = finding.figure
    if finding.value is not None:
        data["value"] = float(f"{finding.value.amount:.6g}")
        data["unit"] = finding.value.unit
    if finding.waived is not None:
        data["waived"] = finding.waived.as_data()
    return data


def _plain(fact: Fact) -> Fact | list[Any]:
    """A value as data: six digits that count, and a list for several."""
    if isinstance(fact, tuple):
        return [_plain(each) for each in fact]
    return float(f"{fact:.6g}") if isinstance(fact, float) else fact


def _judged(findings: Iterable[Finding], subject: Subject) -> Iterator[Finding]:
    """The findings under the policy: within its limits, with its severities, without those off."""
    for one in findings:
        if tiers.within_policy(subject, one) or protocols.within_policy(subject, one):
            continue
        level = subject.policy.severities.get(one.code, one.severity)
        if level != "off":
            yield replace(one, severity=level)
