"""Time and busbw against message size, with the sizes where NCCL switches algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from toposmith.analysis.prediction.predictor import PredictedCollective, Predictor
from toposmith.analysis.request import Collective
from toposmith.labels import Label

SMALLEST_BYTES = 8
LARGEST_BYTES = 16 * 2**30


@dataclass(frozen=True)
class CurvePoint:
    """One message size: algorithm, protocol, figures, and the least that any schedule takes.

    ``label`` is that of the busbw.
    """

    message_bytes: int
    algorithm: str
    protocol: str
    time_us: float
    algbw_GBps: float
    busbw_GBps: float
    floor_us: float | None
    label: Label


@dataclass(frozen=True)
class Curve:
    """Powers of two from 8 bytes to 16 GiB, smallest first, under one request."""

    design: str
    collective: Collective
    points: tuple[CurvePoint, ...]

    @property
    def switches(self) -> tuple[CurvePoint, ...]:
        """The points at which algorithm or protocol changes."""
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


def curve_of(
    predictor: Predictor,
    floor_of: Callable[[PredictedCollective], float | None],
    label_of: Callable[[PredictedCollective], Label],
) -> Curve:
    """Predict all sizes; raises ``Unreachable`` where a group's nodes have no path.

    Parameters
    ----------
    predictor : Predictor
        Of the collective.
    floor_of : callable
        The least that any schedule takes instead of an outcome, us; None where it is unknown.
    label_of : callable
        What kind of figure an outcome is.
    """
    cluster = predictor.cluster
    points = []
    for size in curve_sizes():
        outcome = predictor.at(size)
        points.append(_point(size, outcome, floor_of(outcome), label_of(outcome)))
    return Curve(cluster.network.plan.design.name, cluster.request.collective, tuple(points))


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
                "time_us": _rounded(point.time_us),
                "algbw_GBps": _rounded(point.algbw_GBps),
                "busbw_GBps": _rounded(point.busbw_GBps),
                "floor_us": None if point.floor_us is None else _rounded(point.floor_us),
                "busbw_is": point.label.kind,
            }
            for point in curve.points
        ],
    }


def _rounded(figure: float) -> float:
    """Nine significant digits, which keeps the smallest busbw."""
    return float(f"{figure:.9g}")


def _point(
    size: int, outcome: PredictedCollective, floor_us: float | None, label: Label
) -> CurvePoint:
    return CurvePoint(
        size,
        outcome.algorithm,
        outcome.protocol,
        outcome.time_us,
        outcome.algbw_GBps,
        outcome.busbw_GBps,
        floor_us,
        label,
    )
