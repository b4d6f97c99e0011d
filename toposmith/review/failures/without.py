"""The figures of a design without some of it: what collectives keep, and whom they lose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.analysis.bounds.all_gather import FlowNetworks
from toposmith.analysis.bounds.best import best_possible
from toposmith.analysis.bounds.bisection import may_exceed
from toposmith.analysis.jobs.communicator import Groups, groups_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.figure_labels import (
    prediction_label,
    split_label,
    too_high,
    too_high_finding,
)
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.predictor import Predictor
from toposmith.analysis.reduced import NeedsClasses, can_be_reduced, reduced
from toposmith.analysis.reduction import above_bound
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.traffic.algorithm_loads import Traffic
from toposmith.analysis.traffic.detour_loads import DetourSplit
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.catalog import Catalog, Gpu
from toposmith.catalog.part_text import domain_noun
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.nvlink_links import without_nvlinks
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.labels import UNKNOWN, Label
from toposmith.review.failures.breakable import (
    NVLINK_SWITCH_TRAY,
    Failure,
    FailureClass,
    failure_classes,
)
from toposmith.review.failures.survivors import also_down, survivors
from toposmith.text import counted


@dataclass(frozen=True)
class KeptBandwidth:
    """A collective's busbw before and after, GB/s; where there is none after, why.

    ``label`` is the label of these figures.
    """

    collective: Collective
    before_GBps: float | None
    after_GBps: float | None
    why: str
    label: Label

    @property
    def kept(self) -> float | None:
        """The share of the bandwidth that is kept, at most 1; None as :attr:`share`."""
        return None if self.share is None else min(1.0, self.share)

    @property
    def share(self) -> float | None:
        """What is kept of the bandwidth; None where either is unknown, 0 where nothing runs.

        Nor is it known of figures that are at least or at most so much.
        """
        return None if self.label.sign else self.modelled_share

    @property
    def modelled_share(self) -> float | None:
        """The share of the bandwidth that is kept in the model; None without a figure before."""
        if not self.before_GBps:
            return None
        return 0.0 if self.after_GBps is None else self.after_GBps / self.before_GBps


@dataclass(frozen=True)
class DegradedDesign:
    """A design after one or more failures.

    The figures are those of the GPUs that still reach each other: a job starts again without the
    others.

    Parameters
    ----------
    failures : tuple of Failure
        What failed at once.
    kept : tuple of KeptBandwidth
        By collective, in the order asked for.
    gpus_cut_off : int
        GPUs that took part before and do not after, those of failed nodes among them.
    parts : int
        How many parts the nodes that are left fall into.
    gpus_before : int
        GPUs that took part before.
    pairs : int
        Of two failures, how many pairs of things come to the same; 0 where they are not counted.
    """

    failures: tuple[Failure, ...]
    kept: tuple[KeptBandwidth, ...]
    gpus_cut_off: int
    parts: int
    gpus_before: int
    pairs: int = 0

    @property
    def whole_share(self) -> float | None:
        """The least share of the bandwidth kept, times that of the GPUs; None where unknown.

        A handful of GPUs alone may be quicker than the whole cluster was; that is no gain.
        """
        shares = [kept.modelled_share for kept in self.kept if kept.modelled_share is not None]
        if not shares:
            return None
        left = 1 - self.gpus_cut_off / self.gpus_before if self.gpus_before else 0.0
        return min(1.0, *shares) * left

    @property
    def worst_share(self) -> float | None:
        """The least that any collective keeps of its bandwidth; None where that is not known."""
        if any(kept.label.sign for kept in self.kept):
            return None
        shares = [kept.share for kept in self.kept if kept.share is not None]
        return min(shares, default=None)


@dataclass(frozen=True)
class Intact:
    """A design before anything fails, with its figures."""

    plan: Plan
    catalog: Catalog
    request: Request
    network: ComputeNetwork
    figures: Mapping[Collective, tuple[float | None, str]]
    gpus: int
    labels: Mapping[Collective, Label]
    findings: tuple[Finding, ...] = ()

    @cached_property
    def by_difference(self) -> bool:
        """Whether only what a failure changes is computed anew."""
        mode = self.request.routing.on(self.plan.design).mode
        if mode == "adaptive":
            # what it loses is lost where a switch has several cables to another, which may fail
            between = self.network.classes.graph.edges(data=True)
            single = all(
                data["per"][u] == data["peers"][u]
                for u, v, data in between
                if u[0] == v[0] == "device"
            )
            return single and can_be_reduced(self.network)
        return mode == "ideal" and can_be_reduced(self.network)


def intact(
    plan: Plan, catalog: Catalog, request: Request, collectives: Sequence[Collective]
) -> Intact:
    """The figures of a design as it stands.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up; what is down already stays down.
    catalog : Catalog
        For the insides of nodes.
    request : Request
        What is asked; its collective is replaced by each of ``collectives``.
    collectives : sequence of str
        What is computed for every failure.
    """
    network = ComputeNetwork(plan)
    placed: dict[str, Traffic] = {}
    figures = figures_of(network, catalog, request, collectives, placed)
    labels, findings = _labels(network, catalog, request, figures, placed)
    gpus = network.world.gpus
    return Intact(plan, catalog, request, network, figures, gpus, labels, findings)


def _uncertain(placed: Mapping[str, Traffic], collective: Collective) -> DetourSplit | None:
    """A split of a collective's flows that makes its figure no more than a bound, if any."""
    exchange = COLLECTIVES[collective].runs == "pairs"
    splits = (each.split for each in placed.values() if (each.pattern == "pairs") == exchange)
    return next((split for split in splits if split_label(split)), None)


