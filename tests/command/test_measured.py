"""``toposmith measured`` as a script sees it."""

from __future__ import annotations

import json

from tests.command.shell import Shell
from tests.measured.logs import log

DESIGN = "dgx-a100-su"


def test_a_log_is_compared_and_the_exit_says_whether_it_passes(shell: Shell) -> None:
    good = shell.file("good.log", log([(2**33, 190.0)], nodes=20))
    done = shell("measured", good, DESIGN)
    assert done.code == 0, done.out
    assert "all-reduce, 160 GPUs on 20 nodes" in done.out
    bad = shell.file("bad.log", log([(2**33, 90.0)], nodes=20))
    worse = shell("measured", good, bad, DESIGN)
    assert worse.code == 1 and "below" in worse.out and "likely: " in worse.out


def test_json_has_every_point_with_its_verdict(shell: Shell) -> None:
    bad = shell.file("bad.log", log([(2**30, 95.0), (2**33, 90.0)], nodes=20))
    data = json.loads(shell("measured", bad, DESIGN, "--json").out)
    assert data["passes"] is False
    (run,) = data["runs"]
    assert [one["verdict"] for one in run["points"]] == ["below", "below"]
    assert run["gpus"] == 160 and run["explanations"]


def test_without_a_log_the_commands_to_run_are_told(shell: Shell) -> None:
    done = shell("measured", DESIGN)
    assert done.code == 0 and "-np 160 -N 8 ./build/alltoall_perf" in done.out
    data = json.loads(shell("measured", DESIGN, "--json").out)
    first = data["commands"][0]
    assert first["collective"] == "all_reduce" and "-np 160" in first["command"]
    assert [one["message_bytes"] for one in first["points"]] == [2**26, 2**30, 2**33]


def test_what_cannot_be_read_exits_2_with_a_line(shell: Shell) -> None:
    assert shell("measured", shell.file("x.log", "hello\n"), DESIGN).code == 2
    missing = shell("measured", "no-such.log", DESIGN)
    assert missing.code == 2 and "no-such.log: not there" in missing.err
    unchecked = log([(2**33, 190.0)], nodes=20, program="", redop="none", wrong=("N/A", "N/A"))
    unnamed = shell.file("y.log", unchecked)
    refused = shell("measured", unnamed, DESIGN)
    assert refused.code == 2 and "give --collective (all_gather, all_to_all" in refused.err
    assert shell("measured", unnamed, DESIGN, "--collective", "all_gather").code == 0


def test_a_log_that_does_not_name_its_collective_is_known_by_its_table(shell: Shell) -> None:
    unnamed = shell.file("y.log", log([(2**33, 190.0)], nodes=20, program=""))
    done = shell("measured", unnamed, DESIGN)
    assert done.code == 0 and "all-reduce by its columns and busbw over algbw" in done.out
    other = shell("measured", unnamed, DESIGN, "--collective", "all_gather")
    assert other.code == 2 and "the table is not of all-gather" in other.err


def test_wrong_values_fail_the_run_and_are_in_its_data(shell: Shell) -> None:
    corrupt = shell.file("z.log", log([(2**33, 190.0)], nodes=20, wrong=("7", "0")))
    done = shell("measured", corrupt, DESIGN)
    assert done.code == 1 and "wrong values" in done.out
    data = json.loads(shell("measured", corrupt, DESIGN, "--json").out)
    assert data["passes"] is False and data["runs"][0]["points"][0]["wrong_values"] == 7


def test_what_was_measured_calibrates_what_is_predicted(shell: Shell) -> None:
    run = shell.file("run.log", log([(2**33, 150.0)], nodes=20))
    done = shell("measured", run, DESIGN, "--calibrate", "mine.yaml")
    assert done.code == 1 and "not as predicted; what holds it back" in done.err
    later = shell("analyze", DESIGN, "--with", "calibration=mine.yaml")
    assert "150 GB/s per GPU (model: calibrated by mine.yaml)" in later.out
    data = json.loads(shell("analyze", DESIGN, "--with", "calibration=mine.yaml", "--json").out)
    assert data["assumptions"]["calibration"] == "mine.yaml: run of 160 GPUs on 20 nodes"
    again = shell("measured", run, DESIGN, "--calibrate", "mine.yaml")
    assert again.code == 2 and "say --force" in again.err
    assert shell("measured", DESIGN, "--calibrate", "other.yaml").code == 2


def test_a_calibration_that_is_none_exits_2_with_its_line(shell: Shell) -> None:
    bad = shell.file("bad.yaml", "toposmith_calibration: 1\nparts: [a]\nruns: 3\n")
    refused = shell("analyze", DESIGN, "--with", f"calibration={bad}")
    assert refused.code == 2 and "bad.yaml:3:7: runs: found 3" in refused.err
