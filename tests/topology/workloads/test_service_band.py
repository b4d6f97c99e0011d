"""Times under load say how far published services of their kind fell from predictions."""

from __future__ import annotations

from bench.workloads.service_bands import found_bands, system_of
from tests.topology.workloads.designs import parts, rails, saved
from toposmith.topology.workloads.as_data import assessment_data
from toposmith.topology.workloads.assess import Assessment, assess
from toposmith.topology.workloads.block import workload_of
from toposmith.topology.workloads.published_service_bands import BANDS
from toposmith.topology.workloads.service_band import service_bands
from toposmith.topology.workloads.workload_in_words import load_band_rows

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