def _labels(
    network: ComputeNetwork,
    catalog: Catalog,
    request: Request,
    figures: Mapping[Collective, tuple[float | None, str]],
    placed: Mapping[str, Traffic],
) -> tuple[dict[Collective, Label], tuple[Finding, ...]]:
    """What kind of figure each is, and what to know of those above their bound."""
    flows = FlowNetworks(network, catalog)
    labels: dict[Collective, Label] = {}
    findings: list[Finding] = []
    for collective, (busbw, _) in figures.items():
        groups = _groups(network, replace(request, collective=collective))
        if busbw is None or isinstance(groups, str):
            labels[collective] = UNKNOWN
            continue
        labels[collective] = prediction_label(
            network,
            groups,
            replace(request, collective=collective),
            _uncertain(placed, collective),
        )
        if groups.nodes > 1 and may_exceed(flows, collective):
            best = best_possible(flows, groups, collective)
            held = best.busbw_GBps
            if held is not None and above_bound(busbw, held):
                labels[collective] = too_high(held)
                findings.append(too_high_finding(collective, busbw, held, best.label.of))
    return labels, tuple(findings)


def without(intact: Intact, failures: Sequence[Failure]) -> DegradedDesign:
    """The figures without what failed, for the nodes that still reach each other."""
    selectors = tuple(text for failure in failures for text in failure.selectors)
    collectives = tuple(intact.figures)
    placed: dict[str, Traffic] = {}
    by_difference = _by_difference(intact, selectors, placed)
    if by_difference is not None:
        gpus, parts, after = by_difference
    else:
        placed.clear()
        plan = also_down(intact.plan, intact.catalog, selectors)
        network = standing = ComputeNetwork(plan)
        left = survivors(network)
        gpus, parts = left.gpus, left.parts
        if left.cut_off:
            network = ComputeNetwork(also_down(plan, intact.catalog, left.cut_off))
        after = figures_of(network, intact.catalog, intact.request, collectives, placed)
        after |= _between_nodes_no_more(intact, standing, network)
    splits = {c: _uncertain(placed, c) for c in collectives}
    labels = {c: label for c, s in splits.items() if (label := split_label(s))}
    kept = tuple(
        KeptBandwidth(c, intact.figures[c][0], *after[c], label=labels.get(c, intact.labels[c]))
        for c in collectives
    )
    return DegradedDesign(tuple(failures), kept, intact.gpus - gpus, parts, intact.gpus)


def _by_difference(
    intact: Intact, selectors: Sequence[str], placed: dict[str, Traffic]
) -> tuple[int, int, dict[Collective, tuple[float | None, str]]] | None:
    """GPUs that are left, in how many parts, and the figures, from what differs from before.

    None where that is not known of the fabric, or of what failed.
    """
    left = reduced(intact.network, selectors) if intact.by_difference else None
    if left is None or left.lost is None:
        return None
    try:
        figures = figures_of(left, intact.catalog, intact.request, tuple(intact.figures), placed)
    except NeedsClasses:
        return None
    return intact.gpus - left.lost.gpus, left.lost.parts, figures


