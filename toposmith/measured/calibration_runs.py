"""A calibration of later predictions from runs compared with a design."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import exp, log

from toposmith.analysis.calibration_file import SHARES, CalibratedRun, calibration_text
from toposmith.analysis.prediction.nccl_topology import parts_of
from toposmith.catalog import Catalog
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.measured.against import RunComparison


class NoCalibration(ToposmithError):
    """Runs that cannot calibrate other predictions, with the reason."""


def calibration_of(compared: Sequence[RunComparison], catalog: Catalog) -> str:
    """The text of a calibration file; runs of one collective on as many nodes are averaged.

    Averages are geometric, by size. They include faults of the measured cluster.

    Raises
    ------
    NoCalibration
        Where a run was not as NCCL chooses, or is not of such a cluster.
    """
    shares: dict[tuple[str, int, int], dict[int, list[float]]] = {}
    logs: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    parts: tuple[str, ...] = ()
    for found in compared:
        _require_usual(found)
        evaluated = EvaluatedDesign(found.design, catalog, found.request)
        groups = evaluated.question.groups
        assert groups is not None
        parts = parts_of(evaluated.network)
        kind = found.request.collective, groups.nodes, groups.size
        sizes = shares.setdefault(kind, defaultdict(list))
        for point in found.points:
            sizes[point.measured.message_bytes].append(point.ratio)
        logs[kind].append(found.run.place)
    runs = tuple(
        CalibratedRun(*kind, _averaged(sizes), ", ".join(logs[kind]))
        for kind, sizes in shares.items()
    )
    return calibration_text(parts, runs)


def _require_usual(found: RunComparison) -> None:
    run = found.run
    if not found.request.as_nccl_chooses:
        raise NoCalibration(
            f"{run.place}: NCCL_ALGO or NCCL_PROTO was forced; a calibration is of what NCCL "
            "chooses"
        )
    if found.wrong:
        raise NoCalibration(
            f"{run.source}:{found.wrong[0].line}: wrong values came back; a calibration needs a "
            "run that is right"
        )
    if found.beyond_bound:
        raise NoCalibration(
            f"{run.place}: more was measured than the wiring of the design can carry; a "
            "calibration needs the design that ran"
        )
    low, high = SHARES
    for point in found.points:
        if not point.predicted_GBps or not low <= point.ratio <= high:
            raise NoCalibration(
                f"{run.source}:{point.measured.line}: {point.measured.busbw_GBps:g} GB/s was "
                f"measured and {point.predicted_GBps:.4g} predicted: too far apart for a "
                "calibration"
            )


def _averaged(sizes: dict[int, list[float]]) -> tuple[tuple[int, float], ...]:
    return tuple(
        (size, exp(sum(map(log, ratios)) / len(ratios))) for size, ratios in sorted(sizes.items())
    )
