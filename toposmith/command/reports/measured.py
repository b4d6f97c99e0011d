"""Runs of nccl-tests against predictions, as plain text and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toposmith.analysis.summary import band_range
from toposmith.collectives import COLLECTIVES
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.measured.against import (
    ComparedPoint,
    Expected,
    RunComparison,
)
from toposmith.measured.runs_table import measured_table
from toposmith.plain_text import visible
from toposmith.text import (
    bandwidth,
    message_size,
)


def measured_report(compared: Sequence[RunComparison], left_out: Iterable[str]) -> str:
    """Every run, with possible explanations of a gap."""
    blocks = ["\n".join(_run(one)) for one in compared]
    missed = [f"left out: {line}" for line in left_out]
    return "\n\n".join([*blocks, *(["\n".join(missed)] if missed else [])])


def _run(found: RunComparison) -> Iterator[str]:
    table = measured_table([found])
    first, verdict, *notes = (visible(note.text) for note in table.head)
    yield from (first, verdict, "", *table_lines(table), *notes)


def expected_report(found: Sequence[Expected]) -> str:
    """The commands to run, with the busbw to expect."""
    blocks = []
    for one in found:
        head = ("size", "expected busbw", "published results", "")
        rows = (
            (
                message_size(point.measured.message_bytes),
                point.label.marked(bandwidth(point.predicted_GBps)),
                band_range(point.predicted_GBps, point.band) if point.band else "-",
                point.label.kind,
            )
            for point in one.points
        )
        lines = columns(head, rows, right=(0, 1))
        blocks.append("\n".join([COLLECTIVES[one.collective].name, f"    {one.command}", *lines]))
    last = "then: toposmith measured *.log DESIGN"
    return "\n\n".join([*blocks, last])


def expected_as_data(found: Sequence[Expected]) -> dict[str, Any]:
    """What to run and to expect, as plain data (``docs/measured.md``)."""
    return {
        "toposmith_expected": 1,
        "commands": [
            {
                "collective": one.collective,
                "command": one.command,
                "points": [
                    {
                        "message_bytes": point.measured.message_bytes,
                        "predicted_busbw_GBps": _rounded(point.predicted_GBps),
                        "predicted_us": _rounded(point.predicted_us),
                        "predicted_is": point.label.kind,
                        "algorithm": point.algorithm,
                        "protocol": point.protocol,
                        "band": _band_as_data(point),
                    }
                    for point in one.points
                ],
            }
            for one in found
        ],
    }


def _band_as_data(point: ComparedPoint) -> dict[str, Any] | None:
    band = point.band
    return None if band is None else {"low": band.low, "high": band.high, "of": band.where}


def measured_as_data(compared: Sequence[RunComparison], left_out: Iterable[str]) -> dict[str, Any]:
    """The same as plain data (``docs/measured.md``)."""
    return {
        "toposmith_measured": 1,
        "passes": all(one.passes for one in compared),
        "runs": [_as_data(one) for one in compared],
        "left_out": list(left_out),
    }


def _as_data(found: RunComparison) -> dict[str, Any]:
    return {
        "source": found.run.source,
        "line": found.run.line,
        "collective": found.request.collective,
        "gpus": found.gpus,
        "nodes": found.nodes,
        "nccl": str(found.request.version),
        "in_place": found.run.in_place,
        "passes": found.passes,
        "off": _rounded(found.off),
        "bound_busbw_GBps": _rounded(found.bound_GBps),
        "points": [
            {
                "message_bytes": point.measured.message_bytes,
                "line": point.measured.line,
                "measured_busbw_GBps": _rounded(point.measured.busbw_GBps),
                "measured_us": _rounded(point.measured.time_us),
                "predicted_busbw_GBps": _rounded(point.predicted_GBps),
                "predicted_us": _rounded(point.predicted_us),
                "predicted_is": point.label.kind,
                "algorithm": point.algorithm,
                "protocol": point.protocol,
                "band": _band_as_data(point),
                "verdict": point.verdict,
                "wrong_values": point.measured.wrong,
            }
            for point in found.points
        ],
        "explanations": [
            {"text": one.text, "remedy": one.remedy, "off": _rounded(one.off)}
            for one in found.explanations
        ],
        "noted": [{"text": one.text, "remedy": one.remedy} for one in found.noted],
        "assumed": list(found.notes),
    }


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else float(f"{figure:.9g}")
