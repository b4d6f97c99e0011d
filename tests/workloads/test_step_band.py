"""Step times say how far published runs of their kind fell from predictions."""

from __future__ import annotations

import pytest

from bench.workloads.bands import found_bands
from tests.workloads.designs import POD, parts, saved
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.step_band import StepBand, published, step_band
from toposmith.workloads.workload_in_words import compared_words
from toposmith.workloads.workload_json import assessment_data

TRAINING = {"batch": 1024, "sequence": 4096, "tokens": 1e12}


def trained(model: str = "llama3-70b", **training: object) -> Assessment:
    block = {
        "model": model,
        "layout": {"tp": 8, "pp": 4, "dp": 8},
        "training": {**TRAINING, **training},
    }
    return assess(saved(POD), parts(), workload_of(block))


def test_the_bands_of_the_program_are_those_of_its_published_runs() -> None:
    assert found_bands() == published()


def test_a_class_of_nine_systems_and_more_holds_eight_of_ten_of_one_left_out() -> None:
    bands = [StepBand(**found, kind=kind) for kind, found in published().items()]
    large = [band for band in bands if len(band.names) >= 9]
    assert large
    assert all(band.supports_8_of_10 for band in large)


def test_a_time_of_a_band_is_that_of_its_rate_turned_round() -> None:
    # 100 tokens at 80 to 125 % of 10 a second: 12.5 to 8 s.
    band = StepBand(-0.2, 0.25, 0.0, 9, 0.8, ("a",) * 9, "dense models")
    assert band.rates(10) == pytest.approx((8, 12.5))
    assert band.times(100 / 10) == pytest.approx((8, 12.5))


def test_plain_fsdp_is_compared_with_its_own_runs_and_predicted_alike() -> None:
    nvidia, fsdp = trained(), trained(stack="fsdp")
    assert nvidia.step is not None
    assert fsdp.step is not None
    assert nvidia.step.step_s == fsdp.step.step_s
    assert nvidia.step_band != fsdp.step_band
    assert "plain FSDP" in assessment_data(fsdp)["training"]["band"]["kind"]


def test_own_runs_have_no_band_of_others() -> None:
    assert trained(compute_factor=1.2).step_band is None
    assert compared_words(trained(compute_factor=1.2)) == ""


def test_software_without_published_runs_on_such_gpus_says_so() -> None:
    older = trained(stack="older")
    assert older.gpu.name.startswith("H100")
    assert older.step_band is None
    words = compared_words(older)
    assert "is unknown: too few of dense models, software to 2022, H100" in words
    assert compared_words(trained()).startswith("in brackets: published runs of dense models")


@pytest.mark.parametrize(
    "generation", [0, 75, 89, 120], ids=["another maker", "T4", "Ada", "RTX PRO 6000"]
)
def test_gpus_without_published_runs_have_no_band(generation: int) -> None:
    assert step_band("nvidia", generation) is None


def test_mixtures_of_experts_have_no_band_and_say_why() -> None:
    block = {"model": "mixtral-8x7b", "layout": {"tp": 8, "ep": 8}, "training": TRAINING}
    found = assess(saved(POD), parts(), workload_of(block))
    assert found.step is not None
    assert found.step_band is None
    assert "scatter too far" in compared_words(found)
    assert assessment_data(found)["training"]["band"] is None
