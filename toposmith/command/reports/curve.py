"""Busbw and time at every message size, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.analysis.summary import assumptions
from toposmith.collectives import collective_name
from toposmith.command.reports.analysis import groups_words
from toposmith.documents.aligned_text import columns
from toposmith.labels import Labelled, inverse
from toposmith.plain_text import visible
from toposmith.text import (
    algorithm_name,
    duration_us,
    message_size,
    protocol_name,
)

if TYPE_CHECKING:
    from toposmith.analysis.prediction.size_curve import Curve, CurvePoint
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Communicator

SWITCHES = "<- switches"
FLOOR_WORDS = (
    "floor: no schedule takes less, by the bound of what runs and the one-way network latency"
)


def asked_line(curve: Curve, request: Request, ranks: Communicator) -> str:
    """The request of the curve, with its assumptions."""
    return (
        f"{visible(curve.design) or 'unnamed design'}: {collective_name(curve.collective)}, "
        f"{ranks.kind}, {groups_words(ranks)}, {ranks.placement} "
        f"({', '.join(assumptions(request))}; {curve_kinds(curve)})"
    )


def curve_kinds(curve: Curve) -> str:
    """What kinds of figures a curve has: ``model``, or ``at least: ...`` and why."""
    return "; ".join(dict.fromkeys(point.label.words for point in curve.points))


def curve_table(curve: Curve) -> list[str]:
    """A line for each message size; where NCCL changes algorithm or protocol it is marked."""
    first = {point.message_bytes for point in curve.switches}
    rows = [
        (
            message_size(point.message_bytes),
            *_cells(point),
            Labelled(point.algbw_GBps, point.label).words,
            "" if point.floor_us is None else duration_us(point.floor_us),
            SWITCHES if point.message_bytes in first else "",
        )
        for point in curve.points
    ]
    known = any(point.floor_us is not None for point in curve.points)
    head = ("size", "algorithm", "protocol", "time", "busbw", "algbw", "floor" * known, "")
    lines = list(columns(head, rows, right=(0, 3, 4, 5, 6)))
    return [*lines, "", FLOOR_WORDS] if known else lines


def _cells(point: CurvePoint) -> tuple[str, str, str, str]:
    return (
        algorithm_name(point.algorithm),
        protocol_name(point.protocol),
        inverse(point.label).marked(duration_us(point.time_us)),
        Labelled(point.busbw_GBps, point.label).words,
    )
