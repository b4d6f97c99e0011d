"""The lists of published runs are well-formed: what each row says fits together, in its units."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from math import prod
from typing import Any

import pytest

from bench.measured.records import PUBLISHED, read_curves
from bench.workloads.__main__ import SETS, runs
from toposmith.workloads.block import Workload, workload_of
from toposmith.workloads.divisibility import ParallelSizes, split_of

Row = dict[str, Any]

TRAINING = ("mixtures", "thin_fabrics", "memory", "scaling")
LISTS = (*TRAINING, "serving_load", "storage")
NEAREST = {"fp16": "bf16", "mxfp8": "fp8", "nvfp4": "fp8"}
"""Of precisions that the program may not know, one that it does."""
PEAK_TFLOPS = {
    "v100": 125,
    "a100": 312,
    "a800": 312,
    "h100": 989.5,
    "h200": 989.5,
    "b200": 2250,
    "b300": 2250,
    "gb200": 2500,
    "gb300": 2500,
    "mi325x": 1307.4,
}
"""Dense products in 16 bits, by the data sheets; fp8 has twice, fp4 up to six times."""
MEMORY_GIB = {
    "v100-16gb": 16,
    "a100": 80,
    "a800": 80,
    "h100": 80,
    "h100-96gb": 96,
    "h200": 141,
    "b200": 180,
    "mi325x": 256,
}
SOURCE = re.compile(r"[^/]+/[^/]+, .+ at [0-9a-f]{8}$")
TOKENS_PER_S_GPU: dict[str, Callable[[Row, float], float]] = {
    "step_s": lambda row, seconds: tokens_of_a_step(row) / seconds / row["gpus"],
    "sequences_per_s": lambda row, each: each * row["training"]["sequence"] / row["gpus"],
    "tokens_per_s": lambda row, all_gpus: all_gpus / row["gpus"],
}
"""The figure of a training run from what its source prints."""


@cache
def listed(name: str) -> tuple[Row, ...]:
    return tuple(runs(name))


def rows_of(*names: str) -> list[Row]:
    return [row for name in names for row in listed(name)]


def tokens_of_a_step(row: Row) -> int:
    return int(row["training"]["batch"] * row["training"]["sequence"])


def as_read(row: Row) -> Workload:
    training = dict(row["training"])
    training["precision"] = NEAREST.get(training["precision"], training["precision"])
    return workload_of({"model": row["model"], "layout": row["layout"], "training": training})


def split(row: Row) -> ParallelSizes:
    return split_of(as_read(row).layout, row["gpus"])


def test_every_list_names_each_run_once() -> None:
    for name in LISTS:
        assert len(listed(name)) >= 6
    names = [row["run"].lower() for row in rows_of(*LISTS)]
    assert len(names) == len(set(names))
    assert not {row["run"].lower() for row in rows_of(*SETS)} & set(names)


def test_a_run_that_was_read_names_repository_path_and_commit() -> None:
    for row in rows_of(*LISTS):
        if row["verified"] is True:
            assert SOURCE.match(row["source"]), row["run"]
        else:
            assert row["verified"] is False
            assert row["source"]
            assert row["note"], row["run"]


def test_a_layout_fits_its_gpus_and_its_batch() -> None:
    for row in rows_of(*TRAINING):
        how = split(row)
        assert how.gpus == row["gpus"], row["run"]
        assert row["training"]["batch"] % (how.dp * how.block.micro_batch) == 0, row["run"]
        # Experts may lie over tensor-parallel ranks too.
        assert how.tp * how.gradient_ranks % how.ep == 0, row["run"]
        assert as_read(row).model.experts is not None or how.ep == 1, row["run"]


def test_a_figure_is_what_its_source_prints() -> None:
    for row in rows_of("mixtures", "thin_fabrics", "scaling"):
        for unit, printed in row.get("printed", {}).items():
            if unit == "tflops_gpu":
                assert row["value"] == pytest.approx(printed / 989.4, abs=0.001)
            else:
                worked_out = TOKENS_PER_S_GPU[unit](row, printed)
                assert row["value"] == pytest.approx(worked_out, abs=0.06), row["run"]


def test_no_run_is_faster_than_its_gpus() -> None:
    for row in rows_of("mixtures", "thin_fabrics", "scaling"):
        if row["figure"] == "mfu_with_scores":
            assert 0 < row["value"] < 1
            continue
        assert row["figure"] == "tokens_per_s_gpu"
        tflops = PEAK_TFLOPS[re.sub(r"-\d+gb$", "", row["gpu"])]
        tflops *= {"fp8": 2, "mxfp8": 2, "nvfp4": 6}.get(row["training"]["precision"], 1)
        model = as_read(row).model
        needed = 6 * (model.active_parameters - model.embedding_parameters) * row["value"] / 1e12
        assert 0 < needed < 0.8 * tflops, row["run"]


def test_a_run_takes_what_its_gpu_has_at_most_and_its_share_of_states_at_least() -> None:
    for row in rows_of("memory"):
        assert row["figure"] == "peak_memory_gib"
        assert row["measure"] in {"allocated", "active", "reserved", "device"}
        assert 0 < row["value"] <= MEMORY_GIB[row["gpu"]], row["run"]
        for unit, printed in row.get("printed", {}).items():
            gib = printed / {"GB": 1, "MiB": 1024}[unit]
            assert row["value"] == pytest.approx(gib, abs=0.006), row["run"]
        states = as_read(row).model.parameters * row.get("state_bytes", 0) / row["gpus"]
        assert row["value"] * 2**30 > states, row["run"]


def test_a_fabric_can_be_drawn() -> None:
    for row in rows_of("thin_fabrics", "scaling"):
        fabric = row.get("fabric")
        if fabric is None:
            assert row not in listed("thin_fabrics")
            continue
        assert fabric["nodes"] * fabric["gpus_per_node"] == row["gpus"], row["run"]
        assert fabric["gpus_per_node"] == row["gpus_per_node"], row["run"]
        assert {"inside", "nic", "network", "switch", "oversubscription"} <= fabric.keys()
        if "nics_per_node" in fabric:
            assert fabric["nics_per_node"] * fabric["nic_gbps"] == fabric["node_gbps"]


def test_thin_fabrics_give_each_gpu_100_gbps_at_most() -> None:
    for row in rows_of("thin_fabrics"):
        assert row["fabric"]["node_gbps"] / row["fabric"]["gpus_per_node"] <= 100
    assert len({(row["source"], row["gpu"]) for row in rows_of("thin_fabrics")}) >= 6


def test_a_series_grows_in_gpus_with_its_model_as_it_is() -> None:
    series: dict[str, list[Row]] = defaultdict(list)
    for row in rows_of(*TRAINING):
        if "series" in row:
            series[row["series"]].append(row)
    assert len(series) >= 20
    for name, rows in series.items():
        gpus = [row["gpus"] for row in rows]
        assert len(gpus) == len(set(gpus)) > 1, name
        assert all(row["model"] == rows[0]["model"] for row in rows), name
        assert len({row["training"]["sequence"] for row in rows}) == 1, name


def test_a_service_answers_no_more_than_it_is_asked() -> None:
    for row in rows_of("serving_load"):
        load, figures, layout = row["load"], row["figures"], row.get("layout", {})
        workload_of({"model": row["model"], "layout": layout})
        assert row["gpus"] % prod(layout.get(axis, 1) for axis in ("tp", "pp")) == 0, row["run"]
        if load["arrivals"] == "closed":
            assert load["concurrency"] >= 1
            assert figures["ttft_ms"] > figures["tpot_ms"] > 0, row["run"]
            continue
        assert load["arrivals"] == "poisson"
        assert figures["requests_per_s"] <= load["requests_per_s"], row["run"]
        tokens = figures["tokens_per_s"] / figures["requests_per_s"]
        assert tokens == pytest.approx(row["serving"]["output"], rel=0.01), row["run"]
        for what in ("ttft", "tpot"):
            assert 0 < figures[f"{what}_p50_ms"] < figures[f"{what}_p99_ms"], row["run"]


def test_clients_read_no_faster_than_their_ports() -> None:
    for row in rows_of("storage"):
        assert row["figure"] in {"read_GBps", "seconds"}
        printed, network = row["printed"], row.get("client_network")
        if "MiB_per_s" in printed:
            assert row["value"] == pytest.approx(printed["MiB_per_s"] * 2**20 / 1e9, abs=0.006)
        if "ms" in printed:
            assert row["value"] == pytest.approx(printed["ms"] / 1e3, abs=0.006)
        if row["figure"] == "read_GBps" and network:
            ports_GBps = row["clients"] * network["ports"] * network["gbps"] / 8
            assert row["value"] < ports_GBps, row["run"]


def test_time_and_bandwidth_of_further_curves_agree() -> None:
    # nccl-tests, doc/PERFORMANCE.md: busbw is bytes over time, times 2(n-1)/n for an all-reduce.
    for curve in read_curves(PUBLISHED.parent / "further.yaml"):
        ranks = curve.number("gpus")
        assert ranks == curve.number("nodes") * curve.number("gpus_used_per_node")
        factor = {"all_reduce": 2 * (ranks - 1) / ranks, "send_recv": 1}[curve.collective]
        sizes = [point.message_bytes for point in curve.points]
        assert sizes == sorted(set(sizes)), curve.name
        for point in curve.points:
            worked_out = point.message_bytes * factor / point.time_us / 1e3
            assert point.busbw_GBps == pytest.approx(worked_out, rel=0.02, abs=0.006), curve.name


def test_further_curves_are_none_of_those_known() -> None:
    known = [*read_curves(), *read_curves(PUBLISHED.parent / "held_out.yaml")]
    names = {curve.name for curve in read_curves(PUBLISHED.parent / "further.yaml")}
    assert len(names) >= 12
    assert not {curve.name for curve in known} & names
