"""Comparison of a run with a design's prediction: by size, with explanations of a gap.

An explanation is never inferred from a percentage: the design is changed as the explanation says (a
NIC port down, fewer NICs, a link at half its speed, another algorithm), predicted anew at every
size that was run, and named where that comes clearly nearer to what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from statistics import median
from typing import Literal

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.prediction.error_band import ErrorBand
from toposmith.analysis.prediction.nccl_topology import NcclTopology
from toposmith.analysis.prediction.plugins import Leave
from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.collectives import COLLECTIVES, collective_name, programs
from toposmith.design.document import Design, FittedNics, Group
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.classes import Coordinates
from toposmith.fabric.plan import GroupPlan
from toposmith.labels import Label
from toposmith.measured.nccl_tests import MeasuredPoint, MeasuredRun
from toposmith.measured.telling_collectives import OTHER_FACTOR, busbw_over_algbw
from toposmith.nccl.listed import listed
from toposmith.nccl.nccl_version import NEWEST, OLDEST, NcclVersion, parse_version
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS
from toposmith.plain_text import visible
from toposmith.text import bandwidth, counted, duration, message_size, percent

RunVerdict = Literal["as predicted", "below", "above", "no band"]

LARGE_BYTES = 64 * 2**20
"""From this size on, bandwidth dominates, bytes."""

SMALL_BYTES = 64 * 2**10
"""Up to this size, latency dominates, bytes."""

NEAR = 0.07
"""How near to a measured curve an explanation has to come: the mean of |log measured/predicted|.
The median error of predictions of such sizes is 2 to 5 % (``docs/model.md``, what is published)."""

BEYOND = 1.02
"""Times the bound that rounding and timing of a run may add."""

CLEARLY = 0.5
"""What an explanation leaves at most of the gap that there is without it."""


LARGEST_EXPECTED = (64 * 2**20, 2**30, 8 * 2**30)
"""Sizes of which :func:`expected` has a value."""


FEW_DIGITS_GBps = 1.0
"""Below that nccl-tests, which prints hundredths, shows less than three digits of a busbw."""


class NotOfThisDesign(ToposmithError):
    """A run that cannot be of this design, with the reason."""


@dataclass(frozen=True)
class ComparedPoint:
    """One size: measured, predicted with its label, band, and the verdict."""

    measured: MeasuredPoint
    predicted_GBps: float
    predicted_us: float
    algorithm: str
    protocol: str
    label: Label
    band: ErrorBand | None
    verdict: RunVerdict

    @property
    def ratio(self) -> float:
        """Measured over predicted busbw."""
        return self.measured.busbw_GBps / self.predicted_GBps


@dataclass(frozen=True)
class Explanation:
    """A possible explanation of a gap, from a changed prediction or from the log itself.

    Parameters
    ----------
    text : str
        The explanation, in a sentence.
    remedy : str
        What to check or do.
    off : float or None
        How far the changed prediction is from the run, as ``NEAR``; None where the log says it.
    """

    text: str
    remedy: str
    off: float | None = None


@dataclass(frozen=True)
class RunComparison:
    """A run compared with the design.

    Parameters
    ----------
    run : MeasuredRun
        The measured run.
    request : Request
        The request for the prediction.
    design : Design
        The design with the nodes that took part.
    nodes, gpus : int
        Nodes and GPUs that took part.
    points : tuple of ComparedPoint
        Smallest message first.
    off : float
        Mean of |log measured/predicted| over large messages, over all where none is large.
    bound_GBps : float or None
        The bound on busbw, GB/s.
    explanations : tuple of Explanation
        The most likely first; empty for a run that passes.
    noted : tuple of Explanation
        Remarks on a run that passes: slow small messages, TCP in the log.
    notes : tuple of str
        What was assumed because the log does not state it.
    """

    run: MeasuredRun
    request: Request
    design: Design
    nodes: int
    gpus: int
    points: tuple[ComparedPoint, ...]
    off: float
    bound_GBps: float | None
    explanations: tuple[Explanation, ...]
    noted: tuple[Explanation, ...]
    notes: tuple[str, ...]

    @property
    def large(self) -> tuple[ComparedPoint, ...]:
        """Sizes at which bandwidth counts; the largest alone where all are small."""
        return tuple(p for p in self.points if p.measured.message_bytes >= LARGE_BYTES) or (
            self.points[-1],
        )

    @property
    def passes(self) -> bool:
        """Whether large messages are as predicted, or better, none above the bound, none wrong."""
        return not self.beyond_bound and not self.wrong and self._holds

    @property
    def wrong(self) -> tuple[MeasuredPoint, ...]:
        """Sizes at which values came back other than they should."""
        return tuple(point.measured for point in self.points if point.measured.wrong)

    @property
    def beyond_bound(self) -> bool:
        """Whether the run exceeds the bound, so that it is of another cluster."""
        high = max(point.measured.busbw_GBps for point in self.points)
        return self.bound_GBps is not None and high > self.bound_GBps * BEYOND

    @property
    def _holds(self) -> bool:
        alone = [p.ratio for p in self.large if p.verdict == "no band"]
        within = all(p.verdict in ("as predicted", "above", "no band") for p in self.large)
        return within and (not alone or _off(alone) <= NEAR)


def compare(run: MeasuredRun, design: Design, catalog: Catalog) -> RunComparison:
    """Compare a run with a design.

    Raises
    ------
    NotOfThisDesign
        Where the design lacks the GPUs that ran, or cannot predict such a run.
    """
    notes: list[str] = []
    evaluated = EvaluatedDesign(design, catalog, _request(run, notes))
    ran, nodes, gpus = _with_the_nodes_that_ran(run, evaluated, notes)
    request = evaluated.asked
    shown = EvaluatedDesign(ran, catalog, request)
    question = shown.question
    if question.predictor is not None:
        request = _but_for_defaults(request, question.predictor.cluster.left)
        shown = shown.asking(request)
        question = shown.question
    if question.predictor is None:
        why = "; ".join(
            finding.text for finding in shown.analysis.findings if finding.severity == "error"
        )
        raise NotOfThisDesign(f"{run.place}: the design cannot run it: {why or 'see its findings'}")
    points = tuple(_compared(_finer(point, run.collective, gpus), shown) for point in run.points)
    large = [p for p in points if p.measured.message_bytes >= LARGE_BYTES] or list(points)
    off = _off(p.ratio for p in large)
    found = RunComparison(
        run,
        request,
        ran,
        nodes,
        gpus,
        points,
        off,
        shown.analysis.bound.value,
        (),
        (),
        tuple(notes),
    )
    said = tuple(_said_by_the_log(found, question.predictor.cluster))
    aside = tuple(_latency(found))
    if found.passes:
        return replace(found, noted=(*said, *aside))
    wrong = _wrong_values(found)
    return replace(found, explanations=(*wrong, *said, *_explained(found, catalog), *aside))


def _request(run: MeasuredRun, notes: list[str]) -> Request:
    if not run.collective:
        known = ", ".join(run.fits or COLLECTIVES)
        raise NotOfThisDesign(
            f"{run.place}: the log does not say which collective ran; give --collective ({known})"
        )
    name = collective_name(run.collective)
    if run.fits and run.collective not in run.fits:
        could = " or ".join(map(collective_name, run.fits))
        raise NotOfThisDesign(
            f"{run.place}: the table is not of {name}: its columns and busbw over algbw are those "
            f"of {could}"
        )
    if run.collective_known_by:
        notes.append(
            f"the log does not say which collective ran; {name} by {run.collective_known_by}"
        )
    if run.groups > 1:
        raise NotOfThisDesign(
            f"{run.place}: {run.groups} communicators ran at once (NCCL_TESTS_SPLIT); "
            "a run of one is compared"
        )
    return Request(
        run.collective,
        LARGE_BYTES,
        version=_version(run, notes),
        algorithm=_listed("NCCL_ALGO", run.algorithm, ALGORITHMS, run, notes),
        protocol=_listed("NCCL_PROTO", run.protocol, PROTOCOLS, run, notes),
    )


def _listed(
    variable: str, said: str, names: Sequence[str], run: MeasuredRun, notes: list[str]
) -> str | None:
    if not said:
        return None
    try:
        return listed(said, names, run.collective)
    except ValueError:
        asked = f"{variable}={visible(said)}"
        notes.append(f"{asked} is not understood; NCCL's own choice is predicted")
        return None


def _but_for_defaults(request: Request, left: Leave | None) -> Request:
    """The same where nothing is asked for that NCCL would be left in any case."""
    protocols = PROTOCOLS if left is None else left.protocols
    algorithms = ALGORITHMS if left is None else left.algorithms
    if request.protocols is not None and set(request.protocols) == set(protocols):
        request = replace(request, protocol=None)
    if request.algorithms is not None and set(request.algorithms) == set(algorithms):
        request = replace(request, algorithm=None)
    return request


def _version(run: MeasuredRun, notes: list[str]) -> NcclVersion:
    if not run.nccl:
        notes.append(f"the log does not say which NCCL ran; {NEWEST} is assumed")
        return NEWEST
    try:
        return parse_version(run.nccl)
    except ValueError:
        numbers = tuple(int(part) for part in run.nccl.split("."))
        nearest = OLDEST if numbers < tuple(OLDEST) else NEWEST
        notes.append(f"NCCL {run.nccl} is not described; {nearest} is predicted")
        return nearest


def _with_the_nodes_that_ran(
    run: MeasuredRun, evaluated: EvaluatedDesign, notes: list[str]
) -> tuple[Design, int, int]:
    """The design with the first of its nodes, as many as ran."""
    world = evaluated.network.world
    if run.ranks is None:
        _require_ranks(run, world.gpus, "other ranks ran, and the log does not list them")
        notes.append(
            f"the log lists no devices; all {world.gpus} GPUs of the design are taken to run"
        )
        return evaluated.design, world.nodes, world.gpus
    _require_ranks(run, run.ranks, "the list of devices is not of this table, or cut")
    if run.ranks > world.gpus:
        raise NotOfThisDesign(
            f"{run.place}: {counted(run.ranks, 'rank')} ran, and the design has "
            f"{counted(world.gpus, 'GPU')}"
        )
    if run.ranks == world.gpus:
        if run.hosts and len(run.hosts) != world.nodes:
            raise NotOfThisDesign(
                f"{run.place}: the {counted(run.ranks, 'rank', 'are')} on "
                f"{counted(len(run.hosts), 'host')}, and "
                f"the design has {counted(world.nodes, 'node')}"
            )
        return evaluated.design, world.nodes, world.gpus
    left, nodes, after = run.ranks, 0, ""
    last: Coordinates = {}
    for block in world.blocks:
        each = gpus_of(block.group)
        for low, high in block.runs:
            take = min(left // each, high - low + 1)
            left, nodes = left - take * each, nodes + take
            if take:
                last = block.at(low + take - 1)
                after = block.group.name
            if take <= high - low:
                break
        if left < each:
            break
    if left:
        raise NotOfThisDesign(
            f"{run.place}: {counted(run.ranks, 'rank', 'do')} not fill whole nodes of the design; "
            "runs on some of the GPUs of a node are not compared"
        )
    if run.hosts and len(run.hosts) != nodes:
        raise NotOfThisDesign(
            f"{run.place}: the {counted(run.ranks, 'rank', 'are')} on "
            f"{counted(len(run.hosts), 'host')}; of the "
            f"nodes of "
            f"the design they fill {nodes}"
        )
    notes.append(
        f"{nodes} of {world.nodes} nodes ran: the first {nodes} of the design are assumed, and no "
        f"other "
        "traffic"
    )
    design = evaluated.design
    gone = _all_after(world.groups, after, last)
    return design.model_copy(update={"absent": (*design.absent, *gone)}), nodes, run.ranks


def _require_ranks(run: MeasuredRun, gpus: int, why: str) -> None:
    """Refuse a run whose busbw is not of so many ranks: their number is in busbw over algbw."""
    whose = "design" if run.ranks is None else "log"
    figures = ((point.message_bytes, point.time_us, point.busbw_GBps) for point in run.points)
    found, left_open = busbw_over_algbw(figures)
    if found is None or gpus < 2:
        return
    expected = COLLECTIVES[run.collective].busbw_factor(gpus)
    if abs(found / expected - 1) > OTHER_FACTOR + left_open:
        raise NotOfThisDesign(
            f"{run.place}: busbw is {found:.3g} times algbw, where the {counted(gpus, 'GPU')} of "
            f"the {whose} make it {expected:.3g}: {why}"
        )


def _all_after(groups: Sequence[GroupPlan], name: str, last: Coordinates) -> Iterator[str]:
    """Selectors of all nodes beyond one in the order of ranks: one for each axis, not each node."""
    beyond = False
    for group in groups:
        at = last if group.name == name else None
        if beyond:
            yield f"{group.name}[{group.axes[0]}=0..{group.sizes[0] - 1}]"
        elif at is not None:
            beyond = True
            for number, (axis, size) in enumerate(zip(group.axes, group.sizes, strict=True)):
                outer = [f"{each}={at[each]}" for each in group.axes[:number]]
                if at[axis] + 1 < size:
                    yield f"{name}[{','.join([*outer, f'{axis}={at[axis] + 1}..{size - 1}'])}]"


def _compared(point: MeasuredPoint, evaluated: EvaluatedDesign) -> ComparedPoint:
    found = evaluated.asking(replace(evaluated.asked, message_bytes=point.message_bytes)).analysis
    predicted = found.busbw_GBps or 0.0
    verdict: RunVerdict = "no band"
    if found.band is not None:
        low, high = predicted * (1 + found.band.low), predicted * (1 + found.band.high)
        verdict = "as predicted"
        if point.busbw_GBps < low:
            verdict = "below"
        elif point.busbw_GBps > high:
            verdict = "above"
    return ComparedPoint(
        point,
        predicted,
        found.time_us or 0.0,
        found.algorithm,
        found.protocol,
        found.busbw_label,
        found.band,
        verdict,
    )


def _finer(point: MeasuredPoint, collective: str, ranks: int) -> MeasuredPoint:
    """The point with its busbw by size and time, where nccl-tests prints too few digits of it."""
    if point.busbw_GBps >= FEW_DIGITS_GBps or not point.time_us:
        return point
    algbw_GBps = point.message_bytes / (point.time_us * 1e3)
    return replace(point, busbw_GBps=algbw_GBps * COLLECTIVES[collective].busbw_factor(ranks))


def _off(ratios: Iterator[float] | list[float]) -> float:
    logs = [abs(log(max(ratio, 1e-9))) for ratio in ratios]
    return sum(logs) / len(logs)


def _explained(found: RunComparison, catalog: Catalog) -> Iterator[Explanation]:
    """What a changed design or request predicts of a run that does not pass, the nearest first."""
    if found.beyond_bound:
        high = max(p.measured.busbw_GBps for p in found.points)
        yield Explanation(
            f"{bandwidth(high)} was measured, above the bound of {bandwidth(found.bound_GBps)} "
            f"that the "
            "wiring has: the run is not of this design",
            "check the node part, its NICs and the number of nodes",
        )
        return
    if found.off > NEAR and not found.passes:
        tried = sorted(_tried(found, catalog), key=lambda one: one.off or 0.0)
        fitting = [one for one in tried if (one.off or 0.0) <= min(NEAR, CLEARLY * found.off)]
        yield from fitting[:3]
        if not fitting and not any(found.run.over.get(how) for how in ("socket", "staged")):
            yield Explanation(
                "no single fault of a NIC or link, and no other choice by NCCL, that was tried "
                "explains it" + (f"; the nearest is: {tried[0].text}" if tried else ""),
                "run it again with NCCL_DEBUG=INFO, and node by node: the log names what carries "
                "data",
            )


def _wrong_values(found: RunComparison) -> Iterator[Explanation]:
    """Values that nccl-tests found to be other than they should: no figure makes up for that."""
    if found.wrong:
        first = found.wrong[0]
        yield Explanation(
            f"wrong values came back at {counted(len(found.wrong), 'size')}, first "
            f"{counted(first.wrong, 'value')} at {message_size(first.message_bytes)} (#wrong, "
            f"line {first.line}): data is corrupted on its way",
            "find the node by runs on half of the nodes each; look at ECC and NVLink errors "
            "(nvidia-smi -q, dcgmi diag -r 3), at the drivers, and at NIC error counters",
        )


def _said_by_the_log(found: RunComparison, cluster: NcclTopology) -> Iterator[Explanation]:
    """Transports that NCCL's messages name and the design does not have."""
    over = found.run.over
    if found.nodes < 2:
        return
    if over.get("socket") and "tcp" not in cluster.transports:
        yield Explanation(
            f"NCCL's messages name {counted(over['socket'], 'connection')} over TCP (NET/Socket), "
            f"not RDMA",
            "give NCCL the RDMA NICs: NCCL_IB_HCA, the drivers, /dev/infiniband in the container",
        )
    elif over.get("staged") and not over.get("rdma") and cluster.gpudirect:
        yield Explanation(
            "NCCL's messages name RDMA without GPUDirect: data is copied through the memory of the "
            "CPU",
            "load nvidia-peermem, or DMA-BUF; look at ACS and IOMMU, and at NCCL_NET_GDR_LEVEL",
        )


