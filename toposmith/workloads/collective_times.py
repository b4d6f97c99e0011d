"""What a communication takes on a design: the predictions of the analysis, shared between layouts.

Every answer is that of :func:`toposmith.analysis.analyse.analyse` for the same request;
the plan's network, its cables and every predictor are made once, since groups that lie alike run
alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.best import Best, best_possible, with_reduction
from toposmith.analysis.bounds.bisection import may_exceed
from toposmith.analysis.jobs.communicator import Groups, Job, groups_of
from toposmith.analysis.jobs.parallel_layout import Layout, RankPlacement
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.demands import Demand
from toposmith.analysis.prediction.figure_labels import prediction_label, too_high, too_high_finding
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.reduction import above_bound
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import Catalog
from toposmith.collectives import COLLECTIVES, busbw_factor
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.nvlink_domains import domain_findings
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.fabric.slow_gpus import slow_gpu_findings
from toposmith.findings.finding import Finding, at_block, found
from toposmith.labels import BOUND, MODEL, Label, Labelled
from toposmith.workloads.accelerator import Accelerator
from toposmith.workloads.model import WorkloadError

REDUCE_IN_SWITCHES = ("nvls", "nvls_tree", "collnet_direct", "collnet_chain")
"""NCCL's algorithms that send each byte once, because switches add it up."""


def _at_line_rate(demands: Iterable[Demand]) -> tuple[float, str]:
    """The algbw at which the first class of links is full without overhead, and which that is."""
    loaded = [each for each in demands if each.per_algbw]
    fullest = min(loaded, key=lambda each: each.line / each.per_algbw, default=None)
    return (0.0, "") if fullest is None else (fullest.line / fullest.per_algbw, fullest.link)