def _between_nodes_no_more(
    start: Intact, standing: ComputeNetwork, left: ComputeNetwork
) -> dict[Collective, tuple[float | None, str]]:
    """Of collectives that ran between nodes and would run inside one: that nothing is kept.

    NVLink inside a node is often quicker than the network was, which says nothing of that.
    """
    gpus = counted(left.world.gpus, "GPU")
    lost = "network lost; " if standing.world.nccl_nodes > 1 else "nothing between nodes; "
    links = [group.gpu_links for group in left.world.groups]
    one = domain_noun(links[0]) if links and left.world.nodes > 1 else "node"
    why = f"{lost}{gpus} of one {one} remain"
    found: dict[Collective, tuple[float | None, str]] = {}
    for collective in start.figures:
        request = replace(start.request, collective=collective)
        before, after = _groups(start.network, request), _groups(left, request)
        if isinstance(before, str) or isinstance(after, str):
            continue
        if before.nodes > 1 and after.nodes == 1 and left.world.nccl_nodes == 1:
            found[collective] = None, why
    return found


def figures_of(
    network: ComputeNetwork,
    catalog: Catalog,
    request: Request,
    collectives: Sequence[Collective],
    placed: dict[str, Traffic] | None = None,
) -> dict[Collective, tuple[float | None, str]]:
    """Busbw of each collective, GB/s, or None with the reason; ``placed`` keeps the traffic."""
    placed = {} if placed is None else placed
    return {
        collective: _busbw(network, catalog, replace(request, collective=collective), placed)
        for collective in collectives
    }


def _busbw(
    network: ComputeNetwork, catalog: Catalog, request: Request, placed: dict[str, Traffic]
) -> tuple[float | None, str]:
    groups = _groups(network, request)
    if isinstance(groups, str):
        return None, groups
    if groups.nodes > 1 and not all(network.live_slots.values()):
        return None, "some nodes have no cabled NIC"
    cluster = NcclTopology(network, catalog, request, groups)
    if (dark := without_nvlinks(network.plan)) is not None:
        lost = "cable between joined racks" if dark.alone else "NVLink switch of a rack"
        return None, f"no {lost} is up"
    if cluster.not_modelled:
        return None, f"what collectives take of {cluster.not_modelled[1]} is not public"
    if cluster.graphs is None:
        return None, "NCCL finds no channels between its GPUs"
    # how many cables there are counts in tables only, not in the figure
    cables = {link.index: 0 for link in network.plan.every_link}
    try:
        outcome = Predictor(cluster, cables, None, placed).at(request.message_bytes)
    except Unreachable as gap:
        return None, gap.words
    except ValueError as reason:
        return None, str(reason)
    return outcome.busbw_GBps, ""


def _groups(network: ComputeNetwork, request: Request) -> Groups | str:
    """Who takes part, or why none does."""
    if network.world.gpus < 2:
        return "a collective needs at least two GPUs"
    groups = groups_of(network.world, request.job, request.collective)
    if isinstance(groups, Finding):
        return groups.text
    return "groups have one rank each: nothing to exchange" if groups.size == 1 else groups


def without_each(start: Intact) -> Iterator[tuple[str, DegradedDesign]]:
    """What is left without one cable or switch of every class, and which of both it is."""
    for each in failure_classes(start.network, start.catalog):
        if each.kind not in ("node", "NIC"):
            kind = "cable" if each.kind == "cable" else "switch"
            yield kind, without(start, (each.member(),))


def switch_tray_losses(start: Intact) -> Iterator[DegradedDesign]:
    """What is kept without one switch tray, for every group of nodes that it joins."""
    collectives = tuple(start.figures)
    for name, trays, gpu, left in _tray_groups(start.network, start.catalog):
        failure = Failure(NVLINK_SWITCH_TRAY, name, (), trays)
        fewer = _with_links(start.catalog, gpu, left)
        after = figures_of(start.network, fewer, start.request, collectives)
        kept = tuple(
            KeptBandwidth(each, start.figures[each][0], *after[each], label=start.labels[each])
            for each in collectives
        )
        yield DegradedDesign((failure,), kept, 0, 1, start.gpus)


