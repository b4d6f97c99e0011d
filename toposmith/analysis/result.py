"""The results of an analysis: frozen values that screens and files show."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toposmith.analysis.prediction.error_band import ESTIMATE, ErrorBand, reached_by_exchanges
from toposmith.analysis.prediction.path_latency import PathLatency
from toposmith.analysis.reduction import IN_NODES, above_bound, reduces_in_switches
from toposmith.analysis.request import Collective
from toposmith.catalog.pieces import GpuLink
from toposmith.findings.finding import Finding
from toposmith.labels import MODEL, UNKNOWN, Label, Labelled, inverse
from toposmith.labels import as_data as label_data
from toposmith.text import counted, oversubscription, oversubscriptions

BoundIs = Literal["exact", "bound", "assumed"]

REDUCED = Label("bound", "one-time ingress of one GPU or node")
HALVES = Label("bound", "even halves of the nodes")
SHARE_ASSUMED = Label("model", "of a bound that is assumed")
ABOVE_ITS_BOUND = "the prediction is above its bound: the model leaves out what limits it"


@dataclass(frozen=True)
class LinkLoad:
    """A class of links with its load under the collective.

    Parameters
    ----------
    link : str
        ``node.compute - leaf``, or ``node NVLink`` and ``node PCIe`` inside a node.
    index : int or None
        Which of the design's links it is; None inside a node.
    tier : str
        ``nvlink``, ``pcie``, ``nic``, ``leaf``, ``spine`` or ``core``: the lower end's tier.
    cables : int
        Cables of the class in the cluster.
    capacity_GBps : float
        Line rate of one, GB/s per direction.
    load_GBps : float
        Payload on the most loaded one in its busier direction, GB/s.
    utilization : float
        Load over what the link can carry of such traffic (see ``docs/model.md``); 1 is full.
    usable_GBps : float or None
        Capacity of one for such traffic, GB/s.
    slow_gbit : float or None
        Actual rate of one where that is below the speed of its link, Gb/s.
    """

    link: str
    index: int | None
    tier: str
    cables: int
    capacity_GBps: float
    load_GBps: float
    utilization: float
    usable_GBps: float | None = None
    slow_gbit: float | None = None

    @property
    def words(self) -> str:
        """``node.compute - leaf``; of cables that run slow ``... (slow: 200 Gb/s)``."""
        return load_words(self.link, self.slow_gbit)


def load_words(link: str, slow_gbit: float | None) -> str:
    """The name of a class of links, with the rate of its cables where they are slow."""
    return link if slow_gbit is None else f"{link} (slow: {slow_gbit:g} Gb/s)"


@dataclass(frozen=True)
class CutLink:
    """Links that leave the bottleneck set of the bound: how many, and the capacity of one.

    ``ends`` are the kinds of what they join inside nodes: ``gpu``, ``nic``, ``pcie``, ``cpu``.
    """

    link: str
    index: int | None
    cables: int
    capacity_GBps: float
    ends: frozenset[str] = field(default=frozenset(), compare=False)


@dataclass(frozen=True)
class Tier:
    """One tier of switches: ports towards the nodes, ports away from them, and their ratio.

    Ports are as cabled. ``oversubscription`` is the capacity towards the nodes over that away from
    them, without what is down and with slow cables at their rate; None for the topmost tier, and
    where all uplinks are down.
    ``as_cabled`` is the same with nothing down or slow, where that differs; ``is_whole`` whether
    these are all groups of the tier, else others of it have another ratio.
    """

    tier: str
    groups: tuple[str, ...]
    devices: int
    ports_down: int
    ports_up: int
    oversubscription: float | None
    as_cabled: float | None = None
    is_whole: bool = True

    @property
    def name(self) -> str:
        """``leaf``; ``leaf (a, b)`` where other groups of the tier have another ratio."""
        return self.tier if self.is_whole else f"{self.tier} ({', '.join(self.groups)})"

    @property
    def words(self) -> str:
        """``2:1``; ``4:1, 1:1 as cabled``; empty for the topmost tier."""
        ratio, cabled = self.oversubscription, self.as_cabled
        if cabled is None:
            return "" if ratio is None else oversubscription(ratio)
        if ratio is None:
            return f"no uplink left, {oversubscription(cabled)} as cabled"
        now, then = oversubscriptions(ratio, cabled)
        return f"{now}, {then} as cabled"


@dataclass(frozen=True)
class Assumption:
    """One assumption of a figure.

    Parameters
    ----------
    id : str
        Its stable name, that of the field that changes it.
    name : str
        Its name.
    words : str
        Its value.
    option : str
        The option of the command that changes it; empty where nothing does.
    """

    id: str
    name: str
    words: str
    option: str = ""


@dataclass(frozen=True)
class NextStep:
    """Busbw after the limiting links are doubled, GB/s, and what limits then."""

    link: str
    busbw_GBps: float
    then: str


@dataclass(frozen=True)
class Communicator:
    """The ranks that take part: the size of one group, and the number of concurrent groups.

    ``layout`` and ``placement`` say how ranks are split and where they sit.
    """

    kind: str
    size: int
    concurrent: int
    layout: str = "world"
    placement: str = "packed"

    @property
    def words(self) -> str:
        """The groups: ``world: 64 ranks``, ``dp: 8 groups of 8 ranks``."""
        if not self.size:
            return f"{self.kind}: no ranks"
        ranks = counted(self.size, "rank")
        groups = f"{self.concurrent:,} groups of " if self.concurrent > 1 else ""
        return f"{self.kind}: {groups}{ranks}"


@dataclass(frozen=True)
class Prediction:
    """The part of an analysis that previews an edit: no bound, no next step.

    Parameters
    ----------
    busbw_GBps : float or None
        Busbw per GPU in one direction, GB/s, as nccl-tests reports it; None where it is unknown.
    tiers : tuple of Tier
        Tiers with their oversubscription.
    busbw_label : Label
        Its label.
    """

    gpus: int
    collective: Collective
    busbw_GBps: float | None = None
    tiers: tuple[Tier, ...] = ()
    busbw_label: Label = UNKNOWN

    @property
    def busbw(self) -> Labelled:
        """The figure with its label."""
        return Labelled(self.busbw_GBps, self.busbw_label)


@dataclass(frozen=True)
class Analysis:
    """All figures of a design for one collective at one message size; units are in their names.

    A figure is None where the design does not determine it; a finding then says why. Only the
    parameters that need an explanation are listed.

    Parameters
    ----------
    busbw_label : Label
        Of busbw and algbw, and inverted of times: ``model``, or ``at least`` where links between
        nodes are not in the model.
    limited_by : str or None
        ``latency``, ``channels`` (of NCCL in the node) or ``links``; None without a prediction.
    band : ErrorBand or None
        The range of published results around such predictions.
    no_band : str
        Why there is no band, where there is a prediction.
    published : str
        What is published of such systems; empty where they are of no kind that results are kept of.
    bound_label : Label
        Whether the bound is exact, else what it is a bound of.
    bound_with_reduction_GBps : float or None
        Bound on busbw where switches reduce (NVLS, SHARP), GB/s; all-reduce only.
    reduced_label : Label
        The label of ``bound_with_reduction_GBps``.
    bound_in_nodes_GBps, in_nodes_label : float or None, Label
        Where NVSwitches reduce and no switch between nodes; of an NVLSTree only.
    assumed : tuple of Assumption
        The assumptions of the prediction; empty where there is none.
    bisection_label : Label
        The label of ``bisection_GBps``: assumed where the cut rests on unverified facts.
    path : PathLatency or None
        The path between the two nodes that are farthest apart.
    nvlink_domains : int
        The number of NVLink domains of several nodes; 0 where nodes are not joined.
    gpu_links : str
        The kind of GPU links, of the first group where there are several; one without a public
        model takes precedence.
    """

    design: str
    gpus: int
    nodes: int
    communicator: Communicator
    collective: Collective
    message_bytes: int
    algorithm: str = ""
    protocol: str = ""
    channels: int | None = None
    busbw_GBps: float | None = None
    algbw_GBps: float | None = None
    time_us: float | None = None
    latency_us: float | None = None
    limited_by: str | None = None
    busbw_label: Label = UNKNOWN
    band: ErrorBand | None = None
    no_band: str = ""
    published: str = ""
    bound_busbw_GBps: float | None = None
    bound_label: Label = UNKNOWN
    bound_with_reduction_GBps: float | None = None
    reduced_label: Label = REDUCED
    bound_in_nodes_GBps: float | None = None
    in_nodes_label: Label = REDUCED
    limits: tuple[LinkLoad, ...] = ()
    bound_cut: tuple[CutLink, ...] = ()
    tiers: tuple[Tier, ...] = ()
    bisection_GBps: float | None = None
    bisection_label: Label = HALVES
    findings: tuple[Finding, ...] = ()
    next_step: NextStep | None = None
    nccl: str | None = None
    routing: str = "ideal"
    assumed: tuple[Assumption, ...] = ()
    path: PathLatency | None = None
    nvlink_domains: int = 0
    gpu_links: GpuLink = "nvlink"

    @property
    def busbw(self) -> Labelled:
        """The figure with its label."""
        return Labelled(self.busbw_GBps, self.busbw_label)

    @property
    def bound_is(self) -> BoundIs | None:
        """The kind of bound in one word, for JSON; None where there is no bound."""
        if self.bound_busbw_GBps is None:
            return None
        kind = self.bound_label.kind
        return kind if kind == "exact" or kind == "assumed" else "bound"

    @property
    def reduces(self) -> bool:
        """Whether switches sum up in what runs (NVLS, SHARP), so that they bound it otherwise."""
        return reduces_in_switches(self.collective, self.algorithm)

    @property
    def reduces_in_nodes(self) -> bool:
        """Whether NVSwitches sum up, and no switch between nodes (NVLSTree)."""
        return self.reduces and self.algorithm == IN_NODES

    @property
    def bound(self) -> Labelled:
        """The bound that holds for what runs: with reduction in those switches that reduce."""
        if self.reduces_in_nodes:
            return Labelled(self.bound_in_nodes_GBps, self.in_nodes_label)
        if self.reduces:
            return Labelled(self.bound_with_reduction_GBps, self.reduced_label)
        return Labelled(self.bound_busbw_GBps, self.bound_label)

    @property
    def other_bound(self) -> Labelled | None:
        """The bound of what does not run: without reduction where switches reduce; None if alike.

        Only an all-reduce has two.
        """
        if self.bound_with_reduction_GBps is None:
            return None
        if self.reduces:
            return Labelled(self.bound_busbw_GBps, self.bound_label)
        return Labelled(self.bound_with_reduction_GBps, self.reduced_label)

    @property
    def share_label(self) -> Label:
        """The label of :attr:`share_of_bound`: ``model``, or ``assumed`` where the bound is."""
        if self.share_of_bound is None:
            above = self.bound.value is not None and self.busbw_GBps is not None
            return replace(UNKNOWN, why=ABOVE_ITS_BOUND if above else self.bound.label.why)
        return SHARE_ASSUMED if self.bound.label.kind == "assumed" else MODEL

    @property
    def share_of_bound(self) -> float | None:
        """Predicted busbw over the bound that holds for what runs, at most 1.

        None where either is unknown, and where the prediction is above its bound: it leaves out
        what limits it, so that nothing is known of the share that is reached.
        """
        bound, busbw = self.bound.value, self.busbw_GBps
        if not bound or busbw is None or above_bound(busbw, bound):
            return None
        return min(busbw / bound, 1.0)

    @property
    def limiting(self) -> tuple[LinkLoad, ...]:
        """The links that limit the figure; none where latency or NCCL's channels do.

        Those whose utilisation is the highest, within a per mille.
        """
        if not self.limits or self.limited_by in ("latency", "channels"):
            return ()
        highest = max(load.utilization for load in self.limits)
        return tuple(load for load in self.limits if load.utilization >= 0.999 * highest > 0)


def as_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis under the stable keys that other tools read (see ``docs/analyze-json.md``)."""
    return {
        "toposmith": 1,
        "design": analysis.design,
        "gpus": analysis.gpus,
        "nodes": analysis.nodes,
        **({"nvlink_domains": analysis.nvlink_domains} if analysis.nvlink_domains else {}),
        "communicator": {
            "kind": analysis.communicator.kind,
            "size": analysis.communicator.size,
            "concurrent": analysis.communicator.concurrent,
        },
        "layout": analysis.communicator.layout,
        "placement": analysis.communicator.placement,
        "collective": analysis.collective,
        "message_bytes": analysis.message_bytes,
        "algorithm": analysis.algorithm,
        "protocol": analysis.protocol,
        "channels": analysis.channels,
        "busbw_GBps": _rounded(analysis.busbw_GBps),
        "algbw_GBps": _rounded(analysis.algbw_GBps),
        "time_us": _rounded(analysis.time_us),
        "bound_busbw_GBps": _rounded(analysis.bound_busbw_GBps),
        "bound_is": analysis.bound_is,
        "predicted_is": "model",
        "nccl": analysis.nccl,
        "routing": analysis.routing,
        "latency_us": _rounded(analysis.latency_us),
        "limited_by": analysis.limited_by,
        "band": _band(analysis.band),
        "bound_with_reduction_GBps": _rounded(analysis.bound_with_reduction_GBps),
        "bound_of_what_runs_GBps": _rounded(analysis.bound.value),
        "share_of_bound": _rounded(analysis.share_of_bound),
        "next_step": _step(analysis.next_step),
        "wire_latency_us": _rounded(analysis.path.latency_us) if analysis.path else None,
        "switches_on_the_way": len(analysis.path.switches) if analysis.path else None,
        "limits": [
            {
                "link": load.link,
                "tier": load.tier,
                "cables": load.cables,
                "capacity_GBps": _rounded(load.capacity_GBps),
                "load_GBps": _rounded(load.load_GBps),
                "utilization": _rounded(load.utilization),
                "slow_gbit": load.slow_gbit,
            }
            for load in analysis.limits
        ],
        "bound_cut": [
            {
                "link": cut.link,
                "cables": cut.cables,
                "capacity_GBps": _rounded(cut.capacity_GBps),
            }
            for cut in analysis.bound_cut
        ],
        "tiers": [
            {
                "tier": tier.tier,
                "groups": list(tier.groups),
                "devices": tier.devices,
                "ports_down": tier.ports_down,
                "ports_up": tier.ports_up,
                "oversubscription": _rounded(tier.oversubscription),
                "oversubscription_as_cabled": _rounded(
                    tier.oversubscription if tier.as_cabled is None else tier.as_cabled
                ),
            }
            for tier in analysis.tiers
        ],
        "bisection_GBps": _rounded(analysis.bisection_GBps),
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "where": finding.where,
                "text": finding.text,
                **({"waived": finding.waived.as_data()} if finding.waived else {}),
            }
            for finding in analysis.findings
        ],
        "labels": _labels(analysis),
        "no_band": analysis.no_band or None,
        "published": analysis.published or None,
        "assumptions": {one.id: one.words for one in analysis.assumed},
        "estimate": _estimate(analysis.busbw_label),
    }