@dataclass(frozen=True)
class CollectiveTimes:
    """Predictions for the groups of any layout on one design.

    Parameters
    ----------
    plan : Plan
        The nodes that take part.
    catalog : Catalog
        For their GPUs.
    request : Request
        NCCL's release and the routing; collective, size and groups are those asked for.
    placement, seed
        Of ranks.
    """

    plan: Plan
    catalog: Catalog
    request: Request = field(default_factory=Request)
    placement: RankPlacement = "packed"
    seed: int = 0

    @cached_property
    def network(self) -> ComputeNetwork:
        """The compute network."""
        return ComputeNetwork(self.plan)

    @cached_property
    def _cables(self) -> dict[int, int]:
        return dict(cable_counts(self.plan))

    @cached_property
    def _predictors(self) -> dict[tuple[Collective, Groups], Predictor]:
        return {}

    @cached_property
    def _outcomes(self) -> dict[tuple[Collective, Groups, int], PredictedCollective]:
        return {}

    @cached_property
    def _groups(self) -> dict[tuple[Collective, Layout, str], Groups]:
        return {}

    @cached_property
    def _timed(
        self,
    ) -> dict[tuple[Collective, Layout, str, int], tuple[Groups, PredictedCollective]]:
        return {}

    @property
    def between_nodes(self) -> bool:
        """Whether anything that was asked so far goes from node to node."""
        return any(groups.nodes > 1 for _, groups in self._predictors)

    def groups(self, collective: Collective, layout: Layout, kind: str) -> Groups:
        """The groups that run a collective.

        Raises
        ------
        WorkloadError
            Where they do not lie evenly in the nodes.
        """
        key = (collective, layout, kind)
        if key not in self._groups:
            job = Job(layout, kind, self.placement, self.seed)
            found = groups_of(self.network.world, job, collective)
            if isinstance(found, Finding):
                raise WorkloadError([f"layout {layout}: {found.text}"])
            self._groups[key] = found
        return self._groups[key]

    def timed(
        self, collective: Collective, layout: Layout, kind: str, message_bytes: float
    ) -> tuple[Groups, PredictedCollective]:
        """One collective of all groups of a kind at once, and these groups.

        Raises
        ------
        WorkloadError
            Where it cannot run.
        """
        size = max(1, round(message_bytes))
        asked = (collective, layout, kind, size)
        if asked not in self._timed:
            groups = self.groups(collective, layout, kind)
            # groups with equivalent places have equal times, under any names
            key = (collective, replace(groups, kind=""), size)
            if key not in self._outcomes:
                self._outcomes[key] = self._predict(collective, layout, groups, size)
            self._timed[asked] = groups, self._outcomes[key]
        return self._timed[asked]

    def outcome(
        self, collective: Collective, layout: Layout, kind: str, message_bytes: float
    ) -> PredictedCollective:
        """As :meth:`timed`, without the groups."""
        return self.timed(collective, layout, kind, message_bytes)[1]

    def most_of_a_gpu_GBps(self, collective: Collective, groups: Groups) -> float:
        """The busbw that no GPU exceeds, GB/s: what its links take in; of a sum, once each."""
        factor = busbw_factor(collective, groups.size) if collective == "all_reduce" else 1.0
        return self._flows.gpu_GBps[0] * factor

    def line_rate(
        self, collective: Collective, layout: Layout, kind: str, message_bytes: float
    ) -> tuple[Labelled, str]:
        """The busbw of all groups of a kind at once at line rate, and the links that are full then.

        Data goes by rings, or as NCCL sends this size where that takes more, over links without
        protocol overhead; no more than the bound. Unknown where switches join nodes that are not
        modelled.
        """
        groups, outcome = self.timed(collective, layout, kind, message_bytes)
        bound = best_possible(self._flows, groups, collective)
        predictor = self._predictors[collective, replace(groups, kind="")]
        factor = busbw_factor(collective, groups.size)
        chosen = [outcome.demands]
        if COLLECTIVES[collective].tuned:
            chosen.append(predictor.demands("ring"))
        rates = [_at_line_rate(demands) for demands in chosen]
        algbw, link = max(rates, key=lambda rate: rate[0])
        reduced = outcome.algorithm in REDUCE_IN_SWITCHES and collective == "all_reduce"
        most = with_reduction(self._flows, groups) if reduced else bound.busbw_GBps
        if most is None or not link:
            return Labelled(None, bound.label), link
        if most < algbw * factor * (1 - 1e-9):
            cut = " + ".join(dict.fromkeys(each.link for each in bound.cut))
            return Labelled(most, BOUND), cut or link
        return Labelled(algbw * factor, MODEL), link

    def label(self, collective: Collective, groups: Groups, outcome: PredictedCollective) -> Label:
        """What kind of figure the busbw of an outcome is."""
        predictor = self._predictors[collective, replace(groups, kind="")]
        request = replace(self.request, collective=collective)
        label = prediction_label(self.network, groups, request, predictor.split(outcome))
        bound = self._bound(collective, groups)
        if bound is not None and above_bound(outcome.busbw_GBps, bound.busbw_GBps):
            return too_high(bound.busbw_GBps or 0.0)
        return label

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is to be known of all figures that were asked so far."""
        found: list[Finding] = []
        if self.between_nodes:
            found += domain_findings(self.network.world.groups)
        for (collective, groups, _), outcome in self._outcomes.items():
            bound = self._bound(collective, groups)
            held = bound.busbw_GBps if bound is not None else None
            if bound is not None and held and above_bound(outcome.busbw_GBps, held):
                found.append(too_high_finding(collective, outcome.busbw_GBps, held, bound.label.of))
        return tuple(found)

    @property
    def rates_label(self) -> Label:
        """What kind of figure a rate is that rests on all that was asked so far."""
        labels = [self.label(key[0], key[1], out) for key, out in self._outcomes.items()]
        return next((label for label in labels if label.kind != "model"), MODEL)

    def _bound(self, collective: Collective, groups: Groups) -> Best | None:
        """The bound, where predictions are known to exceed it."""
        if groups.nodes == 1 or not may_exceed(self._flows, collective):
            return None
        key = (collective, replace(groups, kind=""))
        if key not in self._bounds:
            self._bounds[key] = best_possible(self._flows, groups, collective)
        return self._bounds[key]

    @cached_property
    def _flows(self) -> FlowNetworks:
        return FlowNetworks(self.network, self.catalog)

    @cached_property
    def _bounds(self) -> dict[tuple[Collective, Groups], Best]:
        return {}

    def _predict(
        self, collective: Collective, layout: Layout, groups: Groups, size: int
    ) -> PredictedCollective:
        key = (collective, replace(groups, kind=""))
        if key not in self._predictors:
            job = Job(layout, groups.kind, self.placement, self.seed)
            request = replace(self.request, collective=collective, message_bytes=size, job=job)
            cluster = NcclTopology(self.network, self.catalog, request, groups)
            if groups.nodes > 1:
                self._require_cabled()
            if cluster.not_modelled:
                link = cluster.not_modelled[1]
                raise WorkloadError([f"design: what collectives take of {link} is not public"])
            if cluster.graphs is None:
                raise WorkloadError(["design: NCCL finds no channels between its GPUs"])
            self._predictors[key] = Predictor(cluster, self._cables)
        try:
            return self._predictors[key].at(size)
        except Unreachable as gap:
            text = f"design: {gap.words}"
            raise WorkloadError([text]) from None

    def _require_cabled(self) -> None:
        """Refuse nodes that no network reaches."""
        dead = [name for (name, _), live in self.network.live_slots.items() if not live]
        if dead:
            text = f"{dead[0]}: some of its nodes have no cabled NIC; wire their ports to a switch"
            raise WorkloadError([text])


def cautions(
    plan: Plan, gpus: Iterable[Accelerator], times: Iterable[CollectiveTimes]
) -> tuple[Finding, ...]:
    """Errors of a design, then what holds for the parts of it that a workload runs on.

    Parameters
    ----------
    plan : Plan
        The whole design.
    gpus : iterable of Accelerator
        What the workload computes on.
    times : iterable of CollectiveTimes
        That were asked already, so that it is known which groups leave their nodes.
    """
    findings = [*_errors(plan)]
    for gpu in gpus:
        findings += _mixed(gpu)
    for each in times:
        findings += [*slow_gpu_findings(each.plan), *each.findings]
    return tuple(dict.fromkeys(findings))


def _errors(plan: Plan) -> list[Finding]:
    """What keeps the design from being built; the figures are those of what can be analysed."""
    findings = (*plan.findings, *port_findings(plan))
    return [finding for finding in findings if finding.severity == "error"]


def _mixed(gpu: Accelerator) -> list[Finding]:
    """That unlike GPUs run one job."""
    if not gpu.mix:
        return []
    slowest = min(gpu.mix, key=lambda share: share.half_tflops)
    return [
        found(
            "mixed-gpus",
            at_block("layout"),
            gpus=tuple(share.gpus for share in gpu.mix),
            names=tuple(share.name for share in gpu.mix),
            bf16_tflops=tuple(share.half_tflops for share in gpu.mix),
            slowest=slowest.name,
        )
    ]
