"""The bandwidth that a group needs, as textbooks ask for it, and whether the hardware gives it.

For tensor parallelism of size N with a model of M bytes, each of N GPUs exchanges M/N bytes in
every collective; times the collectives a second that is the bandwidth required. Beside that rule
stand the bytes that an all-gather or a reduce-scatter, and an all-reduce, really send per GPU and
direction (NVIDIA/nccl-tests, doc/PERFORMANCE.md), and what the fabric gives such groups while all
of them run at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal

from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.analysis.jobs.world import world
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog
from toposmith.collectives import LARGEST_MESSAGE_BYTES, busbw_factor
from toposmith.fabric.plan import Plan
from toposmith.labels import Labelled
from toposmith.text import counted, read_message_size
from toposmith.workloads.assess import Assessment
from toposmith.workloads.block import PRECISION_BYTES, Workload
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import divisors, nearest, node_gpus
from toposmith.workloads.memory import stage_layers
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import on_first_nodes
from toposmith.workloads.volumes import BF16_BYTES

BandwidthVerdict = Literal["met", "met at line rate only", "not met", "unknown"]

NIC_GBPS: tuple[tuple[str, float], ...] = (
    ("100GbE", 12.5),
    ("200GbE", 25.0),
    ("HDR", 25.0),
    ("NDR", 50.0),
)
"""Line rates of one port, GB/s per direction: 100, 200, 200 and 400 Gb/s (IEEE 802.3; InfiniBand
Trade Association, roadmap, 4x)."""


@dataclass(frozen=True)
class GroupTraffic:
    """What a group exchanges, and how often.

    Parameters
    ----------
    of : str
        What the bytes are, in words.
    message_bytes : float
        M: what all ranks hold together after an all-gather, or each before an all-reduce.
    per_second : float
        r: collectives a second.
    target : str
        Where r comes from, in words.
    """

    of: str
    message_bytes: float
    per_second: float
    target: str = ""

    def needed_GBps(self, rule: str, ranks: int) -> float:
        """What one of so many ranks sends by a rule, GB/s in each direction."""
        factor = 1 / ranks if rule == "textbook" else busbw_factor(rule, ranks)
        return factor * self.message_bytes * self.per_second / 1e9


@dataclass(frozen=True)
class PlainNumbers:
    """N ranks, M bytes and r a second, without a model; and whether each rank has its own node."""

    ranks: int
    message_bytes: int
    per_second: float
    one_per_node: bool = False

    @property
    def exchange(self) -> GroupTraffic:
        """M and r."""
        return GroupTraffic("plain numbers", self.message_bytes, self.per_second)


@dataclass(frozen=True)
class Rule:
    """One way to count the bytes: its name, its formula, and the collective that is measured."""

    name: str
    words: str
    formula: str
    collective: Collective


RULES = (
    Rule("textbook", "textbook", "M/N x r", "all_gather"),
    Rule("all_gather", "all-gather or reduce-scatter", "(N-1)/N x M x r", "all_gather"),
    Rule("all_reduce", "all-reduce", "2 (N-1)/N x M x r", "all_reduce"),
)


@dataclass(frozen=True)
class NicNeed:
    """How many NICs of one kind a node needs.

    Parameters
    ----------
    nic : str
        As it is sold: ``100GbE``, ``HDR``.
    count : int
        NICs a node that carry it at line rate.
    """

    nic: str
    count: int


@dataclass(frozen=True)
class RequiredLine:
    """One rule beside what the fabric gives.

    Parameters
    ----------
    rule : Rule
        How the bytes are counted.
    needed_GBps : float
        Per GPU and direction.
    line_rate : Labelled
        That the wiring gives at line rate, all groups at once; None where that is not known.
    predicted : Labelled
        Busbw that is predicted at this size, with overhead and latency.
    limited_by : str
        Of the prediction: latency, channels or links.
    link : str
        The links that are full first.
    nics : tuple of NicNeed
        What would do; empty where no byte leaves a node, and where no NIC would.
    gpu_GBps : float
        Busbw that no GPU exceeds however many NICs there are: what its own links take in.
    """

    rule: Rule
    needed_GBps: float
    line_rate: Labelled
    predicted: Labelled
    limited_by: str
    link: str
    nics: tuple[NicNeed, ...]
    gpu_GBps: float

    @property
    def beyond_gpu(self) -> bool:
        """Whether more is needed than the links of a GPU take in, so that no NIC would do."""
        return self.needed_GBps > self.gpu_GBps

    @property
    def holds(self) -> str:
        """What holds the prediction back: latency at small sizes, else the links full first."""
        return "latency" if self.limited_by == "latency" else self.link or self.limited_by

    @property
    def verdict(self) -> BandwidthVerdict:
        """Whether the need is met, as far as the figures tell."""
        predicted, line, kind = (
            self.predicted.value,
            self.line_rate.value,
            self.predicted.label.kind,
        )
        if predicted is not None and predicted >= self.needed_GBps:
            return "unknown" if kind == "at most" else "met"
        if kind == "at least":
            return "unknown"
        if line is not None and line >= self.needed_GBps:
            return "met at line rate only"
        return "not met"

    @property
    def margin(self) -> float | None:
        """The predicted surplus as a share of the need, negative if short; None if unknown."""
        if self.predicted.value is None or self.verdict == "unknown":
            return None
        return self.predicted.value / self.needed_GBps - 1


@dataclass(frozen=True)
class RequiredBandwidth:
    """The exercise for one group and one size.

    Parameters
    ----------
    exchange : GroupTraffic
        M and r.
    ranks, groups, nodes : int
        Of one group (N); groups that run at once; nodes of one group.
    sharing, members : int
        Groups that have ranks in one node, and how many each has there.
    lines : tuple of RequiredLine
        By every rule.
    """

    exchange: GroupTraffic
    ranks: int
    groups: int
    nodes: int
    sharing: int
    members: int
    lines: tuple[RequiredLine, ...]

    @property
    def inside_node(self) -> bool:
        """Whether no byte leaves a node, so that NICs do not count."""
        return self.nodes == 1

    @property
    def gpus_of_node(self) -> int:
        """GPUs of a node that take part."""
        return self.sharing * self.members

    @property
    def ok(self) -> bool:
        """Whether every rule is met."""
        return all(line.verdict == "met" for line in self.lines)

    def at_line_rate(self, nic_GBps: float, nics: int) -> float:
        """GB/s per GPU that so many NICs a node give each ring, where no switch limits."""
        return nic_GBps * nics / self.sharing


def group_of(plan: Plan, ranks: int, *, one_per_node: bool = False) -> tuple[Plan, Layout]:
    """The nodes that take part and the layout in which groups of so many ranks run at once.

    Parameters
    ----------
    plan : Plan
        The design.
    ranks : int
        N.
    one_per_node : bool
        One rank on each of N nodes, and as many groups as a node has GPUs; else ranks fill nodes.

    Raises
    ------
    WorkloadError
        Where they do not lie evenly in the nodes, with the nearest number that does.
    """
    per_node, gpus = node_gpus(plan), world(plan).gpus
    nodes = gpus // per_node
    if ranks < 2:
        raise WorkloadError([f"ranks: {ranks}; a group that exchanges has at least 2"])
    if one_per_node:
        if ranks > nodes:
            text = (
                f"ranks: {ranks:,} with one on each node, the design has {counted(nodes, 'node')}"
            )
            raise WorkloadError([f"{text}; at most {nodes:,} works"])
        part = on_first_nodes(plan, nodes // ranks * ranks)
        return part, Layout((("dp", per_node), ("tp", ranks)))
    if ranks > gpus:
        text = f"ranks: {ranks:,}, the design has {counted(gpus, 'GPU')}; at most {gpus:,} works"
        raise WorkloadError([text])
    if per_node % ranks and ranks % per_node:
        working = [*divisors(per_node)[1:], *range(per_node, gpus + 1, per_node)]
        text = f"ranks: {ranks:,} fill neither whole nodes nor an even share of {per_node} GPUs"
        raise WorkloadError([f"{text}; {nearest(ranks, working)} works"])
    if ranks <= per_node:
        return plan, Layout((("tp", ranks),))
    span = ranks // per_node
    return on_first_nodes(plan, nodes // span * span), Layout((("tp", ranks),))


def of_numbers(
    plan: Plan, catalog: Catalog, numbers: PlainNumbers, request: Request | None = None
) -> RequiredBandwidth:
    """The exercise for plain numbers; raises WorkloadError where a design cannot have it."""
    part, layout = group_of(plan, numbers.ranks, one_per_node=numbers.one_per_node)
    times = CollectiveTimes(part, catalog, request or Request())
    return required_bandwidth(times, layout, numbers.exchange)


def numbers_of(text: str) -> PlainNumbers:
    """Read ``8 16MB 1000``: ranks, size, times a second.

    Raises
    ------
    WorkloadError
        Says what was found and what would be right.
    """
    words = text.split()
    if len(words) != 3:
        raise WorkloadError(["three numbers are needed: ranks, size, times a second: 8 16MB 1000"])
    ranks, size, rate = words
    if not (ranks.isascii() and ranks.isdigit() and len(ranks) <= 9):
        raise WorkloadError([f"{ranks!r} is no number of ranks, as in 8 16MB 1000"])
    found = read_message_size(size) if len(size) <= 40 else None
    if found is None:
        raise WorkloadError([f"{size!r} is no size, as in 8 16MB 1000"])
    try:
        per_second = float(rate.replace(",", ""))
    except ValueError:
        raise WorkloadError([f"{rate!r} is no rate, as in 8 16MB 1000"]) from None
    numbers = PlainNumbers(int(ranks), found, per_second)
    _require_in_range(numbers.exchange)
    return numbers


def required_bandwidth(
    times: CollectiveTimes, layout: Layout, exchange: GroupTraffic
) -> RequiredBandwidth:
    """The need of a tensor-parallel group by every rule, beside what the fabric gives.

    Raises
    ------
    WorkloadError
        Where M or r are not positive, or the groups cannot run.
    """
    _require_in_range(exchange)
    groups = times.groups("all_reduce", layout, _TENSOR)
    if groups.size < 2:
        raise WorkloadError([f"{_TENSOR}: a group of one rank exchanges nothing; 2 or more work"])
    members = groups.members_in(node_gpus(times.plan))
    lines = tuple(_line(times, layout, exchange, rule) for rule in RULES)
    return RequiredBandwidth(
        exchange, groups.size, groups.concurrent, groups.nodes, groups.sharing, members, lines
    )


_TENSOR = "tp"

MOST_PER_SECOND = 1e9
"""More collectives a second than any GPU starts."""

MOST_TOKENS = 1e9
"""More tokens than any pass has."""


def _require_in_range(exchange: GroupTraffic) -> None:
    if not 1 <= exchange.message_bytes <= LARGEST_MESSAGE_BYTES:
        text = f"size: {exchange.message_bytes:g} bytes; from 1 byte to 1 PiB works"
        raise WorkloadError([text])
    if not 0 < exchange.per_second <= MOST_PER_SECOND:
        text = f"per second: {exchange.per_second:g}; more than 0, to {MOST_PER_SECOND:,.0f} works"
        raise WorkloadError([text])


def _line(
    times: CollectiveTimes,
    layout: Layout,
    exchange: GroupTraffic,
    rule: Rule,
) -> RequiredLine:
    groups, outcome = times.timed(rule.collective, layout, _TENSOR, exchange.message_bytes)
    needed = exchange.needed_GBps(rule.name, groups.size)
    line_rate, link = times.line_rate(rule.collective, layout, _TENSOR, exchange.message_bytes)
    label = times.label(rule.collective, groups, outcome)
    most = times.most_of_a_gpu_GBps(rule.collective, groups)
    none = groups.nodes == 1 or needed > most
    return RequiredLine(
        rule,
        needed,
        line_rate,
        Labelled(outcome.busbw_GBps, label),
        outcome.limited_by,
        link,
        () if none else _nics(groups, needed),
        most,
    )


def _nics(groups: Groups, needed: float) -> tuple[NicNeed, ...]:
    """How many of each kind a node needs, whose every group sends all of its ring over them."""
    return tuple(
        NicNeed(nic, max(1, ceil(needed * groups.sharing / rate * (1 - 1e-9))))
        for nic, rate in NIC_GBPS
    )


def exchanges_of(
    workload: Workload, passes_per_s: float, tokens: float, target: str = ""
) -> tuple[GroupTraffic, GroupTraffic]:
    """What tensor parallelism of a model exchanges: by the textbook, and in truth.

    Parameters
    ----------
    workload : Workload
        Its model, and the precision of what it runs.
    passes_per_s : float
        Passes through all layers of the model a second.
    tokens : float
        Of one pass.
    target : str
        Where the rate comes from.

    Raises
    ------
    WorkloadError
        If the tokens are 0 or less, or above ``MOST_TOKENS``.
    """
    if not 0 < tokens <= MOST_TOKENS:
        raise WorkloadError([f"tokens: {tokens:g}; more than 0, to {MOST_TOKENS:,.0f} works"])
    model = workload.model
    each = PRECISION_BYTES[workload.serving.precision] if workload.serving else BF16_BYTES
    weights = float(model.parameters * each)
    return (
        GroupTraffic("the whole model, once a pass", weights, passes_per_s, target),
        GroupTraffic(
            f"activations, {2 * model.layers} all-reduces a pass",
            tokens * model.hidden * BF16_BYTES,
            2 * model.layers * passes_per_s,
            target,
        ),
    )


def required_by(
    plan: Plan, catalog: Catalog, found: Assessment, request: Request | None = None
) -> tuple[RequiredBandwidth, ...]:
    """The exercise for the tensor parallelism of a workload, at its target or what it reaches.

    Empty where it has no tensor parallelism, or no rate because a GPU does not hold it.
    """
    split, workload = found.split, found.workload
    per_node = node_gpus(plan)
    asked: tuple[GroupTraffic, ...] = ()
    layout, gpus = split.communicator("tp"), split.gpus
    if split.tp == 1:
        return ()
    if found.step is not None and workload.training is not None:
        asked = _of_training(found)
    elif found.service is not None and workload.serving is not None:
        asked = _of_serving(found)
        layout, gpus = Layout((("tp", split.tp), ("pp", split.pp))), world(plan).gpus
        gpus -= gpus % max(split.tp * split.pp, per_node)
    part = on_first_nodes(plan, gpus // per_node)
    times = CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)
    return tuple(required_bandwidth(times, layout, each) for each in asked)


def _of_training(found: Assessment) -> tuple[GroupTraffic, ...]:
    """A stage's weights for each pass of a micro-batch, and the activations of its layers."""
    step, training = found.step, found.workload.training
    assert step is not None and training is not None
    split, model = step.split, found.workload.model
    step_s, target = step.step_s, "the predicted step"
    if training.step_s is not None:
        step_s, target = training.step_s, "the wanted step_s"
    elif training.mfu is not None:
        step_s, target = step.step_s * step.mfu / training.mfu, "the wanted MFU"
    passes = 2 * step.micro_batches / step_s
    tokens = split.block.micro_batch * training.sequence / split.cp
    layers = stage_layers(model, split.pp)
    backward = 2 + split.block.reruns
    per_s = (2 + backward) * layers * step.micro_batches / step_s
    weights = BF16_BYTES * model.parameters / split.pp
    of = "the whole model" if split.pp == 1 else "a stage of the model"
    return (
        GroupTraffic(f"{of}, forward and backward of each micro-batch", weights, passes, target),
        GroupTraffic(
            f"activations, {2 + backward} all-reduces a layer and micro-batch",
            tokens * model.hidden * BF16_BYTES,
            per_s,
            target,
        ),
    )


def _of_serving(found: Assessment) -> tuple[GroupTraffic, ...]:
    """All weights for each token of a sequence, and the activations of the decode batch."""
    service, serving = found.service, found.workload.serving
    assert service is not None and serving is not None
    per_s, target = 1 / service.tpot_s, "the predicted time per token"
    if serving.tpot_ms is not None:
        per_s, target = 1000 / serving.tpot_ms, "the wanted tpot_ms"
    weights, moved = exchanges_of(found.workload, per_s, 1.0, target)
    decode = service.decode
    return (
        weights,
        GroupTraffic(moved.of, decode.message_bytes, decode.collectives * per_s, target),
    )
