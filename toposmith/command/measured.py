"""`measured`: runs of nccl-tests on the real cluster against the design's predictions."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposmith.collectives import COLLECTIVES, programs
from toposmith.command.catalog_options import catalog_option, load_parts
from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    Refused,
    require_free,
    say,
    write_data,
    write_out,
    write_talk,
)
from toposmith.command.reports.measured import (
    expected_as_data,
    expected_report,
    measured_as_data,
    measured_report,
)
from toposmith.measured.against import compare, expected
from toposmith.measured.calibration_runs import calibration_of
from toposmith.measured.nccl_tests import (
    LARGEST_LOG_BYTES,
    read_log,
    read_log_file,
)

if TYPE_CHECKING:
    from toposmith.measured.against import RunComparison
    from toposmith.measured.nccl_tests import Log


@click.command()
@click.argument("logs", metavar="LOG", nargs=-1)
@click.argument("file", metavar="DESIGN")
@click.option("--collective", metavar="NAME", help="Which ran, where a log does not say it.")
@click.option("--in-place", is_flag=True, help="Take the in-place columns.")
@click.option("--calibrate", metavar="OUT", help="Write what later predictions can go by.")
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@catalog_option
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
    measured is kept for `--calibration OUT` of later predictions.
    """
    if collective is not None:
        collective = programs().get(collective.removesuffix("_perf"), collective)
    if collective is not None and collective not in COLLECTIVES:
        known = ", ".join(COLLECTIVES)
        text = f"{collective!r} is no collective (known: {known})"
        raise click.BadParameter(text, param_hint="--collective")
    if Path(file).suffix in (".log", ".txt", ".out"):
        raise Refused(f"DESIGN is missing: {file} looks like a LOG, and the design comes last")
    if calibrate is not None:
        if not logs:
            raise Refused("--calibrate goes with a LOG")
        require_free(calibrate, force, file, *logs)
    elif force:
        raise Refused("--force goes with --calibrate")
    if calibrate == "-":
        raise Refused("--calibrate writes a file; name one")
    design, catalog = read_design(file), load_parts()
    if not logs:
        wanted = expected(design, catalog)
        if as_json:
            write_data(json.dumps(expected_as_data(wanted), indent=2) + "\n")
        else:
            write_talk(expected_report(wanted) + "\n")
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
    if as_json:
        write_data(json.dumps(measured_as_data(compared, left_out), indent=2) + "\n")
    else:
        write_talk(measured_report(compared, left_out) + "\n")
    return FINE if all(one.passes for one in compared) and compared else FINDINGS


def _read(name: str, in_place: bool) -> Log:
    if name == "-":
        text = sys.stdin.buffer.read(LARGEST_LOG_BYTES + 1)
        return read_log(text, "stdin", in_place=in_place)
    return read_log_file(Path(name), in_place=in_place)
