"""`workload`, as a script sees it: what it is asked, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.command.shell import OVERFULL, Shell

POD = "dgx-h100-superpod-1su"
DOCS = Path(__file__).parents[2] / "docs"
PAGE = "".join((DOCS / name).read_text("utf-8") for name in ("workloads.md", "all-keys.md"))
TRAINED = ("--model", "llama3-8b", "--set", "batch=496,tp=2")
DESIGN = """\
toposmith: 1
name: a pod
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
workload:
  model: llama3-8b
  layout: {tp: 2}
  training: {batch: 64, sequence: 4096}
  storage: {part: ddn-ai400x2, mtbf_h: 4}
"""


def keys_of(data: object) -> set[str]:
    inside = list(data.values()) if isinstance(data, dict) else data
    found = set(data) if isinstance(data, dict) else set()
    for each in inside if isinstance(inside, list) else []:
        found |= keys_of(each)
    return found


def test_a_design_says_itself_what_is_to_run(shell: Shell) -> None:
    done = shell("workload", shell.file("pod.yaml", DESIGN))
    assert (done.code, done.err) == (0, "")
    for words in (
        "Llama 3 8B",
        "Training (model, NVIDIA's stack, no loss with scale)",
        "Needed to hide behind compute",
        "Storage",
    ):
        assert words in done.out
    assert done.out.startswith("trains at ")
    assert " of the step waits inside nodes (tp first)" in done.out


def test_options_come_over_the_block(shell: Shell) -> None:
    file = shell.file("pod.yaml", DESIGN)
    read = json.loads(shell("workload", file, "--set", "tp=4", "--json").out)
    assert (read["layout"]["tp"], read["layout"]["dp"]) == (4, 8)
    assert read["model"]["name"] == "Llama 3 8B"
    assert read["storage"]["found"] == "1 x DDN AI400X2"


def test_a_workload_may_be_a_file_of_its_own(shell: Shell) -> None:
    shell.file("w.yaml", "model: llama2-7b\ntraining: {batch: 248, sequence: 2048}\n")
    found = shell("workload", POD, "--workload", "w.yaml", "--json")
    assert json.loads(found.out)["model"]["name"] == "Llama 2 7B"
    inside = "workload: {model: llama2-7b, training: {batch: 248, sequence: 2048}}\n"
    assert shell("workload", POD, "--workload", shell.file("v.yaml", inside), "--json") == found


@pytest.mark.parametrize(
    "options",
    [
        (*TRAINED,),
        ("--model", "llama3-70b", "--set", "tp=8", "--serve", "--set", "disaggregated=true"),
        ("--model", "llama3-8b", "--set", "batch=496", "--search"),
        (*TRAINED, "--curve"),
    ],
)
def test_every_key_of_the_json_is_documented(shell: Shell, options: tuple[str, ...]) -> None:
    done = shell("workload", POD, *options, "--json")
    known = {"name", "parameters", "active_parameters", "source"}  # of the model
    known |= {"code", "severity", "where", "text", "gpus"}  # of findings and layouts
    documented = set(re.findall(r"`(\w+)(?:\[\])?`", PAGE))
    names = {name for key in keys_of(json.loads(done.out)) for name in key.split(".")}
    assert names - known - documented == set()


def test_a_curve_says_how_the_share_that_waits_grows(shell: Shell) -> None:
    done = shell("workload", "a100-rack-1x100gbe", "--model", "llama3-8b", "--curve")
    assert done.code == 0
    assert done.out.startswith("on 8 GPUs 0 % of a step waits for the network, on 64 ")
    rows = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")]
    assert rows == ["GPUs", "8", "16", "32", "64"]
    refused = shell("workload", POD, "--model", "llama3-8b", "--serve", "--curve")
    assert refused.code == 2
    assert "--curve: is of training alone" in refused.err


def test_over_sockets_on_the_same_nics_more_of_a_step_waits(shell: Shell) -> None:
    asked = ("workload", "a100-rack-1x100gbe", *TRAINED[:2], "--set", "tp=8,batch=64", "--json")
    rdma, tcp = (json.loads(shell(*asked, *more).out) for more in ((), ("--with", "tcp")))
    (sent,), (over,) = (
        [each for each in one["training"]["communication"] if each["what"] == "weights"]
        for one in (rdma, tcp)
    )
    # eight groups share a node's 100 Gb/s, of which sockets reach 4 GB/s
    assert sent["wire_bytes"] == over["wire_bytes"]
    assert over["busbw_GBps"] == pytest.approx(4 / 8, rel=0.02)
    assert tcp["training"]["step_s"] > rdma["training"]["step_s"]


def test_a_search_names_the_quickest_layout_first(shell: Shell) -> None:
    done = shell("workload", POD, "--model", "llama3-8b", "--set", "batch=496", "--search")
    assert done.code == 0
    assert "the quickest first" in done.out.splitlines()[0]
    assert "the first 20 of 541" in done.out.splitlines()
    layouts = json.loads(
        shell(
            "workload", POD, "--model", "llama3-8b", "--set", "batch=496", "--search", "--json"
        ).out
    )["layouts"]
    times = [each["step_s"] for each in layouts if each["fits"]]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ((), 2, "has no workload: block; say --model"),
        (("--model", "llama3-9b", "--set", "batch=8"), 2, "did you mean 'llama3-8b'"),
        (("--model", "llama3-8b", "--set", "tp=8,dp=4,batch=7"), 2, "works"),
        (("--model", "llama3-70b", "--set", "tp=3", "--set", "batch=8"), 2, "2 or 4 works"),
        (
            ("--model", "llama3-8b", "--set", "batch=248", "--set", "precision=int3"),
            2,
            "'bf16', 'fp16', 'fp8', 'mxfp8'",
        ),
        (("--model", "llama3-8b", "--set", "tpot_ms=5"), 2, "counts with --serve only"),
        (("--model", "llama3-8b", "--search", "--serve"), 2, "layouts of training"),
        (("--workload", "nowhere.yaml"), 2, "nowhere.yaml: No such file"),
    ],
)
def test_what_cannot_run_is_refused_in_words(
    shell: Shell, options: tuple[str, ...], code: int, words: str
) -> None:
    done = shell("workload", POD, *options)
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "text",
    ["[1, 2]", "", "model: [", "workload: 3", "model: &a llama3-8b", "\x00", "model: {a: {b: 1}}"],
)
def test_a_file_that_is_no_workload_is_refused_with_its_place(shell: Shell, text: str) -> None:
    done = shell("workload", POD, "--workload", shell.file("bad.yaml", text))
    assert done.code == 2
    assert re.search(r"bad\.yaml|workload\.", done.err)
    assert "Traceback" not in done.err


def test_a_model_that_does_not_fit_is_a_finding(shell: Shell) -> None:
    done = shell("workload", POD, "--model", "llama3-405b", "--set", "tp=8", "--set", "batch=31")
    assert done.code == 1
    assert "DOES NOT FIT" in done.out
    assert "works [does-not-fit]" in done.out


def test_a_model_that_does_not_fit_is_a_finding_of_a_service_too(shell: Shell) -> None:
    done = shell("workload", POD, "--model", "llama3-405b", "--set", "tp=8", "--serve")
    assert (done.code, done.err) == (1, "")
    assert "DOES NOT FIT" in done.out
    assert "tp x pp = 16 works [does-not-fit]" in done.out


def test_time_per_token_and_rate_of_a_service_belong_together(shell: Shell) -> None:
    options = ("--model", "llama3-70b", "--set", "tp=8", "--serve", "--set", "prompt=2048")
    wanted = ("--set", "output=256", "--set", "tpot_ms=25")
    found = json.loads(shell("workload", POD, *options, *wanted, "--json").out)["serving"]
    assert found["tpot_s"] <= 0.025
    request = found["ttft_s"] + 255 * found["tpot_s"]
    assert found["request_s"] == pytest.approx(request)
    assert found["tokens_per_s"] / found["requests_in_flight"] == pytest.approx(256 / request)
    assert found["tpot_s"] == pytest.approx(found["decode_s"] + found["reading_s"])


def test_a_target_that_is_missed_is_a_finding(shell: Shell) -> None:
    done = shell(
        "workload", POD, "--model", "llama3-70b", "--set", "tp=8", "--serve", "--set", "tpot_ms=1"
    )
    assert done.code == 1
    assert "no batch meets 1 ms per output token" in done.out


def test_names_from_a_file_never_reach_the_terminal_as_they_are(shell: Shell) -> None:
    block = (
        'model: {name: "\\e[31mred", layers: 4, hidden: 512, heads: 8, ffn: 2048, '
        "vocabulary: 1000}\ntraining: {batch: 248, sequence: 512}\n"
    )
    done = shell("workload", POD, "--workload", shell.file("red.yaml", block))
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize(
    "option",
    [
        *(
            ("--set", "batch=8"),
            ("--set", "tokens=1e12"),
            ("--set", "zero=3"),
            ("--set", "sequence=4096"),
        ),
        *(
            ("--set", "dp=2"),
            ("--set", "cp=2"),
            ("--set", "micro_batch=2"),
            ("--set", "recompute=full"),
        ),
    ],
)
def test_what_belongs_to_training_is_refused_of_a_service(
    shell: Shell, option: tuple[str, str]
) -> None:
    done = shell("workload", POD, "--model", "llama3-8b", "--serve", *option)
    assert (done.code, done.out) == (2, "")
    name = option[1].partition("=")[0]
    assert f"{name} is for training, not for serving" in done.err


def test_reading_apart_is_refused_of_training(shell: Shell) -> None:
    done = shell("workload", POD, *TRAINED, "--set", "disaggregated=true")
    assert (done.code, done.out) == (2, "")
    assert "disaggregated counts with --serve only" in done.err


def test_a_block_of_a_service_needs_no_serve(shell: Shell) -> None:
    text = DESIGN.replace("training: {batch: 64, sequence: 4096}", "serving: {prompt: 512}")
    file = shell.file("pod.yaml", text)
    done = shell("workload", file, "--set", "precision=fp8,disaggregated=true", "--json")
    assert done.code == 0
    read = json.loads(done.out)
    assert (read["training"], read["serving"]["kv_transfer_s"] > 0) == (None, True)
    assert "is for training" in shell("workload", file, "--set", "zero=3").err


def test_a_search_keeps_to_the_sizes_that_are_given(shell: Shell) -> None:
    options = ("--model", "llama3-8b", "--set", "batch=496", "--search", "--json")
    every = json.loads(shell("workload", POD, *options).out)
    some = json.loads(shell("workload", POD, *options, "--set", "tp=4", "--set", "pp=2").out)
    assert {(each["layout"]["tp"], each["layout"]["pp"]) for each in some["layouts"]} == {(4, 2)}
    assert some["looked_at"] < every["looked_at"]
    refused = shell("workload", POD, *options, "--set", "tp=3")
    assert (refused.code, refused.out) == (2, "")
    assert "layout.tp: 3 does not split 32 heads" in refused.err


def test_a_design_with_errors_says_them_and_exits_1(shell: Shell) -> None:
    file = shell.file("over.yaml", OVERFULL)
    done = shell("workload", file, "--model", "llama3-8b", "--set", "batch=72")
    assert done.code == shell("analyze", file).code == 1
    assert "links ask for 36 cages" in done.out
    assert "[ports-overused]" in done.out
    ranked = shell("workload", file, "--model", "llama3-8b", "--set", "batch=72", "--search")
    assert (ranked.code, "[ports-overused]" in ranked.out) == (1, True)


def test_averages_of_tensor_parallelism_say_what_each_is(shell: Shell) -> None:
    done = shell("workload", POD, *TRAINED)
    (line,) = [line for line in done.out.splitlines() if "tp on average" in line]
    assert "by the bytes of its messages" in line
    assert "rule of thumb (weights of a stage / tp, once a pass; no activations)" in line


SERVED = (
    "--model",
    "llama3-8b",
    "--serve",
    "--set",
    "tp=8",
    "--set",
    "prompt=256",
    "--set",
    "output=32",
)


def test_a_size_that_does_not_divide_is_said_without_a_batch(shell: Shell) -> None:
    done = shell("workload", POD, "--model", "llama3-70b", "--set", "tp=7")
    assert done.code == 2
    assert done.err.startswith("layout.tp: 7 does not split 64 heads")


def test_a_model_is_all_that_one_has_to_say(shell: Shell) -> None:
    trained = shell("workload", POD, "--model", "llama3-8b")
    served = shell("workload", POD, "--model", "llama3-70b", "--serve")
    assert (trained.code, served.code) == (0, 0)
    assert trained.out.startswith("trains at ")
    assert served.out.startswith("serves it (wanted: ")


def test_a_model_is_read_from_its_config_json(shell: Shell) -> None:
    data = {
        "model_type": "llama",
        "num_hidden_layers": 32,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 14336,
    }
    options = ("--serve", "--set", "tp=8", "--json")
    file = shell.file("own.json", json.dumps({**data, "vocab_size": 128256}))
    model = json.loads(shell("workload", POD, "--model", file, *options).out)["model"]
    assert (model["name"], model["parameters"]) == ("own", 8_030_257_152)
    known = json.loads(shell("workload", POD, "--model", "llama3-8b", *options).out)["model"]
    assert model["parameters"] == known["parameters"]
    short = shell.file("short.json", json.dumps(data))
    done = shell("workload", POD, "--model", short, *options)
    assert done.code == 2
    assert "short.json: vocab_size: is missing" in done.err
    require = ("--require", "--set", "ranks=8,per_second=20")
    assert "M = 16.1 GB" in shell("workload", POD, "--model", file, *require).out


def test_every_example_of_its_help_runs(shell: Shell) -> None:
    shown = shell("workload", "--help").out
    examples = shown.partition("Examples:")[2].strip().splitlines()
    lines = [line.split()[1:] for line in examples]
    assert len(lines) == 5
    for words in lines:
        assert shell(*words).code in (0, 1), words
