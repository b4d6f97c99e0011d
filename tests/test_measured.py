"""Predictions against published results: within what is promised, and the bands are up to date."""

from __future__ import annotations

import pytest

from bench.measured.records import PUBLISHED, MeasuredCurve, Point, read_curves
from bench.measured.score import Scored, bands, is_nvswitch_over_rdma, median_error, scored
from toposmith.topology.analysis.prediction.error_band import BANDS

KIB, MIB, GIB = 2**10, 2**20, 2**30


@pytest.fixture(scope="module")
def results() -> list[Scored]:
    return scored(read_curves())[0]


def test_published_results_are_many_and_of_many_systems(results: list[Scored]) -> None:
    assert len(results) > 2000
    assert len({result.curve.text("system") for result in results}) > 30


def test_nvswitch_nodes_over_rdma_are_within_5_percent_at_1_GiB(results: list[Scored]) -> None:
    _, error = median_error(
        results, lambda r: is_nvswitch_over_rdma(r) and r.point.message_bytes >= GIB
    )
    assert error <= 0.05


def test_everything_is_within_10_percent_at_64_MiB(results: list[Scored]) -> None:
    assert median_error(results, lambda r: r.point.message_bytes >= 64 * MIB)[1] <= 0.10


def test_whole_curves_are_within_35_percent_from_32_KiB(results: list[Scored]) -> None:
    assert median_error(results, lambda r: r.point.message_bytes >= 32 * KIB)[1] < 0.35


def test_the_bands_shown_are_those_found(results: list[Scored]) -> None:
    assert bands(results) == BANDS


def test_only_runs_of_their_own_kind_make_a_band(results: list[Scored]) -> None:
    counted = [result for result in results if result.band_class]
    assert {result.curve.text("forced") for result in counted} == {""}
    assert {result.curve.text("intra_node") for result in counted} == {"nvswitch"}
    assert not any("sharp" in result.curve.text("transport") for result in counted)
    between = [result.curve for result in counted if result.curve.number("nodes") > 1]
    assert not any("mnnvl" in one.text("transport") for one in between)
    assert all(one.number("gpus_used_per_node") == one.number("gpus_per_node") for one in between)


def _curve(system: str, ratios: list[float]) -> list[Scored]:
    """A made-up system: results of so many times the 100 GB/s that are predicted, at 1 GiB."""
    described = {"system": system, "forced": "", "transport": "ib", "intra_node": "nvswitch"}
    described |= {"nodes": "2", "gpus_per_node": "8", "gpus_used_per_node": "8"}
    points = tuple(Point(GIB, 1.0, 100 * ratio, False, False) for ratio in ratios)
    curve = MeasuredCurve(system, "all_reduce", described, points)
    return [Scored(curve, point, "ring/simple", 100.0) for point in points]


def test_every_system_weighs_alike_in_a_band() -> None:
    # one system with 90 results at the prediction, nine with one each from 0.9 to 0.5
    long = _curve("long", [1.0] * 90)
    short = [one for n in range(9) for one in _curve(f"short {n}", [0.9 - 0.05 * n])]
    ((_, found),) = bands([*long, *short]).items()
    low, high, curves, systems, held_out = found
    # a tenth of the weight is the system at 0.5; nine tenths end with the one at 0.9
    assert (low, high) == (pytest.approx(-0.5), pytest.approx(-0.1))
    assert (curves, systems) == (10, 10)
    # left out, the one at 1 and the one at 0.5 lie outside of the others
    assert held_out == pytest.approx(0.8)


def test_systems_that_differ_from_all_others_support_no_8_of_10() -> None:
    found = bands([one for n in range(6) for one in _curve(str(n), [1 + n, 1 + n])])
    ((_, band),) = found.items()
    # the lowest and the highest of six lie outside of the others: 4 of 6 inside
    assert band[4] == pytest.approx(0.67)


def test_results_that_nothing_was_taken_from_are_near_at_1_GiB() -> None:
    held_out = scored(read_curves(PUBLISHED.parent / "held_out.yaml"))[0]
    many, error = median_error(held_out, lambda r: r.point.message_bytes >= GIB)
    assert many >= 9
    assert error <= 0.10
    names = {curve.text("source") for curve in read_curves()}
    assert not names & {result.curve.text("source") for result in held_out}
