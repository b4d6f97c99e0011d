"""How a design stands: its figures, its bill and its findings, as a reviewer compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from toposmith.catalog import Catalog
from toposmith.catalog.prices import PriceList
from toposmith.text import money, plain_number
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.analysis.jobs.of_design import job_and_findings
from toposmith.topology.analysis.request import Collective, Request, Routing
from toposmith.topology.analysis.result import Analysis
from toposmith.topology.bill.bill import Bill, Total
from toposmith.topology.bill.placed import placed_bill
from toposmith.topology.bill.provenance import design_digest
from toposmith.topology.bill.terms import Terms
from toposmith.topology.design.document import Design
from toposmith.topology.fabric.plan import Finding, Plan, Severity
from toposmith.topology.fabric.planning import plan_design
from toposmith.topology.fabric.severity import counts, waived_count
from toposmith.topology.review.findings.collecting import review_findings
from toposmith.topology.review.policy import Policy

COLLECTIVES: tuple[Collective, ...] = ("all_reduce", "all_to_all")
"""Looked at unless asked otherwise: the first does not feel the spine, the second does."""


@dataclass(frozen=True)
class Standing:
    """A design with everything that a review says about it.

    Parameters
    ----------
    source : str
        The file, or whatever else names it.
    plan : Plan
        The design, understood.
    request : Request
        What was asked; its collective is the first of ``analyses``.
    analyses : mapping
        Figures by collective.
    bill : Bill
        What there is to buy.
    findings : tuple of Finding
        As :func:`toposmith.topology.review.findings.collecting.review_findings` gives them.
    """

    source: str
    plan: Plan
    request: Request
    analyses: Mapping[Collective, Analysis]
    bill: Bill
    findings: tuple[Finding, ...]

    @property
    def design(self) -> Design:
        """The design itself."""
        return self.plan.design

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the design, positions on the canvas aside."""
        return design_digest(self.design)

    @property
    def first(self) -> Analysis:
        """The figures of the first collective; GPUs, tiers and bisection are alike for all."""
        return next(iter(self.analyses.values()))

    @property
    def oversubscription(self) -> dict[str, float | None]:
        """Capacity down over capacity up by tier; the topmost tier has none."""
        return {tier.tier: tier.oversubscription for tier in self.first.tiers[:-1]}

    @property
    def worst_oversubscription(self) -> float | None:
        """The highest ratio of any tier; 1 where there are no uplinks; None without switches."""
        if not self.first.tiers:
            return None
        return max((ratio for ratio in self.oversubscription.values() if ratio), default=1.0)

    @property
    def price(self) -> float | None:
        """What the bill costs; None until each of its lines has a price, all in one currency."""
        only = self.bill.price.only
        return None if only is None else float(only[0])

    @property
    def currency(self) -> str | None:
        """The currency of the price."""
        only = self.bill.price.only
        return None if only is None else only[1]

    def findings_of(self, severity: Severity) -> int:
        """How many findings there are of a severity, without those that were waived."""
        return counts(self.findings)[severity]

    @property
    def waived(self) -> int:
        """How many findings were waived."""
        return waived_count(self.findings)


def standing(
    source: str,
    design: Design,
    catalog: Catalog,
    collectives: Sequence[Collective] = COLLECTIVES,
    request: Request | None = None,
    *,
    policy: Policy | None = None,
    prices: PriceList | None = None,
    today: date | None = None,
) -> Standing:
    """Compute all figures of a design.

    Parameters
    ----------
    source : str
        What to call it.
    design : Design
        The document; who takes part is what its ``communicator:`` block says.
    catalog : Catalog
        Parts; a part that it lacks is a finding, and what depends on it is unknown.
    collectives : sequence of str
        Which figures.
    request : Request, optional
        Size, release and routing; 8 GiB and what the policy assumes if not given.
    policy : Policy, optional
        Severities and limits; the built-in ones if not given.
    prices : PriceList, optional
        What parts cost; without it cost is unknown.
    today : date, optional
        The day on which waivers have to hold; without it all do.
    """
    policy = policy or Policy()
    plan = plan_design(design, catalog)
    job, wrong = job_and_findings(design)
    request = replace(request or assumed(policy), job=job, collective=collectives[0])
    analyses = {
        collective: analyse(plan, catalog, replace(request, collective=collective))
        for collective in collectives
    }
    bill = placed_bill(plan, catalog, Terms(prices=prices))
    # findings are those of all-reduce whatever else is asked, so that they are those of `check`
    usual = analyses.get("all_reduce") or analyse(
        plan, catalog, replace(request, collective="all_reduce")
    )
    others = (f for each in analyses.values() for f in each.findings if each is not usual)
    findings = review_findings(
        plan, catalog, usual, policy, extra=(*wrong, *others), today=today, bill=bill
    )
    return Standing(source, plan, request, analyses, bill, findings)


def assumed(policy: Policy) -> Request:
    """What is asked of a design where a policy says what may be assumed of its fabric."""
    return Request(sharp=policy.sharp, routing=Routing(policy.routing))


def cost_words(standing: Standing) -> str:
    """What the design costs, with its currency; ``unknown`` until every line has a price."""
    if standing.price is None or standing.currency is None:
        return "unknown"
    return money(standing.price, standing.currency)


def total_words(total: Total, unit: str) -> str:
    """A sum, and whether it lacks something; ``unknown`` where it lacks everything."""
    if not total.complete and not total.known:
        return "unknown"
    known = plain_number(total.known, unit)
    return known if total.complete else f"{known}, incomplete"
