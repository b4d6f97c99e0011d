"""Time and busbw against message size, with the sizes where NCCL switches algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from topology.analysis.prediction.ideal import Ideal
from topology.analysis.prediction.predictor import Outcome, Predictor
from topology.analysis.request import Collective

SMALLEST_BYTES = 8
LARGEST_BYTES = 16 * 2**30


@dataclass(frozen=True)
class CurvePoint:
    """One message size: what runs, what it delivers, and the textbook's floor under its time."""

    message_bytes: int
    algorithm: str
    protocol: str
    time_us: float
    algbw_GBps: float
    busbw_GBps: float
    textbook_us: float | None = None


@dataclass(frozen=True)
class Curve:
    """Powers of two from 8 bytes to 16 GiB, smallest first, under one request."""

    design: str
    collective: Collective
    points: tuple[CurvePoint, ...]

    @property
    def switches(self) -> tuple[CurvePoint, ...]:
        """The first points of every algorithm and protocol, but for the first of all."""
        return tuple(
            point
            for before, point in pairwise(self.points)
            if (before.algorithm, before.protocol) != (point.algorithm, point.protocol)
        )


def curve_sizes() -> tuple[int, ...]:
    """The message sizes of a curve, bytes."""
    sizes = [SMALLEST_BYTES]
    while sizes[-1] < LARGEST_BYTES:
        sizes.append(sizes[-1] * 2)
    return tuple(sizes)


def curve_of(predictor: Predictor, ideal: Ideal | None = None) -> Curve:
    """Predict all sizes; raises ``Unreachable`` where a group's nodes have no path."""
    cluster = predictor.cluster
    points = tuple(
        _point(size, predictor.at(size), ideal.time_us(size) if ideal else None)
        for size in curve_sizes()
    )
    return Curve(cluster.network.plan.design.name, cluster.request.collective, points)


def curve_as_data(curve: Curve) -> dict[str, Any]:
    """A curve as plain data, for JSON (``docs/analyze-json.md``)."""
    return {
        "toposmith": 1,
        "design": curve.design,
        "collective": curve.collective,
        "points": [
            {
                "message_bytes": point.message_bytes,
                "algorithm": point.algorithm,
                "protocol": point.protocol,
                "time_us": round(point.time_us, 6),
                "algbw_GBps": round(point.algbw_GBps, 6),
                "busbw_GBps": round(point.busbw_GBps, 6),
                "textbook_us": None if point.textbook_us is None else round(point.textbook_us, 6),
            }
            for point in curve.points
        ],
    }


def _point(size: int, outcome: Outcome, textbook_us: float | None) -> CurvePoint:
    return CurvePoint(
        size,
        outcome.algorithm,
        outcome.protocol,
        outcome.time_us,
        outcome.algbw_GBps,
        outcome.busbw_GBps,
        textbook_us,
    )
