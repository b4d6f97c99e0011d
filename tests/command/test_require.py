"""`workload --require`, as a script sees it."""

from __future__ import annotations

import json

import pytest

from tests.command.shell import SOUND, Shell
from tests.command.test_workload import DESIGN, PAGE, keys_of

RACK = "a100-rack-1x100gbe"
SEED = ("--set", "ranks=8,size=16MB,per_second=1000")
APART = ("--set", "one_per_node=true")


def test_the_exercise_of_plain_numbers(shell: Shell) -> None:
    done = shell("workload", "--require", RACK, *SEED, *APART)
    assert (done.code, done.err) == (1, "")  # unmet needs are findings
    for words in ("2.00 GB/s", "14.0 GB/s", "28.0 GB/s", "1.56 GB/s", "NOT MET", "node.compute"):
        assert words in done.out
    assert "2 x 100GbE, 1 x 200GbE, HDR or NDR" in done.out


def test_inside_a_node_it_says_that_nics_do_not_count(shell: Shell) -> None:
    done = shell("workload", "--require", RACK, *SEED)
    assert done.code == 0
    assert "NICs do not count" in done.out
    assert "100GbE" not in done.out.split("N = 8 ranks")[1]


def test_every_key_of_the_json_is_documented(shell: Shell) -> None:
    read = json.loads(shell("workload", "--require", RACK, *SEED, *APART, "--json").out)
    (found,) = read["required"]
    assert [line["needed_GBps"] for line in found["lines"]] == [2.0, 14.0, 28.0]
    assert found["nic_GBps"]["NDR"] == {"one_a_node": 6.25, "one_a_gpu": 50.0}
    known = {"100GbE", "200GbE", "HDR", "NDR", "is", "of", "why"}
    assert not [key for key in keys_of(read) - known if f"`{key}" not in PAGE]


def test_a_model_says_weights_and_activations_side_by_side(shell: Shell) -> None:
    asked = ("--model", "llama3-70b", "--set", "ranks=8,per_second=20,tokens=64")
    done = shell("workload", "--require", RACK, *asked)
    assert "the whole model" in done.out
    assert "activations" in done.out


def test_without_numbers_it_is_of_the_workload_of_the_design(shell: Shell) -> None:
    done = shell("workload", "--require", shell.file("pod.yaml", DESIGN))
    assert "the predicted step" in done.out
    assert "N = 2 ranks" in done.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "no workload: block"),
        (("--set", "ranks=8"), "counts with size, or with --model"),
        (("--set", "ranks=8,size=1MB"), "per_second is missing"),
        (("--set", "size=1MB,per_second=1"), "ranks is missing"),
        ((*SEED, "--model", "llama3-8b"), "leave one out"),
        ((*SEED, "--set", "tokens=3"), "--model only"),
        ((*SEED, "--serve"), "of no model that is served"),
        ((*SEED, "--set", "batch=3"), "there is no 'batch' to set"),
        (("--set", "ranks=8,size=huge,per_second=1"), "no size"),
        (("--set", "ranks=8,size=1MB,per_second=nan"), "no number"),
        (("--set", "ranks=8,size=1MB,per_second=0"), "more than 0"),
        (("--set", "ranks=3,size=1MB,per_second=1"), "works"),
        (("--model", "lama", "--set", "ranks=8,per_second=1"), "no model"),
        (("--model", "llama3-8b", "--set", "ranks=8,per_second=1,tokens=0"), "tokens"),
    ],
)
def test_bad_questions_are_told(shell: Shell, options: tuple[str, ...], words: str) -> None:
    done = shell("workload", "--require", shell.file("sound.yaml", SOUND), *options)
    assert done.code == 2
    assert words in done.err
    assert not done.out
