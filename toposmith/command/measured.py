"""`measured`: runs of nccl-tests on the real cluster against the design's predictions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toposmith.analysis.summary import band_range
from toposmith.collectives import COLLECTIVES, programs
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    load_parts,
    refuse,
    require_free,
    say,
    write_either,
    write_out,
    wrong,
)
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.measured.against import ComparedPoint, Expected, RunComparison, compare, expected
from toposmith.measured.nccl_tests import LARGEST_LOG_BYTES, read_log, read_log_file
from toposmith.measured.runs_table import calibration_of, measured_table
from toposmith.plain_text import visible
from toposmith.text import bandwidth, message_size

if TYPE_CHECKING:
    from toposmith.measured.nccl_tests import Log


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


@click.command()
@click.argument("logs", metavar="LOG", nargs=-1)
@click.argument("file", metavar="DESIGN")
@click.option("--collective", metavar="NAME", help="Which ran, where a log does not say it.")
@click.option("--in-place", is_flag=True, help="Take the in-place columns.")
@click.option("--calibrate", metavar="OUT", help="Write what later predictions can go by.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def measured(
    logs: tuple[str, ...],
    file: str,
    collective: str | None,
    in_place: bool,
    calibrate: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Compare runs of nccl-tests or rccl-tests with what DESIGN predicts, and explain gaps.

    LOG is the output of a test program, text or JSON, or - for standard input. Without a LOG: the
    commands to run on a new cluster, with the busbw to expect of each. With --calibrate what was
    measured is kept for `--with calibration=OUT` of later predictions.
    """
    if collective is not None:
        collective = programs().get(collective.removesuffix("_perf"), collective)
    unknown = f"{collective!r} is no collective (known: {', '.join(COLLECTIVES)})"
    no_design = f"DESIGN is missing: {file} looks like a LOG, and the design comes last"
    refuse(
        (collective not in (None, *COLLECTIVES), wrong("--collective", unknown)),
        (Path(file).suffix in (".log", ".txt", ".out"), Refused(no_design)),
        (calibrate is not None and not logs, Refused("--calibrate goes with a LOG")),
        (calibrate is None and force, Refused("--force goes with --calibrate")),
        (calibrate == "-", Refused("--calibrate writes a file; name one")),
    )
    if calibrate is not None:
        require_free(calibrate, force, file, *logs)
    design, catalog = read_design(file), load_parts()
    if not logs:
        wanted = expected(design, catalog)
        write_either(
            as_json,
            lambda: expected_as_data(wanted),
            lambda: expected_report(wanted) + "\n",
        )
        return FINE
    compared: list[RunComparison] = []
    left_out: list[str] = []
    for name in logs:
        log = _read(name, in_place)
        left_out += log.left_out
        for run in log.runs:
            if collective is not None and (run.collective_known_by or not run.collective):
                run = replace(run, collective=collective, collective_known_by="")
            compared.append(compare(run, design, catalog))
    if calibrate is not None:
        write_out(calibration_of(compared, catalog), calibrate)
        for one in compared:
            if not one.passes:
                say(f"{one.run.place}: not as predicted; what holds it back is in {calibrate}, too")
    write_either(
        as_json,
        lambda: measured_as_data(compared, left_out),
        lambda: measured_report(compared, left_out) + "\n",
    )
    return FINE if all(one.passes for one in compared) and compared else FINDINGS


def _read(name: str, in_place: bool) -> Log:
    if name == "-":
        text = sys.stdin.buffer.read(LARGEST_LOG_BYTES + 1)
        return read_log(text, "stdin", in_place=in_place)
    return read_log_file(Path(name), in_place=in_place)
