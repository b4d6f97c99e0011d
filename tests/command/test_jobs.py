"""``toposmith jobs`` as a script sees it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command.shell import Shell
from toposmith import saved_designs

SAVED = Path(saved_designs.__file__).parent
DESIGN = "hgx-a100-64gpu-roce-2to1"


def test_jobs_are_told_alone_and_together(shell: Shell) -> None:
    done = shell("jobs", DESIGN, "4, all_to_all, striped", "four: 4, all_to_all")
    assert done.code == 0 and "limited at leaf - spine" in done.out and "four" in done.out
    data = json.loads(
        shell("jobs", DESIGN, "4, all_to_all, striped", "4, all_to_all", "--json").out
    )
    assert data["toposmith_jobs"] == 1
    assert all(one["together_GBps"] <= one["alone_GBps"] for one in data["jobs"])


def test_jobs_of_the_design_run_where_none_is_named(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "with-jobs.yaml"
    text = (SAVED / f"{DESIGN}.yaml").read_text().replace("toposmith: 1", "toposmith: 2")
    file.write_text(text + "jobs: [{name: half, nodes: 4, runs: all_gather, size: 2GiB}]\n")
    (job,) = json.loads(shell("jobs", str(file), "--json").out)["jobs"]
    assert (job["name"], job["nodes"], job["message_bytes"]) == ("half", 4, 2**31)
    (other,) = json.loads(shell("jobs", str(file), "2, all_gather", "--json").out)["jobs"]
    assert other["nodes"] == 2


def test_a_job_that_cannot_run_exits_2_in_one_line(shell: Shell) -> None:
    refused = shell("jobs", DESIGN, "99, all_reduce")
    assert refused.code == 2
    assert refused.err == "'99, all_reduce': 99 nodes wanted, 8 nodes of 8 are free\n"
    unnamed = shell("jobs", DESIGN)
    assert unnamed.code == 2 and "no jobs: in the design" in unnamed.err
    assert shell("jobs", "no-such-design", "all, all_reduce").code == 2


def test_jobs_are_routed_as_asked_for(shell: Shell) -> None:
    jobs = ("jobs", DESIGN, "4, all_to_all, striped", "4, all_to_all", "--json")
    data = json.loads(shell(*jobs, "--routing", "static", "--queue-pairs", "4").out)
    ideal = json.loads(shell(*jobs).out)
    assert "statically routed" in data["assumes"] and "ideally routed" in ideal["assumes"]
    assert data["jobs"][0]["together_GBps"] < ideal["jobs"][0]["together_GBps"]
    for wrong in (("--queue-pairs", "4"), ("--routing", "detour")):
        refused = shell(*jobs, *wrong)
        assert refused.code == 2 and wrong[0] in refused.err
