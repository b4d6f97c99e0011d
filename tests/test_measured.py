"""Predictions against published results: within what is promised, and the bands are up to date."""

from __future__ import annotations

import pytest

from bench.measured.records import PUBLISHED, read_curves
from bench.measured.score import Scored, bands, is_nvswitch_over_rdma, median_error, scored
from topology.analysis.prediction.error_band import BANDS

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


def test_results_that_nothing_was_taken_from_are_near_at_1_GiB() -> None:
    held_out = scored(read_curves(PUBLISHED.parent / "held_out.yaml"))[0]
    many, error = median_error(held_out, lambda r: r.point.message_bytes >= GIB)
    assert many >= 9
    assert error <= 0.10
    names = {curve.text("source") for curve in read_curves()}
    assert not names & {result.curve.text("source") for result in held_out}
