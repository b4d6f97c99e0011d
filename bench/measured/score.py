"""Predicted against measured: errors by size range, and bands by transport."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from bench.measured.records import MeasuredCurve, Point
from bench.measured.systems import as_design, request_of, transport_of
from toposmith.topology.analysis.analyse import Questions
from toposmith.topology.analysis.prediction.error_band import (
    BAND_CLASSES,
    SIZE_RANGES,
    BandClass,
    Found,
    size_range,
    transport_class,
)

RDMA = ("infiniband", "roce", "efa")


@dataclass(frozen=True)
class Scored:
    """One measured size with its prediction; busbw in GB/s."""

    curve: MeasuredCurve
    point: Point
    algorithm: str
    predicted: float

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.predicted / self.point.busbw_GBps - 1

    @property
    def band_class(self) -> BandClass | None:
        """The class that the error band is kept for; None for runs that belong to none.

        These are runs of what NCCL chose, without reduction in the network, on nodes whose GPUs
        NVSwitches join; between nodes all GPUs of each. A rack whose NVSwitches join the nodes is
        no node, and GPUs of AMD do not run NCCL.
        """
        curve = self.curve
        asked = curve.text("forced") or "sharp" in curve.text("transport")
        if asked or curve.text("intra_node") != "nvswitch":
            return None
        if curve.number("nodes") == 1:
            return transport_class(None)
        whole = curve.number("gpus_used_per_node") == curve.number("gpus_per_node", 8)
        if not whole or "mnnvl" in curve.text("transport"):
            return None
        return transport_class(transport_of(curve) or "unknown")


def scored(curves: Iterable[MeasuredCurve]) -> tuple[list[Scored], list[str]]:
    """Predict every healthy curve; also names those that too little is published of."""
    found: list[Scored] = []
    left_out: list[str] = []
    for curve in curves:
        if not curve.healthy:
            continue
        design = as_design(curve)
        question = Questions(*design).of(request_of(curve)) if design else None
        if question is None or question.predictor is None:
            left_out.append(curve.name)
            continue
        for point in curve.points:
            if not point.outlier:
                outcome = question.predictor.at(point.message_bytes)
                how = f"{outcome.algorithm}/{outcome.protocol}"
                found.append(Scored(curve, point, how, outcome.busbw_GBps))
    return found, left_out


def median_error(results: Iterable[Scored], wanted: Callable[[Scored], bool]) -> tuple[int, float]:
    """How many results count, and the median of their absolute errors."""
    errors = [abs(result.error) for result in results if wanted(result)]
    return len(errors), median(errors) if errors else float("nan")


def system_errors(results: Iterable[Scored], wanted: Callable[[Scored], bool]) -> dict[str, float]:
    """The median absolute error of every system."""
    found = by_system(result for result in results if wanted(result))
    # by_system has measured over predicted less one, an error is predicted over measured
    return {
        name: median(abs(1 / (1 + ratio) - 1) for ratio in each) for name, each in found.items()
    }


def is_nvswitch_over_rdma(result: Scored) -> bool:
    """NVSwitch nodes, alone or joined by RDMA."""
    transport = transport_of(result.curve)
    return result.curve.text("intra_node") == "nvswitch" and (
        result.curve.number("nodes") == 1 or transport in RDMA
    )


def bands(results: Sequence[Scored]) -> dict[tuple[BandClass, int], Found]:
    """10th and 90th percentile of measured over predicted, less one, every system weighed alike.

    Beside them the curves and systems behind it, and the share of results that lie inside when
    their own system is left out, the mean over the systems; nan for fewer than two of them.
    """
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
            low, high = _tenths(ratios.values())
            curves = len({result.curve.name for result in mine})
            inside = round(_left_out_inside(ratios), 2) if len(ratios) > 1 else 0.0
            found[kind, at] = (round(low, 2), round(high, 2), curves, len(ratios), inside)
    return found


def by_system(results: Iterable[Scored]) -> dict[str, list[float]]:
    """Measured over predicted, less one, by system."""
    found: dict[str, list[float]] = defaultdict(list)
    for result in results:
        found[result.curve.text("system")].append(result.point.busbw_GBps / result.predicted - 1)
    return dict(found)


def _tenths(systems: Iterable[Sequence[float]]) -> tuple[float, float]:
    """The values that a tenth of the weight lies below and above, every system weighing alike."""
    known = list(systems)
    weighed = sorted((ratio, 1 / len(ratios)) for ratios in known for ratio in ratios)
    seen, low, high = 0.0, None, weighed[-1][0]
    for ratio, weight in weighed:
        seen += weight / len(known)
        if low is None and seen >= 0.1 - _HAIR:
            low = ratio
        if seen >= 0.9 - _HAIR:
            high = ratio
            break
    assert low is not None
    return low, high


_HAIR = 1e-9


def _left_out_inside(ratios: Mapping[str, Sequence[float]]) -> float:
    """Share of a system's results in the band of all others, the mean over the systems."""
    shares = []
    for name, own in ratios.items():
        low, high = _tenths(other for system, other in ratios.items() if system != name)
        shares.append(mean(low <= ratio <= high for ratio in own))
    return float(mean(shares))