def _labels(analysis: Analysis) -> dict[str, dict[str, str]]:
    """The label of each figure; of null figures, the reason."""
    rate = analysis.busbw_label if analysis.busbw_GBps is not None else UNKNOWN
    bound, unknown = analysis.bound_label, replace(UNKNOWN, why=analysis.bound_label.why)
    reduced, halves = analysis.bound_with_reduction_GBps, analysis.bisection_label
    holds = analysis.bound
    return {
        "busbw_GBps": label_data(rate),
        "algbw_GBps": label_data(rate),
        "time_us": label_data(inverse(rate)),
        "bound_busbw_GBps": label_data(bound if analysis.bound_busbw_GBps else unknown),
        "bound_with_reduction_GBps": label_data(analysis.reduced_label if reduced else unknown),
        "bound_of_what_runs_GBps": label_data(holds.label if holds.value else unknown),
        "share_of_bound": label_data(analysis.share_label),
        "bisection_GBps": label_data(halves if analysis.bisection_GBps else unknown),
    }


def _band(band: ErrorBand | None) -> dict[str, Any] | None:
    if band is None:
        return None
    return {
        "low": _rounded(band.low),
        "high": _rounded(band.high),
        "curves": band.curves,
        "where": band.where,
        "systems": band.systems,
        "held_out": band.held_out,
        "supports_8_of_10": band.supports_8_of_10,
        "names": list(band.names),
        "most_gpus": band.most_gpus,
        "systems_that_ran": band.ran,
    }


def _estimate(label: Label) -> dict[str, Any] | None:
    """What published runs reached of a figure that is labelled an estimate; else None."""
    reached = reached_by_exchanges()
    if reached is None or not label.of.startswith(ESTIMATE):
        return None
    return {
        "low": _rounded(reached.low),
        "high": _rounded(reached.high),
        "systems": len(reached.names),
        "names": list(reached.names),
        "most_nodes": reached.most_nodes,
    }


def _step(step: NextStep | None) -> dict[str, Any] | None:
    if step is None:
        return None
    return {"link": step.link, "busbw_GBps": _rounded(step.busbw_GBps), "then": step.then}


def _rounded(figure: float | None) -> float | None:
    """Nine significant digits: keeps the smallest busbw and hides rounding errors of sums."""
    return None if figure is None else float(f"{figure:.9g}")