def _tried(found: RunComparison, catalog: Catalog) -> Iterator[Explanation]:
    """Changed designs and requests, each with how far it is from the run at large messages."""
    large = [p.measured for p in found.large]

    def off(design: Design, request: Request) -> float | None:
        question = EvaluatedDesign(design, catalog, request).question
        predictor = question.predictor
        if predictor is None:
            return None
        busbw = [predictor.at(point.message_bytes).busbw_GBps for point in large]
        return _off([p.busbw_GBps / b if b else 1e9 for p, b in zip(large, busbw, strict=True)])

    for design, text, remedy in _other_designs(found, catalog):
        if (distance := off(design, found.request)) is not None:
            yield Explanation(text, remedy, distance)
    for request, text, remedy in _other_requests(found.request):
        if (distance := off(found.design, request)) is not None:
            yield Explanation(text, remedy, distance)


def _other_designs(found: RunComparison, catalog: Catalog) -> Iterator[tuple[Design, str, str]]:
    plan = EvaluatedDesign(found.design, catalog, found.request).plan
    for name, group in plan.groups.items():
        ports = group.port_groups.get("compute")
        if group.node is None or ports is None or ports.nic is None or found.nodes < 2:
            continue
        at = ",".join(f"{axis}=0" for axis in group.axes)
        port = f"{name}[{at}].compute[0]"
        down = found.design.model_copy(update={"down": (*found.design.down, port)})
        yield (
            down,
            f"as with one of {ports.nics * ports.nic.ports} NIC ports of one node ({name}) down",
            "look for a NIC port that is down: ibstat or rdma link on every node",
        )
        half = found.design.model_copy(update={"slow": {**found.design.slow, port: "50 %"}})
        yield (
            half,
            f"as with one NIC port of one node ({name}) at half its speed",
            "look for a link with half its lanes or speed (iblinkinfo, ethtool), or a NIC in a "
            "slot of "
            "half the PCIe width (lspci -vv, LnkSta)",
        )
        for count in range(ports.nics - 1, 0, -1):
            fitted = FittedNics(part=ports.nic.id, count=count)
            spec: Group = group.spec.model_copy(
                update={"nics": {**group.spec.nics, "compute": fitted}}
            )
            groups = {**found.design.groups, name: spec}
            yield (
                found.design.model_copy(update={"groups": groups}),
                f"as with {count} of the {ports.nics} NICs of every node ({name})",
                "look which NICs NCCL uses (NCCL_IB_HCA, and NET/IB lines of NCCL_DEBUG=INFO)",
            )


