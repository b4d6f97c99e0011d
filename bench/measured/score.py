"""Predicted against measured: errors by size range, and bands by transport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from bench.measured.records import MeasuredCurve, Point
from bench.measured.systems import as_design, request_of, transport_of
from topology.analysis.analyse import questions
from topology.analysis.prediction.error_band import (
    SIZE_RANGES,
    TransportClass,
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
    def band_class(self) -> TransportClass | None:
        """The class that the error band is kept for."""
        one_node = self.curve.number("nodes") == 1 or "mnnvl on" in self.curve.text("forced")
        return transport_class(None if one_node else transport_of(self.curve) or "unknown")


def scored(curves: Iterable[MeasuredCurve]) -> tuple[list[Scored], list[str]]:
    """Predict every healthy curve; also names those that too little is published of."""
    found: list[Scored] = []
    left_out: list[str] = []
    for curve in curves:
        if not curve.healthy:
            continue
        design = as_design(curve)
        question = questions(*design, [request_of(curve)])[0] if design else None
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


def is_nvswitch_over_rdma(result: Scored) -> bool:
    """NVSwitch nodes, alone or joined by RDMA."""
    transport = transport_of(result.curve)
    return result.curve.text("intra_node") == "nvswitch" and (
        result.curve.number("nodes") == 1 or transport in RDMA
    )


def bands(results: Sequence[Scored]) -> dict[tuple[TransportClass, int], tuple[float, float, int]]:
    """10th and 90th percentile of measured over predicted, less one, and the curves behind them."""
    found: dict[tuple[TransportClass, int], tuple[float, float, int]] = {}
    for kind in ("inside a node", "rdma", "efa", "tcp"):
        for at in range(len(SIZE_RANGES)):
            mine = [
                result
                for result in results
                if result.band_class == kind and size_range(result.point.message_bytes) == at
            ]
            ratios = [result.point.busbw_GBps / result.predicted - 1 for result in mine]
            if len(ratios) < 2:
                continue
            tenths = quantiles(ratios, n=10, method="inclusive")
            curves = len({result.curve.name for result in mine})
            found[kind, at] = (round(tenths[0], 2), round(tenths[-1], 2), curves)
    return found
