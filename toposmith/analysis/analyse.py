"""All figures of a design in one call: the one place that turns a design into numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.analysis.bounds.all_gather import FlowNetworks, is_connected
from toposmith.analysis.bounds.best import (
    Best,
    best_possible,
    most_taken_in,
    reduced_in_nodes,
    reduced_label,
    with_reduction,
)
from toposmith.analysis.bounds.bisection import bisection, may_exceed, sockets_allow_GBps
from toposmith.analysis.bounds.cut_links import inside_name
from toposmith.analysis.bounds.unverified import with_unverified
from toposmith.analysis.design_checks import design_findings
from toposmith.analysis.jobs.communicator import Groups, groups_of
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.error_band import BandClass, ErrorBand, coverage_words
from toposmith.analysis.prediction.figure_labels import (
    is_estimate,
    prediction_label,
    too_high,
    too_high_finding,
)
from toposmith.analysis.prediction.model_findings import model_findings
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.next_step import next_step
from toposmith.analysis.prediction.node_view import is_modelled
from toposmith.analysis.prediction.path_latency import farthest_path
from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.prediction.published import (
    ONE_SLOWER,
    PUBLISHED_SLOWER,
    band_class,
    band_of,
    published_label,
    uncertain,
)
from toposmith.analysis.prediction.routing_findings import routing_findings
from toposmith.analysis.prediction.size_curve import Curve, curve_of
from toposmith.analysis.prediction_assumptions import assumptions_of
from toposmith.analysis.reduction import IN_NODES, above_bound, reduces_in_switches
from toposmith.analysis.refused import MOST_STEPS, refusal, too_irregular, without_figures
from toposmith.analysis.request import Request
from toposmith.analysis.result import (
    HALVES,
    REDUCED,
    Analysis,
    Communicator,
    CutLink,
    Prediction,
    Tier,
)
from toposmith.analysis.switch_tiers import tiers
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.cancellation import Steps
from toposmith.catalog import Catalog, Gpu
from toposmith.catalog.part_text import GPU_LINK_NAMES
from toposmith.catalog.pieces import LINKS_NOT_MODELLED
from toposmith.collectives import COLLECTIVES
from toposmith.design.routing_rules import routing_problems
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.nvlink_domains import beyond_model
from toposmith.fabric.nvlink_links import without_nvlinks
from toposmith.fabric.plan import Plan
from toposmith.findings.codes.code import Fact, Severity
from toposmith.findings.finding import DESIGN, Finding, at_block, at_group, found, worst_first
from toposmith.labels import MODEL, UNKNOWN, Label, Labelled

ONE_ROOT = ("broadcast", "reduce")
"""What collectives run whose data come from one rank, or go to it."""


def analyse(plan: Plan, catalog: Catalog, request: Request | None = None) -> Analysis:
    """Predict a collective on a design, bound it, and say what limits it.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        For the GPUs inside the nodes.
    request : Request, optional
        What to predict; an all-reduce of 8 GiB over all GPUs if not given.

    Returns
    -------
    Analysis
        Figures that the design does not determine are None, with a finding that says why.
    """
    return Questions(plan, catalog).analysis(request or Request())


def predict_all(
    plan: Plan, catalog: Catalog, requests: Sequence[Request], *, one_by_one: bool = False
) -> tuple[Prediction, ...]:
    """Predict several requests, without bounds and next steps: about half of the work.

    ``one_by_one`` looks at every device, which is faster where only a few differ from the rest.
    """
    questions = Questions(plan, catalog, one_by_one)
    return tuple(questions.prediction(request) for request in requests)


@dataclass(frozen=True, eq=False)
class Questions:
    """Requests to one design, which share its network and bounds; each is computed once."""

    plan: Plan
    catalog: Catalog
    one_by_one: bool = False

    @cached_property
    def network(self) -> ComputeNetwork:
        """The compute network."""
        return ComputeNetwork(self.plan, self.one_by_one)

    @cached_property
    def flows(self) -> FlowNetworks:
        """The compute network as flow networks, for bounds."""
        return FlowNetworks(self.network, self.catalog)

    @cached_property
    def refused(self) -> Finding | None:
        """Why no figures are computed: a design larger, or less regular, than any real cluster."""
        return refusal(self.network)

    @property
    def too_large(self) -> bool:
        """Whether no figures are computed, for :attr:`refused`."""
        return self.refused is not None

    @cached_property
    def _asked(self) -> dict[Request, Answers]:
        return {}

    @cached_property
    def _answered(self) -> dict[Request, Analysis]:
        return {}

    def of(self, request: Request) -> Answers:
        """A request with its intermediate results."""
        known, request = self._asked, request.of(self.plan.design)
        if request not in known:
            known[request] = Answers(self.plan, self.catalog, request, self.network, self.flows)
        return known[request]

    def analysis(self, request: Request) -> Analysis:
        """All figures."""
        known, request = self._answered, request.of(self.plan.design)
        if request not in known:
            known[request] = self._within(Steps(MOST_STEPS), request)
        return known[request]

    def analyses(self, *requests: Request) -> tuple[Analysis, ...]:
        """All figures of requests that are asked together: they share the steps of one.

        Those of the first are what :meth:`analysis` gives; of others there are none where it
        leaves them too few steps.
        """
        first, *others = (request.of(self.plan.design) for request in requests)
        steps, known = Steps(MOST_STEPS), self._answered
        if first not in known:
            known[first] = self._within(steps, first)
        for request in others:
            together = (first, request)
            if together not in self._beside:
                self._beside[together] = known.get(request) or self._within(steps, request)
                if self._beside[together].busbw_GBps is not None:
                    known[request] = self._beside[together]
        return known[first], *(self._beside[first, request] for request in others)

    @cached_property
    def _beside(self) -> dict[tuple[Request, Request], Analysis]:
        """The figures of requests that were asked after a first one."""
        return {}

    def _within(self, steps: Steps, request: Request) -> Analysis:
        """All figures, or none where they take more steps."""

        def figures() -> Analysis | None:
            return None if self.too_large else self.of(request).analysis()

        found = steps.run(figures)
        if found is not None:
            return found
        return without_figures(self.plan, request, self.refused or too_irregular(self.plan))

    def prediction(self, request: Request) -> Prediction:
        """Busbw and tiers alone."""
        figures = None
        if not self.too_large:
            figures = Steps(MOST_STEPS).run(lambda: self.of(request).prediction())
        return figures or Prediction(self.analysis(request).gpus, request.collective)

    def above_bound(self, request: Request) -> tuple[Finding, ...]:
        """What there is to say where a prediction is above its bound, without other figures."""
        answers = None if self.too_large else self.of(request)
        if answers is None or answers.predictor is None:
            return ()
        return answers.above_bound(answers.predictor.at(request.message_bytes))

    def curve(self, request: Request) -> Curve | None:
        """Time and busbw at every message size, or None where the collective cannot run."""
        if self.too_large:
            return None
        question = self.of(request)

        def curve() -> Curve | None:
            predictor = question.predictor
            if predictor is None:
                return None
            return curve_of(predictor, question.floor_us, question.label)

        return Steps(MOST_STEPS).run(curve)


@dataclass(frozen=True)
class Answers:
    """A request to a design, with its intermediate results."""

    plan: Plan
    catalog: Catalog
    request: Request
    network: ComputeNetwork
    flows: FlowNetworks

    @cached_property
    def cables(self) -> Mapping[int, int]:
        """Cables of every link."""
        return cable_counts(self.plan)

    @cached_property
    def groups(self) -> Groups | None:
        """The groups that take part; None where the job does not fit, or there are no GPUs."""
        groups = self._groups_or_finding
        return groups if isinstance(groups, Groups) else None

    @cached_property
    def _groups_or_finding(self) -> Groups | Finding:
        return groups_of(self.network.world, self.request.job, self.request.collective)

    @cached_property
    def _prediction(self) -> tuple[Predictor | None, tuple[Finding, ...]]:
        """The predictor, or why there is none."""
        stopped = self._cannot_run()
        if stopped:
            return None, stopped
        assert self.groups is not None
        cluster = NcclTopology(self.network, self.catalog, self.request, self.groups)
        if cluster.not_modelled:
            group, link = cluster.not_modelled
            return None, (found("scale-up-not-modelled", at_group(group), link=link),)
        if cluster.graphs is None:
            return None, (found("no-channels", DESIGN),)
        predictor = Predictor(cluster, self.cables)
        try:
            predictor.at(self.request.message_bytes)
        except Unreachable as gap:
            return None, (found("unreachable", at_group(gap.source), gap=gap.words),)
        except ValueError as reason:
            return None, (found("cannot-run", at_block("communicator"), reason=str(reason)),)
        return predictor, ()

    @property
    def predictor(self) -> Predictor | None:
        """Predictions at any size, or None where the collective cannot run."""
        return self._prediction[0]

    @cached_property
    def _is_apart(self) -> bool:
        """Whether some GPU cannot be reached."""
        groups = self.groups
        if groups is None or groups.nodes < 2:
            return False
        # where NCCL finds a path there is one; a prediction just for that costs more than a search
        if "_prediction" in self.__dict__ and self.predictor is not None:
            return False
        return not is_connected(self.flows) and self.predictor is None

    @cached_property
    def best(self) -> Best:
        """The bound; without a figure where there are no groups."""
        groups = self.groups
        if groups is None or groups.size < 2:
            return Best(None, UNKNOWN)
        if self._is_apart:
            return Best(None, Label("unknown", why="some GPU cannot be reached"))
        request = self.request
        return best_possible(self.flows, groups, request.collective, solve=request.exact)

    @cached_property
    def reduced_GBps(self) -> float | None:
        """The busbw bound where switches reduce, GB/s; None without any, and but for all-reduce."""
        if self.groups is None or COLLECTIVES[self.request.collective].bound != "all_reduce":
            return None
        if self.groups.nodes == 1 and not any(
            group.node and group.node.nvlink and group.node.nvlink.shape == "nvswitch"
            for group in self.network.world.groups
        ):
            return None
        return with_reduction(self.flows, self.groups) if self.best.busbw_GBps else None

    @cached_property
    def reduced_label(self) -> Label:
        """The label of :attr:`reduced_GBps`."""
        if self.groups is None or self.reduced_GBps is None:
            return REDUCED
        return reduced_label(self.flows, self.groups)

    @cached_property
    def in_nodes(self) -> Best:
        """The bound where NVSwitches reduce, and no switch between nodes."""
        if self.groups is None or self.reduced_GBps is None:
            return Best(None, UNKNOWN)
        return reduced_in_nodes(self.flows, self.groups)

    def held_GBps(self, outcome: PredictedCollective) -> float | None:
        """The busbw bound that applies to the algorithm of a prediction, GB/s; None if unknown."""
        return self._held(outcome).value

    def _held(self, outcome: PredictedCollective) -> Labelled:
        if not reduces_in_switches(self.request.collective, outcome.algorithm):
            return Labelled(self.best.busbw_GBps, self.best.label)
        if outcome.algorithm == IN_NODES:
            return Labelled(self.in_nodes.busbw_GBps, self.in_nodes.label)
        return Labelled(self.reduced_GBps, self.reduced_label)

    def floor_us(self, outcome: PredictedCollective) -> float | None:
        """The least that any schedule takes for a message of that size, us; None if unknown.

        The bytes at the bound for what runs; and where every rank's data have to come to every
        other, one way between the nodes of the world that are farthest apart.
        """
        held, groups = self.held_GBps(outcome), self.groups
        if not held or groups is None or groups.nodes == 1 or above_bound(outcome.busbw_GBps, held):
            return None
        everywhere = COLLECTIVES[self.request.collective].runs not in (*ONE_ROOT, "neighbours")
        path = farthest_path(self.network) if everywhere and groups.is_world else None
        bytes_us = outcome.time_us * outcome.busbw_GBps / held
        return max(bytes_us, 0.0 if path is None else path.at_least_us)

    def above_bound(self, outcome: PredictedCollective) -> tuple[Finding, ...]:
        """What there is to say where an outcome is above the bound that holds for it."""
        held = self._held(outcome)
        if held.value is None or not above_bound(outcome.busbw_GBps, held.value):
            return ()
        of = held.label.of or "exact"
        return (too_high_finding(self.request.collective, outcome.busbw_GBps, held.value, of),)

    def label(self, outcome: PredictedCollective) -> Label:
        """The label of a predicted busbw."""
        label = self._kind(outcome)
        held = self.held_GBps(outcome)
        if held is not None and above_bound(outcome.busbw_GBps, held):
            return too_high(held)
        return label

    def label_of_job(self, outcome: PredictedCollective) -> Label:
        """The label, without a search for cuts that the prediction's own routes rule out.

        The routes of an all-to-all load no cable beyond its line rate, so they are a valid schedule
        and no cut of cables allows less. The prediction leaves out what nodes take in and what
        crosses their sockets: where it is above what these allow, the full bound is computed.
        """
        groups, collective = self.groups, self.request.collective
        if groups is None or groups.nodes == 1 or COLLECTIVES[collective].bound != "all_to_all":
            return self.label(outcome)
        crossing = sockets_allow_GBps(self.flows, groups)
        if crossing is None:
            return self.label(outcome)
        share = (groups.size - 1) / groups.size
        allowed = min(crossing * share, most_taken_in(self.flows, groups, collective))
        return (
            self.label(outcome) if above_bound(outcome.busbw_GBps, allowed) else self._kind(outcome)
        )

    def _kind(self, outcome: PredictedCollective) -> Label:
        """The label of a predicted busbw, regardless of its bound."""
        assert self.groups is not None and self.predictor is not None
        calibration = self.request.calibration
        if calibration is not None and outcome.calibrated:
            return Label("model", f"calibrated by {calibration.name}")
        split = self.predictor.split(outcome)
        label = prediction_label(self.network, self.groups, self.request, split)
        if label == MODEL:
            label = published_label(self._published, outcome.message_bytes)
        ideal = label == MODEL or is_estimate(self.groups, self.request)
        return uncertain(self.predictor.cluster, label, outcome.algorithm) if ideal else label

    @cached_property
    def _published(self) -> BandClass | None:
        """The class of systems whose published results apply."""
        return None if self.predictor is None else band_class(self.predictor.cluster)[0]

    @property
    def _coverage(self) -> str:
        """What is published of such systems, of the collective that is asked for."""
        kind = self._published
        return coverage_words(kind, self.request.collective) if kind else ""

    @cached_property
    def _tiers(self) -> tuple[Tier, ...]:
        return tiers(self.plan, self.network.slots, device_counts(self.plan), self.cables)

    def prediction(self) -> Prediction:
        """Busbw and tiers, as used to preview an edit."""
        predictor = self.predictor
        outcome = predictor.at(self.request.message_bytes) if predictor is not None else None
        label = UNKNOWN
        if outcome is not None and self.groups is not None:
            # a bound takes half of the work: only where predictions are known to exceed it
            looked_at = may_exceed(self.flows, self.request.collective)
            label = self.label(outcome) if looked_at else self._kind(outcome)
        return Prediction(
            gpus=self.network.world.gpus,
            collective=self.request.collective,
            busbw_GBps=outcome.busbw_GBps if outcome else None,
            tiers=self._tiers,
            busbw_label=label,
        )

    def analysis(self) -> Analysis:
        """All figures."""
        plan, network, request = self.plan, self.network, self.request
        rows = self._tiers
        predictor, stopped = self._prediction
        findings = [*design_findings(plan, network, rows), *stopped]
        groups, best, label = self.groups, self.best, UNKNOWN
        outcome: PredictedCollective | None = None
        step = held = split = None
        if predictor is not None and groups is not None:
            outcome = predictor.at(request.message_bytes)
            label, held = self.label(outcome), self.held_GBps(outcome)
            split = predictor.split(outcome)
            if label.kind != "at least":
                step = next_step(predictor, request.message_bytes)
            findings += model_findings(predictor, request, outcome)
            findings += routing_findings(predictor, outcome, best.busbw_GBps)
            findings += self.above_bound(outcome)
        modelled = not beyond_model(network.world.groups)
        halves = bisection(network) if network.world.nccl_nodes > 1 and modelled else None
        loads = [d.load(outcome.algbw_GBps) for d in outcome.demands] if outcome else []
        in_nodes = self.in_nodes if outcome and outcome.algorithm == IN_NODES else None
        band, no_band = self._band(outcome, label, held)
        return Analysis(
            design=plan.design.name,
            gpus=network.world.gpus,
            nodes=network.world.nodes,
            nvlink_domains=network.world.nccl_nodes if network.world.joined else 0,
            gpu_links=min(
                (group.gpu_links for group in network.world.groups),
                key=lambda one: one not in LINKS_NOT_MODELLED,
                default="nvlink",
            ),
            communicator=_communicator(groups, request, network.world.gpus),
            collective=request.collective,
            message_bytes=request.message_bytes,
            algorithm=outcome.algorithm if outcome else "",
            protocol=outcome.protocol if outcome else "",
            channels=outcome.channels if outcome else None,
            busbw_GBps=outcome.busbw_GBps if outcome else None,
            algbw_GBps=outcome.algbw_GBps if outcome else None,
            time_us=outcome.time_us if outcome else None,
            latency_us=outcome.latency_us if outcome else None,
            limited_by=outcome.limited_by if outcome else None,
            busbw_label=label,
            band=band,
            no_band=no_band,
            published=self._coverage if outcome else "",
            bound_busbw_GBps=best.busbw_GBps,
            bound_label=best.label,
            bound_with_reduction_GBps=self.reduced_GBps,
            reduced_label=self.reduced_label,
            bound_in_nodes_GBps=in_nodes.busbw_GBps if in_nodes else None,
            in_nodes_label=in_nodes.label if in_nodes else REDUCED,
            limits=tuple(sorted(loads, key=lambda load: -load.utilization)),
            bound_cut=self._named(best.cut),
            tiers=rows,
            bisection_GBps=float(halves.leaving) if halves else None,
            bisection_label=(
                with_unverified(
                    Label("bound" if halves.is_even else "exact", halves.words),
                    halves.severed.cut,
                    network,
                    self.catalog,
                )
                if halves
                else HALVES
            ),
            findings=tuple(worst_first(findings)),
            next_step=step,
            nccl=str(request.version) if plan.nccl else None,
            routing=request.routing.mode,
            assumed=() if predictor is None else assumptions_of(predictor.cluster, split),
            path=(
                farthest_path(network)
                if network.world.nccl_nodes > 1 and not self._is_apart
                else None
            ),
        )

    def _band(
        self, outcome: PredictedCollective | None, label: Label, held: float | None
    ) -> tuple[ErrorBand | None, str]:
        """The band of published results, capped at the bound; else the reason why there is none."""
        if outcome is None or self.predictor is None:
            return None, ""
        if outcome.calibrated:
            return None, f"no band of published results: {label.of}"
        if label.of in (PUBLISHED_SLOWER, ONE_SLOWER):
            return None, f"no band: {label.why}"
        if label.kind == "at most":
            return None, f"no band: {label.of}"
        band = band_of(self.predictor.cluster, self.request.message_bytes)
        if isinstance(band, str):
            return None, band
        most = min(held or float("inf"), self.predictor.most_GBps(outcome))
        return band.below(most / outcome.busbw_GBps - 1), ""

    def _named(self, cut: tuple[CutLink, ...]) -> tuple[CutLink, ...]:
        """The links of a cut, with GPU links of other makers under their own names."""
        names: dict[str, str] = {}
        for group in self.network.world.groups:
            gpu = self.catalog.get(group.node.gpu) if group.node else None
            if isinstance(gpu, Gpu) and gpu.nvlink and not is_modelled(gpu):
                own = f"{group.name} {GPU_LINK_NAMES[gpu.nvlink.kind]}"
                names[inside_name(group.name, "nvlink")] = own
        return tuple(replace(each, link=names.get(each.link, each.link)) for each in cut)

    def _cannot_run(self) -> tuple[Finding, ...]:
        """Findings that say why no collective can run; empty where one can."""
        world = self.network.world
        if world.gpus == 0:
            unknown = [name for name, group in self.plan.groups.items() if group.part is None]
            lost = tuple(name for name, group in self.plan.groups.items() if gpus_of(group))
            severity: Severity | None = "warning" if lost else None
            return (found("no-gpus", DESIGN, severity, unknown=tuple(unknown), lost=lost),)
        if world.gpus == 1:
            return (found("one-gpu", DESIGN),)
        groups = self._groups_or_finding
        if isinstance(groups, Finding):
            return (groups,)
        mode = self.request.routing.mode
        for _, text in routing_problems(self.plan.design, mode):
            return (found("routing-does-not-fit", at_block("routing"), routing=mode, reason=text),)
        if groups.size == 1:
            return (found("group-of-one", at_block("communicator"), kind=groups.kind),)
        if (dark := without_nvlinks(self.plan)) is not None:
            place, switches = at_group(dark.link.nodes), dark.link.switches
            said: dict[str, Fact] = {"switches": switches, "at": dark.at, "alone": dark.alone}
            return (found("no-nvlink-up", place, **said),)
        return () if groups.nodes == 1 else self._cut_off()

    def _cut_off(self) -> tuple[Finding, ...]:
        """Node groups that no collective reaches."""
        live = self.network.live_slots
        reached = {name for (name, _), slots in live.items() if slots}
        dead = {name: name not in reached for (name, _), slots in live.items() if not slots}
        return tuple(
            found("unreachable", at_group(name), every_node=every) for name, every in dead.items()
        )


def _communicator(groups: Groups | None, request: Request, gpus: int) -> Communicator:
    job = request.job
    if groups is None:
        return Communicator(
            job.group_for(request.collective),
            gpus if not job.layout.sizes else 0,
            1,
            str(job.layout),
        )
    return Communicator(groups.kind, groups.size, groups.concurrent, str(job.layout), job.placement)
