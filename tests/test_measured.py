"""Predictions against published results: within what is promised, and the bands are up to date."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bench.measured import support_matrix, zoo
from bench.measured.__main__ import (
    BANDS_FILE,
    NEVER_FITTED,
    as_json,
    calibration,
    main,
    print_scopes,
)
from bench.measured.causes import CAUSES
from bench.measured.left_out import left_out
from bench.measured.read_off import READ_OFF
from bench.measured.records import MeasuredCurve, Point, read_curves
from bench.measured.score import (
    LeftOut,
    Scored,
    bands,
    exchanges,
    is_nvswitch_over_rdma,
    reach,
    scored,
)
from bench.measured.systems import request_of, transport_of
from toposmith import evaluate
from toposmith.catalog import load_catalog

KIB, MIB, GIB = 2**10, 2**20, 2**30

PAIRS = "two whole NVSwitch nodes over RDMA"


@pytest.fixture(scope="module")
def everything() -> tuple[list[Scored], list[LeftOut]]:
    return scored(read_curves())


@pytest.fixture(scope="module")
def results(everything: tuple[list[Scored], list[LeftOut]]) -> list[Scored]:
    return everything[0]


@pytest.fixture(scope="module")
def never_fitted() -> list[Scored]:
    return [one for path in NEVER_FITTED for one in scored(read_curves(path))[0]]


def test_published_results_are_many_and_of_many_systems(results: list[Scored]) -> None:
    assert len(results) > 2000
    assert len({result.curve.text("system") for result in results}) > 30


def test_nvswitch_nodes_over_rdma_are_within_5_percent_at_1_GiB(results: list[Scored]) -> None:
    found = reach(results, lambda r: is_nvswitch_over_rdma(r) and r.point.message_bytes >= GIB)
    assert found is not None
    assert found.of_results <= 0.045
    assert found.of_systems <= 0.06


def test_everything_is_within_10_percent_at_64_MiB(results: list[Scored]) -> None:
    found = reach(results, lambda r: r.point.message_bytes >= 64 * MIB)
    assert found is not None
    assert found.of_results <= 0.07
    assert found.of_systems <= 0.09
    assert found.p90_of_results <= 0.35
    assert found.p90_of_systems <= 0.35
    assert len(found.far_off) <= len(found.systems) / 4
    assert set(found.far_off) <= set(CAUSES)


def test_whole_curves_are_within_15_percent_from_32_KiB(results: list[Scored]) -> None:
    found = reach(results, lambda r: r.point.message_bytes >= 32 * KIB)
    assert found is not None
    assert found.of_results <= 0.14
    assert found.of_systems <= 0.14


def test_small_messages_are_within_a_third(results: list[Scored]) -> None:
    found = reach(results, lambda r: r.point.message_bytes < 32 * KIB)
    assert found is not None
    assert found.of_results <= 0.33
    assert found.of_systems <= 0.38


def test_the_bands_shown_are_those_found(results: list[Scored], never_fitted: list[Scored]) -> None:
    assert BANDS_FILE.read_text(encoding="utf-8") == as_json(
        bands([*results, *never_fitted]), exchanges([*results, *never_fitted])
    )


def test_seven_to_nine_of_ten_results_of_systems_left_out_lie_in_bands(
    results: list[Scored], never_fitted: list[Scored]
) -> None:
    found = calibration(bands([*results, *never_fitted]))
    assert found
    for kind, (share, _) in found.items():
        assert 0.7 <= share <= 0.9, kind


def test_every_curve_is_scored_or_left_out_with_a_reason(
    everything: tuple[list[Scored], list[LeftOut]],
) -> None:
    results, left_out = everything
    names = [curve.name for curve in read_curves()]
    predicted = {result.curve.name for result in results}
    reasons = {one.curve.name: one.why for one in left_out}
    assert predicted | set(reasons) == set(names)
    assert not predicted & set(reasons)
    assert all(reasons.values())
    assert "degraded" in reasons["nct290-2n-ar"]
    assert reasons["a800-12n-ar"] == "network unknown"


def test_only_runs_of_their_own_kind_make_a_band(results: list[Scored]) -> None:
    counted = [result for result in results if result.band_class]
    assert {result.curve.forced for result in counted} == {""}
    assert not any(result.curve.text("gpu").startswith("MI") for result in counted)
    assert not any(result.at_least for result in counted)
    pairs = [result.curve for result in counted if result.band_class == PAIRS]
    assert {one.text("intra_node") for one in pairs} == {"nvswitch"}
    assert {one.number("nodes") for one in pairs} == {2}
    assert all(one.number("gpus_used_per_node") == one.number("gpus_per_node") for one in pairs)
    tcp = {one.curve.text("transport") for one in counted if one.band_class == "TCP"}
    assert tcp == {"tcp"}


def test_racks_are_drawn_as_trays_and_counted_apart(results: list[Scored]) -> None:
    racks = [result for result in results if result.is_rack]
    assert not any(result.at_least for result in racks)
    assert len({result.curve.name for result in racks}) >= 5
    assert {result.curve.number("gpus_used_per_node") for result in racks} == {4}
    found = reach(results, lambda r: r.curve.text("transport").startswith("mnnvl"))
    assert found is not None
    assert found.results == sum(
        result.curve.number("nodes") == 1 and result.curve.text("transport").startswith("mnnvl")
        for result in results
    )


def _described(**said: str) -> MeasuredCurve:
    """A made-up run of two nodes of eight H100."""
    described = {"system": "a", "gpu": "H100-SXM5-80GB", "intra_node": "nvswitch"}
    described |= {"transport": "ib", "nodes": "2", "gpus": "16", "health": "healthy"}
    described |= {"gpus_per_node": "8", "gpus_used_per_node": "8", "nvlink_domain_gpus": "8"}
    described |= {"nics_per_node": "8", "nic_gbps": "400", "pcie_gen": "5"}
    return MeasuredCurve(
        "made up", "all_reduce", described | said, (Point(GIB, 5e3, 400.0, False, False),)
    )


@pytest.mark.parametrize(
    ("said", "over"),
    [
        ("ib", "infiniband"),
        ("ib-gdr", "infiniband"),
        ("rdma", "infiniband"),
        ("roce-gdr (gIB)", "roce"),
        ("mnnvl+roce", "roce"),
        ("tcp-ipoib", "tcp"),
        ("ipoib", "tcp"),
        ("tcp over ib", "tcp"),
        ("gpudirect-tcpx", "tcpx"),
        ("gpudirect-tcpxo", "tcpxo"),
        ("ofi-cxi-gdr", "slingshot"),
        ("efa-nogdr", "efa"),
        ("roce/tcp", None),
        ("unknown", None),
    ],
)
def test_tcp_over_infiniband_is_tcp(said: str, over: str | None) -> None:
    assert transport_of(_described(transport=said)) == over


@pytest.mark.parametrize(
    ("environment", "algorithm"),
    [
        ("NCCL_ALGO=RING", "ring"),
        ("NCCL_DEBUG=INFO NCCL_ALGO=Tree, 4 NICs listed", "tree"),
        ("NCCL_ALGO=allreduce:nvlstree", "nvls_tree"),
        ("NCCL_ALGO=^NVLS", "tree,ring,collnet_direct,collnet_chain,nvls_tree,pat"),
        ("NCCL_NET_GDR_LEVEL=2", None),
        ("", None),
    ],
)
def test_the_algorithm_is_what_the_environment_asks_for(
    environment: str, algorithm: str | None
) -> None:
    assert request_of(_described(algo_env=environment)).algorithm == algorithm


@pytest.mark.parametrize(
    ("environment", "protocols"),
    [
        ("NCCL_PROTO=Simple", "simple"),
        ("NCCL_ALGO=Ring NCCL_PROTO=Simple,LL128", "ll128,simple"),
        ("NCCL_PROTO=^LL128; more", "ll,simple"),
        ("NCCL_DEBUG=INFO", None),
    ],
)
def test_the_protocols_are_what_the_environment_asks_for(
    environment: str, protocols: str | None
) -> None:
    assert request_of(_described(algo_env=environment)).protocol == protocols


def test_reduction_in_switches_is_read_from_the_environment() -> None:
    assert request_of(_described(algo_env="SHARP on (NCCL_COLLNET_ENABLE=1)")).sharp
    assert not request_of(_described(algo_env="NCCL_COLLNET_ENABLE=0")).sharp
    alone = {"nodes": "1", "gpus": "8"}
    assert request_of(_described(algo_env="NCCL_NVLS_ENABLE=0", **alone)).algorithm == "ring"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"gpu": "TPU v5"}, "GPU TPU v5"),
        ({"nic_gbps": ""}, "number or speed of its NICs not given"),
        ({"transport": "carrier pigeon"}, "network carrier pigeon"),
        ({"gpus": "12"}, "12 GPUs on 2 nodes, 8 of each"),
        ({"health": "degraded"}, "health degraded: what else went on is not known"),
    ],
)
def test_what_is_left_out_has_a_reason(said: dict[str, str], why: str) -> None:
    found, left_out = scored([_described(**said)])
    assert not found
    assert [one.why for one in left_out] == [why]


def test_errors_are_counted_by_result_and_by_system() -> None:
    # one system with 9 results at the prediction, one with a result a quarter below it
    found = reach([*_curve("long", [1.0] * 9), *_curve("short", [0.75])], lambda _: True)
    assert found is not None
    assert found.of_results == 0
    assert found.of_systems == pytest.approx((0 + 1 / 3) / 2)
    assert found.far_off == {"short": pytest.approx(1 / 3)}
    assert found.p90_of_results == pytest.approx(1 / 30)


def test_all_tables_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(path) for path in NEVER_FITTED[:1]])
    printed = capsys.readouterr().out
    for heading in ("systems beyond 15%", "Calibration of bands", "Left out"):
        assert heading in printed


def _curve(system: str, ratios: list[float]) -> list[Scored]:
    """A made-up system: results of so many times the 100 GB/s that are predicted, at 1 GiB."""
    points = tuple(Point(GIB, 1.0, 100 * ratio, False, False) for ratio in ratios)
    curve = MeasuredCurve(system, "all_reduce", {"system": system}, points)
    return [Scored(curve, point, "ring/simple", 100.0, PAIRS) for point in points]


@pytest.mark.parametrize(
    ("head", "show"),
    [
        ("| published results |", lambda: main([])),
        pytest.param(
            *("| each system left out |", lambda: print_scopes(left_out(read_curves()))),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_the_docs_say_how_far_predictions_are_off(
    capsys: pytest.CaptureFixture[str], head: str, show: Callable[[], object]
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "model.md").read_text(encoding="utf-8")
    table = page.partition(head)[2].partition("\n\n")[0].splitlines()[2:]
    assert len(table) == 4
    show()
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    figures = re.compile(r"[\d.,]+")
    for row in table:
        name, *cells = (cell.strip() for cell in row.split("|")[1:-1])
        off, systems = re.search(r"(\d+) of (\d+)", cells.pop()).groups()  # type: ignore[union-attr]
        said = [*figures.findall(" ".join(cells)), systems, off]
        words = name.split()
        (line,) = [line for line in printed if line[: len(words)] == words]
        assert [cell.rstrip("%") for cell in line[len(words) :]][: len(said)] == said


def test_the_page_of_what_is_published_has_every_kind_of_system(
    results: list[Scored], never_fitted: list[Scored]
) -> None:
    found = bands([*results, *never_fitted])
    designs = zoo.held(read_curves(), load_catalog(user=False))
    said = support_matrix.page(found) + zoo.table(designs)
    assert support_matrix.PAGE.read_text(encoding="utf-8") == said
    kept = {file.stem: file.read_text(encoding="utf-8") for file in zoo.FOLDER.glob("*.yaml")}
    assert kept == {one.drawn.name: one.text for one in designs}


def test_measured_systems_drawn_from_the_catalog_read_as_those_made_from_descriptions(
    results: list[Scored],
) -> None:
    # what a person draws of a system, and what predictions are scored on, are within 7 %
    described = {(one.curve.name, one.point): one.predicted for one in results}
    for one in zoo.held(read_curves(), load_catalog(user=False)):
        assert one.predicted == pytest.approx(described[one.drawn.curve, one.point], rel=0.07)


def test_a_measured_design_is_opened_by_its_name() -> None:
    cluster = evaluate("measured/dgx-a100-4")
    assert cluster.analysis.gpus == 32
    assert "of busbw measured" in (cluster.design.note or "")


def test_systems_that_constants_were_read_off_are_named_as_their_sources_call_them(
    results: list[Scored],
) -> None:
    assert set(READ_OFF) <= {result.curve.text("system") for result in results}


def test_systems_that_no_constant_was_read_off_are_predicted_as_well(
    results: list[Scored],
) -> None:
    others = [one for one in results if one.curve.text("system") not in READ_OFF]
    found = reach(others, lambda r: r.point.message_bytes >= 64 * MIB)
    assert found is not None
    assert len(found.systems) >= 19
    assert found.of_results < 0.07 and found.of_systems < 0.09 and found.p90_of_systems < 0.35


def test_few_systems_span_all_that_they_published() -> None:
    found = bands([one for n in range(8) for one in _curve(str(n), [1 + n / 10, 0.9])])
    ((_, band),) = found.items()
    assert (band.low, band.high) == (pytest.approx(-0.1), pytest.approx(0.7))


def test_every_system_weighs_alike_in_a_band() -> None:
    # one system with 90 results at the prediction, nine with one each from 0.9 to 0.5
    long = _curve("long", [1.0] * 90)
    short = [one for n in range(9) for one in _curve(f"short {n}", [0.9 - 0.05 * n])]
    ((_, band),) = bands([*long, *short]).items()
    # of ten systems 11 / 10 - 1 / 2 lie beyond each end: not all of the lowest, and 0.6 of the long
    assert (band.low, band.high) == (pytest.approx(-0.5), 0)
    assert (band.curves, len(band.inside)) == (10, 10)
    # left out, the one at 1 and the one at 0.5 lie outside of the others
    assert band.held_out == pytest.approx(0.8)


def test_systems_that_differ_from_all_others_support_no_8_of_10() -> None:
    found = bands([one for n in range(6) for one in _curve(str(n), [1 + n, 1 + n])])
    ((_, band),) = found.items()
    # the lowest and the highest of six lie outside of the others: 4 of 6 inside
    assert band.held_out == pytest.approx(0.67)


def test_results_that_no_constant_was_taken_from_are_near_at_1_GiB() -> None:
    held_out = scored(read_curves(NEVER_FITTED[0]))[0]
    found = reach(held_out, lambda r: r.point.message_bytes >= GIB)
    assert found is not None
    assert found.results >= 9
    assert found.of_results <= 0.10
    names = {curve.text("source") for curve in read_curves()}
    assert not names & {result.curve.text("source") for result in held_out}