def _other_requests(request: Request) -> Iterator[tuple[Request, str, str]]:
    if request.algorithm is None and COLLECTIVES[request.collective].tuned is not None:
        for algorithm in ("ring", "tree", "nvls", "nvls_tree"):
            yield (
                replace(request, algorithm=algorithm),
                f"as with NCCL_ALGO={algorithm}, which NCCL {request.version} would not choose",
                "look for NCCL_ALGO in the environment and nccl.conf, and for a tuner plugin",
            )
    if request.protocol is None and COLLECTIVES[request.collective].tuned is not None:
        for protocol in PROTOCOLS:
            yield (
                replace(request, protocol=protocol),
                f"as with NCCL_PROTO={protocol} at every size",
                "look for NCCL_PROTO in the environment and nccl.conf, and for a tuner plugin",
            )
    if request.routing.mode == "ideal":
        static = replace(request.routing, mode="static")
        yield (
            replace(request, routing=static),
            "as with static ECMP, one queue pair a connection",
            "turn adaptive routing on, or raise NCCL_IB_QPS_PER_CONNECTION",
        )


def _latency(found: RunComparison) -> Iterator[Explanation]:
    """Small messages that take much longer than predicted while large ones do not."""
    small = [p for p in found.points if p.measured.message_bytes <= SMALL_BYTES and p.predicted_us]
    if len(small) < 3 or found.off > NEAR:
        return
    slower = median(p.measured.time_us / p.predicted_us for p in small)
    if slower > 1.6:
        typical = small[len(small) // 2]
        yield Explanation(
            f"small messages take {slower:.1f} times as long as predicted ("
            f"{duration(typical.measured.time_us * 1e-6)} for {typical.measured.message_bytes:,} "
            f"bytes, "
            f"predicted {duration(typical.predicted_us * 1e-6)}), large ones do not: latency, no "
            f"bandwidth",
            "look at the CPU's frequency governor and C-states, at binding of processes to NUMA "
            "nodes, "
            "and at hops through slow switches",
        )


def verdict_words(found: RunComparison) -> str:
    """The whole in a sentence: ``median 4 % below the prediction at 64 MiB and more; ...``."""
    large = found.large
    shift = median(p.ratio for p in large) - 1
    where = (
        "at 64 MiB and more" if large[0].measured.message_bytes >= LARGE_BYTES else "at its largest"
    )
    side = "above" if shift > 0 else "below"
    of_sizes = "median " if len(large) > 1 else ""
    words = f"{of_sizes}{percent(abs(shift))} {side} the prediction {where}"
    if found.wrong:
        words = f"wrong values at {counted(len(found.wrong), 'size')}; {words}"
    outside = sum(p.verdict in ("below", "above") for p in large)
    if all(p.verdict == "no band" for p in large):
        return f"{words}; too few published results for a band"
    if not outside:
        return f"{words}; within what was published of such systems"
    return f"{words}; {outside} of {len(large)} sizes outside of what was published of such systems"


@dataclass(frozen=True)
class Expected:
    """The expected results of a test: the command, and figures by message size."""

    collective: str
    command: str
    points: tuple[ComparedPoint, ...]


def expected(design: Design, catalog: Catalog) -> tuple[Expected, ...]:
    """The commands that try a cluster, each with the busbw to expect; none that cannot run."""
    found = []
    whole = EvaluatedDesign(design, catalog)
    for program, collective in programs().items():
        if program not in ACCEPTANCE:
            continue
        evaluated = whole.asking(Request(collective, LARGE_BYTES))
        world = evaluated.network.world
        if evaluated.question.predictor is None or not world.nodes:
            continue
        each = world.gpus // world.nodes
        command = (
            f"mpirun -np {world.gpus} -N {each} ./build/{program}_perf -b 8 -e 8G -f 2 -g 1 "
            f"| tee {program}.log"
        )
        nothing = (MeasuredPoint(size, 0.0, 0.0, 0) for size in LARGEST_EXPECTED)
        points = tuple(_compared(point, evaluated) for point in nothing)
        found.append(Expected(collective, command, points))
    return tuple(found)


ACCEPTANCE = ("all_reduce", "all_gather", "reduce_scatter", "alltoall")
"""The tests of a new cluster."""
