"""What cannot run is told in words, with the nearest value that works; and that value works."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.designs import POD, RACK, assessed
from toposmith.workloads.block import workload_of
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.workload_json import assessment_data


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({}, "workload.model: is missing"),
        ({"model": "llama-3-70b"}, "did you mean 'llama3-70b'"),
        ({"model": 7}, "workload.model: found 7"),
        ({"model": "llama3-8b", "layuot": {}}, "did you mean 'layout'"),
        ({"model": "llama3-8b", "layout": {"tpp": 8}}, "workload.layout.tpp: unknown key 'tpp'"),
        ({"model": "llama3-8b", "layout": {"tp": 0}}, "workload.layout.tp: found 0"),
        ({"model": "llama3-8b", "layout": {"tp": "eight"}}, "found 'eight'"),
        ({"model": "llama3-8b", "layout": {"zero": 4}}, "workload.layout.zero: found 4"),
        ({"model": "llama3-8b", "layout": {"order": ["tp"]}}, "order names each of"),
        (
            {"model": "llama3-8b", "layout": {"order": ["cp", "tp", "dp", "pp"]}},
            "cp and dp next to each other",
        ),
        ({"model": "llama3-8b", "training": {"batch": 0}}, "training.batch: found 0"),
        (
            {"model": "llama3-8b", "training": {"batch": 8, "sequence": 1, "flash_attention": 7}},
            "workload.training.flash_attention: found 7, expected",
        ),
        (
            {"model": "llama3-8b", "training": {"batch": 8, "sequence": 1, "precision": "fp4"}},
            "expected 'bf16', 'fp16', 'fp8', 'mxfp8'",
        ),
        ({"model": {"layers": 4}}, "workload.model.hidden: is missing"),
        ({"model": "llama3-8b", "serving": {"tpot_ms": float("nan")}}, "workload.serving.tpot_ms"),
        ({"model": "llama3-8b", "serving": {"\x1b[31m": 1}}, r"'\\x1b\[31m'"),
    ],
)
def test_a_block_that_cannot_be_read_says_where_and_what(
    block: dict[str, object], words: str
) -> None:
    with pytest.raises(WorkloadError, match=words):
        workload_of(block)


def refused(name: str = POD, **block: object) -> str:
    with pytest.raises(WorkloadError) as error:
        assessed(name, **block)
    return str(error.value)


SOUND = {"tp": 4, "pp": 4, "dp": 60}
BATCH = {"batch": 960, "sequence": 8192}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tp": 3}, "layout.tp: 3 does not split 64 heads"),
        (
            {"pp": 7},
            "80 layers do not divide over 7 stages; 5 or 8 works, or uneven_stages: true",
        ),
        ({"pp": 4, "interleave": 3}, "4 stages of 3 chunks"),
        ({"dp": 64}, "takes 1,024 GPUs, there are 1,016; dp=63 takes 1,008"),
        ({"tp": 2, "pp": 1, "dp": 3}, "not a multiple of the 8 of a node; dp=4 works"),
        ({"ep": 2}, "has no experts to split; 1 works"),
    ],
)
def test_a_layout_that_does_not_divide_says_what_would(change: dict[str, int], words: str) -> None:
    assert words in refused(model="llama3-70b", layout=SOUND | change, training=BATCH)


def test_a_batch_that_does_not_divide_names_both_neighbours_and_they_work() -> None:
    text = refused(model="llama3-70b", layout=SOUND, training={"batch": 961, "sequence": 8192})
    assert text.endswith("960 or 1,020 works")
    for batch in (960, 1020):
        found = assessed(
            POD, model="llama3-70b", layout=SOUND, training={"batch": batch, "sequence": 8192}
        )
        assert found.step is not None


def test_more_ranks_than_experts_are_refused() -> None:
    text = refused(
        model="mixtral-8x7b", layout={"ep": 16}, training={"batch": 1008, "sequence": 4096}
    )
    assert "layout.ep: 16 is more than the 8 experts; 8 works" in text


def test_a_model_that_does_not_fit_is_a_finding_that_names_a_layout_which_does() -> None:
    layout = {"tp": 8, "dp": 120}
    training = {"batch": 120, "sequence": 8192}
    found = assessed(POD, model="llama3-405b", layout=layout, training=training)
    (finding,) = [each for each in found.findings if each.code == "does-not-fit"]
    assert not found.ok
    assert finding.text.endswith("zero=3 with recompute=full works")
    mended = assessed(
        POD,
        model="llama3-405b",
        layout=layout | {"zero": 3, "recompute": "full"},
        training=training,
    )
    assert mended.ok


def test_a_service_whose_model_does_not_fit_names_how_many_gpus_hold_it() -> None:
    found = assessed(POD, model="llama3-405b", layout={"tp": 2}, serving={})
    (finding,) = found.findings
    words = "406 GB on each of 2 GPUs, with 76 GB free each; tp x pp = 16 works"
    assert (finding.code, words in finding.text) == ("does-not-fit", True)
    assert assessed(POD, model="llama3-405b", layout={"tp": 8, "pp": 2}, serving={}).ok


def test_a_target_that_no_batch_meets_names_what_can_be_met() -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving={"tpot_ms": 1})
    (finding,) = found.findings
    (nearest,) = re.findall(r"no batch meets 1 ms per output token; ([\d.]+) ms", finding.text)
    again = {"tpot_ms": float(nearest)}
    assert assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=again).ok


def test_a_batch_whose_caches_do_not_fit_names_the_largest_that_does() -> None:
    serving = {"prompt": 8192, "decode_batch": 1000}
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=serving)
    (finding,) = found.findings
    assert finding.code == "does-not-fit"
    (most,) = re.findall(r"do not fit; (\d+) works", finding.text)
    assert assessed(
        POD, model="llama3-70b", layout={"tp": 8}, serving=serving | {"decode_batch": int(most)}
    ).ok


def test_a100s_have_no_fp8() -> None:
    text = refused(RACK, model="llama3-8b", serving={"precision": "fp8"})
    assert text == "precision: A100 SXM4 80GB has no fp8; bf16 works"


def test_neither_training_nor_serving_is_refused() -> None:
    assert "neither training nor serving" in refused(model="llama3-8b")


def test_a_wanted_mfu_that_is_missed_says_what_would_help() -> None:
    training = BATCH | {"mfu": 0.7}
    found = assessed(POD, model="llama3-70b", layout=SOUND, training=training)
    (finding,) = [each for each in found.findings if each.code == "target-missed"]
    assert "the pipeline's bubble takes 16 %: more micro-batches" in finding.text


def test_storage_that_the_catalog_lacks_is_refused() -> None:
    text = refused(model="llama3-70b", layout=SOUND, training=BATCH, storage={"part": "qm9700"})
    assert "no storage 'qm9700' (known: ddn-ai400x2" in text


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_any_workload_is_answered_or_refused_in_words(data: st.DataObject) -> None:
    draw = data.draw
    block: dict[str, object] = {
        "model": draw(st.sampled_from(["llama3-8b", "mixtral-8x7b", "deepseek-v3"])),
        "layout": {
            "tp": draw(st.sampled_from([1, 2, 3, 8, 128])),
            "pp": draw(st.sampled_from([1, 2, 7, 16])),
            "cp": draw(st.sampled_from([1, 2, 64])),
            "ep": draw(st.sampled_from([1, 2, 8, 64, 1000])),
            "dp": draw(st.sampled_from([None, 1, 8, 10**6])),
            "interleave": draw(st.sampled_from([1, 2])),
            "zero": draw(st.integers(0, 3)),
        },
        "training": {
            "batch": draw(st.sampled_from([1, 64, 960, 10**6])),
            "sequence": draw(st.sampled_from([1, 2048, 10**7])),
            "mfu": 0.9,
        },
        "serving": {
            "prompt": draw(st.sampled_from([1, 2048, 10**6])),
            "disaggregated": draw(st.booleans()),
            "tpot_ms": draw(st.sampled_from([None, 0.001, 50])),
        },
    }
    if draw(st.booleans()):
        del block["training"]
    try:
        found = assessed(POD, **block)
    except WorkloadError as refusal:
        assert str(refusal)
        return
    json.dumps(assessment_data(found), allow_nan=False)
    assert all(finding.text for finding in found.findings)


def test_a_shard_divides_the_ranks_that_hold_the_same_weights() -> None:
    with pytest.raises(WorkloadError, match=r"shard: 7 does not divide cp x dp = 31; 1 or 31"):
        assessed(
            "dgx-h100-superpod-1su",
            model="llama3-8b",
            layout={"tp": 8, "shard": 7},
            training={"batch": 31},
        )


def test_what_runs_again_is_named_by_module() -> None:
    with pytest.raises(WorkloadError, match="found 'mlp', expected none, selective, full, or of"):
        workload_of({"model": "llama3-8b", "layout": {"recompute": "mlp"}})
