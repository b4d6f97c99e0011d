"""A design as it is handed over: its figures, racks, bill and cables, each made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from toposmith.catalog import Catalog
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.analysis.jobs.communicator import Job
from toposmith.topology.analysis.jobs.layout import WORLD
from toposmith.topology.analysis.jobs.of_design import job_and_findings
from toposmith.topology.analysis.request import Request
from toposmith.topology.analysis.result import Analysis
from toposmith.topology.bill.bill import Bill
from toposmith.topology.bill.cost import Delivered
from toposmith.topology.bill.placed import placed_bill
from toposmith.topology.bill.terms import Terms
from toposmith.topology.exports.cable_schedule.rows import Schedule
from toposmith.topology.exports.report.html import Contents
from toposmith.topology.fabric.plan import Finding, Plan
from toposmith.topology.fabric.ports import port_findings
from toposmith.topology.racks.elevations import Elevation, elevations
from toposmith.topology.racks.judgement import rack_findings
from toposmith.topology.racks.loads import FeedPower, feed_power
from toposmith.topology.racks.placement import Placement, place, require_few
from toposmith.topology.racks.summary import feed_words, power_words

Judge = Callable[[Plan, Catalog, Analysis, Bill], Sequence[Finding]]
"""Gives all findings of a design."""


@dataclass
class Handover:
    """A design understood, with the catalog and the terms; everything else follows from these.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    catalog : Catalog
        Where parts are chosen from.
    terms : Terms
        Prices, what cables may be made of, spares.
    request : Request or None
        What is measured; without it an all-reduce of the job that the design names.
    judge : callable, optional
        Gives the findings of a review from plan, catalog, figures and bill; without it the report
        has what the engine found.
    """

    plan: Plan
    catalog: Catalog
    terms: Terms = field(default_factory=Terms)
    request: Request | None = None
    judge: Judge | None = None

    @cached_property
    def placement(self) -> Placement:
        """Where its devices stand."""
        return place(self.plan, self.catalog)

    @cached_property
    def analysis(self) -> Analysis:
        """Its figures."""
        asked = self.request or Request(job=job_and_findings(self.plan.design)[0])
        return analyse(self.plan, self.catalog, asked)

    @cached_property
    def delivered(self) -> Delivered:
        """The bandwidth that it delivers to all its GPUs, whatever groups its own job runs in."""
        figures = self.analysis
        if figures.communicator.kind != WORLD:
            asked = replace(self.request or Request(), job=Job())
            figures = analyse(self.plan, self.catalog, asked)
        return Delivered(figures.collective, figures.busbw_GBps, figures.gpus, figures.busbw_label)

    @cached_property
    def bill(self) -> Bill:
        """Its bill, with the lengths that its racks give."""
        return placed_bill(self.plan, self.catalog, self.terms, placement=self.placement)

    @cached_property
    def schedule(self) -> Schedule:
        """Its cables, of the parts that are on the bill; :func:`require_few` of its devices."""
        require_few(self.plan)
        return Schedule(self.plan, self.catalog, self.placement, self.terms)

    @cached_property
    def elevations(self) -> list[Elevation]:
        """Every kind of its racks; :func:`require_few` of its devices."""
        require_few(self.plan)
        return elevations(self.plan, self.placement)

    @cached_property
    def feeds(self) -> FeedPower | None:
        """What the feeds of a rack deliver."""
        return feed_power(self.placement, self.catalog)

    @cached_property
    def rack_words(self) -> list[tuple[str, str]]:
        """For every kind of rack, what is said of its power and of its feeds."""
        return [(power_words(one), feed_words(one, self.feeds)) for one in self.elevations]

    @cached_property
    def rack_findings(self) -> tuple[Finding, ...]:
        """What is wrong with its racks."""
        return rack_findings(self.plan, self.catalog, self.placement)

    @property
    def schedule_findings(self) -> tuple[Finding, ...]:
        """What is wrong with its cables, or with what they depend on."""
        own = (*self.plan.findings, *port_findings(self.plan))
        return (*own, *self.rack_findings, *self.schedule.findings)

    @property
    def contents(self) -> Contents:
        """Everything for the report, with all that any part of the engine found."""
        return Contents(
            plan=self.plan,
            analysis=self.analysis,
            bill=self.bill,
            delivered=self.delivered,
            placement=self.placement,
            elevations=self.elevations,
            rack_words=self.rack_words,
            schedule=self.schedule,
            findings=self._findings,
        )

    @property
    def _findings(self) -> list[Finding]:
        """What a review says, and what else the engine found of cables."""
        if self.judge is not None:
            found = [*self.judge(self.plan, self.catalog, self.analysis, self.bill)]
        else:
            _, about_job = job_and_findings(self.plan.design)
            found = [
                *about_job,
                *self.analysis.findings,
                *self.bill.findings,
                *self.rack_findings,
            ]
        known = {(one.code, one.where, one.text) for one in found}
        more = [
            one for one in self.schedule.findings if (one.code, one.where, one.text) not in known
        ]
        return list(dict.fromkeys([*found, *more]))
