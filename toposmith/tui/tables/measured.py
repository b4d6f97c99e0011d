"""Runs of nccl-tests beside what is predicted, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toposmith.analysis.summary import band_range, band_words
from toposmith.collectives import COLLECTIVES
from toposmith.measured.against import ComparedPoint, RunComparison, verdict_words
from toposmith.text import (
    algorithm_name,
    bandwidth,
    counted,
    message_size,
    protocol_name,
    signed_percent,
)
from toposmith.tui.views.table import Cell, Column, Row, Table

_COLUMNS = (
    Column("collective", rank=3),
    Column("size", right=True),
    Column("measured", right=True),
    Column("predicted", right=True),
    Column("difference", right=True),
    Column("published results", rank=4),
    Column("runs as", rank=5),
    Column("verdict", rank=2),
)
_SIGNS = {"below": " !"}
_STYLES = {"below": "$text-error", "above": "$text-accent"}

NO_LOG = (
    "No log is compared yet: o asks for the output of nccl-tests or rccl-tests, text or JSON. "
    "`toposmith measured DESIGN` tells what to run and what to expect."
)


def measured_table(compared: Sequence[RunComparison], left_out: Sequence[str]) -> Table:
    """Every size of every run, with what would explain a gap above."""
    rows = [
        _row(f"{number}.{at}", found, point)
        for number, found in enumerate(compared)
        for at, point in enumerate(found.points)
    ]
    head = [line for found in compared for line in _head(found)]
    head += [(f"left out: {line}", "$text-warning") for line in left_out[:3]]
    return Table(_COLUMNS, tuple(rows), tuple(head), NO_LOG)


def _head(found: RunComparison) -> Iterator[tuple[str, str]]:
    name = COLLECTIVES[found.request.collective].name
    where = f"{counted(found.gpus, 'GPU')} on {counted(found.nodes, 'node')}"
    yield f"{found.run.place}: {name}, {where}, NCCL {found.request.version}", ""
    yield verdict_words(found), "" if found.passes else "$text-error"
    for one in found.explanations:
        yield f"likely: {one.text}; {one.remedy}", "$text-warning"
    for one in found.noted:
        yield f"noted: {one.text}; {one.remedy}", ""
    for note in found.notes:
        yield f"assumed: {note}", "$text-muted"


def _row(key: str, found: RunComparison, point: ComparedPoint) -> Row:
    measured, predicted = point.measured.busbw_GBps, point.predicted_GBps
    band = band_range(predicted, point.band) if point.band else "-"
    wrong = point.measured.wrong
    verdict = "wrong values" if wrong else point.verdict
    style = "$text-error" if wrong else _STYLES.get(point.verdict, "")
    cells = (
        Cell(COLLECTIVES[found.request.collective].name, found.request.collective),
        Cell(message_size(point.measured.message_bytes), point.measured.message_bytes),
        Cell(bandwidth(measured), measured, style),
        Cell(point.label.marked(bandwidth(predicted)), predicted),
        Cell(
            f"{signed_percent(point.ratio - 1)}{_SIGNS.get(point.verdict, '')}", point.ratio, style
        ),
        Cell(band),
        Cell(f"{algorithm_name(point.algorithm)}, {protocol_name(point.protocol)}"),
        Cell(verdict, verdict, style),
    )
    detail = [f"line {point.measured.line} of the log; prediction: {point.label.words}"]
    if wrong:
        detail.append(f"{counted(wrong, 'value')} came back wrong (#wrong)")
    if point.band is not None:
        detail.append(band_words(point.band))
    return Row(key, cells, tuple(detail))
