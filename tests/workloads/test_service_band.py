"""Times under load say how far published services of their kind fell from predictions."""

from __future__ import annotations

import pytest

from bench.workloads.__main__ import runs
from bench.workloads.service_bands import found_bands, system_of
from tests.workloads.designs import parts, rails, saved
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.published_service_bands import BANDS
from toposmith.workloads.service_band import service_bands
from toposmith.workloads.workload_in_words import load_band_rows
from toposmith.workloads.workload_json import assessment_data
from toposmith.workloads.workload_labels import FP4_UNRELIABLE

POD = "dgx-h100-superpod-1su"


def loaded(**serving: object) -> Assessment:
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": {"output": 32, **serving}}
    return assess(saved(POD), parts(), workload_of(block))


def test_the_bands_of_the_program_are_those_of_its_published_services() -> None:
    assert found_bands() == BANDS


def test_a_rate_is_compared_by_percentiles() -> None:
    rate = loaded(rate_per_s=5).load_bands
    assert [each.of for each in rate] == ["p50", "p99", "p50", "p99"]
    assert all(each.low < each.middle < each.high for each in rate)
    assert all(len(each.names) >= 3 for each in rate)


def test_releases_of_software_on_one_gpu_of_one_publisher_are_one_system() -> None:
    row = {"source": "ai-dynamo/aiconfigurator, a table", "gpu": "h100", "run": "Llama"}
    systems = {system_of(row | {"stack": stack}) for stack in ("vLLM", "TensorRT-LLM")}
    assert len(systems) == 1


def test_two_systems_are_too_few_for_a_band() -> None:
    assert len(BANDS["concurrency, H100, H200, tpot mean"][5]) == 2
    assert loaded(concurrency=8).load_bands == ()


def test_json_has_the_bands_of_a_load() -> None:
    data = assessment_data(loaded(rate_per_s=5))["serving"]["load"]["bands"]
    assert [each["time"] for each in data] == ["ttft", "ttft", "tpot", "tpot"]
    assert all(each["systems"] == len(each["names"]) for each in data)


def test_gpus_without_published_services_have_no_band_and_say_so() -> None:
    assert service_bands("poisson", 80) == ()
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": {"concurrency": 4}}
    found = assess(rails(1), parts(), workload_of(block))
    assert found.load_bands == ()
    ((name, words),) = load_band_rows(found.load_bands, found.gpu.name)
    assert name == "published runs"
    assert "is unknown: too few of A100" in words


def test_a_load_that_cannot_be_held_has_no_band() -> None:
    assert loaded(rate_per_s=1e6).load_bands == ()


@pytest.mark.parametrize(("precision", "said"), [("nvfp4", True), ("fp8", False)])
def test_a_service_in_fp4_says_beside_its_figures_that_they_are_not_reliable(
    precision: str, said: bool
) -> None:
    serving = {"output": 32, "precision": precision, "rate_per_s": 5}
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": serving}
    data = assessment_data(assess(rails(1, node="dgx-b200"), parts(), workload_of(block)))[
        "serving"
    ]
    assert (FP4_UNRELIABLE in data["service_is"]) == said
    assert (FP4_UNRELIABLE in data["load"]["load_is"]) == said


def test_the_words_of_fp4_are_those_of_the_published_services() -> None:
    tpot = [BANDS[f"rate, B200, GB200 and like, tpot {of}"] for of in ("p50", "p99")]
    low, high = min(each[0] for each in tpot), max(each[1] for each in tpot)
    assert f"{low:.2g} to {high:.2g} times as long" in FP4_UNRELIABLE
    under_load = [row for row in runs("serving_load") if row["load"]["arrivals"] == "poisson"]
    blackwell = [row for row in under_load if row["gpu"] in ("b200", "gb200", "gb300")]
    # what a source does not say is left out of the bands
    said = {row["serving"].get("precision") for row in blackwell} - {None}
    assert said == {"fp4"}
