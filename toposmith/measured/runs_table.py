"""Runs of nccl-tests beside what is predicted, as a table, and as a calibration."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import exp, log

from toposmith.analysis.calibration_file import SHARES, CalibratedRun, calibration_text
from toposmith.analysis.prediction.nccl_topology import parts_of
from toposmith.analysis.summary import band_range, band_words
from toposmith.catalog import Catalog
from toposmith.collectives import COLLECTIVES
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.measured.against import ComparedPoint, RunComparison, verdict_words
from toposmith.text import (
    algorithm_name,
    bandwidth,
    counted,
    message_size,
    percent,
    protocol_name,
    signed_percent,
)

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
_TONES = {"below": Tone.BAD, "above": Tone.ACCENT}

NO_LOG = (
    "No log is compared yet: o asks for the output of nccl-tests or rccl-tests, text or JSON. "
    "`toposmith measured DESIGN` tells what to run and what to expect."
)


def measured_table(compared: Sequence[RunComparison], left_out: Sequence[str] = ()) -> Table:
    """Every size of every run, with what would explain a gap above."""
    rows = [
        _row(f"{number}.{at}", found, point)
        for number, found in enumerate(compared)
        for at, point in enumerate(found.points)
    ]
    head = [line for found in compared for line in _head(found)]
    head += [Note(f"left out: {line}", Tone.WARNING) for line in left_out[:3]]
    return Table(_COLUMNS, tuple(rows), tuple(head), NO_LOG)


def _head(found: RunComparison) -> Iterator[Note]:
    name = COLLECTIVES[found.request.collective].name
    where = f"{counted(found.gpus, 'GPU')} on {counted(found.nodes, 'node')}"
    place = ", in place" if found.run.in_place else ""
    yield Note(f"{found.run.place}: {name}, {where}, NCCL {found.request.version}{place}")
    yield Note(verdict_words(found), Tone.PLAIN if found.passes else Tone.BAD)
    if found.bound_GBps is not None:
        most = bandwidth(found.bound_GBps)
        yield Note(f"no schedule exceeds {most}; predictions are a model's", Tone.QUIET)
    for one in found.explanations:
        off = "" if one.off is None else f" (then {percent(one.off)} off)"
        yield Note(f"likely: {one.text}{off}; {one.remedy}", Tone.WARNING)
    for one in found.noted:
        yield Note(f"noted: {one.text}; {one.remedy}")
    for note in found.notes:
        yield Note(f"assumed: {note}", Tone.QUIET)


def _row(key: str, found: RunComparison, point: ComparedPoint) -> Row:
    measured, predicted = point.measured.busbw_GBps, point.predicted_GBps
    band = band_range(predicted, point.band) if point.band else "-"
    wrong = point.measured.wrong
    verdict = "wrong values" if wrong else point.verdict
    tone = Tone.BAD if wrong else _TONES.get(point.verdict, Tone.PLAIN)
    cells = (
        Cell(COLLECTIVES[found.request.collective].name, found.request.collective),
        Cell(message_size(point.measured.message_bytes), point.measured.message_bytes),
        Cell(bandwidth(measured), measured, tone),
        Cell(point.label.marked(bandwidth(predicted)), predicted),
        Cell(
            f"{signed_percent(point.ratio - 1)}{_SIGNS.get(point.verdict, '')}", point.ratio, tone
        ),
        Cell(band),
        Cell(f"{algorithm_name(point.algorithm)}, {protocol_name(point.protocol)}"),
        Cell(verdict, verdict, tone),
    )
    detail = [f"line {point.measured.line} of the log; prediction: {point.label.words}"]
    if wrong:
        detail.append(f"{counted(wrong, 'value')} came back wrong (#wrong)")
    if point.band is not None:
        detail.append(band_words(point.band))
    return Row(key, cells, tuple(detail))


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
