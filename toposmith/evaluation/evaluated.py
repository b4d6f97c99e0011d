"""An evaluated design: the one place that turns a design into figures, findings and a bill."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from toposmith.analysis.analyse import Answers
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.job_list import job_findings
from toposmith.analysis.jobs.of_design import job_and_findings
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.size_curve import Curve
from toposmith.analysis.request import AS_DESIGNED, Collective, Request, Routing
from toposmith.analysis.result import Analysis, Prediction, Tier
from toposmith.bill.bill import Bill
from toposmith.bill.order_words import Delivered
from toposmith.bill.terms import Terms, design_digest
from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import TooMuchWorkError
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.fabric.name_map import Naming
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, counts, waived_count
from toposmith.planned_design import PlannedDesign
from toposmith.racks.placement import Placement, require_few, stand_alike
from toposmith.racks.rack_checks import rack_findings, short_lengths
from toposmith.racks.rack_loads import Elevation, FeedPower, feed_power, feed_words, power_words
from toposmith.review.policy import Policy
from toposmith.text import UNKNOWN, money
from toposmith.workloads.model import WorkloadError

if TYPE_CHECKING:
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.block import Workload


COLLECTIVES: tuple[Collective, ...] = ("all_reduce", "all_to_all")
"""Collectives that a review compares by default: an all-reduce that stays on its rails does
not load the spine, an all-to-all does."""

_assessing = Lock()
_assessments: WeakKeyDictionary[PlannedDesign, dict[Request, Assessment]] = WeakKeyDictionary()
"""The assessed workload by request, shared by all evaluations of one planned design."""


@dataclass(frozen=True, eq=False)
class EvaluatedDesign:
    """A design with all its figures; each is computed once, on demand.

    It is immutable: another design, another request or other terms make another value, and
    :meth:`asking` makes one that shares all that these do not affect.

    Parameters
    ----------
    design : Design
        The document.
    catalog : Catalog
        Parts; a part that it lacks is a finding, and figures that depend on it are unknown.
    request : Request, optional
        What to predict; without it an all-reduce of 8 GiB of the job that the design names, with
        the routing and versions that the policy assumes.
    collectives : tuple of str
        Collectives of :attr:`analyses`, where these are more than the requested one.
    terms : Terms
        Prices, what cables may be made of, spares.
    policy : Policy
        Severities and limits of findings.
    today : date, optional
        The date for expiry of waivers; without it none has expired.
    failing : tuple of str
        Trial failures: selectors as under ``down:``.
    extra : tuple of Finding
        Further findings, such as those of part files.
    source : str
        The file or another name, where several designs are compared.
    shared : PlannedDesign, optional
        The same design, planned before.
    """

    design: Design
    catalog: Catalog
    request: Request | None = None
    collectives: tuple[Collective, ...] = ()
    terms: Terms = field(default_factory=Terms)
    policy: Policy = field(default_factory=Policy)
    today: date | None = None
    failing: tuple[str, ...] = ()
    extra: tuple[Finding, ...] = ()
    source: str = ""
    shared: PlannedDesign | None = field(default=None, repr=False)

    # The design with its parts looked up

    @cached_property
    def planned(self) -> PlannedDesign:
        """What follows from design and catalog alone."""
        return self.shared or PlannedDesign.of(self.design, self.catalog, self.failing)

    @property
    def plan(self) -> Plan:
        """The design with its parts looked up and its ports dealt."""
        return self.planned.plan

    @property
    def network(self) -> ComputeNetwork:
        """The compute network, with its class graph."""
        return self.planned.network

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the design without positions on the canvas."""
        return design_digest(self.design)

    def asking(self, request: Request) -> EvaluatedDesign:
        """The same design with another request."""
        return replace(self, request=request, collectives=(), shared=self.planned)

    def named(self, naming: Naming) -> EvaluatedDesign:
        """The same design with other names of devices and ports."""
        if naming == self.plan.naming:
            return self
        planned = replace(self.planned, plan=replace(self.plan, naming=naming))
        return replace(self, shared=planned)

    # Figures

    @cached_property
    def asked(self) -> Request:
        """The request; without one, an all-reduce as design and policy say."""
        if self.request is not None:
            return self.request.of(self.design)
        policy, (job, _) = self.policy, self._job
        # a policy is for many designs: its routing applies only where the links allow it
        misfit = any(routing_problems(self.design, policy.routing))
        routing = AS_DESIGNED if self.design.routing or misfit else Routing(policy.routing)
        return Request(sharp=policy.sharp, routing=routing, job=job).of(self.design)

    @property
    def question(self) -> Answers:
        """The request with its shared intermediate results; invalid for a design too large."""
        return self.planned.questions.of(self.asked)

    @property
    def analysis(self) -> Analysis:
        """All figures for the request."""
        return self.planned.questions.analysis(self.asked)

    @property
    def prediction(self) -> Prediction:
        """Busbw and tiers alone, in half the time of :attr:`analysis`."""
        return self.planned.questions.prediction(self.asked)

    @property
    def curve(self) -> Curve | None:
        """Time and busbw at every message size, or None where the collective cannot run."""
        return self.planned.questions.curve(self.asked)

    @cached_property
    def analyses(self) -> Mapping[Collective, Analysis]:
        """Figures by collective."""
        wanted = self.collectives or (self.asked.collective,)
        requests = [replace(self.asked, collective=each) for each in wanted]
        return dict(zip(wanted, self.planned.questions.analyses(*requests), strict=True))

    @property
    def first(self) -> Analysis:
        """The figures of the first collective; GPUs, tiers and bisection are the same for all."""
        return next(iter(self.analyses.values()))

    @property
    def tiers(self) -> tuple[Tier, ...]:
        """The tiers of the fabric from the nodes up."""
        return self.first.tiers

    @property
    def oversubscription(self) -> dict[str, float | None]:
        """Capacity towards the nodes over that away from them, by tier; without the topmost.

        Groups of a tier with another ratio have one each, as ``leaf (a)``.

        Devices, ports and cables that are down do not count.
        """
        return {
            tier.name: tier.oversubscription
            for tier in self.tiers
            if tier.tier != self.tiers[-1].tier
        }

    @property
    def worst_oversubscription(self) -> float | None:
        """The highest ratio of any tier; 1 where there are no uplinks; None without switches.

        Also None where all uplinks of a tier are down.
        """
        cut = any(tier.as_cabled and tier.oversubscription is None for tier in self.tiers)
        if not self.tiers or cut:
            return None
        return max((ratio for ratio in self.oversubscription.values() if ratio), default=1.0)

    @cached_property
    def delivered(self) -> Delivered:
        """The bandwidth of a job on all GPUs, regardless of the layout of the design's own job."""
        figures = self.analysis
        if figures.communicator.kind != WORLD:
            figures = self.planned.questions.analysis(replace(self.asked, job=Job()))
        return Delivered(figures.collective, figures.busbw_GBps, figures.gpus, figures.busbw_label)

    @cached_property
    def exchanged(self) -> Delivered:
        """The all-to-all of all GPUs, by which costs are compared whatever was asked."""
        asked = replace(self.asked, collective="all_to_all", job=Job())
        found = self.planned.questions.prediction(asked)
        return Delivered(found.collective, found.busbw_GBps, found.gpus, found.busbw_label)

    @property
    def cost_shares(self) -> tuple[str, ...]:
        """What each GPU and each GB/s of an all-to-all cost; empty where nothing has a price."""
        price = self.bill.price
        return (f"cost {self.exchanged.each_words(price)}",) if price.known else ()

    @property
    def costs_as_data(self) -> dict[str, float | str | None]:
        """What it costs in all, each GPU and each GB/s of an all-to-all; None until priced."""
        price = self.bill.price
        each = (None, None) if price.only is None else self.exchanged.share_amounts(price)
        return {
            "cost": self.price,
            "currency": self.currency,
            "cost_per_gpu": each[0],
            "cost_per_GBps": each[1],
        }

    @property
    def bought(self) -> tuple[str, ...]:
        """What bandwidth the bill buys, and what that costs."""
        return (self.delivered.words(self.bill.price), *self.cost_shares)

    # Racks, bill and cables

    @property
    def placement(self) -> Placement:
        """The placement of its devices in racks."""
        return self.planned.placement

    @property
    def elevations(self) -> list[Elevation]:
        """Its kinds of racks; TooManyDevicesError where there are too many devices to list."""
        return self.planned.elevations

    @cached_property
    def feeds(self) -> FeedPower | None:
        """The power that the feeds of a rack deliver; None where the design has none."""
        return feed_power(self.placement, self.catalog)

    @cached_property
    def rack_words(self) -> list[tuple[str, str]]:
        """For every kind of rack, a text on its power and a text on its feeds."""
        return [(power_words(one), feed_words(one, self.feeds)) for one in self.elevations]

    @cached_property
    def rack_findings(self) -> tuple[Finding, ...]:
        """Findings about its racks."""
        return rack_findings(self.plan, self.catalog, self.placement)

    @property
    def bill(self) -> Bill:
        """The bill of materials, with cable lengths by the racks."""
        return self.planned.bill(self.terms)

    @property
    def price(self) -> float | None:
        """Total of the bill in :attr:`currency`; None unless all lines have one currency."""
        only = self.bill.price.only
        return None if only is None else float(only[0])

    @property
    def currency(self) -> str | None:
        """The currency of the price; None where that is unknown or of several."""
        only = self.bill.price.only
        return None if only is None else only[1]

    @property
    def cost_words(self) -> str:
        """What it costs, with the currency; ``unknown`` until every line has a price."""
        only = self.bill.price.only
        return UNKNOWN if only is None else money(float(only[0]), only[1])

    @cached_property
    def schedule(self) -> Schedule:
        """Its cable schedule; TooManyDevicesError where there are too many cables to list."""
        require_few(self.plan)
        wiring = self.planned.wiring(self.terms)
        return Schedule(self.plan, self.catalog, self.placement, self.terms, wiring)

    # Findings

    @cached_property
    def _job(self) -> tuple[Job, tuple[Finding, ...]]:
        return job_and_findings(self.design)

    @cached_property
    def _job_findings(self) -> tuple[Finding, ...]:
        """Findings about the communicator and the jobs of the document."""
        of_jobs = () if self.planned.too_large else job_findings(self.design, self.network.world)
        return (*self._job[1], *of_jobs)

    @cached_property
    def engine_findings(self) -> tuple[Finding, ...]:
        """Findings that need no more than the figures: parts, ports, links, the request."""
        own = (*self.plan.findings, *port_findings(self.plan))
        of_block = self._job_findings
        return tuple(dict.fromkeys((*own, *of_block, *self.analysis.findings, *self.extra)))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that a reviewer should know, errors first, waived ones last."""
        # imported here: the app shows the figures first
        from toposmith.review.findings.collecting import review_findings

        others = (
            finding
            for each in self.analyses.values()
            if each is not self.analysis
            for finding in each.findings
        )
        return review_findings(
            self.planned,
            self.analysis,
            self.policy,
            extra=(
                *(*self.extra, *self._job_findings, *others),
                *self._workload_findings,
            ),
            today=self.today,
            bill=self._bill_or_none,
        )

    @property
    def _bill_or_none(self) -> Bill | None:
        """The bill for its findings; None where it takes too long, or is made without racks."""
        try:
            return None if self.planned.too_large else self.bill
        except TooMuchWorkError:
            return None

    @cached_property
    def _workload_findings(self) -> tuple[Finding, ...]:
        """Findings of its workload; one that cannot run at all is reported elsewhere."""
        if not self.design.workload or self.planned.too_large:
            return ()
        try:
            return self.workload.findings
        except WorkloadError:
            return ()

    @property
    def schedule_findings(self) -> tuple[Finding, ...]:
        """Findings about its cables, or about what they depend on."""
        own = (*self.plan.findings, *port_findings(self.plan))
        lengths = short_lengths(self.plan, self.catalog, self.placement, self.planned.runs)
        return (*own, *self.rack_findings, *lengths, *self.schedule.findings)

    @cached_property
    def all_findings(self) -> tuple[Finding, ...]:
        """The findings of a review, and those about single cables."""
        of_cables = self.schedule.findings
        found = self.findings
        known = {one.key for one in found}
        more = (one for one in of_cables if one.key not in known)
        return tuple(dict.fromkeys([*found, *more]))

    def findings_of(self, severity: Severity) -> int:
        """How many findings there are of a severity, without those that were waived."""
        return counts(self.findings)[severity]

    @property
    def waived(self) -> int:
        """How many findings were waived."""
        return waived_count(self.findings)

    # Its workload

    @cached_property
    def workload(self) -> Assessment:
        """The assessment of its ``workload:`` block; raises WorkloadError where that cannot run."""
        # imported here and below: most designs have no workload
        from toposmith.workloads.assess import assess_block

        with _assessing:  # panel, review and page run in threads: only one computes it
            known = _assessments.setdefault(self.planned, {})
            if self.asked not in known:
                known[self.asked] = assess_block(
                    self.plan, self.catalog, self.design.workload, self.asked
                )
            return known[self.asked]

    def assessed(self, workload: Workload) -> Assessment:
        """The assessment of another workload; raises WorkloadError where that cannot run."""
        from toposmith.workloads.assess import assess

        return assess(self.plan, self.catalog, workload, self.asked)


# A cache of the most recent designs, planned; repeated requests share them.

MOST_KEPT = 6
"""Enough for the current design, the one before its last edit and the saved one, each with a
preview."""


class RecentDesigns:
    """Keeps the last few designs with their results, for all threads of a program."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._kept: deque[tuple[Design, tuple[str, ...], PlannedDesign]] = deque(maxlen=most)
        self._lock = Lock()

    def planned(
        self,
        design: Design,
        catalog: Catalog,
        failing: tuple[str, ...] = (),
        *,
        keep: bool = True,
    ) -> PlannedDesign:
        """The design, planned now or before; ``keep`` stores it for the next request."""
        with self._lock:
            for one in reversed(self._kept):
                known, failed, planned = one
                same = planned.catalog is catalog and failed == failing
                if same and (known is design or known == design):
                    self._kept.remove(one)
                    self._kept.append(one)
                    return planned
            planned = self._standing_alike(PlannedDesign.of(design, catalog, failing))
            if keep:
                self._kept.append((design, failing, planned))
            return planned

    def _standing_alike(self, planned: PlannedDesign) -> PlannedDesign:
        """The design with the placement of a recent one, where only cables differ."""
        for _, _, before in reversed(self._kept):
            stands = before.known_placement
            if (
                stands is not None
                and before.catalog is planned.catalog
                and stand_alike(before.plan, planned.plan)
            ):
                return replace(planned, stands=stands)
        return planned

    def forget(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._kept.clear()


recent = RecentDesigns()
"""The cache of this process: the workbench, background jobs and views share it."""
