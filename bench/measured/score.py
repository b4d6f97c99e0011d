"""Predicted against measured: errors by size range and system, and bands by kind of system."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, median, quantiles
from typing import get_args

from bench.measured.records import MeasuredCurve, Point
from bench.measured.systems import as_design, request_of, transport_of
from toposmith.analysis.analyse import Questions
from toposmith.analysis.prediction.error_band import (
    FEWEST_FOR_A_SHARE,
    SIZE_RANGES,
    BandClass,
    size_range,
)
from toposmith.analysis.prediction.published import band_class
from toposmith.nccl.node import PROTOCOLS

BAND_CLASSES: tuple[BandClass, ...] = get_args(BandClass)

RDMA = ("infiniband", "roce", "efa")

FAR_OFF = 0.15
"""A system whose median error is larger is counted as far off."""


@dataclass(frozen=True)
class Scored:
    """One measured size with its prediction; busbw in GB/s.

    ``band_class`` is the kind of system that its error band is kept for, as the program tells
    kinds apart; None for runs that belong to none. ``at_least`` says that the program calls its
    figure the least that such a system does. ``gpus_a_nic`` is how many GPUs of a node share a NIC.
    """

    curve: MeasuredCurve
    point: Point
    algorithm: str
    predicted: float
    band_class: BandClass | None = None
    at_least: bool = False
    gpus_a_nic: float = 0.0

    @property
    def is_rack(self) -> bool:
        """Whether NVLink joined several trays: counted apart, whatever the program calls it."""
        joined = self.curve.text("transport").startswith("mnnvl")
        return joined and self.curve.number("nodes") > 1

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.predicted / self.point.busbw_GBps - 1


@dataclass(frozen=True)
class LeftOut:
    """A curve that nothing is predicted of, and why."""

    curve: MeasuredCurve
    why: str


def scored(
    curves: Iterable[MeasuredCurve], *, labelled: bool = True
) -> tuple[list[Scored], list[LeftOut]]:
    """Predict every healthy curve; also names those that are left out, with the reason.

    Where results are not ``labelled``, none is called the least, and no bound is worked out.
    """
    found: list[Scored] = []
    left_out: list[LeftOut] = []
    for curve in curves:
        results = _scored(curve, labelled)
        if isinstance(results, str):
            left_out.append(LeftOut(curve, results))
        else:
            found += results
    return found, left_out


def _scored(curve: MeasuredCurve, labelled: bool) -> list[Scored] | str:
    """The results of a curve, or why it has none."""
    if not curve.collective:
        return f"{curve.text('collective')} is not a collective of the program"
    if not curve.healthy:
        return f"health {curve.text('health')}: what else went on is not known"
    points = [point for point in curve.points if not point.outlier]
    if not points:
        return "no size with time and bandwidth published"
    design = as_design(curve)
    if isinstance(design, str):
        return design
    request = request_of(curve)
    questions = Questions(*design)
    question = questions.of(request)
    if question.predictor is None:
        return f"NCCL {request.version} runs no {request.algorithm or 'such'} {request.collective}"
    usual = questions.of(replace(request, protocol=None)).predictor
    assert usual is not None
    kind, _ = band_class(usual.cluster)
    whole = curve.number("gpus_used_per_node") in (1, curve.number("gpus_per_node", 8))
    if curve.number("nodes", 1) > 1 and not whole:
        kind = None  # which NICs a part of a node takes is not published
    results = []
    for point in points:
        outcome = question.predictor.at(point.message_bytes)
        how = f"{outcome.algorithm}/{outcome.protocol}"
        # a run that could take more protocols than it can today is of its kind where it took none
        alike = request.protocol is None or outcome.protocol in (
            usual.cluster.protocols or PROTOCOLS
        )
        least = labelled and question.label(outcome).kind == "at least"
        share = question.predictor.cluster.gpus_a_nic
        mine = kind if alike else None
        results.append(Scored(curve, point, how, outcome.busbw_GBps, mine, least, share))
    return results


@dataclass(frozen=True)
class Reach:
    """How far predictions were from results: absolute errors of busbw.

    Parameters
    ----------
    of_results, of_systems : float
        The median over all results, in which long curves weigh more, and over the systems' medians.
    p90_of_results, p90_of_systems : float
        What nine of ten stay within.
    results : int
        How many.
    systems : mapping of str to float
        The median of each.
    """

    of_results: float
    of_systems: float
    p90_of_results: float
    p90_of_systems: float
    results: int
    systems: Mapping[str, float]

    @property
    def far_off(self) -> dict[str, float]:
        """Systems beyond 15 %, the worst first."""
        far = {name: error for name, error in self.systems.items() if error > FAR_OFF}
        return dict(sorted(far.items(), key=lambda one: -one[1]))


def reach(results: Iterable[Scored], wanted: Callable[[Scored], bool]) -> Reach | None:
    """What is reached over the results that are wanted; None where there are none.

    Racks of trays, and figures that the program itself calls the least of what a system does, count
    for nothing here.
    """
    by_system: dict[str, list[float]] = defaultdict(list)
    for result in results:
        if wanted(result) and not (result.at_least or result.is_rack):
            by_system[result.curve.text("system")].append(abs(result.error))
    if not by_system:
        return None
    errors = [error for each in by_system.values() for error in each]
    systems = {name: median(each) for name, each in by_system.items()}
    return Reach(
        median(errors),
        median(systems.values()),
        _ninetieth(errors),
        _ninetieth(list(systems.values())),
        len(errors),
        systems,
    )


def _ninetieth(values: Sequence[float]) -> float:
    return quantiles(values, n=10, method="inclusive")[-1] if len(values) > 1 else values[0]


def is_nvswitch_over_rdma(result: Scored) -> bool:
    """NVSwitch nodes, alone or joined by RDMA."""
    transport = transport_of(result.curve)
    return result.curve.text("intra_node") == "nvswitch" and (
        result.curve.number("nodes") == 1 or transport in RDMA
    )


@dataclass(frozen=True)
class Found:
    """A band: where it lies, how many curves it is of, and each system's results inside.

    ``inside`` has, for each system, the share of its results in the band of all others,
    ``most_gpus`` are the GPUs of the largest run, ``ran`` says how many systems ran each
    collective, and ``gpus_a_nic`` is how many GPUs at most share a NIC.
    """

    low: float
    high: float
    curves: int
    inside: Mapping[str, float]
    most_gpus: int
    ran: Mapping[str, int]
    gpus_a_nic: float

    @property
    def held_out(self) -> float:
        """The share of results of a system left out, the mean over the systems."""
        return round(mean(self.inside.values()), 2)


LARGE_BYTES = 64 * 2**20
"""From that size on the share of an exchange that runs reach is counted."""


def exchanges(results: Iterable[Scored]) -> tuple[float, float, tuple[str, ...], int] | None:
    """What all-to-alls between nodes reach of their prediction, over a network.

    Returns
    -------
    tuple or None
        The lowest and the highest median of a system, the systems, and the nodes of the largest
        run; None where there is no such run.
    """
    mine = [
        result
        for result in results
        if result.curve.collective == "all_to_all"
        and result.curve.number("nodes", 1) > 1
        and not (result.is_rack or result.at_least)
        and result.point.message_bytes >= LARGE_BYTES
    ]
    if not mine:
        return None
    medians = {name: 1 + median(ratios) for name, ratios in by_system(mine).items()}
    most = max(result.curve.number("nodes") for result in mine)
    low, high = min(medians.values()), max(medians.values())
    return round(low, 2), round(high, 2), tuple(sorted(medians)), most


def bands(results: Sequence[Scored]) -> dict[tuple[BandClass, int], Found]:
    """Measured over predicted, less one, by kind of system and size range; systems weigh alike."""
    found: dict[tuple[BandClass, int], Found] = {}
    for kind in BAND_CLASSES:
        for at in range(len(SIZE_RANGES)):
            mine = [
                result
                for result in results
                if result.band_class == kind and size_range(result.point.message_bytes) == at
            ]
            if not mine:
                continue
            ratios = by_system(mine)
            low, high = span(list(ratios.values()), few=len(ratios) < FEWEST_FOR_A_SHARE)
            curves = len({result.curve.name for result in mine})
            most = max(result.curve.number("gpus") for result in mine)
            share = max(result.gpus_a_nic for result in mine)
            inside = left_out_inside(ratios)
            found[kind, at] = Found(
                round(low, 2), round(high, 2), curves, inside, most, _ran(mine), share
            )
    return found


def _ran(results: Iterable[Scored]) -> dict[str, int]:
    """How many systems ran each collective."""
    ran = {(result.curve.collective, result.curve.text("system")) for result in results}
    return dict(sorted(Counter(collective for collective, _ in ran).items()))


def by_system(results: Iterable[Scored]) -> dict[str, list[float]]:
    """Measured over predicted, less one, by system."""
    found: dict[str, list[float]] = defaultdict(list)
    for result in results:
        found[result.curve.text("system")].append(result.point.busbw_GBps / result.predicted - 1)
    return dict(found)


def span(systems: Sequence[Sequence[float]], *, few: bool) -> tuple[float, float]:
    """What leaves out a tenth of further such systems on each side; of few, all that there is.

    Of n systems with a result each, a further one lies below the lowest with a chance of
    1 / (n + 1), so that a tenth do below the (n + 1) / 10-th, before which (n + 1) / 10 - 1 lie.
    Results of one system differ, too, each with the weight of one over their number: were they as
    unlike as those of different systems, n / 10 would lie before it. Half-way is taken.
    """
    weighed = sorted((ratio, 1 / len(ratios)) for ratios in systems for ratio in ratios)
    if few:
        return weighed[0][0], weighed[-1][0]
    beyond = (len(systems) + 1) / 10 - 0.5
    return _reached(weighed, beyond), _reached(weighed[::-1], beyond)


def _reached(weighed: Sequence[tuple[float, float]], beyond: float) -> float:
    """The first value before which as many systems lie."""
    seen = 0.0
    for ratio, weight in weighed:
        if seen + weight > beyond + _HAIR:
            return ratio
        seen += weight
    raise ValueError("no systems")


_HAIR = 1e-9


def left_out_inside(ratios: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Share of each system's results in the band of all others; of one system none."""
    shares: dict[str, float] = {}
    for name, own in ratios.items():
        others = [each for system, each in ratios.items() if system != name]
        # a band of nine is judged as such, though there are eight others
        low, high = span(others, few=len(ratios) < FEWEST_FOR_A_SHARE) if others else (1.0, 0.0)
        shares[name] = mean(low <= ratio <= high for ratio in own)
    return shares
