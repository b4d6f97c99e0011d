"""Runs of nccl-tests on the real cluster, next to what the design predicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toposmith.measured.against import compare
from toposmith.measured.nccl_tests import read_log_file
from toposmith.measured.runs_table import measured_table
from toposmith.tui.flows.measurements import OfLog, ask_log, keep_calibration
from toposmith.tui.views.listing import Key, Listing, ViewJob

if TYPE_CHECKING:
    from toposmith.measured.against import RunComparison


@dataclass(frozen=True)
class _Found:
    compared: tuple[RunComparison, ...] = ()
    left_out: tuple[str, ...] = ()


def _found(job: ViewJob) -> _Found:
    """The log read, and every run in it compared with the current design."""
    if job.asked.log is None:
        return _Found()
    log, which = read_log_file(job.asked.log), job.asked.collective
    runs = (replace(run, collective=run.collective or which) for run in log.runs)
    design = job.wanted.design
    return _Found(tuple(compare(run, design, job.catalog) for run in runs), log.left_out)


MEASURED = Listing(
    "measured",
    "Measured",
    about="what was measured",
    compute=_found,
    table=lambda found, asked, glyphs: measured_table(found.compared, found.left_out),
    begin=OfLog,
    goes=False,
    keys=(
        Key("o", "open a log", "Open a log of nccl-tests", lambda on: ask_log(on.asked)),
        Key(
            "c", "calibrate", "Write a calibration of it",
            lambda on: keep_calibration(on.here, on.found.compared if on.found else ()),
        ),
    ),
)  # fmt: skip