def _tray_groups(network: ComputeNetwork, catalog: Catalog) -> Iterator[tuple[str, int, Gpu, int]]:
    """Groups of racks: how many switch trays they have, the GPUs, and their links without one.

    Trays that are not drawn are those of the rack, where links divide evenly over these.
    """
    for group in network.world.groups if network.world.joined else ():
        gpu = catalog.get(group.node.gpu) if group.node else None
        if group.nvlink is not None or not isinstance(gpu, Gpu) or gpu.nvlink is None:
            continue
        trays = group.node.nvlink.switch_trays if group.node and group.node.nvlink else None
        links = gpu.nvlink.links
        if trays and 1 < trays <= links and links % trays == 0:
            many = trays * sum(block.group.name == group.name for block in network.world.blocks)
            yield group.name, many, gpu, links - links // trays


def _with_links(catalog: Catalog, gpu: Gpu, links: int) -> Catalog:
    """The catalog with so many NVLinks on a GPU."""
    assert gpu.nvlink is not None
    fewer = gpu.model_copy(update={"nvlink": gpu.nvlink.model_copy(update={"links": links})})
    return Catalog([fewer if part.id == gpu.id else part for part in catalog])


# Every pair of things that can fail together: one pair for each class of pairs, counted.
#
# With one thing of a class down, what is left falls into classes again: one of each of these,
# beside the thing that is down, represents all equivalent pairs. A pair of which one takes the
# other down or leaves it without a cable, such as a switch and its cable, is the failure of the one
# and no pair.

MOST_CLASSES = 1_000
"""Classes of pairs beyond which a sample is drawn: each is a computation of its own."""


@dataclass(frozen=True)
class PairClass:
    """Two things, and how many ordered pairs of things are like them.

    Two things of one place come in either order: then every pair is counted twice.
    """

    failures: tuple[Failure, Failure]
    ordered: int

    @property
    def of_one_place(self) -> bool:
        """Whether both things are of one group, link or NIC."""
        return self.failures[0].what == self.failures[1].what


def pair_classes(start: Intact, classes: Sequence[FailureClass]) -> tuple[PairClass, ...] | None:
    """All classes of pairs; None where they are more than can be looked at.

    Parameters
    ----------
    start : Intact
        The design as it is.
    classes : sequence of FailureClass
        What can fail in it.
    """
    if len(classes) ** 2 > 2 * MOST_CLASSES:
        return None
    order: dict[str, int] = {}
    kinds: dict[str, str] = {}
    for each in classes:
        order.setdefault(each.what, len(order))
        kinds.setdefault(each.what, each.kind)  # without one a switch may count to another tier
    found: list[PairClass] = []
    for each in classes:
        first = each.member()
        broken = also_down(start.plan, start.catalog, first.selectors)
        for other in failure_classes(ComputeNetwork(broken), start.catalog):
            if order.get(other.what, -1) < order[each.what]:
                continue
            second = replace(other.member(), kind=kinds[other.what])
            found.append(PairClass((first, second), each.members * other.members))
        if len(found) > MOST_CLASSES:
            return None
    return tuple(found)


def merged(outcomes: Iterable[tuple[PairClass, DegradedDesign]]) -> tuple[DegradedDesign, ...]:
    """Outcomes of pairs of the same places with the same figures as one, with how many pairs.

    Things of one place are paired in either order, and so are counted twice before.
    """
    alike: dict[tuple[object, ...], list[tuple[PairClass, DegradedDesign]]] = {}
    for pair, outcome in outcomes:
        figures = tuple(f"{kept.after_GBps or 0:.6g}" for kept in outcome.kept)
        whats = tuple(failure.what for failure in pair.failures)
        key = (*whats, *figures, outcome.gpus_cut_off, outcome.parts)
        alike.setdefault(key, []).append((pair, outcome))
    found = []
    for members in alike.values():
        pair, outcome = members[0]
        ordered = sum(each.ordered for each, _ in members)
        many = ordered // 2 if pair.of_one_place else ordered
        found.append(replace(outcome, failures=pair.failures, pairs=many))
    return tuple(found)
