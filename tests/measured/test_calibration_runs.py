"""A cluster's own runs calibrate later predictions, which say so."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from tests.measured.logs import log
from toposmith.analysis.calibration_file import (
    CalibratedRun,
    Calibration,
    calibration_text,
    load_calibration,
    read_calibration,
)
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError
from toposmith.evaluation import EvaluatedDesign
from toposmith.measured.against import compare
from toposmith.measured.nccl_tests import read_log
from toposmith.measured.runs_table import NoCalibration, calibration_of
from toposmith.synthesis.ranked_fixes import ranked_fixes

CATALOG = load_catalog(user=False)
VERSION = "x NCCL INFO NCCL version 2.27.7+cuda12.8\n"


def design(nodes: int = 4, part: str = "dgx-a100") -> Design:
    text = (
        f"toposmith: 2\ngroups:\n  node: {{part: {part}, count: {nodes}}}\n"
        "  leaf: {part: qm8790, count: 4}\nlinks:\n  - {between: [node.compute, leaf]}\n"
    )
    return parse_design(text, "test")


def calibrated(rows: list[tuple[int, float]], before: str = VERSION, nodes: int = 4) -> Calibration:
    (run,) = read_log(log(rows, nodes=nodes, before=before).encode(), "run.log").runs
    text = calibration_of([compare(run, design(nodes), CATALOG)], CATALOG)
    return read_calibration(text, "mine.yaml")


def asked(of: Design, request: Request) -> EvaluatedDesign:
    return EvaluatedDesign(of, CATALOG, request)


MEASURED = [(2**20, 5.0), (2**26, 80.0), (2**30, 140.0)]


def test_predictions_of_the_sizes_that_ran_are_what_was_measured() -> None:
    mine = calibrated(MEASURED)
    for size, busbw in MEASURED:
        found = asked(design(), Request(message_bytes=size, calibration=mine)).analysis
        assert found.busbw_GBps == pytest.approx(busbw, rel=1e-3)
        assert found.busbw_label.words == "model: calibrated by mine.yaml"
        assert found.band is None and "calibrated by mine.yaml" in found.no_band


def test_between_sizes_the_share_goes_by_the_logarithm_and_above_the_largest_it_holds() -> None:
    run = CalibratedRun("all_reduce", 4, 32, ((2**20, 0.5), (2**22, 0.8), (2**26, 0.9)))
    assert run.share(2**21) == pytest.approx(math.sqrt(0.5 * 0.8))
    assert run.share(2**33) == 0.9
    assert run.share(2**19) is None
    small = CalibratedRun("all_reduce", 4, 32, ((2**20, 0.5),))
    assert small.share(2**21) is None


def test_other_sizes_collectives_and_parts_stay_as_modelled() -> None:
    mine = calibrated(MEASURED)
    for of, request in (
        (design(), Request(message_bytes=2**10)),
        (design(), Request("all_gather")),
        (design(1), Request()),
        (design(part="dgx-h100"), Request()),
        (design(), Request(algorithm="tree")),
    ):
        with_it = asked(of, replace(request, calibration=mine)).analysis
        without = asked(of, request).analysis
        assert with_it.busbw_GBps == without.busbw_GBps
        assert with_it.busbw_label == without.busbw_label
        assert with_it.assumed[-1].id == "calibration"


def test_designs_with_other_parts_are_compared_without_a_calibration() -> None:
    request = Request(calibration=calibrated(MEASURED))
    found = ranked_fixes(asked(design(), request), most_tried=1)
    model = asked(design(), Request()).analysis
    assert (
        found.now.amount.value == model.busbw_GBps and found.now.amount.label == model.busbw_label
    )


def test_the_run_on_the_nearest_number_of_nodes_is_taken() -> None:
    runs = tuple(
        CalibratedRun("all_reduce", nodes, 8 * nodes, ((2**30, share),))
        for nodes, share in ((1, 0.7), (2, 0.8), (16, 0.9))
    )
    mine = Calibration("mine.yaml", ("connectx-6-hdr", "dgx-a100"), runs)
    model = asked(design(12), Request()).analysis.busbw_GBps
    found = asked(design(12), Request(calibration=mine)).analysis
    assert model and found.busbw_GBps == pytest.approx(0.9 * model)


def test_every_point_of_a_curve_says_whether_it_is_calibrated() -> None:
    mine = calibrated(MEASURED)
    curve = asked(design(), Request(calibration=mine)).curve
    assert curve is not None
    of = {point.message_bytes: point.label.of for point in curve.points}
    assert of[2**19] == "" and of[2**20] == of[2**34] == "calibrated by mine.yaml"


def test_several_runs_of_one_kind_are_averaged() -> None:
    runs = read_log(
        (log([(2**30, 100.0)], before=VERSION) + log([(2**30, 144.0)], before=VERSION)).encode(),
        "run.log",
    ).runs
    compared = [compare(run, design(2), CATALOG) for run in runs]
    mine = read_calibration(calibration_of(compared, CATALOG), "mine.yaml")
    found = asked(design(2), Request(message_bytes=2**30, calibration=mine)).analysis
    assert found.busbw_GBps == pytest.approx(120.0, rel=1e-3)


def test_forced_runs_and_runs_of_another_cluster_calibrate_nothing() -> None:
    with pytest.raises(NoCalibration, match="forced"):
        calibrated(MEASURED, VERSION + "x NCCL INFO NCCL_ALGO set by environment to RING\n")
    with pytest.raises(NoCalibration, match="more was measured"):
        calibrated([(2**30, 900.0)])
    with pytest.raises(NoCalibration, match=r"run.log:\d+: .* too far apart"):
        calibrated([(2**30, 0.5)])


GOOD = calibration_text(("a", "b"), (CalibratedRun("all_reduce", 4, 32, ((8, 1.0), (16, 0.9))),))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("toposmith_calibration: 1", "toposmith: 1", "1:1: no calibration"),
        ("toposmith_calibration: 1", "toposmith_calibration: 2", "found 2, expected 1"),
        ("['a', 'b']", "[]", "a list of part ids"),
        ("all_reduce", "all", "runs[0].collective: found 'all'"),
        ("nodes: 4", "nodes: true", "whole number from 1 on"),
        ("nodes: 4", "nods: 4", "unknown key 'nods'"),
        ("share: 0.9", "share: .nan", "expected measured over predicted"),
        ("share: 0.9", "share: 0", "expected measured over predicted"),
        ("bytes: 16", "bytes: 8", ":11:17:"),
        ("bytes: 16", "bytes: 9223372036854775808", "runs[0].points[1].bytes"),
        ("{bytes: 8, share: 1.0000}", "7", "expected bytes and share"),
        ("points:", "points: &x", "runs"),
    ],
)
def test_a_bad_file_is_refused_by_line(old: str, new: str, words: str) -> None:
    assert old in GOOD
    with pytest.raises(DesignFileError) as refused:
        read_calibration(GOOD.replace(old, new), "mine.yaml")
    text = str(refused.value)
    assert text.startswith("mine.yaml:") and (words in text or words == "runs")


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignFileError, match="cannot be read"):
        load_calibration(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DesignFileError, match="UTF-8"):
        load_calibration(tmp_path / "x")
