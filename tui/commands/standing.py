"""A design as exports look at it: its figures, racks, bill and cables, each made when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from topology.analysis.analyse import analyse
from topology.analysis.request import Request
from topology.bill.bill import make_bill
from topology.exports.cable_schedule.rows import Schedule
from topology.exports.report.html import Contents
from topology.fabric.ports import port_findings
from topology.racks.elevations import elevations
from topology.racks.judgement import rack_findings
from topology.racks.lengths import runs
from topology.racks.loads import feed_power
from topology.racks.placement import place
from tui.job import job_and_findings
from tui.reports.elevations import feed_words, power_words

if TYPE_CHECKING:
    from catalog import Catalog
    from topology.analysis.result import Analysis
    from topology.bill.bill import Bill
    from topology.fabric.plan import Finding, Plan
    from topology.racks.elevations import Elevation
    from topology.racks.loads import FeedPower
    from topology.racks.placement import Placement


@dataclass
class Standing:
    """A design understood, with the catalog; everything else follows from the two."""

    plan: Plan
    catalog: Catalog

    @cached_property
    def placement(self) -> Placement:
        """Where its devices stand."""
        return place(self.plan, self.catalog)

    @cached_property
    def analysis(self) -> Analysis:
        """Its figures, for the job that the design names."""
        job, _ = job_and_findings(self.plan.design)
        return analyse(self.plan, self.catalog, Request(job=job))

    @cached_property
    def bill(self) -> Bill:
        """Its bill, with the lengths that its racks give."""
        return make_bill(self.plan, self.catalog, runs=runs(self.plan, self.placement))

    @cached_property
    def schedule(self) -> Schedule:
        """Its cables."""
        return Schedule(self.plan, self.catalog, self.placement)

    @cached_property
    def elevations(self) -> list[Elevation]:
        """Every kind of its racks."""
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
        _, about_job = job_and_findings(self.plan.design)
        found = [
            *about_job,
            *self.analysis.findings,
            *self.bill.findings,
            *self.rack_findings,
            *self.schedule.findings,
        ]
        return Contents(
            plan=self.plan,
            analysis=self.analysis,
            bill=self.bill,
            placement=self.placement,
            elevations=self.elevations,
            rack_words=self.rack_words,
            schedule=self.schedule,
            findings=list(dict.fromkeys(found)),
        )
